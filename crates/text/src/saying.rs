//! What people say for what documents print. Plain data: `question` finds it, search and the agent use it.

use crate::tokenize::TermCounter;

/// How much less a saying is trusted for each further term that it may stand for: its trust is divided by their number to
/// this power. Set by hand; other values were not measured.
const AMBIGUITY: f32 = 0.15;

/// Words of a question, and what documents print for them.
///
/// ```
/// let formal = vec!["termination action".to_owned(), "dismissal".to_owned()];
/// let saying = regreader_text::Saying { said: "fired".to_owned(), formal };
/// assert!(saying.certainty() < 1.0);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    /// The words as they stand in the question, folded: `let go`, 跳了.
    pub said: String,
    /// Terms that say the same in a document: `termination action`, 跳闸.
    pub formal: Vec<String>,
}

impl Saying {
    /// How far it is trusted: 1 when it stands for one term only.
    pub fn certainty(&self) -> f32 {
        (self.formal.len().max(1) as f32).powf(-AMBIGUITY)
    }
}

/// The terms of some sayings as words that a [`TermCounter`] counts, to see how much of a term a text has.
///
/// ```
/// use regreader_text::{FormalTerms, Saying};
///
/// let saying = |said: &str, formal: &str| Saying { said: said.into(), formal: vec![formal.into()] };
/// let sayings = [saying("fired", "termination action"), saying("badge", "access card")];
/// let words_of = |term: &str| term.split(' ').map(|word| (word.to_owned(), 1.0)).collect();
/// let terms = FormalTerms::of(&sayings, words_of);
/// let there: Vec<bool> = terms.words().iter().map(|word| word == "termination").collect();
/// assert_eq!(terms.held(|word| there[word]), [0.5, 0.0]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct FormalTerms {
    words: Vec<String>,
    /// By saying and term: words, by their places, with their shares in the term.
    terms: Vec<Vec<Vec<(usize, f32)>>>,
}

impl FormalTerms {
    /// The terms of these sayings. `weigh` gives the words of a term with their weights.
    pub fn of(sayings: &[Saying], mut weigh: impl FnMut(&str) -> Vec<(String, f32)>) -> Self {
        let mut words: Vec<String> = Vec::new();
        let mut place = |word: String| {
            words.iter().position(|known| *known == word).unwrap_or_else(|| {
                words.push(word);
                words.len() - 1
            })
        };
        let mut term = |text: &String| {
            let mut own = weigh(text);
            own.retain(|(word, _)| TermCounter::counts(word));
            let total: f32 = own.iter().map(|(_, weight)| weight).sum();
            let share = |weight: f32| weight / total.max(f32::MIN_POSITIVE);
            own.into_iter().map(|(word, weight)| (place(word), share(weight))).collect::<Vec<_>>()
        };
        let terms =
            sayings.iter().map(|saying| saying.formal.iter().map(&mut term).collect()).collect::<Vec<_>>();
        Self { words, terms }
    }

    /// Their words, each once.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// For each saying the share of that term which is there most, by the places of the words that are.
    pub fn held(&self, is_there: impl Fn(usize) -> bool) -> Vec<f32> {
        let share = |words: &Vec<(usize, f32)>| -> f32 {
            words.iter().filter(|(word, _)| is_there(*word)).map(|(_, share)| share).sum()
        };
        self.terms.iter().map(|terms| terms.iter().map(share).fold(0.0, f32::max)).collect()
    }
}
