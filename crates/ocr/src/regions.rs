//! Connected regions of a black-and-white map, as the points of their outlines.

use crate::geometry::Point;

/// Regions beyond this number are noise; the largest real pages have a few hundred lines.
const MAX_REGIONS: usize = 4000;

/// The regions of a map, top to bottom by their first row. Pixels that touch by a corner belong together. Each region
/// is given by the ends of its rows, which have the same hull as its outline.
pub fn regions(map: &[bool], width: usize) -> Vec<Vec<Point>> {
    let mut runs: Vec<Run> = Vec::new();
    let mut parents: Vec<usize> = Vec::new();
    let mut above = 0..0;
    for (y, row) in map.chunks_exact(width.max(1)).enumerate() {
        let first = runs.len();
        let mut candidate = above.start;
        for (start, end) in runs_of(row) {
            let label = parents.len();
            parents.push(label);
            // Runs of both rows are in order, so one pass finds all that touch.
            while candidate < above.end && runs.get(candidate).is_some_and(|run| run.end + 1 < start) {
                candidate += 1;
            }
            let touching = runs.get(candidate..above.end).unwrap_or_default();
            for run in touching.iter().take_while(|run| run.start <= end + 1) {
                join(&mut parents, run.label, label);
            }
            runs.push(Run { start, end, y, label });
        }
        above = first..runs.len();
    }
    collect(&runs, &mut parents)
}

/// Dark pixels side by side: columns `start..=end` of a row.
struct Run {
    start: usize,
    end: usize,
    y: usize,
    label: usize,
}

/// First and last columns of each run of set pixels.
fn runs_of(row: &[bool]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + row.get(at..)?.iter().position(|set| *set)?;
        let length = row.get(start..)?.iter().take_while(|set| **set).count();
        at = start + length;
        Some((start, at - 1))
    })
}

fn root(parents: &mut [usize], mut label: usize) -> usize {
    while let Some(&parent) = parents.get(label)
        && parent != label
    {
        let grandparent = parents.get(parent).copied().unwrap_or(parent);
        if let Some(slot) = parents.get_mut(label) {
            *slot = grandparent;
        }
        label = grandparent;
    }
    label
}

fn join(parents: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parents, a), root(parents, b));
    // The older label stays, so that regions keep the order of their first rows.
    if let Some(slot) = parents.get_mut(a.max(b)) {
        *slot = a.min(b);
    }
}

fn collect(runs: &[Run], parents: &mut [usize]) -> Vec<Vec<Point>> {
    let mut number = vec![usize::MAX; parents.len()];
    let mut found: Vec<Vec<Point>> = Vec::new();
    for run in runs {
        let root = root(parents, run.label);
        let Some(slot) = number.get_mut(root) else { continue };
        if *slot == usize::MAX {
            if found.len() >= MAX_REGIONS {
                continue;
            }
            *slot = found.len();
            found.push(Vec::new());
        }
        if let Some(points) = found.get_mut(*slot) {
            points.push([run.start as f32, run.y as f32]);
            points.push([run.end as f32, run.y as f32]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(rows: &[&str]) -> (Vec<bool>, usize) {
        let width = rows.first().map_or(0, |row| row.len());
        (rows.iter().flat_map(|row| row.bytes().map(|b| b == b'#')).collect(), width)
    }

    #[test]
    fn regions_that_touch_by_a_corner_are_one() {
        let (pixels, width) = map(&["##....#", "..##..#", ".......", "#.....#"]);
        let found = regions(&pixels, width);
        assert_eq!(found.len(), 4);
        assert_eq!(found[0], [[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0]]);
        assert_eq!(found[1].len(), 4, "two rows of the right column");
    }

    #[test]
    fn arms_that_meet_below_are_one_region() {
        let (pixels, width) = map(&["#..#..#", "#..#..#", "#######"]);
        let found = regions(&pixels, width);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].len(), 14);
    }

    #[test]
    fn a_hole_is_no_region_of_its_own() {
        let (pixels, width) = map(&["#####", "#...#", "#.#.#", "#...#", "#####"]);
        assert_eq!(regions(&pixels, width).len(), 2, "the ring and the point inside it");
    }

    #[test]
    fn empty_maps() {
        assert!(regions(&[], 0).is_empty());
        assert!(regions(&[false; 12], 4).is_empty());
        assert_eq!(regions(&[true; 12], 4).len(), 1);
    }
}
