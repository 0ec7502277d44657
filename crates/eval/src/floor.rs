//! The floor that search must beat: BM25 over whole pages, with pairs of Chinese characters and lower-case words as
//! terms, and no index, vectors, lexicon or choice of regulations.

use std::collections::HashMap;

use regreader_model::RegId;
use regreader_text::fold;
use regreader_text::script::is_cjk;

use crate::{Judged, Question};

/// The usual constants of BM25 (Robertson and Zaragoza 2009).
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The pages of a library, counted.
#[derive(Debug, Default)]
pub struct PageFloor {
    pages: Vec<(RegId, u32, HashMap<String, u32>, f64)>,
    frequency: HashMap<String, u32>,
    total_length: f64,
}

impl PageFloor {
    /// Adds a page.
    pub fn add(&mut self, reg_id: RegId, page: u32, text: &str) {
        let mut counts: HashMap<String, u32> = HashMap::new();
        let mut length = 0.0;
        for term in terms(text) {
            *counts.entry(term).or_default() += 1;
            length += 1.0;
        }
        for term in counts.keys() {
            *self.frequency.entry(term.clone()).or_default() += 1;
        }
        self.total_length += length;
        self.pages.push((reg_id, page, counts, length));
    }

    /// How every question went. Questions without a page give an empty judgement.
    pub fn judge(&self, questions: &[Question]) -> Vec<Judged> {
        let judge = |question: &Question| {
            let ranking = self.rank(&question.question);
            Judged::new(&question.needs, &ranking, |need, (reg_id, page)| need.is_met_by(reg_id, *page))
        };
        questions.iter().map(judge).collect()
    }

    /// Pages by score, best first; pages that share no term are left out.
    fn rank(&self, question: &str) -> Vec<(&RegId, u32)> {
        let asked = terms(question);
        let count = self.pages.len() as f64;
        let mean = (self.total_length / count.max(1.0)).max(1.0);
        let score = |counts: &HashMap<String, u32>, length: f64| -> f64 {
            let of = |term: &String| {
                let times = f64::from(*counts.get(term)?);
                let df = f64::from(*self.frequency.get(term)?);
                let idf = ((count - df + 0.5) / (df + 0.5)).ln_1p();
                Some(idf * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / mean)))
            };
            asked.iter().filter_map(of).sum()
        };
        let scored =
            self.pages.iter().map(|(reg_id, page, counts, length)| (score(counts, *length), reg_id, *page));
        let mut ranked: Vec<_> = scored.filter(|(score, ..)| *score > 0.0).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().map(|(_, reg_id, page)| (reg_id, page)).collect()
    }
}

/// Pairs of neighbouring Chinese characters, and runs of letters and digits.
fn terms(text: &str) -> Vec<String> {
    let folded = fold(text);
    let mut found = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    for c in folded.chars().chain([' ']) {
        if !is_cjk(c) && c.is_alphanumeric() {
            word.push(c);
        } else if !word.is_empty() {
            found.push(std::mem::take(&mut word));
        }
        if let Some(before) = before.filter(|_| is_cjk(c)) {
            found.push(format!("{before}{c}"));
        }
        before = is_cjk(c).then_some(c);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::read_text;

    #[test]
    fn the_page_with_the_rarer_words_comes_first() {
        let mut floor = PageFloor::default();
        let reg_id: RegId = "a_1".parse().unwrap();
        floor.add(reg_id.clone(), 1, "母线失压时，应立即汇报。");
        floor.add(reg_id.clone(), 2, "母线检修的要求。Test of 35 kV busbars");
        floor.add(reg_id, 3, "线路检修的要求。");
        let set = "{\"id\":1,\"question\":\"母线失压怎么办\",\"pages\":{\"a_1\":[1]}}\n\
                   {\"id\":2,\"question\":\"busbars TEST\",\"pages\":{\"a_1\":[2]}}\n\
                   {\"id\":3,\"question\":\"天气\",\"pages\":{\"a_1\":[3]}}";
        let ranks: Vec<_> =
            floor.judge(&read_text("set", set).unwrap()).into_iter().map(|one| one.ranks[0]).collect();
        assert_eq!(ranks, [Some(0), Some(0), None]);
    }
}
