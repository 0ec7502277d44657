//! Notes and plans: 注1, 注①, 注一, （注1） are one label; 方案甲 and 方案A another. Owns labels and the lines that
//! define them; what a note is bound to is assembly's to say.

use regreader_model::AnnotationKind;

use crate::number;
use crate::scan::{Cursor, half, is_dash};
use crate::script::is_cjk;
use crate::units::unit_at;
use crate::words::is_small_word;

/// A line that defines a note or a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotationLabel<'a> {
    /// Canonical label: `注1`, `注` when it has no number, `方案A`.
    pub canonical: String,
    /// Note or plan.
    pub kind: AnnotationKind,
    /// The label as printed.
    pub printed: &'a str,
    /// The text of the note.
    pub rest: &'a str,
}

/// Reads a line that begins a note or a plan.
///
/// ```
/// use regreader_text::parse_definition;
/// let note = parse_definition("注①：开机台数不含调相机。").unwrap();
/// assert_eq!((note.canonical.as_str(), note.rest), ("注1", "开机台数不含调相机。"));
/// assert_eq!(parse_definition("方案甲：切除 2 台机组").unwrap().canonical, "方案A");
/// assert!(parse_definition("注意事项：").is_none());
/// assert!(parse_definition("注1中的限额按全压执行").is_none());
/// ```
pub fn parse_definition(line: &str) -> Option<AnnotationLabel<'_>> {
    let mut start = Cursor::new(line);
    start.skip_spaces();
    let mut cursor = start;
    let open = cursor.eat_if(is_open).is_some();
    cursor.skip_spaces();
    let mut label = label(&mut cursor)?;
    if open {
        cursor.skip_spaces();
        cursor.eat_if(is_close)?;
    }
    // 注（3）… needs no other mark.
    let closed = cursor.before().is_some_and(is_close);
    let mut label_end = cursor;
    let mut spaced = cursor.skip_spaces();
    let mut marked = cursor.eat_if(is_mark).is_some();
    if marked && label.number.is_none() && label.kind == AnnotationKind::Note {
        // 注：1. … and 注：① … carry the number behind the mark.
        let mut ahead = cursor;
        ahead.skip_spaces();
        if let Some(n) = item_number(&mut ahead) {
            label.number = Some(Ordinal::Number(n));
            (cursor, label_end) = (ahead, ahead);
        }
    }
    if !marked && label.number.is_some() {
        let mut ahead = cursor;
        // 注1、… is a mark, 注1、注2 and 方案A、B are a list.
        if ahead.eat_if(|c| matches!(c, '.' | '、')).is_some()
            && !ahead.peek().is_some_and(|c| {
                matches!(c, '注' | '方') || c.is_ascii_alphanumeric() || number::circled(c).is_some()
            })
        {
            (marked, cursor) = (true, ahead);
        }
    }
    spaced |= cursor.skip_spaces();
    let rest = cursor.rest().trim_end();
    let defines = match label.number {
        // 注 and 方案 alone are words; only their colon makes them labels.
        None => marked && label.kind == AnnotationKind::Note,
        Some(_) => marked || ((open || closed || spaced) && !rest.is_empty() && !goes_on(cursor)),
    };
    let english = start.rest().starts_with(|c: char| matches!(half(c), 'n' | 'N'));
    (defines && !(english && reads_as_english_heading(label, rest))).then(|| AnnotationLabel {
        canonical: label.canonical(),
        kind: label.kind,
        printed: label_end.since(&start).trim_end(),
        rest,
    })
}

