//! Numbers as Chinese documents write them: 十一, 二〇二四, 11, １１, ⑪, Ⅺ. Owns values only; what a number numbers
//! is the grammar's business.

/// Reads a whole number: Chinese (十一, 一百零五, 两万, 二〇二四, 贰拾), ASCII or full-width digits, or one enclosed or
/// Roman numeral character (①, ⑴, ⒈, ㈠, Ⅺ). The whole text must be the number.
///
/// ```
/// use regreader_text::number::parse_cjk;
/// assert_eq!(parse_cjk("十一"), Some(11));
/// assert_eq!(parse_cjk("一百零五"), Some(105));
/// assert_eq!(parse_cjk("二〇二四"), Some(2024));
/// assert_eq!(parse_cjk("１１"), Some(11));
/// assert_eq!(parse_cjk("⑪"), Some(11));
/// assert_eq!(parse_cjk("三取二"), None);
/// ```
pub fn parse_cjk(text: &str) -> Option<u32> {
    let mut chars = text.chars();
    let first = chars.next()?;
    if chars.as_str().is_empty()
        && let Some(value) = enclosed(first)
    {
        return Some(value);
    }
    if ascii_digit(first).is_some() {
        return text.chars().try_fold(0_u32, |value, c| value.checked_mul(10)?.checked_add(ascii_digit(c)?));
    }
    if text.chars().any(|c| matches!(numeral(c), Some(Numeral::Unit(_)))) {
        with_units(text)
    } else {
        positional(text)
    }
}

/// Writes a number in Chinese: 0 零, 10 十, 11 十一, 105 一百零五. [`parse_cjk`] reads it back.
///
/// ```
/// use regreader_text::number::format_cjk;
/// assert_eq!(format_cjk(13), "十三");
/// assert_eq!(format_cjk(110), "一百一十");
/// assert_eq!(format_cjk(20_045), "二万零四十五");
/// ```
pub fn format_cjk(n: u32) -> String {
    if n == 0 {
        return "零".to_owned();
    }
    let mut out = String::new();
    let groups = [(n / 100_000_000, "亿"), (n / 10_000 % 10_000, "万"), (n % 10_000, "")];
    // A zero is spoken once wherever places were skipped, inside a group or between groups.
    let mut skipped = false;
    for (group, name) in groups {
        if group == 0 {
            skipped |= !out.is_empty();
            continue;
        }
        for (place, unit) in [(1000, "千"), (100, "百"), (10, "十"), (1, "")] {
            let digit = group / place % 10;
            if digit == 0 {
                skipped |= !out.is_empty();
                continue;
            }
            if std::mem::take(&mut skipped) {
                out.push('零');
            }
            // 十一, not 一十一, but only where the number begins with it.
            if !(digit == 1 && place == 10 && out.is_empty()) {
                out.push(DIGITS.get(digit as usize).copied().unwrap_or('零'));
            }
            out.push_str(unit);
        }
        skipped = false;
        out.push_str(name);
        // 一万零五百 would be read 一万〇五百 by a person; the group below begins with a zero when it is short.
        skipped |= name == "万" && n % 10_000 < 1000 && !n.is_multiple_of(10_000);
        skipped |= name == "亿" && n / 10_000 % 10_000 < 1000 && !n.is_multiple_of(100_000_000);
    }
    out
}

const DIGITS: [char; 10] = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// Whether the character can stand inside a number written in Chinese.
pub fn is_cjk_numeral(c: char) -> bool {
    numeral(c).is_some()
}

/// The value of an ASCII or full-width digit.
pub(crate) fn ascii_digit(c: char) -> Option<u32> {
    match c {
        '0'..='9' => Some(c as u32 - '0' as u32),
        '０'..='９' => Some(c as u32 - '０' as u32),
        _ => None,
    }
}

/// The value of a circled, bracketed or dotted number or of a Roman numeral character.
pub fn enclosed(c: char) -> Option<u32> {
    circled(c).or_else(|| roman_char(c)).or_else(|| {
        let code = c as u32;
        match code {
            0x2474..=0x2487 => Some(code - 0x2474 + 1), // ⑴
            0x2488..=0x249B => Some(code - 0x2488 + 1), // ⒈
            0x3220..=0x3229 => Some(code - 0x3220 + 1), // ㈠
            _ => None,
        }
    })
}

