//! Ruled tables whose rules do not separate every cell: rows and columns that only white space holds apart.
//!
//! Careful by design: a cell of several lines is usually one cell. Only numbers that line up across columns split it.

use regreader_model::Rect;

use super::bands::group_rows;
use super::chunks::{TextRow, median};
use super::columns::Columns;
use super::{Grid, GridCell};
use crate::layout::{Word, rows_of};

/// Cells of a grid that are looked into.
const MAX_CELLS: usize = 5_000;

/// Splits the cells of a ruled table along white space where it is plain that they hold several.
pub(crate) fn refine(grid: Grid, words: &[Word]) -> Grid {
    // Large grids are real ones; looking into each cell would only take time.
    if grid.cells.len() > MAX_CELLS {
        return grid;
    }
    let inside: Vec<Word> =
        words.iter().filter(|w| grid.rect.contains(w.rect.center_x(), w.rect.center_y())).cloned().collect();
    if inside.is_empty() {
        return grid;
    }
    let mut cells: Vec<Held> = grid
        .cells
        .iter()
        .map(|cell| Held { cell: cell.clone(), words: Vec::new(), lines: Vec::new() })
        .collect();
    let index = grid.index();
    for word in inside {
        let place = index.at(word.rect.center_x(), word.rect.center_y());
        if let Some(held) = place.and_then(|number| cells.get_mut(number)) {
            held.words.push(word);
        }
    }
    for held in &mut cells {
        held.lines = rows_of(held.words.clone()).iter().map(|row| TextRow::new(row, &[])).collect();
    }
    let xs = edges(&grid, |cell| [cell.rect.x0, cell.rect.x1]);
    let ys = edges(&grid, |cell| [cell.rect.y0, cell.rect.y1]);
    let new_xs = column_edges(&cells, &xs);
    let spread = spread_cells(&cells, &new_xs, xs.len() != new_xs.len());
    let (new_ys, cut) = row_edges(&cells, &xs, &ys, &new_xs);
    if new_xs.len() == xs.len() && new_ys.len() == ys.len() && !spread.iter().any(|s| *s) {
        return grid;
    }
    split(&grid, &cells, &spread, &new_xs, &new_ys, &cut)
}

/// A cell with the words in it.
struct Held {
    cell: GridCell,
    words: Vec<Word>,
    lines: Vec<TextRow>,
}

fn edges(grid: &Grid, of: impl Fn(&GridCell) -> [f32; 2]) -> Vec<f32> {
    let mut all: Vec<f32> = grid.cells.iter().flat_map(of).collect();
    all.sort_by(f32::total_cmp);
    all.dedup();
    all
}

/// Column borders, with new ones where the lines of a column are plainly two columns of numbers.
fn column_edges(cells: &[Held], xs: &[f32]) -> Vec<f32> {
    let mut all = xs.to_vec();
    for col in 0..xs.len().saturating_sub(1) {
        let lines: Vec<TextRow> = cells
            .iter()
            .filter(|held| held.cell.col as usize == col && held.cell.col_span == 1)
            .flat_map(|held| held.lines.iter().cloned())
            .collect();
        let several = lines.iter().filter(|line| line.is_tabular()).count();
        if several < 3 || several * 2 < lines.len() {
            continue;
        }
        let columns = Columns::find(&lines);
        // Each new column but the first must be one of numbers.
        let (mut total, mut numeric) = (vec![0_usize; columns.len()], vec![0_usize; columns.len()]);
        for chunk in lines.iter().filter(|line| line.is_tabular()).flat_map(|line| &line.chunks) {
            let (first, last) = columns.place(&chunk.rect);
            if first == last
                && let (Some(all), Some(numbers)) = (total.get_mut(first), numeric.get_mut(first))
            {
                *all += 1;
                *numbers += usize::from(chunk.numeric);
            }
        }
        let numbers =
            total.iter().zip(&numeric).skip(1).all(|(all, numbers)| *all >= 3 && numbers * 10 >= all * 6);
        if columns.len() >= 2 && numbers {
            all.extend(columns.borders());
        }
    }
    all.sort_by(f32::total_cmp);
    all.dedup();
    all
}

