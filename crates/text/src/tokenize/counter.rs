//! Counting a few terms in much text. Ranking asks how often the words of a question stand in some hundred pages;
//! making every token of those pages would cost more than the search itself.

use std::collections::HashMap;

use super::latin;
use crate::scan::half;
use crate::script::is_cjk;

/// Counts how often each of a few terms stands in a text.
///
/// Terms are tokens of a query: pairs of Chinese characters, words in their base form, numbers. Others (a label, a device name, a
/// term of three characters) are found by the index itself and are not counted here.
///
/// ```
/// use regreader_text::TermCounter;
///
/// let counter = TermCounter::new(["母线", "失压", "limit"]);
/// let mut counts = vec![0; counter.terms()];
/// let length = counter.count("母线失压时，母线的 Limits 见表", &mut counts);
/// assert_eq!(counts, [2, 1, 1]);
/// assert!(length > 5);
/// ```
#[derive(Debug, Clone, Default)]
pub struct TermCounter {
    terms: usize,
    pairs: HashMap<(char, char), usize>,
    /// One bit for each pair by a cheap hash: most pairs of a text are no pair of the query.
    pair_bits: Vec<u64>,
    singles: HashMap<char, usize>,
    words: HashMap<String, usize>,
    /// For each byte that a word may begin with a bit for what its second byte may be, by its last five bits.
    starts: Vec<u32>,
}

/// Bits of the first look at a pair.
const PAIR_BITS: usize = 4096;
/// A longer run of letters is no word of a query.
const LONGEST_WORD: usize = 40;

impl TermCounter {
    /// A counter for these terms; counts come in their order.
    pub fn new<S: AsRef<str>>(terms: impl IntoIterator<Item = S>) -> Self {
        let mut counter =
            Self { pair_bits: vec![0; PAIR_BITS / 64], starts: vec![0; 256], ..Self::default() };
        for term in terms {
            let term = term.as_ref();
            let at = counter.terms;
            counter.terms += 1;
            let chars: Vec<char> = term.chars().take(3).collect();
            match chars.as_slice() {
                [first, second] if is_cjk(*first) && is_cjk(*second) => {
                    counter.pairs.insert((*first, *second), at);
                    let bit = pair_bit(*first, *second);
                    if let Some(word) = counter.pair_bits.get_mut(bit / 64) {
                        *word |= 1 << (bit % 64);
                    }
                }
                [only] if is_cjk(*only) => drop(counter.singles.insert(*only, at)),
                _ if is_word(term) => {
                    let (first, second) = beginning(term);
                    if let Some(start) = counter.starts.get_mut(usize::from(first)) {
                        *start |= second;
                    }
                    counter.words.insert(term.to_owned(), at);
                }
                _ => {}
            }
        }
        counter
    }

    /// Whether a term is of a kind that is counted.
    #[must_use]
    pub fn counts(term: &str) -> bool {
        let mut chars = term.chars();
        match (chars.next(), chars.next(), chars.next()) {
            (Some(first), second, None) if is_cjk(first) => second.is_none_or(is_cjk),
            (first, ..) => first.is_some() && is_word(term),
        }
    }

    /// How many terms there are.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Adds what a text holds to `counts`, one for each term, and gives the length of the text in terms.
    pub fn count(&self, text: &str, counts: &mut [u32]) -> u32 {
        let bytes = text.as_bytes();
        let mut length = 0;
        let mut before: Option<char> = None;
        let mut run = String::new();
        let mut at = 0;
        loop {
            // Most of a Chinese text: pairs of usual characters.
            while let Some(first) = before
                && let Some(c) = usual_han(bytes, at)
            {
                length += 1;
                self.pair(first, c, counts);
                before = Some(c);
                at += 3;
            }
            let Some(c) = char_at(text, at) else { break };
            let next = at + c.len_utf8();
            let c = half(c);
            if is_cjk(c) {
                if let Some(first) = before {
                    length += 1;
                    self.pair(first, c, counts);
                } else if !self.singles.is_empty()
                    && let Some(single) = self.singles.get(&c)
                    && !char_at(text, next).is_some_and(|next| is_cjk(half(next)))
                {
                    add(counts, *single);
                }
                before = Some(c);
                at = next;
                continue;
            }
            if !c.is_ascii_alphanumeric() {
                // White space next to Chinese characters is no border: folding closes it up.
                if !c.is_whitespace() {
                    before = None;
                }
                at = next;
                continue;
            }
            before = None;
            length += 1;
            let plain = plain_run(bytes, at);
            if bytes.get(plain).is_none_or(u8::is_ascii) {
                self.word(text.get(at..plain).unwrap_or_default(), &mut run, counts);
                at = plain;
            } else {
                // Full-width letters and digits may be part of the word.
                let (word, end) = wide_run(text, at);
                self.word(&word, &mut run, counts);
                at = end;
            }
        }
        length
    }

    fn pair(&self, first: char, second: char, counts: &mut [u32]) {
        let bit = pair_bit(first, second);
        if self.pair_bits.get(bit / 64).is_some_and(|word| word & (1 << (bit % 64)) != 0)
            && let Some(at) = self.pairs.get(&(first, second))
        {
            add(counts, *at);
        }
    }

