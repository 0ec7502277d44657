//! Notes and plans, and what they are bound to.
//!
//! Notes that follow a table with nothing but notes between belong to it, also on the next page; so do notes printed as
//! a full-width row of the table itself (the row stays). Other notes belong to the clause they stand in, and to their
//! page where there is no clause. A note takes in what goes on from it: the rest on the next page, items below a
//! colon, lines set further in. `注：1. … 2. …` is 注1 and 注2; so are the counted items under `Notes to Table 3:`, which
//! belong to the table that is named. Must not resolve references to notes.

mod marked;

use std::collections::HashMap;

use regreader_model::{
    Annotation, AnnotationKind, AnnotationScope, BlockId, PageNumber, TableCell, TableMeta,
};
use regreader_text::annotation::{AnnotationLabel, parse_continuation, parse_definition};
use regreader_text::canonical_table_number;
use regreader_text::numbering::{Numbering, parse_line};

use crate::clean::{Cleaner, ends_sentence};
use crate::paragraph::{Para, ParaKind};
use crate::structure::Tree;
use crate::table::Plan;
use marked::Marks;

/// All notes, in document order, each with the index of its page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    pub found: Vec<Found>,
    /// Paragraphs that are part of a note.
    pub in_note: Vec<bool>,
}

/// A note and what it is bound to.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub page: usize,
    pub annotation: Annotation,
    /// Table it is bound to.
    pub table: Option<usize>,
    /// Clause it stands in.
    pub owner: Option<usize>,
}

/// Finds the notes.
pub(crate) fn find(paras: &[Para], ids: &[BlockId], tree: &Tree, plan: &Plan, cleaner: Cleaner) -> Notes {
    let finder = Finder { paras, ids, tree, plan, cleaner, table_blocks: table_blocks(paras, ids) };
    let mut notes = Notes { found: Vec::new(), in_note: vec![false; paras.len()] };
    let mut table: Option<usize> = None;
    let mut at = 0;
    while at < paras.len() {
        if let Some(named) = notes_heading(&paras[at].text).filter(|_| !is_table(&paras[at])) {
            let of = match named {
                Some(number) => finder.last_table_numbered(&number, at),
                None => table,
            };
            at = finder.take_list(at, of, &mut notes);
            continue;
        }
        match paras[at].kind {
            ParaKind::Table { table: index, segment } => {
                let segments = plan.tables.get(index).map_or(0, |joined| joined.metas.len());
                table = Some(index);
                at += 1;
                if segment + 1 == segments {
                    finder.in_grid(index, segment, at - 1, &mut notes);
                    at = finder.take_marked(at, index, &mut notes);
                }
            }
            ParaKind::Note => at = finder.take(at, table, &mut notes),
            _ => {
                table = None;
                at += 1;
            }
        }
    }
    notes
}

/// Paragraphs that one note can take in. Real notes have a handful.
const LONGEST: usize = 100;
/// Blocks of a table that each of its notes names. A table over more pages is named by its id.
const RELATED: usize = 64;

/// Paragraphs that one marked note can have before the next mark.
const AHEAD: usize = 9;

/// Paragraphs between a table and the heading of its notes at most.
const REACH: usize = 400;

struct Finder<'a> {
    paras: &'a [Para],
    ids: &'a [BlockId],
    tree: &'a Tree,
    plan: &'a Plan,
    cleaner: Cleaner,
    /// The blocks of every table, gathered once: looking for them at every note costs notes times paragraphs.
    table_blocks: HashMap<usize, Vec<BlockId>>,
}

