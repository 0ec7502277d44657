//! The verdict: how probable it is that what was found answers the question.
//!
//! A logistic regression over a few signals, fitted by `training/verdict.py` on given questions and reported on others.
//! Weights live in `weights.txt`; a signal without a weight counts nothing, so that the fit decides what matters.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regreader_text::script::is_cjk;

use super::gather::{Candidate, Features, Gathered};
use super::passage::shares;

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

/// The signal of a question that is not answered however probable an answer is: for fitting, which answers everything.
pub const HELD_BACK: &str = "held_back";

/// What the verdict is made from. `training/verdict.py` computes the same from the candidates that `eval --details` writes.
///
/// In a library of one regulation the best candidate has a large share of the chance also for a question that the library says
/// nothing about. The weights of these shares are therefore fitted on libraries of every size, down to one document.
pub fn signals(question: &str, gathered: &Gathered) -> BTreeMap<String, f64> {
    let mut signals = BTreeMap::new();
    let Some(best) = gathered.candidates.first() else { return signals };
    let scores: Vec<f64> = gathered.candidates.iter().map(|one| one.score).collect();
    let chances = shares(&scores);
    let is_on_page = |one: &Candidate| {
        one.passage.reg_id == best.passage.reg_id && one.passage.page_num == best.passage.page_num
    };
    let on_page = gathered.candidates.iter().zip(&chances).filter(|(one, _)| is_on_page(one));
    let on_page: Vec<f64> = on_page.map(|(_, chance)| *chance).collect();
    for (name, value) in &best.features {
        signals.insert((*name).to_owned(), *value);
    }
    let flag = |is: bool| f64::from(u8::from(is));
    let more = [
        ("absent", gathered.terms.absent()),
        ("asks_value", flag(gathered.value.is_some())),
        ("chinese", flag(question.contains(is_cjk))),
    ];
    let more = more.into_iter().chain(chance_signals(&chances, &on_page));
    signals.extend(more.map(|(name, value)| (name.to_owned(), value)));
    signals
}

/// How probably the first passage is the right one, given that one of them is; the first three are; those of its page are; and the
/// entropy of all.
fn chance_signals(chances: &[f64], on_page: &[f64]) -> [(&'static str, f64); 4] {
    let entropy = |chance: &f64| -chance * chance.max(f64::MIN_POSITIVE).ln();
    [
        ("chance", chances.first().copied().unwrap_or_default()),
        ("chance_of_three", chances.iter().take(3).sum()),
        ("chance_of_page", on_page.iter().sum()),
        ("doubt", chances.iter().map(entropy).sum()),
    ]
}

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

    #[test]
    fn one_passage_among_equals_has_its_share_of_the_chance() {
        let of = |count: usize| {
            let chances = shares(&vec![1.0; count]);
            chance_signals(&chances, &chances[..1])
        };
        let value = |signals: &[(&str, f64)], name: &str| {
            signals.iter().find(|(known, _)| *known == name).map_or(f64::NAN, |(_, value)| *value)
        };
        let (alone, four) = (of(1), of(4));
        assert!((value(&alone, "chance") - 1.0).abs() < 1e-9 && value(&alone, "doubt").abs() < 1e-9);
        assert!((value(&four, "chance") - 0.25).abs() < 1e-9);
        assert!((value(&four, "chance_of_three") - 0.75).abs() < 1e-9);
        assert!((value(&four, "doubt") - 4.0_f64.ln()).abs() < 1e-9);
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
