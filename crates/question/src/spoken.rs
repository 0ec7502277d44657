//! Measures as people say them: 41 degrees, 三百八十千伏, 三米五, 三成半, 百分之十四.
//!
//! Tables and notes print numbers in digits, and what is compared with them must be in digits too. Only numbers before units of
//! measure are written anew: those that count (两台, 三日) are words of the text as often.

use regreader_text::number::{is_cjk_numeral, parse_cjk};
use regreader_text::{Dimension, find_quantities};

/// What people write for a degree without its sign.
const DEGREES: [&str; 3] = ["degrees", "degree", "度"];
/// Before the number of a percentage.
const PERCENT: &str = "百分之";
/// Decimal places that are said behind a unit: 三米七五.
const PLACES: usize = 2;

/// A question with its measures in digits, and with `41 degrees` or 41度 as 41 ℃: limits have conditions of temperature, and none of
/// angles or of energy.
pub fn with_measures(question: &str) -> String {
    let plain = if question.contains(is_of_number) { in_digits(question) } else { question.to_owned() };
    let mut text = String::with_capacity(plain.len());
    let mut rest = plain.as_str();
    while let Some(c) = rest.chars().next() {
        let is_behind_number = text.trim_end().ends_with(|before: char| before.is_ascii_digit());
        let word = DEGREES.iter().find(|word| is_behind_number && rest.starts_with(**word));
        let length = word.map_or(c.len_utf8(), |word| word.len());
        match word {
            Some(_) => text.push('℃'),
            None => text.push(c),
        }
        rest = &rest[length..];
    }
    text
}

fn in_digits(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        // 第三米线店; the 万 of 200 万千瓦 belongs to its unit.
        let is_name = plain.trim_end().ends_with(|c: char| c == '第' || c.is_ascii_digit());
        let measure = if is_name { None } else { percentage(rest).or_else(|| measure(rest)) };
        if let Some((measure, behind)) = measure {
            plain.push_str(&measure);
            rest = behind;
            continue;
        }
        // The rest of a number is no number.
        let passed = rest.find(|c: char| !is_of_number(c)).unwrap_or(rest.len()).max(c.len_utf8());
        plain.push_str(&rest[..passed]);
        rest = &rest[passed..];
    }
    plain
}

/// 百分之十四 and 三成半 at the beginning of a text, in digits, and what stands behind.
fn percentage(text: &str) -> Option<(String, &str)> {
    let number = text.strip_prefix(PERCENT).unwrap_or(text);
    let (said, behind) = number.split_at(number.find(|c: char| !is_of_number(c)).unwrap_or(number.len()));
    if number.len() < text.len() {
        return Some((format!("{}%", value(said)?), behind));
    }
    let behind = behind.strip_prefix('成')?;
    let tenths: u32 = value(said)?.parse().ok().filter(|tenths| (1..=10).contains(tenths))?;
    let (half, behind) = behind.strip_prefix('半').map_or((0, behind), |behind| (5, behind));
    Some((format!("{}%", 10 * tenths + half), behind))
}

/// A number with its unit at the beginning of a text, in digits, and what stands behind. None where no unit of measure follows.
fn measure(text: &str) -> Option<(String, &str)> {
    // The 千 of 三百八十千伏 belongs to the unit, which is the longest that fits.
    let ends = text.char_indices().map_while(|(at, c)| is_of_number(c).then_some(at + c.len_utf8()));
    let (number, unit, behind) = ends.into_iter().find_map(|end| {
        let (said, rest) = text.split_at(end);
        let sample = format!("1{rest}");
        let (range, quantity) = find_quantities(&sample).into_iter().next()?;
        let (unit, behind) = rest.split_at(range.end.saturating_sub(1));
        // Texts too say times, sums and counts in words: 三日内, 五万元, 两名.
        let is_in_words = [Dimension::TIME, Dimension::MONEY, Dimension::COUNT];
        let is_measure = !is_in_words.contains(&quantity.unit.dimension()) || unit == "度";
        (range.start == 0 && is_measure).then_some((value(said)?, unit, behind))
    })?;
    // 三米五
    let places: String = behind.chars().take_while(|c| is_cjk_numeral(*c)).collect();
    let is_tail = (1..=PLACES).contains(&places.chars().count()) && !number.contains('.');
    match digits(&places).filter(|_| is_tail) {
        Some(decimals) => Some((format!("{number}.{decimals}{unit}"), &behind[places.len()..])),
        None => Some((format!("{number}{unit}"), behind)),
    }
}

/// A number that is said, in digits: 三百八十, 两千, 三点五.
fn value(said: &str) -> Option<String> {
    let (whole, decimals) =
        said.split_once('点').map_or((said, None), |(whole, places)| (whole, Some(places)));
    let whole = parse_cjk(&whole.replace('两', "二"))?.to_string();
    match decimals {
        Some(decimals) => Some(format!("{whole}.{}", digits(decimals)?)),
        None => Some(whole),
    }
}

/// Digits that are said one by one: 七五.
fn digits(said: &str) -> Option<String> {
    let digit = |c: char| parse_cjk(c.encode_utf8(&mut [0; 4])).filter(|digit| *digit < 10);
    let digits: Option<String> = said.chars().map(|c| digit(c).map(|digit| digit.to_string())).collect();
    digits.filter(|digits| !digits.is_empty())
}

fn is_of_number(c: char) -> bool {
    is_cjk_numeral(c) || matches!(c, '两' | '点')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_that_are_said_are_in_digits() {
        for (said, written) in [
            ("三百八十千伏的线路", "380千伏的线路"),
            ("甩了百分之十四", "甩了14%"),
            ("三成半的用户黑了", "35%的用户黑了"),
            ("车高四米四、宽三米七五、长二十六米", "车高4.4米、宽3.75米、长26米"),
            ("风电一千五百兆瓦，气温四十一度", "风电1500兆瓦，气温41℃"),
            ("两点五兆瓦", "2.5兆瓦"),
            ("above 41 degrees", "above 41 ℃"),
        ] {
            assert_eq!(with_measures(said), written);
        }
    }

    #[test]
    fn what_counts_or_names_stays_as_it_is() {
        for text in [
            "两台机",
            "三日内",
            "第三米线店",
            "一般事故",
            "长南一线",
            "百分之几",
            "几点",
            "三取二",
            "十五分钟",
            "多少千伏",
            "220千伏",
            "200 万千瓦",
            "几千伏",
            "三个小时",
        ] {
            assert_eq!(with_measures(text), text);
        }
    }
}
