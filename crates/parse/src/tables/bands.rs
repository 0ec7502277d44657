//! Rows, columns and spans of a table whose cells are not all ruled: heads between rules, then rows of the body.

use regreader_model::Rect;

use super::chunks::{Chunk, TextRow, median};
use super::columns::Columns;
use super::fill::append_line;
use super::{Grid, GridCell, Rule};

/// Builds the grid of a table from its rows, its columns and the level rules in it.
pub(super) fn build(rows: Vec<TextRow>, columns: &Columns, rules: &[Rule]) -> Option<Grid> {
    let mut rows = rows;
    let borders = columns.borders();
    for row in &mut rows {
        row.cut_at(&borders);
    }
    let rect =
        rows.iter().flat_map(|row| row.chunks.iter().map(|chunk| chunk.rect)).reduce(|a, b| a.union(&b))?;
    let head_rows = head_length(&rows, columns, rules, &rect);
    let body = rows.split_off(head_rows.min(rows.len()));
    let mut cells = Vec::new();
    let mut next = 0_u32;
    if !rows.is_empty() {
        next = build_head(&rows, columns, rules, &mut cells);
    }
    let next = build_body(&body, columns, rules, next, &mut cells);
    Some(Grid { rect, rows: next, cols: columns.len() as u32, cells })
}

/// Whether a rule runs under all columns.
fn is_full(rule: &Rule, columns: &Columns, rect: &Rect) -> bool {
    rule.length() >= 0.75 * rect.width()
        && columns
            .inside(rule.start, rule.end)
            .is_some_and(|(first, last)| last - first + 1 >= columns.len().min(2))
}

/// How many rows stand above the first full rule that has rows on both sides.
fn head_length(rows: &[TextRow], columns: &Columns, rules: &[Rule], rect: &Rect) -> usize {
    const MAX_HEAD: usize = 12;
    let mut fulls: Vec<f32> =
        rules.iter().filter(|rule| is_full(rule, columns, rect)).map(|rule| rule.position).collect();
    fulls.sort_by(f32::total_cmp);
    for y in fulls {
        let above = rows.iter().take_while(|row| row.base <= y + 0.35 * row.size).count();
        if above == 0 || above >= rows.len() {
            continue;
        }
        // A rule under amounts is that of a sum, not that of the heads.
        let sums = rows.iter().take(above).any(|row| is_amounts(row, columns));
        return if above <= MAX_HEAD && !sums { above } else { 0 };
    }
    // Without rules the head is what stands above the first row that fills most columns with numbers.
    0
}

/// A label with amounts and nothing else behind it. Years, numbers of notes and of columns stand in heads too.
fn is_amounts(row: &TextRow, columns: &Columns) -> bool {
    let is_amount = |chunk: &Chunk| {
        let text = chunk.text();
        let digits = text.chars().filter(char::is_ascii_digit).count();
        digits > 0 && text.contains(['$', '€', '£', '¥', '%', ',', '.']) && !text.ends_with([',', '.'])
    };
    let (labels, values): (Vec<&Chunk>, Vec<&Chunk>) =
        row.chunks.iter().partition(|chunk| columns.place(&chunk.rect).0 == 0);
    let labelled = labels.first().is_some_and(|chunk| !chunk.numeric);
    labelled
        && !values.is_empty()
        && values.iter().all(|chunk| chunk.numeric)
        && values.iter().any(|chunk| is_amount(chunk))
}

struct HeadCell {
    columns: (usize, usize),
    rect: Rect,
    base: f32,
    size: f32,
    text: String,
    level: u32,
}

