//! How the keyword indexes read a document and a query. One reading for all of them, so that they agree.

use regreader_text::{QueryTokens, Tokenizer};

use crate::IndexDocument;

/// How text is read: the tokenizer, with a mark that tells whether another index was made by the same reading.
#[derive(Debug, Clone)]
pub struct Reading {
    tokenizer: Tokenizer,
    terms: String,
}

impl Default for Reading {
    fn default() -> Self {
        Self::new([""; 0])
    }
}

impl Reading {
    /// The built-in reading with further terms of the user's: lines of a terms file.
    pub fn new<S: AsRef<str>>(terms: impl IntoIterator<Item = S>) -> Self {
        let lines: Vec<String> = terms.into_iter().map(|line| line.as_ref().trim().to_owned()).collect();
        let terms = blake3::hash(lines.join("\n").as_bytes()).to_hex().to_string();
        Self { tokenizer: Tokenizer::with_terms(&lines), terms }
    }

    /// The tokenizer.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }

    /// Equal for readings that give the same tokens.
    pub(crate) fn token_mark(&self) -> String {
        let mut tokens = String::new();
        self.tokenizer.visit(PROBE, |token| {
            tokens.push_str(token.text);
            tokens.push('\n');
        });
        self.mark(&tokens)
    }

    /// Equal for readings that give the same words. Loads jieba's dictionary.
    pub(super) fn word_mark(&self) -> String {
        self.mark(&self.tokenizer.words(PROBE).join("\n"))
    }

    fn mark(&self, read: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(VERSION.as_bytes()).update(self.terms.as_bytes()).update(read.as_bytes());
        hasher.finalize().to_hex().chars().take(16).collect()
    }
}

/// Counts changes to what the indexes take from a document that the probe does not show.
const VERSION: &str = "1";

/// A text in which another version of the tokenizer would read something else.
const PROBE: &str = "２．１．４ 锦屏站安控装置1（2）：500 千伏长南Ⅰ线N-1方式见表6-2注①，限额200万千瓦（2000MW）；\
    第十三条 母线失压后立即汇报国调。Requirement R1.2 shall apply to CIP-006-6 devices, see Table 3.";

/// How much a word in a chapter title counts beside one in the text.
pub(crate) const HEAD_WEIGHT: f32 = 0.35;
/// How much it counts when the query's words stand together in the text.
pub(crate) const PHRASE_WEIGHT: f32 = 0.6;

/// Queries longer than this are cut: no question is, and time must stay bounded.
const MAX_QUERY_CHARS: usize = 2_000;
const MAX_QUERY_TOKENS: usize = 160;
const MAX_PHRASES: usize = 8;
const MAX_PHRASE_TOKENS: usize = 24;

/// The titles above a document.
pub(crate) fn head(document: &IndexDocument) -> String {
    document.chapter_path.join(" / ")
}

/// A query, read and bounded.
pub(crate) fn read_query(tokenizer: &Tokenizer, query: &str) -> QueryTokens {
    let query: String = query.chars().take(MAX_QUERY_CHARS).collect();
    let mut read = tokenizer.query_tokens(&query);
    read.tokens.truncate(MAX_QUERY_TOKENS);
    read.phrases.retain(|phrase| (2..=MAX_PHRASE_TOKENS).contains(&phrase.len()));
    read.phrases.truncate(MAX_PHRASES);
    read
}

/// BM25's weight of a word by the number of documents that have it.
pub(crate) fn rarity(documents: u64, having: u64) -> f32 {
    // A word that nobody has may be a rare one as well as a wrong one.
    let having = having.max(1) as f64;
    let total = (documents as f64).max(having);
    (1.0 + (total - having + 0.5) / (having + 0.5)).ln() as f32
}
