//! Tables: cells and segments as they stand on pages, and the logical table they form.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{ClauseNumber, NodeId, PageNumber, Rect, RegId, TableId};

/// One cell of a grid. A spanning cell is stored once, at its top left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableCell {
    /// Row, from 0.
    #[serde(alias = "row_idx", alias = "start_row_offset_idx")]
    pub row: u32,
    /// Column, from 0.
    #[serde(alias = "col_idx", alias = "start_col_offset_idx")]
    pub col: u32,
    /// How many rows it covers.
    #[serde(default = "one")]
    pub row_span: u32,
    /// How many columns it covers.
    #[serde(default = "one")]
    pub col_span: u32,
    /// Its text.
    #[serde(alias = "text")]
    pub content: String,
    /// Whether it is part of the header.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_header: bool,
    /// Where it stands on its page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bbox: Option<Rect>,
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The part of a table that stands on one page, as its block carries it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableMeta {
    /// Id of this segment; equal to the logical table's id for its first segment.
    pub table_id: TableId,
    /// Caption, whole (`表6-2 母线故障处置`). A continuation carries the first segment's caption.
    pub caption: Option<String>,
    /// The table goes on over the page border, before or after this segment.
    #[serde(default)]
    pub is_truncated: bool,
    /// First cells of the data rows.
    #[serde(default)]
    pub row_headers: Vec<String>,
    /// Header of each column, levels joined by ` / `.
    #[serde(default)]
    pub col_headers: Vec<String>,
    /// Data rows in this segment.
    #[serde(default)]
    pub row_count: u32,
    /// Number of columns in this segment.
    #[serde(default)]
    pub col_count: u32,
    /// The cells on this page as they stand, header rows included where they are printed.
    #[serde(default)]
    pub cells: Vec<TableCell>,
    /// The logical table this segment belongs to. None in a table of one segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub master_table_id: Option<TableId>,
    /// Which segment this is, from 0.
    #[serde(default)]
    pub segment_index: u32,
}

/// A whole table, however many pages it runs over.
///
/// `cells` is one grid: `header_rows` rows of header, then every data row once, in order. `row_pages` names the page
/// of each grid row, so that a cell can be cited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogicalTable {
    /// Unique within the regulation.
    pub table_id: TableId,
    /// Caption as printed at the first segment.
    pub caption: Option<String>,
    /// Number from the caption in canonical form (`6-2`, `A.1`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// How many grid rows are header.
    pub header_rows: u32,
    /// Header of each column, levels joined by ` / `.
    pub col_headers: Vec<String>,
    /// Data rows (grid rows less header rows).
    pub row_count: u32,
    /// Number of columns of the grid.
    pub col_count: u32,
    /// The grid.
    pub cells: Vec<TableCell>,
    /// Page of each grid row, header rows included.
    pub row_pages: Vec<PageNumber>,
    /// Where the table stands, page by page.
    pub segments: Vec<TableSegment>,
    /// Chapter it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter_node_id: Option<NodeId>,
    /// Titles down to that chapter.
    #[serde(default)]
    pub chapter_path: Vec<String>,
    /// Number of that clause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_number: Option<ClauseNumber>,
    /// Canonical labels of the notes bound to this table.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl LogicalTable {
    /// Whether it has segments on more than one page.
    pub fn is_cross_page(&self) -> bool {
        self.segments.windows(2).any(|pair| pair[0].page_num != pair[1].page_num)
    }

    /// First and last page. None only for a table without segments, which assembly never makes.
    pub fn page_range(&self) -> Option<(PageNumber, PageNumber)> {
        let first = self.segments.first()?.page_num;
        let last = self.segments.last()?.page_num;
        Some((first, last))
    }

    /// The cell that covers a place of the grid, its own or a span's.
    pub fn cell_at(&self, row: u32, col: u32) -> Option<&TableCell> {
        cell_at(&self.cells, row, col)
    }

    /// The data rows as text, spans filled in, each with its page: what a reader of the table sees.
    pub fn data_rows(&self) -> Vec<(PageNumber, Vec<&str>)> {
        let first = self.page_range().map_or(PageNumber::FIRST, |(first, _)| first);
        let mut rows: Vec<(PageNumber, Vec<&str>)> = (0..self.row_count)
            .map(|row| {
                let page = self.row_pages.get((self.header_rows + row) as usize).copied().unwrap_or(first);
                (page, vec![""; self.col_count as usize])
            })
            .collect();
        for cell in &self.cells {
            let from = cell.row.saturating_sub(self.header_rows);
            let to = cell.row.saturating_add(cell.row_span).saturating_sub(self.header_rows);
            for (_, columns) in rows.iter_mut().take(to as usize).skip(from as usize) {
                let places = columns.iter_mut().skip(cell.col as usize).take(cell.col_span as usize);
                places.for_each(|place| *place = &cell.content);
            }
        }
        rows
    }
}

