//! Ranking over levels. A passage answers a question by its own words and meaning, but also by those of the clause, the
//! page and the regulation it stands in: `4.2.1` says 允许损失部分负荷, and only the titles above it say of what.
//!
//! The keyword and the vector index find blocks. Their pages are read anew here: neighbouring blocks are joined to
//! [windows](window), the words of the question are counted in every window, clause and page, each level is scored by
//! BM25 and divided by its best candidate, and the levels are added by [`RankingWeights`]. Nothing is stored for it, so
//! that every backend ranks alike and no index grows. The best windows are then read once more for the question's words in
//! other words ([`SimilarWords`]), which decides between passages that are about the same.
//!
//! A hit is a block: of each window the one that answers best. A heading is context and a hit only where nothing else is.

pub(crate) mod formal;
mod weights;
mod window;

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use regreader_embed::{Found, Said, SimilarWords, StaticModel};
use regreader_model::{BlockId, BlockType, RegId, SearchSource};
use regreader_text::{Saying, TermCounter};
use rustc_hash::{FxHashMap, FxHashSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::formal::FormalWords;
pub use self::weights::{ChoiceWeights, RankingWeights};
use crate::corpus::Ranked;
use crate::fusion::Legs;
use crate::storage::catalog::{CatalogView, Shelf};
use crate::storage::roster::Gate;
use crate::{DocumentKey, Filter, IndexError};

/// Pages that are read, best first by what the indexes say of their blocks ([`Candidates::best_pages`]). Half as many again put
/// the right page first for two of 810 questions more (BENCHMARKS.md), and take longer to read.
const MOST_PAGES: usize = 32;
/// Windows that are read for similar words: about one for each page.
const COMPARED: usize = 32;
/// What is left of a score at least, however little of the question a window holds.
const LEAST_LEFT: f64 = 0.02;
/// Blocks of a clause that are read on each side of a block, also on other pages. Where a whole law is one clause, six times as
/// many took three times as long to read, and put no more right pages first (810 questions).
const CLAUSE_BLOCKS: usize = 8;
/// BM25's usual constants.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A passage as evidence: the window that a hit stands in, and what speaks for it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Passage {
    /// Text of the window as it stands on the page.
    pub text: String,
    /// Blocks that it is made of, in reading order.
    pub blocks: Vec<BlockId>,
    /// What speaks for it.
    pub signals: Signals,
}

/// What speaks for a passage, for deciding how far to trust it. Shares are 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Signals {
    /// BM25 of the window, as a sum over the words of the question.
    pub words: f64,
    /// Share of the question's weight whose words stand in the window or the titles above it.
    pub coverage: f64,
    /// Cosine of question and window; 0 without vectors.
    pub cosine: f64,
    /// How much of the question's words the window and the titles above it hold, also in other words; 0 without vectors
    /// and for windows that were not looked at so closely.
    pub similar: f64,
    /// BM25 of the window, as a share of the best window's.
    pub window: f64,
    /// Word score of the block alone, as a share of the best block's.
    pub block: f64,
    /// Cosine of question and block.
    pub block_cosine: f64,
    /// BM25 of its clause, as a share of the best clause's.
    pub clause: f64,
    /// BM25 of its page, as a share of the best page's.
    pub page: f64,
    /// How much of the question its regulation's names hold, as a share of the best regulation's.
    pub regulation: f64,
}

/// The question as the levels need it.
pub(crate) struct LevelQuery<'a> {
    /// Words of the question with their weights.
    pub(crate) words: &'a [(String, f32)],
    /// Words that documents print for what the question says, with their weights.
    pub(crate) formal: &'a [(String, f32)],
    /// How the levels are added up.
    pub(crate) weights: &'a RankingWeights,
    /// What may be a hit.
    pub(crate) filter: &'a Filter,
    /// Title of a regulation.
    pub(crate) title: &'a dyn Fn(&RegId) -> String,
    /// How well the names of a regulation fit, as a share of the best one's.
    pub(crate) regulation: &'a dyn Fn(&RegId) -> f64,
    /// Cosines of blocks and of weighted groups of them; empty without vectors.
    pub(crate) cosines: &'a Cosines<'a>,
}

