//! Which boxes of a page a block, a quotation, a table row or a cell covers.
//!
//! Pure geometry over what was stored when the document was read. Text is compared in letters and digits only, each folded
//! by itself (full width to half, upper case to lower), so that a position in the folded text is a position in the count
//! that [`LineBox`](regreader_model::LineBox) uses. Whole lines are marked, never parts of one: where on the line a
//! character stands was not stored.

use std::ops::Range;

use regreader_model::{
    BlockId, ContentBlock, LogicalTable, PageDocument, PageNumber, Rect, TableCell, TableMeta,
};

/// What to mark.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// A block.
    pub block: Option<String>,
    /// A table, by its id.
    pub table: Option<String>,
    /// Data row of that table, from 0.
    pub row: Option<u32>,
    /// Column of that row, from 0.
    pub col: Option<u32>,
    /// Words that stand in the block, or on the page where no block is given.
    pub quote: Option<String>,
}

impl Target {
    /// Nothing is to be marked.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Boxes to mark on one page.
#[derive(Debug, Clone, PartialEq)]
pub struct Marks {
    /// The boxes.
    pub rects: Vec<Rect>,
    /// How sure the place is.
    pub certainty: Certainty,
}

/// How sure a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// Exactly what was meant.
    Exact,
    /// The block that holds it: lines were not stored.
    Whole,
    /// What was meant is not on this page; another page may have it.
    Elsewhere,
    /// It cannot be said where it stands.
    Unsure,
}

impl Marks {
    /// No boxes, for this reason.
    pub fn none(certainty: Certainty) -> Self {
        Self { rects: Vec::new(), certainty }
    }

    fn exact(rects: Vec<Rect>) -> Self {
        let certainty = if rects.is_empty() { Certainty::Unsure } else { Certainty::Exact };
        Self { rects, certainty }
    }
}

/// Quotations of fewer letters and digits stand in too many places to say which is meant.
const MIN_QUOTE: usize = 4;
/// Fewest letters by which a block continues a passage that began in the one before it: `3.1.1 全压` is a whole heading.
const MIN_CONTINUED: usize = 2;

/// Letters that the label of a list item or a clause may have: `2.1.3.5.1`, `（十二）`.
const MAX_LABEL: usize = 8;

/// The marks of a target on a page. `table` is the target's table, where it names one.
pub fn on_page(page: &PageDocument, target: &Target, table: Option<&LogicalTable>) -> Marks {
    if let (Some(_), Some(table)) = (&target.table, table) {
        return match (target.row, target.col) {
            (Some(row), Some(col)) => cell(table, row, col, page.page_num),
            (Some(row), None) => table_row(table, row, page.page_num),
            _ => whole_table(table, page.page_num),
        };
    }
    let found = target.block.as_deref().map(|id| block(page, id));
    match (found, target.quote.as_deref()) {
        (Some(Some(block)), Some(text)) => match quote_in_block(block, text) {
            Some(marks) => marks,
            // The block is known even where the words are not found in it letter by letter.
            None => whole_block(block),
        },
        (Some(Some(block)), None) => whole_block(block),
        (Some(None), _) => Marks::none(Certainty::Elsewhere),
        (None, Some(text)) => quote_on_page(page, text),
        (None, None) => Marks::none(Certainty::Unsure),
    }
}

fn block<'a>(page: &'a PageDocument, id: &str) -> Option<&'a ContentBlock> {
    page.content_blocks.iter().find(|block| block.block_id.as_str() == id)
}

/// A block as a whole.
fn whole_block(block: &ContentBlock) -> Marks {
    Marks::exact(block.bbox.into_iter().collect())
}

/// The block with these words in it, where exactly one block of the page has them.
fn quote_on_page(page: &PageDocument, text: &str) -> Marks {
    if letters(text).count() < MIN_QUOTE {
        return Marks::none(Certainty::Unsure);
    }
    let mut found = page.content_blocks.iter().filter_map(|block| quote_in_block(block, text));
    match (found.next(), found.next()) {
        (Some(marks), None) => marks,
        _ => Marks::none(Certainty::Unsure),
    }
}

