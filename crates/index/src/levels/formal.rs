//! What documents print for the everyday words of a query: `fired` is a `termination action`.
//!
//! A query finds documents by its own words. Those who ask do not know the document's words, so the terms that a saying may
//! stand for are looked for too, for less. A saying may stand for several terms; a passage that has one of them has what was
//! said, so a word of a term is worth its best term and never their sum.

use std::collections::BTreeMap;

use regreader_text::{FormalTerms, Saying};

use crate::IndexError;

/// Words that documents print for what a query says.
#[derive(Debug, Default)]
pub(crate) struct FormalWords {
    /// Words that the query has not, each with the weight of the words that it stands for. A passage that holds a whole term
    /// holds the weight of its saying.
    pub(crate) weights: Vec<(String, f32)>,
    /// The terms as a query of their own; empty when nothing was said that they stand for.
    pub(crate) query: String,
    /// The terms by saying, to be found in passages.
    pub(crate) terms: FormalTerms,
}

impl FormalWords {
    /// The formal words for a query of these words. `weigh` gives the words of a text with the weights that the index gives them.
    pub(crate) fn of(
        sayings: &[Saying],
        words: &[(String, f32)],
        weigh: impl Fn(&str) -> Result<Vec<(String, f32)>, IndexError>,
    ) -> Result<Self, IndexError> {
        let mut worth: BTreeMap<String, f32> = BTreeMap::new();
        let mut weights: BTreeMap<&str, Vec<(String, f32)>> = BTreeMap::new();
        for saying in sayings {
            let said = weigh(&saying.said)?;
            let weight_in_query =
                |word: &String| words.iter().find(|(own, _)| own == word).map(|(_, weight)| weight);
            let weight: f32 = said.iter().filter_map(|(word, _)| weight_in_query(word)).sum();
            for term in &saying.formal {
                let own = weigh(term)?;
                let total: f32 = own.iter().map(|(_, weight)| weight).sum();
                for (word, share) in &own {
                    if weight_in_query(word).is_none() {
                        let known = worth.entry(word.clone()).or_default();
                        *known =
                            known.max(saying.certainty() * weight * share / total.max(f32::MIN_POSITIVE));
                    }
                }
                weights.insert(term, own);
            }
        }
        let terms: Vec<&str> = sayings.iter().flat_map(|saying| &saying.formal).map(String::as_str).collect();
        let query = terms.join("; ");
        let terms = FormalTerms::of(sayings, |term| weights.get(term).cloned().unwrap_or_default());
        Ok(Self { weights: worth.into_iter().collect(), query, terms })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every word weighs one.
    #[expect(clippy::unnecessary_wraps, reason = "an index may fail to weigh")]
    fn weigh(text: &str) -> Result<Vec<(String, f32)>, IndexError> {
        Ok(text.split_whitespace().map(|word| (word.to_owned(), 1.0)).collect())
    }

    fn saying(said: &str, formal: &[&str]) -> Saying {
        Saying { said: said.to_owned(), formal: formal.iter().map(|term| (*term).to_owned()).collect() }
    }

    #[test]
    fn a_whole_term_weighs_what_was_said_and_a_shared_word_counts_once() {
        let words = weigh("technician let go noon").unwrap();
        let one = [saying("let go", &["termination action"])];
        let formal = FormalWords::of(&one, &words, weigh).unwrap();
        let total: f32 = formal.weights.iter().map(|(_, weight)| weight).sum();
        assert!((total - 2.0).abs() < 1e-6, "{total}");
        let two = [saying("let go", &["termination action", "termination"])];
        let shared = FormalWords::of(&two, &words, weigh).unwrap();
        let weight =
            |word: &str| shared.weights.iter().find(|(known, _)| known == word).map(|(_, weight)| *weight);
        assert!(weight("termination") > weight("action") && weight("termination") < Some(2.0));
        assert_eq!(shared.query, "termination action; termination");
    }

    #[test]
    fn words_of_the_query_are_not_looked_for_twice() {
        let words = weigh("badge access").unwrap();
        let formal = FormalWords::of(&[saying("badge", &["physical access"])], &words, weigh).unwrap();
        assert_eq!(formal.weights.len(), 1);
        assert_eq!(formal.weights[0].0, "physical");
        assert!(FormalWords::of(&[], &words, weigh).unwrap().query.is_empty());
    }
}
