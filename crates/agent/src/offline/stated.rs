//! How far a question states the condition of a rule: `降压且开机 2 台时` needs both the lower voltage and the two units.
//!
//! A condition is stated wholly when each of its parts stands together in the question, as it stands in the rule, and when nothing
//! else is said there: 取消降压 and 龙泽安控装置退出 say another thing than 降压 and 安控装置退出, and no list of words could tell
//! all of them. What the question says besides must be what the table, the row or the column says.

use std::ops::Range;
use std::sync::LazyLock;

use regreader_question::with_measures;
use regreader_text::script::is_cjk;
use regreader_text::tokenize::{without_question_words, word_starts};
use regreader_text::{Quantity, find_quantities, fold, fold_tight, is_stop_word, words_of};

/// Words before a number that what is meant is below, or above.
static BELOW: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words for less than"));
static ABOVE: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words for more than"));
/// Words behind a number that what is meant is that or above, or that or below.
static OR_ABOVE: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words for this or more"));
static OR_BELOW: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words for this or less"));
/// Words of a condition that say nothing by themselves.
static GENERAL: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that are no condition"));
/// Names of quantities.
static MEASURED: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "names of quantities"));
/// Words between two conditions.
static JOINING: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that join conditions"));
/// Words that deny what stands behind them.
static DENYING: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that deny"));
/// Words of a question that say nothing by themselves.
static LINKING: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that only link"));
/// Words between a term and what it means.
static DEFINING: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that define"));

/// Characters that may stand between a denial and what it denies: 未全部投入.
const DENIED_FROM: usize = 2;

/// How far a question states a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// All of it, and nothing else.
    Wholly,
    /// All of it, and something that neither it nor the table says.
    Besides,
    /// A part of it, so that a reader must decide.
    Partly,
    /// Nothing of it, or the contrary.
    Not,
}

/// What a question states, and what the table that answers it says by itself.
#[derive(Debug)]
pub struct Stated {
    question: String,
    /// The words of the question, without its numbers and the words that only ask.
    words: Vec<String>,
    quantities: Vec<Quantity>,
    /// Numbers of the question without a unit.
    numbers: Vec<String>,
    table: String,
    row: String,
}

impl Stated {
    /// Reads a question. `table` is what is said of the table: its caption and chapters, the columns of its conditions; `row` is
    /// what the row says of its conditions.
    pub fn new(question: &str, table: &str, row: &str) -> Self {
        let question = &with_measures(question);
        let (quantities, rest) = without_quantities(question);
        let asked = without_question_words(&fold(&rest));
        let words = pieces(&asked).filter(|piece| piece.contains(char::is_alphabetic));
        Self {
            question: if question.contains(is_cjk) { fold_tight(question) } else { fold(question) },
            words: words.filter(|piece| !is_empty_word(piece)).collect(),
            quantities: quantities.into_iter().map(|(_, quantity)| quantity).collect(),
            numbers: numbers(&rest),
            table: fold_tight(table),
            row: fold_tight(row),
        }
    }

    /// The quantities that the question states.
    pub fn quantities(&self) -> &[Quantity] {
        &self.quantities
    }

    /// How far the question states a condition. Every number of it must be met, and every word of it must stand in the question,
    /// be said of the table, or be what the rule (`about`) calls by a word of the question (降压指 0.8 倍额定电压运行).
    pub fn meets(&self, condition: &str, about: &str) -> Met {
        self.meets_besides(condition, about, |_| false)
    }

