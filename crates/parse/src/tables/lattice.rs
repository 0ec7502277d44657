//! Ruled tables: rules snapped and merged, their crossings, the smallest cells between crossings, spans.

use std::collections::HashMap;

use regreader_model::Rect;

use super::{Axis, Grid, GridCell, Rule};

/// Rules closer than this are one rule, and ends closer than this meet. Three points is what drawn tables need.
const TOLERANCE: f32 = 3.0;
/// Crossings considered on one page; beyond it the page is a drawing.
const MAX_CROSSINGS: usize = 40_000;

/// Attempts at closing a cell on one page. Rules that cross without closing would otherwise be tried in all pairs.
const MAX_STEPS: usize = 4_000_000;

/// The ruled tables of a page. Frames around a single cell are not tables.
pub(crate) fn find_lattices(rules: &[Rule]) -> Vec<Grid> {
    let level = merge(rules, Axis::Level);
    let upright = close_sides(&level, merge(rules, Axis::Upright));
    if level.len() < 2 || upright.len() < 2 {
        return Vec::new();
    }
    let Some(crossings) = Crossings::new(&level, &upright) else { return Vec::new() };
    let cells = crossings.cells();
    let mut grids: Vec<Grid> =
        group(cells).into_iter().filter(|group| group.len() > 1).map(|g| grid_of(&g)).collect();
    grids.sort_by(|a, b| a.rect.y0.total_cmp(&b.rect.y0).then(a.rect.x0.total_cmp(&b.rect.x0)));
    grids
}

/// Tables set open at the sides have level rules that run past the outermost upright one. Draws the missing sides
/// between neighbouring level rules of one length that an upright rule connects.
fn close_sides(level: &[Rule], upright: Vec<Rule>) -> Vec<Rule> {
    // A page with more rules than this is a drawing, and comparing all with all would only take time.
    const MAX_RULES: usize = 2_000;
    let mut sides: Vec<Rule> = Vec::new();
    if level.len() > MAX_RULES || upright.len() > MAX_RULES {
        return upright;
    }
    for (index, upper) in level.iter().enumerate() {
        let ends: [fn(&Rule) -> f32; 2] = [|rule| rule.start, |rule| rule.end];
        for end in ends {
            let x = end(upper);
            let alike = |rule: &&Rule| {
                (end(rule) - x).abs() <= TOLERANCE && rule.start < upper.end && rule.end > upper.start
            };
            let Some(lower) = level.iter().skip(index + 1).find(alike) else { continue };
            let connects = |rule: &&Rule| {
                rule.start <= upper.position + TOLERANCE
                    && rule.end >= lower.position - TOLERANCE
                    && rule.position > upper.start.max(lower.start) - TOLERANCE
                    && rule.position < upper.end.min(lower.end) + TOLERANCE
            };
            let mut connected = upright.iter().filter(connects).peekable();
            if connected.peek().is_some() && connected.all(|rule| (rule.position - x).abs() > 2.0 * TOLERANCE)
            {
                sides.push(Rule::new(Axis::Upright, x, upper.position, lower.position, 0.0));
            }
        }
    }
    // One closed band is a box, not a table.
    if sides.len() < 3 {
        return upright;
    }
    sides.extend(upright);
    merge(&sides, Axis::Upright)
}

/// Rules of one axis, those that lie together snapped to one position and joined end to end.
pub(super) fn merge(rules: &[Rule], axis: Axis) -> Vec<Rule> {
    let mut rules: Vec<Rule> = rules.iter().filter(|rule| rule.axis == axis).copied().collect();
    rules.sort_by(|a, b| a.position.total_cmp(&b.position));
    let mut merged: Vec<Rule> = Vec::new();
    let mut rest = rules.as_slice();
    while !rest.is_empty() {
        let mut length = 1;
        while let (Some(a), Some(b)) = (rest.get(length - 1), rest.get(length))
            && b.position - a.position <= TOLERANCE
        {
            length += 1;
        }
        let (cluster, tail) = rest.split_at(length);
        merged.extend(join(cluster));
        rest = tail;
    }
    merged
}

fn join(cluster: &[Rule]) -> Vec<Rule> {
    let position = cluster.iter().map(|rule| rule.position).sum::<f32>() / cluster.len().max(1) as f32;
    let mut pieces: Vec<Rule> = cluster.to_vec();
    pieces.sort_by(|a, b| a.start.total_cmp(&b.start));
    let mut joined: Vec<Rule> = Vec::new();
    for piece in pieces {
        match joined.last_mut() {
            Some(last) if piece.start <= last.end + TOLERANCE => {
                last.end = last.end.max(piece.end);
                last.width = last.width.max(piece.width);
            }
            _ => joined.push(Rule { position, ..piece }),
        }
    }
    joined.retain(|rule| rule.length() >= TOLERANCE);
    joined
}