/// The value of a circled number: ① … ㊿, also the filled, double and ideographic circles.
pub fn circled(c: char) -> Option<u32> {
    let code = c as u32;
    match code {
        0x24EA => Some(0),
        0x2460..=0x2473 => Some(code - 0x2460 + 1),  // ①
        0x3251..=0x325F => Some(code - 0x3251 + 21), // ㉑
        0x32B1..=0x32BF => Some(code - 0x32B1 + 36), // ㊱
        0x24EB..=0x24F4 => Some(code - 0x24EB + 11), // ⓫
        0x24F5..=0x24FE => Some(code - 0x24F5 + 1),  // ⓵
        0x2776..=0x277F => Some(code - 0x2776 + 1),  // ❶
        0x2780..=0x2789 => Some(code - 0x2780 + 1),  // ➀
        0x278A..=0x2793 => Some(code - 0x278A + 1),  // ➊
        0x3280..=0x3289 => Some(code - 0x3280 + 1),  // ㊀
        _ => None,
    }
}

/// The circled form of 1 to 50.
pub(crate) fn to_circled(n: u32) -> Option<char> {
    let code = match n {
        1..=20 => 0x2460 + n - 1,
        21..=35 => 0x3251 + n - 21,
        36..=50 => 0x32B1 + n - 36,
        _ => return None,
    };
    char::from_u32(code)
}

/// The value of a Roman numeral that is one character: Ⅰ to Ⅻ, ⅰ to ⅻ, and Ⅼ, Ⅽ, Ⅾ, Ⅿ.
pub fn roman_char(c: char) -> Option<u32> {
    let code = c as u32;
    let index = match code {
        0x2160..=0x216F => code - 0x2160,
        0x2170..=0x217F => code - 0x2170,
        _ => return None,
    };
    Some(match index {
        0..=11 => index + 1,
        12 => 50,
        13 => 100,
        14 => 500,
        _ => 1000,
    })
}

/// Reads a Roman numeral in Latin letters, either case, strictly (IV, not IIII). 1 to 3999.
///
/// ```
/// use regreader_text::number::parse_roman;
/// assert_eq!(parse_roman("XIV"), Some(14));
/// assert_eq!(parse_roman("IIII"), None);
/// ```
pub fn parse_roman(text: &str) -> Option<u32> {
    if text.is_empty() || text.len() > 15 {
        return None;
    }
    // From the right; a letter well below the sum so far is taken away (the 4 keeps the second I of II an addition).
    let value = text.bytes().rev().try_fold(0_u32, |value, b| {
        let letter = roman_letter(b)?;
        if letter * 4 < value { value.checked_sub(letter) } else { Some(value + letter) }
    })?;
    // Only the strict spelling reads back as itself.
    (format_roman(value).is_some_and(|strict| strict.eq_ignore_ascii_case(text))).then_some(value)
}

const ROMAN_STEPS: [(u32, &str); 13] = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

/// Writes 1 to 3999 as a Roman numeral; nobody writes larger ones.
///
/// ```
/// use regreader_text::number::format_roman;
/// assert_eq!(format_roman(14).as_deref(), Some("XIV"));
/// ```
pub fn format_roman(n: u32) -> Option<String> {
    if !(1..=3999).contains(&n) {
        return None;
    }
    let mut left = n;
    let mut out = String::new();
    for (step, letters) in ROMAN_STEPS {
        while left >= step {
            out.push_str(letters);
            left -= step;
        }
    }
    Some(out)
}

fn roman_letter(b: u8) -> Option<u32> {
    Some(match b.to_ascii_uppercase() {
        b'I' => 1,
        b'V' => 5,
        b'X' => 10,
        b'L' => 50,
        b'C' => 100,
        b'D' => 500,
        b'M' => 1000,
        _ => return None,
    })
}

