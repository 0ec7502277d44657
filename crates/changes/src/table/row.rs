//! Rows of two tables: equal rows first, then rows with the same key cells, then the best assignment of what is left.

use std::collections::{BTreeSet, HashMap};

use super::grid::Grid;
use crate::assign::assign;
use crate::likeness::Profile;

/// Least likeness of two rows.
const ALIKE: f64 = 0.5;
/// How much more a key cell says than another.
const KEY_WEIGHT: f64 = 2.0;

/// Two rows that are one.
#[derive(Debug)]
pub(super) struct Pair {
    pub old: usize,
    pub new: usize,
    pub confidence: f64,
}

/// Which row goes with which, in order of the older table.
pub(super) fn pair(
    old: &Grid<'_>,
    new: &Grid<'_>,
    columns: &[(usize, usize)],
    serial: &[(usize, usize)],
) -> Vec<Pair> {
    let telling: Vec<(usize, usize)> =
        columns.iter().copied().filter(|column| !serial.contains(column)).collect();
    let telling = if telling.is_empty() { columns.to_vec() } else { telling };
    let mut found = Matches { old: vec![None; old.height()], new: vec![false; new.height()] };
    found.by_text(old, new, &telling);
    let keys = key_columns(old, new, &telling);
    if let Some(keys) = keys {
        found.by_text(old, new, &telling[..keys]);
    }
    found.by_likeness(old, new, &telling, keys.unwrap_or(1));
    let pairs = found.old.into_iter().enumerate();
    pairs.filter_map(|(old, new)| new.map(|(new, confidence)| Pair { old, new, confidence })).collect()
}

/// Rows that no pair holds. A row without any text is none.
pub(super) fn alone<'g>(
    grid: &'g Grid<'_>,
    paired: impl Iterator<Item = usize>,
) -> impl Iterator<Item = usize> + 'g {
    let paired: BTreeSet<usize> = paired.collect();
    let has_text = |row: usize| (0..grid.width()).any(|col| !grid.key(row, col).is_empty());
    (0..grid.height()).filter(move |row| !paired.contains(row) && has_text(*row))
}

struct Matches {
    old: Vec<Option<(usize, f64)>>,
    new: Vec<bool>,
}

impl Matches {
    /// Free rows with equal cells in these columns; where several are equal, in their order.
    fn by_text(&mut self, old: &Grid<'_>, new: &Grid<'_>, columns: &[(usize, usize)]) {
        let mut there: HashMap<Vec<&str>, Vec<usize>> = HashMap::new();
        for row in (0..new.height()).rev().filter(|row| !self.new[*row]) {
            there.entry(columns.iter().map(|(_, j)| new.key(row, *j)).collect()).or_default().push(row);
        }
        for row in 0..old.height() {
            let cells: Vec<&str> = columns.iter().map(|(i, _)| old.key(row, *i)).collect();
            if self.old[row].is_none()
                && let Some(partner) = there.get_mut(&cells).and_then(Vec::pop)
            {
                self.old[row] = Some((partner, 1.0));
                self.new[partner] = true;
            }
        }
    }

    fn by_likeness(&mut self, old: &Grid<'_>, new: &Grid<'_>, columns: &[(usize, usize)], keys: usize) {
        let free_old: Vec<usize> = (0..old.height()).filter(|row| self.old[*row].is_none()).collect();
        let free_new: Vec<usize> = (0..new.height()).filter(|row| !self.new[*row]).collect();
        let scores: Vec<Vec<f64>> = free_old
            .iter()
            .map(|a| free_new.iter().map(|b| likeness(old, *a, new, *b, columns, keys)).collect())
            .collect();
        for (i, j) in assign(&scores) {
            self.old[free_old[i]] = Some((free_new[j], scores[i][j].min(1.0)));
            self.new[free_new[j]] = true;
        }
    }
}

/// How many leading columns name a row: the fewest whose cells differ from row to row in both tables. None when no
/// number of them does, short of all.
fn key_columns(old: &Grid<'_>, new: &Grid<'_>, columns: &[(usize, usize)]) -> Option<usize> {
    let unique = |grid: &Grid<'_>, count: usize, side: fn(&(usize, usize)) -> usize| {
        let mut seen = BTreeSet::new();
        (0..grid.height()).all(|row| {
            seen.insert(columns.iter().take(count).map(|pair| grid.key(row, side(pair))).collect::<Vec<_>>())
        })
    };
    (1..columns.len()).find(|count| unique(old, *count, |pair| pair.0) && unique(new, *count, |pair| pair.1))
}

/// Agreement of two rows over their cells; key cells count more.
fn likeness(
    old: &Grid<'_>,
    a: usize,
    new: &Grid<'_>,
    b: usize,
    columns: &[(usize, usize)],
    keys: usize,
) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for (at, (i, j)) in columns.iter().enumerate() {
        let (x, y) = (old.key(a, *i), new.key(b, *j));
        if x.is_empty() && y.is_empty() {
            continue;
        }
        let weight = if at < keys { KEY_WEIGHT } else { 1.0 };
        all += weight;
        sum += weight * cell_likeness(x, y);
    }
    let score = if all > 0.0 { sum / all } else { 0.0 };
    if score < ALIKE { 0.0 } else { score + 0.02 / (1.0 + a.abs_diff(b) as f64) }
}

fn cell_likeness(x: &str, y: &str) -> f64 {
    if x == y {
        return 1.0;
    }
    let (x, y) = (Profile::new(x), Profile::new(y));
    // A number alone says little once it is masked.
    if x.masked_key == y.masked_key && x.masked_key != "#" { 0.6 } else { 0.5 * x.likeness(&y) }
}
