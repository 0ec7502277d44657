//! Text to rows of the table: the tokenisation of the built-in model.
//!
//! The mirror of `training/regembed/tokens.py`; `tests/vectors.rs` proves that both give the same rows. It is no search
//! tokenizer and knows no grammar: it folds (NFKC, lower case), cuts runs of one kind, and looks names up.
//!
//! * Han run: every character and every pair, triple and quadruple of neighbours that has a row. Overlaps are wanted:
//!   失压 finds 母线失压.
//! * Letter or digit run: the whole run if it has a row, else greedy longest pieces. 330kV is `330`, `kv`.
//! * Two letter runs with only blanks or hyphens between them also give the pair, if it has a row (`circuit breaker`).
//! * Any other character is a row of its own if there is one (%, ±, ≥), and otherwise only a boundary.

use unicode_normalization::UnicodeNormalization as _;

use crate::vocabulary::Vocabulary;

/// Letter or digit runs are looked up in slices of this many characters.
const MAX_RUN: usize = 64;
/// Longest run of Han characters that is one row.
const MAX_HAN: usize = 4;

/// Working memory of [`Tokens::rows`], kept between texts.
#[derive(Default)]
pub(crate) struct Tokens {
    folded: Vec<char>,
    run: String,
    before: String,
    pair: String,
    rows: Vec<u32>,
}

impl Tokens {
    /// The rows of a text, in order, with repetitions.
    pub(crate) fn rows(&mut self, vocabulary: &Vocabulary, text: &str) -> &[u32] {
        self.rows.clear();
        self.before.clear();
        fold(text, &mut self.folded);
        let folded = std::mem::take(&mut self.folded);
        let mut rest = folded.as_slice();
        while let Some(&first) = rest.first() {
            let kind = Kind::of(first);
            let end = if kind == Kind::Other {
                1
            } else {
                rest.iter().position(|&c| Kind::of(c) != kind).unwrap_or(rest.len())
            };
            let (run, after) = rest.split_at(end);
            match kind {
                Kind::Han => self.han(vocabulary, run),
                Kind::Letter => self.letters(vocabulary, run),
                Kind::Digit => {
                    self.pieces(vocabulary, run);
                    self.before.clear();
                }
                Kind::Space => {}
                Kind::Other => {
                    self.rows.extend(vocabulary.symbol(first));
                    self.before.clear();
                }
            }
            rest = after;
        }
        self.folded = folded;
        &self.rows
    }

    fn han(&mut self, vocabulary: &Vocabulary, run: &[char]) {
        self.before.clear();
        for start in 0..run.len() {
            let mut prefix = vocabulary.han();
            for &c in run.iter().skip(start).take(MAX_HAN) {
                // A prefix that begins no row ends the search: most positions need two lookups.
                if !prefix.push(c) {
                    break;
                }
                self.rows.extend(prefix.row());
            }
        }
    }

    fn letters(&mut self, vocabulary: &Vocabulary, run: &[char]) {
        self.pieces(vocabulary, run);
        if run.len() > MAX_RUN {
            self.before.clear();
            return;
        }
        self.run.clear();
        self.run.extend(run);
        if !self.before.is_empty() {
            self.pair.clear();
            self.pair.push_str(&self.before);
            self.pair.push(' ');
            self.pair.push_str(&self.run);
            self.rows.extend(vocabulary.word(&self.pair));
        }
        std::mem::swap(&mut self.before, &mut self.run);
    }

    fn pieces(&mut self, vocabulary: &Vocabulary, run: &[char]) {
        for slice in run.chunks(MAX_RUN) {
            let mut rest = slice;
            let mut continues = false;
            while !rest.is_empty() {
                let longest = vocabulary.longest_piece().min(rest.len());
                self.run.clear();
                self.run.extend(rest.iter().take(longest));
                let mut taken = 0;
                for length in (1..=longest).rev() {
                    let found =
                        if continues { vocabulary.tail(&self.run) } else { vocabulary.word(&self.run) };
                    if let Some(row) = found {
                        self.rows.push(row);
                        taken = length;
                        break;
                    }
                    self.run.pop();
                }
                // A character without a row (a rare letter) is skipped, never an error.
                rest = rest.get(taken.max(1)..).unwrap_or_default();
                continues = true;
            }
        }
    }
}

/// What a folded character is to the tokenisation. Plain ranges, so that no library's tables can differ.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Han,
    Letter,
    Digit,
    Space,
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        match u32::from(c) {
            0x30..=0x39 => Self::Digit,
            0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x3007 | 0x2_0000..=0x3_134F => Self::Han,
            // The division sign lies among the letters with marks.
            0xF7 => Self::Other,
            // Latin, with marks too, Greek, Cyrillic.
            0x61..=0x7A | 0xDF..=0x24F | 0x370..=0x4FF => Self::Letter,
            0x20 | 0x2D | 0x0A | 0x0D | 0x09 | 0x2010 | 0x2011 => Self::Space,
            _ => Self::Other,
        }
    }
}

/// NFKC, then lower case character by character.
fn fold(text: &str, out: &mut Vec<char>) {
    out.clear();
    if text.chars().all(is_simple) {
        out.extend(text.chars().map(fold_simple));
    } else {
        out.extend(text.nfkc().flat_map(char::to_lowercase));
    }
}

/// Characters that NFKC changes one by one or not at all and that no neighbour combines with: nearly all text, without
/// the cost of normalisation.
fn is_simple(c: char) -> bool {
    matches!(u32::from(c), 0..=0x7F | 0x4E00..=0x9FFF | 0xFF01..=0xFF5E | 0x3000..=0x3002 | 0x3008..=0x3011 | 0x2014
        | 0x2018 | 0x2019 | 0x201C | 0x201D)
}

fn fold_simple(c: char) -> char {
    match u32::from(c) {
        0x3000 => ' ',
        code @ 0xFF01..=0xFF5E => char::from((code - 0xFEE0) as u8).to_ascii_lowercase(),
        _ => c.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_way_of_folding_agrees_with_normalisation() {
        let simple = (0..=0x10_FFFF).filter_map(char::from_u32).filter(|&c| is_simple(c));
        for c in simple {
            let slow: Vec<char> = c.to_string().nfkc().flat_map(char::to_lowercase).collect();
            assert_eq!(slow, [fold_simple(c)], "{c:?}");
        }
    }

    #[test]
    fn folds_width_numerals_and_case() {
        let mut out = Vec::new();
        fold("ＧＢ ３８７５５ Ⅲ线 ㎡ ﬁ", &mut out);
        assert_eq!(out.iter().collect::<String>(), "gb 38755 iii线 m2 fi");
    }
}
