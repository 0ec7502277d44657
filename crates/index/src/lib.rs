//! Finding the right page, table and regulation.
//!
//! [`SearchEngine`] joins a keyword index and a vector index over the same documents (one per block, table and note of
//! every regulation) into one ranking, chooses regulations for a question and says why, searches tables and looks up
//! rows by conditions. [`Corpus`] is the part of it that knows nothing of the library: documents in, ranking out.
//!
//! Indexes are caches: they are built from the store, carry the content hash of every regulation they hold, are swapped
//! atomically, and are rebuilt when they no longer match. Backends stand behind two traits, [`KeywordIndex`] and
//! [`VectorIndex`], and all pass the same contract tests.
//!
//! This crate knows no MCP, no HTTP face, no terminal and no language model.

mod catalog;
mod chapter;
mod corpus;
pub mod disk;
mod document;
mod engine;
mod error;
mod fileset;
mod filter;
mod fusion;
mod generation;
mod guard;
pub mod keyword;
mod levels;
mod pack;
mod qdrant;
mod roster;
mod rows;
mod seal;
mod select;
mod snippet;
mod tables;
pub mod vector;

pub use chapter::{canonical_number, find_chapters, near_chapters};
pub use corpus::{BuiltFrom, Corpus, CorpusOptions, Damage, Ranked, Ranking};
pub use document::{DocumentKey, IndexDocument, documents_of, table_documents_of};
pub use engine::{
    EngineOptions, IndexHealth, RefreshEvent, RefreshReport, RegulationScope, RegulationsSeen, SearchEngine,
    SearchRequest, SearchResponse, SimilarRequest, SimilarTo, superseding,
};
pub use error::IndexError;
pub use filter::Filter;
pub use fusion::{Fusion, FusionOptions};
pub use guard::catches_panics;
pub use keyword::{KeywordBackend, KeywordIndex, Reading, Replacement};
pub use levels::{Passage, RankingWeights, Signals};
pub use qdrant::{QdrantIndex, QdrantOptions};
pub use rows::{HowMatched, MatchRule, RowCell, RowLookup, RowLookupResponse, RowMatch};
pub use select::{ChosenRegulation, Selection, SupersededRegulation};
pub use tables::{MatchType, TableHit, TablePart, TableSearchMode, TableSearchRequest, TableSearchResponse};
pub use vector::{AddedBackend, VectorBackend, VectorIndex};
