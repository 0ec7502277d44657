//! Dates as people print them: on covers, in closing clauses and in questions. Owns the forms; what happens on a day is for
//! the caller to know.

use std::sync::LazyLock;

use crate::words::{WORDS, words_of};
use regreader_model::CivilDate;

/// Every date in a text without white space, with the bytes it takes: `2019-12-31`, `20191231`, `2024年1月1日`,
/// `June 18, 2026`, `18 June 2026`, `二〇一三年一月五日`.
///
/// ```
/// use regreader_text::date::find_dates;
/// let found = find_dates("自2024年1月1日起施行");
/// assert_eq!(found[0].2.to_string(), "2024-01-01");
/// ```
pub fn find_dates(text: &str) -> Vec<(usize, usize, CivilDate)> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        match numeric(&chars, at).or_else(|| chinese(&chars, at)).or_else(|| english(&chars, at)) {
            Some((end, date)) => {
                let start = chars.get(at).map_or(0, |(pos, _)| *pos);
                let stop = chars.get(end).map_or(text.len(), |(pos, _)| *pos);
                found.push((start, stop, date));
                at = end.max(at + 1);
            }
            None => at += 1,
        }
    }
    found
}

fn digit(chars: &[(usize, char)], at: usize) -> Option<u32> {
    chars.get(at).and_then(|(_, c)| crate::number::ascii_digit(*c))
}

/// A run of digits: its value, its length.
fn run(chars: &[(usize, char)], at: usize) -> Option<(u32, usize)> {
    let mut value = 0_u32;
    let mut length = 0;
    while let Some(d) = digit(chars, at + length).filter(|_| length < 9) {
        value = value.checked_mul(10)?.checked_add(d)?;
        length += 1;
    }
    (length > 0).then_some((value, length))
}

fn numeric(chars: &[(usize, char)], start: usize) -> Option<(usize, CivilDate)> {
    if start > 0 && digit(chars, start - 1).is_some() {
        return None;
    }
    let (year, length) = run(chars, start)?;
    if length == 8 {
        let date = CivilDate::new(year / 10_000, year / 100 % 100, year % 100)
            .filter(|_| plausible(year / 10_000))?;
        return Some((start + length, date));
    }
    if length != 4 || !plausible(year) {
        return None;
    }
    let mut at = separator(chars, start + length)?;
    let (month, length) = run(chars, at)?;
    at = separator(chars, at + length)?;
    let (day, length) = run(chars, at)?;
    let mut end = at + length;
    if chars.get(end).is_some_and(|(_, c)| *c == '日') {
        end += 1;
    }
    CivilDate::new(year, month, day).map(|date| (end, date))
}

fn plausible(year: u32) -> bool {
    (1900..2200).contains(&year)
}

/// Passes what stands between the parts of a date: at least one sign that is no digit and no letter but 年 and 月.
fn separator(chars: &[(usize, char)], at: usize) -> Option<usize> {
    let is_part = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '－' | '.' | '．' | '/' | '／' | '年' | '月' | ' ' | '\u{E000}'..='\u{F8FF}');
    let mut end = at;
    while end < at + 3 && chars.get(end).is_some_and(|(_, c)| is_part(*c)) {
        end += 1;
    }
    (end > at).then_some(end)
}

/// A date in Chinese digits: 二〇一三年一月五日.
fn chinese(chars: &[(usize, char)], start: usize) -> Option<(usize, CivilDate)> {
    let numeral = |c: char| {
        "〇零○一二三四五六七八九".chars().position(|n| n == c).map(|at| at.saturating_sub(2) as u32)
    };
    let mut year = 0;
    for at in start..start + 4 {
        year = year * 10 + chars.get(at).and_then(|(_, c)| numeral(*c))?;
    }
    let until = |from: usize, mark: char| {
        let end =
            (from..chars.len().min(from + 4)).find(|at| chars.get(*at).is_some_and(|(_, c)| *c == mark))?;
        let words: String = chars.get(from..end)?.iter().map(|(_, c)| *c).collect();
        Some((crate::number::parse_cjk(&words)?, end + 1))
    };
    let at = chars.get(start + 4).filter(|(_, c)| *c == '年').map(|_| start + 5)?;
    let (month, at) = until(at, '月')?;
    let (day, at) = until(at, '日')?;
    CivilDate::new(year, month, day).filter(|_| plausible(year)).map(|date| (at, date))
}

/// The number of a month by its English name or its first three letters.
pub fn month_named(word: &str) -> Option<u32> {
    static MONTHS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "months"));
    let lower = word.to_ascii_lowercase();
    let at =
        MONTHS.iter().position(|month| *month == lower || (lower.len() == 3 && month.starts_with(&lower)))?;
    u32::try_from(at + 1).ok()
}

fn english(chars: &[(usize, char)], start: usize) -> Option<(usize, CivilDate)> {
    let boundary = start == 0 || chars.get(start - 1).is_some_and(|(_, c)| !c.is_ascii_alphanumeric());
    if !boundary {
        return None;
    }
    let word = |from: usize| -> (String, usize) {
        let letters: String =
            chars.iter().skip(from).take(10).map(|(_, c)| *c).take_while(char::is_ascii_alphabetic).collect();
        let end = from + letters.len();
        (letters, end)
    };
    let skip = |mut at: usize| {
        while chars.get(at).is_some_and(|(_, c)| matches!(c, ' ' | ',' | '.')) {
            at += 1;
        }
        at
    };
    if digit(chars, start).is_some() {
        let (day, length) = run(chars, start)?;
        let (name, at) = word(skip(start + length));
        let month = month_named(&name)?;
        let (year, length) = run(chars, skip(at))?;
        return CivilDate::new(year, month, day)
            .filter(|_| plausible(year))
            .map(|date| (skip(at) + length, date));
    }
    let (name, at) = word(start);
    let month = month_named(&name)?;
    let from = skip(at);
    let (day, length) = run(chars, from)?;
    let from = skip(from + length);
    let (year, length) = run(chars, from)?;
    CivilDate::new(year, month, day).filter(|_| plausible(year)).map(|date| (from + length, date))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_every_printing_are_read() {
        for text in [
            "2019-12-31",
            "２０１９１２３１",
            "2019年12月31日",
            "2019—12–31",
            "2019\u{E011}12\u{E011}31",
            "二〇一九年十二月三十一日",
            "December 31, 2019",
            "31 December 2019",
        ] {
            let found: Vec<String> =
                find_dates(text).into_iter().map(|(_, _, date)| date.to_string()).collect();
            assert_eq!(found, ["2019-12-31"], "{text}");
        }
        for text in ["2019年12月", "38755-2019", "123456789", "Part 31, 2019", "表1-2-3"] {
            assert!(find_dates(text).is_empty(), "{text}");
        }
    }
}
