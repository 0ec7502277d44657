//! The best legal sequence of numbers: which of the lines that could be headings are headings.
//!
//! Every candidate has a number (a path of integers) and a score from its evidence. A chain of candidates is worth the
//! sum of the scores less what its steps cost: nothing for a legal successor (next sibling, first child, next sibling
//! of an ancestor), little for a gap, more for a missing level, most for counting anew where no higher heading allows
//! it. Going backwards is not possible. The chain worth most is found over the whole document at once, so that one
//! false candidate (`2.汇报国调` in a list, just where chapter 2 could begin) cannot derail what follows: taking it
//! would lose every true heading it contradicts. A real gap costs once and loses nothing.
//!
//! Knows numbers and scores only, not lines or pages. Time and memory are linear in the candidates, times the depth of
//! the numbers and the largest gap looked for.

use std::collections::HashMap;

/// One candidate, in document order.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub path: Vec<u32>,
    pub score: f32,
    /// How many higher headings stand before it. Counting anew is natural where this grows.
    pub segment: u32,
    /// Where its line begins, in points, where that is known.
    pub left: Option<f32>,
}

/// Gaps wider than this are not steps of one numbering.
const WIDEST_GAP: u32 = 12;
const MISSING_LEVEL: f32 = 0.9;
const RESTART_AT_BOUNDARY: f32 = 0.3;
const RESTART_ANYWHERE: f32 = 5.0;
const NEIGHBOUR: f32 = 0.15;
/// The line begins where the line of the sibling before it begins; or it does not.
const ALIGNED: f32 = 0.9;
const MISALIGNED: f32 = -0.5;

/// Indices of the chosen candidates, in order. Empty when no chain is worth anything.
pub(crate) fn best_chain(candidates: &[Candidate]) -> Vec<usize> {
    let mut worth: Vec<f32> = Vec::with_capacity(candidates.len());
    let mut came_from: Vec<Option<usize>> = Vec::with_capacity(candidates.len());
    // Best chain that ends at exactly this number, and best that ends anywhere in its subtree.
    let mut exact: HashMap<&[u32], usize> = HashMap::new();
    let mut subtree: HashMap<&[u32], usize> = HashMap::new();
    let mut best: Option<usize> = None;
    let mut before_segment: Option<usize> = None;
    let mut segment = 0;

    for (index, candidate) in candidates.iter().enumerate() {
        if candidate.segment != segment {
            segment = candidate.segment;
            before_segment = best;
        }
        let path = candidate.path.as_slice();
        let mut choice = Choice { worth: -start_cost(path), from: None };
        {
            let mut offer = |from: Option<usize>, cost: f32| {
                let Some(from) = from else { return };
                let Some(before) = worth.get(from) else { return };
                let near = if from + 1 == index { NEIGHBOUR } else { 0.0 };
                let total = before - cost + near;
                if total > choice.worth {
                    choice = Choice { worth: total, from: Some(from) };
                }
            };
            offer(before_segment, RESTART_AT_BOUNDARY + start_cost(path));
            offer(best, RESTART_ANYWHERE + start_cost(path));
            let mut key: Vec<u32> = Vec::with_capacity(path.len());
            for (depth, &number) in path.iter().enumerate() {
                let below = deeper_cost(&path[depth + 1..]);
                if depth > 0 {
                    offer(exact.get(key.as_slice()).copied(), first_cost(number) + below);
                }
                for step in 1..=(WIDEST_GAP + 1).min(number) {
                    key.push(number - step);
                    offer(subtree.get(key.as_slice()).copied(), gap_cost(step - 1) + below);
                    key.pop();
                }
                key.push(number);
            }
        }
        let sibling = previous_sibling(path).and_then(|path| exact.get(path.as_slice()).copied());
        let total =
            choice.worth + candidate.score + alignment(sibling.and_then(|at| candidates.get(at)), candidate);
        worth.push(total);
        came_from.push(choice.from);
        let better = |other: Option<&usize>| other.and_then(|o| worth.get(*o)).is_none_or(|w| total > *w);
        if better(exact.get(path)) {
            exact.insert(path, index);
        }
        for depth in 1..=path.len() {
            let prefix = &path[..depth];
            if better(subtree.get(prefix)) {
                subtree.insert(prefix, index);
            }
        }
        if better(best.as_ref()) {
            best = Some(index);
        }
    }
    let mut chain = Vec::new();
    let mut at = best.filter(|index| worth.get(*index).is_some_and(|total| *total > 0.0));
    while let Some(index) = at {
        chain.push(index);
        at = came_from.get(index).copied().flatten();
    }
    chain.reverse();
    chain
}

fn previous_sibling(path: &[u32]) -> Option<Vec<u32>> {
    let (last, head) = path.split_last()?;
    let mut sibling = head.to_vec();
    sibling.push(last.checked_sub(1)?);
    Some(sibling)
}

/// Siblings are set alike: an item of a list inside a clause stands further in than the chapter it could be.
fn alignment(sibling: Option<&Candidate>, candidate: &Candidate) -> f32 {
    match sibling.and_then(|sibling| sibling.left).zip(candidate.left) {
        None => 0.0,
        Some((a, b)) if (a - b).abs() < 4.0 => ALIGNED,
        Some((a, b)) if (a - b).abs() < 12.0 => 0.0,
        Some(_) => MISALIGNED,
    }
}

