//! What kind of value a question asks for, and whether a text has one.
//!
//! A passage may speak of the very subject and still not say how long, how high or how many. The kinds are data
//! (`lexicon/values.txt`); this module knows only how a number stands before a unit.

use regreader_text::fold;
use regreader_text::script::is_cjk;
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
            let counted = counted(&said.folded, lexicon).or_else(|| counted_in_english(&said.latin));
            units = counted.map(|unit| vec![unit]);
        }
        Some(Self { kind: kind.trim().to_owned(), units })
    }

    /// Whether a text has such a value.
    pub fn stands_in(&self, text: &str) -> bool {
        let folded = fold(text);
        match &self.units {
            None => has_number(&folded),
            Some(units) => units.iter().any(|unit| number_before(&folded, unit)),
        }
    }
}

/// What 多少 or 几 counts: 多少字节, 几台. None when nothing is counted (是多少？, 罚多少).
fn counted(folded: &str, lexicon: &Lexicon) -> Option<String> {
    let at = ["多少", "几"].iter().filter_map(|word| folded.find(word).map(|at| at + word.len())).min()?;
    let is_measure = |c: char| lexicon.words("measure").any(|word| word.chars().eq([c]));
    let unit: String = folded[at..].chars().take_while(|c| is_cjk(*c)).take(2).collect();
    let latin: String = folded[at..].chars().take_while(char::is_ascii_alphanumeric).collect();
    match (unit.chars().count(), latin.is_empty()) {
        (0, true) => None,
        (0, false) => Some(latin),
        // 几个, 几台机组: the measure word alone stands behind numbers.
        _ => unit.chars().next().map(|first| if is_measure(first) { first.to_string() } else { unit }),
    }
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
        // Two words may stand between: `15 calendar months`, `ten (10) slots`.
        let mut words = before.rsplit(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(2);
        unit.is_ascii() && words.any(is_number_word)
    })
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
    }

    #[test]
    fn a_question_for_a_procedure_asks_for_no_value() {
        for question in ["母线失压怎么处理？", "What must be done after a trip?"] {
            assert_eq!(AskedValue::read(&Said::new(question), Lexicon::built_in()), None, "{question}");
        }
    }
}
