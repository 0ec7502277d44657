//! What a question names: regulations, things with a number in their name, assets.

use std::collections::BTreeSet;
use std::ops::Range;

use regreader_text::script::is_cjk;
use regreader_text::tokenize::word_starts;
use regreader_text::{Quantity, find_codes, find_quantities, fold, fold_tight, words_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lexicon::Lexicon;
use crate::{WORDS, with_measures};

/// A regulation that a question names, as far as its words tell; whether the library has it is for the library to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedRegulation {
    /// Title between 《 and 》, or the number of a standard in canonical form.
    pub name: String,
    /// Year or version that is part of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
}

/// The numbers of standards in a text, with the bytes that print them. People type them in small letters too.
fn codes(text: &str) -> Vec<(Range<usize>, NamedRegulation)> {
    let found = find_codes(&text.to_ascii_uppercase()).into_iter();
    found.map(|code| (code.range, NamedRegulation { name: code.series, edition: code.edition })).collect()
}

/// The regulations that a text names by number or between 《 and 》.
pub(crate) fn regulations(text: &str) -> Vec<NamedRegulation> {
    let mut named: Vec<NamedRegulation> = codes(text).into_iter().map(|(_, named)| named).collect();
    for quoted in text.split('《').skip(1).filter_map(|rest| rest.split('》').next()) {
        let name = quoted.trim().to_owned();
        let edition = crate::years_in(&name).pop_last();
        if !name.is_empty() && name.len() < text.len() {
            named.push(NamedRegulation { name, edition });
        }
    }
    named.dedup();
    named
}

/// A name shorter than this stands in too many words by chance.
const SHORTEST_CHINESE: usize = 2;
const SHORTEST_LATIN: usize = 4;

/// A folded text as names are looked for in it: letters and digits alone, so that `Best Buy` stands in `BestBuy`.
pub fn squeeze(folded: &str) -> String {
    folded.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Those of some squeezed names that a folded question names. A name that stands there only inside a longer one (安规 in
/// 安规2023, CIP-003 in CIP-003-8) is not named: it is the longer one that is. A short one (G99) counts as a word of its own only.
///
/// ```
/// use regreader_question::named_in;
/// let names = [("cip003", "series"), ("cip0038", "edition"), ("g99", "short")];
/// let named = |question: &str| named_in(question, names.iter().map(|(name, of)| (*of, *name)));
/// assert_eq!(named("r1 of cip-003-8"), ["edition"]);
/// assert_eq!(named("cip-003-8 in the series cip-003"), ["series", "edition"]);
/// assert_eq!(named("g99 section 12"), ["short"]);
/// assert!(named("part 12g998").is_empty());
/// ```
pub fn named_in<'n, T>(question: &str, names: impl Iterator<Item = (T, &'n str)>) -> Vec<T> {
    let (squeezed, edges) = squeezed_with_edges(question);
    let places = |name: &str| -> Vec<(usize, usize)> {
        let shortest = if name.contains(is_cjk) { SHORTEST_CHINESE } else { SHORTEST_LATIN };
        let is_long = name.chars().count() >= shortest;
        let found = squeezed.match_indices(name).map(|(start, name)| (start, start + name.len()));
        found.filter(|(start, end)| is_long || edges.contains(start) && edges.contains(end)).collect()
    };
    let names = names.filter(|(_, name)| name.chars().nth(1).is_some());
    let found: Vec<(T, Vec<(usize, usize)>)> = names.map(|(of, name)| (of, places(name))).collect();
    let all: BTreeSet<(usize, usize)> = found.iter().flat_map(|(_, places)| places).copied().collect();
    let is_inside = |&(start, end): &(usize, usize)| {
        all.iter().any(|(from, to)| *from <= start && end <= *to && to - from > end - start)
    };
    found.into_iter().filter(|(_, places)| !places.iter().all(is_inside)).map(|(of, _)| of).collect()
}

/// A squeezed text, and where in it words begin or end.
fn squeezed_with_edges(folded: &str) -> (String, BTreeSet<usize>) {
    let (mut squeezed, mut edges) = (String::with_capacity(folded.len()), BTreeSet::from([0]));
    let mut before = None;
    for c in folded.chars() {
        let kind = c.is_alphanumeric().then(|| is_cjk(c));
        if kind != before {
            edges.insert(squeezed.len());
        }
        squeezed.extend(kind.map(|_| c));
        before = kind;
    }
    edges.insert(squeezed.len());
    (squeezed, edges)
}

/// A text, folded, without the names of regulations and the numbers of standards, longest names first.
pub(crate) fn without_names(text: &str, names: &[String]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for (range, _) in codes(text) {
        kept.push_str(text.get(from..range.start).unwrap_or_default());
        kept.push(' ');
        from = range.end;
    }
    kept.push_str(text.get(from..).unwrap_or_default());
    let (whole, mut rest) = (fold(text), fold(&kept));
    let mut names: Vec<String> = names.iter().map(|name| fold(name)).collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in names.iter().filter(|name| name.chars().count() >= 2 && whole.contains(name.as_str())) {
        rest = rest.replace(name.as_str(), " ");
    }
    rest
}

