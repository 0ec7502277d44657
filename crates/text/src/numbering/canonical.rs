//! Canonical numbers, written and read back.

use std::fmt;

use super::{EnglishWord, Numbering};
use crate::number;

pub(super) fn write(numbering: &Numbering, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    use Numbering as N;
    match numbering {
        N::Part(n) => write!(f, "第{n}篇"),
        N::Chapter(n) => write!(f, "第{n}章"),
        N::Section(n) => write!(f, "第{n}节"),
        N::Article(n) => write!(f, "第{n}条"),
        N::ArticleInserted(n, inserted) => write!(f, "第{n}条之{inserted}"),
        N::Decimal(parts) => write_parts(f, parts),
        N::Enumerated(n) => write!(f, "{}、", number::format_cjk(*n)),
        N::Paren(n) => write!(f, "（{}）", number::format_cjk(*n)),
        N::ParenDigit(n) => write!(f, "（{n}）"),
        N::Circled(n) => match number::to_circled(*n) {
            Some(c) => write!(f, "{c}"),
            None => write!(f, "圈{n}"),
        },
        N::Item(c) => write!(f, "{c})"),
        N::ParenRoman(n) => match number::format_roman(*n) {
            Some(roman) => write!(f, "({})", roman.to_ascii_lowercase()),
            None => write!(f, "(#{n})"),
        },
        N::Appendix(c) => write!(f, "附录{c}"),
        N::AppendixNumbered(n) => write!(f, "附录{n}"),
        N::Attachment(n) => write!(f, "附件{n}"),
        N::AppendixDecimal(c, parts) => {
            write!(f, "{c}.")?;
            write_parts(f, parts)
        }
        N::Requirement(n) => write!(f, "R{n}"),
        N::RequirementPart(n, parts) => {
            write!(f, "R{n}.")?;
            write_parts(f, parts)
        }
        N::Measure(n) => write!(f, "M{n}"),
        N::English { word, number, letter } => {
            write!(f, "{} ", word.as_str())?;
            write_parts(f, number)?;
            letter.map_or(Ok(()), |letter| write!(f, "{letter}"))
        }
        N::Roman(n) => match number::format_roman(*n) {
            Some(roman) => f.write_str(&roman),
            None => write!(f, "#{n}"),
        },
        N::Letter(c) => write!(f, "{c}."),
    }
}

fn write_parts(f: &mut fmt::Formatter<'_>, parts: &[u32]) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(".")?;
        }
        write!(f, "{part}")?;
    }
    Ok(())
}

pub(super) fn parse(text: &str) -> Option<Numbering> {
    let numbering = parse_loosely(text)?;
    // Leading zeros and other second spellings are not canonical.
    (numbering.to_string() == text).then_some(numbering)
}

fn parse_loosely(text: &str) -> Option<Numbering> {
    use Numbering as N;
    if let Some(inner) = text.strip_prefix('第') {
        let unit_at = inner.find(|c: char| !c.is_ascii_digit())?;
        let (digits, unit) = inner.split_at(unit_at);
        let n = digits.parse().ok()?;
        return match unit {
            "篇" => Some(N::Part(n)),
            "章" => Some(N::Chapter(n)),
            "节" => Some(N::Section(n)),
            "条" => Some(N::Article(n)),
            _ => Some(N::ArticleInserted(n, unit.strip_prefix("条之")?.parse().ok()?)),
        };
    }
    if let Some(label) = text.strip_prefix("附录") {
        return single_letter(label)
            .map(N::Appendix)
            .or_else(|| Some(N::AppendixNumbered(label.parse().ok()?)));
    }
    if let Some(label) = text.strip_prefix("附件") {
        return Some(N::Attachment(label.parse().ok()?));
    }
    if let Some(inner) = text.strip_prefix('（').and_then(|t| t.strip_suffix('）')) {
        return match inner.parse() {
            Ok(n) => Some(N::ParenDigit(n)),
            Err(_) => number::parse_cjk(inner).map(N::Paren),
        };
    }
    if let Some(inner) = text.strip_suffix('、') {
        return number::parse_cjk(inner).map(N::Enumerated);
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        return match inner.strip_prefix('#') {
            Some(n) => Some(N::ParenRoman(n.parse().ok()?)),
            None => number::parse_roman(inner).map(N::ParenRoman),
        };
    }
    if let Some(n) = text.strip_prefix('圈') {
        return Some(N::Circled(n.parse().ok()?));
    }
    if let Some(n) = text.strip_prefix('#') {
        return Some(N::Roman(n.parse().ok()?));
    }
    if let Some(item) = text.strip_suffix(')') {
        return single_letter(item).map(N::Item);
    }
    if let Some((word, rest)) = text.split_once(' ') {
        return parse_english(word, rest);
    }
    parse_latin(text)
}

fn parse_latin(text: &str) -> Option<Numbering> {
    use Numbering as N;
    let first = text.chars().next()?;
    let tail = text.get(first.len_utf8()..)?;
    if let Some(n) = number::circled(first)
        && tail.is_empty()
    {
        return Some(N::Circled(n));
    }
    if first.is_ascii_digit() {
        return Some(N::Decimal(parts(text)?));
    }
    if tail == "." && first.is_ascii_alphabetic() {
        return Some(N::Letter(first));
    }
    if let Some(roman) = number::parse_roman(text) {
        return Some(N::Roman(roman));
    }
    match (first, tail.split_once('.')) {
        (_, Some(("", rest))) if first.is_ascii_alphabetic() => Some(N::AppendixDecimal(first, parts(rest)?)),
        ('R', Some((n, rest))) => Some(N::RequirementPart(n.parse().ok()?, parts(rest)?)),
        ('R', None) => Some(N::Requirement(tail.parse().ok()?)),
        ('M', None) => Some(N::Measure(tail.parse().ok()?)),
        _ => None,
    }
}

fn parse_english(word: &str, rest: &str) -> Option<Numbering> {
    let word = EnglishWord::ALL.into_iter().find(|known| known.as_str() == word)?;
    let letter = rest.chars().next_back().filter(char::is_ascii_alphabetic);
    let digits = rest.strip_suffix(|c: char| Some(c) == letter).unwrap_or(rest);
    Some(Numbering::English { word, number: parts(digits)?, letter })
}

fn parts(text: &str) -> Option<Vec<u32>> {
    text.split('.').map(|part| part.parse().ok()).collect()
}

fn single_letter(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    chars.next().is_none().then_some(letter)
}
