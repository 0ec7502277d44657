//! Codes of standards: `GB/T 38755—2019`, `DL 755`, `Q/GDW 1799.1`, `CIP-006-6`. Owns their form, what of a code names
//! the edition, and how a code is written canonically; whose code it is shows only in the document.

use std::fmt::Write;
use std::ops::Range;
use std::sync::LazyLock;

use crate::numbering::{Numbering, decimal};
use crate::scan::{Cursor, half, is_dash};
use crate::words::{WORDS, words_of};

/// A standard's code, as found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandardCode {
    /// Canonical form: `GB/T 38755-2019`, `CIP-006-6`.
    pub name: String,
    /// The code without its edition: `GB/T 38755`, `CIP-006`. Equal to the name where no edition is printed.
    pub series: String,
    /// Year or version: `2019`, `5.1a`.
    pub edition: Option<String>,
    /// The bytes of the text that print it.
    pub range: Range<usize>,
}

/// Every code in a text, in order.
///
/// ```
/// use regreader_text::find_codes;
/// let found = find_codes("代替ＤＬ ７５５—２００１，见 CIP‐006‐6");
/// let names: Vec<_> = found.iter().map(|code| (code.name.as_str(), code.series.as_str())).collect();
/// assert_eq!(names, [("DL 755-2001", "DL 755"), ("CIP-006-6", "CIP-006")]);
/// assert!(find_codes("4 GB 2 内存").is_empty());
/// ```
pub fn find_codes(text: &str) -> Vec<StandardCode> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(text);
    while let Some(c) = cursor.peek() {
        let starts = c.is_ascii_uppercase() && !cursor.before().is_some_and(|c| c.is_ascii_alphanumeric());
        match starts.then(|| code_at(cursor)).flatten() {
            Some((code, end)) => {
                found.push(code);
                cursor = end;
            }
            None => {
                cursor.bump();
            }
        }
    }
    found
}

/// The code that begins at the cursor, and the place behind it.
pub(crate) fn code_at(start: Cursor<'_>) -> Option<(StandardCode, Cursor<'_>)> {
    let (series, edition, end) = nerc_code(start).or_else(|| standard_code(start))?;
    let name = match &edition {
        Some(edition) => format!("{series}-{edition}"),
        None => series.clone(),
    };
    Some((StandardCode { name, series, edition, range: start.pos()..end.pos() }, end))
}

type Parts<'a> = (String, Option<String>, Cursor<'a>);

/// `CIP-006-6`: three capitals, three digits, and an edition that may be missing.
fn nerc_code(start: Cursor<'_>) -> Option<Parts<'_>> {
    let mut cursor = start;
    let letters = capitals(&mut cursor);
    if letters.len() != 3 {
        return None;
    }
    cursor.eat_if(is_dash)?;
    let digits_start = cursor;
    let n = cursor.digits(3)?;
    if cursor.since(&digits_start).chars().count() != 3 {
        return None;
    }
    let mut edition = None;
    let mut ahead = cursor;
    if ahead.eat_if(is_dash).is_some()
        && let Some(parts) = decimal(&mut ahead)
    {
        let mut printed = Numbering::Decimal(parts).to_string();
        printed.extend(ahead.eat_if(|c| c.is_ascii_lowercase()));
        edition = Some(printed);
        cursor = ahead;
    }
    let ends = !cursor.peek().is_some_and(|c| c.is_ascii_alphanumeric());
    ends.then(|| (format!("{letters}-{n:03}"), edition, cursor))
}

/// Bodies whose codes are met in running text without a year or a `/T`.
static BODIES: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "standards bodies"));

/// Further sector codes of Chinese industry standards (行业标准代号, as published by the Standardization
/// Administration), metrology and military standards, and international bodies. Two letters alone mean too many other
/// things, so these need a year or a `/T`.
static DATED_BODIES: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "standards bodies with a year"));

