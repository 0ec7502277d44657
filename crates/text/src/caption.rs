//! Captions of tables and figures: 表6-2 …, 续表, Table 3 (continued). Owns what a caption is and what a table's
//! canonical number is; a sentence that begins with a table's number is not a caption.

use std::sync::LazyLock;

use crate::number;
use crate::scan::{Cursor, half, is_dash, is_tilde};
use crate::script::is_cjk;
use crate::words::{WORDS, words_of};

/// What a caption stands at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CaptionKind {
    /// 表
    Table,
    /// 图
    Figure,
}

/// A caption, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caption {
    /// Table or figure.
    pub kind: CaptionKind,
    /// Canonical number: `6-2`, `A.1`, `14`, `附1`; empty for a bare 续表.
    pub number: String,
    /// The title, without the number and without （续）.
    pub title: String,
    /// The caption says that the table goes on from before.
    pub continued: bool,
}

/// Reads a line that is a caption.
///
/// ```
/// use regreader_text::{CaptionKind, parse_caption};
/// let caption = parse_caption("表 6－2 母线故障处置（续）").unwrap();
/// assert_eq!((caption.number.as_str(), caption.title.as_str()), ("6-2", "母线故障处置"));
/// assert!(caption.continued && caption.kind == CaptionKind::Table);
/// assert!(parse_caption("表6-2中的限额按全压给出").is_none());
/// assert!(parse_caption("见表6-2").is_none());
/// ```
pub fn parse_caption(line: &str) -> Option<Caption> {
    let line = line.trim();
    // A caption is a title. Longer lines are text, and need no further look.
    if line.len() > 600 || line.chars().count() > 160 {
        return None;
    }
    let mut cursor = Cursor::new(line);
    let bracketed = cursor.eat_if(|c| matches!(c, '(' | '[' | '【')).is_some();
    let mut continued = cursor.eat('续') || cursor.eat('續');
    cursor.skip_spaces();
    if !continued {
        skip_standard_code(&mut cursor);
    }
    let head = head(&mut cursor)?;
    if bracketed || continued {
        let mut ahead = cursor;
        ahead.eat_if(|c| matches!(c, ')' | ']' | '】'));
        if ahead.is_end() && continued {
            return Some(Caption { kind: head.kind, number: String::new(), title: String::new(), continued });
        }
        if bracketed {
            return None;
        }
    }
    let number = head.attached_number(&mut cursor)?;
    let mut rest = cursor;
    let spaced = rest.skip_spaces();
    let (title, marked) = strip_continued(rest.rest());
    continued |= marked;
    let title = if head.english { english_title(title, spaced)? } else { chinese_title(title, spaced)? };
    Some(Caption { kind: head.kind, number, title: title.to_owned(), continued })
}

/// The canonical number of a table that a text names: `表 6－2` is `6-2`. A caption's title may follow; a sentence
/// may not.
///
/// ```
/// use regreader_text::canonical_table_number;
/// assert_eq!(canonical_table_number("表 6－2").as_deref(), Some("6-2"));
/// assert_eq!(canonical_table_number("见表6-2").as_deref(), Some("6-2"));
/// assert_eq!(canonical_table_number("6—2").as_deref(), Some("6-2"));
/// assert_eq!(canonical_table_number("Table A.1").as_deref(), Some("A.1"));
/// assert_eq!(canonical_table_number("母线"), None);
/// ```
pub fn canonical_table_number(text: &str) -> Option<String> {
    let mut cursor = Cursor::new(text.trim());
    cursor.eat_any(&["详见", "参见", "见", "見", "按", "如"]);
    cursor.skip_spaces();
    if let Some(caption) = parse_caption(cursor.rest())
        && caption.kind == CaptionKind::Table
        && !caption.number.is_empty()
    {
        return Some(caption.number);
    }
    let number = item_number(&mut cursor)?;
    cursor.is_end().then_some(number)
}

/// The word a caption or a mention of a table begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub kind: CaptionKind,
    pub english: bool,
    /// 附表, 附图: numbered apart from the rest.
    appended: bool,
}

impl Head {
    /// The number behind the word.
    pub fn attached_number(self, cursor: &mut Cursor<'_>) -> Option<String> {
        let mut ahead = *cursor;
        if !ahead.skip_spaces() && self.english {
            return None;
        }
        let number = item_number(&mut ahead)?;
        *cursor = ahead;
        Some(if self.appended { format!("附{number}") } else { number })
    }
}

