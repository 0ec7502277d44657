//! Words that changed between two texts, and the numbers among them.

use std::ops::Range;

use regreader_text::{Quantity, find_quantities, find_references, fold_with_map};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::record::QuantityChange;

/// A stretch of two texts: the same in both, or other words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordChange<'a> {
    /// What the older text has here.
    pub old: &'a str,
    /// What the newer text has here.
    pub new: &'a str,
    /// Whether both say the same.
    pub same: bool,
}

/// A word of a text: a number, a Latin word, or one other character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Folded form, by which words are compared.
    key: String,
    /// Its bytes in the original.
    range: Range<usize>,
}

/// Two texts as stretches that are the same and stretches that are not. Spelling that folds to the same is the same.
pub fn word_changes<'a>(old: &'a str, new: &'a str) -> Vec<WordChange<'a>> {
    let (old_words, new_words) = (words(old), words(new));
    hunks(&old_words, &new_words)
        .into_iter()
        .map(|(same, a, b)| WordChange {
            old: slice(old, &old_words, &a),
            new: slice(new, &new_words, &b),
            same,
        })
        .collect()
}

/// `限额由[-300-]{+330+}万千瓦`: the newer text, with what it lost and gained.
///
/// ```
/// use regreader_changes::changed_words;
/// assert_eq!(changed_words("限额为 300 万千瓦。", "限额为330万千瓦。"), "限额为[-300 -]{+330+}万千瓦。");
/// assert_eq!(changed_words("立即汇报", "应立即汇报"), "{+应+}立即汇报");
/// ```
pub fn changed_words(old: &str, new: &str) -> String {
    let mut text = String::new();
    for change in word_changes(old, new) {
        if change.same {
            text.push_str(change.new);
            continue;
        }
        if !change.old.is_empty() {
            text.push_str(&format!("[-{}-]", change.old));
        }
        if !change.new.is_empty() {
            text.push_str(&format!("{{+{}+}}", change.new));
        }
    }
    text
}

/// What changed between two texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Difference {
    /// Byte of the first change in the older text.
    pub old_at: usize,
    /// Byte of the first change in the newer text.
    pub new_at: usize,
    /// Numbers that have another value.
    pub quantities: Vec<QuantityChange>,
}

/// Compares two texts. `unit` is the unit that numbers have where none is printed, from a table's header.
pub(crate) fn difference(old: &str, new: &str, unit: &str) -> Difference {
    let (old_words, new_words) = (words(old), words(new));
    let (old_numbers, new_numbers) = (Numbers::new(old, &old_words), Numbers::new(new, &new_words));
    let mut found = Difference::default();
    let mut first = true;
    let (mut lost, mut gained): (Vec<&Word>, Vec<&Word>) = (Vec::new(), Vec::new());
    for (same, a, b) in hunks(&old_words, &new_words) {
        if same {
            continue;
        }
        let (removed, added) = (&old_words[a.clone()], &new_words[b.clone()]);
        if std::mem::take(&mut first) {
            found.old_at = start(old, &old_words, a.start);
            found.new_at = start(new, &new_words, b.start);
        }
        let from: Vec<&Word> = removed.iter().filter(|word| old_numbers.counts(word)).collect();
        let to: Vec<&Word> = added.iter().filter(|word| new_numbers.counts(word)).collect();
        if from.len() == to.len() {
            for (x, y) in from.into_iter().zip(to) {
                found.quantities.extend(change(&old_numbers, x, &new_numbers, y, unit));
            }
        } else {
            lost.extend(from);
            gained.extend(to);
        }
    }
    // A sentence that was turned round: `不超过 80 万千瓦` became `80 万千瓦以内`.
    if let ([x], [y]) = (lost.as_slice(), gained.as_slice()) {
        found.quantities.extend(change(&old_numbers, x, &new_numbers, y, unit));
    }
    found
}