/// The lines of a block with these words, or the cells for a table. None when the block does not have them.
pub(crate) fn quote_in_block(block: &ContentBlock, text: &str) -> Option<Marks> {
    let needle: Vec<char> = letters(text).collect();
    if needle.is_empty() {
        return None;
    }
    if let Some(meta) = &block.table_meta {
        let cells = meta.cells.iter().filter(|cell| contains(&cell.content, &needle));
        let boxes: Vec<Rect> = cells.filter_map(|cell| cell.bbox).collect();
        return (!boxes.is_empty()).then(|| Marks::exact(boxes));
    }
    let hay: Vec<char> = letters(&block.content_markdown).collect();
    let found: Vec<Range<usize>> =
        occurrences(&hay, &needle).map(|start| start..start + needle.len()).collect();
    if found.is_empty() { None } else { Some(lines_of(block, &found)) }
}

/// The lines of a block that these ranges of its letters touch; the whole block where lines were not stored.
fn lines_of(block: &ContentBlock, ranges: &[Range<usize>]) -> Marks {
    if block.lines.is_empty() {
        return Marks { rects: block.bbox.into_iter().collect(), certainty: Certainty::Whole };
    }
    let mut rects = Vec::new();
    let mut from = 0_usize;
    for line in &block.lines {
        let to = line.end as usize;
        if ranges.iter().any(|range| range.start < to && range.end > from) {
            rects.push(line.bbox);
        }
        from = to;
    }
    Marks::exact(rects)
}

/// A passage that begins in one block and goes on through the blocks after it, over a page border too: a clause with its
/// list items, for one. The marks of each page, or none where the blocks do not hold it letter by letter.
///
/// The passage leaves out what a list item begins with (`2.`), so some letters at the head of each further block may be
/// passed over; every block but the last must be used up.
pub fn passage(pages: &[&PageDocument], first: &str, text: &str) -> Option<Vec<(PageNumber, Marks)>> {
    let needle: Vec<char> = letters(text).collect();
    let blocks = pages.iter().flat_map(|page| page.content_blocks.iter().map(|block| (page.page_num, block)));
    let mut blocks = blocks.skip_while(|(_, block)| block.block_id.as_str() != first);
    let mut found: Vec<(PageNumber, Marks)> = Vec::new();
    let mut rest = needle.as_slice();
    let mut label = usize::MAX;
    while !rest.is_empty() {
        let (page, block) = blocks.next()?;
        let hay: Vec<char> = letters(&block.content_markdown).collect();
        let least = if found.is_empty() { MIN_QUOTE } else { MIN_CONTINUED };
        let start = (0..hay.len().min(label)).find(|start| {
            let tail = &hay[*start..];
            tail.len().min(rest.len()) >= least.min(hay.len())
                && tail.iter().zip(rest).all(|(here, wanted)| here == wanted)
        })?;
        let length = (hay.len() - start).min(rest.len());
        let here = match &block.table_meta {
            Some(meta) => cells_up_to(block, meta, start + length),
            None => lines_of(block, std::slice::from_ref(&(start..start + length))),
        };
        match found.last_mut() {
            Some((at, marks)) if *at == page => {
                marks.rects.extend(here.rects);
                if here.certainty != Certainty::Exact {
                    marks.certainty = here.certainty;
                }
            }
            _ => found.push((page, here)),
        }
        rest = &rest[length..];
        label = MAX_LABEL;
    }
    Some(found)
}

