//! A grid as it can be worked with: every cell inside the grid, no two cells on one place, in reading order.
//!
//! Owns the mending of what parsers and hostile files hand over, and plain questions about a grid (rows, columns,
//! edges). Text is never thrown away in mending: a cell that lies on another gives its text to it.

use regreader_model::{RawTable, Rect, TableCell, TableKind};
use regreader_text::numbering::{Numbering, parse_line};

use crate::clean::Cleaner;

/// Bounds on one grid. A real regulation's largest table has a few thousand rows and a few dozen columns.
const MAX_ROWS: u32 = 200_000;
const MAX_COLS: u32 = 4_096;
const MAX_PLACES: u64 = 1_000_000;

/// A mended grid.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    pub kind: TableKind,
    pub rows: u32,
    pub cols: u32,
    /// In order of row, then column.
    pub cells: Vec<TableCell>,
    pub bbox: Option<Rect>,
    /// Header rows, where the format declares them.
    pub header_rows: Option<u32>,
    /// Caption, where the format declares it.
    pub caption: Option<String>,
    pub confidence: Option<f32>,
}

impl Grid {
    /// Mends a parsed table. None when nothing is in it; `false` when something had to be mended.
    pub fn new(raw: RawTable, cleaner: Cleaner) -> (Option<Self>, bool) {
        let mut whole = true;
        let mut cells: Vec<TableCell> = Vec::with_capacity(raw.cells.len());
        for mut cell in raw.cells {
            let inside = cell.row < MAX_ROWS && cell.col < MAX_COLS;
            whole &= inside;
            if inside {
                cell.content = cleaner.cell(&cell.content);
                cell.row_span = cell.row_span.clamp(1, MAX_ROWS - cell.row);
                cell.col_span = cell.col_span.clamp(1, MAX_COLS - cell.col);
                cells.push(cell);
            }
        }
        if cells.is_empty() {
            return (None, whole);
        }
        cells.sort_by_key(|cell| (cell.row, cell.col));
        let extent = |end: fn(&TableCell) -> u32| cells.iter().map(end).max().unwrap_or(1);
        // Spans may not reach beyond the declared grid; cells themselves extend it if they must.
        let mut rows =
            extent(|cell| cell.row + 1).max(raw.row_count.min(extent(|cell| cell.row + cell.row_span)));
        let mut cols =
            extent(|cell| cell.col + 1).max(raw.col_count.min(extent(|cell| cell.col + cell.col_span)));
        for cell in &mut cells {
            cell.row_span = cell.row_span.min(rows - cell.row);
            cell.col_span = cell.col_span.min(cols - cell.col);
        }
        // A real grid has a cell in every row and column; one cell must not claim a million of them.
        let count = cells.len() as u64;
        let places = u64::from(rows) * u64::from(cols);
        if places > MAX_PLACES || places > 4096 + 64 * count {
            whole = false;
            (rows, cols) = one_column(&mut cells);
        }
        whole &= separate(&mut cells, rows, cols);
        if cells.is_empty() {
            return (None, whole);
        }
        let caption = raw.caption.map(|text| cleaner.line(&text)).filter(|text| !text.is_empty());
        let grid = Self {
            kind: raw.kind,
            rows,
            cols,
            cells,
            bbox: raw.bbox.filter(|rect| [rect.x0, rect.y0, rect.x1, rect.y1].iter().all(|v| v.is_finite())),
            header_rows: raw.header_rows.map(|count| count.min(rows)),
            caption,
            confidence: raw.confidence,
        };
        (Some(grid), whole)
    }

    /// A frame around text rather than a table: one cell, or one column that begins with an appendix's heading.
    pub fn is_box(&self) -> bool {
        let one_cell = self.rows == 1 && self.cols == 1;
        let heads_appendix = || {
            let first = self.cells.first().and_then(|cell| parse_line(&cell.content));
            first.is_some_and(|line| {
                matches!(line.numbering, Numbering::Appendix(_) | Numbering::AppendixNumbered(_))
            })
        };
        self.caption.is_none()
            && (one_cell || self.kind != TableKind::Declared && self.cols == 1 && heads_appendix())
    }

    /// Cells that begin in this row.
    pub fn row(&self, row: u32) -> impl Iterator<Item = &TableCell> {
        let from = self.cells.partition_point(|cell| cell.row < row);
        self.cells.iter().skip(from).take_while(move |cell| cell.row == row)
    }

    /// The single cell of a row that covers all columns, with text in it.
    pub fn full_width(&self, row: u32) -> Option<&TableCell> {
        let mut cells = self.row(row);
        let only = cells.next()?;
        let alone = cells.all(|cell| cell.content.is_empty());
        let full = self.cols > 1 && only.col == 0 && only.col_span == self.cols;
        (alone && full && !only.content.is_empty()).then_some(only)
    }

