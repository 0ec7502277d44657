//! Tables of the old layout. There a table is its segments, one for each page, held together by `master_table_id` and
//! `segment_to_table`; here it is one grid. What we write is both at once: the old reader takes the fields it knows.

use std::collections::{BTreeMap, BTreeSet};

use regreader_messages::findings;
use regreader_model::{
    ContentBlock, LogicalTable, PageDocument, PageNumber, QualityReport, RegId, Severity, TableCell, TableId,
    TableMeta, TableRegistry, TableSegment,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::import::remark;

/// The registry for the old system: every table with the fields of its `TableMeta` beside ours.
pub(super) fn to_old(registry: &TableRegistry) -> impl Serialize {
    #[derive(Serialize)]
    struct OldTable {
        #[serde(flatten)]
        table: LogicalTable,
        is_truncated: bool,
        row_headers: Vec<String>,
        master_table_id: Option<TableId>,
        segment_index: u32,
    }
    #[derive(Serialize)]
    struct OldRegistry {
        reg_id: RegId,
        tables: BTreeMap<TableId, OldTable>,
        segment_to_table: BTreeMap<TableId, TableId>,
        page_to_tables: BTreeMap<PageNumber, Vec<TableId>>,
    }
    let old_table = |table: &LogicalTable| OldTable {
        is_truncated: table.is_cross_page(),
        row_headers: row_headers(table),
        master_table_id: None,
        segment_index: 0,
        table: table.clone(),
    };
    OldRegistry {
        reg_id: registry.reg_id.clone(),
        tables: registry.tables.iter().map(|(id, table)| (id.clone(), old_table(table))).collect(),
        segment_to_table: registry.segment_to_table.clone(),
        page_to_tables: registry.page_to_tables.clone(),
    }
}

/// The first cell of every data row, once for each row that it covers.
fn row_headers(table: &LogicalTable) -> Vec<String> {
    let rows = table.row_pages.len();
    let mut headers = vec![String::new(); rows];
    for cell in table.cells.iter().filter(|cell| cell.col == 0) {
        let covered = headers.iter_mut().skip(cell.row as usize).take(cell.row_span as usize);
        covered.for_each(|header| header.clone_from(&cell.content));
    }
    headers.split_off(rows.min(table.header_rows as usize))
}

/// The registry as we keep it: the file itself when it is one of ours, else put together from the segments on the
/// pages, with the file telling which belong together.
pub(super) fn from_old(
    reg_id: &RegId,
    file: Option<&Value>,
    pages: &[PageDocument],
    quality: &mut QualityReport,
) -> TableRegistry {
    if let Some(file) = file
        && let Ok(registry) = TableRegistry::deserialize(file)
        && registry.reg_id == *reg_id
    {
        return registry;
    }
    let belongs_to = file.map(segment_map).unwrap_or_default();
    let mut groups: BTreeMap<TableId, Vec<Segment<'_>>> = BTreeMap::new();
    for page in pages {
        for block in &page.content_blocks {
            if let Some(meta) = &block.table_meta {
                let master = meta.master_table_id.clone().or_else(|| belongs_to.get(&meta.table_id).cloned());
                let table_id = master.unwrap_or_else(|| meta.table_id.clone());
                groups.entry(table_id).or_default().push(Segment { page: page.page_num, block, meta });
            }
        }
    }
    let count = groups.len();
    if count > 0 {
        remark(quality, Severity::Info, findings::fragments_joined(count));
    }
    TableRegistry::new(reg_id.clone(), groups.into_iter().map(|(id, segments)| join(id, &segments)))
}

/// `segment_to_table`, wherever it can be read.
fn segment_map(file: &Value) -> BTreeMap<TableId, TableId> {
    let map = file.get("segment_to_table").cloned().unwrap_or_default();
    serde_json::from_value(map).unwrap_or_default()
}

struct Segment<'a> {
    page: PageNumber,
    block: &'a ContentBlock,
    meta: &'a TableMeta,
}

