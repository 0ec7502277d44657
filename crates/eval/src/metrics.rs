//! Recall, hits, reciprocal ranks and discounted gain, from the ranks at which the needs of a question were met.

use serde::{Deserialize, Serialize};

/// How one question went: for each thing it needs, the place in the ranking (from 0) where it was first met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judged {
    /// One per need; none when the ranking does not have it.
    pub ranks: Vec<Option<usize>>,
}

impl Judged {
    /// Looks up each need in a ranking.
    pub fn new<N, R>(needs: &[N], ranking: &[R], meets: impl Fn(&N, &R) -> bool) -> Self {
        let ranks = needs.iter().map(|need| ranking.iter().position(|one| meets(need, one)));
        Self { ranks: ranks.collect() }
    }

    /// Share of the needs that the first `k` places meet.
    pub fn recall(&self, k: usize) -> f64 {
        share(self.within(k).count(), self.ranks.len())
    }

    /// Whether the first `k` places meet any need.
    pub fn hit(&self, k: usize) -> bool {
        self.within(k).next().is_some()
    }

    fn reciprocal_rank(&self, k: usize) -> f64 {
        self.within(k).min().map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0))
    }

    /// One gain for each need; at most 1 although one place may meet several needs.
    fn discounted_gain(&self, k: usize) -> f64 {
        let gain = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let best: f64 = (0..self.ranks.len().min(k)).map(gain).sum();
        if best > 0.0 { (self.within(k).map(gain).sum::<f64>() / best).min(1.0) } else { 0.0 }
    }

    fn within(&self, k: usize) -> impl Iterator<Item = usize> + '_ {
        self.ranks.iter().flatten().copied().filter(move |rank| *rank < k)
    }
}

/// Means over the questions of a set. `recall` is the share of a question's needs that were met, `hit` whether any was.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Scores {
    /// How many questions.
    pub questions: usize,
    /// Recall at 1.
    #[serde(rename = "recall@1")]
    pub recall_1: f64,
    /// Recall at 3.
    #[serde(rename = "recall@3")]
    pub recall_3: f64,
    /// Recall at 5.
    #[serde(rename = "recall@5")]
    pub recall_5: f64,
    /// Recall at 10.
    #[serde(rename = "recall@10")]
    pub recall_10: f64,
    /// Recall at 100.
    #[serde(rename = "recall@100")]
    pub recall_100: f64,
    /// Share of questions with a hit at 1.
    #[serde(rename = "hit@1")]
    pub hit_1: f64,
    /// Share of questions with a hit among 3.
    #[serde(rename = "hit@3")]
    pub hit_3: f64,
    /// Share of questions with a hit among 5.
    #[serde(rename = "hit@5")]
    pub hit_5: f64,
    /// Share of questions with a hit among 10.
    #[serde(rename = "hit@10")]
    pub hit_10: f64,
    /// Mean reciprocal rank of the first hit, among 10.
    #[serde(rename = "mrr@10")]
    pub mrr_10: f64,
    /// Normalised discounted cumulative gain at 10.
    #[serde(rename = "ndcg@10")]
    pub ndcg_10: f64,
}

impl Scores {
    /// Means over the questions that need anything.
    pub fn of<'a>(judged: impl IntoIterator<Item = &'a Judged>) -> Self {
        let asked: Vec<&Judged> = judged.into_iter().filter(|one| !one.ranks.is_empty()).collect();
        let mean = |value: &dyn Fn(&Judged) -> f64| {
            let sum: f64 = asked.iter().map(|one| value(one)).sum();
            rounded(if asked.is_empty() { 0.0 } else { sum / asked.len() as f64 })
        };
        let hit = |k: usize| mean(&|one: &Judged| f64::from(u8::from(one.hit(k))));
        let recall = |k: usize| mean(&|one: &Judged| one.recall(k));
        Self {
            questions: asked.len(),
            recall_1: recall(1),
            recall_3: recall(3),
            recall_5: recall(5),
            recall_10: recall(10),
            recall_100: recall(100),
            hit_1: hit(1),
            hit_3: hit(3),
            hit_5: hit(5),
            hit_10: hit(10),
            mrr_10: mean(&|one: &Judged| one.reciprocal_rank(10)),
            ndcg_10: mean(&|one: &Judged| one.discounted_gain(10)),
        }
    }
}

/// A part of a whole; nothing of nothing is nothing.
pub fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Four places: enough for any set, and the same on every machine.
pub fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(ranks: &[Option<usize>]) -> Judged {
        Judged { ranks: ranks.to_vec() }
    }

    #[test]
    fn the_first_place_that_meets_a_need_counts() {
        let ranking = ["P3", "P7", "P3", "P9"];
        let one = Judged::new(&["P3", "P9", "P1"], &ranking, |need, place| need == place);
        assert_eq!(one, judged(&[Some(0), Some(3), None]));
        assert!((one.recall(1) - 1.0 / 3.0).abs() < 1e-12);
        assert!((one.recall(10) - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn means_are_over_questions_that_need_something() {
        let set = [judged(&[Some(0)]), judged(&[Some(4), None]), judged(&[]), judged(&[None])];
        let scores = Scores::of(&set);
        assert_eq!(scores.questions, 3);
        assert!((scores.recall_1 - 0.3333).abs() < 1e-9);
        assert!((scores.recall_5 - 0.5).abs() < 1e-9);
        assert!((scores.hit_5 - 0.6667).abs() < 1e-9);
        assert!((scores.mrr_10 - 0.4).abs() < 1e-9);
    }

    #[test]
    fn gain_is_one_for_the_perfect_order_and_never_more() {
        let perfect = Scores::of(&[judged(&[Some(0), Some(1)])]);
        assert!((perfect.ndcg_10 - 1.0).abs() < 1e-9);
        let same_place = Scores::of(&[judged(&[Some(0), Some(0)])]);
        assert!((same_place.ndcg_10 - 1.0).abs() < 1e-9);
        let late = Scores::of(&[judged(&[Some(9), None])]);
        assert!(late.ndcg_10 > 0.0 && late.ndcg_10 < 0.3);
        assert!(Scores::of(&[judged(&[Some(10)])]).ndcg_10.abs() < 1e-9);
    }
}
