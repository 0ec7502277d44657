//! Which clause of the newer edition each clause of the older one is.
//!
//! Content comes before number: (1) text that is equal and occurs once on each side, then the same with numbers masked;
//! (2) the children of paired parents by the best assignment, in which an equal number is a bonus; (3) leftovers across
//! chapters, by their text or by the clauses they hold. What stays below the threshold stays unpaired.

use std::collections::{HashMap, HashSet};

use crate::assign::assign;
use crate::clause::{Clauses, last_part};

/// Shorter texts are anybody's: they are paired only where number or parent agree.
const TELLING: usize = 10;
/// Least likeness of two children of paired parents.
pub(crate) const ALIKE: f64 = 0.45;
/// The same when their numbers agree too.
const ALIKE_SAME_NUMBER: f64 = 0.35;
/// Least likeness across chapters, where nothing but the text speaks for the pair.
const ALIKE_ELSEWHERE: f64 = 0.6;
/// Least share of common descendants for a heading that moved or was renamed.
const SHARED: f64 = 0.5;

/// Which clause goes with which.
#[derive(Debug)]
pub(crate) struct Alignment {
    /// For each old clause the new one.
    pub new_of: Vec<Option<usize>>,
    /// For each new clause the old one.
    pub old_of: Vec<Option<usize>>,
    /// How sure the pair of each old clause is.
    pub confidence: Vec<f64>,
}

impl Alignment {
    pub(crate) fn new(old: &Clauses, new: &Clauses) -> Self {
        let mut alignment = Self {
            new_of: vec![None; old.list.len()],
            old_of: vec![None; new.list.len()],
            confidence: vec![0.0; old.list.len()],
        };
        alignment.pair_unique(old, new, |clauses, at| &clauses.list[at].profile.key);
        alignment.pair_unique(old, new, |clauses, at| &clauses.list[at].profile.masked_key);
        alignment.pair_below(old, new, &mut vec![(None, None)], &mut HashSet::new());
        loop {
            let found = alignment.pair_leftovers(old, new);
            if found.is_empty() {
                break;
            }
            let mut queue = found.iter().map(|(a, b)| (Some(*a), Some(*b))).collect();
            alignment.pair_below(old, new, &mut queue, &mut HashSet::new());
        }
        alignment
    }

    fn pair(&mut self, a: usize, b: usize, confidence: f64) {
        self.new_of[a] = Some(b);
        self.old_of[b] = Some(a);
        self.confidence[a] = confidence.min(1.0);
    }

    /// Whether the clauses above two clauses are a pair, or both are at the top.
    pub(crate) fn same_parent(&self, old: &Clauses, new: &Clauses, a: usize, b: usize) -> bool {
        match (old.list[a].parent, new.list[b].parent) {
            (None, None) => true,
            (Some(p), Some(q)) => self.new_of[p] == Some(q),
            _ => false,
        }
    }

