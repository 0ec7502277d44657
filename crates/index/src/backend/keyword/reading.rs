//! How the keyword indexes read a document and a query: one reading for all of them. Which of a query's words are sought is the same
//! for the default index and Qdrant, so that they agree.

use regreader_text::{QueryToken, QueryTokens, Tokenizer};

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

/// A question is looked for by this many of its words, those that say most, and in titles by this many. More find nothing else,
/// as measured, and each costs time.
const MAX_WORDS: usize = 32;
const MAX_TITLE_WORDS: usize = 12;

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

/// A word that is looked for.
pub(crate) struct Sought<'a> {
    /// The word.
    pub(crate) token: &'a QueryToken,
    /// How many documents have it in their text, and how many in their titles; 0 where it is not looked for.
    pub(crate) having: [u64; 2],
}

/// The words of a query that are looked for among so many documents. `having` says how many have a word in their text, and how many
/// in their titles.
pub(crate) fn sought<E>(
    read: &QueryTokens,
    documents: u64,
    having: impl Fn(&str) -> Result<[u64; 2], E>,
) -> Result<Vec<Sought<'_>>, E> {
    let mut words = Vec::with_capacity(read.tokens.len());
    for token in &read.tokens {
        let having = having(&token.text)?;
        if having != [0, 0] {
            words.push(Sought { token, having });
        }
    }
    let says = |word: &Sought<'_>| word.token.weight * rarity(documents, word.having[0]);
    // Stable: of words that say as much the first ones stay.
    words.sort_by(|a, b| says(b).total_cmp(&says(a)));
    for word in words.iter_mut().skip(MAX_TITLE_WORDS) {
        word.having[1] = 0;
    }
    words.retain(|word| word.having != [0, 0]);
    words.truncate(MAX_WORDS);
    Ok(words)
}

/// BM25's weight of a word by the number of documents that have it.
pub(crate) fn rarity(documents: u64, having: u64) -> f32 {
    // A word that nobody has may be a rare one as well as a wrong one.
    let having = having.max(1) as f64;
    let total = (documents as f64).max(having);
    (1.0 + (total - having + 0.5) / (having + 0.5)).ln() as f32
}

#[cfg(test)]
mod tests {
    use regreader_text::TokenKind;

    use super::*;

    #[test]
    fn the_words_that_say_most_are_sought() {
        let token = |at: u32| QueryToken {
            text: format!("word{at}"),
            kind: TokenKind::Word,
            weight: 1.0,
            position: at,
        };
        let read = QueryTokens { tokens: (0..60).map(token).collect(), phrases: Vec::new() };
        // The later a word stands the rarer it is; every tenth is nowhere, and the word before it only in titles.
        let having = |word: &str| {
            let at: u64 = word.trim_start_matches("word").parse().unwrap();
            Ok::<_, ()>(match at % 10 {
                9 => [0, 0],
                8 => [0, 1],
                _ => [100 - at, 1],
            })
        };
        let words = sought(&read, 1_000, having).unwrap();
        let texts: Vec<&str> = words.iter().map(|word| word.token.text.as_str()).collect();
        assert_eq!(texts.len(), MAX_WORDS);
        // What nobody has in his text may be rare as well.
        assert_eq!(
            &texts[..8],
            ["word8", "word18", "word28", "word38", "word48", "word58", "word57", "word56"]
        );
        assert!(!texts.contains(&"word59") && !texts.contains(&"word0"), "{texts:?}");
        let titles: Vec<u64> = words.iter().map(|word| word.having[1]).collect();
        assert_eq!(titles.iter().sum::<u64>(), MAX_TITLE_WORDS as u64);
        assert_eq!(titles.first(), Some(&1));
    }
}
