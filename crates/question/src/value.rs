//! What kind of value a question asks for, and whether a text has one.
//!
//! A passage may speak of the very subject and still not say how long, how high or how many. Three things in a question tell the kind:
//! the interrogative (多久, `how far`), the unit that it counts in (多少安, `how many hours`, `in dollars`), and the name of a
//! quantity (间距是多少, `what earth resistance`). The words are data (`lexicon/values.txt`); this module knows only how a number
//! stands before a unit and where the noun of `what` is.

use regreader_text::date::find_dates;
use regreader_text::script::is_cjk;
use regreader_text::{find_quantities, find_references, fold};
use serde::{Deserialize, Serialize};

use crate::lexicon::{Lexicon, Said};

/// The value that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedValue {
    /// What kind of value: `duration`, `length`, `amount` …, as the lexicon names it.
    pub kind: String,
    /// Units that a fitting value has; none where any number will do.
    pub units: Option<Vec<String>>,
}

/// Kinds that a date is a value of.
const DATES: [&str; 2] = ["date", "moment"];
/// Words of the noun of `what`: `minimum aggregate exit width`.
const LONGEST_NOUN: usize = 6;
/// Characters of the name of a quantity behind 多少: 多少工本费.
const LONGEST_NAME: usize = 6;
/// Words between a number and its unit: `15 calendar months`, `ten (10) slots`.
const BETWEEN: usize = 2;
/// Characters of what may follow a unit in the header of a column: `/m2)`.
const LONGEST_UNIT: usize = 8;

impl AskedValue {
    /// Reads it off a question; none when the question asks for no value.
    pub(crate) fn read(said: &Said, lexicon: &Lexicon) -> Option<Self> {
        let said = definite(said, lexicon);
        let words: Vec<&str> = said.latin.split_whitespace().collect();
        let counted = counted(&said.folded, lexicon).or_else(|| counted_in_english(&words, lexicon));
        if let Some((kind, units)) = counted {
            return Some(Self { kind, units: Some(units) });
        }
        let asked = lexicon.meaning("value", &said);
        let asked_with_unit = asked.filter(|kind| units_of(kind, lexicon).is_some());
        let named = || noun_of_what(&words, lexicon).or_else(|| name_beside(&said.folded, lexicon));
        let kind = name_behind(&said.folded, lexicon).or(asked_with_unit).or_else(named).or(asked)?;
        Some(Self { kind: kind.to_owned(), units: units_of(kind, lexicon) })
    }

    /// Whether only a value with one of its units will do.
    pub fn has_units(&self) -> bool {
        self.units.is_some()
    }

    /// Whether a text has such a value.
    pub fn stands_in(&self, text: &str) -> bool {
        if DATES.contains(&self.kind.as_str()) && has_date(text) {
            return true;
        }
        let folded = without_places(text);
        match &self.units {
            None => has_number(&folded),
            Some(units) => {
                // Once a month, every day: a time may go without a number.
                let may_lack_number = matches!(self.kind.as_str(), "duration" | "moment");
                units.iter().any(|unit| number_before(&folded, unit, may_lack_number))
            }
        }
    }
}

/// A question without 几 where it asks for nothing: 好几回, 十几年, 哪几种.
fn definite(said: &Said, lexicon: &Lexicon) -> Said {
    if !said.folded.contains('几') {
        return said.clone();
    }
    let without = |folded: String, word| folded.replace(word, " ");
    Said { folded: lexicon.words("indefinite").fold(said.folded.clone(), without), latin: said.latin.clone() }
}

/// The units of a kind, those of a site first; none when any number is a value of it. A moment is said by a date or by the time
/// until it.
fn units_of(kind: &str, lexicon: &Lexicon) -> Option<Vec<String>> {
    let kind = if kind == "moment" { "duration" } else { kind };
    let entries = lexicon.entries("units").iter().filter(|entry| entry.meaning == kind);
    let units: Vec<String> = entries.flat_map(|entry| entry.words.iter().cloned()).collect();
    (!units.is_empty()).then_some(units)
}

