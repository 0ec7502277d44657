//! Finding the right page, table and regulation.
//!
//! [`SearchEngine`] joins a keyword index and a vector index over the same documents (one per block, table and note of
//! every regulation) into one ranking, chooses regulations for a question and says why, searches tables and looks up
//! rows by conditions.
//!
//! Indexes are caches: they are built from the store, carry the content hash of every regulation they hold, are swapped
//! atomically, and are rebuilt when they no longer match. Backends stand behind two traits, [`KeywordIndex`] and
//! [`VectorIndex`], and all pass the same contract tests.
//!
//! This crate knows no MCP, no HTTP face, no terminal and no language model.

mod document;
mod engine;
mod error;
mod filter;
mod fusion;
pub mod keyword;
mod rows;
mod select;
mod snippet;
mod tables;
pub mod vector;

pub use document::{DocumentKey, IndexDocument, documents_of};
pub use engine::{
    EngineOptions, RegulationScope, SearchEngine, SearchRequest, SearchResponse, SimilarRequest, SimilarTo,
};
pub use error::IndexError;
pub use filter::Filter;
pub use fusion::{Fusion, FusionOptions};
pub use keyword::KeywordIndex;
pub use rows::{Condition, RowLookup, RowMatch};
pub use select::{ChosenRegulation, Selection};
pub use tables::{MatchType, TableHit, TableSearchMode, TableSearchRequest};
pub use vector::VectorIndex;
