//! The words of a question, and how much of them a text has.
//!
//! Words are the tokens of the index, so that what search counts and what the agent counts are the same. How much a
//! word says is estimated on the spot, from how many of the texts that were found have it.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use regreader_text::Tokenizer;

/// The tokens of a text.
#[derive(Debug, Clone, Default)]
pub struct Bag(HashSet<String>);

impl Bag {
    /// The share of the tokens of the smaller bag that the other has too.
    pub fn similarity(&self, other: &Self) -> f64 {
        let shared = self.0.intersection(&other.0).count();
        let all = self.0.len().min(other.0.len());
        if all == 0 { 0.0 } else { shared as f64 / all as f64 }
    }
}

/// The words of a question with their weights.
#[derive(Debug)]
pub struct Terms {
    tokenizer: Tokenizer,
    words: Vec<Term>,
    /// The tokens of texts that were asked for: passages of one page share most of their sentences.
    bags: RefCell<HashMap<String, Arc<Bag>>>,
}

#[derive(Debug)]
struct Term {
    text: String,
    /// What the kind of token weighs, times how rare it is among what was found.
    weight: f64,
    /// Numbers, codes, names with a number: another one is another matter.
    exact: bool,
    /// No text that was found has it.
    absent: bool,
}

impl Terms {
    /// The words of a question.
    pub fn read(question: &str) -> Self {
        let tokenizer = Tokenizer::new();
        let mut terms: BTreeMap<String, Term> = BTreeMap::new();
        for token in tokenizer.query_tokens(question).tokens {
            let exact = token.is_exact();
            let weight = f64::from(token.weight);
            terms.insert(token.text.clone(), Term { text: token.text, weight, exact, absent: false });
        }
        Self { tokenizer, words: terms.into_values().collect(), bags: RefCell::default() }
    }

    /// The tokens of a text.
    pub fn bag(&self, text: &str) -> Arc<Bag> {
        if let Some(known) = self.bags.borrow().get(text) {
            return Arc::clone(known);
        }
        let bag = Arc::new(self.count(text));
        self.bags.borrow_mut().insert(text.to_owned(), Arc::clone(&bag));
        bag
    }

    fn count(&self, text: &str) -> Bag {
        let mut bag = HashSet::new();
        self.tokenizer.visit(text, |token| {
            if !bag.contains(token.text) {
                bag.insert(token.text.to_owned());
            }
        });
        Bag(bag)
    }

    /// Weighs each word by how few of these texts have it.
    pub fn weigh(&mut self, texts: &[Arc<Bag>]) {
        let count = texts.len() as f64;
        for term in &mut self.words {
            let holding = texts.iter().filter(|bag| bag.0.contains(&term.text)).count() as f64;
            term.absent = holding == 0.0;
            term.weight *= ((count + 1.0) / (holding + 0.5)).ln().max(0.05);
        }
    }

    /// The share of the words, by weight, that these texts have together. Words that nothing found has are left out:
    /// they tell no passage from another, and [`Self::absent`] counts them.
    pub fn coverage(&self, bags: &[&Bag]) -> f64 {
        share(self.words.iter().filter(|term| !term.absent), bags)
    }

    /// The same of numbers, codes and numbered names alone, absent ones included; 1 when the question has none.
    pub fn exact_coverage(&self, bags: &[&Bag]) -> f64 {
        if !self.words.iter().any(|term| term.exact) {
            return 1.0;
        }
        share(self.words.iter().filter(|term| term.exact), bags)
    }

    /// The sum of the weights of the words that a text has: for choosing among parts of one text.
    pub fn gain(&self, bag: &Bag) -> f64 {
        self.words.iter().filter(|term| bag.0.contains(&term.text)).map(|term| term.weight).sum()
    }

    /// The share of the words, by weight, that nothing found has.
    pub fn absent(&self) -> f64 {
        let of = |absent: bool| {
            self.words.iter().filter(|term| !absent || term.absent).map(|term| term.weight).sum::<f64>()
        };
        let all = of(false);
        if all > 0.0 { of(true) / all } else { 0.0 }
    }
}

fn share<'a>(terms: impl Iterator<Item = &'a Term>, bags: &[&Bag]) -> f64 {
    let (mut held, mut all) = (0.0, 0.0);
    for term in terms {
        all += term.weight;
        if bags.iter().any(|bag| bag.0.contains(&term.text)) {
            held += term.weight;
        }
    }
    if all > 0.0 { held / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_word_says_more_than_one_that_stands_everywhere() {
        let mut terms = Terms::read("母线失压怎么处理");
        let texts = ["母线检修", "母线停电", "母线失压时汇报", "线路检修"].map(|text| terms.bag(text));
        terms.weigh(&texts);
        let [maintenance, outage, voltage, _] = &texts;
        assert!(terms.coverage(&[voltage]) > 2.0 * terms.coverage(&[outage]));
        assert!((terms.coverage(&[outage]) - terms.coverage(&[maintenance])).abs() < 1e-9);
        assert!(terms.absent() > 0.0, "处理 stands nowhere");
    }

    #[test]
    fn another_number_is_another_matter() {
        let terms = Terms::read("表6-2 中 500kV 母线的限额");
        let right = terms.bag("表6-2 500 千伏母线限额");
        let wrong = terms.bag("表6-3 220 千伏母线限额");
        assert!(terms.exact_coverage(&[&right]) > terms.exact_coverage(&[&wrong]) + 0.5);
        assert!((Terms::read("母线失压").exact_coverage(&[&wrong]) - 1.0).abs() < 1e-9);
    }
}