/// The kind that a unit measures, with all its units.
fn kind_of_unit(unit: &str, lexicon: &Lexicon) -> Option<(String, Vec<String>)> {
    let known = |entry: &&crate::lexicon::Entry| entry.words.iter().any(|word| word == unit);
    let kind = lexicon.entries("units").iter().find(known)?.meaning.clone();
    let units = units_of(&kind, lexicon)?;
    Some((kind, units))
}

/// The kind that an English word is a unit of, written out: `hours`, `dollars`, `percent`. Short symbols are words of other things.
fn kind_of_word(word: &str, lexicon: &Lexicon) -> Option<(String, Vec<String>)> {
    let unit = singular(word);
    (unit.len() >= 2).then(|| kind_of_unit(unit, lexicon)).flatten()
}

/// The unit that 多少 or 几 counts: 多少安, 多少字节, 几年. None when what follows is no unit (是多少？, 罚多少, 切多少火电) or counts
/// things (几台, 几条), which the text may count in other words (组数: 3): then any number will do.
fn counted(folded: &str, lexicon: &Lexicon) -> Option<(String, Vec<String>)> {
    let at = ["多少", "几"].iter().filter_map(|word| folded.find(word).map(|at| at + word.len())).min()?;
    // 几个小时, 几个工作日: in speech 个 stands before units too.
    let behind = folded[at..].trim_start().trim_start_matches('个').trim_start_matches("工作");
    let sample = format!("1{behind}");
    if let Some((range, quantity)) = find_quantities(&sample).into_iter().find(|(range, _)| range.start == 0)
    {
        let unit = sample[range].trim_start_matches('1').trim().to_owned();
        return kind_of_unit(&unit, lexicon).or_else(|| kind_of_unit(&fold(quantity.unit.symbol()), lexicon));
    }
    // 几年, 多少度: a unit of one character that is a measure word too. Longer ones (微秒) are known by themselves.
    let is_unit = |unit: &&String| {
        let is_long = unit.chars().nth(1).is_some();
        behind.starts_with(unit.as_str()) && (is_long || lexicon.words("measure").any(|word| word == **unit))
    };
    let units = lexicon.entries("units").iter().flat_map(|entry| &entry.words).filter(is_unit);
    kind_of_unit(units.max_by_key(|unit| unit.len())?, lexicon)
}

/// The unit that `how many` counts, or that the answer is wanted in: `how many working days`, `the number of hours`, `in dollars`.
/// Things (`how many meetings`) are often called otherwise by the text, so that any number of them will do.
fn counted_in_english(words: &[&str], lexicon: &Lexicon) -> Option<(String, Vec<String>)> {
    let counts = |two: &[&str]| matches!(two, ["how", "many"] | ["number", "of"]);
    if let Some(at) = words.windows(2).position(counts) {
        return kind_of_phrase(&words[at + 2..], lexicon);
    }
    let asks = words.iter().any(|word| matches!(*word, "what" | "which" | "how"));
    let unit = |two: &[&str]| (two[0] == "in").then(|| kind_of_word(two[1], lexicon)).flatten();
    if asks { words.windows(2).find_map(unit) } else { None }
}

/// The kind of the first unit in the phrase at the beginning of these words: `working days`, `square metres of floor`.
fn kind_of_phrase(words: &[&str], lexicon: &Lexicon) -> Option<(String, Vec<String>)> {
    let ends = |word: &str| lexicon.words("behind_noun").any(|one| one == word);
    let phrase: Vec<&str> = words.iter().copied().take_while(|word| !ends(word)).take(LONGEST_NOUN).collect();
    let of_two = |two: &[&str]| kind_of_unit(&format!("{} {}", two[0], singular(two[1])), lexicon);
    let of_one = || phrase.iter().find_map(|word| kind_of_word(word, lexicon));
    phrase.windows(2).find_map(of_two).or_else(of_one)
}

/// The kind of the quantity that `what` asks for: of `what is the least earth resistance` the resistance. A unit in the phrase
/// says more than its noun (`what dollar amount`).
fn noun_of_what<'l>(words: &[&str], lexicon: &'l Lexicon) -> Option<&'l str> {
    let asks = |at: &usize| matches!(words[*at], "what" | "which");
    (0..words.len()).filter(asks).find_map(|at| kind_of_noun(&words[at + 1..], lexicon))
}

