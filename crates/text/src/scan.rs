//! A cursor over text for the hand-written grammars. It reads full-width forms as their ASCII equals, because the same
//! standard prints `３．２．３` on one page and `3.2.3` on the next.

use crate::number;

/// A position in a text. Copying one is how a grammar tries and goes back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// A cursor at a byte position; at the end when that is not between two characters.
    pub fn at(text: &'a str, at: usize) -> Self {
        Self { text, at: if text.is_char_boundary(at) { at } else { text.len() } }
    }

    pub fn pos(&self) -> usize {
        self.at
    }

    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub fn is_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// What stands before the cursor, as far back as a word can reach.
    pub fn passed(&self) -> &'a str {
        let from =
            (0..=self.at.min(48)).rev().find(|back| self.text.is_char_boundary(self.at - back)).unwrap_or(0);
        self.text.get(self.at - from..self.at).unwrap_or("")
    }

    /// What was passed since an earlier cursor on the same text.
    pub fn since(&self, start: &Self) -> &'a str {
        self.text.get(start.at..self.at).unwrap_or("")
    }

    /// The next character as printed.
    pub fn raw(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The next character, full-width read as ASCII.
    pub fn peek(&self) -> Option<char> {
        self.raw().map(half)
    }

    /// The character before the cursor, full-width read as ASCII.
    pub fn before(&self) -> Option<char> {
        self.text.get(..self.at)?.chars().next_back().map(half)
    }

    pub fn bump(&mut self) -> Option<char> {
        let c = self.raw()?;
        self.at += c.len_utf8();
        Some(half(c))
    }

    pub fn eat(&mut self, wanted: char) -> bool {
        self.eat_if(|c| c == wanted).is_some()
    }

    pub fn eat_if(&mut self, test: impl Fn(char) -> bool) -> Option<char> {
        let c = self.peek()?;
        test(c).then(|| self.bump())?
    }

    /// Passes these very characters, compared after reading full-width as ASCII.
    pub fn eat_str(&mut self, wanted: &str) -> bool {
        let mut ahead = *self;
        if wanted.chars().all(|c| ahead.eat(c)) {
            *self = ahead;
            return true;
        }
        false
    }

    /// Passes an English word in any case, when no letter or digit follows it.
    pub fn eat_word(&mut self, wanted: &str) -> bool {
        let mut ahead = *self;
        let same = wanted.chars().all(|c| ahead.eat_if(|found| found.eq_ignore_ascii_case(&c)).is_some());
        if same && !ahead.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
            *self = ahead;
            return true;
        }
        false
    }

    /// Passes the first of these that stands here.
    pub fn eat_any<'w>(&mut self, wanted: &[&'w str]) -> Option<&'w str> {
        wanted.iter().copied().find(|word| self.eat_str(word))
    }

    /// Passes white space; says whether there was any.
    pub fn skip_spaces(&mut self) -> bool {
        let start = self.at;
        while self.eat_if(char::is_whitespace).is_some() {}
        self.at > start
    }

    /// A run of ASCII or full-width digits as a number, `max_len` digits at most; none when the run is longer.
    pub fn digits(&mut self, max_len: usize) -> Option<u32> {
        let mut ahead = *self;
        let (mut value, mut len) = (0_u32, 0);
        while let Some(digit) = ahead.peek().and_then(|c| c.to_digit(10)) {
            len += 1;
            if len > max_len {
                return None;
            }
            value = value.checked_mul(10)?.checked_add(digit)?;
            ahead.bump();
        }
        (len > 0).then(|| *self = ahead)?;
        Some(value)
    }

    /// A number in digits or in Chinese, or one enclosed number (①). Spaces inside (`第 十 三 条`) are passed.
    pub fn any_number(&mut self) -> Option<u32> {
        if let Some(value) = self.raw().and_then(number::enclosed) {
            self.bump();
            return Some(value);
        }
        self.digits(4).or_else(|| self.cjk_number())
    }

    /// A number in Chinese numerals.
    pub fn cjk_number(&mut self) -> Option<u32> {
        let mut ahead = *self;
        let mut numerals = String::new();
        let mut end = ahead;
        while let Some(c) = ahead.eat_if(number::is_cjk_numeral) {
            numerals.push(c);
            end = ahead;
            // Headings are spread: 第 十 三 条. No number of a document has more numerals than this.
            ahead.skip_spaces();
            if numerals.chars().count() > 12 {
                return None;
            }
        }
        let value = number::parse_cjk(&numerals)?;
        *self = end;
        Some(value)
    }
}

/// Full-width ASCII as ASCII, the ideographic space as a space, anything else as it is.
pub(crate) fn half(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        '\u{3000}' => ' ',
        _ => c,
    }
}

/// Hyphens, dashes and minus signs, all of which stand between the parts of a number somewhere.
pub(crate) fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}' | '\u{2500}'
    )
}

/// Signs that stand between the ends of a range.
pub(crate) fn is_tilde(c: char) -> bool {
    matches!(c, '~' | '\u{FF5E}' | '\u{301C}' | '\u{223C}')
}
