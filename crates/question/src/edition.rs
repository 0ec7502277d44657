//! How texts name editions: years, and the words around them.

use std::collections::BTreeSet;

use regreader_text::fold;

/// What may stand behind the year of an edition, with or without 年, longest first.
const AFTER_YEAR: [&str; 4] = ["修订版", "版", "修订", "修正"];

/// Years that stand by themselves in a text.
///
/// ```
/// let years = regreader_question::years_in("GB 38755-2019，第120191条");
/// assert_eq!(years.into_iter().collect::<Vec<_>>(), ["2019"]);
/// ```
pub fn years_in(text: &str) -> BTreeSet<String> {
    let digits = fold(text);
    digits.split(|c: char| !c.is_ascii_digit()).filter(|run| is_year(run)).map(str::to_owned).collect()
}

/// The years of a question, those inside of an id left out: `wengui_2024` says nothing about other regulations of
/// that year.
pub(crate) fn years_said(folded: &str) -> BTreeSet<String> {
    let mut said = String::with_capacity(folded.len());
    let mut before = ' ';
    for c in folded.chars() {
        before = if before == '_' && c.is_ascii_digit() { '_' } else { c };
        said.push(before);
    }
    years_in(&said)
}

/// Four digits that begin with 19 or 20.
pub fn is_year(digits: &str) -> bool {
    digits.len() == 4
        && (digits.starts_with("19") || digits.starts_with("20"))
        && digits.bytes().all(|b| b.is_ascii_digit())
}

/// A name without the words that say which edition it is: `2024年某电网调度规定（第二版）` is 某电网调度规定（）.
///
/// ```
/// use regreader_question::without_edition;
/// assert_eq!(without_edition("2024年某电网调度规定（第二版）"), "某电网调度规定（）");
/// assert_eq!(without_edition("120244号文"), "120244号文");
/// ```
pub fn without_edition(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut kept = String::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        let skipped = edition_words(&chars[at..], at.checked_sub(1).and_then(|before| chars.get(before)));
        if skipped == 0 {
            kept.push(*c);
        }
        at += skipped.max(1);
    }
    kept
}

/// How many characters here say which edition it is: `2024年版`, `2024`, `第二版`, `修订版`.
fn edition_words(rest: &[char], before: Option<&char>) -> usize {
    let word = |from: usize, word: &str| {
        let length = word.chars().count();
        rest.get(from..from + length).is_some_and(|found| found.iter().copied().eq(word.chars()))
    };
    let digits: String = rest.iter().take_while(|c| c.is_ascii_digit()).take(5).collect();
    if is_year(&digits) && !before.is_some_and(char::is_ascii_digit) {
        let from = if word(4, "年") { 5 } else { 4 };
        let end = AFTER_YEAR.into_iter().find(|end| word(from, end));
        return from + end.map_or(0, |end| end.chars().count());
    }
    if word(0, "第") {
        let number =
            rest.iter().skip(1).take_while(|c| c.is_ascii_digit() || "一二三四五六七八九十".contains(**c));
        let length = number.count();
        if length > 0 && word(1 + length, "版") {
            return length + 2;
        }
    }
    if word(0, "修订版") { 3 } else { 0 }
}
