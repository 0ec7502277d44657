//! Words of a question that a text has, or has in other words.
//!
//! One vector for a whole text says what it is about, and drowns the one word that decides. Here every piece of the
//! question looks for its nearest piece in the text: 母线 finds 母线 (1.0), `fired` finds `termination` (less). The mean of
//! what they find, by the weights that the table gives to words of questions, is how much of the question the text
//! holds. It costs a few thousand dot products for a text, so it orders what an index has found and is no index itself.

use std::sync::Arc;

use fearless_simd::{Level, dispatch};

use crate::StaticModel;
use crate::static_model::Levels;
use crate::tokens::Tokens;

/// The pieces of a question, ready to be looked for in texts.
///
/// ```
/// use regreader_embed::{SimilarWords, StaticModel};
///
/// let mut asked = SimilarWords::of(&StaticModel::builtin()?, "How soon must the password be changed?");
/// let same = asked.found_in(&["The password shall be changed within 30 days."]);
/// let similar = asked.found_in(&["Passcodes are to be replaced within a month."]);
/// let other = asked.found_in(&["Visitors are escorted at all times."]);
/// assert!(same > similar && similar > other);
/// # Ok::<(), regreader_embed::EmbedError>(())
/// ```
pub struct SimilarWords {
    model: Arc<StaticModel>,
    /// The numbers of the question's rows.
    levels: Vec<Levels>,
    /// Their lengths and weights, in the same order.
    words: Vec<Word>,
    /// What is known of each row of the table: texts share most of their words.
    known: Vec<Known>,
    /// Texts that were looked in.
    texts: u32,
    /// Cosines with each word of the question, row after row.
    cosines: Vec<f32>,
    tokens: Tokens,
    /// Which instructions the processor has: asking costs more than comparing a few rows.
    level: Level,
}

/// A row of the table, as far as texts had it.
#[derive(Clone, Copy, Default)]
struct Known {
    /// The text that had it last, counted from 1; 0 when none did.
    text: u32,
    /// Its place in `cosines`.
    at: u32,
}

/// A row of the question.
struct Word {
    length: f32,
    /// Its share of the question's weight.
    share: f32,
}

impl SimilarWords {
    /// Reads a question.
    pub fn of(model: &Arc<StaticModel>, question: &str) -> Self {
        let mut tokens = Tokens::default();
        let mut rows = model.rows_of(&mut tokens, question).to_vec();
        rows.sort_unstable();
        rows.dedup();
        let (mut levels, mut words) = (Vec::new(), Vec::new());
        for row in rows {
            let Some(own) = model.levels(row) else { continue };
            let length = own.length();
            words.push(Word { length, share: model.query_weight(row) * length });
            levels.push(own);
        }
        let total = words.iter().map(|word| word.share).sum::<f32>().max(f32::MIN_POSITIVE);
        for word in &mut words {
            word.share /= total;
        }
        Self {
            model: Arc::clone(model),
            levels,
            words,
            known: vec![Known::default(); model.rows()],
            texts: 0,
            cosines: Vec::new(),
            tokens,
            level: Level::new(),
        }
    }

    /// How much of the question stands in these texts taken together, 0 to 1.
    pub fn found_in(&mut self, texts: &[&str]) -> f64 {
        let found: Vec<Found> = texts.iter().map(|text| self.look_in(text)).collect();
        self.held_by(found.iter())
    }

    /// What a text has of each word. Texts that are looked at again and again (a title, a block of two overlapping windows)
    /// need be read only once.
    pub fn look_in(&mut self, text: &str) -> Found {
        let Self { model, levels, words, known, texts, cosines, tokens, level } = self;
        *texts += 1;
        let mut best = vec![0.0_f32; words.len()];
        let rows = model.rows_of(tokens, text);
        let mut asked = Asked { model, levels, words, known, text: *texts, cosines };
        dispatch!(*level, _ => asked.nearest(rows, &mut best));
        Found(best)
    }

    /// How much of the question stands in the texts that were looked in, taken together, 0 to 1.
    pub fn held_by<'f>(&self, texts: impl Iterator<Item = &'f Found>) -> f64 {
        let mut best = vec![0.0_f32; self.words.len()];
        for found in texts {
            for (best, cosine) in best.iter_mut().zip(&found.0) {
                *best = best.max(*cosine);
            }
        }
        let held = self.words.iter().zip(best).map(|(word, best)| f64::from(word.share * best));
        held.sum::<f64>().clamp(0.0, 1.0)
    }
}

/// A question while it looks in one text.
struct Asked<'a> {
    model: &'a StaticModel,
    levels: &'a [Levels],
    words: &'a [Word],
    known: &'a mut [Known],
    text: u32,
    cosines: &'a mut Vec<f32>,
}

impl Asked<'_> {
    /// The greatest cosine of each word of the question with these rows.
    #[expect(clippy::inline_always, reason = "must become part of each variant that dispatch makes")]
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "zipped iterators are not inlined without link-time optimisation")]
    fn nearest(&mut self, rows: &[u32], best: &mut [f32]) {
        for row in rows {
            let Some(known) = self.known.get_mut(*row as usize) else { continue };
            if known.text == self.text {
                continue;
            }
            if known.text == 0 {
                let Some(other) = self.model.levels(*row) else { continue };
                let at = self.cosines.len();
                known.at = at as u32;
                self.cosines.resize(at + self.words.len(), 0.0);
                let length = other.length();
                let found = self.cosines.get_mut(at..).unwrap_or_default();
                for place in 0..found.len().min(self.levels.len()).min(self.words.len()) {
                    let scale = (self.words[place].length * length).max(f32::MIN_POSITIVE);
                    found[place] = self.levels[place].product(&other) / scale;
                }
            }
            known.text = self.text;
            let found = self.cosines.get(known.at as usize..).unwrap_or_default();
            for place in 0..best.len().min(found.len()) {
                best[place] = if found[place] > best[place] { found[place] } else { best[place] };
            }
        }
    }
}

/// How near a text comes to each word of a question.
#[derive(Debug, Clone)]
pub struct Found(Vec<f32>);

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str) -> SimilarWords {
        SimilarWords::of(&StaticModel::builtin().unwrap(), question)
    }

    #[test]
    fn a_text_holds_itself_and_nothing_holds_nothing() {
        let question = "母线失压后多久汇报？";
        assert!((asked(question).found_in(&[question]) - 1.0).abs() < 1e-4);
        assert!(asked(question).found_in(&[""]).abs() < 1e-9);
        assert!(asked("").found_in(&[question]).abs() < 1e-9);
    }

    #[test]
    fn words_may_stand_in_several_texts_and_more_text_never_takes_away() {
        let mut question = asked("password length of a remote account");
        let one = question.found_in(&["The length shall be eight characters."]);
        let two = question.found_in(&["The length shall be eight characters.", "Passwords of accounts"]);
        assert!(two > one, "{two} {one}");
        assert!((question.found_in(&["The length shall be eight characters."]) - one).abs() < 1e-9);
    }
}
