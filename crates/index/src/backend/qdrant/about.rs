//! What is in force: one point for each regulation and half of its documents, in a collection of its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use regreader_model::RegId;
use serde_json::{Value, json};

use super::client::{Client, Method};
use super::points::uuid;
use crate::IndexError;
use crate::backend::keyword::Replacement;

/// Which half of the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Words,
    Dense,
}

impl Half {
    const BOTH: [Self; 2] = [Self::Words, Self::Dense];

    /// The name of its vector.
    pub(super) fn vector(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Dense => "dense",
        }
    }
}

/// The library as it was when last looked at.
#[derive(Default)]
pub(super) struct Snapshot {
    words: BTreeMap<RegId, String>,
    dense: BTreeMap<RegId, String>,
    hashes: [BTreeMap<RegId, String>; 2],
    /// Over all regulations.
    pub(super) statistics: Statistics,
    /// Sum of all vectors, and how many there are.
    pub(super) sum: Vec<f64>,
    pub(super) vectors: u64,
}

/// What BM25 must know of all documents.
#[derive(Default)]
pub(super) struct Statistics {
    pub(super) documents: u64,
    pub(super) body_tokens: u64,
    pub(super) head_tokens: u64,
    /// Documents that have a word in their text, and in their titles.
    pub(super) having: HashMap<String, [u64; 2]>,
}

impl Snapshot {
    /// The edition of each regulation that is in force.
    pub(super) fn editions(&self, half: Half) -> &BTreeMap<RegId, String> {
        match half {
            Half::Words => &self.words,
            Half::Dense => &self.dense,
        }
    }
}

/// The collection.
pub(super) struct About {
    collection: String,
    snapshot: RwLock<Arc<Snapshot>>,
}

/// Points in one answer.
const PIECE: usize = 200;

impl About {
    /// Opens it, making it where there is none.
    pub(super) fn open(client: &Client, collection: &str) -> Result<Self, IndexError> {
        let path = format!("/collections/{collection}");
        if client.call(Method::Get, &path, None)?.is_none() {
            let options = client.options();
            // Small and needed by every search: on as many nodes as the documents, in one part.
            let body = json!({ "vectors": {}, "shard_number": 1, "replication_factor": options.replicas });
            if let Err(error) = client.call(Method::Put, &path, Some(&body))
                && client.call(Method::Get, &path, None)?.is_none()
            {
                return Err(error);
            }
        }
        Ok(Self { collection: collection.to_owned(), snapshot: RwLock::default() })
    }

    /// What made the collection, if anything did.
    pub(super) fn made_by(&self, client: &Client) -> Result<Option<Value>, IndexError> {
        let mut found = self.get(client, &[uuid("made by")])?;
        Ok(found.pop())
    }