fn standard_code(start: Cursor<'_>) -> Option<Parts<'_>> {
    let mut cursor = start;
    let mut body = capitals(&mut cursor);
    let enterprise = matches!(body.as_str(), "Q" | "T");
    let mut recommended = false;
    if cursor.peek().is_some_and(is_slash) {
        let mut ahead = cursor;
        ahead.bump();
        let tail = capitals(&mut ahead);
        let known = if enterprise { tail.len() >= 2 } else { matches!(tail.as_str(), "T" | "Z" | "J") };
        if !known {
            return None;
        }
        body = format!("{body}/{tail}");
        cursor = ahead;
        recommended = true;
    } else if let Some(family) = body.strip_suffix('T').filter(|family| is_body(family)) {
        // JTT 808: the slash was lost, as in every file name.
        body = format!("{family}/T");
        recommended = true;
    }
    let family = body.split('/').next().unwrap_or("");
    let regional = family.starts_with("DB");
    if !(is_body(family) || (enterprise && recommended) || regional) {
        return None;
    }
    cursor.skip_spaces();
    let number = standard_number(&mut cursor)?;
    let series = format!("{body} {number}");
    let mut year = cursor;
    year.skip_spaces();
    let mut edition = None;
    if year.eat_if(|c| is_dash(c) || c == ':').is_some() {
        while year.eat_if(is_dash).is_some() {}
        year.skip_spaces();
        if let Some(y) = year.digits(4).filter(|y| (1949..2200).contains(y)) {
            let mut printed = String::new();
            let _ = write!(printed, "{y}");
            edition = Some(printed);
            cursor = year;
        }
    }
    // 4 GB 2 is memory; a code has its T, its year or a number of three digits.
    let plain = (BODIES.contains(&family) || regional) && number.len() >= 3;
    let sure = edition.is_some() || recommended || plain;
    (sure && !cursor.peek().is_some_and(|c| c.is_ascii_alphanumeric())).then_some((series, edition, cursor))
}

fn is_body(letters: &str) -> bool {
    BODIES.contains(&letters) || DATED_BODIES.contains(&letters)
}

fn is_slash(c: char) -> bool {
    matches!(c, '/' | '\u{2215}' | '\u{2044}')
}

/// `38755`, `1.1`, `002`: digits and dots as printed.
fn standard_number(cursor: &mut Cursor<'_>) -> Option<String> {
    let mut out = String::new();
    loop {
        let part = *cursor;
        cursor.digits(6)?;
        out.extend(cursor.since(&part).chars().map(half));
        let mut dot = *cursor;
        if !(dot.eat('.') && dot.peek().is_some_and(|c| c.is_ascii_digit()) && out.len() < 16) {
            return Some(out);
        }
        *cursor = dot;
        out.push('.');
    }
}

fn capitals(cursor: &mut Cursor<'_>) -> String {
    let mut out = String::new();
    while out.len() < 8
        && let Some(c) = cursor.eat_if(|c| c.is_ascii_uppercase())
    {
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        find_codes(text).into_iter().map(|code| code.name).collect()
    }

    #[test]
    fn every_way_of_printing_a_code_is_one_code() {
        for text in ["GB/T 33560-2017", "ＧＢ／Ｔ ３３５６０—２０１７", "GBT33560-2017", "GB∕T 33560–2017"]
        {
            assert_eq!(names(text), ["GB/T 33560-2017"], "{text}");
        }
        assert_eq!(names("T/JSATL12—2017"), ["T/JSATL 12-2017"]);
        assert_eq!(names("GMT 0002-2012"), ["GM/T 0002-2012"]);
        assert_eq!(names("CIP\u{2010}006\u{2010}6 and CIP-002-5.1a"), ["CIP-006-6", "CIP-002-5.1a"]);
    }

    #[test]
    fn letters_and_numbers_that_are_no_code_are_left_alone() {
        for text in ["4 GB 2", "SC 100", "AGB 123", "SY 3"] {
            assert!(names(text).is_empty(), "{text}");
        }
    }
}