/// Which cells lie over several columns and hold a chunk for each.
fn spread_cells(cells: &[Held], xs: &[f32], refined: bool) -> Vec<bool> {
    let column = |x: f32| xs.partition_point(|edge| *edge <= x);
    let is_spread = |held: &Held| {
        let (first, last) = (column(held.cell.rect.x0 + 0.1), column(held.cell.rect.x1 - 0.1));
        last > first
            && held.lines.iter().any(|line| {
                let places: Vec<usize> =
                    line.chunks.iter().map(|chunk| column(chunk.rect.center_x())).collect();
                places.len() >= 2 && places.windows(2).all(|pair| pair[0] < pair[1])
            })
    };
    let spread: Vec<bool> = cells.iter().map(is_spread).collect();
    let count = spread.iter().filter(|s| **s).count();
    // One such cell is a sentence with a wide gap; several are rows without upright rules.
    if count >= 3 || (refined && count >= 1) {
        return spread;
    }
    // Three dates over six columns in one cell are heads of theirs, each over its share.
    let heads = |held: &Held| {
        held.lines.len() == 1
            && held
                .lines
                .iter()
                .all(|line| line.chunks.len() >= 3 && line.chunks.iter().all(|chunk| chunk.numeric))
    };
    spread.iter().zip(cells).map(|(spread, held)| *spread && heads(held)).collect()
}

/// Row borders, with new ones where numbers line up across columns line by line; and the bands (top and bottom of the
/// ruled row) in which every cell is cut there.
fn row_edges(cells: &[Held], xs: &[f32], ys: &[f32], new_xs: &[f32]) -> (Vec<f32>, Vec<(f32, f32)>) {
    let mut all = ys.to_vec();
    let mut cut = Vec::new();
    let mut bands: Vec<(f32, f32)> =
        cells.iter().map(|held| (held.cell.rect.y0, held.cell.rect.y1)).collect();
    bands.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    bands.dedup();
    for (y0, y1) in bands {
        let same = |held: &&Held| same_band(&held.cell.rect, y0, y1) && !held.lines.is_empty();
        let band: Vec<&Held> = cells.iter().filter(same).collect();
        if !splits_into_rows(&band) {
            all.extend(head_edge(&band, new_xs));
            continue;
        }
        cut.push((y0, y1));
        let words: Vec<Word> = band.iter().flat_map(|held| held.words.iter().cloned()).collect();
        let spans: Vec<(f32, f32)> = new_xs.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let columns = Columns { spans };
        let mut rows: Vec<TextRow> = rows_of(words).iter().map(|row| TextRow::new(row, &[])).collect();
        for line in &mut rows {
            line.cut_at(xs);
        }
        let groups = group_rows(&rows, &columns, &[]);
        for pair in groups.windows(2) {
            let (Some(above), Some(below)) = (rows.get(pair[0].1), rows.get(pair[1].0)) else { continue };
            let edge = f32::midpoint(above.bottom.min(below.top), below.top.max(above.bottom));
            // Another part of the table may already have a border there.
            if all.iter().all(|known| (known - edge).abs() > 0.45 * above.size) {
                all.push(edge);
            }
        }
    }
    all.sort_by(f32::total_cmp);
    all.dedup();
    (all, cut)
}

/// Whether a cell has exactly this top and bottom.
fn same_band(rect: &Rect, y0: f32, y1: f32) -> bool {
    (rect.y0 - y0).abs() < f32::EPSILON && (rect.y1 - y1).abs() < f32::EPSILON
}

/// Where, in a row of heads, a line over several new columns ends and the heads of the columns begin.
fn head_edge(band: &[&Held], new_xs: &[f32]) -> Option<f32> {
    let mut edge: Option<(f32, f32)> = None;
    for held in band {
        let crossing = held.lines.iter().position(|line| crosses(line, &held.cell.rect, new_xs));
        let split = held
            .lines
            .iter()
            .position(|line| line.chunks.len() >= 2 && !crosses(line, &held.cell.rect, new_xs));
        if let (Some(above), Some(below)) = (crossing, split)
            && below == above + 1
            && let (Some(above), Some(below)) = (held.lines.get(above), held.lines.get(below))
        {
            let (top, bottom) = edge.unwrap_or((f32::NEG_INFINITY, f32::INFINITY));
            edge = Some((top.max(above.base), bottom.min(below.base)));
        }
    }
    // Between the upper baseline and the lower line's middle.
    edge.filter(|(top, bottom)| top < bottom).map(|(top, bottom)| top + 0.25 * (bottom - top))
}

/// Whether a chunk of the line lies across a border inside its cell.
fn crosses(line: &TextRow, cell: &Rect, xs: &[f32]) -> bool {
    line.chunks.iter().any(|chunk| {
        xs.iter().any(|x| {
            *x > cell.x0 + 0.5 && *x < cell.x1 - 0.5 && *x > chunk.rect.x0 + 1.0 && *x < chunk.rect.x1 - 1.0
        })
    })
}