/// The cells of a table that its first letters fill, the caption counted in. A table with spans is marked as a whole,
/// because its text repeats what a cell spans.
fn cells_up_to(block: &ContentBlock, meta: &TableMeta, end: usize) -> Marks {
    if meta.cells.iter().any(|cell| cell.row_span > 1 || cell.col_span > 1) {
        return whole_block(block);
    }
    let mut cells: Vec<&TableCell> = meta.cells.iter().collect();
    cells.sort_by_key(|cell| (cell.row, cell.col));
    let caption: Vec<char> =
        meta.caption.as_deref().map(|caption| letters(caption).collect()).unwrap_or_default();
    let has_caption = letters(&block.content_markdown).take(caption.len()).eq(caption.iter().copied());
    let mut from = if has_caption { caption.len() } else { 0 };
    let mut rects = Vec::new();
    for cell in cells {
        if from >= end {
            break;
        }
        from += letters(&cell.content).count();
        rects.extend(cell.bbox);
    }
    if rects.is_empty() { whole_block(block) } else { Marks::exact(rects) }
}

/// The part of a table on a page.
fn whole_table(table: &LogicalTable, page: PageNumber) -> Marks {
    let here = table.segments.iter().filter(|segment| segment.page_num == page);
    let boxes: Vec<Rect> = here.clone().filter_map(|segment| segment.bbox).collect();
    if here.count() == 0 { Marks::none(Certainty::Elsewhere) } else { Marks::exact(boxes) }
}

/// A data row over the table's whole width.
///
/// The height is that of the row's own cells; a cell that spans further rows says nothing about where this one ends. A
/// row whose cells all span others is unsure.
pub fn table_row(table: &LogicalTable, data_row: u32, page: PageNumber) -> Marks {
    let row = table.header_rows.saturating_add(data_row);
    match table.row_pages.get(row as usize) {
        Some(at) if *at == page => {}
        Some(_) => return Marks::none(Certainty::Elsewhere),
        None => return Marks::none(Certainty::Unsure),
    }
    let own = table.cells.iter().filter(|cell| cell.row == row && cell.row_span == 1);
    let Some(height) = own.filter_map(|cell| cell.bbox).reduce(|a, b| a.union(&b)) else {
        return Marks::none(Certainty::Unsure);
    };
    let segment = table.segments.iter().filter(|segment| segment.page_num == page);
    let holds = |rect: &Rect| rect.y0 <= height.center_y() && height.center_y() <= rect.y1;
    let width = segment.filter_map(|segment| segment.bbox).find(holds).unwrap_or(height);
    Marks::exact(vec![Rect::new(width.x0.min(height.x0), height.y0, width.x1.max(height.x1), height.y1)])
}

/// One cell of a data row.
pub fn cell(table: &LogicalTable, data_row: u32, col: u32, page: PageNumber) -> Marks {
    let row = table.header_rows.saturating_add(data_row);
    let Some(cell) = table.cell_at(row, col) else { return Marks::none(Certainty::Unsure) };
    // A cell that spans rows of two pages was printed where it begins.
    match table.row_pages.get(cell.row as usize) {
        Some(at) if *at == page => Marks::exact(cell.bbox.into_iter().collect()),
        Some(_) => Marks::none(Certainty::Elsewhere),
        None => Marks::none(Certainty::Unsure),
    }
}

/// The pages that a table, or one row of it, stands on.
pub(crate) fn pages_of_table(table: &LogicalTable, data_row: Option<u32>) -> Vec<PageNumber> {
    if let Some(row) = data_row {
        let row = table.header_rows.saturating_add(row) as usize;
        return table.row_pages.get(row).copied().into_iter().collect();
    }
    let mut pages: Vec<PageNumber> = table.segments.iter().map(|segment| segment.page_num).collect();
    pages.dedup();
    pages
}

/// The block at the head of `page` that goes on from block `id` at the foot of the page before.
pub fn continuation<'a>(before: &PageDocument, id: &str, page: &'a PageDocument) -> Option<&'a BlockId> {
    let last = before.content_blocks.last()?;
    let goes_on = before.continues_to_next && page.continues_from_prev && last.block_id.as_str() == id;
    page.content_blocks.first().filter(|_| goes_on).map(|block| &block.block_id)
}