impl Finder<'_> {
    /// The note that begins at a paragraph, with all that belongs to it. Returns where it ends.
    fn take(&self, at: usize, table: Option<usize>, notes: &mut Notes) -> usize {
        let Some(first) = self.paras.get(at) else { return at + 1 };
        let mut text = first.text.clone();
        let mut end = at + 1;
        while let Some(next) = self.paras.get(end).filter(|_| end - at < LONGEST) {
            if next.from_previous {
                self.cleaner.join(&mut text, &next.text);
            } else if goes_on(first, &text, next) {
                text.push('\n');
                text.push_str(&next.text);
            } else {
                break;
            }
            end += 1;
        }
        notes.in_note.iter_mut().take(end).skip(at).for_each(|flag| *flag = true);
        for (label, content) in split(&text) {
            self.push(notes, at, table, &label, content);
        }
        end
    }

    /// `Notes to Table 3.1.3.1.:` and the counted items below it. Returns where they end.
    fn take_list(&self, at: usize, table: Option<usize>, notes: &mut Notes) -> usize {
        let mut end = at + 1;
        let mut number = 1;
        while let Some(para) = self.paras.get(end).filter(|para| !is_table(para)) {
            let Some((printed, content)) = counted_item(&para.text, number) else { break };
            let label = Label {
                canonical: format!("注{number}"),
                printed: printed.to_owned(),
                kind: AnnotationKind::Note,
            };
            let first = end;
            let mut content = content.to_owned();
            number += 1;
            end += 1;
            // Notes are often set in a narrower measure than the text, so that each line looks like a paragraph.
            while let Some(next) = self.paras.get(end).filter(|next| {
                end - first < LONGEST
                    && next.kind == ParaKind::Text
                    && next.page == para.page
                    && !ends_sentence(&content)
                    && counted_item(&next.text, number).is_none()
            }) {
                self.cleaner.join(&mut content, &next.text);
                end += 1;
            }
            self.push(notes, first, table, &label, content);
        }
        if number > 1 {
            notes.in_note.iter_mut().take(end).skip(at).for_each(|flag| *flag = true);
        }
        end
    }

    /// Paragraphs directly below a table that begin with marks it carries. Returns where they end.
    fn take_marked(&self, at: usize, table: usize, notes: &mut Notes) -> usize {
        let Some(joined) = self.plan.tables.get(table) else { return at };
        let marks = Marks::of(&joined.table);
        if marks.is_empty() {
            return at;
        }
        let page = self.paras.get(at).map_or(0, |para| para.page);
        let body = |index: usize| {
            let fits = |para: &&Para| {
                matches!(para.kind, ParaKind::Text | ParaKind::List)
                    && para.page == page
                    && index - at < LONGEST
            };
            self.paras.get(index).filter(fits)
        };
        let mut found: Vec<(usize, String, String)> = Vec::new();
        let mut end = at;
        while let Some(para) = body(end) {
            let marked =
                marks.read(&para.text).filter(|(mark, _)| found.iter().all(|(_, known, _)| known != mark));
            match (marked, found.last_mut()) {
                (Some((mark, content)), _) => found.push((end, mark, content.to_owned())),
                // What stands before the next note still belongs to this one.
                (None, Some((_, _, content)))
                    if (end + 1..end + AHEAD)
                        .map_while(body)
                        .any(|next| marks.read(&next.text).is_some()) =>
                {
                    content.push('\n');
                    content.push_str(&para.text);
                }
                _ => break,
            }
            end += 1;
        }
        for (first, mark, content) in found {
            let label = Label { canonical: format!("注{mark}"), printed: mark, kind: AnnotationKind::Note };
            self.push(notes, first, Some(table), &label, content);
        }
        notes.in_note.iter_mut().take(end).skip(at).for_each(|flag| *flag = true);
        end
    }

    /// The table with this number that stands nearest before a paragraph.
    fn last_table_numbered(&self, number: &str, at: usize) -> Option<usize> {
        self.paras.iter().take(at).rev().take(REACH).find_map(|para| match para.kind {
            ParaKind::Table { table, .. } => {
                let found = self.plan.tables.get(table)?.table.number.as_deref() == Some(number);
                found.then_some(table)
            }
            _ => None,
        })
    }

    /// Notes printed as rows of the grid.
    fn in_grid(&self, index: usize, segment: usize, at: usize, notes: &mut Notes) {
        let Some(meta) = self.plan.tables.get(index).and_then(|joined| joined.metas.get(segment)) else {
            return;
        };
        for (label, content) in split(&note_rows(meta).join("\n")) {
            self.push(notes, at, Some(index), &label, content);
        }
    }

    fn push(&self, notes: &mut Notes, at: usize, table: Option<usize>, label: &Label, content: String) {
        let page = self.paras.get(at).map_or(0, |para| para.page);
        let owner = self.tree.owner.get(at).copied().flatten();
        let node = owner.and_then(|mark| self.tree.nodes.get(mark));
        let bound = table.and_then(|index| self.plan.tables.get(index));
        let (scope, related_blocks) = match (bound, node) {
            (Some(joined), _) => {
                let blocks = table.and_then(|table| self.table_blocks.get(&table));
                let blocks = blocks.into_iter().flatten().take(RELATED).cloned().collect();
                (AnnotationScope::Table { table_id: joined.table.table_id.clone() }, blocks)
            }
            (None, Some(node)) => {
                let before = at.checked_sub(1).and_then(|i| self.ids.get(i)).cloned();
                (AnnotationScope::Section { node_id: node.node_id.clone() }, before.into_iter().collect())
            }
            (None, None) => (AnnotationScope::Page, Vec::new()),
        };
        notes.found.push(Found {
            page,
            table,
            owner,
            annotation: Annotation {
                annotation_id: label.canonical.clone(),
                printed_label: Some(label.printed.clone()),
                content,
                related_blocks,
                kind: label.kind,
                scope,
                page_num: Some(PageNumber::from_index(page)),
                block_id: self.ids.get(at).cloned(),
            },
        });
    }
}

