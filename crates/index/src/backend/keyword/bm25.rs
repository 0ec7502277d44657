//! The keyword index in plain Rust: words, as jieba cuts them, with their postings in memory.
//!
//! Easy to read and to check the others against. One file per regulation holds its postings; all of them are read when
//! the first search comes, and counted together, so that there is one ranking over all regulations.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use regreader_messages::errors;
use regreader_model::RegId;
use regreader_text::{Tokenizer, fold};

use super::{KeywordIndex, Reading, Replacement, reading};
use crate::storage::fileset::{FileSet, Part, Snapshot};
use crate::storage::pack::{Pack, Texts, TextsWriter};
use crate::storage::roster::{self, Roster};
use crate::{Filter, IndexError, Scored};

const WORDS: usize = roster::SECTIONS;
const ENDS: usize = WORDS + 2;
const DOCUMENTS: usize = WORDS + 3;
const COUNTS: usize = WORDS + 4;
const LENGTHS: usize = WORDS + 5;

const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Words in memory.
pub struct Bm25Index {
    files: FileSet<Postings>,
    reading: Arc<Reading>,
    loaded: RwLock<Option<Arc<Loaded>>>,
}

/// Everything of one snapshot, counted together.
struct Loaded {
    snapshot: Arc<Snapshot<Postings>>,
    parts: Vec<Arc<Postings>>,
    documents: usize,
    mean_length: f32,
}

impl Bm25Index {
    /// Opens the index in a folder. One that was made by another way of reading text is corrupt for us.
    pub fn open(folder: &Path, reading: Arc<Reading>) -> Result<Self, IndexError> {
        let about = BTreeMap::from([
            ("kind".to_owned(), "bm25".to_owned()),
            ("mark".to_owned(), reading.word_mark()),
        ]);
        Ok(Self { files: FileSet::open(folder, about)?, reading, loaded: RwLock::new(None) })
    }

    fn loaded(&self) -> Result<Arc<Loaded>, IndexError> {
        let snapshot = self.files.snapshot();
        if let Some(loaded) = self.loaded.read().unwrap_or_else(PoisonError::into_inner).as_ref()
            && Arc::ptr_eq(&loaded.snapshot, &snapshot)
        {
            return Ok(Arc::clone(loaded));
        }
        let mut parts = Vec::new();
        for reg_id in snapshot.regulations() {
            parts.extend(snapshot.part(reg_id)?.cloned());
        }
        let documents: usize = parts.iter().map(|part| part.roster.len()).sum();
        let length: f64 = parts.iter().flat_map(|part| part.lengths()).map(|length| f64::from(*length)).sum();
        let mean_length = if documents == 0 { 1.0 } else { ((length / documents as f64) as f32).max(1.0) };
        let loaded = Arc::new(Loaded { snapshot, parts, documents, mean_length });
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    /// Text and titles together: the titles' words once more, in front.
    fn words(&self, document: &crate::IndexDocument) -> Vec<String> {
        let mut words = self.reading.tokenizer().words(&reading::head(document));
        words.extend(self.reading.tokenizer().words(&document.text));
        words
    }
}

impl KeywordIndex for Bm25Index {
    fn name(&self) -> &'static str {
        "bm25"
    }

    fn built_from(&self) -> Result<BTreeMap<RegId, String>, IndexError> {
        Ok(self.files.built_from())
    }

