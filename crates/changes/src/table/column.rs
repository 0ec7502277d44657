//! Columns of two tables: by header and by values together, so that a renamed column and an inserted one are both found.

use super::grid::Grid;
use super::joined;
use crate::assign::assign;
use crate::likeness::Profile;

/// Least agreement of two columns.
const ALIKE: f64 = 0.35;

/// Which column goes with which, in order of the older table.
pub(super) fn pair(old: &Grid<'_>, new: &Grid<'_>) -> Vec<(usize, usize)> {
    let same =
        old.width() == new.width() && (0..old.width()).all(|col| old.header_key(col) == new.header_key(col));
    if same {
        return (0..old.width()).map(|col| (col, col)).collect();
    }
    let profiles = |grid: &Grid<'_>| -> Vec<(Profile, Profile)> {
        let column = |col: usize| {
            let values = joined((0..grid.height()).map(|row| grid.cell(row, col)));
            (Profile::new(grid.header(col)), values)
        };
        (0..grid.width()).map(column).collect()
    };
    let (before, after) = (profiles(old), profiles(new));
    let scores: Vec<Vec<f64>> = before
        .iter()
        .enumerate()
        .map(|(i, a)| after.iter().enumerate().map(|(j, b)| score(a, b, i.abs_diff(j))).collect())
        .collect();
    assign(&scores)
}

fn score(
    (header, values): &(Profile, Profile),
    (other_header, other_values): &(Profile, Profile),
    gap: usize,
) -> f64 {
    let by_values = values.likeness(other_values);
    let likeness = if header.key.is_empty() && other_header.key.is_empty() {
        by_values
    } else {
        0.6 * header.likeness(other_header) + 0.4 * by_values
    };
    if likeness < ALIKE { 0.0 } else { likeness + 0.02 / (1.0 + gap as f64) }
}

/// Columns that only count the rows, in both tables: an inserted row changes every number behind it.
pub(super) fn serial(old: &Grid<'_>, new: &Grid<'_>, columns: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let counts = |grid: &Grid<'_>, col: usize| {
        let values: Option<Vec<u32>> =
            (0..grid.height()).map(|row| grid.key(row, col).parse().ok()).collect();
        values.is_some_and(|values| values.len() > 1 && values.windows(2).all(|pair| pair[1] == pair[0] + 1))
    };
    columns.iter().copied().filter(|(i, j)| counts(old, *i) && counts(new, *j)).collect()
}
