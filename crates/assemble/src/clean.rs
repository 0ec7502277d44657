//! Characters as a reader should see them, and lines joined into running text.
//!
//! Owns the repair of what a font or a typesetting system did to the characters (hanzi that stand for Latin letters,
//! full-width digits throughout, stray spaces) and the rule for joining wrapped lines. It must not change what is
//! merely unusual: a document that prints `１１０ｋＶ` once keeps it, a document that prints every digit full-width
//! is a product of its typesetting and is read as plain digits.

use std::sync::LazyLock;

use regreader_model::{RawDocument, RawElement};
use regreader_text::annotation::parse_definition;
use regreader_text::fold::repair_gbk_latin;
use regreader_text::numbering::{Numbering, parse_line};
use regreader_text::script::is_cjk;
use regreader_text::words_of;

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

    /// Text of a table cell. A line break stays where a new item, entry or phrase begins; the lines of a short label are
    /// joined, which writers break to fit a narrow column.
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
                    || are_phrases(before, line)
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
        } else if needs_space(last, first, self.spaced) || is_latin_quote(text, next) {
            text.push(' ');
        }
        text.push_str(next);
    }
}

/// Whether lines meet at a quotation mark of Latin text, which has a space outside like any word.
fn is_latin_quote(text: &str, next: &str) -> bool {
    let mut before = text.chars().rev();
    let mut after = next.chars();
    match (before.next(), after.next()) {
        (Some(last), Some('“' | '‘')) => last.is_ascii() && after.next().is_some_and(|c| c.is_ascii()),
        (Some('”' | '’'), Some(first)) => {
            first.is_ascii_alphanumeric() && before.next().is_some_and(|c| c.is_ascii())
        }
        _ => false,
    }
}

/// Marks where a word was broken by the end of a line.
const SOFT_HYPHEN: char = '\u{AD}';

/// Whether two lines of a cell, which the writer set on lines of their own, are statements of their own: both are longer
/// than the words of a label, and the first does not stop in the middle.
fn are_phrases(line: &str, next: &str) -> bool {
    /// Five hanzi: heads of columns are broken into shorter lines.
    const WIDTH: usize = 10;
    let stops = line.ends_with(['，', '、', '（', '-', '/', SOFT_HYPHEN]) || stops_short(line);
    let small = next.chars().next().is_some_and(char::is_lowercase) && !line.ends_with(is_wide);
    !stops && !small && display_width(line) >= WIDTH && display_width(next) >= WIDTH
}

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

/// Whether the words alone say that a sentence of Latin script goes on in the next line: it stops at a word or a comma that
/// ends nothing, or the next line begins small. Margins need not be asked then; they are ragged, and clauses set far in
/// have margins of their own.
pub(crate) fn sentence_goes_on(text: &str, next: &str) -> bool {
    let text = text.trim_end();
    if ends_sentence(text) || ends_item(text) || begins_item(next) || begins_with_mark(next) {
        return false;
    }
    let small = next.chars().next().is_some_and(char::is_lowercase);
    let latin_end =
        text.chars().next_back().is_some_and(|c| c.is_ascii_alphanumeric() || c == ',' || c == ')');
    latin_end && (small || stops_short(text))
}

/// Whether a text of Latin script stops at a word or a comma that ends neither a title nor a sentence.
pub(crate) fn stops_short(text: &str) -> bool {
    static OPEN: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(crate::WORDS, "words that end no title"));
    let text = text.trim_end();
    let mut words = text.rsplit(' ');
    let last = words.next().unwrap_or("");
    // `Annex A`, `Class a`: a letter may be a name, but not behind a word that calls for one more.
    let single = last.chars().count() == 1 && last.chars().all(char::is_uppercase);
    last.ends_with(',') || words.next().is_some() && !single && OPEN.contains(&last.to_lowercase().as_str())
}

/// Whether a text ends an item of a list and announces the next: `…; and`.
pub(crate) fn ends_item(text: &str) -> bool {
    text.strip_suffix(" and")
        .or_else(|| text.strip_suffix(" or"))
        .is_some_and(|text| text.ends_with([';', ',']))
}

/// `ii. …`, `b.1) …`: a mark of a list that is not numbered in a way of its own.
fn begins_with_mark(text: &str) -> bool {
    let Some((mark, _)) = text.split_once(' ') else { return false };
    let short = mark.chars().count() <= 6;
    let bracketed = mark.ends_with(')') && !mark.contains('(');
    let dotted = mark.ends_with('.') && mark.chars().filter(|c| *c == '.').count() == 1 && mark.len() <= 5;
    short && (bracketed || dotted)
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
    fn words_say_that_a_sentence_goes_on() {
        for (line, next) in [
            ("Permit only necessary electronic access", "as determined by the entity;"),
            ("Each Scheme where the", "Special Protection System is subject to"),
            ("that owns Facilities, systems,", "Elements and equipment"),
        ] {
            assert!(sentence_goes_on(line, next), "{line} / {next}");
        }
        for (line, next) in [
            ("Balancing Authority", "Distribution Provider"),
            ("The entity shall:", "permit access"),
            ("The documents include", "a) the plan"),
            ("The documents include", "ii. the plan"),
            ("See Annex A", "Records"),
            ("Information protection; and", "Reporting"),
            ("应按规程执行", "a 类负荷"),
        ] {
            assert!(!sentence_goes_on(line, next), "{line} / {next}");
        }
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
        assert_eq!(join(tight, "and substituting", "“Clause 2”."), "and substituting “Clause 2”.");
        assert_eq!(join(tight, "the “Owner”", "shall"), "the “Owner” shall");
        assert_eq!(join(tight, "应按 GB", "“总则”执行"), "应按 GB“总则”执行");
    }
}
