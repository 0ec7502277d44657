//! English words with their numbers: Section 4.2, ARTICLE IV, Item 7A, Appendix B, Requirement R1.

use super::line::{decimal, lone_capital, sub_numbers};
use super::{EnglishWord, Numbering};
use crate::number;
use crate::scan::Cursor;

/// An English word with its number.
pub(super) fn english_number(start: Cursor<'_>) -> Option<(Numbering, Cursor<'_>)> {
    let mut cursor = start;
    let (head, plural) = english_head(&mut cursor)?;
    // Subsections and sentences are named in references; as headings they carry the number alone.
    if plural || matches!(head, HeadWord::Below(_)) || !cursor.skip_spaces() {
        return None;
    }
    let numbering = english_number_after(&mut cursor, head)?;
    Some((numbering, cursor))
}

/// The number behind a head word, with no letter or digit after it.
pub(crate) fn english_number_after(start: &mut Cursor<'_>, head: HeadWord) -> Option<Numbering> {
    let mut cursor = *start;
    let numbering = match head {
        HeadWord::Section(word) | HeadWord::Below(word) => section_number(&mut cursor, word)?,
        HeadWord::Appendix => match lone_capital(&mut cursor) {
            Some(letter) => match sub_numbers(&mut cursor) {
                Some(parts) => Numbering::AppendixDecimal(letter, parts),
                None => Numbering::Appendix(letter),
            },
            None => Numbering::AppendixNumbered(cursor.digits(3)?),
        },
        HeadWord::Attachment => Numbering::Attachment(cursor.digits(3)?),
        HeadWord::Requirement => {
            cursor.eat('R');
            let parts = decimal(&mut cursor)?;
            match parts.split_first()? {
                (first, []) => Numbering::Requirement(*first),
                (first, tail) => Numbering::RequirementPart(*first, tail.to_vec()),
            }
        }
    };
    if cursor.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    *start = cursor;
    Some(numbering)
}

fn section_number(cursor: &mut Cursor<'_>, word: EnglishWord) -> Option<Numbering> {
    let number = match roman_word(cursor) {
        Some(n) => vec![n],
        None => decimal(cursor)?,
    };
    let mut ahead = *cursor;
    let letter = ahead
        .eat_if(|c| c.is_ascii_uppercase())
        .filter(|_| !ahead.peek().is_some_and(|c| c.is_ascii_alphanumeric()));
    if letter.is_some() {
        *cursor = ahead;
    }
    Some(Numbering::English { word, number, letter })
}

/// The kinds of words that stand before a section's number in English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadWord {
    Section(EnglishWord),
    /// Subsection, Sentence, Subclause: only in references.
    Below(EnglishWord),
    Appendix,
    Attachment,
    Requirement,
}

/// Passes a word that numbers sections, in any case; says whether it is a plural.
pub(crate) fn english_head(cursor: &mut Cursor<'_>) -> Option<(HeadWord, bool)> {
    const WORDS: [(&str, &str, HeadWord); 15] = [
        ("section", "sections", HeadWord::Section(EnglishWord::Section)),
        ("part", "parts", HeadWord::Section(EnglishWord::Part)),
        ("article", "articles", HeadWord::Section(EnglishWord::Article)),
        ("chapter", "chapters", HeadWord::Section(EnglishWord::Chapter)),
        ("item", "items", HeadWord::Section(EnglishWord::Item)),
        ("title", "titles", HeadWord::Section(EnglishWord::Title)),
        ("schedule", "schedules", HeadWord::Section(EnglishWord::Schedule)),
        ("clause", "clauses", HeadWord::Section(EnglishWord::Clause)),
        ("subsection", "subsections", HeadWord::Below(EnglishWord::Section)),
        ("sentence", "sentences", HeadWord::Below(EnglishWord::Clause)),
        ("subclause", "subclauses", HeadWord::Below(EnglishWord::Clause)),
        ("appendix", "appendices", HeadWord::Appendix),
        ("annex", "annexes", HeadWord::Appendix),
        ("attachment", "attachments", HeadWord::Attachment),
        ("requirement", "requirements", HeadWord::Requirement),
    ];
    // Most words of a text begin otherwise.
    if !cursor.peek().is_some_and(|c| "spacitrSPACITR".contains(c)) {
        return None;
    }
    WORDS.into_iter().find_map(|(one, many, head)| {
        let plural = cursor.eat_word(many);
        (plural || cursor.eat_word(one)).then_some((head, plural))
    })
}

fn roman_word(cursor: &mut Cursor<'_>) -> Option<u32> {
    if let Some(n) = cursor.raw().and_then(number::roman_char) {
        cursor.bump();
        return Some(n);
    }
    let mut ahead = *cursor;
    let start = ahead;
    while ahead.eat_if(|c| c.is_ascii_uppercase()).is_some() {}
    let letters = ahead.since(&start);
    // Article D is a letter; nobody counts five hundred articles in Roman numbers.
    if matches!(letters, "L" | "C" | "D" | "M") {
        return None;
    }
    let n = number::parse_roman(letters)?;
    (!ahead.peek().is_some_and(|c| c.is_ascii_alphanumeric())).then(|| *cursor = ahead)?;
    Some(n)
}