/// The blocks of each table, in order.
fn table_blocks(paras: &[Para], ids: &[BlockId]) -> HashMap<usize, Vec<BlockId>> {
    let mut blocks: HashMap<usize, Vec<BlockId>> = HashMap::new();
    for (para, id) in paras.iter().zip(ids) {
        if let ParaKind::Table { table, .. } = para.kind {
            blocks.entry(table).or_default().push(id.clone());
        }
    }
    blocks
}

fn is_table(para: &Para) -> bool {
    matches!(para.kind, ParaKind::Table { .. })
}

/// `Notes:`, `Notes to Table 3.1.3.1.:` alone on their line; the number of the table, where one is named.
#[allow(clippy::option_option, reason = "a heading of notes may name its table")]
fn notes_heading(text: &str) -> Option<Option<String>> {
    let text = text.trim();
    let body = text.strip_suffix([':', '：'])?.trim_end();
    if text.chars().count() > 60 {
        return None;
    }
    let rest = body
        .strip_prefix("Notes")
        .or_else(|| body.strip_prefix("Note"))
        .or_else(|| body.strip_prefix("NOTES"))?;
    let rest = rest.trim();
    if rest.is_empty() {
        return Some(None);
    }
    let table = ["to ", "for ", "on "].iter().find_map(|word| rest.strip_prefix(word))?;
    canonical_table_number(table).map(Some)
}

/// `(2) text`, `2) text`, `2. text`: the item with this number.
fn counted_item(text: &str, number: u32) -> Option<(&str, &str)> {
    let line = parse_line(text)?;
    let counts = match line.numbering {
        Numbering::ParenDigit(n) | Numbering::Circled(n) => n == number,
        Numbering::Decimal(ref parts) => parts.as_slice() == [number] && line.trailing_dot,
        _ => false,
    };
    (counts && !line.rest.is_empty()).then_some((line.printed, line.rest))
}

/// Whether a paragraph still belongs to the note before it.
fn goes_on(first: &Para, text: &str, next: &Para) -> bool {
    if !matches!(next.kind, ParaKind::Text | ParaKind::List) || next.page != first.page {
        return false;
    }
    if last_number(text).is_some_and(|number| parse_continuation(&next.text, number).is_some()) {
        return true;
    }
    let opens = text.ends_with(['：', ':']);
    if opens && next.kind == ParaKind::List {
        return true;
    }
    let (Some(a), Some(b)) = (first.bbox, next.bbox) else { return false };
    let set_in = b.x0 > a.x0 + 8.0;
    let items = next.kind == ParaKind::List && text.contains(['：', ':']) && text.contains('\n');
    set_in && (opens || items)
}

#[derive(Debug, Clone)]
struct Label {
    canonical: String,
    printed: String,
    kind: AnnotationKind,
}

impl From<&AnnotationLabel<'_>> for Label {
    fn from(label: &AnnotationLabel<'_>) -> Self {
        Self { canonical: label.canonical.clone(), printed: label.printed.to_owned(), kind: label.kind }
    }
}

/// Rows at the end of a grid that hold nothing but one text, from the first that begins with 注 on.
fn note_rows(meta: &TableMeta) -> Vec<String> {
    let mut rows: Vec<&TableCell> = Vec::new();
    for cell in meta.cells.iter().rev().filter(|cell| !cell.content.is_empty()) {
        let wide = cell.col_span * 2 > meta.col_count || parse_definition(&cell.content).is_some();
        if cell.col > 0 || cell.is_header || meta.col_count < 2 || !wide {
            break;
        }
        rows.push(cell);
    }
    rows.reverse();
    let first = rows.iter().position(|cell| parse_definition(&cell.content).is_some());
    let notes = first.and_then(|first| rows.get(first..)).unwrap_or_default();
    notes.iter().map(|cell| cell.content.clone()).collect()
}

