//! How alike two texts are, with numbers masked: a clause whose limit changed is still that clause.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use regreader_text::fold;
use regreader_text::script::{is_cjk, is_cjk_punctuation};

/// Share of the exact words in a likeness; the rest is decided with numbers masked. Exact words only break ties between
/// clauses made from one template, so the share is small.
const EXACT_SHARE: f64 = 0.15;

/// A text prepared for comparison.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profile {
    /// Folded, without white space: equal keys say the same.
    pub key: String,
    /// The same with every number as `#`.
    pub masked_key: String,
    /// Pairs of neighbouring words, numbers masked, sorted, with repetitions.
    masked: Vec<u64>,
    /// Pairs of neighbouring words as they are.
    exact: Vec<u64>,
}

impl Profile {
    pub(crate) fn new(text: &str) -> Self {
        let folded = fold(text);
        let key: String = folded.chars().filter(|c| !c.is_whitespace()).collect();
        let words = words(&folded);
        let exact = pairs(words.iter().copied());
        let masked = pairs(words.iter().map(|word| if is_number(word) { "#" } else { word }));
        Self { masked_key: mask(&key), key, masked, exact }
    }

    /// Words in the text, more or less.
    pub(crate) fn len(&self) -> usize {
        self.masked.len().saturating_sub(1)
    }

    /// From 0, nothing in common, to 1.
    pub(crate) fn likeness(&self, other: &Self) -> f64 {
        if self.key == other.key {
            return if self.key.is_empty() { 0.0 } else { 1.0 };
        }
        (1.0 - EXACT_SHARE) * dice(&self.masked, &other.masked)
            + EXACT_SHARE * dice(&self.exact, &other.exact)
    }

    /// How much of this text stands in another, numbers masked.
    pub(crate) fn contained_in(&self, other: &Self) -> f64 {
        if self.masked.is_empty() {
            return 0.0;
        }
        common(&self.masked, &other.masked) as f64 / self.masked.len() as f64
    }

    /// The same for several texts together.
    pub(crate) fn covered_by<'a>(&self, others: impl Iterator<Item = &'a Self>) -> f64 {
        let mut all: Vec<u64> = others.flat_map(|other| other.masked.iter().copied()).collect();
        all.sort_unstable();
        if self.masked.is_empty() {
            return 0.0;
        }
        common(&self.masked, &all) as f64 / self.masked.len() as f64
    }

    /// The masked pairs, each once: what an inverted index is made from.
    pub(crate) fn shingles(&self) -> impl Iterator<Item = u64> {
        let list = &self.masked;
        (0..list.len()).filter(move |at| *at == 0 || list[at - 1] != list[*at]).map(move |at| list[at])
    }
}

fn dice(a: &[u64], b: &[u64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    2.0 * common(a, b) as f64 / (a.len() + b.len()) as f64
}

/// Members of both sorted lists, repetitions counted.
fn common(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                count += 1;
                i += 1;
                j += 1;
            }
        }
    }
    count
}

/// Chinese characters one by one, other words and numbers whole; punctuation does not count.
fn words(folded: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut class = Class::Other;
    for (at, c) in folded.char_indices() {
        let next = Class::of(c, class);
        if next != class || matches!(next, Class::Single) {
            push(&mut words, &folded[start..at], class);
            start = at;
        }
        class = next;
    }
    push(&mut words, &folded[start..], class);
    words
}

fn push<'a>(words: &mut Vec<&'a str>, word: &'a str, class: Class) {
    let word = word.trim_end_matches('.');
    if !word.is_empty() && class != Class::Other {
        words.push(word);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Single,
    Letters,
    Number,
    Other,
}

impl Class {
    fn of(c: char, before: Self) -> Self {
        if c.is_ascii_digit() || (c == '.' && before == Self::Number) {
            Self::Number
        } else if is_cjk(c) && !is_cjk_punctuation(c) {
            Self::Single
        } else if c.is_alphabetic() {
            Self::Letters
        } else {
            Self::Other
        }
    }
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Neighbouring words, the ends of the text included, as sorted hashes.
fn pairs<'a>(words: impl Iterator<Item = &'a str>) -> Vec<u64> {
    let mut hashes = Vec::new();
    let mut before = "\u{2}";
    for word in words {
        hashes.push(hash(before, word));
        before = word;
    }
    if !hashes.is_empty() {
        hashes.push(hash(before, "\u{3}"));
    }
    hashes.sort_unstable();
    hashes
}

fn hash(a: &str, b: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (a, b).hash(&mut hasher);
    hasher.finish()
}

/// Every run of digits, decimal points included, as `#`.
fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_number = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let continues = in_number && c == '.' && chars.peek().is_some_and(char::is_ascii_digit);
        if c.is_ascii_digit() || continues {
            if !in_number {
                out.push('#');
            }
            in_number = true;
        } else {
            out.push(c);
            in_number = false;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_limit_leaves_two_texts_nearly_the_same() {
        let old = Profile::new("单次过切量不应超过 80 万千瓦，第二轮补足。");
        let new = Profile::new("单次过切量不应超过60万千瓦，第二轮补足。");
        assert_eq!(old.masked_key, new.masked_key);
        assert!(old.likeness(&new) > 0.95, "{}", old.likeness(&new));
        let other = Profile::new("低压减载装置安装在受端变电站，母线电压低时动作。");
        assert!(old.likeness(&other) < 0.15, "{}", old.likeness(&other));
    }

    #[test]
    fn english_is_compared_by_words() {
        let old =
            Profile::new("Each Responsible Entity shall review its documented plan once every 15 months.");
        let new =
            Profile::new("Each Responsible Entity shall maintain one or more processes for access control.");
        assert!(old.likeness(&new) < 0.5, "{}", old.likeness(&new));
        let whole = Profile::new("立即汇报国调。拉开失压母线上的全部开关。");
        let part = Profile::new("拉开失压母线上的全部开关。");
        assert!(part.contained_in(&whole) > 0.9 && whole.contained_in(&part) < 0.7);
    }
}