/// So many Chinese characters in a row that a name shares stand for it; fewer are words like any other.
const PART_OF_NAME: usize = 4;
/// A question of fewer characters than this asks nothing.
const LEAST_ASKED: usize = 6;

/// A folded text without names, and without the part of one that stands for it. What would ask nothing without them stays whole.
pub(crate) fn matter_without(text: &str, names: &[String]) -> String {
    let asks = |text: &String| text.chars().filter(|c| c.is_alphanumeric()).count() >= LEAST_ASKED;
    let whole = fold(text);
    let unnamed = Some(without_names(text, names)).filter(asks).unwrap_or(whole);
    Some(without_part_of_name(&unnamed, names)).filter(asks).unwrap_or(unnamed)
}

/// A folded text without its longest run of Chinese characters that is a part of one of these names.
fn without_part_of_name(text: &str, names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| fold(name)).collect();
    let is_part = |run: &str| names.iter().any(|name| name.contains(run));
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let end_of = |at: usize| chars.get(at).map_or(text.len(), |(byte, _)| *byte);
    let mut longest = 0..0;
    for from in 0..chars.len() {
        // A run that is no longer than the longest one so far is not worth looking for.
        let mut to = from + PART_OF_NAME.max(longest.len() + 1);
        while to <= chars.len()
            && chars.get(from..to).is_some_and(|run| run.iter().all(|(_, c)| is_cjk(*c)))
            && text.get(end_of(from)..end_of(to)).is_some_and(is_part)
        {
            longest = from..to;
            to += 1;
        }
    }
    if longest.is_empty() {
        return text.to_owned();
    }
    let (from, to) = (end_of(longest.start), end_of(longest.end));
    format!("{} {}", text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default())
}

/// Voltage levels and numbered lines (`35kv`, `长南2线`): an answer about another one is no answer.
pub(crate) fn exact_names(folded: &str) -> Vec<String> {
    let text: Vec<char> = folded.chars().filter(|c| !c.is_whitespace()).collect();
    let mut names = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if !text[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = (at..text.len()).find(|i| !text[*i].is_ascii_digit()).unwrap_or(text.len());
        let digits: String = text[at..end].iter().collect();
        let after: String = text[end..].iter().take(2).collect();
        let before_is_name = at >= 2 && text[at - 2..at].iter().all(|c| !c.is_ascii() && c.is_alphanumeric());
        if after == "kv" {
            names.push(format!("{digits}kv"));
        } else if before_is_name && (after.starts_with('线') || after.starts_with('母')) && digits.len() == 1
        {
            names.push(text[at - 2..=end].iter().collect());
        }
        at = end;
    }
    names
}

/// Characters of the name of an asset.
const NAME: usize = 2;

/// Names of assets: two characters before a word for what they are (天中直流, 天山站).
pub(crate) fn assets(subjects: &[String], lexicon: &Lexicon) -> Vec<String> {
    let chars: Vec<char> = subjects.join(" ").chars().collect();
    let unnamed = |c: char| lexicon.words("unnamed").any(|word| word.chars().eq([c]));
    let is_name = |c: &char| c.is_alphanumeric() && !c.is_ascii() && !unnamed(*c);
    let mut found = Vec::new();
    for at in NAME..chars.len() {
        let rest: String = chars[at..].iter().take(8).collect();
        let Some(ending) = lexicon.words("asset").find(|ending| rest.starts_with(*ending)) else { continue };
        let name: String = chars[at - NAME..at].iter().collect();
        // 站里直流 is the supply within a station.
        let names_kind = lexicon.words("asset").any(|kind| name.contains(kind));
        if chars[at - NAME..at].iter().all(is_name) && !names_kind {
            found.push(format!("{name}{ending}"));
        }
    }
    found
}

/// Whether what was read as the name of an asset is cut out of words: 时候人站着 has no station 候人, 枢纽站 is a kind of station.
pub(crate) fn is_cut_from_words(asset: &str, text: &str) -> bool {
    let folded = fold(text);
    let Some(before) = folded.find(asset).map(|at| folded[..at].chars().count()) else { return false };
    let starts = word_starts(&folded);
    [before, before + NAME].iter().any(|at| !starts.contains(at))
}

/// Whether a text speaks of all these names. A voltage may stand in a cell whose unit is in the header of its column (`|330|`,
/// `Vn [kV]: 330`), or between the ends of a range (`200 kV to 299 kV`).
pub(crate) fn all_stand_in(names: &[String], text: &str) -> bool {
    if names.is_empty() {
        return true;
    }
    let joined = fold_tight(text);
    let in_column = |volts: &str| {
        let is_cell = |line: &str| {
            let line = fold_tight(line);
            line.split_once(':').is_some_and(|(header, cell)| header.contains("kv") && cell == volts)
        };
        joined.contains(&format!("|{volts}|")) && joined.contains("kv") || text.lines().any(is_cell)
    };
    let ranges = ranges_of_voltage(text);
    let stands_in = |volts: &str| {
        let volts_in_range =
            |volts: f64| ranges.iter().any(|(least, most)| (*least..=*most).contains(&volts));
        in_column(volts) || volts.parse().is_ok_and(volts_in_range)
    };
    let stands = |name: &String| {
        joined.contains(name.as_str())
            || name.strip_suffix("kv").is_some_and(stands_in)
            || stands_with_kind(name, &joined)
    };
    names.iter().all(stands)
}