/// What the best windows are compared with: the question, and what may stand for its everyday words.
#[derive(Clone, Copy)]
pub(crate) struct Compared<'a> {
    pub(crate) model: &'a Arc<StaticModel>,
    pub(crate) query: &'a str,
    pub(crate) sayings: &'a [Saying],
    pub(crate) formal: &'a FormalWords,
}

/// Blocks, and groups of them by place with their weights, to the cosines of both.
pub(crate) type Cosines<'a> =
    dyn Fn(&[DocumentKey], &[Vec<(usize, f32)>]) -> Result<(Vec<f32>, Vec<f32>), IndexError> + 'a;

/// The window of a hit, until its text is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Window {
    blocks: Range<usize>,
    /// First byte in the first block, and the byte behind the last one in the last block.
    bytes: (usize, usize),
    signals: Signals,
    /// What the score lost when the best windows were compared.
    lowered: f64,
}

impl Window {
    /// What the score of its hit lost when the best windows were compared: with it, scores of windows that say the same in
    /// other words are near each other.
    pub fn lowered(&self) -> f64 {
        self.lowered
    }

    /// The passage in words.
    pub fn passage(&self, view: &CatalogView, reg_id: &RegId) -> Result<Passage, IndexError> {
        let mut passage = Passage { signals: self.signals, ..Passage::default() };
        let Some(shelf) = view.shelf(reg_id)? else { return Ok(passage) };
        passage.text = self.texts(shelf).collect::<Vec<_>>().join("\n");
        passage.blocks =
            self.blocks.clone().filter_map(|ordinal| Some(shelf.key(ordinal)?.block_id)).collect();
        Ok(passage)
    }

    /// What it holds of each of its blocks.
    fn texts<'s>(&self, shelf: &'s Shelf) -> impl Iterator<Item = &'s str> {
        self.blocks.clone().map(move |ordinal| {
            let text = shelf.text(ordinal);
            let from = if ordinal == self.blocks.start { self.bytes.0 } else { 0 };
            let to = if ordinal + 1 == self.blocks.end { self.bytes.1 } else { text.len() };
            text.get(from..to).unwrap_or(text).trim()
        })
    }
}

/// Ranks what the legs found.
pub(crate) fn rank(
    view: &CatalogView,
    legs: &Legs<DocumentKey>,
    query: &LevelQuery<'_>,
    compared: Option<Compared<'_>>,
) -> Result<Vec<Ranked>, IndexError> {
    let candidates = Candidates::locate(view, legs, query.weights.formal)?;
    let mut reading = Reading::new(&candidates, query);
    for page in candidates.best_pages(query) {
        reading.page(&page);
    }
    let mut windows = reading.scored(legs.has_vectors)?;
    if let Some(compared) = compared {
        compare(&reading, &mut windows, compared);
    }
    Ok(hits(&candidates, legs, windows, query))
}

/// What the legs found, by place.
struct Candidates<'v> {
    shelves: Vec<(RegId, &'v Shelf)>,
    /// Word score as a share of the best, and cosine; by shelf and ordinal.
    blocks: FxHashMap<(usize, usize), Candidate>,
}

/// What a list of the legs says of its documents.
#[derive(Clone, Copy)]
enum Leg {
    /// Scores by words, to be multiplied by this.
    Words(f64),
    /// Cosines, of documents that were found by them or not.
    Meaning(bool),
}

#[derive(Debug, Clone, Copy, Default)]
struct Candidate {
    words: f64,
    cosine: f64,
    by_words: bool,
    by_meaning: bool,
}

/// A page of candidates.
#[derive(Debug, Clone)]
struct PagePlace {
    shelf: usize,
    blocks: Range<usize>,
}

