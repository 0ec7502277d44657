//! Years, quarters and days: which a document is of, as its id says, and which a question asks for.

use std::collections::BTreeSet;

/// What a document is of: a year, perhaps a quarter of it, perhaps one day; and its other marks, as `10k`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Period {
    year: i64,
    quarter: Option<u8>,
    day: Option<i64>,
    marks: Vec<String>,
}

/// What a question asks for.
#[derive(Debug, Default)]
pub(super) struct Asked {
    years: BTreeSet<i64>,
    quarters: BTreeSet<u8>,
    days: Vec<i64>,
    /// Small letters and digits only.
    squeezed: String,
}

/// A filing tells of what happened up to so many days before it.
const DAYS: i64 = 31;

impl Period {
    /// Whether a part of an id is a year, perhaps with its quarter: `2024`, `2024q2`, `fy2024`.
    pub(super) fn begins_with(part: &str) -> bool {
        year_and_quarter(part).is_some()
    }

    /// The parts of an id from its year on, in small letters.
    pub(super) fn read(parts: &[String]) -> Self {
        let mut period = Self::default();
        let mut rest = parts.iter();
        if let Some((year, quarter)) = rest.next().and_then(|part| year_and_quarter(part)) {
            (period.year, period.quarter) = (year, quarter);
        }
        let rest: Vec<&String> = rest.collect();
        for (at, part) in rest.iter().enumerate() {
            if let [year, month, day, ..] = rest.get(at..).unwrap_or_default()
                && let Some(date) = date(year.parse().ok(), month.parse().ok(), day.parse().ok())
            {
                period.day.get_or_insert(date);
            } else if let Some(quarter) = part.strip_prefix('q').and_then(quarter_number) {
                period.quarter = Some(quarter);
            } else if part.chars().any(char::is_alphabetic) {
                period.marks.push((*part).clone());
            }
        }
        period
    }
}

impl Asked {
    pub(super) fn new(question: &str) -> Self {
        let lower = question.to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let mut asked =
            Self { squeezed: lower.chars().filter(|c| c.is_alphanumeric()).collect(), ..Self::default() };
        for (at, word) in words.iter().enumerate() {
            if let Some((year, quarter)) = year_and_quarter(word) {
                asked.years.insert(year);
                asked.quarters.extend(quarter);
            } else if let Some(quarter) = word.strip_prefix('q').and_then(quarter_number) {
                asked.quarters.insert(quarter);
            } else if let Some(year) = word.strip_prefix("fy").filter(|rest| rest.len() == 2) {
                asked.years.extend(year.parse::<i64>().ok().map(|year| 2000 + year));
            }
            if words.get(at + 1) == Some(&"quarter") {
                let number = ["first", "second", "third", "fourth"].iter().position(|name| name == word);
                asked.quarters.extend(number.map(|number| number as u8 + 1));
            }
            if let Some(month) = month(word) {
                let before = at.checked_sub(1).and_then(|at| words.get(at)).and_then(|word| ordinal(word));
                let after = words.get(at + 1).and_then(|word| ordinal(word));
                let year = |at: usize| words.get(at).and_then(|word| word.parse().ok());
                asked.days.extend(date(year(at + 2), Some(month), after));
                asked.days.extend(date(year(at + 1), Some(month), before));
            }
        }
        asked
    }

    /// How well a document's period is what is asked for; comparable within one question.
    pub(super) fn fit(&self, period: &Period) -> f64 {
        let newest = self.years.last().copied();
        let mut fit = match newest {
            Some(year) if year == period.year => 2.0,
            _ if self.years.contains(&period.year) => 1.0,
            // Reports give the year before for comparison, and what is expected of the next.
            Some(year) if (year - period.year).abs() == 1 => 0.5,
            _ => 0.0,
        };
        fit += match period.quarter {
            Some(quarter) if self.quarters.contains(&quarter) => 3.0,
            // The last quarter's report is the year's too.
            Some(4) | None => 0.0,
            Some(_) => -1.0,
        };
        let nearest = |day: i64| {
            let after = self.days.iter().map(|asked| day - asked).filter(|after| (0..=DAYS).contains(after));
            after.min().map(|after| 3.0 * (1.0 - after as f64 / (DAYS + 1) as f64))
        };
        fit += period.day.map_or(0.0, |day| nearest(day).unwrap_or(-1.5));
        // `10k` in an id is a 10-K in a question.
        let said = |mark: &&String| mark.len() >= 2 && self.squeezed.contains(mark.as_str());
        fit + if period.marks.iter().any(|mark| said(&mark)) { 1.0 } else { 0.0 }
    }
}

fn year_and_quarter(part: &str) -> Option<(i64, Option<u8>)> {
    let part = part.strip_prefix("fy").unwrap_or(part);
    let (year, rest) = part.split_at_checked(4)?;
    let year = year.parse().ok().filter(|year| (1900..2100).contains(year))?;
    let quarter = if rest.is_empty() { None } else { Some(quarter_number(rest.strip_prefix('q')?)?) };
    Some((year, quarter))
}

fn quarter_number(text: &str) -> Option<u8> {
    text.parse().ok().filter(|quarter| (1..=4).contains(quarter))
}

fn month(word: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let short = word.len() == 3;
    MONTHS.iter().position(|name| *name == word || (short && name.starts_with(word))).map(|at| at as i64 + 1)
}

/// `1st`, `26`.
fn ordinal(word: &str) -> Option<i64> {
    word.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()
}

/// Days since some day long ago; none for what is no date.
fn date(year: Option<i64>, month: Option<i64>, day: Option<i64>) -> Option<i64> {
    let (year, month, day) = (year?, month?, day?);
    if !(1900..2100).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March: then the day of a leap year is the last.
    let year = if month <= 2 { year - 1 } else { year };
    let in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(365 * year + year / 4 - year / 100 + year / 400 + in_year)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(text: &str) -> Period {
        Period::read(&text.split(['_', '-']).map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn ids_tell_their_period() {
        assert_eq!((period("2024q2_10q").year, period("2024q2_10q").quarter), (2024, Some(2)));
        assert_eq!(period("2023_8k_dated-2023-08-30").day, date(Some(2023), Some(8), Some(30)));
        assert!(!Period::begins_with("10k") && !Period::begins_with("2024x"));
    }

    #[test]
    fn questions_ask_for_years_quarters_and_days() {
        let asked = Asked::new(
            "between FY2022 and the second quarter of FY 2024, as of August 30, 2023 and 1st July 2022",
        );
        assert_eq!(asked.years, BTreeSet::from([2022, 2023, 2024]));
        assert_eq!(asked.quarters, BTreeSet::from([2]));
        assert_eq!(
            asked.days,
            [date(Some(2023), Some(8), Some(30)), date(Some(2022), Some(7), Some(1))].map(Option::unwrap)
        );
        let days = |year, month, day| date(Some(year), Some(month), Some(day)).unwrap();
        assert_eq!(days(2024, 3, 1) - days(2024, 2, 28), 2, "a leap year");
        assert_eq!(days(2023, 1, 1) - days(2022, 12, 31), 1);
    }
}
