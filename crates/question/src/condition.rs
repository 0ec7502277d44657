//! The conditions that a dispatcher's question states: 线路N-1、全压、开机 3 台、风电 200 万千瓦.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

use regreader_text::tokenize::word_starts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lexicon::{Lexicon, Said};

/// One condition on a row, a column or the table as a whole: 开机台数 = 3, 策略 = 投入, 方式 = 线路N-1, or just 全压.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// What it is about; empty when the value says it all.
    #[serde(default)]
    pub name: String,
    /// What it must be.
    pub value: String,
}

impl Condition {
    /// A condition on something.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }

    /// Reads `开机台数=3`, `策略：投入` or `全压`.
    ///
    /// ```
    /// use regreader_question::Condition;
    /// assert_eq!(Condition::parse("开机台数 = 3"), Some(Condition::new("开机台数", "3")));
    /// assert_eq!(Condition::parse("全压"), Some(Condition::new("", "全压")));
    /// assert_eq!(Condition::parse(" = "), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let (name, value) = text.split_once(['=', '＝', ':', '：']).unwrap_or(("", text));
        let (name, value) = (name.trim(), value.trim());
        (!value.is_empty()).then(|| Self::new(name, value))
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.as_str() {
            "" => f.write_str(&self.value),
            name => write!(f, "{name}={}", self.value),
        }
    }
}

pub(crate) fn conditions(said: &Said, lexicon: &Lexicon) -> Vec<Condition> {
    let folded = said.folded.as_str();
    let mut found: Vec<Condition> = Vec::new();
    let add = |condition: Condition, found: &mut Vec<Condition>| {
        let known = |one: &Condition| !condition.name.is_empty() && one.name == condition.name;
        if !found.iter().any(known) {
            found.push(condition);
        }
    };
    for (_, condition) in states(folded, lexicon) {
        add(condition, &mut found);
    }
    let mut conflicting: Vec<Condition> = Vec::new();
    let mut at = 0;
    while let Some((start, number, end)) = next_number(folded, at) {
        let before = clause_before(folded, start);
        let after = folded.get(end..).unwrap_or_default().trim_start();
        let whole = folded.get(..start).unwrap_or_default();
        let is_numbered = |word: &str| after.starts_with(word) || number.len() == 1 && whole.ends_with(word);
        if lexicon.words("numbered").any(is_numbered) {
            at = end;
            continue;
        }
        if after.starts_with('台') {
            let of = |word: &String| word == "*" || before.contains(word.as_str());
            let counted = lexicon.entries("counted").iter().find(|entry| entry.words.iter().any(of));
            let counted = counted.map(|entry| Condition::new(&entry.meaning, number));
            // 停 2 台 says how many do not run.
            let counted = counted.filter(|_| !is_lost(before, lexicon) && !is_lost_behind(after, lexicon));
            // Of two different numbers of one thing (停 2 台, 开 3 台) none is known to be the one that a table means.
            if let Some(other) =
                found.iter().position(|one| counted.as_ref().is_some_and(|new| new.name == one.name))
            {
                conflicting.extend(counted.filter(|new| new.value != found[other].value));
            } else {
                found.extend(counted);
            }
        } else if let Some((word, name)) = measured(before, lexicon).filter(|_| !is_compared(before, lexicon))
        {
            let unit = ["万千瓦", "mw"].into_iter().find(|unit| after.starts_with(unit));
            let unit = unit.map_or(String::new(), str::to_uppercase);
            found.push(Condition::new(format!("{word}{name}"), format!("{number}{unit}")));
        }
        at = end;
    }
    found.retain(|one| !conflicting.iter().any(|other| other.name == one.name));
    found
}

/// Whether a number behind this text is a bound (负荷低于 600 MW) and no value.
fn is_compared(before: &str, lexicon: &Lexicon) -> bool {
    lexicon.words("bound").any(|word| before.trim_end().ends_with(word))
}

/// Characters between the beginning of a word of loss and the number of what is lost: 退出了 2 组.
const LOST_WITHIN: usize = 3;
/// Characters before them that words may reach into.
const CUT_WITHIN: usize = 8;

/// Whether what is counted behind this text is lost and not there: 停了 2 台, 掉了一组.
pub(crate) fn is_lost(before: &str, lexicon: &Lexicon) -> bool {
    let before = before.trim_end();
    let near = before.char_indices().rev().nth(CUT_WITHIN - 1).map_or(before, |(at, _)| &before[at..]);
    let near = near.rsplit(|c: char| !c.is_alphanumeric() && !c.is_whitespace()).next().unwrap_or_default();
    let words = words_in(near);
    let mut left = 0;
    words.iter().rev().any(|word| {
        left += word.chars().count();
        left <= LOST_WITHIN && is_word_of_loss(word, lexicon)
    })
}

