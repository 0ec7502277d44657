//! Tables of two chapters side by side, cell by cell.

use regreader_model::LogicalTable;
use regreader_text::fold;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::results as rs;

/// The tables that differ. Tables are paired by number, then by caption.
pub fn differences(a: &[LogicalTable], b: &[LogicalTable]) -> Vec<rs::TableDifference> {
    let mut free: Vec<&LogicalTable> = b.iter().collect();
    let mut found = Vec::new();
    for table in a {
        let partner = free
            .iter()
            .position(|other| other.number.is_some() && other.number == table.number)
            .or_else(|| free.iter().position(|other| caption(other) == caption(table)))
            .map(|at| free.remove(at));
        match partner {
            Some(other) => found.extend(compare(table, other)),
            None => found.push(alone(table, true)),
        }
    }
    found.extend(free.into_iter().map(|table| alone(table, false)));
    found
}

fn caption(table: &LogicalTable) -> String {
    fold(table.caption.as_deref().unwrap_or_default())
}

fn compare(a: &LogicalTable, b: &LogicalTable) -> Option<rs::TableDifference> {
    let rows_a = data_rows(a);
    let rows_b = data_rows(b);
    let folded = |rows: &[rs::TableRow]| -> Vec<Vec<String>> {
        rows.iter().map(|row| row.cells.iter().map(|cell| fold(cell)).collect()).collect()
    };
    let mut difference = rs::TableDifference {
        table_a: Some(a.table_id.to_string()),
        table_b: Some(b.table_id.to_string()),
        caption: b.caption.clone().or_else(|| a.caption.clone()),
        cells: Vec::new(),
        rows_only_in_a: Vec::new(),
        rows_only_in_b: Vec::new(),
    };
    for operation in capture_diff_slices(Algorithm::Myers, &folded(&rows_a), &folded(&rows_b)) {
        let old = &rows_a[operation.old_range()];
        let new = &rows_b[operation.new_range()];
        match operation.tag() {
            DiffTag::Equal => {}
            DiffTag::Delete => difference.rows_only_in_a.extend_from_slice(old),
            DiffTag::Insert => difference.rows_only_in_b.extend_from_slice(new),
            DiffTag::Replace => replaced(old, new, &b.col_headers, &mut difference),
        }
    }
    let changed = !difference.cells.is_empty()
        || !difference.rows_only_in_a.is_empty()
        || !difference.rows_only_in_b.is_empty();
    changed.then_some(difference)
}

/// Rows that took the place of others: each is paired with the one it shares most cells with.
fn replaced(old: &[rs::TableRow], new: &[rs::TableRow], headers: &[String], out: &mut rs::TableDifference) {
    let mut free: Vec<&rs::TableRow> = new.iter().collect();
    for row in old {
        let shared = |other: &rs::TableRow| {
            row.cells.iter().zip(&other.cells).filter(|(x, y)| fold(x) == fold(y)).count()
        };
        let best = free
            .iter()
            .enumerate()
            .map(|(at, other)| (shared(other), std::cmp::Reverse(at)))
            .max()
            .filter(|(shared, _)| *shared > 0)
            .map(|(_, std::cmp::Reverse(at))| free.remove(at));
        let Some(other) = best else {
            out.rows_only_in_a.push(row.clone());
            continue;
        };
        for (col, (x, y)) in row.cells.iter().zip(&other.cells).enumerate() {
            if fold(x) != fold(y) {
                out.cells.push(rs::CellDifference {
                    row: row.cells.iter().take(2).cloned().collect::<Vec<_>>().join(" / "),
                    column: headers.get(col).cloned().unwrap_or_default(),
                    a: x.clone(),
                    b: y.clone(),
                    page_a: row.page_num,
                    page_b: other.page_num,
                });
            }
        }
    }
    out.rows_only_in_b.extend(free.into_iter().cloned());
}

fn alone(table: &LogicalTable, in_a: bool) -> rs::TableDifference {
    let id = Some(table.table_id.to_string());
    let rows = data_rows(table);
    let (table_a, table_b) = if in_a { (id, None) } else { (None, id) };
    let (rows_only_in_a, rows_only_in_b) = if in_a { (rows, Vec::new()) } else { (Vec::new(), rows) };
    rs::TableDifference {
        table_a,
        table_b,
        caption: table.caption.clone(),
        cells: Vec::new(),
        rows_only_in_a,
        rows_only_in_b,
    }
}

/// The data rows of a table, spans filled in.
pub fn data_rows(table: &LogicalTable) -> Vec<rs::TableRow> {
    let row = |(page, cells): (regreader_model::PageNumber, Vec<&str>)| rs::TableRow {
        page_num: page.get(),
        cells: cells.into_iter().map(str::to_owned).collect(),
    };
    table.data_rows().into_iter().map(row).collect()
}
