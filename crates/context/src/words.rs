//! Words: how a file name, a title or a keyword falls into words, and when a keyword is among them. Pure text; knows
//! no files and no points.
//!
//! Three ways for a keyword to meet a word:
//! - whole: the word is the keyword or its synonym, case and width aside;
//! - in a file name, the keyword is part of a word: four letters anywhere (`user` in `Superuser`), three at either
//!   end (`sql` in `MySQL`, not `api` in `Rapid`), shorter ones only whole (`db` is not in `Feedback`);
//! - in prose, the keyword begins a word from three letters on (`order` in `orders`, not in `border`).
//!
//! Chinese has no word gaps: there the keyword need only occur. Synonyms count only as whole words, or
//! `authentication` would find `Author`.

use unicode_normalization::{UnicodeNormalization, is_nfkc_quick};

/// Not vocabulary: the kinds of context files that the guide lays down. They name no subject. `Management` is a subject word.
const KIND_WORDS: [&str; 12] = [
    "api",
    "architecture",
    "coding",
    "data",
    "design",
    "model",
    "module",
    "stack",
    "standard",
    "strategy",
    "tech",
    "testing",
];

/// Not vocabulary: the same kinds in Chinese, longest first so that a greedy cut is right.
const KIND_WORDS_ZH: [&str; 9] =
    ["测试策略", "编码规范", "技术栈", "架构", "模块", "数据", "模型", "接口", "设计"];

const STOP_WORDS: [&str; 6] = ["the", "a", "an", "of", "for", "to"];

const SYNONYMS: [(&str, &str); 3] = [("auth", "authentication"), ("db", "database"), ("msg", "message")];

/// A keyword, ready to be compared.
#[derive(Debug)]
pub(crate) struct Keyword {
    /// As given.
    pub text: String,
    /// One reading, or two when the keyword is written in camel case. None when it holds only stop words.
    readings: Vec<Vec<Part>>,
}

#[derive(Debug, PartialEq)]
struct Part {
    text: String,
    synonym: Option<&'static str>,
    chinese: bool,
}

/// A file name without its extension, ready to be compared.
#[derive(Debug)]
pub(crate) struct Name {
    /// One reading, or two when the name is written in camel case.
    readings: Vec<Vec<String>>,
}

/// How much of a file name a keyword is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameMatch {
    Part,
    Exact,
}

impl Keyword {
    pub fn new(text: &str) -> Self {
        let normal = normalise(text.trim());
        let mut readings: Vec<Vec<Part>> = Vec::new();
        for words in readings_of(&normal) {
            let parts: Vec<Part> = words
                .into_iter()
                .filter(|word| !STOP_WORDS.contains(&word.as_str()))
                .map(Part::new)
                .collect();
            if !parts.is_empty() && !readings.contains(&parts) {
                readings.push(parts);
            }
        }
        Self { text: text.to_owned(), readings }
    }

    /// How this keyword meets a file name, if it does.
    pub fn in_name(&self, name: &Name) -> Option<NameMatch> {
        let pairs =
            || self.readings.iter().flat_map(|parts| name.readings.iter().map(move |words| (parts, words)));
        if pairs().any(|(parts, words)| is_exact(parts, words)) {
            return Some(NameMatch::Exact);
        }
        pairs().any(|(parts, words)| is_part(parts, words)).then_some(NameMatch::Part)
    }

    /// Whether this keyword stands in prose that [`fold`] has prepared.
    pub fn in_prose(&self, folded: &str) -> bool {
        let may_hold = |parts: &[Part]| parts.iter().all(|part| part.may_be_in(folded));
        self.readings.iter().any(|parts| match parts.as_slice() {
            [] => false,
            // Nearly all text is turned away here, before it is cut into words.
            parts if !may_hold(parts) => false,
            [only] => words(folded).any(|word| only.is(word) || only.begins(word)),
            [first, middle @ .., last] => {
                let text: Vec<&str> = words(folded).collect();
                text.windows(parts.len()).any(|window| phrase(first, middle, last, window))
            }
        })
    }
}

impl Part {
    fn new(text: String) -> Self {
        let synonym = SYNONYMS.iter().find_map(|&(short, long)| match text.as_str() {
            word if word == short => Some(long),
            word if word == long => Some(short),
            _ => None,
        });
        let chinese = text.chars().any(is_ideographic);
        Self { text, synonym, chinese }
    }

    fn is(&self, word: &str) -> bool {
        self.text == word || self.synonym == Some(word)
    }

