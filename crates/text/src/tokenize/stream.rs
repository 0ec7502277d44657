//! The pass over folded characters that makes tokens.

use jieba_rs::{Jieba, TokenizeMode};

use super::terms::Terms;
use super::{TokenKind, TokenRef, TokenizerOptions, latin};
use crate::fold::Glyph;
use crate::number;
use crate::script::is_cjk;
use crate::units::{Decimal, Quantity, Unit, unit_at};

/// What is tokenised, and with what.
pub(super) struct Source<'a> {
    pub glyphs: &'a [Glyph],
    pub terms: &'a Terms,
    pub words: Option<&'a Jieba>,
    pub options: TokenizerOptions,
}

pub(super) fn stream(source: &Source<'_>, look: &mut impl FnMut(TokenRef<'_>)) {
    let mut pass = Pass { source, look, position: 0, buffer: String::with_capacity(64), extras: Vec::new() };
    let mut i = 0;
    while let Some(c) = pass.at(i) {
        i = if is_cjk(c) {
            pass.chinese_run(i)
        } else if c.is_alphanumeric() {
            pass.latin_group(i)
        } else {
            i + 1
        };
    }
}

struct Pass<'s, 'a, F> {
    source: &'s Source<'a>,
    look: &'s mut F,
    position: u32,
    /// The text of the token at hand; kept to be written over.
    buffer: String,
    /// jieba's words of a run: offset in it, length, both in characters.
    extras: Vec<(usize, usize)>,
}