#[derive(Clone, Copy)]
enum Numeral {
    Digit(u32),
    Unit(u32),
}

fn numeral(c: char) -> Option<Numeral> {
    use Numeral::{Digit, Unit};
    Some(match c {
        '零' | '〇' | '○' => Digit(0),
        '一' | '壹' => Digit(1),
        '二' | '两' | '兩' | '贰' => Digit(2),
        '三' | '叁' => Digit(3),
        '四' | '肆' => Digit(4),
        '五' | '伍' => Digit(5),
        '六' | '陆' => Digit(6),
        '七' | '柒' => Digit(7),
        '八' | '捌' => Digit(8),
        '九' | '玖' => Digit(9),
        '十' | '拾' => Unit(10),
        '百' | '佰' => Unit(100),
        '千' | '仟' => Unit(1000),
        '万' | '萬' => Unit(10_000),
        '亿' | '億' => Unit(100_000_000),
        _ => return None,
    })
}

/// 二〇二四, 一二: digits one after another.
fn positional(text: &str) -> Option<u32> {
    text.chars().try_fold(0_u32, |value, c| match numeral(c)? {
        Numeral::Digit(digit) => value.checked_mul(10)?.checked_add(digit),
        Numeral::Unit(_) => None,
    })
}

/// 一百零五, 二十三万: digits with the names of their places.
fn with_units(text: &str) -> Option<u32> {
    let (mut total, mut group, mut digit) = (0_u64, 0_u64, None::<u64>);
    // Places only get smaller inside a group, and groups only get smaller: 十百 and 三万五亿万 are no numbers.
    let (mut last_place, mut last_group) = (u64::MAX, u64::MAX);
    for c in text.chars() {
        match numeral(c)? {
            Numeral::Digit(0) if digit.is_none() => {}
            Numeral::Digit(value) if digit.is_none() => digit = Some(u64::from(value)),
            Numeral::Digit(_) => return None,
            Numeral::Unit(unit) if unit < 10_000 => {
                let unit = u64::from(unit);
                if unit >= last_place {
                    return None;
                }
                last_place = unit;
                // 十 alone is ten; 百 and 千 need their digit.
                group += match digit.take() {
                    Some(digit) => digit * unit,
                    None if unit == 10 => 10,
                    None => return None,
                };
            }
            Numeral::Unit(unit) => {
                let unit = u64::from(unit);
                group += digit.take().unwrap_or(0);
                if group == 0 || unit >= last_group {
                    return None;
                }
                total += group * unit;
                (group, last_place, last_group) = (0, u64::MAX, unit);
            }
        }
    }
    u32::try_from(total + group + digit.unwrap_or(0)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_a_regulation_uses_read_as_their_value() {
        for (text, value) in [
            ("零", 0),
            ("〇", 0),
            ("两", 2),
            ("十", 10),
            ("十九", 19),
            ("二十", 20),
            ("二十三", 23),
            ("一百", 100),
            ("一百零五", 105),
            ("一百一十", 110),
            ("一千零一十", 1010),
            ("两万", 20_000),
            ("二〇二四", 2024),
            ("壹佰贰拾", 120),
            ("12", 12),
            ("１２", 12),
            ("⑳", 20),
            ("㊿", 50),
            ("Ⅻ", 12),
            ("⑴", 1),
            ("㈩", 10),
            ("四十二亿九千四百九十六万七千二百九十五", u32::MAX),
        ] {
            assert_eq!(parse_cjk(text), Some(value), "{text}");
        }
        for text in ["", "第", "三取二", "十百", "百", "1二", "二十三十", "4294967296", "万", "十十"]
        {
            assert_eq!(parse_cjk(text), None, "{text}");
        }
    }

    #[test]
    fn roman_numerals_are_read_strictly() {
        for n in 1..=3999 {
            let text = format_roman(n).unwrap();
            assert_eq!(parse_roman(&text), Some(n), "{text}");
        }
        for text in ["", "IIII", "IC", "VX", "XXXXXXXXXXXXXXXXX", "ABC", "中"] {
            assert_eq!(parse_roman(text), None, "{text}");
        }
    }
}
