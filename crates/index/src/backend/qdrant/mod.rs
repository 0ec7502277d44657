//! A library that one machine no longer holds: documents in a Qdrant server or cluster.
//!
//! One collection has both halves of every document: its vector (`dense`) and its words as a sparse vector (`words`) of
//! the same tokens that the embedded indexes have. The server finds candidates; the exact BM25 over their text, with the
//! statistics of the whole library, ranks them here, so that results agree with the embedded engine. Fusion stays ours.
//!
//! A second collection (`…-about`) has one point for each regulation and half: which edition of it is in force, and what
//! it adds to the statistics. A new edition is written beside the old one and becomes visible when that point is
//! replaced; only then the old one is removed. Searches ask for editions that they know to be in force, so a write that
//! breaks off is never seen.

mod about;
mod client;
mod points;
mod score;

use std::collections::BTreeMap;
use std::sync::Arc;

use regreader_messages::errors;
use regreader_model::RegId;
use serde_json::{Value, json};

use self::about::{About, Half};
pub use self::client::QdrantOptions;
use self::client::{Client, Method, failed};
use crate::backend::keyword::{KeywordIndex, Reading, Replacement};
use crate::backend::vector::{VectorIndex, check_batch, check_vector};
use crate::{DocumentKey, Filter, IndexError, Scored};

const NAME: &str = "qdrant";

/// A collection on a server, as both indexes.
pub struct QdrantIndex {
    client: Client,
    collection: String,
    about: About,
    reading: Arc<Reading>,
    model: String,
    dimension: usize,
}

impl QdrantIndex {
    /// Opens a collection, making it where there is none. `name` is put behind the collection's name of the options;
    /// `model` is none when only words are kept. One that was made by another model or another way of reading text is
    /// an error.
    pub fn open(
        options: QdrantOptions,
        name: &str,
        reading: Arc<Reading>,
        model: Option<(&str, usize)>,
    ) -> Result<Self, IndexError> {
        let (model, dimension) = model.unwrap_or(("", 0));
        let collection = format!("{}-{name}", options.collection);
        let client = Client::new(options)?;
        let about = About::open(&client, &format!("{collection}-about"))?;
        let this = Self { client, collection, about, reading, model: model.to_owned(), dimension };
        this.create()?;
        this.check()?;
        this.about.load(&this.client)?;
        Ok(this)
    }

    /// Makes the collection and its filters' indexes. Nothing happens to one that is there.
    fn create(&self) -> Result<(), IndexError> {
        let path = format!("/collections/{}", self.collection);
        if self.client.call(Method::Get, &path, None)?.is_some() {
            return Ok(());
        }
        let options = self.client.options();
        let dense = if self.dimension > 0 {
            json!({ "dense": { "size": self.dimension, "distance": "Dot" } })
        } else {
            json!({})
        };
        let body = json!({
            "vectors": dense, "sparse_vectors": { "words": {} }, "on_disk_payload": true,
            "shard_number": options.shards, "replication_factor": options.replicas,
        });
        if let Err(error) = self.client.call(Method::Put, &path, Some(&body)) {
            // Another process may have made it between our two requests.
            if self.client.call(Method::Get, &path, None)?.is_none() {
                return Err(error);
            }
        }
        for field in points::FILTERED {
            let body = json!({ "field_name": field, "field_schema": "keyword" });
            self.client.call(Method::Put, &format!("{path}/index?wait=true"), Some(&body))?;
        }
        Ok(())
    }

    /// Whether what is there was made by this model and this way of reading text.
    fn check(&self) -> Result<(), IndexError> {
        let mine = json!({
            "model": self.model, "dimension": self.dimension, "reading": self.reading.token_mark(),
            "version": points::VERSION,
        });
        let Some(there) = self.about.made_by(&self.client)? else {
            return self.about.sign(&self.client, &mine);
        };
        let text = |name: &str| there.get(name).and_then(Value::as_str).unwrap_or_default();
        let dimension = there.get("dimension").and_then(Value::as_u64).unwrap_or(0) as usize;
        if text("model") != self.model || dimension != self.dimension {
            return Err(IndexError::ModelMismatch {
                built_with: text("model").to_owned(),
                built_dimension: dimension,
                model: self.model.clone(),
                dimension: self.dimension,
            });
        }
        if there != mine {
            let reason = errors::OTHER_TOKENS;
            return Err(IndexError::corrupt(std::path::Path::new(&self.collection), reason));
        }
        Ok(())
    }

    /// Writes an edition, makes it the one in force, removes what is no longer.
    fn write(
        &self,
        half: Half,
        one: &Replacement<'_>,
        vectors: impl Fn(usize) -> Value,
        summary: &Value,
    ) -> Result<(), IndexError> {
        const TRIES: usize = 3;
        let edition = points::edition(one.reg_id, one.content_hash);
        let mut missing = one.documents.len();
        for _ in 0..TRIES {
            points::write(&self.client, &self.collection, half, &edition, one.documents, &vectors)?;
            self.about.set(&self.client, half, one, &edition, summary)?;
            // Another writer of the same regulation, or a node that died meanwhile, may have taken some away.
            let there = points::count(&self.client, &self.collection, half, &edition)?;
            missing = one.documents.len().saturating_sub(there);
            if missing == 0 {
                break;
            }
        }
        if missing > 0 {
            return Err(failed(errors::documents_missing(one.reg_id, missing)));
        }
        self.tidy_up(one.reg_id)
    }

    /// Removes points of editions that neither half has in force.
    fn tidy_up(&self, reg_id: &RegId) -> Result<(), IndexError> {
        let current = self.about.current(&self.client, reg_id)?;
        points::remove_others(&self.client, &self.collection, reg_id, &current)
    }