/// Data rows of a table on which every piece of a rendered row stands, cell by cell: `| 3 | 545 |` as answers quote it.
pub(crate) fn rows_like(table: &LogicalTable, rendered: &str) -> Vec<u32> {
    let fold = |text: &str| letters(&text.replace("<br>", "")).collect::<String>();
    let wanted: Vec<String> = rendered.trim().trim_matches('|').split('|').map(fold).collect();
    let rows = table.data_rows().into_iter().enumerate();
    rows.filter(|(_, (_, cells))| {
        cells.len() == wanted.len() && cells.iter().zip(&wanted).all(|(cell, wanted)| fold(cell) == *wanted)
    })
    .map(|(row, _)| row as u32)
    .collect()
}

/// Data rows of a page that hold every line of a text, each a header and its value: `处置时限: 20 分钟`. A single line says
/// too little to name a row.
pub(crate) fn rows_by_header(table: &LogicalTable, text: &str, page: PageNumber) -> Vec<u32> {
    let wanted: Vec<String> = text.lines().map(|line| letters(line).collect()).collect();
    if wanted.len() < 2 {
        return Vec::new();
    }
    let holds = |cells: &[&str]| {
        let said: Vec<String> = table
            .col_headers
            .iter()
            .zip(cells)
            .map(|(header, cell)| letters(header).chain(letters(&cell.replace("<br>", ""))).collect())
            .collect();
        wanted.iter().all(|line| said.contains(line))
    };
    let rows = table.data_rows().into_iter().enumerate();
    rows.filter(|(_, (at, cells))| *at == page && holds(cells)).map(|(row, _)| row as u32).collect()
}

/// Letters and digits of a text, folded one by one.
pub fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| c.is_alphanumeric()).map(fold)
}

fn fold(c: char) -> char {
    let narrow = match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        _ => c,
    };
    // Only where one character becomes one: the count must stay.
    let mut lower = narrow.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => narrow,
    }
}

fn contains(text: &str, needle: &[char]) -> bool {
    let hay: Vec<char> = letters(text).collect();
    occurrences(&hay, needle).next().is_some()
}

