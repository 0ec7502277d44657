//! What a question means, as the built-in embedding sees it.
//!
//! People do not use the document's words. Search knows how near its windows are to a question; which sentence of a
//! passage answers is decided here, so the agent embeds sentences itself. The built-in table takes microseconds for one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use regreader_embed::{Embedder, Found, Said, SimilarWords, StaticModel};
use regreader_text::{FormalTerms, Saying, TermCounter, Tokenizer};

/// The vector of a question, and the words it is made of.
pub struct Meaning {
    model: Option<Arc<StaticModel>>,
    question: Vec<f32>,
    words: Option<RefCell<SimilarWords>>,
    formal: Formal,
    /// How near texts are that were asked for: passages of one page share most of their sentences.
    near: RefCell<HashMap<String, f64>>,
    /// How much of the question single texts hold.
    held: RefCell<HashMap<String, f64>>,
}

/// What documents print for everyday words of the question.
struct Formal {
    /// Each with how far it is trusted.
    said: Vec<(Said, f32)>,
    terms: FormalTerms,
    counter: TermCounter,
}

impl Formal {
    /// The sayings of a question. A word of a term counts what a question would give it; how rare it is, only an index knows.
    fn of(sayings: &[Saying], words: Option<&mut SimilarWords>) -> Self {
        let tokenizer = Tokenizer::new();
        let terms = FormalTerms::of(sayings, |term| {
            let tokens = tokenizer.query_tokens(term).tokens;
            tokens.into_iter().map(|token| (token.text, token.weight)).collect()
        });
        let said = words.map_or_else(Vec::new, |words| {
            sayings.iter().map(|saying| (words.said(&saying.said), saying.certainty())).collect()
        });
        let counter = TermCounter::new(terms.words());
        Self { said, terms, counter }
    }

    /// How far these texts have a term for each of the sayings.
    fn held_by(&self, texts: &[&str]) -> impl Iterator<Item = (&Said, f32)> {
        let mut counts = vec![0; self.counter.terms()];
        if !self.said.is_empty() {
            for text in texts {
                self.counter.count(text, &mut counts);
            }
        }
        let held = self.terms.held(|word| counts.get(word).is_some_and(|count| *count > 0));
        self.said.iter().zip(held).map(|((said, trust), held)| (said, trust * held))
    }
}

impl Meaning {
    /// Embeds a question in which these things are said. Without a usable model nothing is near anything, and words alone decide.
    pub fn of(question: &str, sayings: &[Saying]) -> Self {
        let model = StaticModel::builtin().ok();
        let vector = model.as_ref().and_then(|model| model.embed_query(question).ok());
        let mut words = model.as_ref().map(|model| SimilarWords::of(model, question));
        let formal = Formal::of(sayings, words.as_mut());
        Self {
            model,
            question: vector.unwrap_or_default(),
            words: words.map(RefCell::new),
            formal,
            near: RefCell::default(),
            held: RefCell::default(),
        }
    }

    /// How much of the question's words a text holds, the same ones or similar ones, 0 to 1.
    pub fn held_by(&self, text: &str) -> f64 {
        if let Some(known) = self.held.borrow().get(text) {
            return *known;
        }
        let (own, added) = self.held_in_parts(&[text]);
        let held = (own + added).clamp(0.0, 1.0);
        self.held.borrow_mut().insert(text.to_owned(), held);
        held
    }

    /// How much several texts hold together, in two parts: what its own words find, and what terms that stand for everyday words add.
    pub fn held_in_parts(&self, texts: &[&str]) -> (f64, f64) {
        let Some(words) = &self.words else { return (0.0, 0.0) };
        let mut words = words.borrow_mut();
        let found: Vec<Found> = texts.iter().map(|text| words.look_in(text)).collect();
        words.held_in_parts(found.iter(), self.formal.held_by(texts))
    }

    /// How near a text is: the cosine of the two vectors, 0 at least.
    pub fn nearness(&self, text: &str) -> f64 {
        if let Some(known) = self.near.borrow().get(text) {
            return *known;
        }
        let near = self.cosine(text);
        self.near.borrow_mut().insert(text.to_owned(), near);
        near
    }

    fn cosine(&self, text: &str) -> f64 {
        let vectors = self.model.as_ref().and_then(|model| model.embed_documents(&[text]).ok());
        let Some(vector) = vectors.and_then(|vectors| vectors.into_iter().next()) else { return 0.0 };
        let cosine: f32 = self.question.iter().zip(&vector).map(|(a, b)| a * b).sum();
        f64::from(cosine).max(0.0)
    }
}

impl std::fmt::Debug for Meaning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meaning").field("has_model", &self.model.is_some()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_in_other_words_is_nearer_than_one_on_something_else() {
        let meaning = Meaning::of("How short may a password be?", &[]);
        let near = meaning.nearness("Password length that is at least eight characters.");
        let far = meaning.nearness("Records of visitors are kept for three years.");
        assert!(near > far + 0.1, "{near} {far}");
        assert!(meaning.nearness("").abs() < 1e-9);
    }
}