/// Whether what is counted is lost by what stands behind its number: 台都掉了, 组退出.
pub(crate) fn is_lost_behind(behind: &str, lexicon: &Lexicon) -> bool {
    let mut rest = behind.chars();
    rest.next();
    let rest = rest.as_str();
    let rest = &rest[begins(rest, "adverb", lexicon).unwrap_or(0)..];
    let near = rest.char_indices().nth(CUT_WITHIN).map_or(rest, |(at, _)| &rest[..at]);
    words_in(near).first().is_some_and(|word| is_word_of_loss(word, lexicon))
}

/// Whether a whole word says that something is lost: the 断 of 断面 and the 少 of 至少 do not.
fn is_word_of_loss(word: &str, lexicon: &Lexicon) -> bool {
    let word = word.trim_end_matches('了');
    let lost = || lexicon.words("lost");
    let is_lost = |c: char| lost().any(|one| one.chars().eq([c]));
    let others = || lexicon.words("out").chain(lexicon.words("out_of_service"));
    !word.is_empty() && (lost().chain(others()).any(|one| one == word) || word.chars().all(is_lost))
}

/// The words of a text, as the dictionary cuts it.
fn words_in(text: &str) -> Vec<&str> {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut starts = word_starts(text);
    starts.push(places.len() - 1);
    starts.windows(2).filter_map(|pair| text.get(*places.get(pair[0])?..*places.get(pair[1])?)).collect()
}

/// The states that a text in small letters says, with the bytes that say them, in their order: 正常方式, Ⅱ母检修, 投入 of 策略投入.
pub(crate) fn states(text: &str, lexicon: &Lexicon) -> Vec<(Range<usize>, Condition)> {
    let mut found = Vec::new();
    let mut add = |range: Range<usize>, meaning: &str| {
        found.extend(Condition::parse(meaning).map(|condition| (range, condition)));
    };
    for entry in lexicon.entries("condition") {
        for word in &entry.words {
            // What was said last holds (降压, then 不降压), and what is denied holds not.
            let last = text.rfind(word.as_str()).filter(|at| !is_denied(&text[..*at], lexicon));
            if let Some(at) = last {
                add(at..at + word.len(), &entry.meaning);
            }
        }
    }
    for entry in lexicon.entries("component") {
        for (at, word) in entry.words.iter().flat_map(|word| text.match_indices(word.as_str())) {
            let end = at + word.len();
            let is_short = word.chars().nth(1).is_none();
            let is_numbered = text[..at].ends_with(is_number);
            if let Some(length) = out(&text[end..], lexicon).filter(|_| !is_short || is_numbered) {
                add(at..end + length, &entry.meaning);
            }
        }
    }
    for entry in lexicon.entries("switched") {
        // What was said last holds: a follow-up is put behind its question.
        let places = entry.words.iter().flat_map(|word| text.match_indices(word.as_str()));
        let said = places.filter_map(|(at, word)| {
            let end = at + word.len();
            service(&text[end..], lexicon).map(|(length, value)| (end..end + length, value))
        });
        if let Some((range, value)) = said.max_by_key(|(range, _)| range.start) {
            found.push((range, Condition::new(&entry.meaning, value)));
        }
    }
    found.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
    let mut end = 0;
    // N-1 within 线路N-1 is no state of its own.
    found.retain(|(range, _)| {
        let is_new = range.end > end;
        end = end.max(range.end);
        is_new
    });
    found
}

/// Whether a text ends with a denial of what stands behind it.
pub(crate) fn is_denied(before: &str, lexicon: &Lexicon) -> bool {
    lexicon.words("negation").any(|word| before.trim_end().ends_with(word))
}

/// The heavenly stems, by which lines are told apart like by numbers: 甲线, 乙线.
const STEMS: &str = "甲乙丙丁戊己庚辛壬癸";

/// Whether a character numbers things: 2, Ⅱ, 乙.
pub(crate) fn is_number(c: char) -> bool {
    c.is_numeric() || STEMS.contains(c)
}

/// The length of the longest word of a section that a text begins with.
fn begins(text: &str, section: &str, lexicon: &Lexicon) -> Option<usize> {
    lexicon.words(section).filter(|word| text.starts_with(*word)).map(str::len).max()
}

/// The length of what says at the beginning of a text that something is out: N-1, 停运, 已检修.
fn out(text: &str, lexicon: &Lexicon) -> Option<usize> {
    let adverb = begins(text, "adverb", lexicon).unwrap_or(0);
    begins(&text[adverb..], "out", lexicon).map(|length| adverb + length)
}

/// What says at the beginning of a text that something is in or out of service (投入, 已退出, 没投), its length and which it is.
pub(crate) fn service<'l>(text: &str, lexicon: &'l Lexicon) -> Option<(usize, &'l str)> {
    let meaning = |section: &str| lexicon.entries(section).first().map(|entry| entry.meaning.as_str());
    let mut rest = text.trim_start();
    let mut negated = false;
    while let Some(length) = begins(rest, "negation", lexicon) {
        (negated, rest) = (!negated, &rest[length..]);
    }
    rest = &rest[begins(rest, "adverb", lexicon).unwrap_or(0)..];
    for (section, other) in [("in_service", "out_of_service"), ("out_of_service", "in_service")] {
        if let Some(length) = begins(rest, section, lexicon) {
            let length = text.len() - rest.len() + length;
            return meaning(if negated { other } else { section }).map(|value| (length, value));
        }
    }
    None
}

