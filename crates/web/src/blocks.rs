//! Blocks of a page as HTML: text with its references as links, tables with their spans.
//!
//! What comes out is made of escaped text and links into the reader, never of markup that a document holds.

use maud::{Markup, html};
use regreader_messages::{Language, web as w};
use regreader_model::{
    BlockType, ContentBlock, LogicalTable, Reference, ReferenceKind, Resolution, TableCell, TableMeta,
};

use crate::address::Address;

/// Where a block is shown, for its links.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub lang: Language,
    pub reg_id: &'a str,
    /// References that stand in this block.
    pub references: &'a [&'a Reference],
    /// The table that the block is a segment of.
    pub table: Option<&'a LogicalTable>,
    /// The id of the row that is marked.
    pub marked_row: Option<&'a str>,
}

/// The content of a block.
pub fn content(block: &ContentBlock, place: Place<'_>) -> Markup {
    if let Some(meta) = &block.table_meta {
        return table(meta, place);
    }
    let text = plain_text(&block.content_markdown);
    let linked = linked(text, place.references, place);
    match block.block_type {
        BlockType::Heading => {
            let level = heading_level(&block.content_markdown);
            html! { p class={ "heading level-" (level) } role="heading" aria-level=(level + 1) { (linked) } }
        }
        BlockType::Caption => html! { p.caption { (linked) } },
        BlockType::Note => html! { p.note { (linked) } },
        BlockType::List => html! { p.item { (linked) } },
        BlockType::Picture => html! { p.figure { (linked) } },
        _ => html! { p { (linked) } },
    }
}

/// The words of a text block without the Markdown that assembly put around them.
pub fn plain_text(markdown: &str) -> &str {
    let text = markdown.trim();
    if let Some(code) = text.strip_prefix("```").and_then(|text| text.strip_suffix("```")) {
        return code.trim_matches('\n');
    }
    if let Some(bold) = text.strip_prefix("**").and_then(|text| text.strip_suffix("**")) {
        return bold;
    }
    let bare = text.trim_start_matches('#');
    if bare.len() < text.len() && bare.starts_with(' ') {
        return bare.trim_start();
    }
    text.strip_prefix('\\').or_else(|| text.strip_prefix("- ")).unwrap_or(text)
}

fn heading_level(markdown: &str) -> usize {
    markdown.chars().take_while(|c| *c == '#').count().clamp(1, 5)
}

/// Text in which the references are links.
pub fn linked(text: &str, references: &[&Reference], place: Place<'_>) -> Markup {
    let mut rest = text;
    let mut parts: Vec<(&str, Option<&Reference>)> = Vec::new();
    for reference in references {
        let Some(at) = (!reference.text.is_empty()).then(|| rest.find(&reference.text)).flatten() else {
            continue;
        };
        let (before, from) = rest.split_at(at);
        let (words, after) = from.split_at(reference.text.len());
        parts.push((before, None));
        parts.push((words, Some(reference)));
        rest = after;
    }
    parts.push((rest, None));
    html! {
        @for (words, reference) in parts {
            @match reference {
                Some(reference) => (reference_link(words, reference, place)),
                None => (words),
            }
        }
    }
}

fn reference_link(words: &str, reference: &Reference, place: Place<'_>) -> Markup {
    match &reference.resolution {
        Resolution::Resolved { location } => {
            let address = match &location.table_id {
                Some(table) => {
                    Address::page(location.reg_id.as_str(), location.page_num).with("t", table.as_str())
                }
                None => Address::page(location.reg_id.as_str(), location.page_num)
                    .with_some("b", location.block_id.as_ref().map(AsRef::<str>::as_ref)),
            };
            html! { a.ref href=(address) data-peek=(peek_address(reference, place)) { (words) } }
        }
        Resolution::External => {
            let go = Address::new(format!("/r/{}/go", crate::address::encode(place.reg_id)))
                .with("ref", &reference.text)
                .with("page", reference.page_num.to_string());
            html! { a.ref.external href=(go) title=(place.lang.say(w::EXTERNAL_REFERENCE)) { (words) } }
        }
        Resolution::Unresolved { .. } => {
            html! { span.ref.unresolved title=(place.lang.say(w::UNRESOLVED)) { (words) } }
        }
    }
}

fn peek_address(reference: &Reference, place: Place<'_>) -> Address {
    let address = Address::new(format!("/r/{}/peek", crate::address::encode(place.reg_id)))
        .with("page", reference.page_num.to_string());
    if reference.target.kind == ReferenceKind::Annotation {
        return address.with("note", &reference.target.number);
    }
    address.with("ref", &reference.text)
}