/// Heads: lines stacked over one column are one cell; what spans columns stands above what it spans.
fn build_head(rows: &[TextRow], columns: &Columns, rules: &[Rule], out: &mut Vec<GridCell>) -> u32 {
    let mut cells: Vec<HeadCell> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let below = rows.get(index + 1);
        let ranges = head_ranges(row, below, columns, rules);
        for (chunk, range) in row.chunks.iter().zip(ranges) {
            let same = cells.iter().rposition(|cell| {
                cell.columns == range
                    && row.base - cell.base <= 1.7 * row.size.max(cell.size)
                    && !ruled_between(rules, cell.base, row.base, &chunk.rect)
            });
            let shadowed = same.is_some_and(|at| {
                // Something else already stands between the two.
                cells
                    .iter()
                    .skip(at + 1)
                    .any(|cell| overlaps(cell.columns, range) && cell.base > cells[at].base)
            });
            match same.filter(|_| !shadowed).and_then(|at| cells.get_mut(at)) {
                Some(cell) => {
                    append_line(&mut cell.text, &chunk.text());
                    cell.rect = cell.rect.union(&chunk.rect);
                    cell.base = row.base;
                }
                None => cells.push(HeadCell {
                    columns: range,
                    rect: chunk.rect,
                    base: row.base,
                    size: row.size,
                    text: chunk.text(),
                    level: 0,
                }),
            }
        }
    }
    for index in 0..cells.len() {
        let (before, rest) = cells.split_at_mut(index);
        if let Some(cell) = rest.first_mut() {
            let above = before.iter().filter(|other| overlaps(other.columns, cell.columns));
            cell.level = above.map(|other| other.level + 1).max().unwrap_or(0);
        }
    }
    let levels = cells.iter().map(|cell| cell.level + 1).max().unwrap_or(0);
    for (index, cell) in cells.iter().enumerate() {
        let under = cells.iter().skip(index + 1).filter(|other| overlaps(other.columns, cell.columns));
        let end = under.map(|other| other.level).min().unwrap_or(levels);
        out.push(GridCell {
            row: cell.level,
            col: cell.columns.0 as u32,
            row_span: end.saturating_sub(cell.level).max(1),
            col_span: (cell.columns.1 - cell.columns.0 + 1) as u32,
            rect: cell.rect,
            text: cell.text.clone(),
        });
    }
    levels
}

fn overlaps(a: (usize, usize), b: (usize, usize)) -> bool {
    a.0 <= b.1 && b.0 <= a.1
}

/// Whether a rule lies between two baselines, over or under a box.
fn ruled_between(rules: &[Rule], upper: f32, lower: f32, rect: &Rect) -> bool {
    rules.iter().any(|rule| {
        rule.position > upper - 1.0
            && rule.position < lower - 2.0
            && rule.start <= rect.center_x()
            && rule.end >= rect.center_x()
    })
}

/// The columns that each head of a row spans.
fn head_ranges(
    row: &TextRow,
    below: Option<&TextRow>,
    columns: &Columns,
    rules: &[Rule],
) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = row.chunks.iter().map(|chunk| columns.place(&chunk.rect)).collect();
    let Some(below) = below else { return ranges };
    for (index, chunk) in row.chunks.iter().enumerate() {
        // A rule under the head, not under the whole table, says what it spans.
        let under = rules.iter().find(|rule| {
            rule.position > row.base - 1.0
                && rule.position < below.base - 0.3 * below.size
                && rule.start <= chunk.rect.center_x()
                && rule.end >= chunk.rect.center_x()
                && columns.inside(rule.start, rule.end).is_some_and(|(f, l)| l - f + 1 < columns.len())
        });
        let ruled = under.and_then(|rule| columns.inside(rule.start, rule.end));
        let spans_below = |range: (usize, usize)| {
            below
                .chunks
                .iter()
                .filter(|c| {
                    let place = columns.place(&c.rect);
                    range.0 <= place.0 && place.1 <= range.1
                })
                .count()
                >= 2
        };
        if let Some(range) = ruled {
            if let Some(slot) = ranges.get_mut(index) {
                *slot = range;
            }
            continue;
        }
        // Centred over several columns without a rule: the range whose middle is nearest.
        let Some(&now) = ranges.get(index) else { continue };
        let left = if index == 0 { 0 } else { ranges.get(index - 1).map_or(0, |r| r.1 + 1) };
        let right = ranges.get(index + 1).map_or(columns.len(), |r| r.0);
        if left > now.0 || right <= now.1 || (now.0 == 0 && now.1 == 0) {
            continue;
        }
        let mut best = now;
        let mut best_miss = range_miss(columns, now, chunk);
        for first in left.max(1)..=now.0.max(1) {
            for last in now.1..right {
                let miss = range_miss(columns, (first, last), chunk);
                let wider = last - first > best.1.saturating_sub(best.0);
                if first <= now.0
                    && spans_below((first, last))
                    && (miss + 2.0 < best_miss || (wider && miss < 4.0))
                {
                    best = (first, last);
                    best_miss = miss;
                }
            }
        }
        if let Some(slot) = ranges.get_mut(index) {
            *slot = best;
        }
    }
    ranges
}

fn range_miss(columns: &Columns, range: (usize, usize), chunk: &Chunk) -> f32 {
    match (columns.spans.get(range.0), columns.spans.get(range.1)) {
        (Some(a), Some(b)) => (f32::midpoint(a.0, b.1) - chunk.rect.center_x()).abs(),
        _ => f32::MAX,
    }
}

