//! Dates and times in cells: days since 1900 (or 1904) and codes like `yyyy-mm-dd`.

use time::{Date, Month, Weekday};

/// The Julian day of 1970-01-01.
const UNIX_EPOCH: i64 = 2_440_588;

/// Whether a format section shows a date or a time.
pub(crate) fn is_date(section: &str) -> bool {
    let mut quoted = false;
    let mut bracket: Option<String> = None;
    let mut escaped = false;
    let lower = section.to_ascii_lowercase();
    if lower.contains("general") {
        return false;
    }
    for character in lower.chars() {
        if escaped {
            escaped = false;
            continue;
        }
        match (character, &mut bracket) {
            ('\\', _) => escaped = true,
            ('"', _) => quoted = !quoted,
            ('[', None) if !quoted => bracket = Some(String::new()),
            (']', Some(inside)) => {
                // `[h]` counts hours; `[Red]` and `[$-804]` are no dates.
                if !inside.is_empty() && inside.chars().all(|c| matches!(c, 'h' | 'm' | 's')) {
                    return true;
                }
                bracket = None;
            }
            (other, Some(inside)) => inside.push(other),
            ('y' | 'd' | 'h' | 's', None) if !quoted => return true,
            ('m', None) if !quoted => return true,
            _ => {}
        }
    }
    false
}

/// The date of a serial number; none when it lies outside the calendar.
pub(crate) fn show(serial: f64, code: &str, from_1904: bool) -> Option<String> {
    if !(0.0..2_958_466.0).contains(&serial) {
        return None;
    }
    let tokens = tokens(code);
    // Without fractions shown, time is rounded to whole seconds.
    let step = if tokens.iter().any(|token| matches!(token, Token::Fraction(_))) { 1.0 } else { 1000.0 };
    let moment = Moment::of(serial, from_1904, step);
    let twelve_hours = tokens.iter().any(|token| matches!(token, Token::HalfDay(_)));
    let mut out = String::new();
    for (index, token) in tokens.iter().enumerate() {
        match token {
            Token::Literal(text) => out.push_str(text),
            Token::HalfDay(chinese) => out.push_str(match (moment.hour < 12, chinese) {
                (true, true) => "上午",
                (false, true) => "下午",
                (true, false) => "AM",
                (false, false) => "PM",
            }),
            Token::Elapsed(unit) => out.push_str(
                &match unit {
                    'h' => (serial * 24.0 + 1e-9).floor() as u64,
                    'm' => (serial * 1440.0 + 1e-9).floor() as u64,
                    _ => (serial * 86_400.0).round() as u64,
                }
                .to_string(),
            ),
            Token::Fraction(digits) => out.push_str(&moment.fraction(*digits)),
            Token::Part(letter, length) => {
                let minutes = *letter == 'm' && is_minutes(&tokens, index);
                out.push_str(&moment.part(*letter, *length, minutes, twelve_hours));
            }
        }
    }
    Some(out)
}

enum Token {
    Literal(String),
    Part(char, usize),
    Elapsed(char),
    HalfDay(bool),
    Fraction(usize),
}

fn tokens(code: &str) -> Vec<Token> {
    let characters: Vec<char> = code.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    let run = |from: usize, same: char| {
        characters[from..].iter().take_while(|c| c.eq_ignore_ascii_case(&same)).count()
    };
    while let Some(&character) = characters.get(at) {
        let rest: String = characters[at..].iter().take(5).collect::<String>().to_ascii_uppercase();
        match character.to_ascii_lowercase() {
            '"' => {
                let literal: String = characters[at + 1..].iter().take_while(|c| **c != '"').collect();
                at += literal.chars().count() + 2;
                out.push(Token::Literal(literal));
            }
            '\\' => {
                out.extend(characters.get(at + 1).map(|c| Token::Literal(c.to_string())));
                at += 2;
            }
            '_' | '*' => at += 2,
            '[' => {
                let inside: String = characters[at + 1..].iter().take_while(|c| **c != ']').collect();
                at += inside.chars().count() + 2;
                if let Some(unit @ ('h' | 'm' | 's')) = inside.chars().next().map(|c| c.to_ascii_lowercase())
                {
                    out.push(Token::Elapsed(unit));
                }
            }
            'a' if rest.starts_with("AM/PM") => {
                out.push(Token::HalfDay(false));
                at += 5;
            }
            'a' if rest.starts_with("A/P") => {
                out.push(Token::HalfDay(false));
                at += 3;
            }
            'a' if rest.starts_with("AAA") => {
                let length = run(at, 'a');
                out.push(Token::Part('a', length));
                at += length;
            }
            '上' if rest.starts_with("上午/下午") => {
                out.push(Token::HalfDay(true));
                at += 5;
            }
            letter @ ('y' | 'm' | 'd' | 'h' | 's') => {
                let length = run(at, letter);
                out.push(Token::Part(letter, length));
                at += length;
            }
            '.' if characters.get(at + 1) == Some(&'0') => {
                let length = run(at + 1, '0');
                out.push(Token::Fraction(length));
                at += length + 1;
            }
            '@' | ';' => at += 1,
            _ => {
                out.push(Token::Literal(character.to_string()));
                at += 1;
            }
        }
    }
    out
}

