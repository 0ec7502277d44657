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

/// What a term that stands for a word of the question is worth beside the word itself. Set by hand on train questions
/// (BENCHMARKS.md): .8, 1 and 1.3 find about as much.
const TRUST: f32 = 0.8;

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
    /// The question's rows, in order.
    asked: Vec<u32>,
    /// Their numbers, in the same order.
    levels: Vec<Levels>,
    /// Their lengths.
    lengths: Vec<f32>,
    /// Their shares in the question's weight.
    shares: Vec<f32>,
    rows: KnownRows,
    /// Texts that were looked in before this question came.
    before: u32,
    tokens: Tokens,
    /// Which instructions the processor has: asking costs more than comparing a few rows.
    level: Level,
}

/// Some words of a question, by the places of their rows.
#[derive(Debug, Clone)]
pub struct Said(Vec<usize>);

/// What is known of the rows of the table: texts share most of their words. The model keeps one for the next question, because
/// making half a megabyte ready costs more than filling it.
#[derive(Default)]
pub(crate) struct KnownRows {
    /// One for each row.
    known: Vec<Known>,
    /// Texts that were looked in.
    texts: u32,
    /// Cosines with each word of the question, row after row.
    cosines: Vec<f32>,
}

impl KnownRows {
    /// Those that were kept, or new ones, for a table of so many rows.
    fn ready(kept: Option<Self>, rows: usize) -> Self {
        let fits = |kept: &Self| kept.known.len() == rows && kept.texts < u32::MAX / 2;
        let mut ready = kept
            .filter(fits)
            .unwrap_or_else(|| Self { known: vec![Known::default(); rows], ..Self::default() });
        ready.cosines.clear();
        ready
    }
}

/// A row of the table, as far as texts had it.
#[derive(Clone, Copy, Default)]
struct Known {
    /// The text that had it last, counted from 1; 0 when none did.
    text: u32,
    /// Its place in `cosines`.
    at: u32,
}

impl SimilarWords {
    /// Reads a question.
    pub fn of(model: &Arc<StaticModel>, question: &str) -> Self {
        let mut tokens = Tokens::default();
        let mut asked = model.rows_of(&mut tokens, question).to_vec();
        asked.sort_unstable();
        asked.dedup();
        let (mut levels, mut lengths, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        asked.retain(|row| {
            let Some(own) = model.levels(*row) else { return false };
            shares.push(model.query_weight(*row) * own.length());
            lengths.push(own.length());
            levels.push(own);
            true
        });
        let total = shares.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        for share in &mut shares {
            *share /= total;
        }
        let rows = KnownRows::ready(model.take_known_rows(), model.rows());
        let before = rows.texts;
        let level = Level::new();
        Self { model: Arc::clone(model), asked, levels, lengths, shares, rows, before, tokens, level }
    }

    /// Words that stand in the question, for which a text may have something else.
    pub fn said(&mut self, words: &str) -> Said {
        let Self { model, asked, tokens, .. } = self;
        let rows = model.rows_of(tokens, words).iter();
        Said(rows.filter_map(|row| asked.binary_search(row).ok()).collect())
    }

    /// How much of the question stands in these texts taken together, 0 to 1.
    pub fn found_in(&mut self, texts: &[&str]) -> f64 {
        let found: Vec<Found> = texts.iter().map(|text| self.look_in(text)).collect();
        self.held_by(found.iter())
    }

    /// What a text has of each word. Texts that are looked at again and again (a title, a block of two overlapping windows)
    /// need be read only once.
    pub fn look_in(&mut self, text: &str) -> Found {
        let Self { model, levels, lengths, rows, before, tokens, level, .. } = self;
        let KnownRows { known, texts, cosines } = rows;
        *texts = texts.saturating_add(1);
        let mut best = vec![0.0_f32; lengths.len()];
        let rows = model.rows_of(tokens, text);
        let mut asked = Asked { model, levels, lengths, known, before: *before, text: *texts, cosines };
        dispatch!(*level, _ => asked.nearest(rows, &mut best));
        Found(best)
    }

    /// How much of the question stands in the texts that were looked in, taken together, 0 to 1.
    pub fn held_by<'f>(&self, texts: impl Iterator<Item = &'f Found>) -> f64 {
        self.held_in_parts(texts, []).0.clamp(0.0, 1.0)
    }

