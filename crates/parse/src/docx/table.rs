//! Tables: cells on the grid they declare, merged cells joined, nested tables flattened into their cell.

use regreader_messages::findings;
use regreader_model::{Diagnostic, DiagnosticCode, RawTable, Severity, TableCell, TableKind};

use super::body::{Body, Item};
use super::estimate::{RowSize, USUAL_ROOM};
use crate::flow;
use crate::ooxml::{Element, Ns};

/// Columns narrower than this (in twentieths of a point) are slips of the mouse, not columns.
const SLIVER: u32 = 60;
const MAX_COLUMNS: u32 = 1024;
/// Tables in tables are given as tables of their own down to this depth; below it only as text of their cell.
const MAX_NESTED: usize = 4;

/// Reads a `tbl` into the flow.
pub(crate) fn read(body: &mut Body<'_, '_>, element: &Element) {
    body.table_depth += 1;
    let rows = rows(body, element);
    body.table_depth -= 1;
    if rows.is_empty() {
        return;
    }
    // A table of one cell is a frame around text.
    if let [Row { cells, .. }] = rows.as_slice()
        && cells.len() == 1
    {
        for row in rows {
            body.items.extend(row.cells.into_iter().flat_map(|cell| cell.items));
        }
        return;
    }
    let columns = Columns::of(element, &rows);
    build(body, rows, &columns);
}

/// The text of items, line by line.
pub(crate) fn plain_text(items: &[Item]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for item in items {
        match item {
            Item::Text { text, .. } => lines.push(text.text.clone()),
            Item::Table { table, .. } => lines.extend(flow::flatten(table)),
            _ => {}
        }
    }
    lines.join("\n")
}

struct Row {
    cells: Vec<Cell>,
    least_height: f32,
    header: bool,
    break_before: bool,
    break_after: bool,
}

struct Cell {
    col: u32,
    span: u32,
    continues: bool,
    /// It begins a merged range that goes on below.
    opens: bool,
    items: Vec<Item>,
}

fn rows(body: &mut Body<'_, '_>, element: &Element) -> Vec<Row> {
    let mut sources = Vec::new();
    gather(element, "tr", &mut sources);
    let mut rows = Vec::new();
    let mut cell_count = 0;
    for source in sources {
        let properties = source.child("trPr");
        if properties.is_some_and(|p| p.child("del").is_some()) {
            continue;
        }
        let mut col = number(properties, "gridBefore").unwrap_or(0).min(MAX_COLUMNS);
        let mut cells = Vec::new();
        let mut sources = Vec::new();
        gather(source, "tc", &mut sources);
        for cell in sources {
            let own = cell.child("tcPr");
            if own.is_some_and(|p| p.child("cellDel").is_some()) || col >= MAX_COLUMNS {
                continue;
            }
            let span = number(own, "gridSpan").unwrap_or(1).clamp(1, MAX_COLUMNS - col);
            let continues = |name| {
                own.and_then(|p| p.child(name)).is_some_and(|m| m.val().unwrap_or("continue") == "continue")
            };
            let items = body.aside(cell);
            cell_count += 1;
            if continues("hMerge")
                && let Some(previous) = cells.last_mut()
            {
                let previous: &mut Cell = previous;
                previous.span += span;
                previous.items.extend(items);
            } else {
                let continues = continues("vMerge");
                let opens = !continues && own.is_some_and(|p| p.child("vMerge").is_some());
                cells.push(Cell { col, span, continues, opens, items });
            }
            col += span;
        }
        let (break_before, break_after) = breaks(&cells);
        let header = properties.and_then(|p| p.switch("tblHeader")).unwrap_or(false);
        let least_height = properties
            .and_then(|p| p.child_val("trHeight"))
            .and_then(|v| v.parse::<f32>().ok())
            .map_or(0.0, |twips| (twips / 20.0).clamp(0.0, 1000.0));
        rows.push(Row { cells, least_height, header, break_before, break_after });
        if cell_count >= body.limits.max_cells {
            body.diagnostics.push(Diagnostic::on_document(
                Severity::Error,
                DiagnosticCode::LimitReached,
                findings::rows_cut(body.limits.max_cells),
            ));
            break;
        }
    }
    rows
}

/// Rows or cells, also those inside content controls and custom XML.
fn gather<'a>(parent: &'a Element, name: &str, out: &mut Vec<&'a Element>) {
    for child in parent.children() {
        if child.is(Ns::Word, name) {
            out.push(child);
        } else if child.ns == Ns::Word
            && matches!(&*child.name, "sdt" | "sdtContent" | "customXml" | "ins" | "smartTag")
        {
            gather(child, name, out);
        }
    }
}

fn number(properties: Option<&Element>, name: &str) -> Option<u32> {
    properties?.child_val(name)?.parse().ok()
}

/// Whether a page begins with this row or somewhere inside it. Each cell of a row may carry its own mark for one and
/// the same page, so a row counts once.
fn breaks(cells: &[Cell]) -> (bool, bool) {
    let mut before = false;
    let mut after = false;
    for cell in cells {
        let mut seen_text = false;
        for item in &cell.items {
            match item {
                Item::SoftBreak | Item::HardBreak | Item::PageStart if seen_text => after = true,
                Item::SoftBreak | Item::HardBreak | Item::PageStart => before = true,
                Item::Text { soft, .. } => {
                    for at in soft {
                        if *at == 0 && !seen_text { before = true } else { after = true }
                    }
                    seen_text = true;
                }
                _ => {}
            }
        }
    }
    (before, after && !before)
}