/// `m` is minutes right after hours or right before seconds.
fn is_minutes(tokens: &[Token], at: usize) -> bool {
    let letter = |token: &Token| match token {
        Token::Part(letter, _) | Token::Elapsed(letter) => Some(*letter),
        _ => None,
    };
    let before = tokens[..at].iter().rev().find_map(letter);
    let after = tokens[at + 1..].iter().find_map(letter);
    before == Some('h') || after == Some('s')
}

struct Moment {
    year: i32,
    month: Month,
    day: u32,
    weekday: Weekday,
    hour: u32,
    minute: u32,
    second: u32,
    millisecond: u32,
}

impl Moment {
    fn of(serial: f64, from_1904: bool, step: f64) -> Self {
        let mut milliseconds = ((serial.fract() * 86_400_000.0 / step).round() * step) as i64;
        let mut days = serial.floor() as i64 + milliseconds / 86_400_000;
        milliseconds %= 86_400_000;
        // Days since 1970-01-01. Excel believes in a 29 February 1900, so days before it are one off.
        days += if from_1904 {
            -24_107
        } else if days < 60 {
            -25_568
        } else {
            -25_569
        };
        let date = i32::try_from(days + UNIX_EPOCH).ok().and_then(|day| Date::from_julian_day(day).ok());
        let date = date.unwrap_or(Date::MIN);
        let seconds = milliseconds / 1000;
        Self {
            year: date.year(),
            month: date.month(),
            day: u32::from(date.day()),
            weekday: date.weekday(),
            hour: (seconds / 3600) as u32,
            minute: (seconds / 60 % 60) as u32,
            second: (seconds % 60) as u32,
            millisecond: (milliseconds % 1000) as u32,
        }
    }

    fn fraction(&self, digits: usize) -> String {
        let text = format!("{:03}000", self.millisecond);
        format!(".{}", &text[..digits.min(text.len())])
    }

    fn part(&self, letter: char, length: usize, minutes: bool, twelve_hours: bool) -> String {
        const CHINESE_DAYS: [&str; 7] = ["日", "一", "二", "三", "四", "五", "六"];
        let padded = |value: u32| if length >= 2 { format!("{value:02}") } else { value.to_string() };
        match letter {
            'y' if length <= 2 => format!("{:02}", self.year.rem_euclid(100)),
            'y' => format!("{:04}", self.year),
            'm' if minutes => padded(self.minute),
            'm' => match length {
                1 | 2 => padded(u32::from(u8::from(self.month))),
                3 => beginning(self.month, 3),
                4 => self.month.to_string(),
                _ => beginning(self.month, 1),
            },
            'd' => match length {
                1 | 2 => padded(self.day),
                3 => beginning(self.weekday, 3),
                _ => self.weekday.to_string(),
            },
            'a' => format!(
                "{}{}",
                if length >= 4 { "星期" } else { "" },
                CHINESE_DAYS[usize::from(self.weekday.number_days_from_sunday())]
            ),
            'h' if twelve_hours => padded((self.hour + 11) % 12 + 1),
            'h' => padded(self.hour),
            _ => padded(self.second),
        }
    }
}

/// The first letters of an English name.
fn beginning(name: impl std::fmt::Display, letters: usize) -> String {
    name.to_string().chars().take(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_days_become_dates() {
        for (serial, code, from_1904, shown) in [
            (1.0, "yyyy-mm-dd", false, "1900-01-01"),
            (59.0, "yyyy-mm-dd", false, "1900-02-28"),
            (61.0, "yyyy-mm-dd", false, "1900-03-01"),
            (0.0, "yyyy-mm-dd", true, "1904-01-01"),
            (45_445.999_999_9, "yyyy-mm-dd hh:mm:ss", false, "2024-06-03 00:00:00"),
            (45_444.0, "dddd", false, "Saturday"),
            (45_444.0, "aaaa", false, "星期六"),
            (45_444.25, "m/d h:mm", false, "6/1 6:00"),
        ] {
            assert_eq!(show(serial, code, from_1904).as_deref(), Some(shown), "{code}");
        }
        assert_eq!(show(-1.0, "yyyy", false), None);
        assert!(!is_date("[Red]0.00"));
        assert!(is_date("[$-804]yyyy\"年\""));
    }
}