/// The kind of the quantity that the phrase at the beginning of these words names.
fn kind_of_noun<'l>(behind: &[&str], lexicon: &'l Lexicon) -> Option<&'l str> {
    let is = |section: &str, word: &str| lexicon.words(section).any(|one| one == word);
    let behind = behind.iter().skip_while(|word| is("before_noun", word));
    let noun: Vec<&str> =
        behind.take_while(|word| !is("behind_noun", word)).take(LONGEST_NOUN).copied().collect();
    let (head, before) = noun.split_last()?;
    let units = |word: &str| {
        let unit = singular(word);
        let entries = lexicon.entries("units").iter();
        let is_unit = unit.len() > 3;
        entries.filter(|_| is_unit).find(|entry| entry.words.iter().any(|one| one == unit))
    };
    let kind = lexicon.entries("quantity").iter().find(|entry| {
        entry.words.iter().any(|word| word == head || word == singular(head) || is_plural(head, word))
    });
    let said = before.iter().find_map(|word| units(word));
    match (kind, said) {
        (Some(_), Some(unit)) => Some(unit.meaning.as_str()),
        (Some(kind), None) => Some(kind.meaning.as_str()),
        (None, _) => units(head).map(|unit| unit.meaning.as_str()),
    }
}

/// Whether a word is the plural in -ies of another: frequencies, quantities.
fn is_plural(plural: &str, word: &str) -> bool {
    plural.strip_suffix("ies").is_some_and(|stem| word.strip_suffix('y') == Some(stem))
}

/// The kind of the quantity that 多少 or 几 asks for: the name before it, with nothing but a comparison between.
fn name_beside<'l>(folded: &str, lexicon: &'l Lexicon) -> Option<&'l str> {
    let at = ["多少", "几"].iter().filter_map(|word| folded.find(word)).min()?;
    let is_between = |c: char| lexicon.words("before_amount").any(|word| word.chars().eq([c]));
    let mut before = folded[..at].trim_end_matches(is_between);
    // 津贴标准是多少, 电压限值是多少: the quantity is the allowance, the voltage.
    if let Some(name) = lexicon.words("of_quantity").find_map(|word| before.strip_suffix(word)) {
        before = name;
    }
    let ends =
        |entry: &&crate::lexicon::Entry| entry.words.iter().any(|word| before.ends_with(word.as_str()));
    lexicon.entries("quantity").iter().find(ends).map(|entry| entry.meaning.as_str())
}

/// The kind of the quantity behind an interrogative: 多高电压, 多少功率.
fn name_behind<'l>(folded: &str, lexicon: &'l Lexicon) -> Option<&'l str> {
    let at = ["多高", "多大", "多少"]
        .iter()
        .filter_map(|word| folded.find(word).map(|at| at + word.len()))
        .min()?;
    let behind = folded[at..].trim_start_matches(['的', ' ']);
    // 多少工本费: the head of the name stands at its end.
    let name = behind.split(|c: char| !is_cjk(c)).next().unwrap_or_default();
    let is_name = name.chars().count() <= LONGEST_NAME;
    let names = |entry: &&crate::lexicon::Entry| {
        let says =
            |word: &String| behind.starts_with(word.as_str()) || is_name && name.ends_with(word.as_str());
        entry.words.iter().any(|word| !word.is_ascii() && says(word))
    };
    lexicon.entries("quantity").iter().find(names).map(|entry| entry.meaning.as_str())
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word)
}