fn change(
    old_numbers: &Numbers<'_>,
    old: &Word,
    new_numbers: &Numbers<'_>,
    new: &Word,
    unit: &str,
) -> Option<QuantityChange> {
    let (from, to) = (number(&old.key)?, number(&new.key)?);
    let (old_unit, new_unit) = (old_numbers.unit(old), new_numbers.unit(new));
    if from == to && old_unit == new_unit {
        return None;
    }
    let printed = new_numbers.printed_unit(new).or_else(|| old_numbers.printed_unit(old));
    let comparable = match (old_unit, new_unit) {
        (Some(a), Some(b)) => a.unit.symbol() == b.unit.symbol(),
        // A unit that is printed once for both ends of a range, or in the header.
        _ => true,
    };
    let same = match (old_unit, new_unit) {
        (Some(a), Some(b)) => a.same_amount(b),
        _ => false,
    };
    if same {
        return None;
    }
    Some(QuantityChange {
        difference: comparable.then(|| difference_of(from, to)),
        old: old.key.clone(),
        new: new.key.clone(),
        unit: printed.unwrap_or_else(|| unit.to_owned()),
    })
}

/// An exact decimal: digits and how many of them stand behind the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Exact {
    digits: i128,
    places: u32,
}

/// Reads `1,250.50`. More digits than a document can mean are no number.
fn number(text: &str) -> Option<Exact> {
    let plain: String = text.chars().filter(|c| *c != ',').collect();
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let digits = format!("{whole}{}", fraction.trim_end_matches('0'));
    let valid = !whole.is_empty() && digits.len() <= 30 && digits.bytes().all(|b| b.is_ascii_digit());
    let places = fraction.trim_end_matches('0').len() as u32;
    valid.then(|| digits.parse().ok()).flatten().map(|digits| Exact { digits, places })
}

/// New less old, with a sign: `+40`, `−0.05`.
fn difference_of(old: Exact, new: Exact) -> String {
    let places = old.places.max(new.places);
    let at = |number: Exact| number.digits * 10_i128.pow(places - number.places);
    let difference = at(new) - at(old);
    let digits = format!("{:0>width$}", difference.unsigned_abs(), width = places as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places as usize);
    let sign = if difference < 0 { "-" } else { "+" };
    match fraction.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        fraction => format!("{sign}{whole}.{fraction}"),
    }
}

/// The numbers of a text that are amounts: not part of a date, a reference, a label or a name.
struct Numbers<'t> {
    text: &'t str,
    quantities: Vec<(Range<usize>, Quantity)>,
    /// Bytes of numbers that name something.
    names: Vec<Range<usize>>,
}

impl<'t> Numbers<'t> {
    fn new(text: &'t str, words: &[Word]) -> Self {
        let mut names: Vec<Range<usize>> =
            find_references(text).into_iter().map(|found| found.range).collect();
        for word in words.iter().filter(|word| is_number(&word.key)) {
            let behind = text.get(word.range.end..).unwrap_or_default();
            let before = text.get(..word.range.start).unwrap_or_default();
            if is_date(&word.key, before, behind) || is_label(before, behind) || is_name(before, behind) {
                names.push(word.range.clone());
            }
        }
        Self { text, quantities: find_quantities(text), names }
    }

    fn counts(&self, word: &Word) -> bool {
        is_number(&word.key)
            && number(&word.key).is_some()
            && !self.names.iter().any(|name| name.start <= word.range.start && word.range.end <= name.end)
    }

    /// The unit as it is printed; where it is printed behind another number only (`200～300 MW`), its symbol.
    fn printed_unit(&self, word: &Word) -> Option<String> {
        let holds = |range: &Range<usize>| range.start <= word.range.start && word.range.start < range.end;
        let (range, quantity) = self.quantities.iter().find(|(range, _)| holds(range))?;
        let printed = self.text.get(word.range.end..range.end).unwrap_or_default().trim();
        Some(if printed.is_empty() { quantity.unit.symbol() } else { printed }.to_owned())
    }

    fn unit(&self, word: &Word) -> Option<&Quantity> {
        let holds = |range: &Range<usize>| range.start <= word.range.start && word.range.start < range.end;
        self.quantities.iter().find(|(range, _)| holds(range)).map(|(_, quantity)| quantity)
    }
}

