//! Latin words in their base form, and those that say nothing about a subject.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// Takes the plural off an English word in lower case, in the manner of Harman's S stemmer: careful rather than
/// thorough, because the same words are names elsewhere.
pub(super) fn singular(word: &str) -> &str {
    if word.len() <= 3
        || !word.is_ascii()
        || !word.ends_with('s')
        || !word.bytes().all(|b| b.is_ascii_lowercase())
    {
        return word;
    }
    let cut = |n: usize| word.get(..word.len() - n).unwrap_or(word);
    if word.ends_with("ies") && !word.ends_with("eies") && !word.ends_with("aies") {
        // policies and policy share policie/policy; y is put back by the caller.
        return cut(3);
    }
    if word.ends_with("us") || word.ends_with("ss") || word.ends_with("is") {
        return word;
    }
    if word.ends_with("sses") || word.ends_with("xes") || word.ends_with("ches") || word.ends_with("shes") {
        return cut(2);
    }
    cut(1)
}

/// Whether the ending taken off was that of policies: a `y` belongs behind the stem.
pub(super) fn lost_y(word: &str, stem: &str) -> bool {
    word.len() == stem.len() + 3 && word.ends_with("ies")
}

/// Whether an English word in lower case only asks or joins; in a query it says nothing about what is sought.
pub fn is_stop_word(word: &str) -> bool {
    static FILLERS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let fillers = FILLERS.get_or_init(|| {
        let lines = include_str!("../stopwords_en.txt").lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_whitespace).collect()
    });
    fillers.contains(word)
}

/// How much an English word in its base form says about a subject, beside one that everyday speech seldom has.
///
/// People ask in everyday words and regulations answer in their own, so that a usual word of a question is often one that
/// the answer lacks, and stands in many passages that are no answer. How often the library has it does not show this: a
/// word of everyday speech is rare in a regulation.
pub(super) fn telling(word: &str) -> f32 {
    let zipf = usual().get(word).copied().unwrap_or(SELDOM);
    let share = (zipf - SELDOM) / (EVERY_SENTENCE - SELDOM);
    1.0 - share.clamp(0.0, 1.0) * (1.0 - LEAST_TELLING)
}

/// Zipf value up to which a word counts in full.
const SELDOM: f32 = 4.0;
/// Zipf value from which a word counts least: a thousand times in a million words.
const EVERY_SENTENCE: f32 = 6.0;
/// What the most usual words count.
const LEAST_TELLING: f32 = 0.3;

/// Zipf values of usual words, by base form.
fn usual() -> &'static HashMap<String, f32> {
    static USUAL: OnceLock<HashMap<String, f32>> = OnceLock::new();
    USUAL.get_or_init(|| {
        let mut usual: HashMap<String, f32> = HashMap::new();
        for line in include_str!("../usual_en.txt").lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split_whitespace();
            let Some(zipf) = words.next().and_then(|zipf| zipf.parse::<f32>().ok()) else { continue };
            for word in words {
                let stem = singular(word);
                let base = if lost_y(word, stem) { format!("{stem}y") } else { stem.to_owned() };
                let known = usual.entry(base).or_insert(zipf);
                *known = known.max(zipf);
            }
        }
        usual
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_words_tell_less_than_those_of_a_trade() {
        let is = |word: &str, worth: f32| (telling(word) - worth).abs() < 1e-6;
        assert!(is("voltage", 1.0) && is("unheardof", 1.0) && is("know", LEAST_TELLING));
        assert!(telling("people") < telling("machine") && telling("machine") < telling("perimeter"));
        assert!(telling("body") < 1.0);
    }
}
