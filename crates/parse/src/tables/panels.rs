//! Lattices that stand side by side: panels of one table, or pieces of a table that only some of its columns are ruled in.
//!
//! A table may be set in panels with words such as "or" between them, and its frame is then drawn once for each panel.
//! Another may have lines under its numbers only, which close into narrow ladders while the labels stand outside. The
//! first become one grid; the second are no grids at all, and white space finds the whole table.

use regreader_model::Rect;

use super::{Grid, GridCell};
use crate::layout::Word;

/// Edges closer than this are one edge; drawn rules of one table differ by less.
const NEAR: f32 = 4.0;
/// Widest gap between two panels: a narrow column for a word or two.
const WIDEST_GAP: f32 = 40.0;
/// Grids of one page beyond which it is a drawing, and comparing all with all would only take time.
const MAX_GRIDS: usize = 200;

/// Joins panels, and leaves out ladders whose labels stand beside them.
pub(crate) fn settle_panels(grids: Vec<Grid>, words: &[Word]) -> Vec<Grid> {
    if grids.is_empty() || grids.len() > MAX_GRIDS {
        return grids;
    }
    let frames: Vec<Rect> = grids.iter().map(|grid| grid.rect).collect();
    let mut out = Vec::with_capacity(grids.len());
    for panels in clusters(grids) {
        let Some(whole) = panels.iter().map(|grid| grid.rect).reduce(|a, b| a.union(&b)) else { continue };
        let narrow = panels.iter().any(|grid| grid.cols == 1);
        if narrow && has_labels_outside(&whole, words, &frames) {
            continue;
        }
        match join(&panels, words) {
            Some(joined) => out.push(joined),
            None => out.extend(panels),
        }
    }
    out.sort_by(|a, b| a.rect.y0.total_cmp(&b.rect.y0).then(a.rect.x0.total_cmp(&b.rect.x0)));
    out
}

/// Grids of the same height that stand beside each other, left to right.
fn clusters(mut grids: Vec<Grid>) -> Vec<Vec<Grid>> {
    grids.sort_by(|a, b| a.rect.x0.total_cmp(&b.rect.x0));
    let mut clusters: Vec<Vec<Grid>> = Vec::new();
    for grid in grids {
        let beside = |last: &Grid| {
            (last.rect.y0 - grid.rect.y0).abs() <= NEAR
                && (last.rect.y1 - grid.rect.y1).abs() <= NEAR
                && (0.0..=WIDEST_GAP).contains(&(grid.rect.x0 - last.rect.x1))
        };
        match clusters.iter_mut().find(|cluster| cluster.last().is_some_and(beside)) {
            Some(cluster) => cluster.push(grid),
            None => clusters.push(vec![grid]),
        }
    }
    clusters
}

/// Whether most lines inside a box go on outside it, in no other frame.
fn has_labels_outside(whole: &Rect, words: &[Word], frames: &[Rect]) -> bool {
    let center = |word: &Word| (word.rect.center_x(), word.rect.center_y());
    let mut lines: Vec<(f32, f32)> = Vec::new();
    for word in words {
        let (x, y) = center(word);
        if whole.contains(x, y) && !lines.iter().any(|(base, size)| (base - word.base).abs() <= 0.4 * size) {
            lines.push((word.base, word.size));
        }
    }
    let framed = |word: &Word| {
        let (x, y) = center(word);
        frames.iter().any(|frame| frame.contains(x, y))
    };
    let outside: Vec<&Word> = words
        .iter()
        .filter(|word| word.base > whole.y0 && word.base < whole.y1 + word.size && !framed(word))
        .collect();
    let labelled = lines
        .iter()
        .filter(|(base, size)| outside.iter().any(|word| (word.base - base).abs() <= 0.3 * size))
        .count();
    labelled >= 2 && labelled * 2 >= lines.len()
}

/// Row lines of a grid from top to bottom.
fn row_lines(grid: &Grid) -> Vec<f32> {
    let mut lines: Vec<f32> = grid.cells.iter().flat_map(|cell| [cell.rect.y0, cell.rect.y1]).collect();
    lines.sort_by(f32::total_cmp);
    lines.dedup_by(|a, b| (*a - *b).abs() <= NEAR);
    lines
}