    fn may_be_in(&self, text: &str) -> bool {
        text.contains(&self.text) || self.synonym.is_some_and(|synonym| text.contains(synonym))
    }

    /// In prose: the word goes on after the keyword, or holds it when Chinese.
    fn begins(&self, word: &str) -> bool {
        if self.chinese {
            word.contains(&self.text)
        } else {
            self.text.len() >= 3 && word.starts_with(&self.text)
        }
    }

    /// In a file name: the keyword is part of the word.
    fn is_within(&self, word: &str) -> bool {
        match (self.chinese, self.text.len()) {
            (true, _) | (false, 4..) => word.contains(&self.text),
            (false, 3) => word.starts_with(&self.text) || word.ends_with(&self.text),
            _ => false,
        }
    }
}

impl Name {
    pub fn new(stem: &str) -> Self {
        Self { readings: readings_of(&normalise(stem)) }
    }

    /// The words as the separators cut them, folded.
    pub fn words(&self) -> &[String] {
        self.readings.first().map_or(&[], Vec::as_slice)
    }
}

/// Lower case and one width, for text that is searched by [`Keyword::in_prose`]. Only full-width letters are
/// narrowed: full normalisation of every document's prose would cost more than the rest of the search.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\0'..='\x7f' => folded.push(c.to_ascii_lowercase()),
            // Nearly all of Chinese prose: characters and their punctuation have no case.
            '\u{2010}'..='\u{203b}' | '\u{3000}'..='\u{303f}' | '\u{3400}'..='\u{9fff}' => folded.push(c),
            '\u{ff01}'..='\u{ff5e}' => {
                let narrow = char::from_u32(c as u32 - 0xfee0).unwrap_or(c);
                folded.push(narrow.to_ascii_lowercase());
            }
            _ => folded.extend(c.to_lowercase()),
        }
    }
    folded
}

/// The words of prepared text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(|c| class(c).is_some())?;
        let from_start = rest.get(start..)?;
        let first = from_start.chars().next().and_then(class);
        let end = from_start
            .char_indices()
            .find(|&(_, c)| class(c) != first && !(first == Some(Class::Letters) && matches!(c, '+' | '#')))
            .map_or(from_start.len(), |(at, _)| at);
        let (word, after) = from_start.split_at_checked(end)?;
        rest = after;
        Some(word)
    })
}

/// Whether a character belongs to a script written without word gaps.
pub(crate) fn is_ideographic(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letters,
    Ideographs,
}

fn class(c: char) -> Option<Class> {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric().then_some(Class::Letters);
    }
    if is_ideographic(c) {
        return Some(Class::Ideographs);
    }
    c.is_alphanumeric().then_some(Class::Letters)
}

/// Compatibility form, so that `ＡＰＩ` and a decomposed file name compare equal. The quick check spares nearly all
/// text the copy character by character.
fn normalise(text: &str) -> String {
    if text.is_ascii() || is_nfkc_quick(text.chars()) == unicode_normalization::IsNormalized::Yes {
        return text.to_owned();
    }
    text.nfkc().collect()
}

/// The words as separators cut them and, when it differs, as capitals cut them too.
fn readings_of(normal: &str) -> Vec<Vec<String>> {
    let plain: Vec<String> = words(normal).map(str::to_lowercase).collect();
    // Few names have an inner capital; the others are spared the second reading.
    if !words(normal).any(|word| word.chars().skip(1).any(char::is_uppercase)) {
        return vec![plain];
    }
    let camel: Vec<String> = words(normal).flat_map(cut_camel).map(str::to_lowercase).collect();
    if camel == plain { vec![plain] } else { vec![plain, camel] }
}

/// `UserAuth` → `User`, `Auth`; `APIDesign` → `API`, `Design`; `OAuth2` → `O`, `Auth2`.
fn cut_camel(word: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let mut cuts = vec![0];
    for window in chars.windows(2) {
        if let [(_, before), (at, here)] = *window
            && here.is_uppercase()
            && !before.is_uppercase()
        {
            cuts.push(at);
        }
    }
    for window in chars.windows(3) {
        if let [(_, before), (at, here), (_, after)] = *window
            && before.is_uppercase()
            && here.is_uppercase()
            && after.is_lowercase()
        {
            cuts.push(at);
        }
    }
    cuts.push(word.len());
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).filter_map(|cut| word.get(*cut.first()?..*cut.last()?)).collect()
}

