//! The manifest: model, regulations with their content hashes, the sum of all vectors, and where the backend has them.

use std::collections::BTreeMap;
use std::path::Path;

use regreader_index::{IndexError, Replacement, disk};
use regreader_model::RegId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const NAME: &str = "manifest.json";
const FORMAT: u32 = 1;

/// What counts in a folder. `S` is the backend's own part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest<S> {
    format: u32,
    model: String,
    dimension: usize,
    /// The regulations that are in force.
    pub regulations: BTreeMap<RegId, Held>,
    /// Sum of their vectors.
    sum: Vec<f64>,
    /// Where the backend has them.
    pub state: S,
}

/// A regulation in an index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// What it was built from.
    pub content_hash: String,
    /// How many documents it has.
    pub documents: usize,
}

impl<S: Default + Serialize + DeserializeOwned> Manifest<S> {
    /// The manifest of a folder; an empty one when there is none. One of another model or dimension is an error.
    pub fn read(folder: &Path, model: &str, dimension: usize) -> Result<Self, IndexError> {
        let path = folder.join(NAME);
        let Some(bytes) = disk::read_if_there(&path)? else { return Ok(Self::new(model, dimension)) };
        let there: Self =
            serde_json::from_slice(&bytes).map_err(|error| IndexError::corrupt(&path, error.to_string()))?;
        if there.format != FORMAT {
            return Err(IndexError::corrupt(&path, "清单格式不符"));
        }
        if there.model != model || there.dimension != dimension {
            return Err(IndexError::ModelMismatch {
                built_with: there.model,
                built_dimension: there.dimension,
                model: model.to_owned(),
                dimension,
            });
        }
        Ok(there)
    }

    fn new(model: &str, dimension: usize) -> Self {
        Self {
            format: FORMAT,
            model: model.to_owned(),
            dimension,
            regulations: BTreeMap::new(),
            sum: vec![0.0; dimension],
            state: S::default(),
        }
    }

    /// Makes it count. Only the holder of the folder's lock calls this.
    pub fn write(&self, folder: &Path) -> Result<(), IndexError> {
        let bytes =
            serde_json::to_vec(self).map_err(|error| IndexError::corrupt(folder, error.to_string()))?;
        disk::write_atomically(&folder.join(NAME), &bytes)
    }

    /// The model of the vectors.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Their dimension.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The content hash of each regulation.
    pub fn built_from(&self) -> BTreeMap<RegId, String> {
        self.regulations.iter().map(|(reg_id, held)| (reg_id.clone(), held.content_hash.clone())).collect()
    }

    /// How many documents are in force.
    pub fn documents(&self) -> usize {
        self.regulations.values().map(|held| held.documents).sum()
    }

    /// Puts these regulations in force. Those of the same name must have been removed.
    pub fn put(&mut self, batch: &[Replacement<'_>], vectors: &[Vec<Vec<f32>>]) {
        for one in batch {
            let held = Held { content_hash: one.content_hash.to_owned(), documents: one.documents.len() };
            self.regulations.insert(one.reg_id.clone(), held);
        }
        for vector in vectors.iter().flatten() {
            self.sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += f64::from(*value));
        }
    }

    /// Takes these regulations, which had these vectors, out of force.
    pub fn remove<'a>(
        &mut self,
        regulations: impl IntoIterator<Item = &'a RegId>,
        vectors: impl IntoIterator<Item = Vec<f32>>,
    ) {
        for reg_id in regulations {
            self.regulations.remove(reg_id);
        }
        for vector in vectors {
            self.sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum -= f64::from(value));
        }
        if self.documents() == 0 {
            // What rounding leaves behind does not outlive the vectors.
            self.sum.fill(0.0);
        }
    }

    /// The mean cosine over all documents.
    pub fn mean(&self, vector: &[f32]) -> f32 {
        let sum: f64 = vector.iter().zip(&self.sum).map(|(value, sum)| f64::from(*value) * sum).sum();
        match self.documents() {
            0 => 0.0,
            count => (sum / count as f64) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_removed_leaves_the_mean_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let mut manifest: Manifest<u32> = Manifest::read(folder.path(), "m", 2).unwrap();
        let ids: [RegId; 2] = ["a", "b"].map(|id| id.parse().unwrap());
        let document = |reg_id: &RegId| {
            let json = serde_json::json!({
                "key": { "reg_id": reg_id, "page_num": 1, "block_id": "x" }, "block_type": "text", "chapter_path": [],
                "ancestry": [], "section_number": null, "table_id": null, "text": "",
            });
            [serde_json::from_value(json).unwrap()]
        };
        for (reg_id, vector) in ids.iter().zip([[1.0, 0.0], [0.1, 0.7]]) {
            let documents = document(reg_id);
            let one = Replacement { reg_id, content_hash: "h", documents: &documents };
            manifest.put(&[one], &[vec![vector.to_vec()]]);
        }
        assert!((manifest.mean(&[1.0, 0.0]) - 0.55).abs() < 1e-6);
        manifest.remove([&ids[1]], [vec![0.1, 0.7]]);
        assert!((manifest.mean(&[1.0, 0.0]) - 1.0).abs() < 1e-6);
        assert!(manifest.mean(&[0.0, 1.0]).abs() < 1e-6);
        manifest.state = 7;
        manifest.write(folder.path()).unwrap();
        let again: Manifest<u32> = Manifest::read(folder.path(), "m", 2).unwrap();
        assert_eq!(again, manifest);
        manifest.remove([&ids[0]], [vec![1.0, 0.0]]);
        assert_eq!((manifest.documents(), manifest.sum), (0, vec![0.0, 0.0]));
        std::fs::write(folder.path().join(NAME), "{}").unwrap();
        let torn = Manifest::<u32>::read(folder.path(), "m", 2).unwrap_err();
        assert!(matches!(torn, IndexError::Corrupt { .. }), "{torn}");
    }
}