/// Where level and upright rules cross. Points are (column of x positions, row of y positions).
struct Crossings {
    xs: Vec<f32>,
    ys: Vec<f32>,
    /// Crossing to the level and upright rules that make it.
    points: HashMap<(usize, usize), Vec<(usize, usize)>>,
    /// Rows with a crossing, per column, ascending; and the other way round.
    by_column: Vec<Vec<usize>>,
    by_row: Vec<Vec<usize>>,
}

impl Crossings {
    fn new(level: &[Rule], upright: &[Rule]) -> Option<Self> {
        let positions = |rules: &[Rule]| {
            let mut all: Vec<f32> = rules.iter().map(|rule| rule.position).collect();
            all.sort_by(f32::total_cmp);
            all.dedup();
            all
        };
        let (xs, ys) = (positions(upright), positions(level));
        let mut points: HashMap<(usize, usize), Vec<(usize, usize)>> = HashMap::new();
        let mut by_column = vec![Vec::new(); xs.len()];
        let mut by_row = vec![Vec::new(); ys.len()];
        for (u, v) in upright.iter().enumerate() {
            let column = xs.partition_point(|x| *x < v.position);
            // Level rules are sorted by position: only those the upright rule reaches.
            let from = level.partition_point(|h| h.position < v.start - TOLERANCE);
            for (l, h) in level.iter().enumerate().skip(from) {
                if h.position > v.end + TOLERANCE {
                    break;
                }
                if v.position < h.start - TOLERANCE || v.position > h.end + TOLERANCE {
                    continue;
                }
                let row = ys.partition_point(|y| *y < h.position);
                let makers = points.entry((column, row)).or_default();
                if makers.is_empty() {
                    if let Some(rows) = by_column.get_mut(column) {
                        rows.push(row);
                    }
                    if let Some(columns) = by_row.get_mut(row) {
                        columns.push(column);
                    }
                }
                makers.push((l, u));
                if points.len() > MAX_CROSSINGS {
                    return None;
                }
            }
        }
        for list in by_column.iter_mut().chain(&mut by_row) {
            list.sort_unstable();
        }
        Some(Self { xs, ys, points, by_column, by_row })
    }

    /// Whether one rule runs from one crossing to another.
    fn connected(&self, a: (usize, usize), b: (usize, usize)) -> bool {
        let (Some(a_makers), Some(b_makers)) = (self.points.get(&a), self.points.get(&b)) else {
            return false;
        };
        if a.0 == b.0 {
            a_makers.iter().any(|(_, u)| b_makers.iter().any(|(_, w)| u == w))
        } else {
            a_makers.iter().any(|(l, _)| b_makers.iter().any(|(m, _)| l == m))
        }
    }

    /// The smallest closed cell to the lower right of every crossing.
    fn cells(&self) -> Vec<Rect> {
        let mut corners: Vec<(usize, usize)> = self.points.keys().copied().collect();
        corners.sort_unstable_by_key(|(column, row)| (*row, *column));
        let mut steps = MAX_STEPS;
        corners.into_iter().filter_map(|corner| self.cell_at(corner, &mut steps)).collect()
    }

    fn cell_at(&self, corner: (usize, usize), steps: &mut usize) -> Option<Rect> {
        let (column, row) = corner;
        let below = self.by_column.get(column)?;
        let right = self.by_row.get(row)?;
        let below = below.get(below.partition_point(|r| *r <= row)..)?;
        let right = right.get(right.partition_point(|c| *c <= column)..)?;
        let right: Vec<usize> =
            right.iter().copied().take_while(|c| self.connected(corner, (*c, row))).collect();
        for &bottom in below {
            if !self.connected(corner, (column, bottom)) {
                break;
            }
            for &side in &right {
                *steps = steps.checked_sub(1)?;
                let opposite = (side, bottom);
                if self.points.contains_key(&opposite)
                    && self.connected(opposite, (side, row))
                    && self.connected(opposite, (column, bottom))
                {
                    return Some(Rect {
                        x0: *self.xs.get(column)?,
                        y0: *self.ys.get(row)?,
                        x1: *self.xs.get(side)?,
                        y1: *self.ys.get(bottom)?,
                    });
                }
            }
        }
        None
    }
}