impl TableMeta {
    /// The cell that covers a place of the segment's grid, its own or a span's.
    pub fn cell_at(&self, row: u32, col: u32) -> Option<&TableCell> {
        cell_at(&self.cells, row, col)
    }
}

fn cell_at(cells: &[TableCell], row: u32, col: u32) -> Option<&TableCell> {
    cells.iter().find(|cell| {
        (cell.row..cell.row.saturating_add(cell.row_span)).contains(&row)
            && (cell.col..cell.col.saturating_add(cell.col_span)).contains(&col)
    })
}

/// The part of a logical table on one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableSegment {
    /// Id of the segment, as its block's `TableMeta` has it.
    pub segment_id: TableId,
    /// Page it stands on.
    pub page_num: PageNumber,
    /// Box on that page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bbox: Option<Rect>,
    /// First grid row of the logical table that stands here.
    pub first_row: u32,
    /// Grid rows of the logical table that stand here (a repeated header is not counted).
    pub row_count: u32,
    /// Whether the header was printed again here.
    #[serde(default)]
    pub header_repeated: bool,
    /// Caption printed here (`表6-2（续）`), if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

/// All tables of a regulation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableRegistry {
    /// The regulation.
    pub reg_id: RegId,
    /// Logical tables by id. Ids sort in document order.
    pub tables: BTreeMap<TableId, LogicalTable>,
    /// Which logical table a segment belongs to.
    #[serde(default)]
    pub segment_to_table: BTreeMap<TableId, TableId>,
    /// Logical tables with a segment on a page, in order of appearance.
    #[serde(default)]
    pub page_to_tables: BTreeMap<PageNumber, Vec<TableId>>,
}

impl TableRegistry {
    /// No tables.
    pub fn empty(reg_id: RegId) -> Self {
        Self {
            reg_id,
            tables: BTreeMap::new(),
            segment_to_table: BTreeMap::new(),
            page_to_tables: BTreeMap::new(),
        }
    }

    /// A registry of these tables, with both look-ups filled.
    pub fn new(reg_id: RegId, tables: impl IntoIterator<Item = LogicalTable>) -> Self {
        let mut registry = Self::empty(reg_id);
        for table in tables {
            for segment in &table.segments {
                registry.segment_to_table.insert(segment.segment_id.clone(), table.table_id.clone());
                let on_page = registry.page_to_tables.entry(segment.page_num).or_default();
                if !on_page.contains(&table.table_id) {
                    on_page.push(table.table_id.clone());
                }
            }
            registry.tables.insert(table.table_id.clone(), table);
        }
        registry
    }

    /// A table by its own id or by the id of any of its segments.
    pub fn get(&self, id: &str) -> Option<&LogicalTable> {
        self.tables.get(id).or_else(|| self.tables.get(self.segment_to_table.get(id)?))
    }

    /// Tables with a segment on this page.
    pub fn on_page(&self, page: PageNumber) -> impl Iterator<Item = &LogicalTable> {
        self.page_to_tables.get(&page).into_iter().flatten().filter_map(|id| self.tables.get(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(row: u32, col: u32, row_span: u32, content: &str) -> TableCell {
        TableCell {
            row,
            col,
            row_span,
            col_span: 1,
            content: content.into(),
            is_header: row == 0,
            bbox: None,
        }
    }

    #[test]
    fn data_rows_repeat_what_spans_them_and_leave_the_header_out() {
        let table = LogicalTable {
            table_id: TableId::new("t0001"),
            caption: None,
            number: None,
            header_rows: 1,
            col_headers: vec!["台数".into(), "限额".into()],
            row_count: 2,
            col_count: 2,
            cells: vec![
                cell(0, 0, 1, "台数"),
                cell(0, 1, 1, "限额"),
                cell(1, 0, 2, "3"),
                cell(1, 1, 1, "300"),
                cell(2, 1, 1, "330"),
            ],
            row_pages: [1, 1, 2].into_iter().filter_map(PageNumber::new).collect(),
            segments: Vec::new(),
            chapter_node_id: None,
            chapter_path: Vec::new(),
            section_number: None,
            notes: Vec::new(),
        };
        let rows: Vec<_> = table.data_rows().into_iter().map(|(page, cells)| (page.get(), cells)).collect();
        assert_eq!(rows, [(1, vec!["3", "300"]), (2, vec!["3", "330"])]);
    }
}
