//! The verdict: how probable it is that what was found answers the question.
//!
//! A logistic regression over a few signals, fitted by `training/verdict.py` on given questions and reported on others.
//! Weights live in `weights.txt`; a signal without a weight counts nothing, so that the fit decides what matters.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regreader_text::script::is_cjk;

use super::gather::{Candidate, Features, Gathered};

const WEIGHTS: &str = include_str!("weights.txt");

/// The fitted weights.
#[derive(Debug, Clone, Default)]
pub struct Weights {
    passage: BTreeMap<String, f64>,
    sentence: BTreeMap<String, f64>,
    english: Verdict,
    chinese: Verdict,
}

/// What decides whether an answer is offered, for the questions of one language: a sum over words and a cosine of characters are of
/// another size in each, so is what they mean, and each has bars of its own for what may be answered wrongly.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    signals: BTreeMap<String, f64>,
    /// What is at least this probable is offered as an answer.
    pub threshold: f64,
    /// What is less probable than this is not even related.
    pub least: f64,
}

impl Weights {
    /// The weights of this build.
    pub fn fitted() -> &'static Self {
        static READ: OnceLock<Weights> = OnceLock::new();
        READ.get_or_init(|| Self::read(WEIGHTS))
    }

    /// Reads weights as `training/verdict.py` writes them. Lines that are not understood count nothing.
    pub fn read(text: &str) -> Self {
        let mut weights = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let number = |text: &str| text.parse::<f64>().unwrap_or_default();
            match fields.as_slice() {
                ["passage", name, value] => drop(weights.passage.insert((*name).to_owned(), number(value))),
                ["sentence", name, value] => drop(weights.sentence.insert((*name).to_owned(), number(value))),
                ["answer_en", name, value] => weights.english.take(name, number(value)),
                ["answer_zh", name, value] => weights.chinese.take(name, number(value)),
                _ => {}
            }
        }
        weights
    }

    /// The score of a passage.
    pub fn passage(&self, features: &Features) -> f64 {
        weighed(&self.passage, features)
    }

    /// The score of a sentence of a passage.
    pub fn sentence(&self, features: &Features) -> f64 {
        weighed(&self.sentence, features)
    }

    /// What decides for a question with these signals.
    pub fn verdict(&self, signals: &BTreeMap<String, f64>) -> &Verdict {
        let is_chinese = signals.get("chinese").is_some_and(|flag| *flag > 0.0);
        if is_chinese { &self.chinese } else { &self.english }
    }
}

impl Verdict {
    fn take(&mut self, name: &str, value: f64) {
        match name {
            "threshold" => self.threshold = value,
            "least" => self.least = value,
            _ => drop(self.signals.insert(name.to_owned(), value)),
        }
    }

    /// How probable it is that an answer with these signals is right.
    pub fn probability(&self, signals: &BTreeMap<String, f64>) -> f64 {
        let weight = |name: &str| self.signals.get(name).copied().unwrap_or_default();
        let sum: f64 = signals.iter().map(|(name, value)| value * weight(name)).sum();
        1.0 / (1.0 + (-(sum + weight("bias"))).exp())
    }
}

fn weighed(weights: &BTreeMap<String, f64>, features: &Features) -> f64 {
    features.iter().map(|(name, value)| value * weights.get(*name).copied().unwrap_or_default()).sum()
}

/// Not vocabulary: features of a passage that are taken independently of each other; where they agree on the best one it is more often right.
const VIEWS: &[&str] = &[
    "cosine",
    "block_cosine",
    "words",
    "page",
    "clause",
    "own",
    "sentence",
    "meaning",
    "nearest",
    "similar",
];

/// The signal of a question that is not answered however probable an answer is: for fitting, which answers everything.
pub const HELD_BACK: &str = "held_back";

