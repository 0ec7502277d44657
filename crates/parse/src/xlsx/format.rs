//! Numbers as their cell format shows them: `12.5%`, `1,234.00`, `2024-06-01`.

use std::collections::BTreeMap;

use super::dates;
use crate::ooxml::Element;

/// The number formats of a workbook by cell style.
#[derive(Debug, Default)]
pub(crate) struct Formats {
    /// Format number of each cell style.
    styles: Vec<u32>,
    codes: BTreeMap<u32, String>,
    from_1904: bool,
}

impl Formats {
    /// Reads `styles.xml`.
    pub fn read(root: Option<&Element>, from_1904: bool) -> Self {
        let mut formats = Self { from_1904, ..Self::default() };
        let Some(root) = root else { return formats };
        for format in root.child("numFmts").into_iter().flat_map(Element::children) {
            if let (Some(id), Some(code)) =
                (format.attr("numFmtId").and_then(|id| id.parse().ok()), format.attr("formatCode"))
            {
                formats.codes.insert(id, code.chars().take(256).collect());
            }
        }
        formats.styles = root
            .child("cellXfs")
            .into_iter()
            .flat_map(Element::children)
            .map(|style| style.attr("numFmtId").and_then(|id| id.parse().ok()).unwrap_or(0))
            .collect();
        formats
    }

    /// A number as a cell of that style shows it.
    pub fn show(&self, number: f64, style: usize) -> String {
        let id = self.styles.get(style).copied().unwrap_or(0);
        let code = self.codes.get(&id).map_or_else(|| built_in(id), String::as_str);
        apply(number, code, self.from_1904)
    }
}

/// Formats that have a number but no code in the file.
fn built_in(id: u32) -> &'static str {
    match id {
        1 => "0",
        2 => "0.00",
        3 => "#,##0",
        4 => "#,##0.00",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        14 | 30 => "yyyy/m/d",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 => "h:mm",
        21 => "h:mm:ss",
        22 => "yyyy/m/d h:mm",
        // East Asian dates.
        27 | 36 | 50 | 57 => "yyyy\"年\"m\"月\"",
        28 | 29 | 51 | 54 | 58 => "m\"月\"d\"日\"",
        31 => "yyyy\"年\"m\"月\"d\"日\"",
        32 | 55 => "h\"时\"mm\"分\"",
        33 | 56 => "h\"时\"mm\"分\"ss\"秒\"",
        37 | 38 => "#,##0;-#,##0",
        39 | 40 => "#,##0.00;-#,##0.00",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mm:ss.0",
        48 => "##0.0E+0",
        _ => "General",
    }
}

/// Applies a format code to a number.
fn apply(number: f64, code: &str, from_1904: bool) -> String {
    let sections = split_sections(code);
    let (section, value) = match (sections.as_slice(), number) {
        ([_, negative, ..], n) if n < 0.0 && !negative.is_empty() => (negative.as_str(), -n),
        ([_, _, zero, ..], 0.0) if !zero.is_empty() => (zero.as_str(), number),
        ([first, ..], _) => (first.as_str(), number),
        ([], _) => ("General", number),
    };
    if dates::is_date(section) {
        return dates::show(number, section, from_1904).unwrap_or_else(|| general(number));
    }
    let pieces = Pieces::read(section);
    if pieces.digits.is_empty() {
        // No place for the number: General, or a text that stands for it.
        return if pieces.general || pieces.prefix.is_empty() {
            format!("{}{}{}", pieces.prefix, general(value), pieces.suffix)
        } else {
            pieces.prefix
        };
    }
    pieces.show(value)
}

/// Sections of a code; semicolons inside quotes do not separate.
fn split_sections(code: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    let mut quoted = false;
    let mut escaped = false;
    for character in code.chars() {
        quoted ^= character == '"' && !escaped;
        if character == ';' && !quoted && !escaped {
            sections.push(String::new());
        } else if let Some(section) = sections.last_mut() {
            section.push(character);
        }
        escaped = character == '\\' && !escaped;
    }
    sections
}

/// A number section taken apart.
#[derive(Debug, Default)]
struct Pieces {
    prefix: String,
    digits: String,
    suffix: String,
    percent: bool,
    general: bool,
}

