//! Tables held together by white space, and by level rules above, below and between their rows.

use regreader_model::Rect;

use super::chunks::{Chunk, TextRow, is_leader, is_marker};
use super::columns::Columns;
use super::lattice::merge;
use super::{Axis, Grid, Rule, bands};
use crate::layout::Row;

/// A table among the rows of a region: which rows it takes, and its grid.
pub(crate) struct Found {
    pub first: usize,
    pub last: usize,
    pub grid: Grid,
}

/// Finds the tables among rows that stand in one column of a page, top to bottom.
pub(crate) fn find_streams(rows: &[Row], rules: &[Rule]) -> Vec<Found> {
    if rows.len() < 2 {
        return Vec::new();
    }
    let level = merge(rules, Axis::Level);
    let upright = merge(rules, Axis::Upright);
    let drawn = level;
    let mut level = drawn.clone();
    level.extend(rows.iter().filter_map(typed_rule));
    level.sort_by(|a, b| a.position.total_cmp(&b.position));
    let texts: Vec<TextRow> = rows.iter().map(|row| TextRow::new(row, &upright)).collect();
    let leaders: Vec<bool> = rows
        .iter()
        .map(|row| {
            row.words.iter().any(|w| is_leader(&w.text) || w.text.ends_with("...") || w.text.ends_with("……"))
        })
        .collect();
    let region = Region::new(&texts);
    let mut found: Vec<Found> = Vec::new();
    for (first, last) in ruled_ranges(&texts, &drawn, &region) {
        if let Some(grid) = table_of(texts.get(first..=last).unwrap_or_default(), &level, true) {
            found.push(Found { first, last, grid });
        }
    }
    for (first, last) in white_ranges(&texts, &region) {
        if found.iter().any(|other| first <= other.last && other.first <= last) {
            continue;
        }
        let slice = texts.get(first..=last).unwrap_or_default();
        let dotted = leaders.get(first..=last).unwrap_or_default().iter().filter(|d| **d).count();
        if is_table(slice, &region, dotted)
            && let Some(grid) = table_of(slice, &level, false)
        {
            found.push(Found { first, last, grid });
        }
    }
    found.sort_by_key(|table| table.first);
    found
}

/// A row of dashes typed in place of a rule.
fn typed_rule(row: &Row) -> Option<Rule> {
    let typed =
        row.words.iter().all(|w| w.text.chars().count() >= 3 && w.text.chars().all(|c| "-_=—─".contains(c)));
    let count: u32 = row.words.iter().map(|word| word.count).sum();
    let (first, last) = (row.words.first()?, row.words.last()?);
    (typed && count >= 10)
        .then(|| Rule::new(Axis::Level, row.base - 0.3 * row.size, first.rect.x0, last.rect.x1, 0.5))
}

/// Extent of the rows of a region.
struct Region {
    x0: f32,
    x1: f32,
}

impl Region {
    fn new(rows: &[TextRow]) -> Self {
        let shown = || rows.iter().filter(|row| !row.chunks.is_empty());
        let x0 = shown().map(TextRow::x0).fold(f32::INFINITY, f32::min);
        let x1 = shown().map(TextRow::x1).fold(f32::NEG_INFINITY, f32::max);
        Self { x0, x1 }
    }

    fn width(&self) -> f32 {
        (self.x1 - self.x0).max(1.0)
    }
}

fn table_of(rows: &[TextRow], level: &[Rule], ruled: bool) -> Option<Grid> {
    let columns = Columns::find(rows);
    if columns.len() < 2 || rows.len() < 2 {
        return None;
    }
    let top = rows.first()?.top - 14.0;
    let bottom = rows.last()?.bottom + 14.0;
    let (x0, x1) = (columns.spans.first()?.0, columns.spans.last()?.1);
    let inside: Vec<Rule> = level
        .iter()
        .filter(|rule| rule.position >= top && rule.position <= bottom && rule.start < x1 && rule.end > x0)
        .copied()
        .collect();
    let mut grid = bands::build(rows.to_vec(), &columns, &inside)?;
    if grid.rows < 2 || grid.cells.len() < 3 {
        return None;
    }
    if ruled {
        // The frame belongs to the table.
        for rule in &inside {
            if rule.position >= grid.rect.y0 - 6.0 && rule.position <= grid.rect.y1 + 6.0 {
                let line = Rect { x0: rule.start, y0: rule.position, x1: rule.end, y1: rule.position };
                grid.rect = grid.rect.union(&line);
            }
        }
    }
    Some(grid)
}

