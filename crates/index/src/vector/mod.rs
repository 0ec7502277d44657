//! Finding by meaning.

mod flat;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use regreader_model::RegId;

pub use self::flat::FlatIndex;
use crate::{DocumentKey, Filter, IndexDocument, IndexError, Replacement};

/// A vector index over blocks. Vectors are normalised by the embedder; scores are cosines.
pub trait VectorIndex: Send + Sync {
    /// Name of the backend, as the setting has it.
    fn name(&self) -> &'static str;

    /// Model that the vectors come from.
    fn model(&self) -> &str;

    /// Their dimension.
    fn dimension(&self) -> usize;

    /// The content hash each regulation in the index was built from.
    fn built_from(&self) -> Result<BTreeMap<RegId, String>, IndexError>;

    /// Replaces everything of these regulations; all of it becomes visible at once. `vectors[i][j]` belongs to
    /// `batch[i].documents[j]`.
    fn replace(&self, batch: &[Replacement<'_>], vectors: &[Vec<Vec<f32>>]) -> Result<(), IndexError>;

    /// Replaces everything of one regulation; all of it becomes visible at once. `vectors[i]` belongs to
    /// `documents[i]`.
    fn replace_regulation(
        &self,
        reg_id: &RegId,
        content_hash: &str,
        documents: &[IndexDocument],
        vectors: Vec<Vec<f32>>,
    ) -> Result<(), IndexError> {
        self.replace(&[Replacement { reg_id, content_hash, documents }], &[vectors])
    }

    /// Removes a regulation; no error when it is not there.
    fn delete_regulation(&self, reg_id: &RegId) -> Result<(), IndexError>;

    /// Sees what other processes have done.
    fn reload(&self) -> Result<(), IndexError>;

    /// The nearest documents, nearest first, at most `limit`.
    fn search(
        &self,
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(DocumentKey, f32)>, IndexError>;

    /// Exact cosines of given documents; those not in the index are left out.
    fn score(&self, vector: &[f32], keys: &[DocumentKey]) -> Result<Vec<(DocumentKey, f32)>, IndexError>;

    /// The mean cosine over the whole index: what an unrelated document scores.
    fn mean(&self, vector: &[f32]) -> Result<f32, IndexError>;
}

/// Which vector index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum VectorBackend {
    /// Memory-mapped, every vector looked at.
    #[default]
    Flat,
    /// On a Qdrant server.
    Qdrant,
}

impl VectorBackend {
    /// All of them, for help texts.
    pub const ALL: [Self; 2] = [Self::Flat, Self::Qdrant];
    /// Those that need nothing but a folder.
    pub const EMBEDDED: [Self; 1] = [Self::Flat];

    /// The name used in settings and as folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Qdrant => "qdrant",
        }
    }

    /// Opens the index in this folder, for vectors of this model. One on a server has none: [`crate::QdrantIndex::open`]
    /// opens it.
    pub fn open(
        self,
        folder: &Path,
        model: &str,
        dimension: usize,
    ) -> Result<Arc<dyn VectorIndex>, IndexError> {
        Ok(match self {
            Self::Flat => Arc::new(FlatIndex::open(folder, model, dimension)?),
            Self::Qdrant => return Err(IndexError::needs_server(self.name())),
        })
    }
}

impl fmt::Display for VectorBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for VectorBackend {
    type Err = IndexError;

    fn from_str(name: &str) -> Result<Self, IndexError> {
        Self::ALL.into_iter().find(|backend| backend.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|backend| backend.name()).collect();
            IndexError::unknown_choice("vector_backend", name, &known)
        })
    }
}