/// Splits the text of one or several notes at their labels: at line breaks, where 注2 follows a sentence, and inside a
/// line where a list counts on.
fn split(text: &str) -> Vec<(Label, String)> {
    let mut out: Vec<(Label, String)> = Vec::new();
    let mut listed = false;
    for line in text.split('\n').flat_map(at_labels) {
        let defined = parse_definition(line);
        let continued = match (&defined, out.last()) {
            (None, Some((label, _))) if listed => {
                number_of(&label.canonical).and_then(|n| parse_continuation(line, n))
            }
            _ => None,
        };
        match defined.as_ref().or(continued.as_ref()) {
            Some(label) => {
                listed |= label.printed.contains([':', '：']);
                push_inline(&mut out, Label::from(label), label.rest, listed);
            }
            None => match out.last_mut() {
                Some((_, content)) => {
                    content.push('\n');
                    content.push_str(line);
                }
                None => return Vec::new(),
            },
        }
    }
    out
}

/// `注1：甲。注2：乙。` in one line is two notes: each label that counts on from the one before, behind a sentence or a
/// space, begins a new one.
fn at_labels(line: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    let mut last = parse_definition(line).and_then(|label| number_of(&label.canonical));
    for (at, _) in line.match_indices('注').skip(1) {
        let before = line.get(..at).unwrap_or("");
        let ends = before.ends_with(['。', '；', ';', '.', ' ', '）', '，']);
        let label = line.get(at..).filter(|_| ends).and_then(parse_definition);
        let number = label.and_then(|label| number_of(&label.canonical));
        if number.is_some() && number == last.map(|last| last + 1) {
            parts.push(before.get(from..).unwrap_or("").trim_end());
            from = at;
            last = number;
        }
    }
    parts.push(line.get(from..).unwrap_or(""));
    parts
}

/// `甲；2.乙；3.丙` behind 注1 is three notes.
fn push_inline(out: &mut Vec<(Label, String)>, label: Label, rest: &str, listed: bool) {
    let mut label = label;
    let mut rest = rest;
    while let Some(number) = number_of(&label.canonical).filter(|_| listed) {
        let next = rest.char_indices().skip(1).find_map(|(at, _)| {
            let before = rest.get(..at)?.trim_end().chars().next_back()?;
            let tail = rest.get(at..)?;
            let ends = matches!(before, '；' | '。' | ';' | '.');
            let found = if ends { parse_continuation(tail, number) } else { None };
            found.map(|found| (at, Label::from(&found), found.rest))
        });
        let Some((at, next_label, tail)) = next else { break };
        let content = rest.get(..at).unwrap_or(rest).trim().to_owned();
        out.push((std::mem::replace(&mut label, next_label), content));
        rest = tail;
    }
    out.push((label, rest.trim().to_owned()));
}

fn number_of(canonical: &str) -> Option<u32> {
    canonical.strip_prefix('注')?.parse().ok()
}

/// Number of the last note of a list (`注：1. …`), when the text is one.
fn last_number(text: &str) -> Option<u32> {
    let labels = split(text);
    let (first, _) = labels.first()?;
    first
        .printed
        .contains([':', '：'])
        .then(|| labels.last().and_then(|(label, _)| number_of(&label.canonical)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<(String, String)> {
        split(text).into_iter().map(|(label, content)| (label.canonical, content)).collect()
    }

    #[test]
    fn lists_behind_one_label_are_notes_of_their_own() {
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(labels("注1：甲。"), [pair("注1", "甲。")]);
        assert_eq!(
            labels("注：1.甲；2.乙；3.丙。"),
            [pair("注1", "甲；"), pair("注2", "乙；"), pair("注3", "丙。")]
        );
        assert_eq!(labels("注：1. 甲。\n2. 乙。"), [pair("注1", "甲。"), pair("注2", "乙。")]);
        assert_eq!(labels("注1：两项：\na）甲；\nb）乙。"), [pair("注1", "两项：\na）甲；\nb）乙。")]);
        assert_eq!(
            labels("注1：甲，见注2。注2：乙；注3：丙。"),
            [pair("注1", "甲，见注2。"), pair("注2", "乙；"), pair("注3", "丙。")]
        );
        assert_eq!(labels("注：限额 2.5 万千瓦。"), [pair("注", "限额 2.5 万千瓦。")]);
        assert_eq!(labels("注1：甲，取 1. 不取 2.5。"), [pair("注1", "甲，取 1. 不取 2.5。")]);
    }
}
