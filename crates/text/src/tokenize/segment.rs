//! Text cut into words of the dictionary, the most probable way: what `jieba.cut(text, false)` gives.
//!
//! jieba puts 350,000 words into a trie before it cuts the first one, which took half the time of an answer from the shell. A
//! question has a few dozen characters, so here the words stay as they were unpacked, sorted, and are found by bisection.

use std::collections::{BTreeMap, HashMap};

use super::dictionary;

/// How often a word that the dictionary does not have is taken to have been counted.
const UNKNOWN: usize = 1;

/// Words of the dictionary and their bytes, about: room that is enough at once need not be moved.
const WORDS: usize = 350_000;
const BYTES: usize = 3_500_000;

/// The words of a dictionary with their counts.
pub(super) struct Segmenter {
    /// All words of the file, one behind the other, in the order of their bytes.
    text: String,
    /// Where each word begins, and the end of the last one.
    starts: Vec<u32>,
    counts: Vec<u32>,
    /// The words that begin with a character.
    first: HashMap<char, (u32, u32)>,
    /// Terms of our own; they come before words of the file.
    terms: BTreeMap<String, usize>,
    longest_term: usize,
    total: usize,
}

/// A word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'t> {
    /// Where it begins, in characters.
    pub start: usize,
    pub word: &'t str,
}

impl Segmenter {
    /// No words: letters and digits that touch stay together.
    pub fn without_words() -> Self {
        Self::with_room(0, 0)
    }

    fn with_room(words: usize, bytes: usize) -> Self {
        let mut starts = Vec::with_capacity(words + 1);
        starts.push(0);
        Self {
            text: String::with_capacity(bytes),
            starts,
            counts: Vec::with_capacity(words),
            first: HashMap::new(),
            terms: BTreeMap::new(),
            longest_term: 0,
            total: 0,
        }
    }

    /// The dictionary with these terms.
    pub fn with_terms(terms: impl Iterator<Item = String>) -> Self {
        let mut all = Self::with_room(WORDS, BYTES);
        dictionary::for_each(|word, count| {
            let at = all.counts.len() as u32;
            if let Some(first) = word.chars().next() {
                all.first.entry(first).or_insert((at, at)).1 = at + 1;
            }
            all.text.push_str(word);
            all.starts.push(all.text.len() as u32);
            all.counts.push(u32::try_from(count).unwrap_or(u32::MAX));
            all.total += count;
        });
        for term in terms {
            all.add(term);
        }
        all
    }

    /// Adds a term with so high a count that it is not cut.
    fn add(&mut self, term: String) {
        let log_total = (self.total as f64).ln();
        let pieces = self.cut(&term);
        let log: f64 = pieces.iter().fold(0.0, |log, piece| {
            log + (self.count(piece.word).unwrap_or(UNKNOWN) as f64).ln() - log_total
        });
        let known = self.count(&term);
        let count = ((log + log_total).exp() as usize + 1).max(known.unwrap_or(UNKNOWN));
        self.total = self.total + count - known.unwrap_or(0);
        self.longest_term = self.longest_term.max(term.chars().count());
        self.terms.insert(term, count);
    }

