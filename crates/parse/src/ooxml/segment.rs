//! Parts of a table on different pages.

use std::ops::Range;

use regreader_model::{RawTable, TableCell};

/// The rows of a table that stand on one page, as a table.
///
/// A cell that spans the border is split as it is printed: the words stay above, an empty cell goes on below. The part
/// that begins below the first row says that it has no header of its own.
pub(crate) fn rows(table: &RawTable, range: Range<u32>) -> RawTable {
    let end = range.end.min(table.row_count);
    let start = range.start.min(end);
    let cells = table
        .cells
        .iter()
        .filter_map(|cell| {
            let bottom = cell.row.saturating_add(cell.row_span);
            let top = cell.row.max(start);
            let bottom = bottom.min(end);
            if top >= bottom {
                return None;
            }
            let content = if cell.row >= start { cell.content.clone() } else { String::new() };
            Some(TableCell { row: top - start, row_span: bottom - top, content, ..cell.clone() })
        })
        .collect();
    let header_rows = if start == 0 { table.header_rows.map(|rows| rows.min(end)) } else { Some(0) };
    RawTable { row_count: end - start, cells, header_rows, ..table.clone() }
}

/// For each row whether a page border above it cuts through no merged cell.
pub(crate) fn clean_borders(table: &RawTable) -> Vec<bool> {
    let mut clean = vec![true; table.row_count as usize];
    for cell in &table.cells {
        let end = cell.row.saturating_add(cell.row_span).min(table.row_count);
        for row in cell.row + 1..end {
            clean[row as usize] = false;
        }
    }
    clean
}

/// The rows with the table's header printed again above them.
pub(crate) fn rows_under_header(table: &RawTable, header: u32, range: Range<u32>) -> RawTable {
    let mut top = rows(table, 0..header);
    let below = rows(table, range);
    top.cells.extend(below.cells.into_iter().map(|cell| TableCell { row: cell.row + header, ..cell }));
    RawTable { row_count: header + below.row_count, header_rows: Some(header), ..top }
}

/// Whether `below` can be the rest of `above` on the next page: split by [`rows`], not written as a table of its own.
pub(crate) fn continues(above: &RawTable, below: &RawTable) -> bool {
    below.header_rows == Some(0) && above.col_count == below.col_count && above.kind == below.kind
}

/// Puts a table together again that was split by [`rows`].
pub(crate) fn join(above: &mut RawTable, below: RawTable) {
    let offset = above.row_count;
    for cell in below.cells {
        let open = cell.row == 0 && cell.content.is_empty();
        let upper = above.cells.iter_mut().find(|upper| {
            open && upper.col == cell.col
                && upper.col_span == cell.col_span
                && upper.row + upper.row_span == offset
                && (upper.row_span > 1 || cell.row_span > 1)
        });
        match upper {
            Some(upper) => upper.row_span += cell.row_span,
            None => above.cells.push(TableCell { row: cell.row + offset, ..cell }),
        }
    }
    above.row_count += below.row_count;
}