    fn replace(&self, batch: &[Replacement<'_>]) -> Result<(), IndexError> {
        let names: Vec<_> = batch.iter().map(|one| (one.reg_id, one.content_hash)).collect();
        self.files.replace(&names, |index, writer| {
            let documents = batch.get(index).map(|one| one.documents).unwrap_or_default();
            let mut postings: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
            let mut lengths = Vec::with_capacity(documents.len());
            for (ordinal, document) in documents.iter().enumerate() {
                let words = self.words(document);
                lengths.push(words.len() as u32);
                for word in words {
                    let places = postings.entry(word).or_default();
                    match places.last_mut() {
                        Some((last, count)) if *last == ordinal as u32 => *count += 1,
                        _ => places.push((ordinal as u32, 1)),
                    }
                }
            }
            let (mut words, mut ends) = (TextsWriter::default(), Vec::with_capacity(postings.len()));
            let (mut holders, mut counts) = (Vec::new(), Vec::new());
            for (word, places) in &postings {
                words.push(word);
                holders.extend(places.iter().map(|(document, _)| *document));
                counts.extend(places.iter().map(|(_, count)| *count));
                ends.push(holders.len() as u64);
            }
            roster::write(writer, documents)?;
            words.write(writer)?;
            writer.section([ends.as_slice()])?;
            writer.section([holders.as_slice()])?;
            writer.section([counts.as_slice()])?;
            writer.section([lengths.as_slice()])
        })
    }

    fn delete_regulation(&self, reg_id: &RegId) -> Result<(), IndexError> {
        self.files.delete(reg_id)
    }

    fn reload(&self) -> Result<(), IndexError> {
        self.files.reload()
    }

    fn verify(&self) -> Result<(), IndexError> {
        self.files.verify()
    }

    fn search(&self, query: &str, filter: &Filter, limit: usize) -> Result<Scored, IndexError> {
        let loaded = self.loaded()?;
        let words = query_words(self.reading.tokenizer(), query);
        let weights: Vec<f32> = words.iter().map(|(word, times)| loaded.rarity(word) * *times).collect();
        let mut hits = Vec::new();
        for part in &loaded.parts {
            let gate = part.roster.gate(filter);
            let mut scores: BTreeMap<u32, f32> = BTreeMap::new();
            for ((word, _), weight) in words.iter().zip(&weights) {
                for (document, count) in part.postings(word) {
                    let length = part.lengths().get(document as usize).copied().unwrap_or(0) as f32;
                    let norm = K1 * (1.0 - B + B * length / loaded.mean_length);
                    *scores.entry(document).or_default() +=
                        weight * count as f32 * (K1 + 1.0) / (count as f32 + norm);
                }
            }
            for (document, score) in scores {
                if part.roster.passes(&gate, document as usize) {
                    hits.extend(part.roster.key(document as usize).map(|key| (key, score)));
                }
            }
        }
        hits.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        hits.truncate(limit);
        Ok(hits)
    }

    fn weights(&self, query: &str) -> Result<Vec<(String, f32)>, IndexError> {
        let loaded = self.loaded()?;
        let words = query_words(self.reading.tokenizer(), query);
        Ok(words.into_iter().map(|(word, times)| (word.clone(), loaded.rarity(&word) * times)).collect())
    }
}

impl Loaded {
    fn rarity(&self, word: &str) -> f32 {
        let having: usize = self.parts.iter().map(|part| part.range(word).len()).sum();
        reading::rarity(self.documents as u64, having as u64)
    }
}

/// The words of a query with how often each stands in it, bounded.
fn query_words(tokenizer: &Tokenizer, query: &str) -> Vec<(String, f32)> {
    const MAX_CHARS: usize = 2_000;
    const MAX_WORDS: usize = 160;
    let query: String = query.chars().take(MAX_CHARS).collect();
    let mut words: Vec<(String, f32)> = Vec::new();
    for word in tokenizer.words(&fold(&query)) {
        if let Some((_, times)) = words.iter_mut().find(|(known, _)| *known == word) {
            *times += 1.0;
        } else if words.len() < MAX_WORDS {
            words.push((word, 1.0));
        }
    }
    words
}

/// The postings of one regulation. Words stand in order in the file; they are hashed when one is first asked for.
struct Postings {
    roster: Roster,
    places: OnceLock<HashMap<String, usize>>,
}

impl Part for Postings {
    const KIND: u32 = 0x0301;

    fn open(pack: Pack, reg_id: &RegId) -> Result<Self, IndexError> {
        let roster = Roster::open(pack, reg_id)?;
        let pack = roster.pack();
        let holders = pack.section::<u32>(DOCUMENTS);
        let ends = pack.section::<u64>(ENDS);
        let fits = Texts::of(pack, WORDS).len() == ends.len()
            && ends.last().copied().unwrap_or(0) as usize == holders.len()
            && pack.section::<u32>(COUNTS).len() == holders.len()
            && pack.section::<u32>(LENGTHS).len() == roster.len();
        if fits {
            Ok(Self { roster, places: OnceLock::new() })
        } else {
            Err(roster.pack().corrupt(errors::INCOMPLETE))
        }
    }
}

impl Postings {
    fn lengths(&self) -> &[u32] {
        self.roster.pack().section(LENGTHS)
    }

    /// Where the documents of a word stand in the section.
    fn range(&self, word: &str) -> std::ops::Range<usize> {
        let pack = self.roster.pack();
        let places = self.places.get_or_init(|| {
            Texts::of(pack, WORDS).iter().enumerate().map(|(at, word)| (word.to_owned(), at)).collect()
        });
        let Some(&at) = places.get(word) else { return 0..0 };
        let ends: &[u64] = pack.section(ENDS);
        let end = ends.get(at).copied().unwrap_or(0) as usize;
        let start = at.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0) as usize;
        start..end.max(start)
    }

    fn postings(&self, word: &str) -> impl Iterator<Item = (u32, u32)> {
        let range = self.range(word);
        let pack = self.roster.pack();
        let documents = pack.section::<u32>(DOCUMENTS).get(range.clone()).unwrap_or_default();
        let counts = pack.section::<u32>(COUNTS).get(range).unwrap_or_default();
        documents.iter().copied().zip(counts.iter().copied())
    }
}