impl Pieces {
    fn read(section: &str) -> Self {
        let mut pieces = Self::default();
        let mut characters = section.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '"' => {
                    let literal: String = characters.by_ref().take_while(|c| *c != '"').collect();
                    pieces.literal(&literal);
                }
                '\\' => {
                    if let Some(next) = characters.next() {
                        pieces.literal(next.encode_utf8(&mut [0; 4]));
                    }
                }
                // A space as wide as the next character, or that character repeated to fill the cell.
                '_' | '*' => {
                    characters.next();
                }
                '[' => {
                    let inside: String = characters.by_ref().take_while(|c| *c != ']').collect();
                    // `[$￥-804]` is a currency sign; colours and conditions are not shown.
                    if let Some(currency) = inside.strip_prefix('$') {
                        pieces.literal(currency.split('-').next().unwrap_or(""));
                    }
                }
                '%' => {
                    pieces.percent = true;
                    pieces.literal("%");
                }
                '0' | '#' | '?' | '.' | ',' => pieces.digits.push(character),
                'E' | 'e' if matches!(characters.peek(), Some('+' | '-')) => pieces.digits.push('E'),
                '/' if !pieces.digits.is_empty() => {
                    // A fraction: the plain number is clearer than a rounded one.
                    pieces.digits.clear();
                    pieces.suffix.clear();
                    pieces.general = true;
                    return pieces;
                }
                '+' | '-' if pieces.digits.ends_with('E') => {}
                'G' | 'g' if section.to_ascii_lowercase().contains("general") => {
                    pieces.general = true;
                    for _ in 0..6 {
                        characters.next();
                    }
                }
                '@' => pieces.general = true,
                other => pieces.literal(other.encode_utf8(&mut [0; 4])),
            }
        }
        pieces
    }

    fn literal(&mut self, text: &str) {
        let end = if self.digits.is_empty() && !self.general { &mut self.prefix } else { &mut self.suffix };
        end.push_str(text);
    }

    fn show(self, value: f64) -> String {
        let (mantissa, exponent) = match self.digits.split_once('E') {
            Some((mantissa, exponent)) => (mantissa, Some(exponent.chars().filter(|c| *c == '0').count())),
            None => (self.digits.as_str(), None),
        };
        let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let scaled = whole.chars().rev().take_while(|c| *c == ',').count() as i32;
        let thousands = whole.trim_end_matches(',').contains(',');
        let least = decimals.chars().filter(|c| matches!(c, '0' | '?')).count();
        let most = decimals.chars().filter(|c| matches!(c, '0' | '?' | '#')).count().min(15);
        let mut value = if self.percent { value * 100.0 } else { value };
        value /= 1000f64.powi(scaled);
        let negative = value < 0.0;
        let magnitude = value.abs();
        let body = if let Some(width) = exponent {
            scientific(magnitude, most, width)
        } else {
            let rounded = format!("{magnitude:.most$}");
            let (whole_digits, fraction) = rounded.split_once('.').unwrap_or((&rounded, ""));
            let kept = fraction.trim_end_matches('0').len().max(least.min(fraction.len()));
            let fraction = &fraction[..kept];
            let least_whole = whole.chars().filter(|c| *c == '0').count();
            let whole_digits = format!("{whole_digits:0>least_whole$}");
            let whole_digits = if least_whole == 0 && whole_digits == "0" && !fraction.is_empty() {
                String::new()
            } else if thousands {
                group(&whole_digits)
            } else {
                whole_digits
            };
            if fraction.is_empty() { whole_digits } else { format!("{whole_digits}.{fraction}") }
        };
        let sign = if negative && body.chars().any(|c| c.is_ascii_digit() && c != '0') { "-" } else { "" };
        format!("{sign}{}{body}{}", self.prefix, self.suffix)
    }
}

fn scientific(magnitude: f64, decimals: usize, width: usize) -> String {
    let text = format!("{magnitude:.decimals$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
    format!("{mantissa}E{sign}{digits:0>width$}")
}

fn group(digits: &str) -> String {
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number without a format: the shortest text that is right to 15 digits.
pub(crate) fn general(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let magnitude = number.abs().log10().floor() as i32;
    if !(-10..=20).contains(&magnitude) {
        return format!("{number:e}").replace('e', "E");
    }
    let decimals = (14 - magnitude).clamp(0, 20) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_excel_shows_them() {
        for (number, code, shown) in [
            (0.125, "0.0%", "12.5%"),
            (1234.5, "#,##0.00", "1,234.50"),
            (-1234.5, "#,##0.00", "-1,234.50"),
            (1_234_567.0, "#,##0", "1,234,567"),
            (5.0, "General", "5"),
            (0.1 + 0.2, "General", "0.3"),
            (1e21, "General", "1E21"),
            (5.0, "0\"kV\"", "5kV"),
            (-3.0, "0;(0)", "(3)"),
            (0.0, "0;-0;\"—\"", "—"),
            (12.0, "[$￥-804]#,##0.00", "￥12.00"),
            (3.0, "000", "003"),
            (0.5, "#.##", ".5"),
            (12345.0, "0.00E+00", "1.23E+04"),
            (2.5, "# ?/?", "2.5"),
            (45292.0, "yyyy-mm-dd", "2024-01-01"),
            (45292.5, "yyyy/m/d h:mm", "2024/1/1 12:00"),
            (45292.0, "yyyy\"年\"m\"月\"d\"日\"", "2024年1月1日"),
            (0.75, "h:mm AM/PM", "6:00 PM"),
            (1.5, "[h]:mm", "36:00"),
        ] {
            assert_eq!(apply(number, code, false), shown, "{number} as {code}");
        }
    }
}
