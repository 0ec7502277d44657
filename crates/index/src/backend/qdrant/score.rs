//! BM25 as the embedded default has it: the same tokens, weights, phrases and rounding of lengths, over texts instead of
//! postings.

use std::collections::BTreeMap;
use std::convert::Infallible;

use regreader_text::QueryTokens;
use serde_json::{Value, json};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::Bm25Weight;

use super::about::Statistics;
use crate::IndexDocument;
use crate::backend::keyword::{HEAD_WEIGHT, PHRASE_WEIGHT, Reading, head_of, rarity, read_query, sought};

/// Lengths that sparse vectors are made for. The server's scores choose candidates only; true lengths rank them.
const USUAL_BODY: f32 = 120.0;
const USUAL_HEAD: f32 = 24.0;
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Words of a field, with how often each stands there.
#[derive(Default)]
struct Field {
    counts: BTreeMap<String, u32>,
    tokens: u32,
}

impl Field {
    fn of(reading: &Reading, text: &str) -> Self {
        let mut field = Self::default();
        reading.tokenizer().visit(text, |token| {
            *field.counts.entry(token.text.to_owned()).or_default() += 1;
            field.tokens += 1;
        });
        field
    }

    fn add_to(&self, sparse: &mut BTreeMap<u32, f32>, name: &str, usual: f32) {
        for (word, count) in &self.counts {
            let count = *count as f32;
            let norm = K1 * (1.0 - B + B * self.tokens as f32 / usual);
            *sparse.entry(dimension(name, word)).or_default() += count * (K1 + 1.0) / (count + norm);
        }
    }
}

/// A document, read.
pub(super) struct Read {
    body: Field,
    head: Field,
}

impl Read {
    pub(super) fn of(reading: &Reading, document: &IndexDocument) -> Self {
        Self { body: Field::of(reading, &document.text), head: Field::of(reading, &head_of(document)) }
    }

    /// Its sparse vector.
    pub(super) fn sparse(&self) -> Value {
        let mut sparse = BTreeMap::new();
        self.body.add_to(&mut sparse, "body", USUAL_BODY);
        self.head.add_to(&mut sparse, "head", USUAL_HEAD);
        show(&sparse)
    }
}

/// What documents add to the statistics.
pub(super) fn summary(documents: &[Read]) -> Value {
    let mut having: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    let mut tokens = [0_u64; 2];
    for document in documents {
        for (at, field) in [&document.body, &document.head].into_iter().enumerate() {
            tokens[at] += u64::from(field.tokens);
            for word in field.counts.keys() {
                having.entry(word).or_default()[at] += 1;
            }
        }
    }
    let words: Vec<&str> = having.keys().copied().collect();
    let having: Vec<u64> = having.into_values().flatten().collect();
    json!({
        "documents": documents.len(), "body_tokens": tokens[0], "head_tokens": tokens[1], "words": words,
        "having": having,
    })
}

/// The words of a query with their weights, as every keyword index gives them.
pub(super) fn weights(reading: &Reading, query: &str, statistics: &Statistics) -> Vec<(String, f32)> {
    let read = read_query(reading.tokenizer(), query);
    let weight = |text: &str| {
        let having = statistics.having.get(text).map_or(0, |having| having[0]);
        rarity(statistics.documents, having)
    };
    read.tokens.iter().map(|token| (token.text.clone(), token.weight * weight(&token.text))).collect()
}

/// A query, ready to score texts.
pub(super) struct Asked {
    body: Vec<(String, Bm25Weight)>,
    head: Vec<(String, Bm25Weight)>,
    phrases: Vec<(Vec<String>, Bm25Weight)>,
    sparse: BTreeMap<u32, f32>,
}