/// `2024年`, `2024.1.1`, `2024-01-01`, `6月1日`. The 10 日 of 次月 10 日前 is a deadline: no month with a number stands
/// before it.
fn is_date(number: &str, before: &str, behind: &str) -> bool {
    let is_year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    let mut rest = behind.trim_start().chars();
    let next = rest.next();
    let dotted = number.split('.').count() == 3;
    dotted
        || is_joined_date(number, before, behind)
        || next == Some('月')
        || (matches!(next, Some('日' | '号')) && is_month(before))
        || (is_year && matches!(next, Some('年' | '版')))
        || (is_year
            && matches!(next, Some('-' | '/' | '.'))
            && rest.next().is_some_and(|c| c.is_ascii_digit()))
}

/// Whether a number is part of `12/14/2016` or stands behind the year of `2016-02`: three parts joined by slashes, or a
/// year joined to one or two digits. `200-400` is a range.
fn is_joined_date(number: &str, before: &str, behind: &str) -> bool {
    let joined = |c: char| c.is_ascii_digit() || matches!(c, '/' | '-');
    let lead = before.len() - before.trim_end_matches(joined).len();
    let trail = behind.find(|c: char| !joined(c)).unwrap_or(behind.len());
    let run = format!("{}{number}{}", &before[before.len() - lead..], &behind[..trail]);
    let slashed: Vec<&str> = run.split('/').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let after_year = run.split_once('-').is_some_and(|(year, rest)| {
        year.len() == 4
            && (year.starts_with("19") || year.starts_with("20"))
            && rest.len() <= 2
            && is_number(&rest)
    });
    (slashed.len() == 3 && slashed.iter().all(is_number)) || after_year
}

/// Whether a text ends with a month that has a number: `6月`, `六月`.
fn is_month(before: &str) -> bool {
    let month = before.trim_end().strip_suffix('月').map(str::trim_end);
    month.is_some_and(|month| {
        month.ends_with(|c: char| c.is_ascii_digit() || "〇一二三四五六七八九十".contains(c))
    })
}

/// `第3轮`, and the number of a list item at the beginning of its line.
fn is_label(before: &str, behind: &str) -> bool {
    let opens_line =
        before.trim_end_matches([' ', '\u{3000}', '(', '（']).chars().next_back().is_none_or(|c| c == '\n');
    let item = opens_line && behind.trim_start().starts_with(['.', '．', '、', ')', '）']);
    item || before.trim_end().ends_with('第')
}

/// `N-1`, `CIP-003`, `2#主变`, `5011开关`: digits that are grown together with letters, or the code of a device.
fn is_name(before: &str, behind: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || matches!(c, 'Ⅰ'..='Ⅿ');
    let mut back = before.chars().rev();
    let attached = match back.next() {
        Some(c) if letter(c) || c == '_' || c == '#' => true,
        Some('-' | '—' | '–' | '/') => back.next().is_some_and(letter),
        _ => false,
    };
    attached || behind.starts_with('#')
}

fn is_number(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_digit())
}

/// The words of a text, with the bytes they came from. White space belongs to no word.
fn words(text: &str) -> Vec<Word> {
    let (folded, map) = fold_with_map(text);
    let mut words: Vec<Word> = Vec::new();
    let mut start = 0;
    let bytes = folded.as_bytes();
    while let Some(c) = folded.get(start..).and_then(|rest| rest.chars().next()) {
        let mut end = start + c.len_utf8();
        if c.is_ascii_digit() {
            // A point or comma belongs to the number when a digit follows; a dash never does.
            while let Some(b) = bytes.get(end) {
                let joins = matches!(b, b'.' | b',') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
                if !b.is_ascii_digit() && !joins {
                    break;
                }
                end += 1;
            }
        } else if c.is_ascii_alphabetic() {
            while bytes.get(end).is_some_and(u8::is_ascii_alphabetic) {
                end += 1;
            }
        }
        if !c.is_whitespace() {
            let original = map.get(start).copied().unwrap_or(0)..map.get(end).copied().unwrap_or(text.len());
            let range = original.start..original.start + text[original].trim_end().len();
            words.push(Word { key: folded[start..end].to_owned(), range });
        }
        start = end;
    }
    words
}

