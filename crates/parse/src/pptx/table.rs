//! Tables on slides.

use regreader_model::{RawTable, TableCell, TableKind};

use super::list;
use crate::Limits;
use crate::ooxml::Element;

const MAX_COLUMNS: u32 = 1000;

/// Reads an `a:tbl`.
pub(crate) fn read(element: &Element, limits: &Limits) -> Option<RawTable> {
    let is_set = |value: Option<&str>| matches!(value, Some("1" | "true"));
    let first_row_is_header = is_set(element.child("tblPr").and_then(|p| p.attr("firstRow")));
    let rows: Vec<&Element> = element.children().filter(|child| &*child.name == "tr").collect();
    let row_count = rows.len() as u32;
    let mut cells = Vec::new();
    let mut col_count = 0;
    for (row, source) in (0u32..).zip(rows) {
        // Merged cells keep their places, so the position in the row is the column.
        for (col, cell) in (0..MAX_COLUMNS).zip(source.children().filter(|child| &*child.name == "tc")) {
            col_count = col_count.max(col + 1);
            if is_set(cell.attr("hMerge")) || is_set(cell.attr("vMerge")) || cells.len() >= limits.max_cells {
                continue;
            }
            let span = |name, most: u32| {
                cell.attr(name).and_then(|v| v.parse::<u32>().ok()).unwrap_or(1).clamp(1, most.max(1))
            };
            let lines: Vec<String> = cell
                .child("txBody")
                .into_iter()
                .flat_map(Element::children)
                .filter(|child| &*child.name == "p")
                .map(list::text)
                .filter(|line| !line.trim().is_empty())
                .collect();
            cells.push(TableCell {
                row,
                col,
                row_span: span("rowSpan", row_count - row),
                col_span: span("gridSpan", MAX_COLUMNS - col),
                content: lines.join("\n").trim().to_owned(),
                is_header: row == 0 && first_row_is_header && row_count > 1,
                bbox: None,
            });
        }
    }
    let reach = cells.iter().map(|cell| cell.col + cell.col_span).max()?;
    Some(RawTable {
        kind: TableKind::Declared,
        row_count,
        col_count: col_count.max(reach.min(MAX_COLUMNS)),
        cells,
        bbox: None,
        header_rows: (first_row_is_header && row_count > 1).then_some(1),
        caption: None,
        confidence: None,
    })
}