/// Characters for the kind of a place between its name and a number: 哈南站Ⅱ母, 哈南换流站Ⅱ母.
const KIND: usize = 3;

/// Whether a text has a numbered name (哈南2母) with the kind of the place in it, which people leave out, or the place in a title
/// and the number at the beginning of a cell.
fn stands_with_kind(name: &str, joined: &str) -> bool {
    let Some(at) = name.find(|c: char| c.is_ascii_digit()) else { return false };
    let (place, numbered) = name.split_at(at);
    let begins_cell = |(at, _): (usize, &str)| !joined[..at].ends_with(|c: char| c.is_alphanumeric());
    !place.is_empty()
        && joined.match_indices(place).any(|(start, _)| {
            if joined.match_indices(numbered).any(begins_cell) {
                return true;
            }
            let behind = &joined[start + place.len()..];
            let kind = behind.find(numbered).and_then(|end| behind.get(..end));
            kind.is_some_and(|kind| kind.chars().count() <= KIND && kind.chars().all(is_cjk))
        })
}

/// The voltages that a text speaks of, in kV: 11,000 volts, 200 kV to 299 kV, 35kV及以上, `up to and including 33,000 volts`.
fn ranges_of_voltage(text: &str) -> Vec<(f64, f64)> {
    let text = WRITTEN_OUT.iter().fold(with_measures(text), |text, (word, sign)| text.replace(word, sign));
    let mut voltages = find_quantities(&text);
    voltages.retain(|(_, quantity)| quantity.normalised().is_some_and(|one| one.unit.to_string() == "kV"));
    let ends: Vec<(f64, f64)> =
        voltages.iter().map(|(range, one)| around(&text, range, one.magnitude())).collect();
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(one) = ends.get(at) {
        let between =
            |next: &(Range<usize>, Quantity)| text.get(voltages[at].0.end..next.0.start).unwrap_or_default();
        let joins = voltages.get(at + 1).map(between).map(fold_tight);
        let is_range = joins.as_deref().is_some_and(|words| {
            words_of(WORDS, "between numbers").contains(&words)
                // above 11 kV and up to 33 kV
                || one.1.is_infinite() && words.chars().count() <= LONGEST_BETWEEN && ends[at + 1].0.is_infinite()
        });
        if is_range {
            ranges.push((voltages[at].1.magnitude(), voltages[at + 1].1.magnitude()));
            at += 2;
        } else {
            ranges.push(*one);
            at += 1;
        }
    }
    ranges
}

/// Units of voltage as English texts write them out.
const WRITTEN_OUT: [(&str, &str); 4] =
    [("kilovolts", "kV"), ("kilovolt", "kV"), ("volts", "V"), ("volt", "V")];
/// Characters between two bounds of one range: 及以上, `and up to and including`.
const LONGEST_BETWEEN: usize = 24;
/// Characters before and behind a voltage that say whether it is a bound.
const BESIDE: usize = 20;

/// The voltages that one means by what stands around it: a single one, or all above or below.
fn around(text: &str, range: &Range<usize>, value: f64) -> (f64, f64) {
    let before = text.get(..range.start).unwrap_or_default();
    let start = before.char_indices().rev().nth(BESIDE).map_or(0, |(at, _)| at);
    let before = fold_tight(&before[start..]);
    let behind = text.get(range.end..).unwrap_or_default();
    let end = behind.char_indices().nth(BESIDE).map_or(behind.len(), |(at, _)| at);
    let behind = fold_tight(&behind[..end]);
    let ends = |words: &str| words_of(WORDS, words).iter().any(|word| before.ends_with(word));
    let begins = |words: &str| words_of(WORDS, words).iter().any(|word| behind.starts_with(word));
    if ends("up to a number") || ends("below a number") || begins("number and less") {
        (f64::NEG_INFINITY, value)
    } else if ends("above a number") || begins("number and more") {
        (value, f64::INFINITY)
    } else {
        (value, value)
    }
}

/// Codes and abbreviations: words of two and more capitals and digits that begin with a capital.
pub(crate) fn abbreviations(text: &str) -> Vec<String> {
    if !text.contains(|c: char| c.is_ascii_lowercase() || is_cjk(c)) {
        return Vec::new();
    }
    let in_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let words = text.split(|c: char| !in_code(c)).map(|word| word.trim_matches(['-', '.']));
    let is_code = |word: &&str| {
        word.len() > 1
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && !word.contains(|c: char| c.is_ascii_lowercase())
    };
    words.filter(is_code).map(fold).collect()
}