/// What the verdict is made from. `training/verdict.py` computes the same from the candidates that `eval --details` writes.
///
/// Shares of the best candidate and margins between scores are left out: in a library of one regulation every question has
/// a best candidate with the whole share and a wide margin, also one that the library says nothing about.
pub fn signals(question: &str, gathered: &Gathered) -> BTreeMap<String, f64> {
    let mut signals = BTreeMap::new();
    let Some(best) = gathered.candidates.first() else { return signals };
    for (name, value) in &best.features {
        signals.insert((*name).to_owned(), *value);
    }
    let flag = |is: bool| f64::from(u8::from(is));
    let absent = gathered.terms.absent();
    let more = [
        ("absent", absent),
        // The share of all words of the question, those that nothing found has included: in a small library the few words
        // that it knows are all in one sentence.
        ("held", feature(best, "sentence") * (1.0 - absent)),
        ("agree", agreement(&gathered.candidates)),
        ("sentence_lead", lead(&gathered.candidates, "sentence")),
        ("asks_value", flag(gathered.value.is_some())),
        ("chinese", flag(question.contains(is_cjk))),
    ];
    signals.extend(more.map(|(name, value)| (name.to_owned(), value)));
    signals
}

fn feature(candidate: &Candidate, name: &str) -> f64 {
    candidate.features.get(name).copied().unwrap_or_default()
}

/// The share of the views in which no other candidate is better than the first.
fn agreement(candidates: &[Candidate]) -> f64 {
    let Some(best) = candidates.first() else { return 0.0 };
    let is_best = |name: &&&str| {
        let own = feature(best, name);
        candidates.iter().all(|other| feature(other, name) <= own + 1e-9)
    };
    VIEWS.iter().filter(is_best).count() as f64 / VIEWS.len() as f64
}

/// By how many standard deviations the first candidate stands above the mean of all in one view.
fn lead(candidates: &[Candidate], name: &str) -> f64 {
    let values: Vec<f64> = candidates.iter().map(|one| feature(one, name)).collect();
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    values.first().map_or(0.0, |first| (first - mean) / (spread + LEAST_SPREAD))
}

/// Candidates that hardly differ lead by nothing.
const LEAST_SPREAD: f64 = 0.01;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_and_the_probability_is_logistic() {
        let weights = Weights::read(
            "# by hand\npassage own 2.0\nanswer_en bias -1\nanswer_en own 2\nanswer_zh bias 40\nanswer_zh threshold 0.6\nanswer_zh least 0.1\n",
        );
        assert!((weights.passage(&BTreeMap::from([("own", 0.5), ("other", 9.0)])) - 1.0).abs() < 1e-12);
        let english = |own: f64| BTreeMap::from([("own".to_owned(), own)]);
        let at = |own: f64| weights.verdict(&english(own)).probability(&english(own));
        assert!((at(0.5) - 0.5).abs() < 1e-12);
        assert!(at(1.0) > 0.7 && at(0.0) < 0.3);
        let chinese = BTreeMap::from([("chinese".to_owned(), 1.0)]);
        let verdict = weights.verdict(&chinese);
        assert!(verdict.probability(&chinese) > 0.9);
        assert!((verdict.threshold - 0.6).abs() < 1e-12 && (verdict.least - 0.1).abs() < 1e-12);
    }

    fn candidate(features: &[(&'static str, f64)]) -> Candidate {
        let passage =
            super::super::passage::Passage::quoted("母线失压时汇报。", &regreader_model::Citation::default());
        let features = features.iter().copied().collect();
        Candidate { passage, features, score: 0.0, conditions: 0, continues: false }
    }

    /// In a library of one clause everything is the best there is: that must not count as evidence.
    #[test]
    fn a_single_candidate_leads_by_nothing() {
        let only = [candidate(&[("sentence", 0.9)])];
        assert!(lead(&only, "sentence").abs() < 1e-9);
        let two = [candidate(&[("sentence", 0.9)]), candidate(&[("sentence", 0.1)])];
        assert!(lead(&two, "sentence") > 0.9);
    }

    #[test]
    fn views_agree_where_no_other_candidate_is_better() {
        let all: Vec<(&str, f64)> = VIEWS.iter().map(|view| (*view, 0.5)).collect();
        let best = candidate(&all);
        assert!((agreement(&[best.clone(), candidate(&[("cosine", 0.4)])]) - 1.0).abs() < 1e-9);
        let other = candidate(&[("cosine", 0.9), ("page", 0.9)]);
        assert!((agreement(&[best, other]) - 8.0 / 10.0).abs() < 1e-9);
    }

    #[test]
    fn the_fitted_weights_are_there() {
        let weights = Weights::fitted();
        assert!(!weights.passage.is_empty());
        for verdict in [&weights.english, &weights.chinese] {
            assert!(!verdict.signals.is_empty());
            assert!(0.0 < verdict.least && verdict.least <= verdict.threshold && verdict.threshold < 1.0);
        }
    }
}
