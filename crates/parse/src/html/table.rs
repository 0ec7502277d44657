//! HTML tables on their grid.

use regreader_model::{RawTable, TableCell, TableKind};

use super::Walker;
use super::tree::{Node, Tree};

const MAX_COLUMNS: u32 = 1000;

/// Rows of a table, with whether each stands in its head.
pub(crate) fn rows<'a>(tree: &'a Tree, table: &'a Node) -> Vec<(&'a Node, bool)> {
    let mut rows = Vec::new();
    let mut foot = Vec::new();
    for child in tree.children(table) {
        match child.name() {
            "tr" => rows.push((child, false)),
            "thead" | "tbody" => {
                let head = child.name() == "thead";
                let inside = tree.children(child).filter(|node| node.name() == "tr");
                rows.extend(inside.map(|row| (row, head)));
            }
            "tfoot" => foot.extend(tree.children(child).filter(|n| n.name() == "tr").map(|r| (r, false))),
            _ => {}
        }
    }
    rows.extend(foot);
    rows
}

/// Cells of a row.
pub(crate) fn cells<'a>(tree: &'a Tree, row: &'a Node) -> impl Iterator<Item = &'a Node> {
    tree.children(row).filter(|node| matches!(node.name(), "td" | "th"))
}

/// The table, and the tables nested in its cells. `None` when it has no cells.
pub(crate) fn read<'a>(
    walker: &mut Walker<'a>,
    table: &'a Node,
    depth: usize,
) -> Option<(RawTable, Vec<RawTable>)> {
    let tree = walker.tree;
    let rows = rows(tree, table);
    let row_count = rows.len() as u32;
    let mut out: Vec<TableCell> = Vec::new();
    let mut nested = Vec::new();
    // For each column the first row that is free again.
    let mut busy: Vec<u32> = Vec::new();
    let mut header_rows = 0;
    let mut in_header = true;
    for (row, (source, in_head)) in (0u32..).zip(rows) {
        let mut col = 0u32;
        let mut all_headers = true;
        let start = out.len();
        for cell in cells(tree, source) {
            if out.len() >= walker.limits.max_cells {
                walker.cut = true;
                break;
            }
            while busy.get(col as usize).is_some_and(|free| *free > row) {
                col += 1;
            }
            if col >= MAX_COLUMNS {
                break;
            }
            all_headers &= cell.name() == "th";
            let col_span = span(cell, "colspan").clamp(1, MAX_COLUMNS - col);
            // Zero means to the end of the table.
            let row_span = match span(cell, "rowspan") {
                0 => row_count - row,
                rows => rows.min(row_count - row),
            };
            let (content, inner) = walker.cell(cell, depth);
            nested.extend(inner);
            let end = (col + col_span) as usize;
            if busy.len() < end {
                busy.resize(end, 0);
            }
            for free in &mut busy[col as usize..end] {
                *free = row + row_span;
            }
            out.push(TableCell { row, col, row_span, col_span, content, is_header: false, bbox: None });
            col += col_span;
        }
        in_header &= in_head || (all_headers && out.len() > start);
        if in_header {
            header_rows += 1;
            for cell in &mut out[start..] {
                cell.is_header = true;
            }
        }
    }
    if out.is_empty() {
        return None;
    }
    // A table of header cells only has none: they are its content.
    if header_rows == row_count {
        header_rows = 0;
        for cell in &mut out {
            cell.is_header = false;
        }
    }
    let row_count = drop_hollow_rows(&mut out, row_count, busy.len() as u32, &mut header_rows);
    let table = RawTable {
        kind: TableKind::Declared,
        row_count,
        col_count: busy.len() as u32,
        cells: out,
        bbox: None,
        header_rows: (header_rows > 0).then_some(header_rows),
        caption: None,
        confidence: None,
    };
    Some((table, nested))
}

/// Takes out rows that hold nothing but the beginnings of cells that go on below (`<tr><th rowspan=6>2025</th></tr>`):
/// they have no height of their own, and the reader sees one row less.
fn drop_hollow_rows(cells: &mut [TableCell], row_count: u32, col_count: u32, header_rows: &mut u32) -> u32 {
    let rows = row_count as usize;
    // Columns taken in each row, and whether a cell ends in it.
    let mut taken = vec![0u32; rows];
    let mut solid = vec![false; rows];
    let mut begun = vec![false; rows];
    for cell in cells.iter() {
        let end = (cell.row + cell.row_span) as usize;
        for width in taken.iter_mut().take(end).skip(cell.row as usize) {
            *width = width.saturating_add(cell.col_span);
        }
        begun[cell.row as usize] = true;
        solid[cell.row as usize] |= cell.row_span == 1;
    }
    let hollow: Vec<bool> =
        (0..rows).map(|row| begun[row] && !solid[row] && taken[row] < col_count && row + 1 < rows).collect();
    // Hollow rows above each row.
    let mut above = vec![0u32; rows + 1];
    for row in 0..rows {
        above[row + 1] = above[row] + u32::from(hollow[row]);
    }
    for cell in cells {
        let (start, end) = (cell.row as usize, (cell.row + cell.row_span) as usize);
        let inside = above[end.min(rows)] - above[start];
        cell.row_span -= inside.min(cell.row_span - 1);
        cell.row -= above[start];
    }
    *header_rows -= above[(*header_rows as usize).min(rows)];
    row_count - above[rows]
}

fn span(cell: &Node, name: &str) -> u32 {
    cell.attr(name).and_then(|value| value.trim().parse().ok()).unwrap_or(1)
}
