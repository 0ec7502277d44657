//! Characters as a reader should see them, and lines joined into running text.
//!
//! Owns the repair of what a font or a typesetting system did to the characters (hanzi that stand for Latin letters,
//! full-width digits throughout, stray spaces) and the rule for joining wrapped lines. It must not change what is
//! merely unusual: a document that prints `１１０ｋＶ` once keeps it, a document that prints every digit full-width
//! is a product of its typesetting and is read as plain digits.

use regreader_model::{RawDocument, RawElement};
use regreader_text::annotation::parse_definition;
use regreader_text::fold::repair_gbk_latin;
use regreader_text::numbering::{Numbering, parse_line};
use regreader_text::script::is_cjk;

/// How this document's text is cleaned and joined. Made once from the whole document.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cleaner {
    /// Most letters and digits are full-width.
    narrow: bool,
    /// The document usually prints a space between hanzi and Latin letters or digits.
    spaced: bool,
}

impl Cleaner {
    pub fn of(raw: &RawDocument) -> Self {
        let mut wide = 0_usize;
        let mut plain = 0_usize;
        let mut spaced = 0_usize;
        let mut tight = 0_usize;
        let mut look = |text: &str| {
            let mut before = ['\0'; 2];
            for c in text.chars() {
                wide += usize::from(is_wide_alnum(c));
                plain += usize::from(c.is_ascii_alphanumeric());
                if is_mixed(before[1], c) {
                    tight += 1;
                } else if before[1] == ' ' && is_mixed(before[0], c) {
                    spaced += 1;
                }
                before = [before[1], c];
            }
        };
        for element in raw.pages.iter().flat_map(|page| &page.elements) {
            match element {
                RawElement::Text(text) => look(&text.text),
                RawElement::Table(table) => table.cells.iter().for_each(|cell| look(&cell.content)),
                RawElement::Picture(_) => {}
            }
        }
        Self { narrow: wide > plain, spaced: spaced > tight }
    }

    /// One line: repaired characters, single spaces, no space beside Chinese punctuation.
    pub fn line(self, text: &str) -> String {
        let repaired = repair_gbk_latin(text);
        let text = repaired.as_deref().unwrap_or(text);
        let mut out = String::with_capacity(text.len());
        let mut space = false;
        for c in text.chars() {
            if c.is_whitespace() {
                space = !out.is_empty();
                continue;
            }
            if is_invisible(c) {
                continue;
            }
            if space && !no_space_before(c) && !out.chars().next_back().is_some_and(no_space_after) {
                out.push(' ');
            }
            space = false;
            out.push(c);
        }
        // A hyphen that only breaks the line stays visible to the one who joins it.
        if text.trim_end().ends_with(SOFT_HYPHEN) && !out.is_empty() {
            out.push(SOFT_HYPHEN);
        }
        if self.narrow { narrow(&out) } else { out }
    }

    /// Text of a table cell. Wrapped lines are joined; a line break stays where a new item or entry begins.
    pub fn cell(self, text: &str) -> String {
        let lines: Vec<String> =
            text.split('\n').map(|line| self.line(line)).filter(|line| !line.is_empty()).collect();
        let longest = lines.iter().map(|line| display_width(line)).max().unwrap_or(0);
        let mut out = String::new();
        let mut before: Option<&String> = None;
        for line in &lines {
            let breaks = before.is_some_and(|before| {
                let short = display_width(before) * 10 < longest * 7;
                begins_item(line)
                    || parse_definition(line).is_some()
                    || (is_entry(before) && is_entry(line))
                    || (short && ends_sentence(before))
            });
            if breaks {
                out.push('\n');
                out.push_str(line);
            } else {
                self.join(&mut out, line);
            }
            before = Some(line);
        }
        out.truncate(out.trim_end_matches(SOFT_HYPHEN).len());
        detach_marks(out)
    }

    /// Appends a wrapped line to the text before it.
    pub fn join(self, text: &mut String, next: &str) {
        let (Some(last), Some(first)) = (text.chars().next_back(), next.chars().next()) else {
            text.push_str(next);
            return;
        };
        let latin_before_hyphen = || text.chars().rev().nth(1).is_some_and(|c| c.is_ascii_alphabetic());
        let broken_word = last == '-' && first.is_ascii_lowercase() && latin_before_hyphen();
        if last == SOFT_HYPHEN || broken_word {
            text.pop();
        } else if matches!(last, '-' | '/' | '—' | '–') && !text.ends_with(" –") && !text.ends_with(" —")
        {
            // `Co-` + `Located`, a broken address: no space.
        } else if needs_space(last, first, self.spaced) {
            text.push(' ');
        }
        text.push_str(next);
    }
}

/// Marks where a word was broken by the end of a line.
const SOFT_HYPHEN: char = '\u{AD}';

/// Width in half characters.
fn display_width(text: &str) -> usize {
    text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum()
}

/// Whether a sentence ends with this text (closing quotes and brackets looked through).
pub(crate) fn ends_sentence(text: &str) -> bool {
    if text.ends_with([']', '］']) {
        return true;
    }
    let bare = text.trim_end_matches(['”', '’', '"', '）', ')', '》', '】', ' ']);
    let closed = if bare.is_empty() { text } else { bare };
    closed.ends_with(['。', '；', '：', '！', '？', '.', ';', ':', '!', '?'])
}

