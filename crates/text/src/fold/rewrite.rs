//! The second half of folding: rules that look at neighbours. Each turns a longer spelling into digits or a Latin
//! unit, and none makes a text that another rule would change again.

use std::sync::LazyLock;

use super::Glyph;
use crate::number;
use crate::script::is_cjk;
use crate::words::{WORDS, words_of};

pub(super) fn rewrite(glyphs: &[Glyph]) -> Vec<Glyph> {
    let mut out: Vec<Glyph> = Vec::with_capacity(glyphs.len() + 8);
    let mut i = 0;
    while let Some(&glyph) = glyphs.get(i) {
        let taken = match glyph.c {
            'i' | 'v' | 'x' => {
                roman(glyphs, i, &out).map(|(n, len)| write_number(&mut out, n, glyphs, i, len))
            }
            'k' => voltage_then_roman(glyphs, i, &out).map(|(n, len)| {
                out.extend(glyphs.get(i..i + 2).unwrap_or(&[]));
                write_number(&mut out, n, glyphs, i + 2, len - 2) + 2
            }),
            '千' | '兆' | '赫' => {
                unit(glyphs, i, &out).map(|(latin, len)| write_text(&mut out, latin, glyphs, i, len))
            }
            ' ' => joins_unit(glyphs, i, &out).then_some(1),
            c if number::is_cjk_numeral(c) => {
                numeral(glyphs, i, &out).map(|(n, len)| write_number(&mut out, n, glyphs, i, len))
            }
            _ => None,
        };
        if let Some(len) = taken {
            i += len;
        } else {
            out.push(glyph);
            i += 1;
        }
    }
    out
}

fn write_number(out: &mut Vec<Glyph>, n: u32, glyphs: &[Glyph], i: usize, len: usize) -> usize {
    write_text(out, &n.to_string(), glyphs, i, len)
}

/// Writes a text in the place of `len` glyphs. Its last character ends where they end.
fn write_text(out: &mut Vec<Glyph>, text: &str, glyphs: &[Glyph], i: usize, len: usize) -> usize {
    let Some(first) = glyphs.get(i) else { return len };
    let last = glyphs.get(i + len - 1).unwrap_or(first);
    let count = text.chars().count();
    for (k, c) in text.chars().enumerate() {
        // Character for character as far as it goes, so that a mark on the text falls on the right one.
        let source = if k + 1 == count { last } else { glyphs.get(i + k.min(len - 1)).unwrap_or(last) };
        out.push(Glyph { c, ..*source });
    }
    len
}

fn at(glyphs: &[Glyph], i: usize) -> Option<char> {
    glyphs.get(i).map(|glyph| glyph.c)
}

fn before(glyphs: &[Glyph], i: usize) -> Option<char> {
    at(glyphs, i.checked_sub(1)?)
}

/// What Roman numerals number: 长南Ⅰ线, Ⅱ母, Ⅲ段, Ⅰ回, Ⅱ类.
const NUMBERED: &str = "线母段回号路级类期组套极区型站厂机";

