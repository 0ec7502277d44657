//! Documents as points: ids, payload, filters, writing in pieces.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::{BlockId, NodeId, PageNumber, RegId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::about::Half;
use super::client::{Client, Method, failed};
use crate::backend::keyword::head_of;
use crate::{DocumentKey, Filter, IndexDocument, IndexError, Scored};

/// Counts changes to what a point holds.
pub(super) const VERSION: u32 = 1;
/// Fields that filters ask about.
pub(super) const FILTERED: [&str; 5] = ["reg_id", "edition", "type", "section", "nodes"];
/// Fields that name a document.
pub(super) const SHOWN: [&str; 3] = ["reg_id", "page", "block"];
/// The same with what is ranked.
pub(super) const SHOWN_WITH_TEXT: [&str; 5] = ["reg_id", "page", "block", "text", "head"];

/// Documents in one request.
const PIECE: usize = 200;
/// Between the parts of a name. No id holds it.
const BETWEEN: char = '\u{1}';

/// A point as a search shows it.
#[derive(Deserialize)]
pub(super) struct Point {
    #[serde(default)]
    pub(super) score: f32,
    #[serde(default)]
    pub(super) payload: Value,
}

/// The name of one content of a regulation.
pub(super) fn edition(reg_id: &RegId, content_hash: &str) -> String {
    let hash = blake3::hash(format!("{reg_id}{BETWEEN}{content_hash}").as_bytes()).to_hex();
    hash.chars().take(20).collect()
}

/// The id of a document in an edition.
pub(super) fn id(edition: &str, key: &DocumentKey) -> String {
    uuid(&format!("{edition}{BETWEEN}{}{BETWEEN}{}", key.page_num, key.block_id))
}