struct Choice {
    worth: f32,
    from: Option<usize>,
}

/// What is missing between two numbers that follow each other in a chain: the number expected, if it is not `next`.
pub(crate) fn expected(previous: Option<&[u32]>, next: &[u32]) -> Option<Vec<u32>> {
    let Some(previous) = previous else {
        let first = next.first().copied().unwrap_or(1);
        return (first > 1 || next.len() > 1 && start_cost(next) > 0.6).then(|| vec![1]);
    };
    let shared = previous.iter().zip(next).take_while(|(a, b)| a == b).count();
    if shared == previous.len() {
        // Below the number before: its first child is due. Numbering such as 3.0.1 has no level 3.0.
        let rest = &next[shared..];
        let due = rest.first().is_some_and(|n| *n <= 1) && (rest.len() == 1 || rest.first() == Some(&0));
        let mut first = previous.to_vec();
        first.push(1);
        return (!due).then_some(first);
    }
    let mut sibling: Vec<u32> = previous[..shared].to_vec();
    sibling.push(previous.get(shared).copied().unwrap_or(0) + 1);
    let counts_anew = next.get(shared) < previous.get(shared);
    if counts_anew {
        return (next != [1] && next != [0]).then(|| vec![1]);
    }
    (sibling != next).then_some(sibling)
}

fn gap_cost(missing: u32) -> f32 {
    if missing == 0 { 0.0 } else { (0.9 + 0.25 * (missing - 1) as f32).min(2.4) }
}

/// First number below a parent: 1 is due, and 0 is the habit of some standards (3.0.1).
fn first_cost(number: u32) -> f32 {
    gap_cost(number.saturating_sub(1).min(WIDEST_GAP))
}

/// Levels that were skipped to get this deep.
fn deeper_cost(rest: &[u32]) -> f32 {
    let zero_level = rest.len() == 1;
    let levels = if zero_level { MISSING_LEVEL } else { MISSING_LEVEL * rest.len() as f32 };
    if rest.is_empty() { 0.0 } else { levels + rest.iter().map(|n| first_cost(*n)).sum::<f32>().min(3.0) }
}

/// A chain that does not begin at 1: the first pages may be missing, but 1 is likelier.
fn start_cost(path: &[u32]) -> f32 {
    let first = path.first().copied().unwrap_or(1);
    let deep = 0.5 * path.len().saturating_sub(1) as f32;
    (first_cost(first).min(1.2) + deep).min(2.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(list: &[(&str, f32)]) -> Vec<String> {
        let candidates: Vec<Candidate> = list
            .iter()
            .map(|(number, score)| Candidate {
                path: number.trim_end_matches('!').split('.').map(|n| n.parse().expect("a number")).collect(),
                score: *score,
                segment: 0,
                left: None,
            })
            .collect();
        best_chain(&candidates).into_iter().map(|index| list[index].0.to_owned()).collect()
    }

    #[test]
    fn a_list_item_does_not_open_the_next_chapter() {
        let list = [
            ("1", 1.0),
            ("1.1", 1.5),
            ("1!", 0.5),
            ("2!", 0.5),
            ("3!", 0.5),
            ("1.2", 1.5),
            ("2", 1.0),
            ("2.1", 1.5),
        ];
        assert_eq!(chain(&list), ["1", "1.1", "1.2", "2", "2.1"]);
    }

    #[test]
    fn a_gap_costs_once_and_loses_nothing() {
        let list = [("2", 1.0), ("2.1", 1.5), ("2.1.3", 2.0), ("2.1.5", 2.0), ("2.1.6", 2.0), ("2.2", 1.5)];
        assert_eq!(chain(&list), ["2", "2.1", "2.1.3", "2.1.5", "2.1.6", "2.2"]);
    }

    #[test]
    fn a_false_number_far_off_is_left_out() {
        let list = [("1", 1.0), ("1.1", 1.5), ("110.5", 1.5), ("1.2", 1.5), ("2", 1.0)];
        assert_eq!(chain(&list), ["1", "1.1", "1.2", "2"]);
    }

    #[test]
    fn what_was_expected_is_said() {
        let gap = |previous: &[u32], next: &[u32]| expected(Some(previous), next);
        assert_eq!(gap(&[2, 1, 3], &[2, 1, 5]), Some(vec![2, 1, 4]));
        assert_eq!(gap(&[2, 1, 3], &[2, 1, 4]), None);
        assert_eq!(gap(&[2, 1, 3, 7], &[2, 2]), None);
        assert_eq!(gap(&[2], &[2, 1]), None);
        assert_eq!(gap(&[3], &[3, 0, 1]), None);
        assert_eq!(gap(&[2], &[2, 3]), Some(vec![2, 1]));
        assert_eq!(gap(&[2], &[4]), Some(vec![3]));
        assert_eq!(gap(&[5, 2], &[1]), None);
        assert_eq!(expected(None, &[1]), None);
    }
}