impl<F: FnMut(TokenRef<'_>)> Pass<'_, '_, F> {
    fn at(&self, i: usize) -> Option<char> {
        self.source.glyphs.get(i).map(|glyph| glyph.c)
    }

    fn before(&self, i: usize) -> Option<char> {
        self.at(i.checked_sub(1)?)
    }

    /// Hands out the token in the buffer, which covers the glyphs `from..to`.
    fn emit(&mut self, kind: TokenKind, position: u32, from: usize, to: usize) {
        let glyphs = self.source.glyphs;
        let start = glyphs.get(from).map_or(0, |glyph| glyph.at);
        let end = to.checked_sub(1).and_then(|i| glyphs.get(i)).map_or(start, Glyph::end);
        (self.look)(TokenRef { text: &self.buffer, position, kind, start, end });
    }

    /// Hands out the glyphs `from..to` as they are.
    fn emit_glyphs(&mut self, kind: TokenKind, position: u32, from: usize, to: usize) {
        self.buffer.clear();
        self.buffer.extend(self.source.glyphs.get(from..to).unwrap_or(&[]).iter().map(|glyph| glyph.c));
        self.emit(kind, position, from, to);
    }

    /// A run of Chinese characters: bigrams, or the one character, with terms and words beside them.
    fn chinese_run(&mut self, start: usize) -> usize {
        let glyphs = self.source.glyphs.get(start..).unwrap_or(&[]);
        let len = glyphs.iter().take_while(|glyph| is_cjk(glyph.c)).count();
        let end = start + len;
        self.cut_words(start, end);
        let mut words = std::mem::take(&mut self.extras).into_iter().peekable();
        let mut position = self.position;
        for (i, glyph) in (start..end).zip(glyphs) {
            match self.source.glyphs.get(i + 1) {
                Some(next) if i + 1 < end => self.bigram(glyph, next, position),
                // The last character begins no bigram; what begins there shares the place of the last one.
                _ if len > 1 => position = position.saturating_sub(1),
                _ => self.emit_glyphs(TokenKind::Char, position, i, end),
            }
            let last_term = self.terms_at(i, position);
            while let Some((_, word_len)) = words.next_if(|(at, _)| *at == i) {
                if word_len != last_term {
                    self.emit_glyphs(TokenKind::Word, position, i, i + word_len);
                }
            }
            if matches!(glyph.c, '方' | '一' | '二' | '三' | '四' | '五' | '六' | '七' | '八' | '九')
            {
                self.numbered_in_chinese(i, position);
            }
            position += 1;
        }
        self.position += len.saturating_sub(1).max(1) as u32;
        end
    }

    fn bigram(&mut self, first: &Glyph, second: &Glyph, position: u32) {
        self.buffer.clear();
        self.buffer.push(first.c);
        self.buffer.push(second.c);
        (self.look)(TokenRef {
            text: &self.buffer,
            position,
            kind: TokenKind::Bigram,
            start: first.at,
            end: second.end(),
        });
    }

    /// Hands out the terms that begin here; gives the length of the longest.
    fn terms_at(&mut self, i: usize, position: u32) -> usize {
        let terms = self.source.terms;
        let mut longest = 0;
        for len in terms.at(self.source.glyphs.get(i..).unwrap_or(&[])) {
            // Two characters are a bigram already.
            if len >= 3 && self.ends_word(i + len) {
                self.emit_glyphs(TokenKind::Term, position, i, i + len);
                longest = len;
            }
        }
        longest
    }

    /// Whether a term may end before `end`: not inside a Latin word or a number.
    fn ends_word(&self, end: usize) -> bool {
        let last = self.before(end);
        !(last.is_some_and(|c| c.is_ascii_alphanumeric())
            && self.at(end).is_some_and(|c| c.is_ascii_alphanumeric()))
    }

    /// jieba's words of a run, three characters and more, by place.
    fn cut_words(&mut self, start: usize, end: usize) {
        self.extras.clear();
        let Some(jieba) = self.source.words else { return };
        let run: String =
            self.source.glyphs.get(start..end).unwrap_or(&[]).iter().map(|glyph| glyph.c).collect();
        for word in jieba.tokenize(&run, TokenizeMode::Search, false) {
            if word.end.saturating_sub(word.start) >= 3 {
                self.extras.push((start + word.start, word.end - word.start));
            }
        }
        self.extras.sort_unstable();
        self.extras.dedup();
    }

    /// 长南一线 as 长南1线, and 方案甲 as 方案a.
    fn numbered_in_chinese(&mut self, i: usize, position: u32) {
        let Some(c) = self.at(i) else { return };
        if c == '方' && self.at(i + 1) == Some('案') {
            let stem = self.at(i + 2).and_then(|c| "甲乙丙丁戊己庚辛壬癸".chars().position(|stem| stem == c));
            if let Some(index) = stem {
                self.buffer.clear();
                self.buffer.push_str("方案");
                self.buffer.push(char::from(b'a' + index as u8));
                self.emit(TokenKind::Label, position, i, i + 3);
            }
            return;
        }
        let named =
            self.at(i + 1).is_some_and(|next| "线母回段".contains(next)) && self.at(i + 2) != Some('路');
        let from = self.name_start(i);
        if named && from < i {
            let digit = number::parse_cjk(c.encode_utf8(&mut [0; 4])).unwrap_or(0);
            self.device(from, i, digit.to_string().as_str(), i + 2, position);
        }
    }

    /// The two Chinese characters before a number: the name of what it numbers.
    fn name_start(&self, i: usize) -> usize {
        let is_name = |c: char| is_cjk(c) && !number::is_cjk_numeral(c);
        let named = |back: &usize| i.checked_sub(*back).and_then(|i| self.at(i)).is_some_and(is_name);
        i - (1..=2).take_while(named).count()
    }

    fn device(&mut self, from: usize, number_from: usize, number: &str, to: usize, position: u32) {
        let glyphs = self.source.glyphs;
        let name = glyphs.get(from..number_from).unwrap_or(&[]);
        let tail_from = to.saturating_sub(1);
        let tail = glyphs.get(tail_from..to).unwrap_or(&[]);
        self.buffer.clear();
        self.buffer.extend(name.iter().map(|glyph| glyph.c));
        self.buffer.push_str(number);
        self.buffer.extend(tail.iter().map(|glyph| glyph.c));
        self.emit(TokenKind::Device, position, from, to);
    }

    /// Letters and digits that hang together: words, numbers, `6-2`, `cip-006-6`, `500kv`.
    fn latin_group(&mut self, start: usize) -> usize {
        let position = self.position;
        let (end, parts) = self.group_end(start);
        // The whole before its parts, for the parts may take several places.
        if parts > 1 && end - start <= 40 {
            self.emit_glyphs(TokenKind::Compound, position, start, end);
        }
        self.terms_at(start, position);
        self.label(start, end, position);
        self.numbered_device(start, end, position);
        let mut from = start;
        for _ in 0..parts {
            let part_end = self.part_end(from);
            self.part(from, part_end);
            from = part_end + 1;
        }
        // The 's of a genitive is no word.
        let genitive = self.at(end) == Some('\'')
            && self.at(end + 1) == Some('s')
            && !self.at(end + 2).is_some_and(char::is_alphanumeric);
        if genitive { end + 2 } else { end }
    }

    /// Where a group ends, and how many parts it has.
    fn group_end(&self, start: usize) -> (usize, usize) {
        let mut end = self.part_end(start);
        let mut parts = 1;
        while self.at(end).is_some_and(|c| matches!(c, '-' | '/' | '_' | '.'))
            && self.at(end + 1).is_some_and(|c| c.is_alphanumeric() && !is_cjk(c))
        {
            end = self.part_end(end + 1);
            parts += 1;
        }
        (end, parts)
    }

    /// Where a part ends: a run of letters and digits, with the dots of a decimal or a section number and the commas
    /// of thousands.
    fn part_end(&self, start: usize) -> usize {
        let is_digit = |i: usize| self.at(i).is_some_and(|c| c.is_ascii_digit());
        let numeric = is_digit(start) || (is_digit(start + 2) && self.at(start + 1) == Some('.'));
        let mut end = start;
        while let Some(c) = self.at(end) {
            let goes_on = match c {
                '.' => numeric && is_digit(end + 1) && end > start,
                ',' => {
                    numeric
                        && (1..=3).all(|k| is_digit(end + k))
                        && !is_digit(end + 4)
                        && end > start
                        && is_digit(end - 1)
                }
                _ => c.is_alphanumeric() && !is_cjk(c),
            };
            if !goes_on {
                break;
            }
            end += 1;
        }
        end.max(start + 1)
    }

    /// One part: a word, a number, a section number, a quantity with whatever runs on behind it (500kv1 in 500kV1号).
    fn part(&mut self, start: usize, end: usize) {
        let mut from = start;
        while from < end {
            let position = self.position;
            self.position += 1;
            let glyphs = self.source.glyphs.get(from..end).unwrap_or(&[]);
            let digits = glyphs
                .iter()
                .take_while(|glyph| glyph.c.is_ascii_digit() || matches!(glyph.c, '.' | ','))
                .count();
            if digits == glyphs.len() {
                return self.numeral(from, end, position);
            }
            match self.quantity(from, from + digits, end, position) {
                Some(unit_end) => from = unit_end,
                None => return self.word_or_code(from, end, position),
            }
        }
    }

    fn word_or_code(&mut self, start: usize, end: usize, position: u32) {
        let glyphs = self.source.glyphs.get(start..end).unwrap_or(&[]);
        let dotted = glyphs.get(1).is_some_and(|glyph| glyph.c == '.');
        if dotted && glyphs.first().is_some_and(|glyph| glyph.c.is_ascii_alphabetic()) {
            return self.emit_glyphs(TokenKind::Section, position, start, end);
        }
        self.word(start, end, position);
        // gb38755 is also gb and 38755.
        let border = glyphs.iter().position(|glyph| glyph.c.is_ascii_digit()).unwrap_or(0);
        let tail_is_number =
            glyphs.get(border..).is_some_and(|tail| tail.iter().all(|glyph| glyph.c.is_ascii_digit()));
        if border >= 2 && tail_is_number && glyphs.len() - border >= 2 {
            self.emit_glyphs(TokenKind::Latin, position, start, start + border);
            self.emit_glyphs(TokenKind::Number, position, start + border, end);
        }
    }

    fn word(&mut self, start: usize, end: usize, position: u32) {
        self.buffer.clear();
        self.buffer.extend(self.source.glyphs.get(start..end).unwrap_or(&[]).iter().map(|glyph| glyph.c));
        if self.source.options.stem {
            let length = latin::base(&self.buffer).len();
            self.buffer.truncate(length);
        }
        self.emit(TokenKind::Latin, position, start, end);
    }

    /// Digits with dots and commas; the quantity too when a Chinese unit follows (200万千瓦).
    fn numeral(&mut self, start: usize, end: usize, position: u32) {
        self.write_digits(start, end);
        let dots = self.buffer.matches('.').count();
        self.emit(if dots > 1 { TokenKind::Section } else { TokenKind::Number }, position, start, end);
        if dots > 1 || !self.at(end).is_some_and(|c| is_cjk(c) || matches!(c, '%' | '°' | 'ω')) {
            return;
        }
        let behind: String = self.source.glyphs.iter().skip(end).take(5).map(|glyph| glyph.c).collect();
        if let Some(value) = Decimal::parse(&self.buffer)
            && let Some((unit, _)) = unit_at(&behind)
        {
            self.write_quantity(value, unit);
            self.emit(TokenKind::Quantity, position, start, end);
        }
    }

    /// A number with a Latin unit behind it: where the unit ends.
    fn quantity(&mut self, start: usize, border: usize, end: usize, position: u32) -> Option<usize> {
        if border == start {
            return None;
        }
        // No unit has more letters; what stands behind decides whether it is one.
        let tail = self.source.glyphs.get(border..end).unwrap_or(&[]);
        let letters: String = tail.iter().take(8).map(|glyph| glyph.c).collect();
        self.write_digits(start, border);
        let value = Decimal::parse(&self.buffer)?;
        let (unit, len) = unit_at(&letters)?;
        let unit_end = border + letters.get(..len)?.chars().count();
        self.write_quantity(value, unit);
        self.emit(TokenKind::Quantity, position, start, unit_end);
        self.write_digits(start, border);
        self.emit(TokenKind::Number, position, start, border);
        Some(unit_end)
    }

    fn write_digits(&mut self, start: usize, end: usize) {
        self.buffer.clear();
        let glyphs = self.source.glyphs.get(start..end).unwrap_or(&[]);
        self.buffer.extend(glyphs.iter().map(|glyph| glyph.c).filter(|c| *c != ','));
    }

    fn write_quantity(&mut self, value: Decimal, unit: Unit) {
        self.buffer.clear();
        let quantity = Quantity { value, unit };
        let text = quantity.normalised().unwrap_or(quantity).to_string();
        self.buffer.extend(text.chars().flat_map(char::to_lowercase));
    }

    /// 表6-2, 注1, 附录a, 第13条: the label with its number as one token.
    fn label(&mut self, start: usize, end: usize, position: u32) {
        let before = |back: usize| start.checked_sub(back).and_then(|i| self.at(i));
        let from = match (before(2), before(1)) {
            (_, Some('表' | '图' | '注')) => start - 1,
            (Some('附'), Some('录' | '件')) | (Some('方'), Some('案')) => start - 2,
            (_, Some('第')) if self.at(end).is_some_and(|c| "章节条款项篇编".contains(c)) => {
                return self.emit_glyphs(TokenKind::Label, position, start - 1, end + 1);
            }
            _ => return,
        };
        let single = end - start == 1 || self.at(start).is_some_and(|c| c.is_ascii_digit());
        if single || self.at(start + 1) == Some('.') {
            self.emit_glyphs(TokenKind::Label, position, from, end);
        }
    }

    /// 长南1线, 1母, 1号主变, #1主变.
    fn numbered_device(&mut self, start: usize, end: usize, position: u32) {
        let signed = start.checked_sub(1).and_then(|i| self.at(i)) == Some('#');
        if !signed && !self.at(end).is_some_and(|c| "号#线母段回极".contains(c)) {
            return;
        }
        // 500kv1母: the number behind the unit.
        let digits = self
            .source
            .glyphs
            .get(start..end)
            .unwrap_or(&[])
            .iter()
            .rev()
            .take_while(|glyph| glyph.c.is_ascii_digit())
            .count();
        let from = end - digits;
        let after_unit = from > start && self.before(from).is_some_and(|c| c.is_ascii_alphabetic());
        if digits == 0 || digits > 3 || (from > start && !after_unit) {
            return;
        }
        let number: String =
            self.source.glyphs.get(from..end).unwrap_or(&[]).iter().map(|glyph| glyph.c).collect();
        match self.at(end) {
            Some('号' | '#') => self.numbered_by_sign(from, end + 1, &number, position),
            Some(_) if signed && from == start => {
                self.numbered_by_sign(from - 1, end, &number, position);
            }
            Some('线' | '母' | '段' | '回' | '极') => {
                let name_from = if after_unit { from } else { self.name_start(from) };
                self.device(name_from, from, &number, end + 1, position);
            }
            _ => {}
        }
    }

    /// 1号主变: the number and the two characters it numbers.
    fn numbered_by_sign(&mut self, from: usize, sign_end: usize, number: &str, position: u32) {
        let to = (0..2).take_while(|k| self.at(sign_end + k).is_some_and(is_cjk)).count() + sign_end;
        if to == sign_end {
            return;
        }
        self.buffer.clear();
        self.buffer.push_str(number);
        self.buffer.push('号');
        let tail = self.source.glyphs.get(sign_end..to).unwrap_or(&[]);
        self.buffer.extend(tail.iter().map(|glyph| glyph.c));
        self.emit(TokenKind::Device, position, from, to);
    }
}
