//! Lists and ranges of places, whatever their kind: 表6-2、6-3, 2.1.4～2.1.6条, Parts 4.1 through 4.3.

use std::ops::Range;

use regreader_model::{ReferenceKind, ReferenceTarget};

use crate::numbering::{EnglishWord, Numbering};
use crate::scan::{Cursor, is_dash, is_tilde};

/// A place of a list.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub range: Range<usize>,
    pub kind: ReferenceKind,
    pub number: String,
    /// How it hangs on the one before it.
    pub join: Join,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    First,
    And,
    Through,
}

/// Passes what joins two places in Chinese.
pub(super) fn chinese_join(cursor: &mut Cursor<'_>) -> Option<Join> {
    let mut ahead = *cursor;
    ahead.skip_spaces();
    let join = if ahead.eat_any(&["以及", "或者", "、", "和", "与", "及", "或", ","]).is_some() {
        Join::And
    } else if ahead.eat_if(|c| matches!(c, '至' | '到') || is_tilde(c) || is_dash(c)).is_some() {
        // 1.1——1.3 is printed with a long dash.
        while ahead.eat_if(is_dash).is_some() {}
        Join::Through
    } else {
        return None;
    };
    ahead.skip_spaces();
    *cursor = ahead;
    Some(join)
}

/// Passes what joins two places in English.
pub(super) fn english_join(cursor: &mut Cursor<'_>) -> Option<Join> {
    let mut ahead = *cursor;
    ahead.skip_spaces();
    let comma = ahead.eat(',');
    ahead.skip_spaces();
    let join = if ahead.eat_word("and") || ahead.eat_word("or") || ahead.eat('&') {
        Join::And
    } else if ["through", "to", "thru"].into_iter().any(|word| ahead.eat_word(word))
        || ahead.eat_if(|c| is_dash(c) || is_tilde(c)).is_some()
    {
        Join::Through
    } else if comma {
        Join::And
    } else {
        return None;
    };
    ahead.skip_spaces();
    *cursor = ahead;
    Some(join)
}

/// Ranges longer than this are not written out: a slip (2.1.4～2.1.400) must not become hundreds of places.
const LONGEST_RANGE: u32 = 50;

/// Writes out the members of ranges that are not printed.
pub(super) fn spread(names: Vec<Named>) -> Vec<Named> {
    let mut out: Vec<Named> = Vec::with_capacity(names.len());
    for name in names {
        if name.join == Join::Through
            && let Some(first) = out.last().cloned()
            && first.kind == name.kind
        {
            let range = first.range.start..name.range.end;
            for number in between(&first.number, &name.number) {
                out.push(Named { range: range.clone(), kind: name.kind, number, join: Join::And });
            }
        }
        out.push(name);
    }
    out
}

/// The numbers between two that differ in their last part only.
fn between(first: &str, last: &str) -> Vec<String> {
    let (head, from) = split_last(first);
    let (same_head, to) = split_last(last);
    if head != same_head {
        return Vec::new();
    }
    if let (Ok(from), Ok(to)) = (from.parse::<u32>(), to.parse::<u32>()) {
        let in_reach = to.checked_sub(from).is_some_and(|steps| steps <= LONGEST_RANGE);
        return if in_reach {
            (from.saturating_add(1)..to).map(|n| format!("{head}{n}")).collect()
        } else {
            Vec::new()
        };
    }
    match (single_letter(from), single_letter(to)) {
        (Some(from), Some(to)) => {
            ((from as u8).saturating_add(1)..to as u8).map(|c| format!("{head}{}", char::from(c))).collect()
        }
        _ => Vec::new(),
    }
}

/// The last number or letter of a label, and what stands before it.
fn split_last(label: &str) -> (&str, &str) {
    let digits = label.len() - label.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let tail = if digits == 0 && label.ends_with(|c: char| c.is_ascii_uppercase()) { 1 } else { digits };
    label.split_at(label.len() - tail)
}

fn single_letter(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let letter = chars.next().filter(char::is_ascii_uppercase)?;
    chars.next().is_none().then_some(letter)
}

/// The words before a place that belong to its mention: 见, 参见, see. Never reaches before `floor`.
pub(super) fn with_lead(text: &str, start: usize, floor: usize) -> usize {
    let Some(before) = text.get(floor.min(start)..start) else { return start };
    let trimmed = before.trim_end_matches([' ', '\u{3000}', '\u{A0}']);
    for lead in ["详见", "参见", "參見", "见", "見"] {
        if let Some(rest) = trimmed.strip_suffix(lead) {
            // 意见 and 常见 end in the same character.
            return if rest.ends_with(['意', '常', '罕']) {
                start
            } else {
                start - (before.len() - rest.len())
            };
        }
    }
    let lower = |word: &str| {
        let rest_len = trimmed.len().checked_sub(word.len())?;
        let tail = trimmed.get(rest_len..)?;
        let free = !trimmed.get(..rest_len)?.ends_with(|c: char| c.is_alphanumeric());
        (tail.eq_ignore_ascii_case(word) && free && trimmed.len() < before.len())
            .then(|| start - (before.len() - rest_len))
    };
    lower("see").unwrap_or(start)
}

/// What a section number names as a reference; none for the marks of list items.
pub(super) fn target_of(numbering: &Numbering) -> Option<ReferenceTarget> {
    let (kind, number) = name_of(numbering)?;
    Some(ReferenceTarget { kind, number, regulation: None })
}

/// Kind and canonical number of the place a section number names.
pub(super) fn name_of(numbering: &Numbering) -> Option<(ReferenceKind, String)> {
    use Numbering as N;
    use ReferenceKind as K;
    Some(match numbering {
        N::Chapter(n) => (K::Chapter, n.to_string()),
        N::Part(_) => (K::Chapter, numbering.to_string()),
        N::Article(n) => (K::Article, n.to_string()),
        N::ArticleInserted(n, inserted) => (K::Article, format!("{n}之{inserted}")),
        N::Appendix(c) => (K::Appendix, c.to_string()),
        N::AppendixNumbered(n) => (K::Appendix, n.to_string()),
        N::English { word: EnglishWord::Chapter, number, letter: None } if number.len() == 1 => {
            (K::Chapter, number.first()?.to_string())
        }
        N::English { word: EnglishWord::Article, number, letter: None } if number.len() == 1 => {
            (K::Article, number.first()?.to_string())
        }
        // Article 3.3.4.4 is filed under 3.3.4.4; only a single number needs its word.
        N::English { word, number, letter: None }
            if matches!(word, EnglishWord::Section | EnglishWord::Clause)
                || (matches!(word, EnglishWord::Part | EnglishWord::Article | EnglishWord::Chapter)
                    && number.len() > 1) =>
        {
            (K::Section, N::Decimal(number.clone()).to_string())
        }
        N::Attachment(_) => (K::Appendix, numbering.to_string()),
        N::Section(_)
        | N::Decimal(_)
        | N::AppendixDecimal(..)
        | N::Requirement(_)
        | N::RequirementPart(..)
        | N::Measure(_)
        | N::English { .. }
        | N::Roman(_) => (K::Section, numbering.to_string()),
        N::Enumerated(_)
        | N::Paren(_)
        | N::ParenDigit(_)
        | N::Circled(_)
        | N::Item(_)
        | N::ParenRoman(_)
        | N::Letter(_) => return None,
    })
}
