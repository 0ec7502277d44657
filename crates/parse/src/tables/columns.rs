//! Columns of a table without upright rules: chunks of different rows that lie over one another.

use regreader_model::Rect;

use super::chunks::{Chunk, TextRow};

/// Chunks and columns beyond which nobody sets a table, and finding its columns would only take time.
const MAX_CHUNKS: usize = 20_000;
const MAX_COLUMNS: usize = 120;

/// Left and right end of each column, left to right.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    pub spans: Vec<(f32, f32)>,
}

impl Columns {
    /// The columns of some rows. Rows of one chunk say nothing and are not looked at.
    pub fn find(rows: &[TextRow]) -> Self {
        let mut chunks: Vec<(usize, &Chunk)> = Vec::new();
        for (index, row) in rows.iter().enumerate().filter(|(_, row)| row.is_tabular()) {
            chunks.extend(row.chunks.iter().map(|chunk| (index, chunk)));
        }
        if chunks.len() > MAX_CHUNKS {
            return Self { spans: Vec::new() };
        }
        // Narrow chunks first: what lies across several of the columns they make is a head or a title.
        chunks.sort_by(|a, b| a.1.rect.width().total_cmp(&b.1.rect.width()).then(a.0.cmp(&b.0)));
        let mut spans: Vec<(f32, f32)> = Vec::new();
        for (_, chunk) in &chunks {
            let hit: Vec<usize> = (0..spans.len())
                .filter(|i| spans.get(*i).is_some_and(|s| lies_over(*s, &chunk.rect)))
                .collect();
            match hit.as_slice() {
                [] if spans.len() >= MAX_COLUMNS => return Self { spans: Vec::new() },
                [] => spans.push((chunk.rect.x0, chunk.rect.x1)),
                [one] => {
                    if let Some(span) = spans.get_mut(*one) {
                        *span = (span.0.min(chunk.rect.x0), span.1.max(chunk.rect.x1));
                    }
                }
                _ => {}
            }
        }
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut columns = Self { spans };
        columns.merge_rivals(rows);
        columns.merge_strays(rows);
        columns
    }

    /// A column that only one row of many knows is a word that strayed: the nearest column takes it.
    fn merge_strays(&mut self, rows: &[TextRow]) {
        let tabular: Vec<&TextRow> = rows.iter().filter(|row| row.is_tabular()).collect();
        if tabular.len() < 4 {
            return;
        }
        let mut index = 0;
        while index < self.spans.len() && self.spans.len() > 2 {
            let here =
                |row: &&&TextRow| row.chunks.iter().any(|chunk| self.place(&chunk.rect) == (index, index));
            if tabular.iter().filter(here).count() > 1 {
                index += 1;
                continue;
            }
            let distance = |a: usize, b: usize| match (self.spans.get(a), self.spans.get(b)) {
                (Some(a), Some(b)) => b.0 - a.1,
                _ => f32::INFINITY,
            };
            let left = index.checked_sub(1).map_or(f32::INFINITY, |before| distance(before, index));
            let keep = if left <= distance(index, index + 1) { index.saturating_sub(1) } else { index };
            let gone = self.spans.remove(keep + 1);
            if let Some(kept) = self.spans.get_mut(keep) {
                *kept = (kept.0.min(gone.0), kept.1.max(gone.1));
            }
        }
    }

    /// Neighbours that hardly ever stand side by side are one column, set in different ways.
    fn merge_rivals(&mut self, rows: &[TextRow]) {
        let mut index = 0;
        while index + 1 < self.spans.len() {
            let (mut side_by_side, mut across, mut left_only, mut right_only) = (0, 0, 0, 0);
            for row in rows.iter().filter(|row| row.is_tabular()) {
                let (mut left, mut right, mut over) = (false, false, false);
                for chunk in &row.chunks {
                    let (first, last) = self.place(&chunk.rect);
                    if first <= index && last > index {
                        over = true;
                    } else {
                        left |= first <= index && index <= last;
                        right |= first <= index + 1 && index < last;
                    }
                }
                side_by_side += usize::from(left && right);
                across += usize::from(over);
                left_only += usize::from(left && !right && !over);
                right_only += usize::from(right && !left && !over);
            }
            let overlap = match (self.spans.get(index), self.spans.get(index + 1)) {
                (Some(a), Some(b)) => a.1 > b.0,
                _ => false,
            };
            let strangers = side_by_side == 0 && (overlap || left_only.min(right_only) <= 1 || across > 0);
            if strangers || across > side_by_side {
                let gone = self.spans.remove(index + 1);
                if let Some(kept) = self.spans.get_mut(index) {
                    *kept = (kept.0.min(gone.0), kept.1.max(gone.1));
                }
                index = index.saturating_sub(1);
            } else {
                index += 1;
            }
        }
    }

    /// First and last column that a box spans: those whose middle it covers, else the one it lies in.
    pub fn place(&self, rect: &Rect) -> (usize, usize) {
        let mut range: Option<(usize, usize)> = None;
        for (index, span) in self.spans.iter().enumerate() {
            let middle = f32::midpoint(span.0, span.1);
            if rect.x0 < middle && rect.x1 > middle {
                range = Some(range.map_or((index, index), |(first, _)| (first, index)));
            }
        }
        range.unwrap_or_else(|| {
            let overlap = |span: &(f32, f32)| span.1.min(rect.x1) - span.0.max(rect.x0);
            let best = (0..self.spans.len()).max_by(|a, b| {
                let (a, b) =
                    (self.spans.get(*a).map_or(0.0, overlap), self.spans.get(*b).map_or(0.0, overlap));
                a.total_cmp(&b)
            });
            let best = best.unwrap_or(0);
            (best, best)
        })
    }

    /// Middle of the white between each two neighbours.
    pub fn borders(&self) -> Vec<f32> {
        self.spans.windows(2).map(|pair| f32::midpoint(pair[0].1, pair[1].0)).collect()
    }

    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Columns whose middle lies in an interval.
    pub fn inside(&self, x0: f32, x1: f32) -> Option<(usize, usize)> {
        let mut range: Option<(usize, usize)> = None;
        for (index, span) in self.spans.iter().enumerate() {
            let middle = f32::midpoint(span.0, span.1);
            if middle >= x0 - 1.0 && middle <= x1 + 1.0 {
                range = Some(range.map_or((index, index), |(first, _)| (first, index)));
            }
        }
        range
    }
}

/// Whether a box lies over a column rather than brushing it.
fn lies_over(span: (f32, f32), rect: &Rect) -> bool {
    let overlap = span.1.min(rect.x1) - span.0.max(rect.x0);
    let narrow = (span.1 - span.0).min(rect.width());
    overlap > (0.15 * narrow).max(0.5)
}