    /// The pieces of a text, all of it.
    pub fn cut<'t>(&self, text: &'t str) -> Vec<Piece<'t>> {
        let chars: Vec<(usize, char)> = text.char_indices().collect();
        let mut pieces = Vec::new();
        let mut at = 0;
        while at < chars.len() {
            let same = chars[at..].iter().take_while(|(_, c)| is_of_words(*c)).count();
            if same > 0 {
                self.cut_run(text, &chars, at..at + same, &mut pieces);
                at += same;
                continue;
            }
            let is_line_end = chars[at].1 == '\r' && chars.get(at + 1).is_some_and(|(_, c)| *c == '\n');
            let next = at + 1 + usize::from(is_line_end);
            pieces.push(Piece { start: at, word: between(text, &chars, at, next) });
            at = next;
        }
        pieces
    }

    /// The most probable way through a run of characters of which words are made.
    fn cut_run<'t>(
        &self,
        text: &'t str,
        chars: &[(usize, char)],
        run: std::ops::Range<usize>,
        pieces: &mut Vec<Piece<'t>>,
    ) {
        let log_total = (self.total.max(1) as f64).ln();
        // For every place the best way from it to the end: its logarithm, and where its first word ends.
        let mut best: Vec<(f64, usize)> = vec![(0.0, run.end); run.len() + 1];
        for at in run.clone().rev() {
            let mut found: Option<(f64, usize)> = None;
            self.each_word(text, chars, at, run.end, |end, count| {
                let way = (count as f64).ln() - log_total + best[end - run.start].0;
                if found.is_none_or(|(most, last)| way.total_cmp(&most).then(end.cmp(&last)).is_gt()) {
                    found = Some((way, end));
                }
            });
            best[at - run.start] = found.unwrap_or_else(|| (best[at + 1 - run.start].0 - log_total, at + 1));
        }
        let mut at = run.start;
        while at < run.end {
            let mut end = best[at - run.start].1;
            // Letters and digits that are no words stay together.
            let is_letter =
                |at: usize| best[at - run.start].1 == at + 1 && chars[at].1.is_ascii_alphanumeric();
            while end < run.end && is_letter(at) && is_letter(end) {
                end += 1;
            }
            pieces.push(Piece { start: at, word: between(text, chars, at, end) });
            at = end;
        }
    }

    /// Every word that stands at a place, by its end in characters.
    fn each_word(
        &self,
        text: &str,
        chars: &[(usize, char)],
        at: usize,
        most: usize,
        mut found: impl FnMut(usize, usize),
    ) {
        let (mut from, mut to) = self.first.get(&chars[at].1).copied().unwrap_or_default();
        for end in at + 1..=most {
            let word = between(text, chars, at, end);
            if from < to {
                from += partition(to - from, |step| self.word(from + step) < word);
                to = from + partition(to - from, |step| self.word(from + step).starts_with(word));
            }
            let is_near = end - at <= self.longest_term;
            if from >= to && !is_near {
                break;
            }
            let term = if is_near { self.terms.get(word).copied() } else { None };
            let of_file =
                || (from < to && self.word(from) == word).then(|| self.counts[from as usize] as usize);
            if let Some(count) = term.or_else(of_file) {
                found(end, count);
            }
        }
    }

    fn word(&self, at: u32) -> &str {
        let at = at as usize;
        &self.text[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    fn count(&self, word: &str) -> Option<usize> {
        if let Some(count) = self.terms.get(word) {
            return Some(*count);
        }
        let (from, to) = self.first.get(&word.chars().next()?).copied()?;
        let at = from + partition(to - from, |step| self.word(from + step) < word);
        (at < to && self.word(at) == word).then(|| self.counts[at as usize] as usize)
    }
}

/// How many of the first numbers hold, where all that hold come first.
fn partition(count: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut from, mut to) = (0, count);
    while from < to {
        let middle = from + (to - from) / 2;
        if holds(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

fn between<'t>(text: &'t str, chars: &[(usize, char)], from: usize, to: usize) -> &'t str {
    let place = |at: usize| chars.get(at).map_or(text.len(), |(place, _)| *place);
    &text[place(from)..place(to)]
}

/// Whether jieba looks for words at a character: ideographs, and what Latin words and numbers are made of.
fn is_of_words(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '+' | '#' | '&' | '.' | '_' | '%' | '-')
        || matches!(c,
            '\u{4E00}'..='\u{9FFF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{2A6DF}'
            | '\u{2A700}'..='\u{2B73F}'
            | '\u{2B740}'..='\u{2B81F}'
            | '\u{2B820}'..='\u{2CEAF}'
            | '\u{2CEB0}'..='\u{2EBEF}'
            | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::words;

    /// The same pieces as jieba makes, which is the reference.
    fn agree(text: &str) {
        let jieba = words::jieba().cut(text, false);
        let theirs: Vec<(usize, &str)> = jieba.iter().map(|token| (token.start, token.word)).collect();
        let pieces = words::segmenter().cut(text);
        let ours: Vec<(usize, &str)> = pieces.iter().map(|piece| (piece.start, piece.word)).collect();
        assert_eq!(ours, theirs, "{text}");
    }

    #[test]
    fn texts_are_cut_as_jieba_cuts_them() {
        for text in [
            "",
            "时候人站着",
            "500kV长南Ⅰ线跳闸后，重合闸未动作。",
            "1号店的T恤A4纸 a.b-c 3.5%",
            "断面\r\n限额\n\t不得超过 1,200 MW",
            "南京市长江大桥\u{20000}𠀀龥㐀",
            "稳定限额按表6-2执行；第2.1.4条除外（见注3）",
            "abc母线abc",
        ] {
            agree(text);
        }
        for line in super::super::super::words::WORDS.lines().chain(include_str!("../terms.txt").lines()) {
            agree(line);
        }
    }

    #[test]
    fn every_word_of_the_dictionary_has_a_sign_of_words() {
        let mut without = Vec::new();
        super::dictionary::for_each(|word, _| {
            without.extend((!words::may_have_words(word)).then(|| word.to_owned()));
        });
        assert!(without.is_empty(), "{without:?}");
    }

    proptest! {
        #[test]
        fn what_may_have_no_words_is_cut_without_the_dictionary(text in "[a-zA-Z0-9+#&._%\\-, \r\n()]{0,30}") {
            let jieba = words::jieba().cut(&text, false);
            let theirs: Vec<usize> = jieba.iter().map(|token| token.start).collect();
            prop_assert_eq!(words::word_starts(&text), theirs);
        }

        #[test]
        fn any_text_is_cut_as_jieba_cuts_it(text in "[电力系统母线断面限额的人一二三1号店aB9.%\\- ，\r\n直流停运检修站变压器在同]{0,40}") {
            agree(&text);
        }
    }
}