/// Which grid columns are real: some cell begins there, and it is wider than a sliver.
struct Columns {
    starts: Vec<u32>,
    /// Grid lines in twentieths of a point, where the table gives them.
    edges: Vec<u32>,
}

impl Columns {
    fn of(table: &Element, rows: &[Row]) -> Self {
        let mut edges = vec![0];
        if let Some(grid) = table.child("tblGrid") {
            let mut at = 0u32;
            for column in grid.children().filter(|c| &*c.name == "gridCol").take(MAX_COLUMNS as usize) {
                at = at.saturating_add(column.attr("w").and_then(|w| w.parse().ok()).unwrap_or(SLIVER));
                edges.push(at);
            }
        }
        let mut starts: Vec<u32> =
            rows.iter().flat_map(|row| row.cells.iter().map(|cell| cell.col)).collect();
        starts.sort_unstable();
        starts.dedup();
        let edge = |col: u32| edges.get(col as usize).copied();
        let mut kept: Vec<u32> = Vec::new();
        for start in starts {
            let sliver = kept.last().is_some_and(|last| {
                matches!((edge(*last), edge(start)), (Some(a), Some(b)) if b.saturating_sub(a) < SLIVER)
            });
            if !sliver {
                kept.push(start);
            }
        }
        Self { starts: kept, edges }
    }

    /// Position of a grid line among the real columns.
    fn at(&self, grid: u32) -> u32 {
        self.starts.partition_point(|start| *start < grid) as u32
    }

    /// Width of a cell in points.
    fn width(&self, cell: &Cell) -> f32 {
        let edge = |at: u32| self.edges.get(at as usize).copied();
        match (edge(cell.col), edge(cell.col + cell.span)) {
            (Some(left), Some(right)) if right > left => (right - left) as f32 / 20.0,
            _ => USUAL_ROOM.width * cell.span as f32 / self.count() as f32,
        }
    }

    fn count(&self) -> u32 {
        self.starts.len().max(1) as u32
    }

    /// Real column and span of a cell; a cell that fills only a sliver keeps one column.
    fn place(&self, cell: &Cell) -> (u32, u32) {
        let mut col = self.at(cell.col);
        if self.starts.get(col as usize) != Some(&cell.col) {
            col = col.saturating_sub(1);
        }
        let end = self.at(cell.col + cell.span).max(col + 1).min(self.count().max(col + 1));
        (col, end - col)
    }
}

fn build(body: &mut Body<'_, '_>, rows: Vec<Row>, columns: &Columns) {
    let header_rows = rows.iter().take_while(|row| row.header).count() as u32;
    let row_count = rows.len() as u32;
    let mut cells: Vec<TableCell> = Vec::new();
    // Index of the cell that stands open downwards at each column.
    let mut open: Vec<Option<usize>> = vec![None; columns.count() as usize + 1];
    let mut soft = Vec::new();
    let mut aside = Vec::new();
    let mut sizes = Vec::with_capacity(rows.len());
    for (row, source) in (0u32..).zip(rows) {
        let mut row_size = RowSize { least: source.least_height, ..RowSize::default() };
        if source.break_before {
            soft.push(row);
        } else if source.break_after {
            soft.push(row + 1);
        }
        for cell in source.cells {
            let (col, span) = columns.place(&cell);
            let content = plain_text(&cell.items);
            let paragraphs = cell.items.iter().filter_map(|item| match item {
                Item::Text { text, shape, .. } => Some((text, shape)),
                _ => None,
            });
            row_size.add(paragraphs, columns.width(&cell), if cell.opens { 2 } else { 1 });
            aside.extend(hanging(cell.items, body.table_depth));
            let above = open.get(col as usize).copied().flatten().and_then(|index| cells.get_mut(index));
            if let Some(above) =
                above.filter(|a| cell.continues && a.row + a.row_span == row && a.col_span == span)
            {
                above.row_span += 1;
                if !content.is_empty() {
                    let joined = [above.content.as_str(), &content].join("\n");
                    joined.trim().clone_into(&mut above.content);
                }
                continue;
            }
            if let Some(slot) = open.get_mut(col as usize) {
                *slot = Some(cells.len());
            }
            let is_header = row < header_rows;
            cells.push(TableCell { row, col, row_span: 1, col_span: span, content, is_header, bbox: None });
        }
        sizes.push(row_size);
    }
    soft.retain(|row| (1..row_count).contains(row));
    soft.dedup();
    let table = RawTable {
        kind: TableKind::Declared,
        row_count,
        col_count: columns.count(),
        cells,
        bbox: None,
        header_rows: (header_rows > 0).then_some(header_rows),
        caption: None,
        confidence: None,
    };
    body.items.push(Item::Table { table, soft, rows: sizes });
    body.items.extend(aside);
}

/// What stands in a cell but is not text of it: pictures, notes, and tables, which are given as themselves too.
fn hanging(items: Vec<Item>, depth: usize) -> impl Iterator<Item = Item> {
    items.into_iter().filter_map(move |item| match item {
        Item::Picture { .. } | Item::Note(_) => Some(item),
        Item::Table { table, .. } | Item::Inner(table) if depth < MAX_NESTED => Some(Item::Inner(table)),
        _ => None,
    })
}
