//! Dotted section numbers in running text, which are amounts as often as places.

use std::sync::LazyLock;

use regreader_model::ReferenceKind;

use super::chinese::{Found, unit};
use super::list::{Join, Named, chinese_join};
use crate::numbering::{Numbering, decimal};
use crate::scan::{Cursor, is_dash, is_tilde};
use crate::units::unit_at;
use crate::words::{WORDS, words_of};

/// 见 2.1.4, 2.1.4 条, 按 3.2.1～3.2.4 执行, 见 A.1.2.
pub(super) fn sections(start: Cursor<'_>) -> Found<'_> {
    let mut cursor = start;
    let mut names: Vec<(Named, usize)> = Vec::new();
    let mut join = Join::First;
    let mut end = start;
    while names.len() < 40 {
        let from = cursor;
        let Some(numbering) = section_number(&mut cursor) else { break };
        let depth = match &numbering {
            Numbering::Decimal(parts) => parts.len(),
            _ => 3,
        };
        // A bare number goes on a list only before 条: 2.1.4、5 is not two sections.
        if join != Join::First && depth < 2 {
            break;
        }
        names.push((
            Named {
                range: from.pos()..cursor.pos(),
                kind: ReferenceKind::Section,
                number: numbering.to_string(),
                join,
            },
            depth,
        ));
        end = cursor;
        match chinese_join(&mut cursor) {
            Some(next) => join = next,
            None => break,
        }
    }
    let depth = names.iter().map(|(_, depth)| *depth).min()?;
    let mut behind = end;
    behind.skip_spaces();
    if !reads_as_reference(start, end, behind, depth) {
        return None;
    }
    let suffix = unit(&mut behind).filter(|unit| matches!(unit, '条' | '节' | '款' | '项' | '章'));
    let end = if suffix.is_some() { behind } else { end };
    let mut names: Vec<Named> = names.into_iter().map(|(name, _)| name).collect();
    let single = depth == 1;
    if let Some(last) = names.last_mut() {
        last.range.end = end.pos();
        match suffix {
            Some('章') if single => last.kind = ReferenceKind::Chapter,
            Some('条') if single => last.kind = ReferenceKind::Article,
            _ => {}
        }
    }
    Some((names, end))
}

fn section_number(cursor: &mut Cursor<'_>) -> Option<Numbering> {
    let mut ahead = *cursor;
    let letter = ahead.eat_if(|c| c.is_ascii_uppercase());
    if letter.is_some() && !ahead.eat('.') {
        return None;
    }
    let parts = decimal(&mut ahead)?;
    if ahead.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
        return None;
    }
    *cursor = ahead;
    Some(match letter {
        Some(letter) => Numbering::AppendixDecimal(letter, parts),
        None => Numbering::Decimal(parts),
    })
}

/// Whether the words around a dotted number make a reference of it. A number alone is an amount as often as not.
fn reads_as_reference(start: Cursor<'_>, end: Cursor<'_>, behind: Cursor<'_>, depth: usize) -> bool {
    let lead = Lead::before(start);
    if end.peek().is_some_and(|c| c == '%' || is_tilde(c) || is_dash(c)) {
        return false;
    }
    if depth <= 2 && unit_at(behind.rest()).is_some() && !behind.rest().starts_with(['条', '项']) {
        return false;
    }
    let closed_by_unit = unit(&mut behind.clone()).is_some();
    let goes_on = |words: &[&str]| {
        let mut ahead = behind;
        ahead.eat_any(words).is_some()
    };
    match depth {
        0 => false,
        // 13 条 alone counts things; 见 13 条 does not.
        1 => lead == Lead::See && closed_by_unit,
        2 => {
            lead == Lead::See
                || closed_by_unit
                || (lead == Lead::Follow && goes_on(&["的规定", "的要求", "规定", "要求", "执行", "所述"]))
        }
        _ => {
            lead != Lead::None
                || closed_by_unit
                || goes_on(&["的规定", "的要求", "规定", "要求", "执行", "所述", "所列", "所规定"])
        }
    }
}

/// The word before a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// 见: what follows is a place.
    See,
    /// 按, 符合: what follows may be a place.
    Follow,
    None,
}

impl Lead {
    fn before(cursor: Cursor<'_>) -> Self {
        static FOLLOWS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "before a place"));
        let text = cursor.passed().trim_end_matches([' ', '\u{3000}', '\u{A0}']);
        let text = text.strip_suffix(['(', '（']).unwrap_or(text);
        if ["见", "見", "参照", "参阅", "详阅"].iter().any(|word| text.ends_with(word))
            && !text.ends_with("意见")
        {
            return Self::See;
        }
        if FOLLOWS.iter().any(|word| text.ends_with(word)) { Self::Follow } else { Self::None }
    }
}