/// Whether the cells of one ruled row hold several rows: a column of numbers, and another that keeps step with it.
fn splits_into_rows(band: &[&Held]) -> bool {
    let numeric = |held: &Held| {
        let chunks: Vec<_> = held.lines.iter().flat_map(|line| &line.chunks).collect();
        held.lines.len() >= 2 && chunks.iter().filter(|chunk| chunk.numeric).count() * 5 >= chunks.len() * 4
    };
    let Some(lead) = band.iter().filter(|held| numeric(held)).max_by_key(|held| held.lines.len()) else {
        return false;
    };
    let size = median(&lead.lines.iter().map(|line| line.size).collect::<Vec<_>>()).unwrap_or(10.0);
    let keeps_step = |held: &Held| {
        let aligned = lead
            .lines
            .iter()
            .filter(|line| held.lines.iter().any(|other| (other.base - line.base).abs() <= 0.35 * size))
            .count();
        held.lines.len() >= 2 && aligned * 5 >= lead.lines.len() * 4
    };
    let others = band.iter().filter(|held| !std::ptr::eq(**held, *lead) && keeps_step(held)).count();
    let several = band.iter().filter(|held| held.lines.len() >= 2).count();
    others >= 1 && others * 2 >= several.saturating_sub(1)
}

/// The columns of a spread cell: one each, or, where its chunks are fewer than its columns, a share for each chunk.
fn shares(lines: &[&TextRow], c0: usize, c1: usize, xs: &[f32]) -> Vec<(usize, usize)> {
    let single = || (c0..c1).map(|c| (c, c + 1)).collect();
    let [line] = lines else { return single() };
    let (chunks, columns) = (line.chunks.len(), c1 - c0);
    if chunks < 2 || columns % chunks != 0 || columns == chunks {
        return single();
    }
    let share = columns / chunks;
    let groups: Vec<(usize, usize)> = (0..chunks).map(|i| (c0 + i * share, c0 + (i + 1) * share)).collect();
    let fits = groups.iter().zip(&line.chunks).all(|((a, b), chunk)| {
        let (Some(x0), Some(x1)) = (xs.get(*a), xs.get(*b)) else { return false };
        chunk.rect.center_x() > *x0 && chunk.rect.center_x() < *x1
    });
    if fits { groups } else { single() }
}

fn split(
    grid: &Grid,
    cells: &[Held],
    spread: &[bool],
    new_xs: &[f32],
    new_ys: &[f32],
    cut: &[(f32, f32)],
) -> Grid {
    let place = |edges: &[f32], value: f32| edges.partition_point(|edge| *edge < value - 0.01);
    let mut out: Vec<GridCell> = Vec::new();
    for (held, spread) in cells.iter().zip(spread) {
        let rect = held.cell.rect;
        let (c0, c1) = (place(new_xs, rect.x0), place(new_xs, rect.x1).max(place(new_xs, rect.x0) + 1));
        let (r0, r1) = (place(new_ys, rect.y0), place(new_ys, rect.y1).max(place(new_ys, rect.y0) + 1));
        // A plain column that was cut into several gives each row its own cells, if its text says so.
        let narrow = held.cell.col_span == 1 && c1 - c0 > 1;
        let whole_band = cut.iter().any(|(y0, y1)| same_band(&rect, *y0, *y1));
        let head = held.lines.iter().any(|line| crosses(line, &rect, new_xs)) && narrow;
        let cut_rows = r1 - r0 > 1 && (whole_band || head);
        let rows: Vec<(usize, usize)> =
            if cut_rows { (r0..r1).map(|r| (r, r + 1)).collect() } else { vec![(r0, r1)] };
        for (ra, rb) in rows {
            let within = |line: &&TextRow| {
                let middle = f32::midpoint(line.top, line.bottom);
                new_ys.get(ra).is_some_and(|y| middle >= *y) && new_ys.get(rb).is_some_and(|y| middle < *y)
            };
            let lines: Vec<&TextRow> = held.lines.iter().filter(within).collect();
            let crossed = lines.iter().any(|line| crosses(line, &rect, new_xs));
            let several = lines.iter().any(|line| line.is_tabular());
            let shared = if *spread { shares(&lines, c0, c1, new_xs) } else { Vec::new() };
            let columns = if *spread && (!crossed || shared.len() < c1 - c0) {
                shared
            } else if narrow && several && !crossed {
                (c0..c1).map(|c| (c, c + 1)).collect()
            } else {
                vec![(c0, c1)]
            };
            for (ca, cb) in &columns {
                let (Some(&x0), Some(&x1), Some(&y0), Some(&y1)) =
                    (new_xs.get(*ca), new_xs.get(*cb), new_ys.get(ra), new_ys.get(rb))
                else {
                    continue;
                };
                out.push(GridCell {
                    row: ra as u32,
                    col: *ca as u32,
                    row_span: (rb - ra) as u32,
                    col_span: (cb - ca) as u32,
                    rect: Rect { x0, y0, x1, y1 },
                    text: String::new(),
                });
            }
        }
    }
    out.sort_by_key(|cell| (cell.row, cell.col));
    let count = |edges: &[f32]| edges.len().saturating_sub(1) as u32;
    Grid { rect: grid.rect, rows: count(new_ys), cols: count(new_xs), cells: out }
}
