//! What a table's frame holds besides the table: a title over all columns, notes and sources under them.

use regreader_model::Rect;

use super::Grid;

/// Text taken out of the frame, with its place.
pub(crate) struct Aside {
    pub text: String,
    pub rect: Rect,
}

/// Takes title and notes that were set inside the frame out of the grid: they are lines above and below it.
///
/// Only words that cannot be data are trusted (`Exhibit 9 …`, `Source: …`); notes in Chinese tables stay, as their
/// frame is drawn around them on purpose.
pub(crate) fn unframe(grid: &mut Grid) -> (Vec<Aside>, Vec<Aside>) {
    let mut above = Vec::new();
    let mut below = Vec::new();
    while grid.rows > 2 {
        let Some(index) = lone_cell(grid, 0) else { break };
        if !grid.cells.get(index).is_some_and(|cell| is_title(&cell.text)) {
            break;
        }
        let cell = grid.cells.remove(index);
        above.push(Aside { text: cell.text, rect: cell.rect });
        for cell in &mut grid.cells {
            cell.row = cell.row.saturating_sub(1);
        }
        grid.rows -= 1;
    }
    while grid.rows > 2 {
        let Some(index) = lone_cell(grid, grid.rows - 1) else { break };
        if !grid.cells.get(index).is_some_and(|cell| is_source(&cell.text)) {
            break;
        }
        let cell = grid.cells.remove(index);
        below.insert(0, Aside { text: cell.text, rect: cell.rect });
        grid.rows -= 1;
    }
    if !(above.is_empty() && below.is_empty())
        && let Some(rect) = grid.cells.iter().map(|cell| cell.rect).reduce(|a, b| a.union(&b))
    {
        grid.rect = rect;
    }
    (above, below)
}

/// The only cell of a row, where it runs over all columns.
fn lone_cell(grid: &Grid, row: u32) -> Option<usize> {
    let covers = |index: &usize| {
        grid.cells.get(*index).is_some_and(|cell| cell.row <= row && cell.row + cell.row_span > row)
    };
    let mut in_row = (0..grid.cells.len()).filter(covers);
    let (only, None) = (in_row.next()?, in_row.next()) else { return None };
    let cell = grid.cells.get(only)?;
    (cell.row_span == 1 && cell.col == 0 && cell.col_span == grid.cols).then_some(only)
}

fn is_title(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let named = words.next().is_some_and(|word| {
        ["table", "exhibit", "figure", "box", "appendix"].contains(&word.to_lowercase().as_str())
    });
    named
        && words.next().is_some_and(|number| number.chars().any(|c| c.is_ascii_digit()) && number.len() <= 8)
}

fn is_source(text: &str) -> bool {
    const STARTS: [&str; 6] = ["source:", "sources:", "note:", "notes:", "exhibit reads:", "note."];
    let lower = text.trim_start().to_lowercase();
    STARTS.iter().any(|start| lower.starts_with(start))
}