impl<'v> Candidates<'v> {
    fn locate(
        view: &'v CatalogView,
        legs: &Legs<DocumentKey>,
        worth_of_formal: f64,
    ) -> Result<Self, IndexError> {
        let mut shelves: Vec<(RegId, &Shelf)> = Vec::new();
        let mut by_id: FxHashMap<RegId, usize> = FxHashMap::default();
        let mut blocks: FxHashMap<(usize, usize), Candidate> = FxHashMap::default();
        let best = |list: &[(DocumentKey, f32)]| {
            list.first().map_or(0.0, |(_, score)| f64::from(*score)).max(f64::MIN_POSITIVE)
        };
        let (words, formal) = (1.0 / best(&legs.keyword), worth_of_formal / best(&legs.formal));
        let spread = if legs.spread.is_finite() && legs.spread > 0.0 { f64::from(legs.spread) } else { 1.0 };
        let lists = [
            (&legs.keyword, Leg::Words(words)),
            (&legs.formal, Leg::Words(formal)),
            (&legs.vector, Leg::Meaning(true)),
            (&legs.cosines, Leg::Meaning(false)),
        ];
        for (list, leg) in lists {
            for (key, score) in list {
                let Some((shelf, ordinal)) = view.find(key)? else { continue };
                let place = *by_id.entry(key.reg_id.clone()).or_insert_with(|| {
                    shelves.push((key.reg_id.clone(), shelf));
                    shelves.len() - 1
                });
                let candidate = blocks.entry((place, ordinal)).or_default();
                match leg {
                    Leg::Words(share) => {
                        candidate.words = candidate.words.max(f64::from(*score) * share);
                        candidate.by_words = true;
                    }
                    Leg::Meaning(is_found) => {
                        candidate.cosine = f64::from(*score) / spread;
                        candidate.by_meaning |= is_found;
                    }
                }
            }
        }
        Ok(Self { shelves, blocks })
    }

    /// The pages of the candidates, best first by what the indexes say: the best words and the best cosine of a block on the page
    /// and the names of its regulation, each with what it weighs in the ranking.
    fn best_pages(&self, query: &LevelQuery<'_>) -> Vec<PagePlace> {
        let weights = query.weights;
        let of_words = weights.window + weights.block + weights.clause + weights.page;
        let of_meaning = weights.meaning + weights.block_meaning + weights.near;
        let names: Vec<f64> = self.shelves.iter().map(|(id, _)| (query.regulation)(id)).collect();
        let mut pages: FxHashMap<(usize, usize), (Candidate, PagePlace)> = FxHashMap::default();
        for ((shelf, ordinal), candidate) in &self.blocks {
            let Some((_, place)) = self.shelves.get(*shelf) else { continue };
            let blocks = place.page_blocks(*ordinal);
            let (best, _) = pages
                .entry((*shelf, blocks.start))
                .or_insert_with(|| (Candidate::default(), PagePlace { shelf: *shelf, blocks }));
            best.words = best.words.max(candidate.words);
            best.cosine = best.cosine.max(candidate.cosine);
        }
        let score = |((shelf, start), (best, page)): ((usize, usize), (Candidate, PagePlace))| {
            let name = names.get(shelf).copied().unwrap_or_default();
            let score = of_words * best.words + of_meaning * best.cosine + weights.regulation * name;
            (score, (shelf, start), page)
        };
        let mut pages: Vec<(f64, (usize, usize), PagePlace)> = pages.into_iter().map(score).collect();
        pages.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        pages.into_iter().take(MOST_PAGES).map(|(_, _, page)| page).collect()
    }
}

/// Counts of the question's words in the units of one level.
#[derive(Default)]
struct Level {
    counts: Vec<u32>,
    lengths: Vec<u32>,
}

impl Level {
    /// A new unit, which is what `head` and these units of `other` hold together.
    fn push(&mut self, head: &[&Counted], other: &Level, units: impl Iterator<Item = usize>) -> usize {
        let terms = head.first().map_or(0, |counted| counted.counts.len());
        let start = self.counts.len();
        self.counts.resize(start + terms, 0);
        let total = self.counts.get_mut(start..).unwrap_or_default();
        let mut length = 0;
        let mut add = |counts: &[u32], of: u32| {
            total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
            length += of;
        };
        for counted in head {
            add(&counted.counts, counted.length);
        }
        for unit in units {
            add(other.get(unit, terms), other.lengths.get(unit).copied().unwrap_or(0));
        }
        self.lengths.push(length);
        self.lengths.len() - 1
    }

