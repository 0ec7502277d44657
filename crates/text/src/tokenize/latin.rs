//! Latin words in their base form, and those that say nothing about a subject.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// What the forms of an English word in lower case have in common: changes, changed, changing and change are `chang`,
/// policies and policy `polic`.
///
/// Takes off what inflection adds and nothing else, so that operator and operation stay apart. It is a part of the word
/// itself, never a word that is not there: a text that holds the word holds its base.
pub fn base(word: &str) -> &str {
    if word.len() <= 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word;
    }
    let without = |end: &str| word.strip_suffix(end);
    // `ous`, `ss` and `is` are no plurals.
    if without("us").or_else(|| without("ss")).or_else(|| without("is")).is_some() {
        return word;
    }
    if let Some(stem) = without("ies").or_else(|| without("ied")).filter(|stem| stem.len() >= 3) {
        return stem;
    }
    if let Some(stem) =
        without("ing").or_else(|| without("ed")).filter(|stem| stem.len() >= 3 && has_vowel(stem))
    {
        return plain_end(single_consonant(stem));
    }
    let hissing = ["sses", "xes", "ches", "shes"];
    if hissing.iter().any(|end| word.ends_with(end)) {
        return without("es").unwrap_or(word);
    }
    plain_end(without("s").unwrap_or(word))
}

fn has_vowel(word: &str) -> bool {
    word.bytes().any(|b| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

/// Of a consonant that was doubled before an ending (stopped) one is left; `call` and `press` have two of their own.
fn single_consonant(stem: &str) -> &str {
    match stem.as_bytes() {
        [.., a, b] if a == b && !matches!(b, b'l' | b's' | b'z' | b'a' | b'e' | b'i' | b'o' | b'u') => {
            stem.get(..stem.len() - 1).unwrap_or(stem)
        }
        _ => stem,
    }
}

/// Without the `e` or the `y` that endings take the place of.
fn plain_end(stem: &str) -> &str {
    match stem.as_bytes() {
        [_, _, _, .., b'e'] => stem.get(..stem.len() - 1).unwrap_or(stem),
        [_, _, .., before, b'y'] if !matches!(before, b'a' | b'e' | b'i' | b'o' | b'u') => {
            stem.get(..stem.len() - 1).unwrap_or(stem)
        }
        _ => stem,
    }
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
                let known = usual.entry(base(word).to_owned()).or_insert(zipf);
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
    fn forms_of_a_word_have_one_base() {
        for forms in [
            "change changes changed changing",
            "policy policies",
            "apply applies applied applying",
            "stop stops stopped stopping",
            "test tests tested testing",
            "breach breaches breached breaching",
            "key keys",
            "install installs installed installing",
        ] {
            let bases: HashSet<&str> = forms.split(' ').map(base).collect();
            assert_eq!(bases.len(), 1, "{forms}: {bases:?}");
        }
        for apart in ["operator operation", "status state", "red ring", "need nee", "string str", "gas gap"] {
            let bases: HashSet<&str> = apart.split(' ').map(base).collect();
            assert_eq!(bases.len(), 2, "{apart}: {bases:?}");
        }
        assert_eq!(
            [base("bus"), base("loss"), base("analysis"), base("n-1s")],
            ["bus", "loss", "analysis", "n-1s"]
        );
    }

    #[test]
    fn everyday_words_tell_less_than_those_of_a_trade() {
        let is = |word: &str, worth: f32| (telling(base(word)) - worth).abs() < 1e-6;
        assert!(is("voltage", 1.0) && is("unheardof", 1.0) && is("know", LEAST_TELLING));
        let telling = |word: &str| telling(base(word));
        assert!(telling("people") < telling("machine") && telling("machine") < telling("perimeter"));
        assert!(telling("body") < 1.0);
    }
}