/// Panels with the same row lines as one grid. A gap in which words stand is a column of its own.
fn join(panels: &[Grid], words: &[Word]) -> Option<Grid> {
    if panels.len() < 2 {
        return None;
    }
    let lines = panels.iter().map(row_lines).max_by_key(Vec::len)?;
    let line_at = |y: f32| lines.iter().position(|line| (line - y).abs() <= NEAR);
    let mut cells: Vec<GridCell> = Vec::new();
    let mut cols = 0;
    let mut before: Option<Rect> = None;
    for panel in panels {
        if let Some(left) = before {
            let gap = Rect { x0: left.x1, y0: panel.rect.y0, x1: panel.rect.x0, y1: panel.rect.y1 };
            let said = gap_cells(&gap, &lines, cols, words);
            cols += u32::from(!said.is_empty());
            cells.extend(said);
        }
        for cell in &panel.cells {
            let (first, last) = (line_at(cell.rect.y0)?, line_at(cell.rect.y1)?);
            let mut cell = cell.clone();
            cell.row = first as u32;
            cell.row_span = last.saturating_sub(first).max(1) as u32;
            cell.col += cols;
            cells.push(cell);
        }
        cols += panel.cols;
        before = Some(panel.rect);
    }
    cells.sort_by_key(|cell| (cell.row, cell.col));
    let rect = panels.iter().map(|grid| grid.rect).reduce(|a, b| a.union(&b))?;
    Some(Grid { rect, rows: lines.len().saturating_sub(1) as u32, cols, cells })
}

/// The column between two panels: a cell for each row where several rows have words there, one for all rows where only
/// one has.
fn gap_cells(gap: &Rect, lines: &[f32], col: u32, words: &[Word]) -> Vec<GridCell> {
    let cell = |row: usize, span: usize| GridCell {
        row: row as u32,
        col,
        row_span: span as u32,
        col_span: 1,
        rect: Rect {
            x0: gap.x0,
            y0: lines.get(row).copied().unwrap_or(gap.y0),
            x1: gap.x1,
            y1: lines.get(row + span).copied().unwrap_or(gap.y1),
        },
        text: String::new(),
    };
    let rows = lines.len().saturating_sub(1);
    let mut held: Vec<usize> = words
        .iter()
        .filter(|word| gap.contains(word.rect.center_x(), word.rect.center_y()))
        .map(|word| lines.partition_point(|line| *line <= word.rect.center_y()).saturating_sub(1))
        .collect();
    held.sort_unstable();
    held.dedup();
    match held.len() {
        0 => Vec::new(),
        1 => vec![cell(0, rows)],
        _ => (0..rows).map(|row| cell(row, 1)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(x0: f32, widths: &[f32], lines: &[f32]) -> Grid {
        let mut cells = Vec::new();
        let mut x1 = x0;
        for (col, width) in widths.iter().enumerate() {
            for row in 0..lines.len() - 1 {
                cells.push(GridCell {
                    row: row as u32,
                    col: col as u32,
                    row_span: 1,
                    col_span: 1,
                    rect: Rect { x0: x1, y0: lines[row], x1: x1 + width, y1: lines[row + 1] },
                    text: String::new(),
                });
            }
            x1 += width;
        }
        let rect = Rect { x0, y0: lines[0], x1, y1: lines[lines.len() - 1] };
        Grid { rect, rows: lines.len() as u32 - 1, cols: widths.len() as u32, cells }
    }

    fn word(text: &str, x0: f32, base: f32) -> Word {
        Word {
            text: text.to_owned(),
            rect: Rect { x0, y0: base - 8.0, x1: x0 + 5.0 * text.len() as f32, y1: base + 2.0 },
            base,
            size: 10.0,
            bold: 0,
            count: text.len() as u32,
            seq: 0,
            space_before: true,
            confidence: None,
        }
    }

    #[test]
    fn panels_with_a_word_between_them_are_one_table() {
        let lines = [100.0, 120.0, 140.0, 160.0];
        let panels = vec![panel(50.0, &[40.0, 60.0], &lines), panel(172.0, &[60.0, 60.0], &lines)];
        let words = [word("or", 155.0, 134.0), word("265", 100.0, 134.0), word("500", 180.0, 134.0)];
        let joined = settle_panels(panels, &words);
        assert_eq!(joined.len(), 1);
        assert_eq!((joined[0].rows, joined[0].cols), (3, 5));
        let between: Vec<_> = joined[0].cells.iter().filter(|cell| cell.col == 2).collect();
        assert_eq!((between.len(), between[0].row_span), (1, 3), "the word holds for every row");
    }

    #[test]
    fn tables_with_other_row_lines_stay_two() {
        let panels = vec![
            panel(50.0, &[40.0, 60.0], &[100.0, 120.0, 160.0]),
            panel(172.0, &[60.0, 60.0], &[100.0, 145.0, 160.0]),
        ];
        assert_eq!(settle_panels(panels, &[]).len(), 2);
    }

    #[test]
    fn ladders_under_numbers_whose_labels_stand_outside_are_no_tables() {
        let lines = [100.0, 120.0, 140.0];
        let ladders = vec![panel(200.0, &[60.0], &lines), panel(266.0, &[60.0], &lines)];
        let words = [
            word("Foreign exchange", 40.0, 114.0),
            word("(58)", 220.0, 114.0),
            word("(4)", 286.0, 114.0),
            word("Total", 40.0, 134.0),
            word("(237)", 220.0, 134.0),
            word("(166)", 286.0, 134.0),
        ];
        assert!(settle_panels(ladders.clone(), &words).is_empty());
        // Without labels outside they are what they look like.
        assert_eq!(settle_panels(ladders, &words[1..3]).len(), 1);
    }
}