/// Whether the keyword is all of the name but kind words. A keyword made of kind words alone (`architecture`, `tech
/// stack`) must be the whole name.
fn is_exact(parts: &[Part], name: &[String]) -> bool {
    let only_kinds = parts.iter().all(|part| is_kind(&part.text));
    let positions = name.len().saturating_sub(parts.len()).saturating_add(1);
    (0..positions).any(|at| {
        let (before, rest) = name.split_at_checked(at).unwrap_or_default();
        let Some((here, after)) = rest.split_at_checked(parts.len()) else { return false };
        let met = match (parts, here) {
            ([part], [word]) => part.is(word) || (!only_kinds && is_subject_of(part, word)),
            _ => parts.iter().zip(here).all(|(part, word)| part.is(word)),
        };
        let mut others = before.iter().chain(after);
        met && if only_kinds { others.next().is_none() } else { others.all(|word| is_kind_or_stop(word)) }
    })
}

/// 认证 is the subject of 认证设计: what is left of the run is kind words.
fn is_subject_of(part: &Part, word: &str) -> bool {
    part.chinese
        && word.match_indices(&part.text).any(|(at, found)| {
            let rest = word.get(at + found.len()..).unwrap_or_default();
            word.get(..at).is_some_and(is_kinds_zh) && is_kinds_zh(rest)
        })
}

fn is_part(parts: &[Part], name: &[String]) -> bool {
    match parts {
        [] => false,
        [only] => name.iter().any(|word| only.is(word) || only.is_within(word)),
        [first, middle @ .., last] => {
            name.windows(parts.len()).any(|window| phrase(first, middle, last, window))
        }
    }
}

/// Words in a row. The last may go on (`message queues`); Chinese may also reach in from the left.
fn phrase<S: AsRef<str>>(first: &Part, middle: &[Part], last: &Part, window: &[S]) -> bool {
    let [head, inner @ .., tail] = window else { return false };
    let (head, tail) = (head.as_ref(), tail.as_ref());
    (first.is(head) || (first.chinese && head.ends_with(&first.text)))
        && (last.is(tail) || ((last.chinese || last.text.len() >= 3) && tail.starts_with(&last.text)))
        && middle.iter().zip(inner).all(|(part, word)| part.is(word.as_ref()))
}

fn is_kind(word: &str) -> bool {
    KIND_WORDS.contains(&word) || (!word.is_empty() && is_kinds_zh(word))
}

fn is_kind_or_stop(word: &str) -> bool {
    is_kind(word) || STOP_WORDS.contains(&word)
}

fn is_kinds_zh(run: &str) -> bool {
    let mut rest = run;
    while !rest.is_empty() {
        match KIND_WORDS_ZH.iter().find_map(|kind| rest.strip_prefix(kind)) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(keyword: &str, stem: &str) -> Option<NameMatch> {
        Keyword::new(keyword).in_name(&Name::new(stem))
    }

    #[test]
    fn words_are_cut_at_separators_scripts_and_capitals() {
        assert_eq!(words("jwt认证-user_c++ x").collect::<Vec<_>>(), ["jwt", "认证", "user", "c++", "x"]);
        assert_eq!(cut_camel("APIDesign"), ["API", "Design"]);
        assert_eq!(cut_camel("UserAuth"), ["User", "Auth"]);
        assert_eq!(cut_camel("MySQL"), ["My", "SQL"]);
    }

    #[test]
    fn a_part_of_a_word_counts_by_its_length() {
        assert_eq!(met("user", "Superuser_Design"), Some(NameMatch::Part));
        assert_eq!(met("sql", "Mysql_Design"), Some(NameMatch::Part));
        assert_eq!(met("api", "Rapid_Prototype"), None);
        assert_eq!(met("db", "Feedback_Design"), None);
        assert_eq!(met("authentication", "Author_Guide"), None, "a synonym counts only whole");
    }

    #[test]
    fn camel_case_reads_both_ways() {
        assert_eq!(met("auth", "UserAuth"), Some(NameMatch::Part));
        assert_eq!(met("OAuth2", "OAuth2_Design"), Some(NameMatch::Exact));
        assert_eq!(met("oauth2", "OAuth2_Design"), Some(NameMatch::Exact));
        assert_eq!(met("UserAuth", "User_Auth"), Some(NameMatch::Exact));
    }

    #[test]
    fn prose_wants_the_start_of_a_word() {
        let folded = fold("The Border of Orders, 用户认证与授权；ＡＰＩ gateway");
        let found = |keyword: &str| Keyword::new(keyword).in_prose(&folded);
        assert!(
            found("order")
                && found("授权")
                && found("api")
                && found("API gateway")
                && found("auth") == found("msg")
        );
        assert!(!found("rder") && !found("gateway api") && !found("the") && !found(""));
    }
}