/// Ranges of rows between level rules of one length that have columns between them.
fn ruled_ranges(rows: &[TextRow], level: &[Rule], region: &Region) -> Vec<(usize, usize)> {
    const MAX_RULES: usize = 1_000;
    let mut long: Vec<&Rule> =
        level.iter().filter(|rule| rule.length() >= 0.2 * region.width()).take(MAX_RULES).collect();
    long.sort_by(|a, b| a.position.total_cmp(&b.position));
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    let mut used = vec![false; long.len()];
    for start in 0..long.len() {
        let Some(first) = long.get(start) else { continue };
        if used.get(start).copied().unwrap_or(true) {
            continue;
        }
        // Rules of the same extent below this one, as far as the rows between are a table's.
        let mut chain = vec![start];
        let mut previous = first;
        for (index, rule) in long.iter().enumerate().skip(start + 1) {
            let alike = (rule.start - first.start).abs() <= 8.0 && (rule.end - first.end).abs() <= 8.0;
            if !alike {
                continue;
            }
            let between = rows_between(rows, previous.position, rule.position);
            let ends = !looks_tabular(between, first) || repeats_head(rows, first.position, between);
            if !between.is_empty() && ends {
                break;
            }
            chain.push(index);
            previous = rule;
        }
        let (Some(&top), Some(&bottom)) = (chain.first(), chain.last()) else { continue };
        let (Some(top), Some(bottom)) = (long.get(top), long.get(bottom)) else { continue };
        let within: Vec<usize> = (0..rows.len())
            .filter(|i| {
                rows.get(*i).is_some_and(|row| row.base > top.position && row.base < bottom.position + 1.0)
            })
            .collect();
        let (Some(&a), Some(&b)) = (within.first(), within.last()) else { continue };
        let taken = rows.get(a..=b).unwrap_or_default();
        let tabular = taken.iter().filter(|row| row.is_tabular() && !row.is_numbered_line()).count();
        if chain.len() >= 2 && tabular >= 2 && tabular * 20 >= taken.len() * 11 {
            for index in &chain {
                if let Some(mark) = used.get_mut(*index) {
                    *mark = true;
                }
            }
            if !ranges.iter().any(|(x, y)| a <= *y && *x <= b) {
                ranges.push((a, b));
            }
        }
    }
    ranges
}

fn rows_between(rows: &[TextRow], top: f32, bottom: f32) -> &[TextRow] {
    let from = rows.partition_point(|row| row.base <= top);
    let to = rows.partition_point(|row| row.base <= bottom);
    rows.get(from..to.max(from)).unwrap_or_default()
}

/// Whether the heads above the rule at `top` stand at the end of these rows once more: those of the next table, with a rule of
/// their own. Small words over one column may stand on lines of their own beside them.
fn repeats_head(rows: &[TextRow], top: f32, between: &[TextRow]) -> bool {
    let heads = |rows: &[TextRow]| {
        let last = rows.iter().rev().take(3).find(|row| row.is_tabular())?;
        Some((last.base, last.size, last.chunks.iter().map(Chunk::text).collect::<Vec<_>>()))
    };
    let above = rows.get(..rows.partition_point(|row| row.base <= top)).and_then(heads);
    let Some((base, size, words)) = above else { return false };
    between.len() > 1 && top - base <= 1.5 * size && heads(between).is_some_and(|(_, _, last)| last == words)
}

/// Rows between two rules of a table: in columns, or a few short lines of head.
fn looks_tabular(rows: &[TextRow], frame: &Rule) -> bool {
    let inside: Vec<&TextRow> =
        rows.iter().filter(|row| row.x0() >= frame.start - 6.0 && row.x1() <= frame.end + 6.0).collect();
    if inside.len() * 2 < rows.len() {
        return false;
    }
    let tabular = inside.iter().filter(|row| row.is_tabular()).count();
    let prose = inside
        .iter()
        .filter(|row| row.chunks.len() == 1 && row.x1() - row.x0() >= 0.6 * frame.length())
        .count();
    tabular * 5 >= inside.len() * 2 || (inside.len() <= 4 && prose == 0 && tabular > 0)
}