    /// A new unit: what a text holds.
    fn read(&mut self, text: &str, counter: &TermCounter) -> usize {
        let start = self.counts.len();
        self.counts.resize(start + counter.terms(), 0);
        let length = counter.count(text, self.counts.get_mut(start..).unwrap_or_default());
        self.lengths.push(length);
        self.lengths.len() - 1
    }

    fn get(&self, at: usize, terms: usize) -> &[u32] {
        self.counts.get(at * terms..(at + 1) * terms).unwrap_or_default()
    }

    /// BM25 of every unit; the mean length is that of the candidates.
    fn scores(&self, words: &[(String, f32)]) -> Vec<f64> {
        let total: f64 = self.lengths.iter().map(|length| f64::from(*length)).sum();
        let mean = (total / self.lengths.len().max(1) as f64).max(1.0);
        let score = |(at, length): (usize, &u32)| {
            let norm = K1 * (1.0 - B + B * f64::from(*length) / mean);
            let counts = self.get(at, words.len());
            words
                .iter()
                .zip(counts)
                .filter(|(_, count)| **count > 0)
                .map(|((_, weight), count)| {
                    f64::from(*weight) * f64::from(*count) * (K1 + 1.0) / (f64::from(*count) + norm)
                })
                .sum()
        };
        self.lengths.iter().enumerate().map(score).collect()
    }
}

/// A window with its place in the levels.
struct WindowPlace {
    shelf: usize,
    /// Its blocks, each with its share of the window's size.
    blocks: Vec<(usize, f32)>,
    bytes: (usize, usize),
    page: usize,
    /// Clause of each block.
    clauses: Vec<usize>,
}

/// How often a text has each word of the question, and how long it is.
#[derive(Clone, Default)]
struct Counted {
    counts: Rc<[u32]>,
    length: u32,
}

/// Pages being read.
struct Reading<'a, 'v> {
    candidates: &'a Candidates<'v>,
    counter: TermCounter,
    query: &'a LevelQuery<'a>,
    /// Words of the question, then the formal ones, as they are counted.
    words: Vec<(String, f32)>,
    windows: Level,
    pages: Level,
    clauses: Level,
    places: Vec<WindowPlace>,
    titles: FxHashMap<usize, Counted>,
    paths: FxHashMap<(usize, u32), Counted>,
    clause_of: FxHashMap<(usize, usize), usize>,
    /// Pieces of blocks, and what they hold. A block stands on its page and in its clause, and is read once.
    pieces: Vec<Piece>,
    held: Level,
    pieces_of: FxHashMap<(usize, usize), Range<usize>>,
}

/// A piece of a block.
struct Piece {
    ordinal: usize,
    bytes: Range<usize>,
    size: f32,
}

impl<'a, 'v> Reading<'a, 'v> {
    fn new(candidates: &'a Candidates<'v>, query: &'a LevelQuery<'a>) -> Self {
        let worth = query.weights.formal as f32;
        let formal = query.formal.iter().map(|(word, weight)| (word.clone(), weight * worth));
        let words: Vec<(String, f32)> = query.words.iter().cloned().chain(formal).collect();
        Self {
            candidates,
            counter: TermCounter::new(words.iter().map(|(word, _)| word)),
            query,
            words,
            windows: Level::default(),
            pages: Level::default(),
            clauses: Level::default(),
            places: Vec::new(),
            titles: FxHashMap::default(),
            paths: FxHashMap::default(),
            clause_of: FxHashMap::default(),
            pieces: Vec::new(),
            held: Level::default(),
            pieces_of: FxHashMap::default(),
        }
    }

    fn counted(&self, text: &str) -> Counted {
        let mut counts = vec![0; self.counter.terms()];
        let length = self.counter.count(text, &mut counts);
        Counted { counts: counts.into(), length }
    }