/// A segment of a table as it stands on its page.
fn table(meta: &TableMeta, place: Place<'_>) -> Markup {
    let rows = meta.cells.iter().map(|cell| cell.row.saturating_add(cell.row_span)).max().unwrap_or(0);
    let data_from = rows.saturating_sub(meta.row_count);
    let logical = place.table.and_then(|table| {
        let segment = table.segments.iter().find(|segment| segment.segment_id == meta.table_id)?;
        Some((table, segment.first_row.saturating_add(segment.row_count)))
    });
    // A repeated header is printed here and not counted in the logical table, so rows are counted from the end.
    let data_row = |row: u32| {
        let (table, end) = logical?;
        end.checked_sub(rows - row)?.checked_sub(table.header_rows)
    };
    let id = place.table.map_or(meta.table_id.as_str(), |table| table.table_id.as_str());
    html! {
        div.table-block {
            p.caption {
                (meta.caption.as_deref().unwrap_or(place.lang.say(w::UNTITLED_TABLE)))
                " "
                a.more href=(Address::table(place.reg_id, id)) { (place.lang.say(w::WHOLE_TABLE)) }
            }
            div.scroll tabindex="0" role="region" aria-label=(meta.caption.as_deref().unwrap_or(place.lang.say(w::TABLE))) {
                table.grid {
                    (grid(&meta.cells, 0..rows, data_from, |cell| cell_text(cell, place), |row| {
                        let id = data_row(row).map(|row| format!("row-{id}-{row}"));
                        RowLabels { is_marked: id.is_some() && id.as_deref() == place.marked_row, id, link: None }
                    }))
                }
            }
        }
    }
}

fn cell_text(cell: &TableCell, place: Place<'_>) -> Markup {
    let here = place
        .references
        .iter()
        .filter(|reference| reference.row == Some(cell.row) && reference.col == Some(cell.col));
    let here: Vec<&Reference> = here.copied().collect();
    lines(&cell.content, |line| linked(line, &here, place))
}

/// Text with its line breaks.
pub fn lines(text: &str, mut show: impl FnMut(&str) -> Markup) -> Markup {
    html! {
        @for (nth, line) in text.split('\n').enumerate() {
            @if nth > 0 { br; }
            (show(line))
        }
    }
}

/// What is said about a row beside its cells.
pub struct RowLabels {
    pub id: Option<String>,
    pub is_marked: bool,
    /// A link in a column of its own: address and words.
    pub link: Option<(Address, String)>,
}

/// Rows of a grid with their spans. Rows before `data_from` are header.
pub fn grid(
    cells: &[TableCell],
    rows: std::ops::Range<u32>,
    data_from: u32,
    show: impl Fn(&TableCell) -> Markup,
    label: impl Fn(u32) -> RowLabels,
) -> Markup {
    let mut by_row: Vec<Vec<&TableCell>> = vec![Vec::new(); rows.len()];
    for cell in cells {
        if let Some(row) = cell.row.checked_sub(rows.start).and_then(|at| by_row.get_mut(at as usize)) {
            row.push(cell);
        }
    }
    for row in &mut by_row {
        row.sort_by_key(|cell| cell.col);
    }
    let head = data_from.saturating_sub(rows.start).min(rows.len() as u32) as usize;
    let spans = |cell: &TableCell, end: usize| {
        let left = end.saturating_sub((cell.row - rows.start) as usize).max(1);
        ((cell.row_span as usize).min(left), cell.col_span.clamp(1, 1000))
    };
    let render = |from: usize, to: usize, is_head: bool| {
        html! {
            @for (at, row) in by_row.iter().enumerate().take(to).skip(from) {
                @let number = rows.start + at as u32;
                @let labels = label(number);
                @let has_id = labels.id.is_some();
                tr id=[labels.id] class=[labels.is_marked.then_some("is-marked")] {
                    @for cell in row {
                        @let (down, across) = spans(cell, to);
                        @let down = (down > 1).then_some(down);
                        @let across = (across > 1).then_some(across);
                        @if is_head {
                            th scope="col" rowspan=[down] colspan=[across] { (show(cell)) }
                        } @else {
                            td rowspan=[down] colspan=[across] data-col=[has_id.then_some(cell.col)] { (show(cell)) }
                        }
                    }
                    @if let Some((address, words)) = labels.link {
                        td.row-page { a href=(address) { (words) } }
                    }
                }
            }
        }
    };
    html! {
        @if head > 0 { thead { (render(0, head, true)) } }
        tbody { (render(head, by_row.len(), false)) }
    }
}