/// Runs of rows in columns without rules to hold them.
fn white_ranges(rows: &[TextRow], region: &Region) -> Vec<(usize, usize)> {
    let mut ranges = Vec::new();
    let mut index = 0;
    while index < rows.len() {
        if !rows.get(index).is_some_and(TextRow::is_tabular) {
            index += 1;
            continue;
        }
        let (mut last, mut at) = (index, index + 1);
        while let Some(row) = rows.get(at) {
            let Some(previous) = rows.get(at - 1) else { break };
            let far = row.top - previous.bottom > 2.2 * row.size.max(previous.size);
            let wide = row.chunks.len() == 1 && row.x1() - row.x0() > 0.55 * region.width();
            // Heads over the columns after a gap begin another table.
            let apart = row.top - previous.bottom > 0.8 * row.size;
            let heads =
                row.chunks.len() == 1 && row.x0() > rows.get(index).map_or(0.0, TextRow::x0) + 4.0 * row.size;
            // A few lines of one chunk are section titles and wrapped labels.
            if far || wide || at - last > 3 || (apart && heads) {
                break;
            }
            if row.is_tabular() {
                last = at;
            }
            at += 1;
        }
        // Short heads right above that stand over the columns, not at the margin.
        let mut first = index;
        while let Some(above) = first.checked_sub(1).and_then(|i| rows.get(i)) {
            let Some(top) = rows.get(first) else { break };
            let near = top.top - above.bottom <= 0.9 * top.size;
            let indented = above.x0() > top.x0() + 2.0 * top.size;
            if above.chunks.len() == 1
                && near
                && indented
                && above.x1() <= region.x1 + 1.0
                && index - first < 3
            {
                first -= 1;
            } else {
                break;
            }
        }
        if last > index {
            ranges.push((first, last));
        }
        index = last + 1;
    }
    ranges
}

/// Whether rows held together only by white space are a table rather than a list, headings, a contents page or loose
/// lines. Numbered headings look most like a table, and must never be taken for one.
fn is_table(rows: &[TextRow], region: &Region, dotted: usize) -> bool {
    let tabular: Vec<&TextRow> = rows.iter().filter(|row| row.is_tabular()).collect();
    let numbered = tabular.iter().filter(|row| row.is_numbered_line()).count();
    if tabular.len() < 3 || numbered * 3 > tabular.len() {
        return false;
    }
    let columns = Columns::find(rows);
    let (Some(left), Some(right)) = (columns.spans.first(), columns.spans.last()) else { return false };
    if columns.len() < 2 || right.1 - left.0 < 0.3 * region.width() {
        return false;
    }
    // Most rows must agree on the columns, and fill them.
    let (mut agreeing, mut filled, mut used) = (0, 0, 0);
    for row in &tabular {
        let places: Vec<_> = row.chunks.iter().map(|chunk| columns.place(&chunk.rect)).collect();
        agreeing += usize::from(places.windows(2).all(|pair| pair[0].1 < pair[1].0));
        filled += usize::from(places.len() * 2 >= columns.len());
        used += places.len();
    }
    let count = tabular.len();
    if agreeing * 4 < count * 3 || filled * 10 < count * 6 || used * 10 < count * columns.len() * 4 {
        return false;
    }
    // Page numbers at the end of dotted lines: contents.
    if columns.len() <= 3 && dotted * 3 > rows.len() {
        return false;
    }
    let right_chunks: Vec<_> = tabular.iter().flat_map(|row| row.chunks.iter().skip(1)).collect();
    let numeric = right_chunks.iter().filter(|chunk| chunk.numeric).count();
    let numeric_share = numeric as f32 / right_chunks.len().max(1) as f32;
    if columns.len() == 2 {
        let markers =
            tabular.iter().filter(|row| row.chunks.first().is_some_and(|c| is_marker(&c.text()))).count();
        return numeric_share >= 0.6 && markers * 2 <= count;
    }
    // Three columns and more: prose never lines up so, unless it is set in columns.
    let wide = |chunk: &&Chunk| chunk.rect.width() > 0.45 * region.width();
    let widest = tabular.iter().flat_map(|row| &row.chunks).filter(wide).count();
    widest * 3 < count && (numeric_share >= 0.4 || (count >= 5 && used * 10 >= count * columns.len() * 7))
}
