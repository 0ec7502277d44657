//! Places as English text names them.

use regreader_model::ReferenceKind;

use super::list::{Join, Named, english_join, name_of};
use crate::caption::{self, CaptionKind};
use crate::numbering::{EnglishWord, HeadWord, Numbering, english_head, english_number_after};
use crate::scan::Cursor;
use crate::units::unit_at;

/// Section 4.2, Requirements R1 and R2, Table 3, Appendix A, Note 12.
pub(super) fn places(start: Cursor<'_>) -> Option<(Vec<Named>, Cursor<'_>)> {
    let capital = start.peek().is_some_and(|c| c.is_ascii_uppercase());
    let mut cursor = start;
    if let Some(plural) = table_word(&mut cursor) {
        return collect(start, cursor, plural.1, |cursor| {
            let number = caption::item_number(cursor)?;
            Some((plural.0, number))
        });
    }
    if cursor.eat_word("note") || cursor.eat_word("notes") {
        let seen = capital || start.passed().trim_end().to_ascii_lowercase().ends_with("see");
        return collect(start, cursor, true, |cursor| {
            let mut ahead = *cursor;
            let bracketed = ahead.eat('(');
            let number = ahead.digits(3)?;
            if bracketed && !ahead.eat(')') {
                return None;
            }
            *cursor = ahead;
            Some((ReferenceKind::Annotation, format!("注{number}")))
        })
        .filter(|_| seen);
    }
    let (head, plural) = english_head(&mut cursor)?;
    collect(start, cursor, plural || head == HeadWord::Requirement, |cursor| {
        if let Some(letter) = section_letter(cursor, head).filter(|_| capital) {
            return Some((ReferenceKind::Section, Numbering::Letter(letter).to_string()));
        }
        let numbering = english_number_after(cursor, head)?;
        if !names_a_place(&numbering, capital) {
            return None;
        }
        skip_subdivisions(cursor, &numbering);
        name_of(&numbering)
    })
}

/// `3.1.2.1.(1)(a)(ii)`: sentence, clause and subclause of an article in brackets. The article is the place.
fn skip_subdivisions(cursor: &mut Cursor<'_>, numbering: &Numbering) {
    let dotted = matches!(numbering, Numbering::English { number, .. } if number.len() > 1);
    let mut ahead = *cursor;
    ahead.eat('.');
    for _ in 0..4 {
        let mut bracket = ahead;
        let inside = bracket.eat('(') && {
            let from = bracket;
            while bracket.eat_if(|c| c.is_ascii_alphanumeric()).is_some() {}
            (1..=5).contains(&bracket.since(&from).len()) && bracket.eat(')')
        };
        if !(dotted && inside) {
            break;
        }
        ahead = bracket;
        *cursor = ahead;
    }
}

/// Section C. The letters that begin a Roman count (Section I, V, X) are read as numbers.
fn section_letter(cursor: &mut Cursor<'_>, head: HeadWord) -> Option<char> {
    if head != HeadWord::Section(EnglishWord::Section) {
        return None;
    }
    let mut ahead = *cursor;
    let letter = ahead.eat_if(|c| c.is_ascii_uppercase() && !"IVX".contains(c))?;
    let mut behind = ahead;
    behind.eat('.');
    let goes_on = |at: Cursor<'_>| at.peek().is_some_and(|c| c.is_ascii_alphanumeric());
    if goes_on(ahead) || goes_on(behind) {
        return None;
    }
    *cursor = ahead;
    Some(letter)
}

/// A small `part 2` or `item 4` counts things; with a capital or a dotted number it is a place.
fn names_a_place(numbering: &Numbering, capital: bool) -> bool {
    match numbering {
        Numbering::English { word: EnglishWord::Title, .. } => false,
        Numbering::English {
            word: EnglishWord::Part | EnglishWord::Item | EnglishWord::Schedule,
            number,
            ..
        } => capital || number.len() > 1,
        _ => true,
    }
}

/// Passes Table, Tables, Figure or Figures; says whether it is a plural.
fn table_word(cursor: &mut Cursor<'_>) -> Option<(ReferenceKind, bool)> {
    for (word, kind, plural) in [
        ("tables", CaptionKind::Table, true),
        ("table", CaptionKind::Table, false),
        ("figures", CaptionKind::Figure, true),
        ("figure", CaptionKind::Figure, false),
    ] {
        if cursor.eat_word(word) {
            let kind = if kind == CaptionKind::Table { ReferenceKind::Table } else { ReferenceKind::Figure };
            return Some((kind, plural));
        }
    }
    None
}

/// A number behind the word, and those joined to it.
fn collect<'a>(
    start: Cursor<'a>,
    behind_word: Cursor<'a>,
    may_list: bool,
    mut next: impl FnMut(&mut Cursor<'a>) -> Option<(ReferenceKind, String)>,
) -> Option<(Vec<Named>, Cursor<'a>)> {
    let mut cursor = behind_word;
    if !cursor.skip_spaces() {
        return None;
    }
    let mut names = Vec::new();
    let mut join = Join::First;
    let mut from = start;
    let mut end = start;
    while names.len() < 40 {
        let Some((kind, number)) = next(&mut cursor) else { break };
        let mut behind = cursor;
        behind.skip_spaces();
        // Sections 3 and 5 MW: the second is an amount. So is what runs on in letters.
        if cursor.peek().is_some_and(|c| c.is_ascii_alphanumeric())
            || (join != Join::First && unit_at(behind.rest()).is_some())
        {
            break;
        }
        names.push(Named { range: from.pos()..cursor.pos(), kind, number, join });
        end = cursor;
        // Articles 3.1.2.3. to 3.1.2.5., and 3.1.2.7.: a dot behind a number does not end the list.
        let mut behind = cursor;
        behind.eat('.');
        let joined =
            english_join(&mut behind).inspect(|_| cursor = behind).or_else(|| english_join(&mut cursor));
        match joined {
            Some(next) if may_list || next == Join::Through => join = next,
            _ => break,
        }
        from = cursor;
    }
    (!names.is_empty()).then_some((names, end))
}