/// A snippet of a search, where `**` stands around the words that match. Cells of a table are set apart by dots: the
/// bars and rules of a pipe table are for machines.
pub fn snippet(text: &str) -> Markup {
    let plain = without_bars(text);
    html! {
        @for (nth, part) in plain.split("**").enumerate() {
            @if nth % 2 == 1 { mark { (part) } } @else { (part) }
        }
    }
}

fn without_bars(text: &str) -> String {
    if !text.contains('|') {
        return text.to_owned();
    }
    let says_something = |cell: &&str| !cell.chars().all(|c| matches!(c, '-' | ':' | ' '));
    let cells = text.split(['|', '\n']).map(str::trim).filter(says_something);
    cells.map(|cell| cell.replace("<br>", " ")).collect::<Vec<_>>().join(" · ")
}

/// The name of a kind of block.
pub fn kind_name(lang: Language, kind: &str) -> &'static str {
    lang.say(match kind {
        "table" => w::KIND_TABLE,
        "heading" => w::KIND_HEADING,
        "list" => w::KIND_LIST,
        "section_content" => w::KIND_CLAUSE,
        "note" => w::KIND_NOTE,
        "caption" => w::KIND_CAPTION,
        "picture" => w::KIND_PICTURE,
        _ => w::KIND_TEXT,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake;

    fn shown(block: &ContentBlock, references: &[&Reference]) -> String {
        let table = fake::table();
        let marked_row = Some("row-t0001-1");
        let place = Place {
            lang: Language::Chinese,
            reg_id: "angui_2024",
            references,
            table: Some(&table),
            marked_row,
        };
        content(block, place).into_string()
    }

    #[test]
    fn document_text_is_never_markup() {
        let mut page = fake::page(1);
        let block = &mut page.content_blocks[1];
        block.content_markdown = "<script>alert(1)</script> [x](javascript:alert(1)) & \"q\"".to_owned();
        let html = shown(block, &[]);
        assert!(html.contains("&lt;script&gt;") && !html.contains("<script"), "{html}");
        assert!(!html.contains("href"), "Markdown links stay words: {html}");
    }

    #[test]
    fn references_are_links_that_can_be_peeked_at() {
        let page = fake::page(1);
        let parts = fake::parts();
        let block = &page.content_blocks[1];
        let here: Vec<&Reference> =
            parts.references.references.iter().filter(|r| r.block_id == block.block_id).collect();
        let html = shown(block, &here);
        assert!(html.contains("href=\"/r/angui_2024/p/1?t=t0001\""), "{html}");
        assert!(html.contains("data-peek=\"/r/angui_2024/peek?page=1&amp;ref="), "{html}");
    }

    #[test]
    fn a_segment_shows_its_spans_and_numbers_rows_as_the_whole_table_does() {
        let second = fake::page(2);
        let html = shown(&second.content_blocks[0], &[]);
        assert!(html.contains("id=\"row-t0001-1\" class=\"is-marked\""), "{html}");
        assert!(html.contains("<thead>") && html.contains("<td data-col=\"1\">300</td>"), "{html}");
        let wide = [TableCell {
            row: 0,
            col: 0,
            row_span: 9,
            col_span: 2,
            content: "x".into(),
            is_header: false,
            bbox: None,
        }];
        let none = |_: u32| RowLabels { id: None, is_marked: false, link: None };
        let html = grid(&wide, 0..2, 0, |cell| html! { (cell.content) }, none).into_string();
        assert!(html.contains("rowspan=\"2\" colspan=\"2\""), "a span never leaves its table: {html}");
    }

    #[test]
    fn markdown_dress_is_taken_off() {
        for (markdown, text) in [
            ("## 2.1 总则", "2.1 总则"),
            ("- 一项", "一项"),
            ("\\# 号", "# 号"),
            ("**表1**", "表1"),
            ("#号", "#号"),
        ] {
            assert_eq!(plain_text(markdown), text);
        }
        assert_eq!(snippet("甲**乙<b>**丙").into_string(), "甲<mark>乙&lt;b&gt;</mark>丙");
        assert_eq!(snippet("| 台数 | **限额** |\n| --- | --- |").into_string(), "台数 · <mark>限额</mark>");
    }
}