/// Stretches of two lists of words: whether they are the same, and where.
fn hunks(old: &[Word], new: &[Word]) -> Vec<(bool, Range<usize>, Range<usize>)> {
    let keys = |words: &[Word]| words.iter().map(|word| word.key.clone()).collect::<Vec<String>>();
    let mut hunks: Vec<(bool, Range<usize>, Range<usize>)> = Vec::new();
    for operation in capture_diff_slices(Algorithm::Patience, &keys(old), &keys(new)) {
        let same = operation.tag() == DiffTag::Equal;
        let (a, b) = (operation.old_range(), operation.new_range());
        match hunks.last_mut() {
            // A deletion followed by an insertion is one change.
            Some((false, x, y)) if !same => {
                x.end = a.end;
                y.end = b.end;
            }
            _ => hunks.push((same, a, b)),
        }
    }
    hunks
}

/// Where a word begins, or the end of the text.
fn start(text: &str, words: &[Word], at: usize) -> usize {
    words.get(at).map_or(text.len(), |word| word.range.start)
}

/// The text of some words, with the white space between them and, but for the last ones, behind them.
fn slice<'a>(text: &'a str, words: &[Word], range: &Range<usize>) -> &'a str {
    if range.is_empty() {
        return "";
    }
    let from = start(text, words, range.start);
    let to = match words.get(range.end) {
        Some(next) => next.range.start,
        None => text.len(),
    };
    text.get(from..to.max(from)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantities(old: &str, new: &str) -> Vec<(String, String, String, Option<String>)> {
        let found = difference(old, new, "").quantities.into_iter();
        found.map(|change| (change.old, change.new, change.unit, change.difference)).collect()
    }

    fn one(
        old: &str,
        new: &str,
        unit: &str,
        difference: &str,
    ) -> Vec<(String, String, String, Option<String>)> {
        vec![(old.into(), new.into(), unit.into(), Some(difference.into()))]
    }

    #[test]
    fn a_limit_is_told_with_its_unit_and_difference() {
        assert_eq!(
            quantities("不应超过 80 万千瓦；20 秒", "不应超过60万千瓦；20 秒"),
            one("80", "60", "万千瓦", "-20")
        );
        assert_eq!(quantities("在 0.20 秒内", "在 0.15 秒内"), one("0.20", "0.15", "秒", "-0.05"));
        assert_eq!(quantities("低于 0.90 倍额定", "低于 0.88 倍额定"), one("0.90", "0.88", "倍", "-0.02"));
        assert_eq!(quantities("回降至 70%", "回降至 60%"), one("70", "60", "%", "-10"));
        assert_eq!(quantities("1,250 MW", "1,300 MW"), one("1,250", "1,300", "MW", "+50"));
        assert_eq!(quantities("200-400 MW", "200-450 MW"), one("400", "450", "MW", "+50"));
        assert_eq!(quantities("200 万千瓦", "2000 MW"), []);
    }

    #[test]
    fn dates_labels_references_and_names_are_no_limits() {
        for (old, new) in [
            ("2023.1.1 起执行", "2024.1.1 起执行"),
            ("2023年1月1日起", "2024年2月3日起"),
            ("第3轮动作", "第4轮动作"),
            ("见表6-2", "见表6-3"),
            ("按第2.1.4条", "按第2.1.5条"),
            ("步骤：\n4.汇报", "步骤：\n5.汇报"),
            ("满足N-1要求", "满足N-2要求"),
            ("12/14/201 | Order", "12/14/2016 | Order"),
            ("Project 2016-02 Plan", "Project 2016-03 Plan"),
        ] {
            assert_eq!(quantities(old, new), [], "{old}");
        }
    }

    #[test]
    fn a_day_of_no_numbered_month_is_a_deadline_and_a_date_is_none() {
        let changed = |old: &str, new: &str| difference(old, new, "").quantities.len();
        assert_eq!(changed("应在次月 10 日前提交报告。", "应在次月 19 日前提交报告。"), 1);
        assert_eq!(changed("自2024年1月10日起实施。", "自2024年1月19日起实施。"), 0);
        assert_eq!(changed("每年六月10日检查。", "每年六月19日检查。"), 0);
    }
}