/// An id of the kind that the server wants, from any name.
pub(super) fn uuid(name: &str) -> String {
    let hash = blake3::hash(name.as_bytes()).to_hex();
    let part = |from: usize, to: usize| hash.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

/// Writes one half of an edition. Points that the other half has made get this one's vector beside theirs.
pub(super) fn write(
    client: &Client,
    collection: &str,
    half: Half,
    edition: &str,
    documents: &[IndexDocument],
    vector: impl Fn(usize) -> Value,
) -> Result<(), IndexError> {
    let path = format!("/collections/{collection}/points");
    let all: Vec<(String, usize)> =
        documents.iter().enumerate().map(|(at, document)| (id(edition, &document.key), at)).collect();
    for piece in all.chunks(PIECE) {
        let ids: Vec<&str> = piece.iter().map(|(id, _)| id.as_str()).collect();
        let body = json!({ "ids": ids, "with_payload": false, "with_vector": false });
        let there = client.call(Method::Post, &path, Some(&body))?.unwrap_or_default();
        let there: BTreeSet<&str> =
            there.as_array().into_iter().flatten().filter_map(|point| point.get("id")?.as_str()).collect();
        let (mut fresh, mut known) = (Vec::new(), Vec::new());
        for (id, at) in piece {
            let vector = json!({ half.vector(): vector(*at) });
            if there.contains(id.as_str()) {
                known.push(json!({ "id": id, "vector": vector }));
            } else if let Some(document) = documents.get(*at) {
                fresh.push(json!({ "id": id, "vector": vector, "payload": payload(document, edition) }));
            }
        }
        if !fresh.is_empty() {
            let body = json!({ "points": fresh });
            client.call(Method::Put, &format!("{path}?wait=true"), Some(&body))?;
        }
        if !known.is_empty() {
            let body = json!({ "points": known });
            client.call(Method::Put, &format!("{path}/vectors?wait=true"), Some(&body))?;
        }
    }
    Ok(())
}

/// How many points of an edition have this half.
pub(super) fn count(
    client: &Client,
    collection: &str,
    half: Half,
    edition: &str,
) -> Result<usize, IndexError> {
    let filter = json!({ "must": [one_of("edition", [edition]), { "has_vector": half.vector() }] });
    let body = json!({ "filter": filter, "exact": true });
    let path = format!("/collections/{collection}/points/count");
    let result = client.call(Method::Post, &path, Some(&body))?.unwrap_or_default();
    Ok(result.get("count").and_then(Value::as_u64).unwrap_or(0) as usize)
}

/// Removes the points of a regulation that belong to none of these editions.
pub(super) fn remove_others(
    client: &Client,
    collection: &str,
    reg_id: &RegId,
    editions: &BTreeSet<String>,
) -> Result<(), IndexError> {
    let mut filter = json!({ "must": [one_of("reg_id", [reg_id.as_str()])] });
    if !editions.is_empty() {
        filter["must_not"] = json!([one_of("edition", editions)]);
    }
    let path = format!("/collections/{collection}/points/delete?wait=true");
    client.call(Method::Post, &path, Some(&json!({ "filter": filter })))?;
    Ok(())
}

/// A filter as the server understands it, within the editions that are in force; none when nothing can pass.
pub(super) fn condition(filter: &Filter, editions: &BTreeMap<RegId, String>) -> Option<Value> {
    let allowed = |reg_id: &RegId| filter.regulations.as_ref().is_none_or(|allowed| allowed.contains(reg_id));
    let current: Vec<&String> =
        editions.iter().filter(|(reg_id, _)| allowed(reg_id)).map(|(_, edition)| edition).collect();
    if current.is_empty() {
        return None;
    }
    let mut must = vec![one_of("edition", current)];
    if let Some(scope) = &filter.scope {
        must.push(one_of("nodes", scope.iter().map(|(reg_id, node)| place(reg_id, node))));
    }
    if !filter.block_types.is_empty() {
        must.push(one_of("type", filter.block_types.iter().map(|kind| kind.name())));
    }
    if let Some(number) = &filter.section_number {
        must.push(one_of("section", [number.as_str()]));
    }
    Some(json!({ "must": must }))
}

/// What a search finds.
pub(super) fn query(client: &Client, collection: &str, body: &Value) -> Result<Vec<Point>, IndexError> {
    let path = format!("/collections/{collection}/points/query");
    let mut result = client.call(Method::Post, &path, Some(body))?.unwrap_or_default();
    let points = result.get_mut("points").map(Value::take).unwrap_or_default();
    serde_json::from_value(points).map_err(failed)
}

/// What a search by meaning finds, best first.
pub(super) fn scored(client: &Client, collection: &str, body: &Value) -> Result<Scored, IndexError> {
    let points = query(client, collection, body)?;
    let mut hits: Scored = points.iter().filter_map(|point| Some((key_of(point)?, point.score))).collect();
    hits.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(hits)
}

/// Which document a point is.
pub(super) fn key_of(point: &Point) -> Option<DocumentKey> {
    Some(DocumentKey {
        reg_id: point.payload.get("reg_id")?.as_str()?.parse().ok()?,
        page_num: PageNumber::new(u32::try_from(point.payload.get("page")?.as_u64()?).ok()?)?,
        block_id: BlockId::new(point.payload.get("block")?.as_str()?),
    })
}

/// A condition that a field has one of these values.
pub(super) fn one_of<T: serde::Serialize>(field: &str, values: impl IntoIterator<Item = T>) -> Value {
    let values: Vec<T> = values.into_iter().collect();
    json!({ "key": field, "match": { "any": values } })
}

fn payload(document: &IndexDocument, edition: &str) -> Value {
    let key = &document.key;
    let nodes: Vec<String> = document.ancestry.iter().map(|node| place(&key.reg_id, node)).collect();
    json!({
        "reg_id": key.reg_id, "page": key.page_num, "block": key.block_id, "edition": edition,
        "type": document.block_type.name(), "section": document.section_number, "nodes": nodes,
        "text": document.text, "head": head_of(document),
    })
}

fn place(reg_id: &RegId, node: &NodeId) -> String {
    format!("{reg_id}{BETWEEN}{node}")
}
