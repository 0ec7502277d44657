//! The first half of folding: each character by itself, and the white space between them.

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::Glyph;
use crate::number;
use crate::scan::{half, is_dash, is_tilde};
use crate::script::is_cjk;

/// A text after the first half.
pub(super) struct Normal {
    pub glyphs: Vec<Glyph>,
    /// Characters stand in it that the second half may rewrite.
    pub rewritable: bool,
    /// Characters stood in it whose normal form may fold further.
    pub unsettled: bool,
}

pub(super) fn normalise(text: &str) -> Normal {
    let mut writer = Writer {
        glyphs: Vec::with_capacity(text.len() / 2),
        space: false,
        after_number: false,
        rewritable: false,
        unsettled: false,
    };
    // The state before the last source character, in case a combining mark behind it takes it along.
    let mut before = Saved { at: 0, len: 0, space: false };
    let mut done_until = 0;
    for (at, c) in text.char_indices() {
        if at < done_until {
            continue;
        }
        let here = Saved { at, len: writer.glyphs.len(), space: writer.space };
        if is_han(c) {
            writer.push(c, at);
        } else {
            let class = classify(c);
            if class == Class::Complex {
                // NFKC joins a mark with what stands before it, so the run is normalised from one character earlier.
                let rest = text.get(at..).unwrap_or("");
                let end = rest
                    .char_indices()
                    .find(|(_, c)| is_han(*c) || classify(*c) != Class::Complex)
                    .map_or(text.len(), |(offset, _)| at + offset);
                writer.glyphs.truncate(before.len);
                writer.space = before.space;
                writer.run(text.get(before.at..end).unwrap_or(""), before.at);
                done_until = end;
                before = Saved { at: end, len: writer.glyphs.len(), space: writer.space };
                continue;
            }
            writer.write(class, at);
        }
        before = here;
    }
    Normal { glyphs: writer.glyphs, rewritable: writer.rewritable, unsettled: writer.unsettled }
}

struct Saved {
    at: usize,
    len: usize,
    space: bool,
}

/// What becomes of a character.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// This character.
    One(char),
    /// White space.
    Space,
    /// Nothing: it is not seen.
    Nothing,
    /// A number that was one character (①, Ⅰ, ²).
    Number(u32),
    /// These characters.
    Text(&'static str),
    /// Whatever NFKC makes of it and its neighbours.
    Complex,
}

fn is_han(c: char) -> bool {
    ('\u{4E00}'..='\u{9FFF}').contains(&c)
}

pub(super) fn classify(c: char) -> Class {
    if c.is_ascii() {
        return ascii(c);
    }
    if is_dash(c) {
        return Class::One('-');
    }
    if is_tilde(c) {
        return Class::One('~');
    }
    match c {
        '\u{FF01}'..='\u{FF5E}' => ascii(half(c)),
        '、' | '。' | '《' | '》' | '·' | '×' | '≥' | '≤' => Class::One(c),
        '“' | '”' | '„' | '‟' | '「' | '」' | '『' | '』' | '〝' | '〞' | '″' => Class::One('"'),
        '‘' | '’' | '‚' | '‛' | '′' => Class::One('\''),
        '【' | '〔' | '〖' => Class::One('['),
        '】' | '〕' | '〗' => Class::One(']'),
        '〈' => Class::One('《'),
        '〉' => Class::One('》'),
        '•' | '‧' | '・' | '･' | '⋅' | '∙' => Class::One('·'),
        '､' => Class::One('、'),
        '｡' => Class::One('。'),
        '…' => Class::Text("..."),
        '℃' => Class::Text("°c"),
        '㎸' => Class::Text("kv"),
        '㎾' => Class::Text("kw"),
        '㎿' => Class::Text("mw"),
        // Soft hyphen, zero-width characters, direction marks, variation selectors, C1 controls.
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{E0100}'..='\u{E01EF}'
        | '\u{80}'..='\u{84}' | '\u{86}'..='\u{9F}' => Class::Nothing,
        _ if c.is_whitespace() => Class::Space,
        '\u{B2}' | '\u{B3}' => Class::Number(c as u32 - 0xB0),
        '\u{B9}' => Class::Number(1),
        '\u{2070}' | '\u{2074}'..='\u{2079}' => Class::Number(c as u32 - 0x2070),
        '\u{2080}'..='\u{2089}' => Class::Number(c as u32 - 0x2080),
        _ => match number::enclosed(c) {
            Some(n) => Class::Number(n),
            None => other(c),
        },
    }
}

fn ascii(c: char) -> Class {
    match c {
        // The separators of old data formats (FS to US) count as white space too.
        ' ' | '\t'..='\r' | '\u{1C}'..='\u{1F}' => Class::Space,
        _ if c.is_ascii_control() => Class::Nothing,
        _ => Class::One(c.to_ascii_lowercase()),
    }
}

/// A character that needs the Unicode tables: itself in lower case when it stands on its own.
fn other(c: char) -> Class {
    let settled = |c: char| {
        is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes && canonical_combining_class(c) == 0
    };
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(lower), None) if settled(c) && settled(lower) => Class::One(lower),
        _ => Class::Complex,
    }
}

struct Writer {
    glyphs: Vec<Glyph>,
    /// White space was passed and not yet written.
    space: bool,
    /// The last thing written was a number that was one character.
    after_number: bool,
    rewritable: bool,
    unsettled: bool,
}

impl Writer {
    fn write(&mut self, class: Class, at: usize) {
        match class {
            Class::One(c) => self.push(c, at),
            Class::Space => self.space = true,
            Class::Nothing => {}
            Class::Number(n) => {
                // 200① is two hundred with a mark, not 2001.
                self.space |= self.glyphs.last().is_some_and(|last| last.c.is_ascii_digit());
                for digit in n.to_string().chars() {
                    self.push(digit, at);
                    self.after_number = false;
                }
                self.after_number = true;
            }
            Class::Text(text) => text.chars().for_each(|c| self.push(c, at)),
            Class::Complex => {}
        }
    }

    fn push(&mut self, c: char, at: usize) {
        // ①2 is an item and an amount, not twelve.
        self.space |= std::mem::take(&mut self.after_number) && c.is_ascii_digit();
        if self.space {
            self.space = false;
            if let Some(last) = self.glyphs.last()
                && !(is_tight(last.c) || is_tight(c))
            {
                self.glyphs.push(Glyph { c: ' ', at });
            }
        }
        if c == '-' && self.glyphs.last().is_some_and(|last| last.c == '-') {
            return;
        }
        self.rewritable |= matches!(c, '第' | '注' | '附' | '号' | '千' | '兆' | '赫' | 'i' | ' ' | 'k' | 'm' | 'h' | '%' | '°');
        self.glyphs.push(Glyph { c, at });
    }

    /// A run that only NFKC can settle.
    fn run(&mut self, run: &str, at: usize) {
        self.unsettled = true;
        for c in run.nfkc().flat_map(char::to_lowercase) {
            match classify(c) {
                Class::Complex => self.push(c, at),
                class => self.write(class, at),
            }
        }
    }
}

/// Characters that no white space stands next to: it carries no meaning there, and PDF text has it anywhere.
fn is_tight(c: char) -> bool {
    is_cjk(c) || matches!(c, '、' | '。' | '《' | '》')
}
