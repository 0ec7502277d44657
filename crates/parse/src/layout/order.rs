//! Reading order: columns where they are evident, rows from top to bottom otherwise.
//!
//! Two kinds of evidence are weighed: the white gutter between columns, and the order in which the page was drawn.
//! Columns are drawn one after the other; the pieces of a row are drawn side by side.

use regreader_model::Rect;

/// Something to be put in order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub rect: Rect,
    /// Row of the page; items of one row and one column form a line. None for what stands alone (tables, pictures).
    pub row: Option<usize>,
    /// Place in drawing order, where there is one.
    pub seq: Option<u32>,
    /// Font size, for judging gaps.
    pub size: f32,
}

/// Orders items: regions in reading order, each a list of rows from top to bottom, each row the indices of its items
/// from left to right (or of one thing that stands alone).
pub(crate) fn regions(items: &[Item]) -> Vec<Vec<Vec<usize>>> {
    let mut out = Vec::new();
    order_region(items, (0..items.len()).collect(), 0, &mut out);
    out
}

/// Columns in columns in columns: no real page goes deeper.
const MAX_DEPTH: usize = 6;
/// Rows with text on both sides that make a gutter believable.
const MIN_SPLIT_ROWS: usize = 4;

fn order_region(items: &[Item], members: Vec<usize>, depth: usize, out: &mut Vec<Vec<Vec<usize>>>) {
    let rows = rows_of_region(items, members);
    if depth < MAX_DEPTH
        && let Some(split) = find_columns(items, &rows)
    {
        let mut above = Vec::new();
        let mut left = Vec::new();
        let mut right = Vec::new();
        let mut below = Vec::new();
        for (index, row) in rows.into_iter().enumerate() {
            for member in row {
                let Some(item) = items.get(member) else { continue };
                if index < split.first {
                    above.push(member);
                } else if index > split.last {
                    below.push(member);
                } else if item.rect.center_x() < split.x {
                    left.push(member);
                } else {
                    right.push(member);
                }
            }
        }
        for part in [above, left, right, below] {
            if !part.is_empty() {
                order_region(items, part, depth + 1, out);
            }
        }
        return;
    }
    out.push(rows);
}

/// The members of a region in rows from top to bottom, each row from left to right.
fn rows_of_region(items: &[Item], members: Vec<usize>) -> Vec<Vec<usize>> {
    let mut keyed: Vec<(f32, Option<usize>, usize)> = Vec::with_capacity(members.len());
    // Rows are ordered by their own height on the page, not by that of their tallest piece.
    for member in members {
        let Some(item) = items.get(member) else { continue };
        keyed.push((item.rect.y0, item.row, member));
    }
    let mut rows: Vec<(f32, Option<usize>, Vec<usize>)> = Vec::new();
    keyed.sort_by(|a, b| a.1.cmp(&b.1).then(a.0.total_cmp(&b.0)));
    for (y, row, member) in keyed {
        match rows.last_mut() {
            Some((top, last, group)) if row.is_some() && *last == row => {
                *top = top.max(y);
                group.push(member);
            }
            _ => rows.push((y, row, vec![member])),
        }
    }
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let left = |index: &usize| items.get(*index).map_or(0.0, |item| item.rect.x0);
    rows.into_iter()
        .map(|(_, _, mut group)| {
            group.sort_by(|a, b| left(a).total_cmp(&left(b)));
            group
        })
        .collect()
}

struct Split {
    x: f32,
    first: usize,
    last: usize,
}

fn find_columns(items: &[Item], rows: &[Vec<usize>]) -> Option<Split> {
    if rows.len() < MIN_SPLIT_ROWS {
        return None;
    }
    let mut best: Option<(usize, Split)> = None;
    for x in candidate_gutters(items, rows) {
        for (first, last) in uncrossed_runs(items, rows, x) {
            if let Some(score) = column_score(items, rows, x, first, last)
                && best.as_ref().is_none_or(|(top, _)| score > *top)
            {
                best = Some((score, Split { x, first, last }));
            }
        }
    }
    best.map(|(_, split)| split)
}

