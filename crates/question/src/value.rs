//! What kind of value a question asks for, and whether a text has one.
//!
//! A passage may speak of the very subject and still not say how long, how high or how many. The kinds are data
//! (`lexicon/values.txt`); this module knows only how a number stands before a unit.

use regreader_text::{find_quantities, find_references, fold};
use serde::{Deserialize, Serialize};

use crate::lexicon::{self, Lexicon, Said};

/// The value that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedValue {
    /// What kind of value: `duration`, `length`, `amount` …, as the lexicon names it.
    pub kind: String,
    /// Units that a fitting value has; none where any number will do.
    pub units: Option<Vec<String>>,
}

impl AskedValue {
    /// Reads it off a question; none when the question asks for no value.
    pub(crate) fn read(said: &Said, lexicon: &Lexicon) -> Option<Self> {
        let (kind, units) = lexicon.meaning("value", said)?.split_once('=')?;
        let mut units = (units.trim() != "*").then(|| lexicon::words(units).collect());
        if units.is_none() {
            let in_english = || counted_in_english(&said.latin).map(|unit| vec![unit]);
            units = counted(&said.folded, lexicon).or_else(in_english);
        }
        Some(Self { kind: kind.trim().to_owned(), units })
    }

    /// Whether a text has such a value.
    pub fn stands_in(&self, text: &str) -> bool {
        let folded = without_places(text);
        match &self.units {
            None => has_number(&folded),
            Some(units) => units.iter().any(|unit| number_before(&folded, unit)),
        }
    }
}

/// What 多少 or 几 counts: 多少安, 多少字节, 几台. None when what follows is no unit and no measure word (是多少？, 罚多少,
/// 切多少火电): then any number will do.
fn counted(folded: &str, lexicon: &Lexicon) -> Option<Vec<String>> {
    let at = ["多少", "几"].iter().filter_map(|word| folded.find(word).map(|at| at + word.len())).min()?;
    let behind = folded[at..].trim_start();
    let sample = format!("1{behind}");
    if let Some((range, quantity)) = find_quantities(&sample).into_iter().find(|(range, _)| range.start == 0)
    {
        let unit = sample[range].trim_start_matches('1').trim().to_owned();
        return Some(vec![unit, fold(quantity.unit.symbol())]);
    }
    // 几台机组: the measure word alone stands behind numbers. 个 counts everything, so that any other may stand for it.
    let is_measure = |c: char| c != '个' && lexicon.words("measure").any(|word| word.chars().eq([c]));
    behind.chars().next().filter(|first| is_measure(*first)).map(|first| vec![first.to_string()])
}

/// What `how many` counts: the word behind it, without its plural.
fn counted_in_english(padded: &str) -> Option<String> {
    let (_, behind) = padded.split_once(" how many ")?;
    let word = behind.split_whitespace().next()?;
    Some(word.strip_suffix('s').filter(|stem| stem.len() > 2).unwrap_or(word).to_owned())
}

/// Whether a number stands before this unit: `30 days`, `三个工作日`, `eight characters`.
fn number_before(folded: &str, unit: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric();
    folded.match_indices(unit).any(|(at, _)| {
        let after = &folded[at + unit.len()..];
        // A Latin unit is a word of its own or the beginning of its plural.
        if unit.is_ascii() && unit.chars().all(is_word) {
            let rest = after.strip_prefix('s').unwrap_or(after);
            if rest.starts_with(is_word) || folded[..at].ends_with(|c: char| c.is_ascii_alphabetic()) {
                return false;
            }
        }
        let before = folded[..at].trim_end_matches([' ', '个', '工', '作', '历', '(', ')', '-']);
        if before.ends_with(is_numeral) {
            return true;
        }
        // In a table the unit stands in the header: `载流量(安): 2000`, `调相机台数: 4`.
        let in_header = after.strip_prefix('数').unwrap_or(after).trim_start_matches([')', ' ', '/']);
        if in_header.strip_prefix(':').is_some_and(|cell| cell.trim_start().starts_with(is_numeral)) {
            return true;
        }
        // Two words may stand between: `15 calendar months`, `ten (10) slots`.
        let mut words = before.rsplit(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(2);
        unit.is_ascii() && words.any(is_number_word)
    })
}

/// A folded text without the numbers that only say where something stands: its own clause number, and references such
/// as 表2-3 or 第3章. They are values of nothing.
fn without_places(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '．');
        let rest = line.trim_start_matches(is_number);
        let number = &line[..line.len() - rest.len()];
        // `10.5 秒以内` begins with a value: a clause number has no unit behind it and two dots, or a word at once.
        let is_clause = number.matches(['.', '．']).count() >= 2 || number.ends_with(['.', '．']);
        let mut from = if is_clause { number.len() } else { 0 };
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
    fold(&kept)
}

fn has_number(folded: &str) -> bool {
    let mut words = folded.split(|c: char| !c.is_alphanumeric());
    folded.contains(is_numeral) || words.any(is_spelled_number)
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
        let price = asks("装置的采购单价是多少？");
        assert!(price.stands_in("单价 12 万元") && !price.stands_in("装置投入 2 套"));
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