impl Asked {
    pub(super) fn new(reading: &Reading, query: &str, statistics: &Statistics) -> Self {
        let read: QueryTokens = read_query(reading.tokenizer(), query);
        let total = statistics.documents.max(1);
        let mean =
            [statistics.body_tokens, statistics.head_tokens].map(|tokens| tokens as f32 / total as f32);
        let having = |word: &str| statistics.having.get(word).copied().unwrap_or_default();
        let mut asked =
            Self { body: Vec::new(), head: Vec::new(), phrases: Vec::new(), sparse: BTreeMap::new() };
        let Ok(words) = sought(&read, statistics.documents, |word| Ok::<_, Infallible>(having(word)));
        for word in words {
            for (field, name, boost) in [(0, "body", 1.0), (1, "head", HEAD_WEIGHT)] {
                let having = word.having[field];
                if having == 0 {
                    continue;
                }
                let text = &word.token.text;
                let boost = boost * word.token.weight;
                let weight = Bm25Weight::for_one_term(having, total, mean[field]).boost_by(boost);
                let list = if field == 0 { &mut asked.body } else { &mut asked.head };
                list.push((text.clone(), weight));
                *asked.sparse.entry(dimension(name, text)).or_default() +=
                    boost * rarity(statistics.documents, having);
            }
        }
        for phrase in &read.phrases {
            let having: Vec<u64> = phrase.iter().map(|word| having(word)[0]).collect();
            if having.contains(&0) {
                continue;
            }
            // A phrase weighs as much as its words together: the weight of one word, times the ratio of the sums.
            let one = having.first().copied().unwrap_or(1);
            let sum: f32 = having.iter().map(|having| rarity(total, *having)).sum();
            let weight = Bm25Weight::for_one_term(one, total, mean[0])
                .boost_by(PHRASE_WEIGHT * sum / rarity(total, one).max(f32::MIN_POSITIVE));
            asked.phrases.push((phrase.clone(), weight));
        }
        asked
    }

    /// The sparse vector of the query; none when no document has any of its words.
    pub(super) fn sparse(&self) -> Option<Value> {
        (!self.sparse.is_empty()).then(|| show(&self.sparse))
    }

    /// What a document scores.
    pub(super) fn score(&self, reading: &Reading, text: &str, head: &str) -> f32 {
        let mut places: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let mut tokens = 0_u32;
        reading.tokenizer().visit(text, |token| {
            tokens += 1;
            // Only what the query has is of interest.
            let in_phrase =
                || self.phrases.iter().any(|(phrase, _)| phrase.iter().any(|word| word == token.text));
            if self.body.iter().any(|(word, _)| word == token.text) || in_phrase() {
                places.entry(token.text.to_owned()).or_default().push(token.position);
            }
        });
        let norm = FieldNormReader::fieldnorm_to_id(tokens);
        let mut score = 0.0;
        for (word, weight) in &self.body {
            if let Some(there) = places.get(word) {
                score += weight.score(norm, there.len() as u32);
            }
        }
        let titles = Field::of(reading, head);
        let title_norm = FieldNormReader::fieldnorm_to_id(titles.tokens);
        for (word, weight) in &self.head {
            if let Some(count) = titles.counts.get(word) {
                score += weight.score(title_norm, *count);
            }
        }
        for (phrase, weight) in &self.phrases {
            let count = together(phrase, &places);
            if count > 0 {
                score += weight.score(norm, count);
            }
        }
        score
    }
}

/// How often words stand one behind the other.
fn together(phrase: &[String], places: &BTreeMap<String, Vec<u32>>) -> u32 {
    let Some((first, rest)) = phrase.split_first() else { return 0 };
    let follows = |start: &&u32| {
        rest.iter().zip(1..).all(|(word, step)| {
            places.get(word).is_some_and(|there| there.binary_search(&(*start + step)).is_ok())
        })
    };
    places.get(first).map_or(0, |there| there.iter().filter(follows).count() as u32)
}

fn show(sparse: &BTreeMap<u32, f32>) -> Value {
    let (indices, values): (Vec<u32>, Vec<f32>) =
        sparse.iter().map(|(index, value)| (*index, *value)).unzip();
    json!({ "indices": indices, "values": values })
}

/// The dimension of a word in a field. Two words may share one: that costs a candidate, never a wrong score.
fn dimension(field: &str, word: &str) -> u32 {
    let mut first = [0; 4];
    blake3::Hasher::new()
        .update(field.as_bytes())
        .update(b" ")
        .update(word.as_bytes())
        .finalize_xof()
        .fill(&mut first);
    u32::from_le_bytes(first)
}