    fn word(&self, word: &str, lower: &mut String, counts: &mut [u32]) {
        // Most words of a text begin like none of the query, and need not be looked at any further.
        let (first, second) = beginning(word);
        if self.starts.get(usize::from(first)).is_none_or(|start| start & second == 0) {
            return;
        }
        let word = word.trim_end_matches('.');
        if word.len() > LONGEST_WORD {
            return;
        }
        lower.clear();
        lower.push_str(word);
        lower.make_ascii_lowercase();
        if let Some(at) = self.words.get(latin::base(lower)) {
            add(counts, *at);
        }
    }
}

/// Whether it is one word or number as they are counted.
fn is_word(term: &str) -> bool {
    term.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.')
}

/// The first byte of a word in lower case, and a bit for its second one.
fn beginning(word: &str) -> (u8, u32) {
    let mut bytes = word.bytes().map(|b| b.to_ascii_lowercase());
    let first = bytes.next().unwrap_or(0);
    // A word may lose its second byte to its base form (`0.` is 0): that of a word of one byte is any.
    (first, bytes.next().map_or(u32::MAX, |second| 1 << (second & 31)))
}

fn char_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        Some(_) => text.get(at..)?.chars().next(),
        None => None,
    }
}

/// The character here if it is one of U+5000 to U+9FFF, whose three bytes are read without looking at anything else.
fn usual_han(bytes: &[u8], at: usize) -> Option<char> {
    let [first @ 0xE5..=0xE9, second, third] = *bytes.get(at..at + 3)? else { return None };
    let code = u32::from(first & 0x0F) << 12 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F);
    char::from_u32(code)
}

/// Whether a word goes on: letters and digits do, and a point within a number.
fn goes_on(c: char, numeric: bool) -> bool {
    c.is_ascii_alphanumeric() || (c == '.' && numeric)
}

/// Where the word ends that begins here, as far as it is ASCII.
fn plain_run(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut numeric) = (start, true);
    while let Some(byte) = bytes.get(at)
        && goes_on(char::from(*byte), numeric)
    {
        numeric &= byte.is_ascii_digit() || *byte == b'.';
        at += 1;
    }
    at
}

/// The word that begins here with full-width forms read as ASCII, and where it ends.
fn wide_run(text: &str, start: usize) -> (String, usize) {
    let (mut word, mut at, mut numeric) = (String::new(), start, true);
    while let Some(c) = char_at(text, at)
        && goes_on(half(c), numeric)
    {
        at += c.len_utf8();
        let c = half(c);
        numeric &= c.is_ascii_digit() || c == '.';
        word.push(c);
    }
    (word, at)
}

fn add(counts: &mut [u32], at: usize) {
    if let Some(count) = counts.get_mut(at) {
        *count += 1;
    }
}

fn pair_bit(first: char, second: char) -> usize {
    (u32::from(first).wrapping_mul(0x9E37) ^ u32::from(second).wrapping_mul(0x85EB)) as usize % PAIR_BITS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{TokenKind, Tokenizer};
    use super::*;

    fn counts(terms: &[&str], text: &str) -> Vec<u32> {
        let counter = TermCounter::new(terms);
        let mut counts = vec![0; counter.terms()];
        counter.count(text, &mut counts);
        counts
    }

    #[test]
    fn words_are_counted_in_their_base_form_and_numbers_whole() {
        assert_eq!(counts(&["polic", "limit", "0.85"], "Policies; LIMITS of 0.85. limit 10.85"), [1, 2, 1]);
        assert_eq!(counts(&["gb38755", "500kv"], "ＧＢ38755 and 500kV"), [1, 1]);
    }

    #[test]
    fn what_is_counted_is_known_before() {
        for term in ["母线", "线", "limit", "0.85"] {
            assert!(TermCounter::counts(term), "{term}");
            assert_eq!(counts(&[term], term), [1], "{term}");
        }
        for term in ["母线失", "第3章", "", "母a"] {
            assert!(!TermCounter::counts(term), "{term}");
            assert_eq!(counts(&[term], term), [0], "{term}");
        }
    }

    #[test]
    fn pairs_stand_side_by_side() {
        assert_eq!(counts(&["母线", "线失"], "母线，失压；母 线"), [2, 0]);
        assert_eq!(counts(&["第3章", ""], "第3章"), [0, 0], "labels are the index's");
    }

    proptest! {
        /// Nothing else than what the tokenizer finds, for the kinds that are counted.
        #[test]
        fn pairs_and_words_agree_with_the_tokenizer(text in "[母线失压 ，a-cs]{0,40}") {
            let tokens = Tokenizer::new().index_tokens(&text);
            for token in tokens.iter().filter(|t| matches!(t.kind, TokenKind::Bigram)) {
                let found = counts(&[&token.text], &text);
                let there = tokens.iter().filter(|t| t.kind == token.kind && t.text == token.text).count();
                prop_assert_eq!(found[0] as usize, there, "{} in {}", token.text, text);
            }
        }
    }
}