    /// The pieces of a block.
    fn block(&mut self, place: usize, shelf: &Shelf, ordinal: usize) -> Range<usize> {
        let Self { counter, pieces, held, pieces_of, .. } = self;
        let range = pieces_of.entry((place, ordinal)).or_insert_with(|| {
            let start = pieces.len();
            let text = shelf.text(ordinal);
            for (bytes, size) in window::pieces(text) {
                held.read(text.get(bytes.clone()).unwrap_or_default(), counter);
                pieces.push(Piece { ordinal, bytes, size });
            }
            start..pieces.len()
        });
        range.clone()
    }

    fn title(&mut self, place: usize) -> Counted {
        if let Some(title) = self.titles.get(&place) {
            return title.clone();
        }
        let text = self.candidates.shelves.get(place).map(|(id, _)| (self.query.title)(id));
        let title = self.counted(&text.unwrap_or_default());
        self.titles.insert(place, title.clone());
        title
    }

    /// Counts in the titles above a block.
    fn path(&mut self, place: usize, shelf: &Shelf, ordinal: usize) -> Counted {
        let (id, text) = shelf.path(ordinal);
        if let Some(path) = self.paths.get(&(place, id)) {
            return path.clone();
        }
        let path = self.counted(text);
        self.paths.insert((place, id), path.clone());
        path
    }

    /// Reads a page: its windows, and the clauses that stand on it.
    fn page(&mut self, page: &PagePlace) {
        let candidates = self.candidates;
        let Some((_, shelf)) = candidates.shelves.get(page.shelf) else { return };
        let shelf: &'v Shelf = shelf;
        let mut pieces: Vec<usize> = Vec::new();
        for ordinal in page.blocks.clone() {
            pieces.extend(self.block(page.shelf, shelf, ordinal));
        }
        let title = self.title(page.shelf);
        let page_at = self.pages.push(&[&title], &self.held, pieces.iter().copied());
        let sizes: Vec<f32> = pieces.iter().filter_map(|at| Some(self.pieces.get(*at)?.size)).collect();
        for range in window::windows(&sizes) {
            let parts = pieces.get(range).unwrap_or_default();
            let ends = [parts.first(), parts.last()].map(|at| self.pieces.get(*at?));
            let [Some(first), Some(last)] = ends else { continue };
            let bytes = (first.bytes.start, last.bytes.end);
            let path = self.path(page.shelf, shelf, first.ordinal);
            self.windows.push(&[&title, &path], &self.held, parts.iter().copied());
            let mut blocks: Vec<(usize, f32)> = Vec::new();
            for piece in parts.iter().filter_map(|at| self.pieces.get(*at)) {
                match blocks.last_mut() {
                    Some((ordinal, size)) if *ordinal == piece.ordinal => *size += piece.size,
                    _ => blocks.push((piece.ordinal, piece.size)),
                }
            }
            let clauses =
                blocks.iter().map(|(ordinal, _)| self.clause(page.shelf, shelf, *ordinal)).collect();
            self.places.push(WindowPlace { shelf: page.shelf, blocks, bytes, page: page_at, clauses });
        }
    }

    /// The clause of a block, counted when it is first met.
    fn clause(&mut self, place: usize, shelf: &'v Shelf, ordinal: usize) -> usize {
        let blocks = shelf.clause_blocks(ordinal);
        if let Some(at) = self.clause_of.get(&(place, blocks.start)) {
            return *at;
        }
        let near = blocks.start.max(ordinal.saturating_sub(CLAUSE_BLOCKS))
            ..blocks.end.min(ordinal.saturating_add(CLAUSE_BLOCKS));
        let path = self.path(place, shelf, ordinal);
        let pieces: Vec<Range<usize>> = near.map(|block| self.block(place, shelf, block)).collect();
        let at = self.clauses.push(&[&path], &self.held, pieces.into_iter().flatten());
        self.clause_of.insert((place, blocks.start), at);
        at
    }

    /// For each of these words where it stands among those that are counted.
    fn counted_as(&self, words: &[String]) -> Vec<Option<usize>> {
        let place = |word: &String| self.words.iter().position(|(known, _)| known == word);
        words.iter().map(place).collect()
    }

