//! The `updated` field: a day, or a day and a time, as people write them. Knows nothing of calendars beyond what
//! ordering needs; there is no clock here.

use std::cmp::Ordering;

use time::{Date, Month};

/// A moment that orders documents; the text it came from is kept for display.
#[derive(Debug, Clone)]
pub struct Updated {
    text: String,
    seconds: i64,
}

impl Updated {
    /// Reads `2025-12-23`, `2025/12/3`, `2025年12月23日`, each also with a time and offset
    /// (`2025-12-23T08:30:00+08:00`, `2025-12-23 08:30`). Without an offset the time counts as UTC.
    ///
    /// ```
    /// use regreader_context::Updated;
    /// assert!(Updated::parse("2025-12-23") > Updated::parse("2025-12-22T23:59:59Z"));
    /// assert_eq!(Updated::parse("2025-02-30"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (year, rest) = number(text, 4, 4)?;
        let rest = rest.strip_prefix(['-', '/', '.', '年'])?;
        let (month, rest) = number(rest, 1, 2)?;
        let rest = rest.strip_prefix(['-', '/', '.', '月'])?;
        let (day, rest) = number(rest, 1, 2)?;
        let rest = rest.strip_prefix('日').unwrap_or(rest);
        let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
        let date =
            Date::from_calendar_date(i32::try_from(year).ok()?, month, u8::try_from(day).ok()?).ok()?;
        let of_day = if rest.is_empty() { 0 } else { time(rest)? };
        Some(Self { text: text.to_owned(), seconds: date.midnight().assume_utc().unix_timestamp() + of_day })
    }

    /// The field as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Updated {
    fn eq(&self, other: &Self) -> bool {
        self.seconds == other.seconds
    }
}

impl Eq for Updated {}

impl PartialOrd for Updated {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Updated {
    fn cmp(&self, other: &Self) -> Ordering {
        self.seconds.cmp(&other.seconds)
    }
}

/// Seconds of the day, moved to UTC.
fn time(text: &str) -> Option<i64> {
    let text = text.strip_prefix(['T', 't']).unwrap_or(text).trim_start();
    let (hour, rest) = number(text, 1, 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2, 2)?;
    let (second, rest) = match rest.strip_prefix(':') {
        Some(rest) => number(rest, 2, 2)?,
        None => (0, rest),
    };
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some(hour * 3600 + minute * 60 + second - offset(rest.trim_start())?)
}

fn offset(text: &str) -> Option<i64> {
    if matches!(text, "" | "Z" | "z") {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let (hours, rest) = number(text.strip_prefix(['+', '-'])?, 1, 2)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let (minutes, rest) = if rest.is_empty() { (0, rest) } else { number(rest, 2, 2)? };
    (rest.is_empty() && hours <= 14 && minutes <= 59).then_some(sign * (hours * 3600 + minutes * 60))
}

/// A run of `least..=most` digits at the start, and what follows it.
fn number(text: &str, least: usize, most: usize) -> Option<(i64, &str)> {
    let end = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    if end < least {
        return None;
    }
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<i64> {
        Updated::parse(text).map(|updated| updated.seconds)
    }

    #[test]
    fn every_way_of_writing_a_day_is_the_same_day() {
        let day = seconds("2025-12-03");
        assert_eq!(day, Some(1_764_720_000));
        for same in ["2025/12/3", "2025.12.03", "2025年12月3日", " 2025-12-03 ", "2025-12-03T08:00:00+08:00"]
        {
            assert_eq!(seconds(same), day, "{same}");
        }
        assert_eq!(seconds("1970-01-01"), Some(0));
        assert_eq!(seconds("2000-02-29"), Some(951_782_400));
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for bad in [
            "",
            "yesterday",
            "2025",
            "2025-13-01",
            "2025-02-29",
            "2025-12-23x",
            "2025-12-23T25:00",
            "２０２５-12-23",
        ] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