    /// The same for a condition some of whose quantities are known to be met.
    pub fn meets_besides(&self, condition: &str, about: &str, is_met: impl Fn(&Quantity) -> bool) -> Met {
        let (quantities, _) = without_quantities(condition);
        let is_covered = |(range, quantity): &(Range<usize>, Quantity)| {
            let covers = |asked| covers(condition, range.clone(), asked) == Some(true);
            is_met(quantity) || self.quantities.iter().any(covers)
        };
        // People leave out 倍: 0.7 降压.
        let is_said = |(_, quantity): &(Range<usize>, Quantity)| {
            quantity.unit.symbol() == RATIO && self.numbers.contains(&quantity.value.to_string())
        };
        let rest = without_measured(condition, &quantities);
        let words = words_in(&rest);
        let has_numbers = quantities.iter().all(|one| is_covered(one) || is_said(one))
            && numbers(&rest).iter().all(|number| self.numbers.contains(number));
        let said = |word: &Word| self.says(word) || (has_numbers && self.is_called(&word.text, about));
        let is_any =
            quantities.iter().any(is_covered) || words.iter().any(said) || self.says_initials(&words);
        if !is_any || words.iter().any(|word| self.says(&word.denied())) {
            return Met::Not;
        }
        let is_whole = has_numbers
            && words.iter().all(|word| said(word) || self.table.contains(&word.text))
            && parts_of(&rest).iter().all(|part| self.says_together(part));
        match is_whole {
            true if self.says_nothing_else(condition, about) => Met::Wholly,
            true => Met::Besides,
            false => Met::Partly,
        }
    }

    /// Whether a text has a word of the question that neither what is said of the table nor the table itself, folded, has.
    pub fn is_more_said_in(&self, text: &str, table: &str) -> bool {
        let text = fold_tight(text);
        let is_more = |word: &&String| !self.table.contains(word.as_str()) && !table.contains(word.as_str());
        self.words.iter().filter(is_more).any(|word| word.chars().count() > 1 && text.contains(word.as_str()))
    }

    /// Whether those words of a part of a condition that the question says stand there in their order with nothing between that
    /// is no part of the condition.
    fn says_together(&self, part: &str) -> bool {
        let words: Vec<Word> = words_in(part).into_iter().filter(|word| self.says(word)).collect();
        let Some((first, rest)) = words.split_first() else { return true };
        let part = fold_tight(part);
        let links = |gap: &str| pieces(gap).all(|piece| is_empty_word(&piece) || part.contains(&piece));
        self.places(first).into_iter().any(|start| {
            let mut end = start + first.text.len();
            rest.iter().all(|word| {
                let next = self.places(word).into_iter().find(|at| *at >= end);
                let is_next = next.and_then(|at| self.question.get(end..at)).is_some_and(links);
                end = next.unwrap_or(end) + word.text.len();
                is_next
            })
        })
    }

    /// Whether all that the question says is said by the table, by the row, or by the condition.
    fn says_nothing_else(&self, condition: &str, about: &str) -> bool {
        let quantities = find_quantities(condition);
        let condition = fold_tight(condition);
        let terms: String = definitions(about).map(|(term, _)| term).collect();
        let texts = [&condition, &fold_tight(&terms), &self.table, &self.row];
        let is_known = |word: &String| texts.iter().any(|text| text.contains(word.as_str()));
        let is_of = |one: &Quantity| {
            let is_measured = |(_, other): &(_, Quantity)| is_same_kind(one, other);
            quantities.iter().any(is_measured) || self.table.contains(&fold(one.unit.symbol()))
        };
        self.words.iter().all(is_known) && self.quantities.iter().all(is_of)
    }

    /// Whether the question has the first characters of neighbouring words as a word: 串补 for 串联补偿装置, 安控 for 安全控制. That is how
    /// Chinese shortens names; it makes a rule worth a look, and never one that is met.
    fn says_initials(&self, words: &[Word]) -> bool {
        let first: Vec<Option<char>> =
            words.iter().map(|word| word.text.chars().next().filter(|c| is_cjk(*c))).collect();
        first.windows(2).any(|pair| match pair {
            [Some(one), Some(other)] => self.question.contains(&format!("{one}{other}")),
            _ => false,
        })
    }

    /// Whether the question says a word, and denies it where the condition does.
    fn says(&self, word: &Word) -> bool {
        !self.places(word).is_empty()
    }

    /// Where the question says a word, and denies it if the condition does.
    fn places(&self, word: &Word) -> Vec<usize> {
        let places = self.question.match_indices(word.text.as_str()).map(|(at, _)| at);
        places.filter(|at| is_denied(&self.question, *at) == word.is_denied).collect()
    }

    /// Whether a rule says what a word of the question means, with this word: 额定电压 of 降压指 0.8 倍额定电压运行.
    fn is_called(&self, word: &str, about: &str) -> bool {
        let says = |term: &str| words_in(term).iter().any(|term| self.says(term));
        definitions(about).any(|(term, meaning)| meaning.contains(word) && says(&term))
    }
}