    /// The windows with their scores and those of the block that answers best, best first.
    fn scored(&self, has_vectors: bool) -> Result<Vec<ScoredWindow>, IndexError> {
        let (words, own) = (self.words.as_slice(), self.query.words);
        let window_scores = self.windows.scores(words);
        let best_window = best(&window_scores);
        let clause_scores = shares(self.clauses.scores(words));
        let page_scores = shares(self.pages.scores(words));
        let cosines = if has_vectors { self.cosines()? } else { WindowCosines::default() };
        let gates: Vec<Gate> =
            self.candidates.shelves.iter().map(|(_, shelf)| shelf.gate(self.query.filter)).collect();
        let fits: Vec<f64> =
            self.candidates.shelves.iter().map(|(id, _)| (self.query.regulation)(id)).collect();
        let total: f64 = own.iter().map(|(_, weight)| f64::from(*weight)).sum::<f64>().max(f64::MIN_POSITIVE);
        let mut scored = Vec::with_capacity(self.places.len());
        for (at, place) in self.places.iter().enumerate() {
            let share = |scores: &[f64], at: usize| scores.get(at).copied().unwrap_or(0.0);
            let counts = self.windows.get(at, words.len());
            let held: f64 = own
                .iter()
                .zip(counts)
                .filter(|(_, count)| **count > 0)
                .map(|((_, weight), _)| f64::from(*weight))
                .sum();
            let signals = Signals {
                words: share(&window_scores, at),
                coverage: held / total,
                cosine: cosines.windows.get(at).copied().unwrap_or(0.0),
                similar: 0.0,
                window: share(&window_scores, at) / best_window,
                block: 0.0,
                block_cosine: 0.0,
                clause: 0.0,
                page: share(&page_scores, place.page),
                regulation: share(&fits, place.shelf),
            };
            let passes = |ordinal: usize| {
                let (Some((_, shelf)), Some(gate)) =
                    (self.candidates.shelves.get(place.shelf), gates.get(place.shelf))
                else {
                    return false;
                };
                shelf.passes(gate, ordinal)
            };
            let clause_of = |at: usize| place.clauses.get(at).map_or(0.0, |at| share(&clause_scores, *at));
            scored.extend(self.best_block(at, place, signals, &cosines, passes, clause_of));
        }
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.place().cmp(&b.place())));
        Ok(scored)
    }

    /// The block of a window that answers best, with the score of both.
    fn best_block(
        &self,
        at: usize,
        place: &WindowPlace,
        signals: Signals,
        cosines: &WindowCosines,
        passes: impl Fn(usize) -> bool,
        clause_of: impl Fn(usize) -> f64,
    ) -> Option<ScoredWindow> {
        let weights = self.query.weights;
        let (_, shelf) = self.candidates.shelves.get(place.shelf)?;
        let wants_headings = self.query.filter.block_types.contains(&BlockType::Heading);
        let is_heading = |ordinal: usize| shelf.block_type(ordinal) == Some(BlockType::Heading);
        let only_headings = place.blocks.iter().all(|(ordinal, _)| is_heading(*ordinal));
        let base = weights.window * signals.window
            + weights.meaning * signals.cosine
            + weights.page * signals.page
            + weights.regulation * signals.regulation;
        let mut found: Option<(f64, usize, Signals)> = None;
        for (nth, (ordinal, _)) in place.blocks.iter().enumerate() {
            let context = is_heading(*ordinal) && !wants_headings && !only_headings;
            if context || !passes(*ordinal) {
                continue;
            }
            let candidate = self.candidates.blocks.get(&(place.shelf, *ordinal)).copied().unwrap_or_default();
            let cosine = cosines.blocks.get(&(place.shelf, *ordinal)).copied().unwrap_or(candidate.cosine);
            let clause = clause_of(nth);
            let own =
                weights.block * candidate.words + weights.block_meaning * cosine + weights.clause * clause;
            if found.is_none_or(|(best, _, _)| own > best) {
                let signals = Signals { block: candidate.words, block_cosine: cosine, clause, ..signals };
                found = Some((own, *ordinal, signals));
            }
        }
        let (own, ordinal, signals) = found?;
        let worth = if only_headings && !wants_headings { weights.headings_only } else { 1.0 };
        let first = place.blocks.first().map_or(ordinal, |(first, _)| *first);
        let last = place.blocks.last().map_or(ordinal, |(last, _)| *last);
        Some(ScoredWindow {
            score: (base + own) * worth,
            at,
            shelf: place.shelf,
            ordinal,
            window: Window { blocks: first..last + 1, bytes: place.bytes, signals, lowered: 0.0 },
        })
    }

    fn cosines(&self) -> Result<WindowCosines, IndexError> {
        let mut places: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        let mut keys: Vec<DocumentKey> = Vec::new();
        let mut order: Vec<(usize, usize)> = Vec::new();
        let mut groups: Vec<Vec<(usize, f32)>> = Vec::with_capacity(self.places.len());
        for place in &self.places {
            let Some((_, shelf)) = self.candidates.shelves.get(place.shelf) else { continue };
            let mut group = Vec::with_capacity(place.blocks.len());
            for (ordinal, size) in &place.blocks {
                let at = match places.get(&(place.shelf, *ordinal)) {
                    Some(at) => *at,
                    None => {
                        let Some(key) = shelf.key(*ordinal) else { continue };
                        places.insert((place.shelf, *ordinal), keys.len());
                        keys.push(key);
                        order.push((place.shelf, *ordinal));
                        keys.len() - 1
                    }
                };
                group.push((at, *size));
            }
            groups.push(group);
        }
        let (blocks, windows) = (self.query.cosines)(&keys, &groups)?;
        Ok(WindowCosines {
            windows: windows.into_iter().map(f64::from).collect(),
            blocks: order.into_iter().zip(blocks.into_iter().map(f64::from)).collect(),
        })
    }
}