    fn delete(&self, half: Half, reg_id: &RegId) -> Result<(), IndexError> {
        if self.about.remove(&self.client, half, reg_id)? { self.tidy_up(reg_id) } else { Ok(()) }
    }
}

impl KeywordIndex for QdrantIndex {
    fn name(&self) -> &'static str {
        NAME
    }

    fn built_from(&self) -> Result<BTreeMap<RegId, String>, IndexError> {
        Ok(self.about.built_from(Half::Words))
    }

    fn replace(&self, batch: &[Replacement<'_>]) -> Result<(), IndexError> {
        for one in batch {
            let read: Vec<score::Read> =
                one.documents.iter().map(|document| score::Read::of(&self.reading, document)).collect();
            let vector = |at: usize| read.get(at).map(score::Read::sparse).unwrap_or_default();
            self.write(Half::Words, one, vector, &score::summary(&read))?;
        }
        Ok(())
    }

    fn delete_regulation(&self, reg_id: &RegId) -> Result<(), IndexError> {
        self.delete(Half::Words, reg_id)
    }

    fn reload(&self) -> Result<(), IndexError> {
        self.about.load(&self.client)
    }

    fn search(&self, query: &str, filter: &Filter, limit: usize) -> Result<Scored, IndexError> {
        let snapshot = self.about.snapshot();
        let asked = score::Asked::new(&self.reading, query, &snapshot.statistics);
        let (Some(sparse), Some(condition)) =
            (asked.sparse(), points::condition(filter, snapshot.editions(Half::Words)))
        else {
            return Ok(Vec::new());
        };
        if limit == 0 {
            return Ok(Vec::new());
        }
        // The server knows neither phrases nor the mean length of today: more than are wanted are looked at.
        let candidates = (limit * 2).max(limit + 100);
        let body = json!({
            "query": sparse, "using": "words", "filter": condition, "limit": candidates,
            "with_payload": points::SHOWN_WITH_TEXT,
        });
        let mut hits = Vec::new();
        for point in points::query(&self.client, &self.collection, &body)? {
            let Some(key) = points::key_of(&point) else { continue };
            let text = |name: &str| point.payload.get(name).and_then(Value::as_str).unwrap_or_default();
            hits.push((key, asked.score(&self.reading, text("text"), text("head"))));
        }
        hits.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        hits.truncate(limit);
        Ok(hits)
    }

    fn weights(&self, query: &str) -> Result<Vec<(String, f32)>, IndexError> {
        Ok(score::weights(&self.reading, query, &self.about.snapshot().statistics))
    }
}

impl VectorIndex for QdrantIndex {
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
        Ok(self.about.built_from(Half::Dense))
    }

    fn replace(&self, batch: &[Replacement<'_>], vectors: &[Vec<Vec<f32>>]) -> Result<(), IndexError> {
        check_batch(batch, vectors, self.dimension)?;
        for (index, one) in batch.iter().enumerate() {
            let mine = vectors.get(index).map(Vec::as_slice).unwrap_or_default();
            let mut sum = vec![0.0_f64; self.dimension];
            for vector in mine {
                for (total, value) in sum.iter_mut().zip(vector) {
                    *total += f64::from(*value);
                }
            }
            let summary = json!({ "documents": mine.len(), "sum": sum });
            self.write(Half::Dense, one, |at| json!(mine.get(at)), &summary)?;
        }
        Ok(())
    }

    fn delete_regulation(&self, reg_id: &RegId) -> Result<(), IndexError> {
        self.delete(Half::Dense, reg_id)
    }

    fn reload(&self) -> Result<(), IndexError> {
        self.about.load(&self.client)
    }

    fn search(&self, vector: &[f32], filter: &Filter, limit: usize) -> Result<Scored, IndexError> {
        check_vector(vector, self.dimension)?;
        let snapshot = self.about.snapshot();
        let Some(condition) = points::condition(filter, snapshot.editions(Half::Dense)) else {
            return Ok(Vec::new());
        };
        if limit == 0 {
            return Ok(Vec::new());
        }
        let body = json!({
            "query": vector, "using": "dense", "filter": condition, "limit": limit,
            "params": { "hnsw_ef": (limit * 2).clamp(128, 2_000) }, "with_payload": points::SHOWN,
        });
        points::scored(&self.client, &self.collection, &body)
    }

    fn score(&self, vector: &[f32], keys: &[DocumentKey]) -> Result<Scored, IndexError> {
        check_vector(vector, self.dimension)?;
        let snapshot = self.about.snapshot();
        let editions = snapshot.editions(Half::Dense);
        let ids: Vec<String> = keys
            .iter()
            .filter_map(|key| editions.get(&key.reg_id).map(|edition| points::id(edition, key)))
            .collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let body = json!({
            "query": vector, "using": "dense", "filter": { "must": [{ "has_id": ids }] }, "limit": ids.len(),
            "params": { "exact": true }, "with_payload": points::SHOWN,
        });
        points::scored(&self.client, &self.collection, &body)
    }

    fn mean(&self, vector: &[f32]) -> Result<f32, IndexError> {
        check_vector(vector, self.dimension)?;
        let snapshot = self.about.snapshot();
        let (sum, count) = (&snapshot.sum, snapshot.vectors);
        let dot: f64 = sum.iter().zip(vector).map(|(a, b)| a * f64::from(*b)).sum();
        Ok(if count == 0 { 0.0 } else { (dot / count as f64) as f32 })
    }
}
