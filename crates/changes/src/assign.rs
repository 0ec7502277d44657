//! The best assignment between two sets: which of these goes with which of those so that the sum of scores is highest.

/// Above this many pairs of candidates the exact method would take seconds, and the best scores are taken first.
const EXACT: usize = 90_000;

/// Pairs rows with columns of a score matrix (`scores[row][column]`, 0 for a pair that is not allowed). Each is used at
/// most once, pairs that are not allowed never appear, and the total score is the highest possible.
pub(crate) fn assign(scores: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let rows = scores.len();
    let columns = scores.first().map_or(0, Vec::len);
    if rows == 0 || columns == 0 {
        return Vec::new();
    }
    if rows * columns > EXACT {
        return greedy(scores);
    }
    let mut pairs = if rows <= columns {
        hungarian(rows, columns, |row, column| scores[row][column])
    } else {
        let turned = hungarian(columns, rows, |row, column| scores[column][row]);
        turned.into_iter().map(|(column, row)| (row, column)).collect()
    };
    pairs.retain(|(row, column)| scores[*row][*column] > 0.0);
    pairs.sort_unstable();
    pairs
}

fn greedy(scores: &[Vec<f64>]) -> Vec<(usize, usize)> {
    let mut candidates: Vec<(usize, usize)> = Vec::new();
    for (row, line) in scores.iter().enumerate() {
        candidates.extend(
            line.iter().enumerate().filter(|(_, score)| **score > 0.0).map(|(column, _)| (row, column)),
        );
    }
    candidates.sort_by(|a, b| scores[b.0][b.1].total_cmp(&scores[a.0][a.1]).then(a.cmp(b)));
    let mut row_used = vec![false; scores.len()];
    let mut column_used = vec![false; scores.first().map_or(0, Vec::len)];
    let mut pairs = Vec::new();
    for (row, column) in candidates {
        if !row_used[row] && !column_used[column] {
            (row_used[row], column_used[column]) = (true, true);
            pairs.push((row, column));
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The Hungarian method with potentials, for no more rows than columns. Costs are the negated scores; row and column 0
/// of the working arrays stand for "none".
fn hungarian(rows: usize, columns: usize, score: impl Fn(usize, usize) -> f64) -> Vec<(usize, usize)> {
    let mut row_potential = vec![0.0_f64; rows + 1];
    let mut column_potential = vec![0.0_f64; columns + 1];
    let mut row_of = vec![0_usize; columns + 1];
    let mut way = vec![0_usize; columns + 1];
    for row in 1..=rows {
        row_of[0] = row;
        let mut column = 0;
        let mut least = vec![f64::INFINITY; columns + 1];
        let mut used = vec![false; columns + 1];
        while row_of[column] != 0 {
            used[column] = true;
            let current = row_of[column];
            let mut delta = f64::INFINITY;
            let mut next = 0;
            for candidate in 1..=columns {
                if used[candidate] {
                    continue;
                }
                let cost =
                    -score(current - 1, candidate - 1) - row_potential[current] - column_potential[candidate];
                if cost < least[candidate] {
                    least[candidate] = cost;
                    way[candidate] = column;
                }
                if least[candidate] < delta {
                    delta = least[candidate];
                    next = candidate;
                }
            }
            for candidate in 0..=columns {
                if used[candidate] {
                    row_potential[row_of[candidate]] += delta;
                    column_potential[candidate] -= delta;
                } else {
                    least[candidate] -= delta;
                }
            }
            column = next;
        }
        while column != 0 {
            let before = way[column];
            row_of[column] = row_of[before];
            column = before;
        }
    }
    (1..=columns)
        .filter(|column| row_of[*column] != 0)
        .map(|column| (row_of[column] - 1, column - 1))
        .collect()
}

/// The longest run of pairs whose order is the same on both sides. `seconds` are the positions on the second side, in
/// the order of the first; the result says for each whether it is in that run. What is not has moved.
pub(crate) fn in_order(seconds: &[usize]) -> Vec<bool> {
    // Patience sorting: `ends[n]` is the index of the smallest last value of an increasing run of length n + 1.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; seconds.len()];
    for (at, value) in seconds.iter().enumerate() {
        let place = ends.partition_point(|end| seconds[*end] < *value);
        before[at] = place.checked_sub(1).and_then(|shorter| ends.get(shorter).copied());
        if place == ends.len() {
            ends.push(at);
        } else {
            ends[place] = at;
        }
    }
    let mut kept = vec![false; seconds.len()];
    let mut at = ends.last().copied();
    while let Some(index) = at {
        kept[index] = true;
        at = before[index];
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_counts_not_the_single_best() {
        let scores = vec![vec![0.9, 0.8], vec![0.85, 0.0]];
        assert_eq!(assign(&scores), [(0, 1), (1, 0)]);
        assert_eq!(greedy(&scores), [(0, 0)]);
    }

    #[test]
    fn pairs_that_are_not_allowed_are_left_out_whichever_side_is_longer() {
        assert_eq!(assign(&[vec![0.0, 0.7, 0.0]]), [(0, 1)]);
        assert_eq!(assign(&[vec![0.0], vec![0.6], vec![0.0]]), [(1, 0)]);
        assert!(assign(&[]).is_empty());
        assert!(assign(&[Vec::new()]).is_empty());
    }

    #[test]
    fn exact_is_never_worse_than_any_other_choice() {
        let scores = vec![vec![0.3, 0.6, 0.1, 0.7], vec![0.5, 0.9, 0.2, 0.8], vec![0.4, 0.8, 0.9, 0.6]];
        let sum = |pairs: &[(usize, usize)]| pairs.iter().map(|(r, c)| scores[*r][*c]).sum::<f64>();
        let found = sum(&assign(&scores));
        for a in 0..4 {
            for b in (0..4).filter(|b| *b != a) {
                for c in (0..4).filter(|c| *c != a && *c != b) {
                    assert!(found + 1e-9 >= sum(&[(0, a), (1, b), (2, c)]));
                }
            }
        }
    }

    #[test]
    fn one_that_moved_is_told_from_those_that_made_room() {
        assert_eq!(in_order(&[1, 2, 0, 3]), [true, true, false, true]);
        assert_eq!(in_order(&[3, 0, 1, 2]), [false, true, true, true]);
        assert!(in_order(&[]).is_empty());
    }
}