    /// Text that occurs once on each side and is the same.
    fn pair_unique(
        &mut self,
        old: &Clauses,
        new: &Clauses,
        key: impl for<'c> Fn(&'c Clauses, usize) -> &'c String,
    ) {
        let unique = |clauses: &Clauses, free: &[Option<usize>]| {
            let mut places: HashMap<String, Option<usize>> = HashMap::new();
            for (at, partner) in free.iter().enumerate() {
                let text = key(clauses, at);
                if partner.is_none() && !text.is_empty() {
                    places.entry(text.clone()).and_modify(|place| *place = None).or_insert(Some(at));
                }
            }
            places
        };
        let there = unique(new, &self.old_of);
        let mut here: Vec<(usize, usize)> = unique(old, &self.new_of)
            .into_iter()
            .filter_map(|(text, a)| Some((a?, there.get(&text).copied().flatten()?)))
            .collect();
        here.sort_unstable();
        for (a, b) in here {
            let telling = old.list[a].profile.len() >= TELLING;
            if telling || old.list[a].label == new.list[b].label {
                self.pair(a, b, 1.0);
            }
        }
    }

    /// Assigns the free children of each pair in the queue, and of the pairs that come of it.
    fn pair_below(
        &mut self,
        old: &Clauses,
        new: &Clauses,
        queue: &mut Vec<(Option<usize>, Option<usize>)>,
        seen: &mut HashSet<(Option<usize>, Option<usize>)>,
    ) {
        let shared = self.shared(old, new);
        while let Some((p, q)) = queue.pop() {
            if !seen.insert((p, q)) {
                continue;
            }
            let free_old: Vec<usize> =
                old.children(p).iter().copied().filter(|a| self.new_of[*a].is_none()).collect();
            let free_new: Vec<usize> =
                new.children(q).iter().copied().filter(|b| self.old_of[*b].is_none()).collect();
            let scores: Vec<Vec<f64>> = free_old
                .iter()
                .enumerate()
                .map(|(i, a)| {
                    let row = free_new.iter().enumerate();
                    row.map(|(j, b)| {
                        let nearness = 1.0 - gap(i, free_old.len(), j, free_new.len());
                        sibling_score(
                            old,
                            new,
                            *a,
                            *b,
                            shared.get(&(*a, *b)).copied().unwrap_or(0.0),
                            nearness,
                        )
                    })
                    .collect()
                })
                .collect();
            for (i, j) in assign(&scores) {
                self.pair(free_old[i], free_new[j], scores[i][j]);
            }
            let children = old.children(p).iter();
            queue.extend(children.filter_map(|a| Some((Some(*a), Some(self.new_of[*a]?)))));
        }
    }

    /// Unpaired clauses wherever they stand.
    fn pair_leftovers(&mut self, old: &Clauses, new: &Clauses) -> Vec<(usize, usize)> {
        let mut scored: Vec<(f64, usize, usize)> = Vec::new();
        for (a, b) in candidates(old, &self.new_of, new, &self.old_of) {
            let (x, y) = (&old.list[a].profile, &new.list[b].profile);
            let likeness = x.likeness(y);
            if likeness >= ALIKE_ELSEWHERE && x.len() >= TELLING && y.len() >= TELLING {
                scored.push((likeness, a, b));
            }
        }
        for ((a, b), share) in self.shared(old, new) {
            if share >= SHARED && self.new_of[a].is_none() && self.old_of[b].is_none() {
                scored.push((share, a, b));
            }
        }
        scored.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        let mut found = Vec::new();
        for (score, a, b) in scored {
            if self.new_of[a].is_none() && self.old_of[b].is_none() {
                self.pair(a, b, score);
                found.push((a, b));
            }
        }
        found
    }

    /// For pairs of headings the share of the clauses below them that are paired with each other.
    fn shared(&self, old: &Clauses, new: &Clauses) -> HashMap<(usize, usize), f64> {
        let below = |clauses: &Clauses| {
            let mut count = vec![0_usize; clauses.list.len()];
            for at in 0..clauses.list.len() {
                clauses.ancestors(at).skip(1).for_each(|above| count[above] += 1);
            }
            count
        };
        let (old_below, new_below) = (below(old), below(new));
        let mut common: HashMap<(usize, usize), usize> = HashMap::new();
        for (a, b) in self.new_of.iter().enumerate().filter_map(|(a, b)| Some((a, (*b)?))) {
            for p in old.ancestors(a).skip(1) {
                for q in new.ancestors(b).skip(1) {
                    *common.entry((p, q)).or_insert(0) += 1;
                }
            }
        }
        let share = |((p, q), count): ((usize, usize), usize)| {
            ((p, q), 2.0 * count as f64 / (old_below[p] + new_below[q]) as f64)
        };
        common.into_iter().map(share).collect()
    }
}

/// How well two children of paired parents go together; 0 when they do not.
fn sibling_score(old: &Clauses, new: &Clauses, a: usize, b: usize, shared: f64, nearness: f64) -> f64 {
    let (x, y) = (&old.list[a], &new.list[b]);
    let same_number = !x.number.is_empty() && x.number == y.number;
    let same_part = !x.number.is_empty() && last_part(&x.number) == last_part(&y.number);
    let likeness = x.profile.likeness(&y.profile).max(shared);
    let least = if same_number || same_part { ALIKE_SAME_NUMBER } else { ALIKE };
    if likeness < least {
        return 0.0;
    }
    // Among equals the number, then what they hold, then the order decides.
    let number = f64::from(same_number) * 0.1 + f64::from(same_part) * 0.05;
    likeness + number + 0.1 * shared + 0.02 * nearness
}

/// How far apart two places of two lists are, from 0 to 1.
fn gap(i: usize, of: usize, j: usize, of_other: usize) -> f64 {
    (i as f64 / of.max(1) as f64 - j as f64 / of_other.max(1) as f64).abs()
}

/// Free clauses of both sides with rare words in common: all that can be alike, without comparing each with each.
pub(crate) fn candidates(
    old: &Clauses,
    new_of: &[Option<usize>],
    new: &Clauses,
    old_of: &[Option<usize>],
) -> Vec<(usize, usize)> {
    /// A pair of words that stands in more clauses than this tells nothing.
    const COMMON: usize = 40;
    let mut index: HashMap<u64, Vec<usize>> = HashMap::new();
    for (b, clause) in new.list.iter().enumerate().filter(|(b, _)| old_of[*b].is_none()) {
        for shingle in clause.profile.shingles() {
            index.entry(shingle).or_default().push(b);
        }
    }
    let mut pairs: HashSet<(usize, usize)> = HashSet::new();
    for (a, clause) in old.list.iter().enumerate().filter(|(a, _)| new_of[*a].is_none()) {
        for shingle in clause.profile.shingles() {
            let there = index.get(&shingle).filter(|there| there.len() <= COMMON);
            pairs.extend(there.into_iter().flatten().map(|b| (a, *b)));
        }
    }
    let mut pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
    pairs.sort_unstable();
    pairs
}