/// Reads a line that goes on with the list of a note (`注：1. …` is followed by `2. …`, `②…` or `2）…`): the label of
/// the next note, when the number is the one after `previous`.
///
/// ```
/// use regreader_text::annotation::parse_continuation;
/// assert_eq!(parse_continuation("2. 限额按全压给出。", 1).unwrap().canonical, "注2");
/// assert!(parse_continuation("2.5 万千瓦及以上", 1).is_none());
/// ```
pub fn parse_continuation(line: &str, previous: u32) -> Option<AnnotationLabel<'_>> {
    let mut start = Cursor::new(line);
    start.skip_spaces();
    let mut cursor = start;
    let n = item_number(&mut cursor)?;
    (n.checked_sub(1) == Some(previous)).then(|| AnnotationLabel {
        canonical: format!("注{n}"),
        kind: AnnotationKind::Note,
        printed: cursor.since(&start).trim_end(),
        rest: cursor.rest().trim(),
    })
}

/// The canonical form of a label that stands alone, with or without 见 and brackets: 注1 = 注 1 = 注① = 注一 =
/// （注1） = 见注1; 方案甲 = 方案A.
///
/// ```
/// use regreader_text::canonical_label;
/// for text in ["注1", "注 1", "注①", "注一", "（注1）", "見注1", "注１", "Note 1"] {
///     assert_eq!(canonical_label(text).as_deref(), Some("注1"), "{text}");
/// }
/// assert_eq!(canonical_label("注十一").as_deref(), Some("注11"));
/// assert_eq!(canonical_label("方案乙").as_deref(), Some("方案B"));
/// assert_eq!(canonical_label("注意"), None);
/// ```
pub fn canonical_label(text: &str) -> Option<String> {
    let mut cursor = Cursor::new(text);
    let skip_lead =
        |cursor: &mut Cursor<'_>| while cursor.eat_if(|c| c.is_whitespace() || is_open(c)).is_some() {};
    skip_lead(&mut cursor);
    cursor.eat_any(&["详见", "详見", "参见", "参照", "參見", "见", "見", "如", "按", "执行"]);
    skip_lead(&mut cursor);
    let label = label(&mut cursor)?;
    while cursor
        .eat_if(|c| c.is_whitespace() || is_close(c) || is_mark(c) || matches!(c, '。' | '.'))
        .is_some()
    {}
    cursor.is_end().then(|| label.canonical())
}

/// What stands behind 注 or 方案.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ordinal {
    Number(u32),
    Letter(char),
}

/// A label: 注1, 注, 方案A.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label {
    pub kind: AnnotationKind,
    pub number: Option<Ordinal>,
}

impl Label {
    pub fn canonical(self) -> String {
        let word = match self.kind {
            AnnotationKind::Note => "注",
            AnnotationKind::Plan => "方案",
        };
        match self.number {
            Some(Ordinal::Number(n)) => format!("{word}{n}"),
            Some(Ordinal::Letter(c)) => format!("{word}{c}"),
            None => word.to_owned(),
        }
    }
}

/// Passes 注, 备注, 附注, Note or 方案 with its number.
pub(crate) fn label(cursor: &mut Cursor<'_>) -> Option<Label> {
    let mut ahead = *cursor;
    if ahead.eat_str("方案") {
        let number = ordinal(&mut ahead, AnnotationKind::Plan)?;
        *cursor = ahead;
        return Some(Label { kind: AnnotationKind::Plan, number: Some(number) });
    }
    let chinese = ahead.eat_any(&["附注", "备注", "備注", "備註", "注", "註"]).is_some();
    if !chinese && !ahead.eat_word("note") && !ahead.eat_word("notes") {
        return None;
    }
    let number = ordinal(&mut ahead, AnnotationKind::Note);
    *cursor = ahead;
    Some(Label { kind: AnnotationKind::Note, number })
}

