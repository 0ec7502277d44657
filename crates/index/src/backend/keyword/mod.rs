//! Finding by words.

mod bm25;
mod fts5;
mod keys;
mod reading;
mod tantivy;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use regreader_model::RegId;

pub use self::bm25::Bm25Index;
pub use self::fts5::Fts5Index;
pub use self::reading::Reading;
pub(crate) use self::reading::{HEAD_WEIGHT, PHRASE_WEIGHT, head as head_of, rarity, read_query, sought};
pub use self::tantivy::TantivyIndex;
use crate::{Filter, IndexDocument, IndexError, Scored};

/// Everything of one regulation, to take the place of what an index has of it.
#[derive(Debug, Clone, Copy)]
pub struct Replacement<'a> {
    /// Which regulation.
    pub reg_id: &'a RegId,
    /// What the documents were made from.
    pub content_hash: &'a str,
    /// Its documents, in reading order.
    pub documents: &'a [IndexDocument],
}

/// A keyword index over blocks. All methods may be called from several threads and, for those on disk, processes.
pub trait KeywordIndex: Send + Sync {
    /// Name of the backend, as the setting has it.
    fn name(&self) -> &'static str;

    /// The content hash each regulation in the index was built from.
    fn built_from(&self) -> Result<BTreeMap<RegId, String>, IndexError>;

    /// Replaces everything of these regulations; all of it becomes visible at once, here, and to other processes when
    /// they reload.
    fn replace(&self, batch: &[Replacement<'_>]) -> Result<(), IndexError>;

    /// Replaces everything of one regulation; all of it becomes visible at once.
    fn replace_regulation(
        &self,
        reg_id: &RegId,
        content_hash: &str,
        documents: &[IndexDocument],
    ) -> Result<(), IndexError> {
        self.replace(&[Replacement { reg_id, content_hash, documents }])
    }

    /// Removes a regulation; no error when it is not there.
    fn delete_regulation(&self, reg_id: &RegId) -> Result<(), IndexError>;

    /// Sees what other processes have done.
    fn reload(&self) -> Result<(), IndexError>;

    /// Compares every byte on disk with the hashes that were written with it. An error says what differs. An index on a
    /// server is the server's to check.
    fn verify(&self) -> Result<(), IndexError> {
        Ok(())
    }

    /// The best documents for a query, best first, at most `limit`. Scores are BM25-like: comparable within one search
    /// over all regulations, never across searches.
    fn search(&self, query: &str, filter: &Filter, limit: usize) -> Result<Scored, IndexError>;

    /// The words of a query as this index reads them, each with its weight: rarity in the whole index times what the
    /// query makes of it. A word that the index does not hold weighs as much as one that a single document has.
    fn weights(&self, query: &str) -> Result<Vec<(String, f32)>, IndexError>;
}

/// Which keyword index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum KeywordBackend {
    /// Bigrams, terms and numbers in Tantivy.
    #[default]
    Tantivy,
    /// The same in SQLite's FTS5.
    Fts5,
    /// Words in plain Rust, held in memory.
    Bm25,
    /// Sparse vectors on a Qdrant server, beside the dense ones.
    Qdrant,
}

impl KeywordBackend {
    /// All of them, for help texts.
    pub const ALL: [Self; 4] = [Self::Tantivy, Self::Fts5, Self::Bm25, Self::Qdrant];
    /// Those that need nothing but a folder.
    pub const EMBEDDED: [Self; 3] = [Self::Tantivy, Self::Fts5, Self::Bm25];

    /// The name used in settings and as folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tantivy => "tantivy",
            Self::Fts5 => "fts5",
            Self::Bm25 => "bm25",
            Self::Qdrant => "qdrant",
        }
    }

    /// Opens the index in this folder. One on a server has none: [`crate::QdrantIndex::open`] opens it.
    pub fn open(self, folder: &Path, reading: &Arc<Reading>) -> Result<Arc<dyn KeywordIndex>, IndexError> {
        Ok(match self {
            Self::Tantivy => Arc::new(TantivyIndex::open(folder, Arc::clone(reading))?),
            Self::Fts5 => Arc::new(Fts5Index::open(folder, Arc::clone(reading))?),
            Self::Bm25 => Arc::new(Bm25Index::open(folder, Arc::clone(reading))?),
            Self::Qdrant => return Err(IndexError::needs_server(self.name())),
        })
    }
}

impl fmt::Display for KeywordBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for KeywordBackend {
    type Err = IndexError;

    fn from_str(name: &str) -> Result<Self, IndexError> {
        // The earlier system called its index of jieba's words after the library that kept it.
        let name = if name == "whoosh" { Self::Bm25.name() } else { name };
        Self::ALL.into_iter().find(|backend| backend.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|backend| backend.name()).collect();
            IndexError::unknown_choice("keyword_backend", name, &known)
        })
    }
}
