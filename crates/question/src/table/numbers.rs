//! Numbers as questions and labels write and say them, in digits: 一线 and Ⅰ线 are 1线, fifteen degrees are 15 degrees.

use std::ops::Range;
use std::sync::LazyLock;

use regreader_text::number::{is_cjk_numeral, parse_cjk, roman_char};
use regreader_text::{Quantity, find_quantities, words_of};

use crate::lexicon::Lexicon;
use crate::{WORDS, condition};

/// Numbers as they are said in English, from one on.
static NUMBERS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "numbers from one"));
/// Tens as they are said in English, from twenty on.
static TENS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "tens from twenty"));
/// What numbers name or count in Chinese, by one character.
pub(super) const NUMBERED: &str = "线母段号极回台组级轮套";

/// A text with digits for Roman and Chinese numbers that stand before what they number or count: Ⅰ线 and 一线 are 1线, 两台 is 2台.
pub(super) fn plain_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = match roman_char(c) {
            Some(_) => c.len_utf8(),
            None => rest.find(|c: char| !(is_cjk_numeral(c) || c == '两')).unwrap_or(rest.len()),
        };
        let (number, behind) = rest.split_at(end);
        let value = roman_char(c).or_else(|| parse_cjk(&number.replace('两', "二")));
        let is_before = behind.starts_with(|c: char| NUMBERED.contains(c));
        match value.filter(|_| end > 0 && (is_before || roman_char(c).is_some())) {
            Some(value) => {
                plain.push_str(&value.to_string());
                rest = behind;
            }
            None => {
                let end = end.max(c.len_utf8());
                plain.push_str(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }
    plain
}

/// The number that an English word says: three, thirty-eight.
pub(crate) fn said_number(word: &str) -> Option<usize> {
    let small = |word: &str| NUMBERS.iter().position(|number| *number == word).map(|at| at + 1);
    let ten = |word: &str| TENS.iter().position(|ten| *ten == word).map(|at| 10 * (at + 2));
    let (first, rest) = word.split_once('-').map_or((word, None), |(first, rest)| (first, Some(rest)));
    match rest {
        None => small(word).or_else(|| ten(word)),
        Some(rest) => Some(ten(first)? + small(rest).filter(|one| *one < 10)?),
    }
}

/// A text with digits for its English numbers: fifteen degrees is 15 degrees.
pub(crate) fn digits_for_words(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let is_of_word = |c: char| c.is_ascii_alphabetic() || c == '-';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = match rest.find(|c: char| !is_of_word(c)).unwrap_or(rest.len()) {
            0 => c.len_utf8(),
            word => word,
        };
        let (word, behind) = rest.split_at(end);
        match said_number(&word.to_ascii_lowercase()) {
            Some(number) => plain.push_str(&number.to_string()),
            None => plain.push_str(word),
        }
        rest = behind;
    }
    plain
}

/// The quantities of a text without the numbers of things that it says are lost: 两台都掉了.
pub(super) fn quantities_there(text: &str, lexicon: &Lexicon) -> Vec<Quantity> {
    let is_lost = |range: &Range<usize>| {
        let last = text[..range.end].chars().next_back().filter(|c| NUMBERED.contains(*c));
        last.is_some_and(|c| {
            condition::is_lost(&text[..range.start], lexicon)
                || condition::is_lost_behind(&text[range.end - c.len_utf8()..], lexicon)
        })
    };
    let found = find_quantities(text).into_iter().filter(|(range, _)| !is_lost(range));
    found.map(|(_, quantity)| quantity).collect()
}
