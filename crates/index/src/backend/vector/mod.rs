//! Finding by meaning.

mod flat;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use regreader_messages::errors;
use regreader_model::RegId;

pub use self::flat::FlatIndex;
use crate::{DocumentKey, Filter, IndexDocument, IndexError, Replacement, Scored};

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

    /// Replaces everything of these regulations; all of it becomes visible at once. `vectors[i][j]` belongs
    /// to `batch[i].documents[j]`.
    fn replace(&self, batch: &[Replacement<'_>], vectors: &[Vec<Vec<f32>>]) -> Result<(), IndexError>;

    /// Replaces everything of one regulation; all of it becomes visible at once. `vectors[i]` belongs
    /// to `documents[i]`.
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

    /// Compares every byte on disk with the hashes that were written with it. An error says what differs. An index on a
    /// server is the server's to check.
    fn verify(&self) -> Result<(), IndexError> {
        Ok(())
    }

    /// The nearest documents, nearest first, at most `limit`.
    fn search(&self, vector: &[f32], filter: &Filter, limit: usize) -> Result<Scored, IndexError>;

    /// Exact cosines of given documents; those not in the index are left out.
    fn score(&self, vector: &[f32], keys: &[DocumentKey]) -> Result<Scored, IndexError>;

    /// Exact cosines of given documents, and of groups of them: a group is a weighted mean of documents, given by their
    /// places in `keys` with their weights. A document that is not in the index has cosine 0.
    ///
    /// This default knows no vectors, only cosines, and takes neighbours to be as much alike as they mostly are; an index
    /// that has the vectors at hand should add them up.
    fn pooled(
        &self,
        vector: &[f32],
        keys: &[DocumentKey],
        groups: &[Vec<(usize, f32)>],
    ) -> Result<(Vec<f32>, Vec<f32>), IndexError> {
        /// Cosine of neighbouring blocks: measured on real documents, anything from .5 to 1 ranks alike.
        const ALIKE: f32 = 0.7;
        let scored: BTreeMap<DocumentKey, f32> = self.score(vector, keys)?.into_iter().collect();
        let blocks: Vec<f32> = keys.iter().map(|key| scored.get(key).copied().unwrap_or(0.0)).collect();
        let pooled = groups.iter().map(|group| {
            let sum: f32 = group.iter().map(|(_, weight)| weight).sum();
            let squares: f32 = group.iter().map(|(_, weight)| weight * weight).sum();
            let length = (squares + ALIKE * (sum * sum - squares)).sqrt().max(f32::MIN_POSITIVE);
            let dot: f32 =
                group.iter().map(|(at, weight)| weight * blocks.get(*at).copied().unwrap_or(0.0)).sum();
            dot / length
        });
        let pooled = pooled.collect();
        Ok((blocks, pooled))
    }

    /// The mean cosine over the whole index: what an unrelated document scores.
    fn mean(&self, vector: &[f32]) -> Result<f32, IndexError>;
}

/// Whether a vector can be compared with those of an index of this dimension.
pub fn check_vector(vector: &[f32], dimension: usize) -> Result<(), IndexError> {
    if vector.len() == dimension && vector.iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(IndexError::Embedding(errors::bad_vector(dimension, vector.len())))
}

/// Whether there is a fitting vector for every document.
pub fn check_batch(
    batch: &[Replacement<'_>],
    vectors: &[Vec<Vec<f32>>],
    dimension: usize,
) -> Result<(), IndexError> {
    for (index, one) in batch.iter().enumerate() {
        let mine = vectors.get(index).map(Vec::as_slice).unwrap_or_default();
        let (documents, there) = (one.documents.len(), mine.len());
        if there != documents {
            return Err(IndexError::Embedding(errors::vector_count(documents, there)));
        }
        mine.iter().try_for_each(|vector| check_vector(vector, dimension))?;
    }
    Ok(())
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
    /// One that another crate brings, too heavy for the default build.
    Added(&'static AddedBackend),
}

/// A vector index of another crate: its name and how it is opened. The program that links the crate hands it
/// to [`VectorBackend::named`].
#[derive(Debug)]
pub struct AddedBackend {
    /// The name used in settings and as folder; one of [`VectorBackend::ELSEWHERE`], or a new one.
    pub name: &'static str,
    /// Opens the index in a folder, for vectors of a model and dimension.
    pub open: OpenVectors,
}

/// Folder, model and dimension, to an index.
pub type OpenVectors = fn(&Path, &str, usize) -> Result<Arc<dyn VectorIndex>, IndexError>;

impl PartialEq for AddedBackend {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for AddedBackend {}

impl VectorBackend {
    /// Those of every build.
    pub const ALL: [Self; 2] = [Self::Flat, Self::Qdrant];
    /// Those that stand in crates outside the default build.
    pub const ELSEWHERE: [&'static str; 1] = ["lancedb"];
    /// Those that need nothing but a folder.
    pub const EMBEDDED: [Self; 1] = [Self::Flat];

    /// The name used in settings and as folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Qdrant => "qdrant",
            Self::Added(added) => added.name,
        }
    }

    /// The one of this name, in a build that has these besides its own.
    pub fn named(name: &str, added: &[&'static AddedBackend]) -> Result<Self, IndexError> {
        if let Some(backend) = Self::ALL.into_iter().find(|backend| backend.name() == name) {
            return Ok(backend);
        }
        if let Some(backend) = added.iter().find(|backend| backend.name == name) {
            return Ok(Self::Added(backend));
        }
        if let Some(name) = Self::ELSEWHERE.into_iter().find(|known| *known == name) {
            return Err(IndexError::NotInThisBuild { backend: name });
        }
        let own = Self::ALL.iter().map(|backend| backend.name());
        let known: Vec<&str> = own.chain(added.iter().map(|backend| backend.name)).collect();
        Err(IndexError::unknown_choice("vector_backend", name, &known))
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
            Self::Added(added) => (added.open)(folder, model, dimension)?,
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
        Self::named(name, &[])
    }
}
