//! Documents in, ranking out: indexes by words and by meaning, and how their results are joined.
//!
//! Three layers, each of which uses only those before it:
//!
//! - [`storage`] is how indexes lie on disk.
//! - [`backend`] has the indexes behind two traits, [`KeywordIndex`] and [`VectorIndex`]; all pass the same contract tests.
//! - [`Corpus`] keeps the indexes of one set of documents in step, joins what they find ([`Fusion`]) and ranks it over
//!   levels ([`RankingWeights`]).
//!
//! Nothing here knows the library: which documents there are, and what a question means, is for the crate `search`. Indexes
//! are caches: they carry the content hash of every regulation they hold, are swapped atomically, and are rebuilt when they
//! no longer match.
//!
//! ```
//! use regreader_index::backend::keyword::Reading;
//! use regreader_index::{Corpus, CorpusOptions, DocumentKey, Filter, IndexDocument, Replacement};
//! use regreader_model::{BlockId, BlockType, PageNumber};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = std::env::temp_dir().join(format!("corpus-{}", std::process::id()));
//! let corpus = Corpus::open(&folder, CorpusOptions::default(), &Reading::default().into(), None)?;
//! let key = DocumentKey { reg_id: "rules".parse()?, page_num: PageNumber::FIRST, block_id: BlockId::new("b1") };
//! let document = IndexDocument {
//!     key: key.clone(),
//!     block_type: BlockType::Text,
//!     chapter_path: Vec::new(),
//!     ancestry: Vec::new(),
//!     section_number: None,
//!     table_id: None,
//!     text: "母线失压时应立即汇报".to_owned(),
//! };
//! let reg_id = key.reg_id.clone();
//! let documents = [document];
//! corpus.replace(&[Replacement { reg_id: &reg_id, content_hash: "1", documents: &documents }])?;
//! let found = corpus.search("母线失压", &Filter::default(), 3)?;
//! assert_eq!(found.documents[0].key, key);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```

pub mod backend;
mod corpus;
mod document;
mod error;
mod filter;
mod fusion;
mod guard;
mod levels;
pub mod storage;

pub use backend::keyword::{KeywordBackend, KeywordIndex, Reading, Replacement};
pub use backend::qdrant::{QdrantIndex, QdrantOptions};
pub use backend::vector::{AddedBackend, VectorBackend, VectorIndex};
pub use backend::{keyword, vector};
pub use corpus::{
    BuiltFrom, Corpus, CorpusOptions, Damage, DamagedPart, NamesFit, Parts, Ranked, Ranking, RegulationNames,
    examine, is_of_older_version,
};
pub use document::{DocumentKey, IndexDocument, Scored};
pub use error::IndexError;
pub use filter::Filter;
pub use fusion::{Fusion, FusionOptions};
pub use guard::catches_panics;
pub use levels::{ChoiceWeights, Passage, RankingWeights, Signals, Window};
pub use storage::disk;
