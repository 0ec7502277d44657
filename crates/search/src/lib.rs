//! Finding the right page, table, row and regulation of a library.
//!
//! [`SearchEngine`] keeps two corpora of a library in step with the store, one of blocks and one of tables, and answers a
//! [`Question`](regreader_question::Question): it takes candidates from the indexes, raises the places and rows that the
//! question names, chooses regulations and says why, and shows what stands on the page. How indexes lie on disk, which
//! backends there are and how their results are joined is `regreader_index`'s, whose names are given here too.
//!
//! This crate knows no MCP, no HTTP face, no terminal and no language model.
//!
//! ```
//! use regreader_search::{EngineOptions, SearchEngine, SearchRequest};
//! use regreader_store::{Library, OpenOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = std::env::temp_dir().join(format!("search-{}", std::process::id()));
//! let library = Library::open(folder.join("library"), OpenOptions::new())?;
//! let engine = SearchEngine::open(library, &folder.join("index"), EngineOptions::default(), None)?;
//! engine.refresh(&mut |_| {})?;
//! assert!(engine.search(&SearchRequest::new("母线失压怎么处理？"))?.hits.is_empty(), "the library is empty");
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```

mod chapter;
mod documents;
mod engine;
mod rows;
mod select;
mod snippet;
mod tables;

pub use chapter::{find_chapters, near_chapters};
pub use engine::{
    EngineOptions, IndexHealth, RefreshEvent, RefreshReport, RegulationScope, RegulationsSeen, SearchEngine,
    SearchRequest, SearchResponse, SimilarRequest, SimilarTo, superseding,
};
pub use regreader_index::{
    AddedBackend, ChoiceWeights, Fusion, FusionOptions, IndexError, KeywordBackend, Passage, QdrantOptions,
    RankingWeights, Signals, VectorBackend,
};
pub use rows::{HowMatched, MatchRule, RowCell, RowLookup, RowLookupResponse, RowMatch};
pub use select::{ChosenRegulation, Selection, SupersededRegulation};
pub use tables::{MatchType, TableHit, TablePart, TableSearchMode, TableSearchRequest, TableSearchResponse};