/// A Latin I, II, IV… that stands for a number: behind a Chinese character, or before one that is numbered so. V and X
/// alone stay: they are a unit and a placeholder (XX 系统).
fn roman(glyphs: &[Glyph], i: usize, out: &[Glyph]) -> Option<(u32, usize)> {
    let previous = before(glyphs, i);
    if previous.is_some_and(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let (n, len) = roman_letters(glyphs, i)?;
    let next = at(glyphs, i + len);
    let after_next = at(glyphs, i + len + 1);
    let ends = match next {
        Some(' ' | '-' | '.' | '_') => !after_next.is_some_and(|c| c.is_ascii_alphanumeric()),
        Some(c) => !c.is_ascii_alphanumeric(),
        None => true,
    };
    let numbers_next = next.is_some_and(|c| NUMBERED.contains(c)) || begins_pair(glyphs, i + len);
    // Ⅰ、Ⅱ线 and Ⅰ/Ⅱ: the second of a pair whose first became a digit.
    let pairs = matches!(previous, Some('、' | '/' | '~'))
        && out.len().checked_sub(2).and_then(|i| at(out, i)).is_some_and(|c| c.is_ascii_digit());
    (ends && (numbers_next || pairs || previous.is_some_and(is_cjk))).then_some((n, len))
}

/// Whether a second numeral follows with what both number: the I of I、II线.
fn begins_pair(glyphs: &[Glyph], joint: usize) -> bool {
    if !at(glyphs, joint).is_some_and(|c| matches!(c, '、' | '/' | '~' | '和' | '及')) {
        return false;
    }
    let digit = at(glyphs, joint + 1).is_some_and(|c| c.is_ascii_digit()).then_some(1);
    let len = digit.or_else(|| roman_letters(glyphs, joint + 1).map(|(_, len)| len));
    len.is_some_and(|len| at(glyphs, joint + 1 + len).is_some_and(|c| NUMBERED.contains(c)))
}

/// A strict Roman numeral of i, v and x with at least one i; the letters end where it ends.
fn roman_letters(glyphs: &[Glyph], i: usize) -> Option<(u32, usize)> {
    let letters: String =
        glyphs.get(i..)?.iter().take(8).map(|glyph| glyph.c).take_while(char::is_ascii_alphabetic).collect();
    if letters.len() > 7 || !letters.contains('i') || !letters.chars().all(|c| matches!(c, 'i' | 'v' | 'x')) {
        return None;
    }
    Some((number::parse_roman(&letters)?, letters.len()))
}

/// 500kVI母线: the I is the busbar's, not the unit's. Gives the number and the length of `kvi`.
fn voltage_then_roman(glyphs: &[Glyph], i: usize, out: &[Glyph]) -> Option<(u32, usize)> {
    if !out.last()?.c.is_ascii_digit() || at(glyphs, i + 1) != Some('v') {
        return None;
    }
    let (n, len) = roman_letters(glyphs, i + 2)?;
    at(glyphs, i + 2 + len).is_some_and(|c| NUMBERED.contains(c)).then_some((n, len + 2))
}

/// Units as documents print them behind a number, longer before shorter.
const UNITS: [(&str, &str); 11] = [
    ("千伏安", "kva"),
    ("千伏", "kv"),
    ("千瓦时", "kwh"),
    ("千瓦", "kw"),
    ("千乏", "kvar"),
    ("千安", "ka"),
    ("兆瓦时", "mwh"),
    ("兆瓦", "mw"),
    ("兆伏安", "mva"),
    ("兆乏", "mvar"),
    ("赫兹", "hz"),
];

fn unit(glyphs: &[Glyph], i: usize, out: &[Glyph]) -> Option<(&'static str, usize)> {
    if !out.last()?.c.is_ascii_digit() {
        return None;
    }
    UNITS.into_iter().find_map(|(chinese, latin)| {
        let len = chinese.chars().count();
        let same = chinese.chars().enumerate().all(|(offset, c)| at(glyphs, i + offset) == Some(c));
        let next = at(glyphs, i + len);
        // 500千伏安控装置 is 500 kV and a 安控装置.
        let other_word = chinese.ends_with('安') && next.is_some_and(|c| "控全稳装自排置".contains(c));
        // A Latin letter directly behind would run into the unit.
        let collides = next.is_some_and(|c| c.is_ascii_alphabetic()) && roman(glyphs, i + len, out).is_none();
        (same && !other_word && !collides).then_some((latin, len))
    })
}

/// Whether the space at `i` stands between a number and its unit: 500 kV is 500kV.
fn joins_unit(glyphs: &[Glyph], i: usize, out: &[Glyph]) -> bool {
    static JOINED: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "units behind a space"));
    if !out.last().is_some_and(|last| last.c.is_ascii_digit()) {
        return false;
    }
    match at(glyphs, i + 1) {
        Some('%' | '°') => true,
        Some('k' | 'm' | 'g' | 'h') => {
            let tail = glyphs.get(i + 1..).unwrap_or(&[]);
            let letters: String =
                tail.iter().take(6).map(|glyph| glyph.c).take_while(char::is_ascii_alphanumeric).collect();
            JOINED.contains(&letters.as_str())
        }
        _ => false,
    }
}

/// Numerals that number something: behind 第, 附录, 附件 and 注, and before 号.
fn numeral(glyphs: &[Glyph], i: usize, out: &[Glyph]) -> Option<(u32, usize)> {
    let behind = |back: usize| out.len().checked_sub(back).and_then(|i| at(out, i));
    let ordinal = match behind(1) {
        Some('第') => true,
        Some('录' | '件') => behind(2) == Some('附'),
        Some('注') => behind(2).is_none_or(|c| !is_cjk(c) || "见按如和及与表".contains(c)),
        _ => false,
    };
    if out.last().is_some_and(|last| number::is_cjk_numeral(last.c)) {
        return None;
    }
    let numerals: String = glyphs
        .get(i..)?
        .iter()
        .take(13)
        .map(|glyph| glyph.c)
        .take_while(|c| number::is_cjk_numeral(*c))
        .collect();
    let len = numerals.chars().count();
    let next = at(glyphs, i + len);
    let counted =
        next == Some('号') && !behind(1).is_some_and(|c| c.is_ascii_digit() || "统同逐单".contains(c));
    // 附件一并报送, 注一下: the numeral begins another word.
    let other_word =
        behind(1) != Some('第') && next.is_some_and(|c| "致旦并经般定样起次切直下些个种律".contains(c));
    ((ordinal && !other_word) || counted).then_some(())?;
    (len <= 12).then(|| number::parse_cjk(&numerals))?.map(|n| (n, len))
}