/// Whether a number stands before this unit: `30 days`, `三个工作日`, `eight characters`, `$150,000`.
fn number_before(folded: &str, unit: &str, may_lack_number: bool) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    folded.match_indices(unit).any(|(at, _)| {
        let after = &folded[at + unit.len()..];
        if matches!(unit, "$" | "£" | "€") {
            return after.trim_start().starts_with(|c: char| c.is_ascii_digit());
        }
        // A Latin unit is a word of its own or the beginning of its plural.
        if unit.is_ascii() && unit.ends_with(is_word) {
            let rest = after.strip_prefix('s').unwrap_or(after);
            if rest.starts_with(is_word) || folded[..at].ends_with(|c: char| c.is_ascii_alphabetic()) {
                return false;
            }
        }
        let before = folded[..at].trim_end_matches([' ', '个', '工', '作', '历', '(', ')', '-']);
        if before.ends_with(is_numeral) {
            return true;
        }
        // 单位摄氏度，默认值80: the unit is said for the number behind it.
        if before.ends_with("单位") && after.contains(|c: char| c.is_ascii_digit()) {
            return true;
        }
        // In a table the unit stands in the header, by itself or over another one: `载流量(安): 2000`, `标准值(kN/m2): 2.5`.
        let in_header = after.strip_prefix('数').unwrap_or(after).split_once(':');
        let is_of_unit = |c: char| c.is_ascii_alphanumeric() || matches!(c, ')' | ' ' | '/' | '·');
        if in_header.is_some_and(|(rest, cell)| {
            rest.len() <= LONGEST_UNIT
                && rest.chars().all(is_of_unit)
                && cell.trim_start().starts_with(is_numeral)
        }) {
            return true;
        }
        // A symbol stands right behind its number.
        if !unit.is_ascii() || unit.len() < 3 {
            return false;
        }
        let words = before.rsplit(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let instead = |word: &str| Lexicon::built_in().words("instead_of_number").any(|one| one == word);
        words.take(BETWEEN).any(|word| is_number_word(word) || may_lack_number && instead(word))
    })
}

/// A folded text without the numbers that only say where something stands or what it is called: its own clause number, references
/// such as 表2-3 or 第3章, the marks of list items, and codes (`cip-007-7`, `r2`). They are values of nothing.
fn without_places(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let text = without_titles(text);
    for line in text.lines() {
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '．');
        let rest = line.trim_start_matches(is_number);
        let number = &line[..line.len() - rest.len()];
        // `10.5 秒以内` begins with a value: a clause number has no unit behind it and two dots, or a word at once.
        let is_clause = number.matches(['.', '．']).count() >= 2 || number.ends_with(['.', '．']);
        let is_item = !number.is_empty() && rest.starts_with([')', '）', '、']);
        let mut from = if is_clause || is_item { number.len() } else { 0 };
        // 注1：, 注 2: the note's own number.
        if let Some(label) = line.strip_prefix('注') {
            from = line.len() - label.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ').len();
        }
        for mention in find_references(line) {
            if mention.range.start >= from {
                kept.push_str(&line[from..mention.range.start]);
                kept.push(' ');
                from = mention.range.end;
            }
        }
        kept.push_str(&line[from..]);
        kept.push('\n');
    }
    without_marks(&fold(&kept))
}

/// A text without the titles of documents: 《2024年某电网调度规定（第二版）》.
fn without_titles(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, title)) = rest.split_once('《')
        && let Some((_, behind)) = title.split_once('》')
    {
        kept.push_str(before);
        rest = behind;
    }
    kept + rest
}

/// A folded text without `(一)`, `(2)` and without codes that begin with a letter.
fn without_marks(folded: &str) -> String {
    let mut kept = String::with_capacity(folded.len());
    let mut rest = folded;
    while let Some(first) = rest.chars().next() {
        let skipped = if first == '(' {
            let inner = rest[1..].trim_start_matches(is_numeral);
            let is_mark = inner.len() + 1 < rest.len() && inner.starts_with(')');
            // `ten (10) slots` repeats a number, and 大于(5)级 is the answer to an exam question: marks begin something.
            let repeats = kept.trim_end().rsplit(' ').next().is_some_and(is_spelled_number);
            let begins = kept.is_empty() || kept.ends_with([' ', '\n', '。', '；', ';', '、', ':', '.', ',']);
            if is_mark && begins && !repeats { rest.len() - inner.len() + 1 } else { 1 }
        } else if first == '第' {
            // The third item is no amount.
            let ordinal = rest[first.len_utf8()..].trim_start().trim_start_matches(is_numeral);
            rest.len() - ordinal.len()
        } else if first.is_ascii_alphabetic() {
            let in_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/');
            let code = rest.len() - rest.trim_start_matches(in_code).len();
            let word = rest[..code].trim_end_matches(['-', '.', '/']);
            // kN/m2 and m3/h are units.
            let is_unit = |part: &str| Lexicon::built_in().words("units").any(|unit| unit == part);
            let is_code = word.contains(|c: char| c.is_ascii_digit()) && !word.split('/').all(is_unit);
            if !is_code {
                kept.push_str(word);
            }
            rest = &rest[word.len()..];
            continue;
        } else {
            first.len_utf8()
        };
        if skipped == first.len_utf8() {
            kept.push(first);
        } else {
            kept.push(' ');
        }
        rest = &rest[skipped..];
    }
    kept
}