/// The number or letter of a label, spaces before it and brackets round it passed.
pub(crate) fn ordinal(cursor: &mut Cursor<'_>, kind: AnnotationKind) -> Option<Ordinal> {
    let mut ahead = *cursor;
    ahead.skip_spaces();
    let open = ahead.eat_if(is_open).is_some();
    let printed = ahead.raw()?;
    let found = if let Some(n) = number::enclosed(printed) {
        ahead.bump();
        Ordinal::Number(n)
    } else if number::is_cjk_numeral(printed) {
        let n = ahead.cjk_number()?;
        // 方案一致, 注一下: the numeral begins another word.
        if ahead.raw().is_some_and(|c| "致旦并经般定样起次切直下些个种律".contains(c)) {
            return None;
        }
        Ordinal::Number(n)
    } else if half(printed).is_ascii_digit() {
        let n = ahead.digits(3)?;
        let mut dot = ahead;
        // 注 0.5% 的溶液, 注 20 毫升: amounts.
        if dot.eat('.') && dot.peek().is_some_and(|c| c.is_ascii_digit()) {
            return None;
        }
        let mut behind = ahead;
        behind.skip_spaces();
        if unit_at(behind.rest()).is_some() || ahead.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            return None;
        }
        Ordinal::Number(n)
    } else if let Some(letter) = stem_letter(printed).filter(|_| kind == AnnotationKind::Plan) {
        ahead.bump();
        Ordinal::Letter(letter)
    } else if half(printed).is_ascii_alphabetic()
        && (kind == AnnotationKind::Plan || !printed.is_ascii_lowercase())
    {
        let letter = ahead.bump()?.to_ascii_uppercase();
        if ahead.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
            return None;
        }
        Ordinal::Letter(letter)
    } else {
        return None;
    };
    if open {
        ahead.eat_if(is_close)?;
    }
    *cursor = ahead;
    Some(found)
}

/// 甲乙丙丁 as A B C D.
fn stem_letter(c: char) -> Option<char> {
    let index = "甲乙丙丁戊己庚辛壬癸".chars().position(|stem| stem == c)?;
    char::from_u32('A' as u32 + index as u32)
}

/// `1.`, `1、`, `1）`, `（1）`, `①` at the beginning of an item, but not 1.5.
fn item_number(cursor: &mut Cursor<'_>) -> Option<u32> {
    let mut ahead = *cursor;
    if let Some(n) = ahead.raw().and_then(number::circled) {
        ahead.bump();
        ahead.eat_if(|c| matches!(c, '.' | '、' | ':'));
        *cursor = ahead;
        return Some(n);
    }
    let open = ahead.eat_if(is_open).is_some();
    let n = ahead.digits(2)?;
    let mark = ahead.eat_if(|c| matches!(c, '.' | '、' | ':') || is_close(c))?;
    if (open && !is_close(mark)) || ahead.peek().is_some_and(|c| c.is_ascii_digit()) {
        return None;
    }
    *cursor = ahead;
    Some(n)
}

/// `NOTE 2 — REVENUE`, `Note 1: Summary of Accounting Policies`: the notes of an annual report are chapters. A note
/// under a table is a sentence.
fn reads_as_english_heading(label: Label, rest: &str) -> bool {
    let sentence = rest
        .split_whitespace()
        .any(|word| word.starts_with(|c: char| c.is_lowercase() || is_cjk(c)) && !is_small_word(word));
    label.number.is_some() && !sentence
}

/// Whether what stands behind a label goes on with a sentence about it.
fn goes_on(mut cursor: Cursor<'_>) -> bool {
    if cursor.peek().is_some_and(|c| matches!(c, '、' | ',' | '。' | ';' | ')' | '》' | '/') || is_dash(c))
    {
        return true;
    }
    cursor
        .eat_any(&[
            "的", "中", "所", "和注", "及注", "与注", "至注", "规定", "执行", "要求", "为", "是", "and", "to",
        ])
        .is_some()
        || cursor.raw().is_some_and(|c| is_cjk(c) && "和及与或至".contains(c))
}

fn is_open(c: char) -> bool {
    matches!(c, '(' | '[' | '〔' | '【' | '<' | '〈')
}

fn is_close(c: char) -> bool {
    matches!(c, ')' | ']' | '〕' | '】' | '>' | '〉')
}

fn is_mark(c: char) -> bool {
    matches!(c, ':' | '\u{FE55}' | '\u{2236}') || is_dash(c)
}