fn occurrences<'a>(hay: &'a [char], needle: &'a [char]) -> impl Iterator<Item = usize> + 'a {
    let windows = hay.windows(needle.len().max(1)).enumerate();
    windows.filter(move |(_, window)| *window == needle).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{self, line_box};

    fn target(block: &str, quote: &str) -> Target {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Target { block: some(block), quote: some(quote), ..Target::default() }
    }

    #[test]
    fn a_row_is_known_by_its_headers_and_values() {
        let (table, page) = (fake::table(), |number| PageNumber::new(number).unwrap());
        assert_eq!(rows_by_header(&table, "台数: 2\n限额: 200", page(1)), [0]);
        assert_eq!(rows_by_header(&table, "台数: 3\n限额: 300", page(2)), [1]);
        for (text, number) in
            [("台数: 3\n限额: 300", 1), ("台数: 2\n限额: 300", 1), ("台数: 2", 1), ("限额: 2\n台数: 200", 1)]
        {
            assert!(rows_by_header(&table, text, page(number)).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_quotation_marks_the_lines_it_touches_and_no_others() {
        let page = fake::page(1);
        // Two lines: 母线失压后，应立即汇报 | 国调，不得试送。
        let both = on_page(&page, &target("p0001-b001", "立即汇报国调"), None);
        assert_eq!((both.rects.len(), both.certainty), (2, Certainty::Exact));
        let second = on_page(&page, &target("p0001-b001", "不得 试送"), None);
        assert_eq!(second.rects, [fake::line_box(2)]);
        let folded = on_page(&page, &target("", "１１０ＫＶ母线失压"), None);
        assert_eq!(folded.rects, [fake::line_box(1)], "full width and capitals fold");
    }

    #[test]
    fn words_that_stand_in_two_places_or_nowhere_are_unsure() {
        let page = fake::page(1);
        for quote in ["母线", "没有这样的话语", ""] {
            let marks = on_page(&page, &target("", quote), None);
            assert!(marks.rects.is_empty(), "{quote}");
            assert_eq!(marks.certainty, Certainty::Unsure, "{quote}");
        }
        assert_eq!(on_page(&page, &target("p0099-b001", ""), None).certainty, Certainty::Elsewhere);
    }

    #[test]
    fn a_passage_of_several_blocks_is_marked_in_each_of_them() {
        let mut first = fake::page(1);
        let mut next = fake::page(2);
        first.content_blocks.remove(2);
        let mut item = first.content_blocks[1].clone();
        item.block_id = serde_json::from_value(serde_json::json!("p0002-b001")).unwrap();
        item.content_markdown = "2. 拉开全部开关；".to_owned();
        item.bbox = Some(line_box(5));
        item.lines.clear();
        next.content_blocks = vec![item];
        let text = "应立即汇报国调 不得试送 见表6-2 拉开全部开关";
        let found = passage(&[&first, &next], "p0001-b001", text).unwrap();
        assert_eq!(found.len(), 2, "both pages");
        assert_eq!((found[0].1.rects.len(), found[0].1.certainty), (2, Certainty::Exact));
        assert_eq!(
            (found[1].1.rects.as_slice(), found[1].1.certainty),
            ([line_box(5)].as_slice(), Certainty::Whole)
        );
        next.content_blocks[0].content_markdown = "3.1.1 全压".to_owned();
        let heading = passage(&[&first, &next], "p0001-b001", "不得试送 见表6-2 全压").unwrap();
        assert_eq!(heading.len(), 2, "a short heading behind its number");
        next.content_blocks[0].content_markdown = "2. 拉开全部开关；".to_owned();
        let whole = fake::page(1);
        let into_table = passage(&[&whole], "p0001-b001", "不得试送 见表6-2 台数 限额").unwrap();
        assert_eq!(into_table[0].1.rects.len(), 3, "a line and the two cells of the header");
        for elsewhere in
            ["应立即汇报国调，可以试送", "应立即汇报国调 不得试送 见表6-2 合上全部开关", "没有这样的话语"]
        {
            assert!(passage(&[&first, &next], "p0001-b001", elsewhere).is_none(), "{elsewhere}");
        }
    }

    #[test]
    fn old_pages_without_lines_mark_the_whole_block_and_say_so() {
        let mut page = fake::page(1);
        page.content_blocks.iter_mut().for_each(|block| block.lines.clear());
        let marks = on_page(&page, &target("p0001-b001", "不得试送"), None);
        assert_eq!((marks.rects.len(), marks.certainty), (1, Certainty::Whole));
    }

    #[test]
    fn a_row_is_marked_on_its_own_page_over_the_tables_width() {
        let table = fake::table();
        let (one, two) = (PageNumber::new(1).unwrap(), PageNumber::new(2).unwrap());
        let first = table_row(&table, 0, one);
        assert_eq!(first.rects, [Rect::new(90.0, 320.0, 500.0, 340.0)]);
        assert_eq!(table_row(&table, 0, two).certainty, Certainty::Elsewhere);
        assert_eq!(table_row(&table, 1, two).rects, [Rect::new(90.0, 100.0, 500.0, 120.0)]);
        assert_eq!(table_row(&table, 9, two).certainty, Certainty::Unsure);
        assert_eq!(cell(&table, 1, 1, two).rects, [Rect::new(300.0, 100.0, 500.0, 120.0)]);
        assert_eq!(pages_of_table(&table, None), [one, two]);
        assert_eq!(pages_of_table(&table, Some(1)), [two]);
        assert_eq!(rows_like(&table, "| 3 | 300 |"), [1]);
        assert!(rows_like(&table, "| 3 | 545 |").is_empty());
    }

    #[test]
    fn a_block_that_runs_over_the_page_border_goes_on_at_the_head_of_the_next() {
        let (first, second) = (fake::page(1), fake::page(2));
        let last = first.content_blocks.last().unwrap().block_id.as_str();
        assert_eq!(continuation(&first, last, &second).map(BlockId::as_str), Some("p0002-b000"));
        assert!(continuation(&first, "p0001-b001", &second).is_none());
    }
}
