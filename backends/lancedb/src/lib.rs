//! LanceDB as vector index.
//!
//! All documents are rows of one table in the index's folder. Lance never changes a version of a table: every change
//! makes a new one. A replacement is several of them (rows go, rows come, small files are joined), and the manifest
//! names the version that counts, so readers see all of it or nothing. What a writer that died left behind is undone by
//! the next one.
//!
//! No approximate index is made: every vector that passes the filter is looked at.

// The types of LanceDB's futures are deep.
#![recursion_limit = "256"]

mod condition;
mod rows;
mod table;
mod waiting;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use lancedb::Table;
use regreader_backend_common::{Manifest, ask_for, best, is_closed};
use regreader_index::disk::WriterLock;
use regreader_index::vector::{check_batch, check_vector};
use regreader_index::{AddedBackend, DocumentKey, Filter, IndexError, Replacement, VectorIndex};
use regreader_model::RegId;

use crate::waiting::wait;

const NAME: &str = "lancedb";

/// This backend, for the program that links it.
pub static BACKEND: AddedBackend = AddedBackend {
    name: NAME,
    open: |folder, model, dimension| Ok(Arc::new(LanceIndex::open(folder, model, dimension)?)),
};

/// Vectors in a LanceDB table.
pub struct LanceIndex {
    folder: PathBuf,
    model: String,
    dimension: usize,
    current: RwLock<Arc<Snapshot>>,
}

/// What counts, and the table as it is in the version that counts. No version, no table.
struct Snapshot {
    manifest: Manifest<Option<u64>>,
    table: Option<Table>,
}

impl LanceIndex {
    /// Opens the index in a folder. One that holds vectors of another model or dimension is an error.
    pub fn open(folder: &Path, model: &str, dimension: usize) -> Result<Self, IndexError> {
        let manifest = Manifest::read(folder, model, dimension)?;
        let current = RwLock::new(Arc::new(look(folder, manifest)?));
        Ok(Self { folder: folder.to_owned(), model: model.to_owned(), dimension, current })
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes regulations out and puts others in.
    fn change(
        &self,
        gone: &[&RegId],
        batch: &[Replacement<'_>],
        vectors: &[Vec<Vec<f32>>],
    ) -> Result<(), IndexError> {
        let _lock = WriterLock::acquire(&self.folder)?;
        self.reload()?;
        let before = self.snapshot();
        let mut manifest = before.manifest.clone();
        let gone: Vec<RegId> = gone
            .iter()
            .filter(|id| manifest.regulations.contains_key(**id))
            .map(|id| (*id).clone())
            .collect();
        if gone.is_empty() && batch.is_empty() {
            return Ok(());
        }
        let fresh = rows::batches(batch, vectors, self.dimension)?;
        let (folder, schema, leaving) = (self.folder.clone(), rows::schema(self.dimension), gone.clone());
        let counted = manifest.state;
        let (table, version, removed) = wait(async move {
            let table = table::at(&folder, counted, schema).await?;
            let removed = table::take_out(&table, &leaving).await?;
            table::put_in(&table, fresh).await?;
            table::join(&table).await?;
            let version = table.version().await.map_err(failed)?;
            Ok((table, version, removed))
        })?;
        manifest.remove(&gone, removed);
        manifest.put(batch, vectors);
        manifest.state = Some(version);
        manifest.write(&self.folder)?;
        // What cannot be dropped now, a later change drops.
        let _ = wait(async move { table::drop_old(&table, counted).await });
        self.reload()
    }
}

impl VectorIndex for LanceIndex {
    fn name(&self) -> &'static str {
        NAME
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn built_from(&self) -> Result<BTreeMap<RegId, String>, IndexError> {
        Ok(self.snapshot().manifest.built_from())
    }

    fn replace(&self, batch: &[Replacement<'_>], vectors: &[Vec<Vec<f32>>]) -> Result<(), IndexError> {
        check_batch(batch, vectors, self.dimension)?;
        let gone: Vec<&RegId> = batch.iter().map(|one| one.reg_id).collect();
        self.change(&gone, batch, vectors)
    }

    fn delete_regulation(&self, reg_id: &RegId) -> Result<(), IndexError> {
        self.change(&[reg_id], &[], &[])
    }

    fn reload(&self) -> Result<(), IndexError> {
        let manifest = Manifest::read(&self.folder, &self.model, self.dimension)?;
        if manifest != self.snapshot().manifest {
            let snapshot = look(&self.folder, manifest)?;
            *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
        }
        Ok(())
    }

    fn search(
        &self,
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<(DocumentKey, f32)>, IndexError> {
        check_vector(vector, self.dimension)?;
        let snapshot = self.snapshot();
        let count = ask_for(limit, snapshot.manifest.documents());
        let Some(table) = snapshot.table.clone().filter(|_| limit > 0 && count > 0 && !is_closed(filter))
        else {
            return Ok(Vec::new());
        };
        let (wanted, condition) = (vector.to_vec(), condition::of(filter));
        let found = wait(async move { table::nearest(&table, &wanted, condition, count).await })?;
        Ok(best(rows::scored(&found, vector)?, limit))
    }

    fn score(&self, vector: &[f32], keys: &[DocumentKey]) -> Result<Vec<(DocumentKey, f32)>, IndexError> {
        check_vector(vector, self.dimension)?;
        let Some(table) = self.snapshot().table.clone().filter(|_| !keys.is_empty()) else {
            return Ok(Vec::new());
        };
        let marks = condition::marks(keys);
        let found = wait(async move { table::rows_that(&table, marks, &rows::SCORED).await })?;
        let scores: HashMap<DocumentKey, f32> = rows::scored(&found, vector)?.into_iter().collect();
        Ok(keys.iter().filter_map(|key| Some((key.clone(), *scores.get(key)?))).collect())
    }

    fn mean(&self, vector: &[f32]) -> Result<f32, IndexError> {
        check_vector(vector, self.dimension)?;
        Ok(self.snapshot().manifest.mean(vector))
    }
}

/// The table in the version that a manifest names. One that is not there, or cannot be read, is to be built anew.
fn look(folder: &Path, manifest: Manifest<Option<u64>>) -> Result<Snapshot, IndexError> {
    let Some(version) = manifest.state else { return Ok(Snapshot { manifest, table: None }) };
    let at = folder.to_owned();
    let table = wait(async move { table::open(&at, Some(version)).await })
        .map_err(|error| IndexError::corrupt(folder, error.to_string()))?;
    Ok(Snapshot { manifest, table: Some(table) })
}

/// An error of this backend.
fn failed(error: impl std::fmt::Display) -> IndexError {
    IndexError::backend(NAME, error)
}