    /// The same in two parts where the texts have other terms for some of its words: what its own words find, and what those
    /// terms add. Each comes with the words that it stands for and with how much of it is there, 0 to 1.
    pub fn held_in_parts<'f, 's>(
        &self,
        texts: impl Iterator<Item = &'f Found>,
        stand_ins: impl IntoIterator<Item = (&'s Said, f32)>,
    ) -> (f64, f64) {
        let mut best = vec![0.0_f32; self.lengths.len()];
        for found in texts {
            for (best, cosine) in best.iter_mut().zip(&found.0) {
                *best = best.max(*cosine);
            }
        }
        let sum = |found: &[f32]| -> f64 {
            self.shares.iter().zip(found).map(|(share, found)| f64::from(share * found)).sum()
        };
        let own = sum(&best);
        for (said, held) in stand_ins {
            for place in &said.0 {
                if let Some(best) = best.get_mut(*place) {
                    *best = best.max(TRUST * held);
                }
            }
        }
        (own, sum(&best) - own)
    }
}

impl Drop for SimilarWords {
    fn drop(&mut self) {
        self.model.keep_known_rows(std::mem::take(&mut self.rows));
    }
}

/// A question while it looks in one text.
struct Asked<'a> {
    model: &'a StaticModel,
    levels: &'a [Levels],
    lengths: &'a [f32],
    known: &'a mut [Known],
    before: u32,
    text: u32,
    cosines: &'a mut Vec<f32>,
}

impl Asked<'_> {
    /// The greatest cosine of each word of the question with these rows. By index: zipped iterators are calls where nothing is
    /// optimised at link time.
    #[expect(clippy::inline_always, reason = "must become part of each variant that dispatch makes")]
    #[inline(always)]
    fn nearest(&mut self, rows: &[u32], best: &mut [f32]) {
        for row in rows {
            let Some(known) = self.known.get_mut(*row as usize) else { continue };
            if known.text == self.text {
                continue;
            }
            if known.text <= self.before {
                let Some(other) = self.model.levels(*row) else { continue };
                let at = self.cosines.len();
                known.at = at as u32;
                self.cosines.resize(at + self.lengths.len(), 0.0);
                let length = other.length();
                let found = self.cosines.get_mut(at..).unwrap_or_default();
                for place in 0..found.len().min(self.levels.len()) {
                    found[place] = self.levels[place].product(&other);
                }
                // By themselves, so that many are divided at once.
                for place in 0..found.len().min(self.lengths.len()) {
                    found[place] /= (self.lengths[place] * length).max(f32::MIN_POSITIVE);
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

    /// What is kept of the rows for the next question says nothing about that one.
    #[test]
    fn a_question_knows_nothing_of_the_one_before() {
        let (text, other) = ("The length shall be eight characters.", "母线失压后应立即汇报。");
        let alone = asked("password length").found_in(&[text]);
        let mut first = asked("母线失压后多久汇报？");
        first.found_in(&[other, text]);
        let mut beside = asked("password length");
        assert_eq!(beside.found_in(&[text]).to_bits(), alone.to_bits(), "while the other one is there");
        drop((first, beside));
        let mut again = asked("password length");
        assert_eq!(again.found_in(&[text]).to_bits(), alone.to_bits());
        assert!(again.found_in(&[other]) < alone);
    }

    /// What stands for a word counts up to its own weight, and never lowers what the word itself has found.
    #[test]
    fn another_term_may_stand_for_a_word() {
        let mut question = asked("when a technician is fired");
        let fired = question.said("fired");
        let text = [question.look_in("termination action")];
        let held = |worth: f32| question.held_in_parts(text.iter(), [(&fired, worth)]);
        assert!(held(1.0).1 > held(0.6).1 && held(0.0).1.abs() < 1e-9);
        assert!((held(1.0).0 - held(0.0).0).abs() < 1e-9);
        assert!((question.held_by(text.iter()) - held(1.0).0).abs() < 1e-9);
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
