//! What is printed as a page number: `12`, `iii`, `— 12 —`, `第 3 页 共 30 页`, `Page 5 of 31`, `A-3`.
//!
//! Owns the shapes only. Whether a line that looks like a page number is one is for the furniture stage, which sees
//! where it stands and what stands there on the other pages.

use regreader_text::number::{format_roman, parse_roman, roman_char};

/// A page number as printed, and the number in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageLabel {
    pub number: u32,
    pub style: LabelStyle,
}

/// Which way of counting a label belongs to; labels of one style run on together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LabelStyle {
    Arabic,
    Roman,
}

/// Reads a line that is nothing but a page number.
pub(crate) fn parse(line: &str) -> Option<PageLabel> {
    if line.chars().count() > 32 {
        return None;
    }
    let plain: String = line.chars().map(plain_char).filter(|c| !c.is_whitespace()).collect();
    let lower = plain.to_lowercase();
    let bare = lower.trim_matches(|c: char| matches!(c, '-' | '·' | '•' | '.' | '|' | '[' | ']' | '(' | ')'));
    let core = strip_words(bare);
    if let Some(number) = core.parse::<u32>().ok().filter(|_| core.len() <= 4) {
        return Some(PageLabel { number, style: LabelStyle::Arabic });
    }
    roman(core).map(|number| PageLabel { number, style: LabelStyle::Roman })
}

/// `第3页共30页` → `3`, `page5of31` → `5`, `3/30` → `3`.
fn strip_words(text: &str) -> &str {
    let text = text.strip_prefix('第').unwrap_or(text);
    let text = text.strip_prefix("page").or_else(|| text.strip_prefix("p.")).unwrap_or(text);
    let end = text
        .find('页')
        .or_else(|| text.find("of"))
        .or_else(|| text.find('/'))
        .or_else(|| text.find('共'))
        .unwrap_or(text.len());
    let (head, tail) = text.split_at(end);
    let counted = tail.chars().all(|c| c.is_ascii_digit() || "页共/of,，、第总".contains(c));
    if counted { head } else { text }
}

fn plain_char(c: char) -> char {
    match c {
        '０'..='９' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        '—' | '–' | '－' | '―' | '─' | '‐' | '−' | '~' | '～' => '-',
        '／' => '/',
        '．' => '.',
        _ => c,
    }
}

/// A Roman number, in letters or in the single characters Ⅰ to Ⅻ. Pages are not counted to five hundred in Roman letters:
/// `DIM` and `MIX` are words.
pub(crate) fn roman(text: &str) -> Option<u32> {
    let mut letters = String::new();
    for c in text.chars() {
        match roman_char(c) {
            Some(value) => letters.push_str(&format_roman(value)?),
            None => letters.push(c),
        }
    }
    let is_word = letters.len() > 8 || letters.contains(['D', 'd', 'M', 'm']);
    if is_word { None } else { parse_roman(&letters) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_in_all_their_dresses() {
        for (text, number) in [
            ("12", 12),
            ("— 12 —", 12),
            ("- 3 -", 3),
            ("第 3 页 共 30 页", 3),
            ("第3页", 3),
            ("Page 5 of 31", 5),
            ("Page 7", 7),
            ("3/30", 3),
            ("１０", 10),
            ("· 8 ·", 8),
            ("iii", 3),
            ("Ⅳ", 4),
            ("XII", 12),
        ] {
            assert_eq!(parse(text).map(|label| label.number), Some(number), "{text}");
        }
        for text in ["总则", "12 条", "2.1.4", "3.5", "第三页的规定", "iiii", "mix", "20240101", ""]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