    /// Says what made the collection.
    pub(super) fn sign(&self, client: &Client, mark: &Value) -> Result<(), IndexError> {
        self.put(client, &uuid("made by"), mark)
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn built_from(&self, half: Half) -> BTreeMap<RegId, String> {
        self.snapshot().hashes[half as usize].clone()
    }

    /// Puts an edition in force, and sees everything anew.
    pub(super) fn set(
        &self,
        client: &Client,
        half: Half,
        one: &Replacement<'_>,
        edition: &str,
        summary: &Value,
    ) -> Result<(), IndexError> {
        let payload = json!({
            "half": half.vector(), "reg_id": one.reg_id, "content_hash": one.content_hash, "edition": edition,
            "summary": summary,
        });
        self.put(client, &point_of(half, one.reg_id), &payload)?;
        self.load(client)
    }

    /// Takes a regulation out of force; whether it was in.
    pub(super) fn remove(&self, client: &Client, half: Half, reg_id: &RegId) -> Result<bool, IndexError> {
        let id = point_of(half, reg_id);
        if self.get(client, std::slice::from_ref(&id))?.is_empty() {
            return Ok(false);
        }
        let path = format!("/collections/{}/points/delete?wait=true", self.collection);
        client.call(Method::Post, &path, Some(&json!({ "points": [id] })))?;
        self.load(client)?;
        Ok(true)
    }

    /// The editions of a regulation that either half has in force, as the server has them now.
    pub(super) fn current(&self, client: &Client, reg_id: &RegId) -> Result<BTreeSet<String>, IndexError> {
        let found = self.get(client, &Half::BOTH.map(|half| point_of(half, reg_id)))?;
        Ok(found.iter().filter_map(|about| Some(about.get("edition")?.as_str()?.to_owned())).collect())
    }

    /// Sees everything anew.
    pub(super) fn load(&self, client: &Client) -> Result<(), IndexError> {
        let path = format!("/collections/{}/points/scroll", self.collection);
        let mut snapshot = Snapshot::default();
        let mut offset = Value::Null;
        loop {
            let mut body = json!({ "limit": PIECE, "with_payload": true, "with_vector": false });
            if !offset.is_null() {
                body["offset"] = offset;
            }
            let mut answer = client.call(Method::Post, &path, Some(&body))?.unwrap_or_default();
            for point in answer.get("points").and_then(Value::as_array).into_iter().flatten() {
                if let Some(about) = point.get("payload") {
                    snapshot.add(about);
                }
            }
            offset = answer.get_mut("next_page_offset").map(Value::take).unwrap_or_default();
            if offset.is_null() {
                break;
            }
        }
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
        Ok(())
    }

    fn get(&self, client: &Client, ids: &[String]) -> Result<Vec<Value>, IndexError> {
        let path = format!("/collections/{}/points", self.collection);
        let body = json!({ "ids": ids, "with_payload": true });
        let mut found = client.call(Method::Post, &path, Some(&body))?.unwrap_or_default();
        let points = found.as_array_mut().map(std::mem::take).unwrap_or_default();
        Ok(points.into_iter().filter_map(|mut point| point.get_mut("payload").map(Value::take)).collect())
    }

    fn put(&self, client: &Client, id: &str, payload: &Value) -> Result<(), IndexError> {
        let path = format!("/collections/{}/points?wait=true", self.collection);
        let body = json!({ "points": [{ "id": id, "vector": {}, "payload": payload }] });
        client.call(Method::Put, &path, Some(&body)).map(|_| ())
    }
}

impl Snapshot {
    fn add(&mut self, about: &Value) {
        let text = |name: &str| about.get(name).and_then(Value::as_str);
        let (Some(half), Some(edition)) = (text("half"), text("edition")) else { return };
        let Some(Ok(reg_id)) = text("reg_id").map(str::parse::<RegId>) else { return };
        let half = if half == Half::Words.vector() { Half::Words } else { Half::Dense };
        let editions = if half == Half::Words { &mut self.words } else { &mut self.dense };
        editions.insert(reg_id.clone(), edition.to_owned());
        self.hashes[half as usize].insert(reg_id, text("content_hash").unwrap_or_default().to_owned());
        let number =
            |name: &str| about.pointer(&format!("/summary/{name}")).and_then(Value::as_u64).unwrap_or(0);
        let list = |name: &str| about.pointer(&format!("/summary/{name}")).and_then(Value::as_array);
        match half {
            Half::Words => {
                self.statistics.documents += number("documents");
                self.statistics.body_tokens += number("body_tokens");
                self.statistics.head_tokens += number("head_tokens");
                let words = list("words").into_iter().flatten().filter_map(Value::as_str);
                let counts = list("having").into_iter().flatten().filter_map(Value::as_u64);
                let counts: Vec<u64> = counts.collect();
                for (word, pair) in words.zip(counts.chunks_exact(2)) {
                    let having = self.statistics.having.entry(word.to_owned()).or_default();
                    for (total, more) in having.iter_mut().zip(pair) {
                        *total += more;
                    }
                }
            }
            Half::Dense => {
                self.vectors += number("documents");
                let sum: Vec<f64> = list("sum").into_iter().flatten().filter_map(Value::as_f64).collect();
                self.sum.resize(self.sum.len().max(sum.len()), 0.0);
                for (total, more) in self.sum.iter_mut().zip(sum) {
                    *total += more;
                }
            }
        }
    }
}

fn point_of(half: Half, reg_id: &RegId) -> String {
    uuid(&format!("{} {reg_id}", half.vector()))
}
