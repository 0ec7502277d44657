//! What people say for what documents print. Plain data: `question` finds it, search and the agent use it.

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