/// The unit of ratios.
const RATIO: &str = "倍";

/// The terms that a text defines, and what they mean, folded.
fn definitions(text: &str) -> impl Iterator<Item = (String, String)> {
    text.split(['；', ';', '。']).filter_map(|part| {
        let part = fold(part);
        let (term, meaning) = DEFINING.iter().find_map(|defines| part.split_once(defines))?;
        Some((term.to_owned(), meaning.to_owned()))
    })
}

/// The parts of a condition that must hold together.
fn parts_of(condition: &str) -> Vec<String> {
    let mut parts = vec![condition.to_owned()];
    for joint in JOINING.iter() {
        parts = parts.iter().flat_map(|part| part.split(joint)).map(str::to_owned).collect();
    }
    parts
}

/// The words and names of a text as the dictionary cuts it, without blanks and marks.
fn pieces(text: &str) -> impl Iterator<Item = String> {
    let runs = text.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|run| !run.is_empty());
    let cut = |run: &str| {
        let characters: Vec<char> = run.chars().collect();
        let mut starts = if run.contains(is_cjk) { word_starts(run) } else { vec![0] };
        starts.push(characters.len());
        let piece = |pair: &[usize]| characters.get(pair[0]..pair[1]).unwrap_or_default().iter().collect();
        starts.windows(2).map(piece).collect::<Vec<String>>()
    };
    runs.flat_map(cut).collect::<Vec<_>>().into_iter()
}

/// Whether a word says nothing by itself. What is denied is looked at where it is denied.
fn is_empty_word(word: &str) -> bool {
    let lists = [&*LINKING, &*GENERAL, &*JOINING, &*DENYING];
    lists.iter().any(|list| list.contains(&word)) || is_stop_word(word)
}

/// A word of a condition, folded, and whether it is denied there: 投入 of 未投入.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    text: String,
    is_denied: bool,
}

impl Word {
    fn denied(&self) -> Self {
        Self { is_denied: !self.is_denied, ..self.clone() }
    }
}

/// The words of a text that say something, codes (N-1), and names that no dictionary has (青豫). Of a word that stands there twice,
/// the last place counts: 应投入，未投入时 is about what is not in service.
fn words_in(text: &str) -> Vec<Word> {
    let folded = fold(text);
    let codes = folded.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|code| {
        code.contains(|c: char| c.is_ascii_digit()) && code.contains(|c: char| c.is_ascii_alphabetic())
    });
    let mut words: Vec<Word> = Vec::new();
    for text in content_words(&folded).into_iter().chain(names(&folded)).chain(codes.map(str::to_owned)) {
        // The dictionary may take a denial and its word for one.
        let text = DENYING.iter().find_map(|denial| text.strip_prefix(denial)).unwrap_or(&text).to_owned();
        if let Some(at) = folded.rfind(text.as_str())
            && !words.iter().any(|known| known.text == text)
        {
            words.push(Word { is_denied: is_denied(&folded, at), text });
        }
    }
    words.sort_by_key(|word| folded.rfind(word.text.as_str()));
    words
}

/// Runs of characters that the dictionary cuts apart one by one, which is what it does with names.
fn names(folded: &str) -> Vec<String> {
    let characters: Vec<char> = folded.chars().collect();
    let starts = word_starts(folded);
    let mut runs = vec![String::new()];
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(characters.len());
        let piece: String = characters.get(*start..end).unwrap_or_default().iter().collect();
        let is_name = end - start == 1
            && piece.contains(is_cjk)
            && !JOINING.contains(&piece.as_str())
            && !DENYING.contains(&piece.as_str());
        match runs.last_mut() {
            Some(run) if is_name => run.push_str(&piece),
            _ => runs.push(String::new()),
        }
    }
    runs.retain(|run| run.chars().count() > 1);
    runs
}

/// Whether what stands at a place of a folded text is denied.
fn is_denied(text: &str, at: usize) -> bool {
    let mut before = text[..at].trim_end();
    for _ in 0..=DENIED_FROM {
        if DENYING.iter().any(|denial| ends_with_word(before, denial)) {
            return true;
        }
        match before.char_indices().next_back() {
            Some((last, c)) if c.is_alphabetic() => before = &before[..last],
            _ => return false,
        }
    }
    false
}