/// Places where many rows have a gap.
fn candidate_gutters(items: &[Item], rows: &[Vec<usize>]) -> Vec<f32> {
    const STEP: f32 = 4.0;
    // Pages are at most 14,400 points wide; anything further out is not looked at.
    const BINS: usize = 4096;
    let mut changes = vec![0_isize; BINS + 2];
    for row in rows {
        for pair in row.windows(2) {
            let (Some(a), Some(b)) =
                (pair.first().and_then(|i| items.get(*i)), pair.last().and_then(|i| items.get(*i)))
            else {
                continue;
            };
            let gap = b.rect.x0 - a.rect.x1;
            if gap < 8.0 || gap < 0.9 * a.size.min(b.size) {
                continue;
            }
            let from = (a.rect.x1 / STEP).ceil().max(0.0) as usize;
            let to = (b.rect.x0 / STEP).floor().max(0.0) as usize;
            if let (true, Some(vote)) = (from <= to, changes.get_mut(from.min(BINS))) {
                *vote += 1;
            }
            if let (true, Some(vote)) = (from <= to, changes.get_mut(to.min(BINS) + 1)) {
                *vote -= 1;
            }
        }
    }
    let mut level = 0_isize;
    let votes: Vec<isize> = changes
        .iter()
        .map(|change| {
            level += change;
            level
        })
        .collect();
    // The middle of each plateau that is a local maximum.
    let mut candidates: Vec<(isize, f32)> = Vec::new();
    let mut index = 0;
    while index < votes.len() {
        let level = votes.get(index).copied().unwrap_or(0);
        let mut end = index;
        while votes.get(end + 1) == Some(&level) {
            end += 1;
        }
        let before = if index == 0 { 0 } else { votes.get(index - 1).copied().unwrap_or(0) };
        let after = votes.get(end + 1).copied().unwrap_or(0);
        if level.unsigned_abs() >= MIN_SPLIT_ROWS && level > before && level > after {
            candidates.push((level, f32::midpoint(index as f32, end as f32) * STEP));
        }
        index = end + 1;
    }
    candidates.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)));
    candidates.into_iter().take(6).map(|(_, x)| x).collect()
}

/// Runs of neighbouring rows in which nothing lies across `x`.
fn uncrossed_runs(items: &[Item], rows: &[Vec<usize>], x: f32) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start: Option<usize> = None;
    for (index, row) in rows.iter().enumerate() {
        let crossed = row
            .iter()
            .filter_map(|i| items.get(*i))
            .any(|item| item.rect.x0 < x - 1.0 && item.rect.x1 > x + 1.0);
        match (crossed, start) {
            (true, Some(first)) => {
                runs.push((first, index - 1));
                start = None;
            }
            (false, None) => start = Some(index),
            _ => {}
        }
    }
    if let Some(first) = start {
        runs.push((first, rows.len() - 1));
    }
    runs
}

/// How many rows speak for columns left and right of `x`; None when they are not columns.
fn column_score(items: &[Item], rows: &[Vec<usize>], x: f32, first: usize, last: usize) -> Option<usize> {
    let run = rows.get(first..=last)?;
    let mut both = 0;
    let mut drawn: Vec<(u32, bool)> = Vec::new();
    let mut sides = [Side::default(), Side::default()];
    for row in run {
        let mut seen = [false; 2];
        for item in row.iter().filter_map(|i| items.get(*i)) {
            let right = item.rect.center_x() >= x;
            let side = &mut sides[usize::from(right)];
            side.add(&item.rect);
            seen[usize::from(right)] = true;
            if let Some(seq) = item.seq {
                drawn.push((seq, right));
            }
        }
        both += usize::from(seen[0] && seen[1]);
    }
    if both < MIN_SPLIT_ROWS {
        return None;
    }
    // A narrow side is a column of numbers or labels, not of prose.
    let (left, right) = (&sides[0], &sides[1]);
    let width = (right.x1 - left.x0).max(1.0);
    if left.extent() < 0.2 * width || right.extent() < 0.2 * width {
        return None;
    }
    if left.fill() < 0.35 || right.fill() < 0.35 {
        return None;
    }
    if drawn.len() >= 2 * MIN_SPLIT_ROWS {
        drawn.sort_unstable();
        let switches = drawn.windows(2).filter(|pair| pair[0].1 != pair[1].1).count();
        if switches > 1 + both / 5 {
            return None;
        }
    } else if left.fill() < 0.6 || right.fill() < 0.6 {
        return None;
    }
    Some(both)
}

#[derive(Default)]
struct Side {
    x0: f32,
    x1: f32,
    total: f32,
    count: usize,
}

impl Side {
    fn add(&mut self, rect: &Rect) {
        if self.count == 0 {
            (self.x0, self.x1) = (rect.x0, rect.x1);
        }
        self.x0 = self.x0.min(rect.x0);
        self.x1 = self.x1.max(rect.x1);
        self.total += rect.width();
        self.count += 1;
    }

    fn extent(&self) -> f32 {
        self.x1 - self.x0
    }

    /// How much of the column's width its pieces fill on average: prose fills most of it.
    fn fill(&self) -> f32 {
        if self.count == 0 { 0.0 } else { self.total / self.count as f32 / self.extent().max(1.0) }
    }
}