/// The source or load whose power a number behind this text is: the word nearest to it, and what is measured of it.
fn measured<'l>(before: &str, lexicon: &'l Lexicon) -> Option<(&'l str, &'l str)> {
    let words = lexicon.entries("measured").iter();
    let words =
        words.flat_map(|entry| entry.words.iter().map(|word| (word.as_str(), entry.meaning.as_str())));
    words.filter(|(word, _)| before.contains(word)).max_by_key(|(word, _)| before.rfind(word))
}

/// The next number behind a place: where it begins, its digits, where it ends. Digits of names (N-1, 500kV) are passed.
fn next_number(folded: &str, from: usize) -> Option<(usize, &str, usize)> {
    let mut at = from;
    while let Some(start) = folded.get(at..)?.find(|c: char| c.is_ascii_digit()).map(|place| at + place) {
        let rest = folded.get(start..)?;
        let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let end = start + length;
        let named = folded.get(..start)?.ends_with(|c: char| c.is_ascii_alphabetic() || c == '-');
        let number = folded.get(start..end)?.trim_end_matches('.');
        if !named {
            return Some((start, number, end));
        }
        at = end;
    }
    None
}

/// The text from the last comma to the number.
fn clause_before(folded: &str, start: usize) -> &str {
    let before = folded.get(..start).unwrap_or_default();
    let comma = before.rfind(['，', ',', '、', '；', ';', '。', '(', '（', '?', '？']);
    comma.and_then(|place| before.get(place..)).unwrap_or(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(question: &str) -> Vec<String> {
        let found = conditions(&Said::new(question), Lexicon::built_in());
        found.into_iter().map(|one| format!("{}={}", one.name, one.value)).collect()
    }

    #[test]
    fn a_dispatchers_question_is_read() {
        assert_eq!(
            read("天中直流线路N-1、全压、开机 3 台、风电 200 万千瓦时的直流限额？（策略投入）"),
            ["方式=线路N-1", "=全压", "策略=投入", "开机台数=3", "风电出力=200万千瓦"]
        );
        assert_eq!(
            read("稳定器退出 2 台，开机 3 台的限额"),
            ["开机台数=3"],
            "the other number is of what does not run"
        );
        assert_eq!(read("甲厂 2 台、乙厂 3 台的限额"), [""; 0], "which number the table means is not known");
        for text in ["北送断面4台机限额", "断面 4 台", "开机4台断面限额", "至少4台"] {
            assert_eq!(read(text), ["开机台数=4"], "{text}");
        }
        for text in ["停了 2 台", "坏掉 2 台", "停机2台", "2台退出了", "缺少2台"] {
            assert_eq!(read(text), [""; 0], "{text}");
        }
        assert_eq!(read("调相机 2 台都掉了，开机 3 台"), ["开机台数=3"], "what is lost is not what is left");
        assert_eq!(read("负荷低于 600 MW 时的限额"), [""; 0], "a bound is no value");
        assert_eq!(read("青豫直流N-1 2台"), ["方式=N-1", "开机台数=2"]);
        assert_eq!(read("新能源200，哈南站Ⅰ母停运"), ["方式=母线N-1", "新能源出力=200"]);
        assert_eq!(read("新能源极Ⅱ停运，不降压"), [""; 0], "a pole has a number, and no voltage is lowered");
        assert_eq!(
            read("青豫直流线路N-1，调相机 4 台，新能源 400，全压限额多少万千瓦？")[2..],
            ["调相机台数=4", "新能源出力=400"]
        );
        assert_eq!(read("光伏 150MW 时的限额"), ["光伏出力=150MW"]);
        assert_eq!(read("110kV 母线失压怎么处理？"), [""; 0]);
        for text in ["天山Ⅱ母停运", "1母检修", "母线已停运"] {
            assert_eq!(read(text), ["方式=母线N-1"], "{text}");
        }
        assert_eq!(read("在线检修，父母检修"), [""; 0], "a short name has a number");
        assert_eq!(read(""), [""; 0]);
    }

    #[test]
    fn what_is_in_service_is_read_by_grammar() {
        for (said, value) in [
            ("策略投入", "投入"),
            ("切机策略已经投运", "投入"),
            ("策略均已退出", "退出"),
            ("策略没有投入", "退出"),
            ("策略未退出", "投入"),
        ] {
            assert_eq!(read(said), [format!("策略={value}")], "{said}");
        }
        assert_eq!(read("策略的内容是什么"), [""; 0]);
        assert_eq!(read("策略投入时的限额，策略没投"), ["策略=退出"], "the last word counts");
    }
}