/// Whether a text has a date, or a year by itself.
fn has_date(text: &str) -> bool {
    let unspaced: String = text.chars().filter(|c| !c.is_whitespace() || text.is_ascii()).collect();
    let is_year = |word: &str| word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    !find_dates(&unspaced).is_empty()
        || words.any(|word| is_year(word) && word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a folded text says any number: digits, a spelled number, or Chinese numerals with what they count. 一 and 数 alone begin
/// too many other words (一般, 数据).
fn has_number(folded: &str) -> bool {
    let mut words = folded.split(|c: char| !c.is_alphanumeric());
    folded.contains(|c: char| c.is_ascii_digit()) || words.any(is_spelled_number) || counts_something(folded)
}

fn counts_something(folded: &str) -> bool {
    let lexicon = Lexicon::built_in();
    folded.match_indices(is_numeral).any(|(at, numeral)| {
        let behind = &folded[at + numeral.len()..];
        let mut parts = behind.chars().skip_while(|c| *c == '个');
        numeral != "数"
            && (behind.starts_with('个')
                || parts.next().is_some_and(|c| {
                    matches!(c, '%' | '‰') || lexicon.words("measure").any(|word| word.chars().eq([c]))
                }))
    })
}

fn is_number_word(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit()) || is_spelled_number(word)
}

fn is_spelled_number(word: &str) -> bool {
    Lexicon::built_in().words("number_word").any(|number| number == word)
}

fn is_numeral(c: char) -> bool {
    c.is_ascii_digit() || "一二三四五六七八九十百千万两半〇零数".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(question: &str) -> AskedValue {
        AskedValue::read(&Said::new(question), Lexicon::built_in())
            .unwrap_or_else(|| panic!("{question} asks for a value"))
    }

    #[test]
    fn a_value_of_the_kind_asked_for_must_stand_there() {
        let long = asks("抢修人员多长时间内到达？");
        assert!(long.stands_in("应当在六十分钟内到达现场") && long.stands_in("不超过 3 个工作日"));
        assert!(!long.stands_in("应当及时到达 500 千伏变电站"));
        let often = asks("How often must the test be repeated?");
        assert!(often.stands_in("at least once every 15 calendar months"));
        assert!(!often.stands_in("a full test of 3 schemes"));
    }

    #[test]
    fn what_is_counted_is_read_off_the_question() {
        let bytes = asks("每个升级包最大多少字节？");
        assert!(bytes.stands_in("不超过1024字节") && !bytes.stands_in("不超过 3 次"));
        let characters = asks("How many characters must a password have?");
        assert!(characters.stands_in("a minimum of eight characters") && !characters.stands_in("30 days"));
        assert!(asks("限额是多少？").stands_in("限额 340 万千瓦"));
        let power = asks("人工要切多少火电？");
        assert!(power.stands_in("切火电 264 万千瓦"), "火电 is no unit");
        assert!(asks("载流量是多少安？").stands_in("长期允许载流量（安）: 2000"));
        assert!(
            asks("有几台调相机？").stands_in("调相机台数: 4") && !asks("有几台？").stands_in("见第 3 项")
        );
        assert_eq!(asks("办这个证要收多少工本费？").kind, "money");
        let price = asks("装置的采购单价是多少？");
        assert!(price.stands_in("单价 12 万元") && !price.stands_in("装置投入 2 套"));
    }

    #[test]
    fn the_name_of_a_quantity_or_a_unit_tells_the_kind() {
        for (question, kind) in [
            ("What is the largest earth electrode resistance for a standby set?", "resistance"),
            ("At what winding temperature must a transformer trip?", "temperature"),
            ("What dollar amount is due?", "money"),
            ("What is the limit in percent of rated current?", "share"),
            ("How far ahead do we have to tell them?", "duration"),
            ("安全距离不小于多少？", "length"),
            ("要接到多高电压以上的才算？", "voltage"),
            ("欠着电费，拖够多少天能断电？", "duration"),
        ] {
            assert_eq!(asks(question).kind, kind, "{question}");
        }
        for (question, kind) in [
            ("抢修最晚几个小时得到？", "duration"),
            ("几个工作日内答复？", "duration"),
            ("采样延时最大允许多少微秒？", "duration"),
            ("Within how many working days must he answer?", "duration"),
            ("What is the maximum number of hours it may take?", "duration"),
            ("How many square metres are counted for each person?", "area"),
            ("How many lux are required at the fence?", "illuminance"),
            ("基本风压不得低于多少？", "pressure"),
            ("夜班补贴标准是多少？", "money"),
        ] {
            assert_eq!(asks(question).kind, kind, "{question}");
        }
        assert!(asks("楼面活荷载取多少千牛每平米？").stands_in("标准值(kN/m²): 8.0"));
        assert_eq!(asks("电压偏差不得超过多少？").units, None, "not the voltage is asked for");
        assert_eq!(asks("How many meetings may he miss?").units, None);
        for question in [
            "催了好几回都不理，怎么办？",
            "哪几种情况不赔？",
            "What applies when two companies share a link?",
        ] {
            assert_eq!(AskedValue::read(&Said::new(question), Lexicon::built_in()), None, "{question}");
        }
    }

    #[test]
    fn a_site_adds_units_to_a_kind() {
        let lexicon =
            Lexicon::built_in().extended(["units; 里; length"]).unwrap_or_else(|error| panic!("{error}"));
        let far = AskedValue::read(&Said::new("离变电站多远？"), &lexicon).unwrap_or_else(|| panic!("asks"));
        assert!(far.stands_in("三里以外") && far.stands_in("300 米以外"));
        assert!(!asks("离变电站多远？").stands_in("三里以外"));
    }

    #[test]
    fn marks_and_codes_are_no_numbers() {
        let any = asks("短路比不应低于多少？");
        assert!(!any.stands_in("注：应符合 JT/T 794，一般由（一）统一规定；见 CIP-007-7 R2。"));
        assert!(!any.stands_in("注1：短路比是表征系统强弱的指标。\n注 2：场站可类比直流。"));
        assert!(!any.stands_in("执行《2024年某电网调度规定（第二版）》的要求"));
        assert!(any.stands_in("不应低于 2") && any.stands_in("三个月内") && any.stands_in("at least twice"));
        assert!(asks("风力大于几级不宜作业？").stands_in("风力大于(5)级时"));
        assert!(asks("高温阈值默认多少度？").stands_in("单位摄氏度，默认值80"));
        assert!(asks("What fee is due?").stands_in("a deposit of $150,000"));
        assert!(asks("On what date does it take effect?").stands_in("effective May 9, 2024"));
    }

    #[test]
    fn numbers_of_clauses_tables_and_chapters_are_no_values() {
        let power = asks("还能送多少？");
        assert!(!power.stands_in("2.1.3.2.1 直流闭锁切机：安控措施见表2-3。"));
        assert!(!power.stands_in("稳定限额执行第3章的规定。"));
        assert!(power.stands_in("2.1.3.2.1 功率不超过 350 兆瓦，见表2-3。"));
        assert!(power.stands_in("10.5 秒以内频率未回升"));
    }

    #[test]
    fn a_question_for_a_procedure_asks_for_no_value() {
        for question in ["母线失压怎么处理？", "What must be done after a trip?"] {
            assert_eq!(AskedValue::read(&Said::new(question), Lexicon::built_in()), None, "{question}");
        }
    }
}
