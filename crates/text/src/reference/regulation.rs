//! Other regulations in a text: 《…》, standard codes, and laws named without brackets (依照刑法第十条).

use std::sync::LazyLock;

use regreader_model::{ReferenceKind, ReferenceTarget};

use crate::code::code_at;
use crate::numbering::{Numbering, decimal};
use crate::scan::{Cursor, half};
use crate::script::is_cjk;
use crate::words::{WORDS, words_of};

/// A regulation that was named, waiting for a place in it.
#[derive(Debug, Clone)]
pub(super) struct Linked {
    pub name: String,
    /// Where its name ends.
    pub place_from: usize,
    /// A place in it was already named; further ones of the list belong to it too.
    pub in_list: bool,
}

impl Linked {
    /// Whether a place behind `between` still belongs to the regulation.
    pub fn reaches(&self, between: &str) -> bool {
        let words: &[&str] = if self.in_list {
            &["、", "和", "与", "及", "或", "以及", "或者", "至", "，", ",", "and", "or", "的", "中"]
        } else {
            &["", "中", "的", "中的", "之", ",", "，", "’s", "'s"]
        };
        let between = between.trim();
        words.contains(&between)
    }
}

/// 《title》, brackets inside counted, with a code or short name in （）behind it passed.
pub(super) fn title(start: Cursor<'_>) -> Option<(Linked, Cursor<'_>)> {
    let mut cursor = start;
    cursor.bump();
    let inside = cursor;
    let mut depth = 1_u32;
    let mut close = cursor;
    for _ in 0..100 {
        close = cursor;
        match cursor.bump()? {
            '《' => depth += 1,
            '》' => depth -= 1,
            '\n' if depth > 4 => return None,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    if depth > 0 {
        return None;
    }
    // A title broken over lines keeps no line break.
    let name: String = close.since(&inside).split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return None;
    }
    let mut place = cursor;
    skip_bracket(&mut place);
    Some((Linked { name, place_from: place.pos(), in_list: false }, cursor))
}

/// （以下简称…）, (GB 38755—2019).
fn skip_bracket(cursor: &mut Cursor<'_>) {
    let mut ahead = *cursor;
    ahead.skip_spaces();
    if !ahead.eat('(') {
        return;
    }
    for _ in 0..60 {
        match ahead.bump() {
            Some(')') => {
                *cursor = ahead;
                return;
            }
            Some(_) => {}
            None => return,
        }
    }
}

/// GB/T 38755—2019, DL 755, Q/GDW 1799.1, CIP-006-6.
pub(super) fn code(start: Cursor<'_>) -> Option<(Linked, Cursor<'_>)> {
    let (code, end) = code_at(start)?;
    Some((Linked { name: code.name, place_from: end.pos(), in_list: false }, end))
}

/// What the name of a law or regulation ends in.
static NAME_ENDS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "ends of names"));
/// Words that end in 法 and name no law.
static NO_LAWS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "no laws"));
/// Words before a name that are not part of it.
static BEFORE_NAME: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "before a name"));

/// A regulation named without brackets directly before a place (依照刑法第十条): its name and where it begins. None for
/// 本规程, which is the text's own.
pub(super) fn plain_name(text: &str, place: usize) -> Option<(String, usize)> {
    let before = text.get(..place)?;
    let trimmed = before.trim_end_matches([' ', '\u{3000}']);
    if !NAME_ENDS.iter().any(|end| trimmed.ends_with(end))
        || NO_LAWS.iter().any(|word| trimmed.ends_with(word))
    {
        return None;
    }
    let mut begin = trimmed.len();
    for (at, c) in trimmed.char_indices().rev().take(30) {
        if !is_cjk(c) || matches!(c, '的' | '按' | '由' | '了' | '将' | '除' | '见') {
            break;
        }
        let head = trimmed.get(..at).unwrap_or("");
        // 裁决有民事诉讼法第…条: 有 is a verb, but 国有 and 所有 belong to names.
        if c == '有' && !head.ends_with(['国', '所', '公', '私', '共', '专', '享', '特']) {
            break;
        }
        // 合同法和劳动法: a new name begins behind the joining word; 供应与使用条例 is one name.
        if matches!(c, '和' | '与' | '及' | '或') && NAME_ENDS.iter().any(|end| head.ends_with(end)) {
            break;
        }
        begin = at;
        if BEFORE_NAME.iter().any(|word| head.ends_with(word)) || matches!(c, '本' | '该') {
            break;
        }
    }
    let name = trimmed.get(begin..)?;
    let own = name.starts_with('本')
        || NAME_ENDS.contains(&name) && name.chars().count() == 2 && !name.ends_with('规');
    // A single 法 is a fragment.
    (!own && name.chars().count() >= 2).then(|| (name.to_owned(), begin))
}

/// A regulation's alias or id before a place in a user's words: `稳规2024`, `angui_2024`, `调度规程`.
pub(super) fn alias(before: &str) -> Option<String> {
    let name = before.trim().trim_end_matches(['的', '中', '见', '：', ':', '，', ',', '按']).trim();
    let name = ["请查", "查看", "查", "请看", "看", "按照", "按", "根据", "详见", "参见", "见"]
        .iter()
        .find_map(|lead| name.strip_prefix(lead))
        .unwrap_or(name)
        .trim();
    let is_id = !name.is_empty()
        && name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
        && name.contains(|c: char| c.is_ascii_alphabetic());
    let stem = name.trim_end_matches(|c: char| half(c).is_ascii_digit() || matches!(c, '版' | '年' | ' '));
    let is_alias = name.chars().count() <= 30
        && name.chars().all(|c| is_cjk(c) || half(c).is_ascii_alphanumeric() || c == ' ')
        && (stem.ends_with('规') || NAME_ENDS.iter().any(|end| stem.ends_with(end)))
        && !stem.starts_with('本')
        && stem.chars().count() >= 2;
    (is_id || is_alias).then(|| name.to_owned())
}

/// `稳规 2.1.4`: an alias with a bare section number.
pub(super) fn alias_and_number(text: &str) -> Option<ReferenceTarget> {
    let digits_from =
        text.char_indices().rev().take_while(|(_, c)| half(*c).is_ascii_digit() || half(*c) == '.').last()?.0;
    let name = alias(text.get(..digits_from)?)?;
    let mut cursor = Cursor::at(text, digits_from);
    let parts = decimal(&mut cursor)?;
    (cursor.is_end() && parts.len() > 1).then(|| ReferenceTarget {
        kind: ReferenceKind::Section,
        number: Numbering::Decimal(parts).to_string(),
        regulation: Some(name),
    })
}
