//! The verdict: how probable it is that what was found answers the question.
//!
//! A logistic regression over a few signals, fitted by `training/verdict.py` on given questions and reported on others.
//! Weights live in `weights.txt`; a signal without a weight counts nothing, so that the fit decides what matters.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regreader_text::script::is_cjk;

use super::gather::{Features, Gathered};
use super::terms::Bag;

const WEIGHTS: &str = include_str!("weights.txt");

/// The fitted weights.
#[derive(Debug, Clone, Default)]
pub struct Weights {
    passage: BTreeMap<String, f64>,
    answer: BTreeMap<String, f64>,
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
                ["answer", name, value] => drop(weights.answer.insert((*name).to_owned(), number(value))),
                ["threshold", value] => weights.threshold = number(value),
                ["least", value] => weights.least = number(value),
                _ => {}
            }
        }
        weights
    }

    /// The score of a passage.
    pub fn passage(&self, features: &Features) -> f64 {
        features
            .iter()
            .map(|(name, value)| value * self.passage.get(*name).copied().unwrap_or_default())
            .sum()
    }

    /// How probable it is that an answer with these signals is right.
    pub fn probability(&self, signals: &BTreeMap<String, f64>) -> f64 {
        let weight = |name: &str| self.answer.get(name).copied().unwrap_or_default();
        let sum: f64 = signals.iter().map(|(name, value)| value * weight(name)).sum();
        1.0 / (1.0 + (-(sum + weight("bias"))).exp())
    }
}

/// What the verdict is made from.
pub fn signals(question: &str, gathered: &Gathered) -> BTreeMap<String, f64> {
    let mut signals = BTreeMap::new();
    let Some(best) = gathered.candidates.first() else { return signals };
    for (name, value) in &best.features {
        signals.insert((*name).to_owned(), *value);
    }
    let second = gathered.candidates.get(1).map_or(0.0, |second| second.score);
    let bags: Vec<(Bag, Bag)> =
        gathered.candidates.iter().take(3).map(|one| one.passage.bags(&gathered.terms)).collect();
    let bags: Vec<&Bag> = bags.iter().flat_map(|(own, context)| [own, context]).collect();
    let flag = |is: bool| f64::from(u8::from(is));
    let more = [
        ("score", best.score),
        ("margin", best.score - second),
        ("absent", gathered.terms.absent()),
        ("hit", gathered.best_hit),
        ("first_three", gathered.terms.coverage(&bags)),
        ("first_three_exact", gathered.terms.exact_coverage(&bags)),
        ("asks_value", flag(gathered.value.is_some())),
        ("chinese", flag(question.contains(is_cjk))),
    ];
    signals.extend(more.map(|(name, value)| (name.to_owned(), value)));
    signals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_and_the_probability_is_logistic() {
        let weights = Weights::read(
            "# by hand\npassage own 2.0\nanswer bias -1\nanswer own 2\nthreshold 0.6\nleast 0.1\n",
        );
        assert!((weights.passage(&BTreeMap::from([("own", 0.5), ("other", 9.0)])) - 1.0).abs() < 1e-12);
        let at = |own: f64| weights.probability(&BTreeMap::from([("own".to_owned(), own)]));
        assert!((at(0.5) - 0.5).abs() < 1e-12);
        assert!(at(1.0) > 0.7 && at(0.0) < 0.3);
        assert!((weights.threshold - 0.6).abs() < 1e-12 && (weights.least - 0.1).abs() < 1e-12);
    }

    #[test]
    fn the_fitted_weights_are_there() {
        let weights = Weights::fitted();
        assert!(!weights.passage.is_empty() && !weights.answer.is_empty());
        assert!(weights.least <= weights.threshold && weights.threshold < 1.0);
    }
}