/// Cosines of windows in their order, and of blocks by shelf and ordinal.
#[derive(Default)]
struct WindowCosines {
    windows: Vec<f64>,
    blocks: FxHashMap<(usize, usize), f64>,
}

/// A window with its best block.
struct ScoredWindow {
    score: f64,
    /// Its place among the windows that were read.
    at: usize,
    shelf: usize,
    ordinal: usize,
    window: Window,
}

impl ScoredWindow {
    /// Takes something off the score.
    fn lower(&mut self, lacking: f64) {
        let left = (self.score - lacking.max(0.0)).max(self.score * LEAST_LEFT);
        self.window.lowered = self.score - left;
        self.score = left;
    }

    fn place(&self) -> (usize, usize, usize) {
        (self.shelf, self.ordinal, self.window.blocks.start)
    }
}

/// Compares the best windows by the question's words in other words and by meaning, and puts them in order anew.
fn compare(reading: &Reading<'_, '_>, windows: &mut [ScoredWindow], compared: Compared<'_>) {
    let Reading { candidates, query, .. } = reading;
    let mut similar = SimilarWords::of(compared.model, compared.query);
    let sayings: Vec<(Said, f32)> =
        compared.sayings.iter().map(|saying| (similar.said(&saying.said), saying.certainty())).collect();
    let terms = &compared.formal.terms;
    let places = reading.counted_as(terms.words());
    let titles: Vec<String> = candidates.shelves.iter().map(|(id, _)| (query.title)(id)).collect();
    let (near, far) = windows.split_at_mut(COMPARED.min(windows.len()));
    // Windows overlap and share their titles, so most texts come several times.
    let mut read: FxHashMap<&str, Found> = FxHashMap::default();
    for one in near.iter_mut() {
        let Some((_, shelf)) = candidates.shelves.get(one.shelf) else { continue };
        let title = titles.get(one.shelf).map_or("", String::as_str);
        let texts: Vec<&str> =
            [title, shelf.path(one.ordinal).1].into_iter().chain(one.window.texts(shelf)).collect();
        for text in &texts {
            read.entry(text).or_insert_with(|| similar.look_in(text));
        }
        let counts = reading.windows.get(one.at, reading.words.len());
        let is_there = |word: usize| {
            let place = places.get(word).copied().flatten();
            place.and_then(|place| counts.get(place)).is_some_and(|count| *count > 0)
        };
        let held = terms.held(is_there);
        let stand_ins = sayings.iter().zip(held).map(|((said, trust), held)| (said, trust * held));
        let found = texts.iter().filter_map(|text| read.get(text));
        let (own, added) = similar.held_in_parts(found, stand_ins);
        one.window.signals.similar = (own + added).clamp(0.0, 1.0);
    }
    let most = |of: fn(&Signals) -> f64| near.iter().map(|one| of(&one.window.signals)).fold(0.0, f64::max);
    let (similar, cosine) = (most(|signals| signals.similar), most(|signals| signals.cosine));
    // Taken off instead of added, so that the best score stays what named places and rows of tables are weighed against. A
    // part stays: a score of nothing would say that nothing was found.
    let mut least = f64::MAX;
    for one in near {
        let signals = &one.window.signals;
        let lacking = query.weights.similar * (similar - signals.similar)
            + query.weights.near * (cosine - signals.cosine).max(0.0);
        one.lower(lacking);
        least = least.min(one.score);
    }
    for one in far {
        one.lower(one.score - least);
    }
    windows.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.place().cmp(&b.place())));
}

