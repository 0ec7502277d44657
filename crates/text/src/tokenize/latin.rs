//! Latin words in their base form, and those that say nothing about a subject.

use std::collections::HashSet;
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