/// Passes 表, 图, 附表, Table or Figure.
pub(crate) fn head(cursor: &mut Cursor<'_>) -> Option<Head> {
    let appended = cursor.eat('附');
    let (kind, english) = if cursor.eat('表') {
        (CaptionKind::Table, false)
    } else if cursor.eat('图') || cursor.eat('圖') {
        (CaptionKind::Figure, false)
    } else if cursor.eat_word("table") {
        (CaptionKind::Table, true)
    } else if cursor.eat_word("figure") || cursor.eat_word("fig") {
        cursor.eat('.');
        (CaptionKind::Figure, true)
    } else {
        return None;
    };
    Some(Head { kind, english, appended })
}

/// The number of a table or figure in canonical form: `6-2`, `A.1`, `14`, `R2`, `5-1a`, `3.4.2.1-B`, `A-3.2.6.6(1)-A`;
/// 表一 is `1`. The parts are joined as printed, every dash as `-`; a dot behind the last part is not part of it.
pub(crate) fn item_number(cursor: &mut Cursor<'_>) -> Option<String> {
    let mut ahead = *cursor;
    if ahead.raw().is_some_and(number::is_cjk_numeral) {
        let n = ahead.cjk_number()?;
        *cursor = ahead;
        return Some(n.to_string());
    }
    let mut out = String::new();
    if let Some(letter) = ahead.eat_if(|c| c.is_ascii_uppercase()) {
        out.push(letter);
        let separator = ahead.eat_if(|c| c == '.' || is_dash(c));
        if separator == Some('.') {
            // 表 A. 1.1: typesetting puts a space behind the dot.
            ahead.skip_spaces();
        }
        if !ahead.peek().is_some_and(|c| c.is_ascii_digit()) {
            return None;
        }
        out.extend(separator.map(|c| if c == '.' { '.' } else { '-' }));
    }
    for parts in 1..=6 {
        let part = ahead.digits(4)?;
        out.push_str(&part.to_string());
        let mut next = ahead;
        let separator = next.eat_if(|c| c == '.' || is_dash(c));
        if !next.peek().is_some_and(|c| c.is_ascii_digit()) {
            let suffixed = suffix(&mut ahead, &mut out, parts);
            // 表 5-。 has lost its second part: naming table 5 would be a guess.
            let lost = separator.is_some_and(is_dash)
                && !suffixed
                && !next.peek().is_some_and(|c| c.is_whitespace() || is_dash(c));
            if lost {
                return None;
            }
            *cursor = ahead;
            return Some(out);
        }
        let Some(separator) = separator else {
            *cursor = ahead;
            return Some(out);
        };
        out.push(if separator == '.' { '.' } else { '-' });
        ahead = next;
    }
    None
}

/// What tells apart tables that share a number: `a` in 表3a, `-B` in Table 3.4.2.1.-B, `(5)` in Table 1.1.1.1.(5).
fn suffix(cursor: &mut Cursor<'_>, out: &mut String, parts: usize) -> bool {
    let mut ahead = *cursor;
    // 表3a, but not Table 3and nor 表3kV.
    if let Some(letter) = ahead.eat_if(|c| c.is_ascii_lowercase())
        && !ahead.peek().is_some_and(|c| c.is_ascii_alphanumeric())
    {
        out.push(letter);
        *cursor = ahead;
        return true;
    }
    let mut found = false;
    let mut ahead = *cursor;
    ahead.eat('.');
    // Only a number of several parts goes on in brackets: 表5（1） is the first note or sheet of table 5.
    let mut bracket = ahead;
    while parts >= 3
        && bracket.eat('(')
        && let Some(n) = bracket.digits(3)
        && bracket.eat(')')
    {
        out.push('(');
        out.push_str(&n.to_string());
        out.push(')');
        ahead = bracket;
        ahead.eat('.');
        bracket = ahead;
        found = true;
        *cursor = ahead;
    }
    if ahead.eat_if(is_dash).is_some()
        && let Some(letter) = ahead.eat_if(|c| c.is_ascii_uppercase())
        && !ahead.peek().is_some_and(char::is_alphanumeric)
    {
        out.push('-');
        out.push(letter);
        *cursor = ahead;
        found = true;
    }
    found
}