/// Sets the raised mark of a note apart from the value it stands at: `1⁽³⁾` is the value 1 with a mark, `100¹` is not
/// 1001. Exponents stay: of ten and two, with a sign, and behind a unit.
fn detach_marks(text: String) -> String {
    let is_raised = |c: char| matches!(c, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹' | '⁽' | '⁾' | '⁺' | '⁻');
    if !text.contains(is_raised) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 4);
    for (at, c) in text.char_indices() {
        let before = out.chars().next_back().unwrap_or(' ');
        if is_raised(c) && !is_raised(before) {
            let run: String = text.get(at..).unwrap_or("").chars().take_while(|c| is_raised(*c)).collect();
            let number: String = out.chars().rev().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            let is_base = matches!(number.as_str(), "01" | "2");
            let is_value = before.is_ascii_digit() || matches!(before, '%' | '—' | '–' | '√');
            let is_mark = run.starts_with('⁽') || !is_base && !run.contains(['⁻', '⁺', '⁽']);
            if is_value && is_mark {
                out.push(' ');
            }
        }
        out.push(c);
    }
    out
}

/// Whether the text begins an item of a list: a bullet, a dash, or a number that only lists use.
pub(crate) fn begins_item(text: &str) -> bool {
    if has_bullet(text) {
        return true;
    }
    let Some(line) = parse_line(text) else { return false };
    match line.numbering {
        Numbering::Paren(_)
        | Numbering::ParenDigit(_)
        | Numbering::Circled(_)
        | Numbering::Item(_)
        | Numbering::ParenRoman(_)
        | Numbering::Enumerated(_)
        | Numbering::Letter(_) => !line.rest.is_empty(),
        Numbering::Decimal(parts) => parts.len() == 1 && line.trailing_dot && !line.rest.is_empty(),
        _ => false,
    }
}

fn has_bullet(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        Some(
            '•' | '●' | '■' | '◆' | '▪' | '○' | '□' | '◇' | '►' | '➢' | '√' | '\u{F0B7}' | '\u{F0A7}'
            | '\u{F06C}',
        ) => true,
        Some('·' | '-' | '–') => chars.next() == Some(' '),
        Some('—') => chars.next() == Some('—'),
        _ => false,
    }
}

/// `0x01：正常工作`, `bit0：…`: a short key and a colon.
fn is_entry(line: &str) -> bool {
    line.char_indices().take(12).any(|(at, c)| at > 0 && matches!(c, '：' | ':'))
        && line.chars().next().is_some_and(|c| c.is_ascii_alphanumeric())
}

fn needs_space(last: char, first: char, spaced: bool) -> bool {
    if last == ' ' || first == ' ' || is_wide(last) && is_wide(first) {
        return false;
    }
    if is_mixed(last, first) {
        return spaced;
    }
    !is_wide(last) && !is_wide(first)
}

/// One is a hanzi and the other a Latin letter or digit.
fn is_mixed(a: char, b: char) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '%' || c == '±';
    (is_cjk(a) && plain(b)) || (plain(a) && is_cjk(b))
}

/// Set in full width, so that no space belongs beside it.
pub(crate) fn is_wide(c: char) -> bool {
    is_cjk(c)
        || matches!(c, '\u{2018}'..='\u{201D}' | '\u{2026}' | '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}' | '—' | '①'..='⑳')
}

fn no_space_before(c: char) -> bool {
    matches!(c, '，' | '。' | '、' | '；' | '：' | '！' | '？' | '）' | '》' | '”' | '’' | '】' | '〉' | '」')
}

fn no_space_after(c: char) -> bool {
    matches!(c, '，' | '。' | '、' | '；' | '（' | '《' | '“' | '‘' | '【' | '〈' | '「')
}

fn is_invisible(c: char) -> bool {
    c.is_control() || matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{FFFD}')
}

fn is_wide_alnum(c: char) -> bool {
    matches!(c, '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ')
}

/// Full-width letters and digits, and the signs between them, in their plain form. Punctuation of sentences stays.
fn narrow(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let alnum = |c: Option<&char>| c.is_some_and(|c| is_wide_alnum(*c) || c.is_ascii_alphanumeric());
    chars
        .iter()
        .enumerate()
        .map(|(at, &c)| {
            let before = at.checked_sub(1).and_then(|i| chars.get(i));
            let plain = || char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c);
            match c {
                '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ' => plain(),
                '．' | '／' | '－' | '＋' | '＝' | '＜' | '＞' | '％' | '＆' if alnum(before) => {
                    plain()
                }
                _ => c,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_width_digits_are_read_as_digits_only_where_the_document_prints_them_throughout() {
        let wide = Cleaner { narrow: true, spaced: false };
        assert_eq!(wide.line("３．２．３ 电压 ２２０ｋＶ，正常 ；"), "3.2.3 电压 220kV，正常；");
        let plain = Cleaner::default();
        assert_eq!(plain.line("１１０ｋＶ母线失压：应 （见注1）"), "１１０ｋＶ母线失压：应 （见注1）");
    }

    #[test]
    fn wrapped_lines_join_by_script() {
        let join = |cleaner: Cleaner, a: &str, b: &str| {
            let mut text = a.to_owned();
            cleaner.join(&mut text, b);
            text
        };
        let tight = Cleaner::default();
        let spaced = Cleaner { narrow: false, spaced: true };
        assert_eq!(join(tight, "应立即汇", "报国调"), "应立即汇报国调");
        assert_eq!(join(tight, "不超过 500", "千伏"), "不超过 500千伏");
        assert_eq!(join(spaced, "不超过 500", "千伏"), "不超过 500 千伏");
        assert_eq!(join(tight, "the Respon-", "sible Entity"), "the Responsible Entity");
        assert_eq!(join(tight, "and Co-", "Located Load"), "and Co-Located Load");
        assert_eq!(join(tight, "one or", "more"), "one or more");
    }
}