/// One grid of all segments, in order of pages. A header that is printed again is taken once; no other row is lost.
fn join(table_id: TableId, segments: &[Segment<'_>]) -> LogicalTable {
    let first = segments.first();
    let header_rows = first.map_or(0, |segment| header_rows(segment.meta));
    let header = first.map(|segment| rows_text(segment.meta, header_rows)).unwrap_or_default();
    let mut table = LogicalTable {
        table_id,
        caption: first.and_then(|segment| segment.meta.caption.clone()),
        number: None,
        header_rows,
        col_headers: first.map(|segment| segment.meta.col_headers.clone()).unwrap_or_default(),
        row_count: 0,
        col_count: segments.iter().map(|segment| segment.meta.col_count).max().unwrap_or(0),
        cells: Vec::new(),
        row_pages: Vec::new(),
        segments: Vec::new(),
        chapter_node_id: first.and_then(|segment| segment.block.chapter_node_id.clone()),
        chapter_path: first.map(|segment| segment.block.chapter_path.clone()).unwrap_or_default(),
        section_number: first.and_then(|segment| segment.block.section_number.clone()),
        notes: Vec::new(),
    };
    for (index, segment) in segments.iter().enumerate() {
        let repeats = index > 0 && header_rows > 0 && rows_text(segment.meta, header_rows) == header;
        let skipped = if repeats { header_rows } else { 0 };
        append(&mut table, segment, skipped, repeats);
    }
    table.row_count = (table.row_pages.len() as u32).saturating_sub(header_rows);
    table
}

fn append(table: &mut LogicalTable, segment: &Segment<'_>, skipped: u32, header_repeated: bool) {
    let first_row = table.row_pages.len() as u32;
    let rows = grid_rows(segment.meta).saturating_sub(skipped);
    for cell in segment.meta.cells.iter().filter(|cell| cell.row >= skipped) {
        let row = first_row.saturating_add(cell.row - skipped);
        table.cells.push(TableCell { row, is_header: row < table.header_rows, ..cell.clone() });
    }
    table.row_pages.extend(std::iter::repeat_n(segment.page, rows as usize));
    table.segments.push(TableSegment {
        segment_id: segment.meta.table_id.clone(),
        page_num: segment.page,
        bbox: segment.block.bbox,
        first_row,
        row_count: rows,
        header_repeated,
        caption: segment.meta.caption.clone(),
    });
}

/// Rows that have a cell beginning in them, and those between. A row number beyond all reason is a mistake in the
/// file: the cells are kept, the rows are bounded by what a page can hold.
fn grid_rows(meta: &TableMeta) -> u32 {
    const MOST: u32 = 10_000;
    meta.cells.iter().map(|cell| cell.row.saturating_add(1)).max().unwrap_or(0).min(MOST)
}

/// Leading rows with a header cell; without such marks, one row if its cells are the column headers.
fn header_rows(meta: &TableMeta) -> u32 {
    let with_marks: BTreeSet<u32> =
        meta.cells.iter().filter(|cell| cell.is_header).map(|cell| cell.row).collect();
    let marked = (0..grid_rows(meta)).take_while(|row| with_marks.contains(row)).count() as u32;
    let first_row: BTreeMap<u32, &str> = meta
        .cells
        .iter()
        .filter(|cell| cell.row == 0)
        .map(|cell| (cell.col, cell.content.as_str()))
        .collect();
    let first_row_is_header = !meta.col_headers.is_empty()
        && (0..).zip(&meta.col_headers).all(|(col, header)| first_row.get(&col) == Some(&header.as_str()));
    marked.max(u32::from(first_row_is_header))
}

/// The text of the first rows, for comparing.
fn rows_text(meta: &TableMeta, rows: u32) -> Vec<(u32, u32, &str)> {
    let mut text: Vec<_> = meta
        .cells
        .iter()
        .filter(|cell| cell.row < rows)
        .map(|cell| (cell.row, cell.col, cell.content.trim()))
        .collect();
    text.sort_unstable();
    text
}
