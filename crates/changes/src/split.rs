//! One clause that became several, found by containment: each part stands in the old clause, and together they are it.

use std::collections::{BTreeMap, HashMap};

use crate::align::Alignment;
use crate::clause::Clauses;

/// How much of a part must stand in the whole.
const CONTAINED: f64 = 0.8;
/// How much of a part may stand in the partner the whole already has: else it is a repetition, no part.
const REPEATED: f64 = 0.5;
/// How much of the whole the parts must make up together.
const COVERED: f64 = 0.75;
/// Shorter parts are anybody's.
const TELLING: usize = 8;

/// The whole on one side and its parts on the other, in document order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub whole: usize,
    pub parts: Vec<usize>,
}

/// Clauses of `wholes` that fell apart into clauses of `pieces`. `partner` and `owner` are the pairs so far, from whole to
/// piece and back.
pub(crate) fn splits(
    wholes: &Clauses,
    partner: &[Option<usize>],
    pieces: &Clauses,
    owner: &[Option<usize>],
) -> Vec<Split> {
    let mut index: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, clause) in wholes.list.iter().enumerate() {
        for shingle in clause.profile.shingles() {
            index.entry(shingle).or_default().push(at);
        }
    }
    let mut parts_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (piece, clause) in pieces.list.iter().enumerate() {
        if owner[piece].is_some() || clause.profile.len() < TELLING {
            continue;
        }
        // The rarest words of the piece name the clauses that can hold it.
        let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
        for shingle in clause.profile.shingles() {
            for whole in index.get(&shingle).into_iter().flatten() {
                *votes.entry(*whole).or_insert(0) += 1;
            }
        }
        let holds = |whole: &usize| {
            let candidate = &wholes.list[*whole].profile;
            let repeated = partner[*whole]
                .map_or(0.0, |partner| clause.profile.contained_in(&pieces.list[partner].profile));
            candidate.len() > clause.profile.len()
                && clause.profile.contained_in(candidate) >= CONTAINED
                && (repeated < REPEATED
                    || stands_beside(
                        &candidate.key,
                        partner[*whole].map(|at| &pieces.list[at].profile.key),
                        &clause.profile.key,
                    ))
        };
        let best = votes
            .into_iter()
            .filter(|(_, count)| *count * 2 >= clause.profile.len())
            .filter(|(whole, _)| holds(whole))
            .max_by_key(|(whole, count)| (*count, std::cmp::Reverse(*whole)));
        if let Some((whole, _)) = best {
            parts_of.entry(whole).or_default().push(piece);
        }
    }
    let mut found = Vec::new();
    for (whole, mut parts) in parts_of {
        parts.extend(partner[whole]);
        parts.sort_unstable();
        let profile = &wholes.list[whole].profile;
        let covered = profile.covered_by(parts.iter().map(|part| &pieces.list[*part].profile));
        let partner_is_part = partner[whole]
            .is_none_or(|partner| pieces.list[partner].profile.contained_in(profile) >= CONTAINED);
        if parts.len() > 1 && covered >= COVERED && partner_is_part {
            found.push(Split { whole, parts });
        }
    }
    found
}

/// Whether a piece stands in the whole beside the partner that the whole already has, word for word: then it is a part,
/// however much the two parts resemble each other.
fn stands_beside(whole: &str, partner: Option<&String>, piece: &str) -> bool {
    let bare = |text: &str| text.trim_end_matches(['。', '；', ';', '.', '，', ',']).to_owned();
    let Some(partner) = partner.map(|partner| bare(partner)).filter(|partner| !partner.is_empty()) else {
        return false;
    };
    let piece = bare(piece);
    whole
        .find(&partner)
        .is_some_and(|at| whole[..at].contains(&piece) || whole[at + partner.len()..].contains(&piece))
}

/// Splits and merges of an alignment. A clause is part of one of them at most.
pub(crate) fn find(old: &Clauses, new: &Clauses, alignment: &Alignment) -> (Vec<Split>, Vec<Split>) {
    let split = splits(old, &alignment.new_of, new, &alignment.old_of);
    let taken = |clause: usize| split.iter().any(|one| one.whole == clause);
    let mut merged = splits(new, &alignment.old_of, old, &alignment.new_of);
    merged.retain(|one| !one.parts.iter().any(|part| taken(*part)));
    (split, merged)
}

#[cfg(test)]
mod tests {
    use super::stands_beside;

    #[test]
    fn a_part_that_resembles_the_other_part_is_still_a_part() {
        let (first, second) = ("锦屏站装置1由国调调度;", "锦屏站装置2由国调调度。");
        let whole = format!("{first}{second}");
        let partner = first.to_owned();
        assert!(stands_beside(&whole, Some(&partner), second));
        assert!(!stands_beside(&whole, Some(&whole.clone()), second), "nothing is left beside the whole");
        assert!(!stands_beside(first, Some(&partner), second), "it does not stand there");
    }
}