/// The best blocks of the windows, each once, then whatever else the legs found.
fn hits(
    candidates: &Candidates<'_>,
    legs: &Legs<DocumentKey>,
    windows: Vec<ScoredWindow>,
    query: &LevelQuery<'_>,
) -> Vec<Ranked> {
    let mut seen: FxHashSet<(usize, usize)> = FxHashSet::default();
    let mut ranked = Vec::with_capacity(windows.len());
    for window in windows {
        if !seen.insert((window.shelf, window.ordinal)) {
            continue;
        }
        let Some((_, shelf)) = candidates.shelves.get(window.shelf) else { continue };
        let Some(key) = shelf.key(window.ordinal) else { continue };
        let found = |by: fn(&Candidate) -> bool| {
            let blocks = window.window.blocks.clone();
            blocks.into_iter().any(|at| candidates.blocks.get(&(window.shelf, at)).is_some_and(by))
        };
        let source = match (found(|one| one.by_words), found(|one| one.by_meaning)) {
            (true, true) => SearchSource::Hybrid,
            (false, true) => SearchSource::Vector,
            _ => SearchSource::Keyword,
        };
        ranked.push(Ranked { key, score: window.score, source, window: Some(window.window) });
    }
    let floor = ranked.last().map_or(1.0, |one| one.score);
    let wants_headings = query.filter.block_types.contains(&BlockType::Heading);
    let mut rest: Vec<Ranked> = Vec::new();
    for ((shelf_at, ordinal), candidate) in &candidates.blocks {
        let Some((_, shelf)) = candidates.shelves.get(*shelf_at) else { continue };
        let heading = shelf.block_type(*ordinal) == Some(BlockType::Heading) && !wants_headings;
        if heading || seen.contains(&(*shelf_at, *ordinal)) {
            continue;
        }
        let Some(key) = shelf.key(*ordinal) else { continue };
        let source = match (candidate.by_words, candidate.by_meaning) {
            (true, true) => SearchSource::Hybrid,
            (false, true) => SearchSource::Vector,
            _ => SearchSource::Keyword,
        };
        // Below all windows, in the order of the indexes.
        let score = floor * (candidate.words + candidate.cosine).clamp(0.0, 2.0) / 2.5;
        rest.push(Ranked { key, score, source, window: None });
    }
    rest.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
    ranked.extend(rest);
    debug_assert!(legs.has_vectors || ranked.iter().all(|one| one.source == SearchSource::Keyword));
    ranked
}

fn best(scores: &[f64]) -> f64 {
    scores.iter().copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE)
}

fn shares(mut scores: Vec<f64>) -> Vec<f64> {
    let top = best(&scores);
    for score in &mut scores {
        *score /= top;
    }
    scores
}
