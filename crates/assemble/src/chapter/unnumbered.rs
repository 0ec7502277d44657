//! Headings without a number: 前言, 参考文献, and whatever the format, the contents pages or the outline name.
//!
//! Also takes in numbered lines that the chain left out but that the format itself declares to be headings: they are
//! kept as headings with their number in the title, so that nothing declared is lost. Must not touch marks that are
//! already there.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regreader_model::{TextRole, TextUnit};
use regreader_text::words_of;

use regreader_text::numbering::{Numbering, parse_line};

use crate::chapter::Mark;
use crate::chapter::evidence::Witness;
use crate::clean::begins_item;
use crate::contents::title_key;
use crate::flow::{Item, Line};

/// Words that are a heading when they stand alone and set apart.
static KNOWN: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "headings without a number"));

/// Adds headings without number to the marks.
pub(crate) fn add(marks: &mut Vec<Mark>, witness: &Witness<'_>, taken: &[bool]) {
    let title = document_title(witness);
    let mut used_contents: BTreeSet<String> = BTreeSet::new();
    let mut found: Vec<Mark> = Vec::new();
    for (at, piece) in witness.pieces.iter().enumerate() {
        let Item::Line(line) = &piece.item else { continue };
        let known = marks.binary_search_by_key(&at, |mark| mark.piece).is_ok();
        if known || taken.get(at).copied().unwrap_or(false) || title == Some(at) {
            continue;
        }
        if let Some((declared, heading)) = judge(witness, at, piece.page, line, &mut used_contents) {
            found.push(Mark { piece: at, number: None, declared, heading });
        }
    }
    marks.extend(found);
    marks.sort_by_key(|mark| mark.piece);
}

/// Level, where one is declared, and strength of a heading.
fn judge(
    witness: &Witness<'_>,
    at: usize,
    page: usize,
    line: &Line,
    used_contents: &mut BTreeSet<String>,
) -> Option<(Option<u32>, f32)> {
    match line.role {
        TextRole::Heading { level } => return Some((Some(level), 3.0)),
        TextRole::Body | TextRole::Title => {}
        _ => return None,
    }
    // Nothing longer is a heading, and long lines need not be folded.
    if line.text.chars().count() > 160 {
        return None;
    }
    let key = title_key(&line.text);
    // Word processors bookmark every paragraph of a heading style, the items of lists included.
    if !witness.outline.is_empty() && !is_list_item(&line.text) && !witness.goes_on_mid_sentence(at, line) {
        if let Some(level) = witness.outline.level_of(&key, page).filter(|_| !is_sentence(&line.text)) {
            return Some((Some(level), 2.5));
        }
        // A heading over two lines is one bookmark.
        let wrapped =
            witness.pieces.get(at + 1).filter(|next| next.page == page).and_then(|next| next.item.line());
        if let Some(next) = wrapped {
            let whole = format!("{key}{}", title_key(&next.text));
            if let Some(level) = witness.outline.level_of(&whole, page).filter(|_| !is_sentence(&next.text)) {
                return Some((Some(level), 2.5));
            }
        }
    }
    let after_contents = witness.contents.last_page().is_none_or(|last| last <= page);
    if after_contents && witness.contents.has_unnumbered(&key) && used_contents.insert(key.clone()) {
        return Some((None, 2.0));
    }
    // 前 言, set with spaces, is set apart as well.
    let spaced = line.text.contains(' ');
    let set_apart = spaced
        || witness.metrics.is_set_bold(line)
        || witness.metrics.is_larger(line)
        || witness.metrics.is_centered(page, line)
        || line.unit == TextUnit::Paragraph;
    (set_apart && KNOWN.contains(&key.as_str())).then_some((None, 1.0))
}

/// A sentence, or a part of one: a bookmark on a paragraph that was given a heading's style for its looks.
fn is_sentence(text: &str) -> bool {
    let text = text.trim_end();
    text.ends_with(['。', '；', '，', ';', ',']) || text.ends_with('.') && text.split(' ').count() > 3
}

/// `a) …`, `(1) …`, `a.1) …`, `① …`: a short mark that only lists use.
fn is_list_item(text: &str) -> bool {
    let mark = text.split(' ').next().unwrap_or("");
    let bracketed = mark.chars().count() <= 6
        && mark.ends_with([')', '）'])
        && mark.chars().any(char::is_alphanumeric)
        && !mark.chars().any(regreader_text::script::is_cjk);
    bracketed
        || begins_item(text)
            && !matches!(
                parse_line(text).map(|line| line.numbering),
                Some(
                    Numbering::Decimal(_)
                        | Numbering::Enumerated(_)
                        | Numbering::Paren(_)
                        | Numbering::Letter(_)
                )
            )
}

/// The one first-level heading at the beginning of a document that declares its headings is the document's title.
fn document_title(witness: &Witness<'_>) -> Option<usize> {
    let mut first_level = witness.pieces.iter().enumerate().filter(|(_, piece)| {
        piece.item.line().is_some_and(|line| matches!(line.role, TextRole::Heading { level: 1 }))
    });
    let (at, _) = first_level.next()?;
    let only = first_level.next().is_none();
    let at_start =
        witness.pieces.iter().take(at).all(|piece| {
            piece.item.line().is_some_and(|line| !matches!(line.role, TextRole::Heading { .. }))
        });
    let numbered = witness
        .pieces
        .get(at)
        .and_then(|piece| piece.item.line())
        .is_some_and(|line| regreader_text::numbering::parse_line(&line.text).is_some());
    (only && at_start && at < 12 && !numbered).then_some(at)
}
