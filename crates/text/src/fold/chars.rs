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
    };
    let mut unsettled = false;
    let mut done_until = 0;
    for (at, c) in text.char_indices() {
        if at < done_until {
            continue;
        }
        if is_han(c) {
            writer.push(c, at, 3);
            continue;
        }
        match classify(c) {
            Class::Complex => {
                unsettled = true;
                done_until = writer.complex(text, at);
            }
            class => writer.write(class, at, c.len_utf8()),
        }
    }
    Normal { glyphs: writer.glyphs, rewritable: writer.rewritable, unsettled }
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
        '“' | '”' | '„' | '‟' | '「' | '」' | '『' | '』' | '〝' | '〞' | '″' => {
            Class::One('"')
        }
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
        '\u{AD}'
        | '\u{34F}'
        | '\u{61C}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{E0100}'..='\u{E01EF}'
        | '\u{80}'..='\u{84}'
        | '\u{86}'..='\u{9F}' => Class::Nothing,
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
    let settled =
        |c: char| is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes && canonical_combining_class(c) == 0;
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
}

impl Writer {
    fn write(&mut self, class: Class, at: usize, len: usize) {
        match class {
            Class::One(c) => self.push(c, at, len),
            Class::Space => self.space = true,
            Class::Number(n) => {
                // 200① is two hundred with a mark, not 2001.
                self.space |= self.glyphs.last().is_some_and(|last| last.c.is_ascii_digit());
                for digit in n.to_string().chars() {
                    self.push(digit, at, len);
                    self.after_number = false;
                }
                self.after_number = true;
            }
            Class::Text(text) => text.chars().for_each(|c| self.push(c, at, len)),
            Class::Nothing | Class::Complex => {}
        }
    }

    fn push(&mut self, c: char, at: usize, len: usize) {
        // ①2 is an item and an amount, not twelve.
        self.space |= std::mem::take(&mut self.after_number) && c.is_ascii_digit();
        let mut last = self.glyphs.last().map(|glyph| glyph.c);
        let len = len.min(usize::from(u8::MAX)) as u8;
        if self.space {
            self.space = false;
            if let Some(before) = last
                && !(is_tight(c) || is_tight(before))
            {
                self.rewritable |= before.is_ascii_digit();
                self.glyphs.push(Glyph { at, c: ' ', len });
                last = Some(' ');
            }
        }
        if c == '-' && last == Some('-') {
            return;
        }
        self.rewritable |= last.is_some_and(|last| may_rewrite(last, c));
        self.glyphs.push(Glyph { at, c, len });
    }

    /// Writes a run that only NFKC can settle, and says where it ends. NFKC joins a mark with what stands before it, so
    /// the run is taken from one character earlier.
    fn complex(&mut self, text: &str, at: usize) -> usize {
        let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
        let end = rest
            .char_indices()
            .find(|(_, c)| is_han(*c) || classify(*c) != Class::Complex)
            .map_or(text.len(), |(offset, _)| at + offset);
        let start = at - before.chars().next_back().map_or(0, char::len_utf8);
        while let Some(glyph) = self.glyphs.pop_if(|glyph| glyph.at == start) {
            self.space |= glyph.c == ' ';
        }
        let run = text.get(start..end).unwrap_or("");
        let len = run.chars().next().map_or(0, char::len_utf8);
        for c in run.nfkc().flat_map(char::to_lowercase) {
            match classify(c) {
                Class::Complex => self.push(c, start, len),
                class => self.write(class, start, len),
            }
        }
        end
    }
}

/// Whether these two neighbours can be part of something the second half of folding rewrites. Most text has none, and is
/// spared the second pass.
fn may_rewrite(last: char, c: char) -> bool {
    match c {
        'i' | 'v' | 'x' => is_cjk(last) || matches!(last, '、' | '/' | '~'),
        '千' | '兆' | '赫' if last.is_ascii_digit() => true,
        '号' => number::is_cjk_numeral(last),
        _ if last.is_ascii() => matches!(last, 'i' | 'v' | 'x') && is_cjk(c),
        _ => matches!(last, '第' | '录' | '件' | '注') && number::is_cjk_numeral(c),
    }
}

/// Characters that no white space stands next to: it carries no meaning there, and PDF text has it anywhere.
fn is_tight(c: char) -> bool {
    is_cjk(c) || matches!(c, '、' | '。' | '《' | '》')
}