/// `CIP-004-8 Table R6 – …`: captions that repeat the standard's code.
fn skip_standard_code(cursor: &mut Cursor<'_>) {
    let mut ahead = *cursor;
    let (mut digits, mut letters) = (0, 0);
    while let Some(c) = ahead.eat_if(|c| c.is_ascii_alphanumeric() || c == '.' || is_dash(c)) {
        digits += u32::from(c.is_ascii_digit());
        letters += u32::from(c.is_ascii_alphabetic());
    }
    // `17. Table 1.3 is amended` is an item of a list.
    if digits > 0 && letters > 0 && ahead.skip_spaces() && ahead.clone().eat_word("table") {
        *cursor = ahead;
    }
}

/// Takes （续）, (continued) or 续表 off the beginning or the end of a title.
fn strip_continued(title: &str) -> (&str, bool) {
    static MARKS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "marks of a continued table"));
    let title = title.trim();
    let is_mark = |inner: &str| MARKS.iter().any(|mark| inner.trim().eq_ignore_ascii_case(mark));
    let brackets = |c: char| matches!(half(c), '(' | '[' | '〔' | '【');
    if let Some(open) = title.rfind(brackets) {
        let (before, inside) = title.split_at(open);
        let inside =
            inside.trim_matches(|c| matches!(half(c), '(' | ')' | '[' | ']' | '〔' | '〕' | '【' | '】'));
        if is_mark(strip_ordinal(inside)) {
            return (before.trim_end(), true);
        }
    }
    // The mark may stand before the title: 表14（续） 线路限额.
    if title.starts_with(brackets)
        && let Some((inside, after)) = title.split_once(|c| matches!(half(c), ')' | ']' | '〕' | '】'))
        && is_mark(strip_ordinal(inside.trim_start_matches(brackets)))
    {
        return (after.trim_start(), true);
    }
    for mark in ["续表", "续"] {
        if let Some(before) = title.strip_suffix(mark)
            && (before.is_empty() || before.ends_with(char::is_whitespace))
        {
            return (before.trim_end(), true);
        }
    }
    (title, false)
}

/// 续1, 续二: the second and third continuation.
fn strip_ordinal(mark: &str) -> &str {
    mark.trim().trim_end_matches(|c: char| number::ascii_digit(c).is_some() || number::is_cjk_numeral(c))
}

/// Words that go on with a sentence behind 表6-2.
static GOES_ON: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "behind a table number"));

fn chinese_title(title: &str, spaced: bool) -> Option<&str> {
    let mut cursor = Cursor::new(title);
    if cursor.eat_any(&GOES_ON).is_some() || cursor.peek().is_some_and(|c| is_tilde(c) || c == ')') {
        return None;
    }
    // 表3中 at the end of a line, 表3中 followed by anything but a word that begins with 中.
    if !spaced && cursor.eat('中') && !cursor.raw().is_some_and(|c| "长性间压央心国".contains(c)) {
        return None;
    }
    let title = title.trim_start_matches(|c| matches!(half(c), ':' | '.' | '、')).trim();
    let sentence = title.contains(['。', '；']) || title.ends_with(['，', ',', ';', '：', ':']);
    // Directly behind the number only a Chinese title can begin: 表3kV is something else.
    let glued = !spaced && title.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
    (!sentence && !glued && title.chars().count() <= 100).then_some(title)
}

fn english_title(title: &str, spaced: bool) -> Option<&str> {
    let stripped =
        title.trim_start_matches(|c: char| matches!(c, '.' | ':') || is_dash(c) || c.is_whitespace());
    // A dot alone belongs to the number (Table 1.3.1.2. is amended).
    let mark = title.get(..title.len() - stripped.len()).unwrap_or("");
    let marked = mark.contains(|c: char| c == ':' || is_dash(c));
    let begins_well = stripped
        .chars()
        .next()
        .is_none_or(|c| c.is_uppercase() || c.is_ascii_digit() || is_cjk(c) || matches!(c, '(' | '"' | '“'));
    // `Table 3 shows`, `Table 3, which`: sentences.
    let parted = spaced || !mark.is_empty();
    let opens = stripped.is_empty() || marked || (parted && begins_well);
    (opens && !stripped.starts_with([',', ';']) && stripped.chars().count() <= 160).then_some(stripped)
}