    /// The only text of a row, whatever its width.
    pub fn only_text(&self, row: u32) -> Option<&TableCell> {
        let mut cells = self.row(row).filter(|cell| !cell.content.is_empty());
        let only = cells.next()?;
        cells.next().is_none().then_some(only)
    }

    /// Left edges of the columns and the right edge of the last, where the cells have boxes.
    pub fn edges(&self) -> Option<Vec<f32>> {
        let mut sums = vec![(0.0_f64, 0_u32); self.cols as usize + 1];
        for cell in &self.cells {
            let rect = cell.bbox?;
            for (at, x) in [(cell.col, rect.x0), (cell.col + cell.col_span, rect.x1)] {
                if let Some((sum, count)) = sums.get_mut(at as usize) {
                    *sum += f64::from(x);
                    *count += 1;
                }
            }
        }
        sums.into_iter().map(|(sum, count)| (count > 0).then(|| (sum / f64::from(count)) as f32)).collect()
    }

    /// How far the border at each edge of a column wanders, from the left edge of the grid: rows may be ruled a little to
    /// the side of one another.
    pub fn edge_ranges(&self) -> Option<Vec<(f32, f32)>> {
        let left = self.edges()?.first().copied()?;
        let mut ranges = vec![(f32::INFINITY, f32::NEG_INFINITY); self.cols as usize + 1];
        for cell in &self.cells {
            let rect = cell.bbox?;
            for (at, x) in [(cell.col, rect.x0), (cell.col + cell.col_span, rect.x1)] {
                if let Some((low, high)) = ranges.get_mut(at as usize) {
                    (*low, *high) = (low.min(x - left), high.max(x - left));
                }
            }
        }
        Some(ranges)
    }

    /// Takes the first `count` rows out; what spans into the rest stays there with the rest of its span.
    pub fn drop_top(&mut self, count: u32) {
        self.cells.retain_mut(|cell| {
            if cell.row >= count {
                cell.row -= count;
                return true;
            }
            let left = (cell.row + cell.row_span).saturating_sub(count);
            cell.row = 0;
            cell.row_span = left;
            left > 0
        });
        self.cells.sort_by_key(|cell| (cell.row, cell.col));
        self.rows = self.rows.saturating_sub(count);
    }
}

/// The texts of a grid that cannot be one, below each other.
fn one_column(cells: &mut Vec<TableCell>) -> (u32, u32) {
    cells.retain(|cell| !cell.content.is_empty());
    for (row, cell) in cells.iter_mut().enumerate() {
        (cell.row, cell.col, cell.row_span, cell.col_span) = (row as u32, 0, 1, 1);
    }
    (cells.len() as u32, 1)
}

pub(crate) fn covers(cell: &TableCell, row: u32, col: u32) -> bool {
    (cell.row..cell.row + cell.row_span).contains(&row) && (cell.col..cell.col + cell.col_span).contains(&col)
}

/// Shrinks spans that lie on another cell and merges cells that begin on one. Whether the grid was whole already.
fn separate(cells: &mut Vec<TableCell>, rows: u32, cols: u32) -> bool {
    let width = cols as usize;
    let mut owner: Vec<u32> = vec![u32::MAX; rows as usize * width];
    let mut whole = true;
    let mut kept: Vec<TableCell> = Vec::with_capacity(cells.len());
    for mut cell in cells.drain(..) {
        let place = |row: u32, col: u32| row as usize * width + col as usize;
        let on = owner.get(place(cell.row, cell.col)).copied().unwrap_or(u32::MAX);
        if let Some(other) = kept.get_mut(on as usize) {
            whole = false;
            if !cell.content.is_empty() {
                if !other.content.is_empty() {
                    other.content.push('\n');
                }
                other.content.push_str(&cell.content);
            }
            continue;
        }
        let free = |row: u32, col: u32| owner.get(place(row, col)).is_some_and(|on| *on == u32::MAX);
        let free_cols = (0..cell.col_span).take_while(|d| free(cell.row, cell.col + d)).count() as u32;
        whole &= free_cols == cell.col_span;
        cell.col_span = free_cols.max(1);
        let free_rows = (0..cell.row_span)
            .take_while(|down| (0..cell.col_span).all(|d| free(cell.row + down, cell.col + d)))
            .count() as u32;
        whole &= free_rows == cell.row_span;
        cell.row_span = free_rows.max(1);
        let id = kept.len() as u32;
        for row in cell.row..cell.row + cell.row_span {
            for col in cell.col..cell.col + cell.col_span {
                if let Some(slot) = owner.get_mut(place(row, col)) {
                    *slot = id;
                }
            }
        }
        kept.push(cell);
    }
    *cells = kept;
    whole
}