/// Whether a text ends with a word: a Latin one as a whole.
fn ends_with_word(text: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    text.strip_suffix(word).is_some_and(|before| !word.is_ascii() || !before.ends_with(is_letter))
}

/// The quantities of a text, and the text with blanks in their place.
fn without_quantities(text: &str) -> (Vec<(Range<usize>, Quantity)>, String) {
    let quantities = find_quantities(text);
    let mut rest = text.to_owned();
    for (range, _) in &quantities {
        rest.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    (quantities, rest)
}

/// A condition without its quantities, what compares with them, and the names of quantities before that: 温度 in 环境温度高于 40℃.
fn without_measured(condition: &str, quantities: &[(Range<usize>, Quantity)]) -> String {
    let mut rest = condition.to_ascii_lowercase();
    for (range, _) in quantities {
        let before = rest[..range.start].trim_end();
        let compared = BELOW.iter().chain(ABOVE.iter()).find_map(|word| before.strip_suffix(word));
        let start = compared.map_or(range.start, |before| {
            let before = DENYING.iter().find_map(|denial| before.strip_suffix(denial)).unwrap_or(before);
            let name = MEASURED.iter().find_map(|name| before.strip_suffix(name));
            name.unwrap_or(before).len()
        });
        rest.replace_range(start..range.end, &" ".repeat(range.end - start));
    }
    rest
}

/// The words of a text that say something: 降压 of 降压运行.
pub fn content_words(text: &str) -> Vec<String> {
    let folded = fold(text);
    let characters: Vec<char> = folded.chars().collect();
    let mut starts = word_starts(&folded);
    starts.push(characters.len());
    let mut words: Vec<String> = Vec::new();
    for pair in starts.windows(2) {
        let mut word: String = characters.get(pair[0]..pair[1]).unwrap_or_default().iter().collect();
        // 降压运行 may be one word of the dictionary.
        if let Some(rest) = GENERAL.iter().find_map(|general| word.strip_suffix(general)) {
            word.truncate(rest.len());
        }
        let says = word.chars().count() > 1 && word.chars().all(char::is_alphabetic);
        if says && !GENERAL.contains(&word.as_str()) && !is_stop_word(&word) && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// The numbers of a text that stand by themselves: 0.7, and not the 1 of N-1.
fn numbers(text: &str) -> Vec<String> {
    let is_of_number = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let runs = text.split(|c: char| !is_of_number(c)).map(|run| run.trim_end_matches('.'));
    let is_number = |run: &&str| run.parse::<f64>().is_ok_and(|number| number.is_finite() && number >= 0.0);
    runs.filter(is_number).map(str::to_owned).collect()
}

/// Whether two quantities can be compared: 2 号 is no number of 台, though both are counts.
pub fn is_same_kind(one: &Quantity, other: &Quantity) -> bool {
    one.unit.base() == other.unit.base()
}

/// Whether a stated quantity is what a text says at this place with the words around it: 高于 35℃, 2 台及以上, 1 台. None when the
/// two are of different kinds.
pub fn covers(text: &str, place: Range<usize>, asked: &Quantity) -> Option<bool> {
    let (_, named) = find_quantities(text).into_iter().find(|(range, _)| *range == place)?;
    if !is_same_kind(&named, asked) {
        return None;
    }
    let before = fold(text.get(..place.start)?);
    let behind = fold(text.get(place.end..)?);
    let (before, behind) = (before.trim_end(), behind.trim_start());
    let is_same = asked.same_amount(&named);
    let (is_less, is_more) = (asked.magnitude() < named.magnitude(), asked.magnitude() > named.magnitude());
    for (words, holds) in [(&*BELOW, is_less), (&*ABOVE, is_more)] {
        if let Some(start) = words.iter().find_map(|word| before.strip_suffix(word)) {
            // 不超过 is this or less.
            let is_denied = DENYING.iter().any(|denial| ends_with_word(start.trim_end(), denial));
            return Some(holds != is_denied);
        }
    }
    let begins = |words: &[&str]| words.iter().any(|word| behind.starts_with(word));
    Some(is_same || (is_more && begins(&OR_ABOVE)) || (is_less && begins(&OR_BELOW)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(condition: &str, question: &str) -> Met {
        Stated::new(question, "天中直流限额表\n开机台数", "线路N-1").meets(condition, condition)
    }

    #[test]
    fn every_part_of_a_condition_must_be_stated() {
        let both = "降压且开机 2 台";
        assert_eq!(met(both, "降压，开机 2 台，限额多少"), Met::Wholly);
        assert_eq!(met(both, "开机 2 台的限额多少"), Met::Partly, "nothing is said of the voltage");
        assert_eq!(met(both, "降压 3 台的限额多少"), Met::Partly);
        assert_eq!(met(both, "全压 3 台的限额多少"), Met::Not);
        assert_eq!(met("降压运行 2 台及以上", "3 台机的限额多少"), Met::Partly);
        assert_eq!(met("N-1 方式且降压", "降压的限额多少"), Met::Partly);
        assert_eq!(met("N-1 方式且降压", "线路N-1、降压的限额多少"), Met::Wholly);
    }

    #[test]
    fn what_the_table_is_about_need_not_be_stated() {
        assert_eq!(met("天中直流降压", "降压时多少"), Met::Wholly);
        assert_eq!(met("青豫直流降压", "降压时多少"), Met::Partly);
        assert_eq!(met("天中直流", "降压时多少"), Met::Not);
    }

    #[test]
    fn what_is_measured_goes_with_its_number() {
        let hot = "环境温度高于 35 摄氏度";
        assert_eq!(met(hot, "环境40℃时限额多少"), Met::Wholly);
        assert_eq!(met(hot, "环境温度 40度 限额多少"), Met::Wholly);
        assert_eq!((met(hot, "40℃时多少"), met(hot, "30℃时多少")), (Met::Partly, Met::Not));
        assert_eq!(met("降压运行且环境温度高于 35 摄氏度", "40℃时多少"), Met::Partly);
    }

    #[test]
    fn nothing_else_may_be_said() {
        assert_eq!(met("降压", "天中直流降压 3 台 限额"), Met::Wholly);
        for question in
            ["取消降压限额", "降压结束后的限额", "青豫直流降压限额", "降压转全压限额", "若降压限额"]
        {
            assert_eq!(met("降压", question), Met::Besides, "{question}");
        }
        let off = "安控装置退出";
        assert_eq!(met(off, "安控装置已退出限额"), Met::Wholly);
        for question in ["策略退出安控装置投入限额", "安控装置投入乙线保护退出限额", "龙泽安控装置退出限额"]
        {
            assert!(matches!(met(off, question), Met::Partly | Met::Besides), "{question}");
        }
        assert_eq!(met("云峰电厂开机不超过 2 台", "2号主变停运限额"), Met::Not);
        assert_eq!(met("云峰电厂开机不超过 2 台", "苍北电厂开机 1 台限额"), Met::Partly);
    }

    #[test]
    fn a_denial_is_a_part_of_the_condition() {
        let off = "新能源快速回降未投入";
        assert_eq!(met(off, "新能源快速回降未投入"), Met::Wholly);
        assert_eq!(met(off, "新能源快速回降已投入"), Met::Not, "the contrary");
        assert_eq!(met("降压", "不降压时的限额"), Met::Not);
    }

    #[test]
    fn a_quantity_is_compared_as_the_text_says() {
        let covers = |text: &str, asked: &str| {
            let quantity = |text: &str| find_quantities(text).remove(0);
            let (place, asked) = (quantity(text).0, quantity(asked).1);
            super::covers(text, place, &asked)
        };
        for (text, asked, holds) in [
            ("高于 35℃", "40℃", true),
            ("不超过 35℃", "40℃", false),
            ("不超过 35℃", "35℃", true),
            ("不低于 35℃", "40℃", true),
            ("2 台及以上", "3 台", true),
            ("2 台以下", "3 台", false),
            ("not more than 5 m", "6 m", false),
            ("more than 5 m", "6 m", true),
        ] {
            assert_eq!(covers(text, asked), Some(holds), "{text}: {asked}");
        }
        assert_eq!((covers("高于 35℃", "3 台"), covers("不超过 2 台", "2 号")), (None, None));
    }
}
