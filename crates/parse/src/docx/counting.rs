//! Numbers as a numbering format prints them: `3`, `iii`, `c`, `三`, `③`, `丙`.

use regreader_text::number::format_roman;

/// Number `n` in the format that `numFmt` names; an unknown format counts in digits.
pub(crate) fn format(n: u32, name: &str) -> String {
    match name {
        "none" => String::new(),
        "decimalZero" => format!("{n:02}"),
        "upperRoman" => roman(n),
        "lowerRoman" => roman(n).to_lowercase(),
        "upperLetter" => letters(n, b'A'),
        "lowerLetter" => letters(n, b'a'),
        "chineseCounting"
        | "chineseCountingThousand"
        | "taiwaneseCounting"
        | "taiwaneseCountingThousand"
        | "japaneseCounting"
        | "koreanCounting" => chinese(n, SMALL, ["", "十", "百", "千"], true),
        "ideographDigital" | "japaneseDigitalTenThousand" | "taiwaneseDigital" | "koreanDigital2" => {
            n.to_string().bytes().map(|digit| pick(SMALL, u32::from(digit - b'0'))).collect()
        }
        "chineseLegalSimplified" | "ideographLegalTraditional" | "japaneseLegal" => {
            chinese(n, "零壹贰叁肆伍陆柒捌玖", ["", "拾", "佰", "仟"], false)
        }
        "ideographTraditional" => cycle("甲乙丙丁戊己庚辛壬癸", n),
        "ideographZodiac" => cycle("子丑寅卯辰巳午未申酉戌亥", n),
        "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" => circled(n),
        "decimalEnclosedParen" => enclosed(n, '⑴', "(", ")"),
        "decimalEnclosedFullstop" => enclosed(n, '⒈', "", "."),
        "ideographEnclosedCircle" => enclosed_ideograph(n),
        "decimalFullWidth" | "decimalFullWidth2" => n.to_string().chars().map(full_width).collect(),
        "numberInDash" => format!("- {n} -"),
        "ordinal" => format!("{n}{}", ordinal_ending(n)),
        _ => n.to_string(),
    }
}

const SMALL: &str = "零一二三四五六七八九";

/// A circled number where there is a character for it.
pub(crate) fn circled(n: u32) -> String {
    let start = match n {
        0 => return "⓪".to_owned(),
        1..=20 => '①' as u32 - 1,
        21..=35 => '㉑' as u32 - 21,
        36..=50 => '㊱' as u32 - 36,
        _ => return format!("({n})"),
    };
    char::from_u32(start + n).map_or_else(|| n.to_string(), String::from)
}

fn pick(digits: &str, n: u32) -> char {
    digits.chars().nth(n as usize).unwrap_or('?')
}

fn cycle(signs: &str, n: u32) -> String {
    let length = signs.chars().count() as u32;
    if n == 0 { n.to_string() } else { pick(signs, (n - 1) % length).to_string() }
}

fn enclosed(n: u32, first: char, open: &str, close: &str) -> String {
    if (1..=20).contains(&n) {
        char::from_u32(first as u32 + n - 1).map_or_else(|| n.to_string(), String::from)
    } else {
        format!("{open}{n}{close}")
    }
}

fn enclosed_ideograph(n: u32) -> String {
    if (1..=10).contains(&n) {
        char::from_u32('㊀' as u32 + n - 1).map_or_else(|| n.to_string(), String::from)
    } else {
        format!("({n})")
    }
}

fn full_width(digit: char) -> char {
    char::from_u32(digit as u32 - '0' as u32 + '０' as u32).unwrap_or(digit)
}

fn ordinal_ending(n: u32) -> &'static str {
    match (n % 10, n % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    }
}

fn letters(n: u32, first: u8) -> String {
    if n == 0 {
        return String::new();
    }
    // Word repeats the letter: z, aa, bb, cc.
    let letter = char::from(first + ((n - 1) % 26) as u8);
    String::from(letter).repeat(((n - 1) / 26 + 1).min(32) as usize)
}

fn roman(n: u32) -> String {
    format_roman(n).unwrap_or_else(|| if n == 0 { String::new() } else { n.to_string() })
}

/// Chinese numerals up to 9999; `short_ten` writes 十一 for 11, not 一十一.
fn chinese(n: u32, digits: &str, units: [&str; 4], short_ten: bool) -> String {
    if n == 0 || n > 9999 {
        return if n == 0 { pick(digits, 0).to_string() } else { n.to_string() };
    }
    let mut out = String::new();
    let mut gap = false;
    for (place, divisor) in [(3, 1000), (2, 100), (1, 10), (0, 1)] {
        let digit = n / divisor % 10;
        if digit == 0 {
            gap = !out.is_empty();
            continue;
        }
        if gap {
            out.push(pick(digits, 0));
            gap = false;
        }
        if !(short_ten && place == 1 && digit == 1 && out.is_empty()) {
            out.push(pick(digits, digit));
        }
        out.push_str(units[place]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::format;

    #[test]
    fn numbers_read_as_printed() {
        for (n, name, printed) in [
            (3, "decimal", "3"),
            (4, "lowerRoman", "iv"),
            (28, "upperLetter", "BB"),
            (11, "chineseCounting", "十一"),
            (20, "chineseCountingThousand", "二十"),
            (105, "chineseCountingThousand", "一百零五"),
            (110, "chineseCounting", "一百一十"),
            (12, "chineseLegalSimplified", "壹拾贰"),
            (3, "ideographTraditional", "丙"),
            (21, "decimalEnclosedCircle", "㉑"),
            (36, "decimalEnclosedCircle", "㊱"),
            (12, "decimalFullWidth", "１２"),
            (7, "neverHeardOf", "7"),
        ] {
            assert_eq!(format(n, name), printed, "{name} {n}");
        }
    }
}
