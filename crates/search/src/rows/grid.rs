//! A table as plain rows and columns, spans filled in.

use regreader_model::LogicalTable;

/// The texts of a table's grid.
pub(super) struct Grid<'a> {
    cells: Vec<&'a str>,
    columns: u32,
    rows: u32,
    header_rows: u32,
}

/// No table that a person reads has more; a file may claim anything.
const MOST_CELLS: u64 = 2_000_000;

impl<'a> Grid<'a> {
    pub(super) fn new(table: &'a LogicalTable) -> Self {
        let columns = table.col_count.max(table.col_headers.len() as u32);
        let rows = table.header_rows.saturating_add(table.row_count);
        let fits = u64::from(columns) * u64::from(rows) <= MOST_CELLS;
        let (columns, rows) = if fits { (columns, rows) } else { (0, 0) };
        let mut cells = vec![""; columns as usize * rows as usize];
        for cell in &table.cells {
            let to_row = cell.row.saturating_add(cell.row_span.max(1)).min(rows);
            let to_col = cell.col.saturating_add(cell.col_span.max(1)).min(columns);
            for row in cell.row..to_row {
                for col in cell.col..to_col {
                    if let Some(place) = cells.get_mut((row * columns + col) as usize) {
                        *place = cell.content.trim();
                    }
                }
            }
        }
        Self { cells, columns, rows, header_rows: table.header_rows }
    }

    pub(super) fn columns(&self) -> u32 {
        self.columns
    }

    /// Grid rows that hold data.
    pub(super) fn data_rows(&self) -> std::ops::Range<u32> {
        self.header_rows.min(self.rows)..self.rows
    }

    pub(super) fn get(&self, row: u32, col: u32) -> &'a str {
        if row >= self.rows || col >= self.columns {
            return "";
        }
        self.cells.get((row * self.columns + col) as usize).copied().unwrap_or_default()
    }
}