/// Cells that share a corner belong to one table.
fn group(cells: Vec<Rect>) -> Vec<Vec<Rect>> {
    let mut parent: Vec<usize> = (0..cells.len()).collect();
    let mut owner: HashMap<(u32, u32), usize> = HashMap::new();
    for (index, cell) in cells.iter().enumerate() {
        for (x, y) in [(cell.x0, cell.y0), (cell.x1, cell.y0), (cell.x0, cell.y1), (cell.x1, cell.y1)] {
            let other = *owner.entry((x.to_bits(), y.to_bits())).or_insert(index);
            let (a, b) = (root(&mut parent, index), root(&mut parent, other));
            if let Some(slot) = parent.get_mut(a.max(b)) {
                *slot = a.min(b);
            }
        }
    }
    let mut groups: Vec<(usize, Vec<Rect>)> = Vec::new();
    let mut place: HashMap<usize, usize> = HashMap::new();
    for (index, cell) in cells.into_iter().enumerate() {
        let top = root(&mut parent, index);
        let slot = *place.entry(top).or_insert_with(|| {
            groups.push((top, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, members)) = groups.get_mut(slot) {
            members.push(cell);
        }
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

fn root(parent: &mut [usize], index: usize) -> usize {
    let mut at = index;
    while let Some(&up) = parent.get(at)
        && up != at
    {
        let next = parent.get(up).copied().unwrap_or(up);
        if let Some(slot) = parent.get_mut(at) {
            *slot = next;
        }
        at = next;
    }
    at
}

fn grid_of(cells: &[Rect]) -> Grid {
    let edges = |values: Vec<f32>| {
        let mut values = values;
        values.sort_by(f32::total_cmp);
        values.dedup();
        values
    };
    let xs = edges(cells.iter().flat_map(|c| [c.x0, c.x1]).collect());
    let ys = edges(cells.iter().flat_map(|c| [c.y0, c.y1]).collect());
    let place = |edges: &[f32], value: f32| edges.partition_point(|edge| *edge < value) as u32;
    let cells: Vec<GridCell> = cells
        .iter()
        .map(|rect| {
            let (row, col) = (place(&ys, rect.y0), place(&xs, rect.x0));
            GridCell {
                row,
                col,
                row_span: (place(&ys, rect.y1) - row).max(1),
                col_span: (place(&xs, rect.x1) - col).max(1),
                rect: *rect,
                text: String::new(),
            }
        })
        .collect();
    let bound = |edges: &[f32], default: f32| {
        (edges.first().copied().unwrap_or(default), edges.last().copied().unwrap_or(default))
    };
    let ((x0, x1), (y0, y1)) = (bound(&xs, 0.0), bound(&ys, 0.0));
    let mut grid = Grid { rect: Rect { x0, y0, x1, y1 }, rows: xs_len(&ys), cols: xs_len(&xs), cells };
    drop_phantom_columns(&mut grid, &xs);
    grid
}

/// Takes out narrow columns in which no cell stands alone. They come from a border between two columns that is drawn a
/// little to the side in some rows; every cell over them has another column, and keeps it.
fn drop_phantom_columns(grid: &mut Grid, xs: &[f32]) {
    /// Two letters of common type: borders that differ by more are different columns.
    const WIDEST: f32 = 24.0;
    for (col, edges) in xs.windows(2).enumerate().rev() {
        let col = col as u32;
        let alone = |cell: &GridCell| cell.col == col && cell.col_span == 1;
        if edges[1] - edges[0] > WIDEST || grid.cols < 3 || grid.cells.iter().any(alone) {
            continue;
        }
        for cell in &mut grid.cells {
            if cell.col > col {
                cell.col -= 1;
            } else if cell.col + cell.col_span > col {
                cell.col_span -= 1;
            }
        }
        grid.cols -= 1;
    }
}

fn xs_len(edges: &[f32]) -> u32 {
    (edges.len() as u32).saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(x0: f32, y0: f32, x1: f32, y1: f32) -> Rect {
        Rect { x0, y0, x1, y1 }
    }

    #[test]
    fn a_border_drawn_a_little_to_the_side_makes_no_column() {
        let grid = grid_of(&[
            cell(0.0, 0.0, 118.0, 20.0),
            cell(118.0, 0.0, 150.0, 20.0),
            cell(0.0, 20.0, 100.0, 40.0),
            cell(100.0, 20.0, 150.0, 40.0),
        ]);
        assert_eq!((grid.rows, grid.cols), (2, 2));
        let places: Vec<(u32, u32, u32)> =
            grid.cells.iter().map(|cell| (cell.row, cell.col, cell.col_span)).collect();
        assert_eq!(places, [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)]);
    }

    #[test]
    fn a_narrow_column_with_cells_of_its_own_stays() {
        let grid = grid_of(&[
            cell(0.0, 0.0, 118.0, 20.0),
            cell(118.0, 0.0, 150.0, 20.0),
            cell(0.0, 20.0, 100.0, 40.0),
            cell(100.0, 20.0, 118.0, 40.0),
            cell(118.0, 20.0, 150.0, 40.0),
        ]);
        assert_eq!(grid.cols, 3);
    }
}