/// Rows of the body. Lines that only carry on the cells of the row above belong to it.
fn build_body(
    rows: &[TextRow],
    columns: &Columns,
    rules: &[Rule],
    first: u32,
    out: &mut Vec<GridCell>,
) -> u32 {
    let mut next = first;
    for (start, last) in group_rows(rows, columns, rules) {
        let group = rows.get(start..=last).unwrap_or_default();
        let mut cells: Vec<GridCell> = Vec::new();
        for row in group {
            for chunk in &row.chunks {
                let (a, b) = columns.place(&chunk.rect);
                // A long label runs over its neighbours without spanning them.
                let b = if a == 0 && starts_label(chunk, columns) { 0 } else { b };
                match cells.iter_mut().find(|cell| cell.col == a as u32) {
                    Some(cell) => {
                        append_line(&mut cell.text, &chunk.text());
                        cell.rect = cell.rect.union(&chunk.rect);
                        cell.col_span = cell.col_span.max((b - a + 1) as u32);
                    }
                    None => cells.push(GridCell {
                        row: next,
                        col: a as u32,
                        row_span: 1,
                        col_span: (b - a + 1) as u32,
                        rect: chunk.rect,
                        text: chunk.text(),
                    }),
                }
            }
        }
        cells.sort_by_key(|cell| cell.col);
        // Spans must not run into the next cell of the row.
        let starts: Vec<u32> = cells.iter().map(|cell| cell.col).collect();
        for (index, cell) in cells.iter_mut().enumerate() {
            if let Some(after) = starts.get(index + 1) {
                cell.col_span = cell.col_span.min(after.saturating_sub(cell.col)).max(1);
            }
        }
        out.extend(cells);
        next += 1;
    }
    next
}

/// First and last printed row of each row of the table.
pub(super) fn group_rows(rows: &[TextRow], columns: &Columns, rules: &[Rule]) -> Vec<(usize, usize)> {
    let pitch = row_pitch(rows);
    let mut groups = Vec::new();
    let mut start = 0;
    while start < rows.len() {
        let mut end = start + 1;
        while let Some(below) = rows.get(end)
            && continues(
                below,
                rows.get(end + 1),
                rows.get(start..end).unwrap_or_default(),
                columns,
                rules,
                pitch,
            )
        {
            end += 1;
        }
        groups.push((start, end - 1));
        start = end;
    }
    groups
}

fn starts_label(chunk: &Chunk, columns: &Columns) -> bool {
    columns.spans.first().is_some_and(|span| chunk.rect.x0 <= span.0 + 0.5 * (span.1 - span.0))
}

/// Usual distance between rows with numbers.
fn row_pitch(rows: &[TextRow]) -> Option<f32> {
    let numbered: Vec<f32> = rows.iter().filter(|row| row.has_number()).map(|row| row.base).collect();
    let gaps: Vec<f32> = numbered.windows(2).map(|pair| pair[1] - pair[0]).collect();
    median(&gaps)
}

/// Whether a line belongs to the table row above it.
fn continues(
    below: &TextRow,
    next: Option<&TextRow>,
    group: &[TextRow],
    columns: &Columns,
    rules: &[Rule],
    pitch: Option<f32>,
) -> bool {
    let Some(above) = group.last() else { return false };
    let gap = below.base - above.base;
    let ruled = rules.iter().any(|rule| {
        rule.position > above.base - 0.5
            && rule.position < below.base - 0.4 * below.size
            && rule.start <= below.x1()
            && rule.end >= below.x0()
    });
    if ruled {
        return false;
    }
    let numbers =
        |row: &TextRow| row.chunks.iter().any(|chunk| chunk.numeric && columns.place(&chunk.rect).0 > 0);
    // Two rows with numbers are two rows.
    if numbers(below) && group.iter().any(numbers) {
        return false;
    }
    if pitch.is_some_and(|pitch| gap < 0.72 * pitch) {
        return true;
    }
    // The rest of a label that was too long for its line, set tighter than the rows.
    let label_only = below.chunks.len() == 1 && below.chunks.iter().all(|c| columns.place(&c.rect).0 == 0);
    let nearer_above = next.is_none_or(|next| next.base - below.base > 1.05 * gap);
    if label_only && nearer_above && group.iter().any(numbers) && pitch.is_some_and(|pitch| gap < 0.9 * pitch)
    {
        return true;
    }
    if numbers(below) || gap > 1.6 * below.size.max(above.size) {
        return false;
    }
    let small_start = |chunk: &Chunk| {
        let text = chunk.text();
        let mut chars = text.chars();
        chars
            .next()
            .is_some_and(|c| c.is_lowercase() || (c == '(' && chars.next().is_some_and(char::is_lowercase)))
    };
    let carried = below.chunks.iter().all(|chunk| {
        let place = columns.place(&chunk.rect).0;
        group.iter().flat_map(|row| &row.chunks).any(|other| columns.place(&other.rect).0 == place)
    });
    carried && below.chunks.iter().all(small_start)
}
