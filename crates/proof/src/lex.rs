//! One lexer for pages and statements: numbers with their units, words, single Chinese characters, and the marks between
//! them. Whatever it does, it does to both sides, so two texts are compared as a reader compares them and a number cannot
//! be hidden from one side only.

use std::fmt;

use regreader_text::number::{enclosed, is_cjk_numeral, parse_cjk, parse_roman};
use regreader_text::script::is_cjk;
use regreader_text::units::{Decimal, Unit, unit_at};
use regreader_text::{Quantity, is_article, nfkc};

use crate::classes::{Class, classes};

/// Text longer than this is not read: no statement and no paragraph of a page comes near it.
const MAX_CHARS: usize = 200_000;

/// A unit of meaning that must be found on the page.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Token {
    /// A number without a unit.
    Number(Decimal),
    /// A number with its unit, in the base unit of its dimension.
    Quantity(Decimal, &'static str),
    /// A Latin word, a clause number (`6.2.1`) or a code, in lower case.
    Word(Box<str>),
    /// A Chinese character or a sign.
    Char(char),
    /// A member of a closed class of function words, such as 不得 and "shall not".
    Class(Class),
}

impl Token {
    /// Whether it is a number, with or without a unit.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Quantity(..))
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Quantity(value, unit) => write!(f, "{value} {unit}"),
            Self::Word(word) => f.write_str(word),
            Self::Char(c) => write!(f, "{c}"),
            Self::Class(class) => f.write_str(class.name()),
        }
    }
}

/// How strongly a mark divides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Break {
    /// No mark, or one that divides nothing (quotation marks, 、).
    #[default]
    None,
    /// A comma, a bracket, the border of a cell.
    Clause,
    /// A colon.
    Colon,
    /// The end of a sentence, a semicolon, a new line.
    Sentence,
    /// A line that is nothing but an ellipsis: whoever quotes says that something is left out here.
    Gap,
}

/// A token with what stands before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lexeme {
    /// The token.
    pub token: Token,
    /// The strongest mark between the token before and this one.
    pub before: Break,
    /// It stands in brackets.
    pub bracketed: bool,
    /// Which quotation it stands in, from 1; 0 outside of any.
    pub quotation: u16,
    /// It belongs to a word that narrows what a sentence says (若, 除, "unless").
    pub restricts: bool,
    /// Bytes of the normal form it was read from.
    pub at: (usize, usize),
}

/// A text in tokens.
#[derive(Debug, Clone, Default)]
pub struct Lexed {
    /// The normal form that the tokens point into.
    pub text: String,
    /// The tokens, free words left out.
    pub tokens: Vec<Lexeme>,
}

impl Lexed {
    /// The words that a run of tokens was read from.
    pub fn words(&self, from: usize, to: usize) -> &str {
        let (Some(first), Some(last)) = (self.tokens.get(from), self.tokens.get(to.saturating_sub(1))) else {
            return "";
        };
        self.text.get(first.at.0..last.at.1).unwrap_or_default()
    }
}

/// Characters that nobody sees and that split or reorder what is seen: format and control characters, fillers, variation
/// selectors. A statement that holds one is refused.
///
/// ```
/// use regreader_proof::is_unseen;
/// assert!(is_unseen('\u{200B}') && is_unseen('\u{202E}') && is_unseen('\u{AD}'));
/// assert!(!is_unseen('母') && !is_unseen('\n'));
/// ```
pub fn is_unseen(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || matches!(c as u32,
            0xAD | 0x34F | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
            | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0
            | 0xFFF9..=0xFFFB | 0x110BD | 0x110CD | 0x13430..=0x1345F | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
            | 0xE0000..=0xE0FFF)
}

/// Reads a text into tokens.
pub fn lex(text: &str) -> Lexed {
    let mut lexed = lex_raw(text);
    lexed.tokens = classes().rewrite(&lexed.tokens);
    lexed
}

/// The tokens before function words are put into their classes.
pub(crate) fn lex_raw(text: &str) -> Lexed {
    let text = normal_form(text);
    let mut lexer = Lexer { text: &text, at: 0, out: Vec::new(), mark: Mark::default() };
    lexer.run();
    let tokens = join_ranges(lexer.out);
    Lexed { text, tokens }
}

/// Full-width and mathematical forms as plain characters; powers and indices kept apart from the number before them. The raised
/// number of a footnote behind a full stop or a comma (`the study.¹⁰⁴ Upon approval`) is no word of the sentence and goes.
fn normal_form(text: &str) -> String {
    let text: String = text.chars().take(MAX_CHARS).collect();
    let text = nfkc(&text);
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let after_digit = out.ends_with(|c: char| c.is_ascii_digit());
        match c {
            _ if is_raised(c) && out.ends_with(is_before_footnote) => {
                let rest = chars.as_str().trim_start_matches(is_raised);
                if rest.is_empty() || rest.starts_with(char::is_whitespace) {
                    chars = rest.chars();
                } else {
                    out.push(raised(c));
                }
            }
            _ if is_raised(c) => {
                if after_digit {
                    out.push('^');
                }
                out.push(raised(c));
            }
            '₀'..='₉' => {
                if after_digit {
                    out.push('_');
                }
                out.push(digit(c as u32 - '₀' as u32));
            }
            '\u{1D7CE}'..='\u{1D7FF}' => out.push(digit((c as u32 - 0x1D7CE) % 10)),
            'Ω' => out.push('Ω'),
            'µ' => out.push('μ'),
            '−' | '‐' | '‑' | '‒' | '–' => out.push('-'),
            // Nobody sees it: between letters it is a line break of the print, at a digit it would make another number.
            _ if is_unseen(c) => {
                if after_digit {
                    out.push('\u{FFFD}');
                }
            }
            _ => out.push(c),
        }
    }
    out
}

fn is_raised(c: char) -> bool {
    matches!(c, '⁰' | '¹' | '²' | '³' | '⁴'..='⁹')
}

/// The digit that a raised one is.
fn raised(c: char) -> char {
    match c {
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        _ => digit(c as u32 - '⁰' as u32),
    }
}

fn is_before_footnote(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | ':' | '?' | '!' | '”' | '’' | '"' | '。' | '，' | '；')
}

fn digit(value: u32) -> char {
    char::from_digit(value, 10).unwrap_or('\u{FFFD}')
}

#[derive(Default, Clone, Copy)]
struct Mark {
    before: Break,
    brackets: u16,
    quotation: u16,
    quotations: u16,
}

/// A number keeps its unit until ranges are joined.
struct Raw {
    lexeme: Lexeme,
    unit: Option<(Decimal, Option<Unit>)>,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    out: Vec<Raw>,
    mark: Mark,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn previous(&self) -> Option<char> {
        self.text.get(..self.at)?.chars().next_back()
    }

    fn run(&mut self) {
        while let Some(c) = self.rest().chars().next() {
            let start = self.at;
            if c.is_ascii_digit() {
                self.number();
            } else if let Some(value) = enclosed(c) {
                self.at += c.len_utf8();
                self.push_number(start, Decimal::parse(&value.to_string()), None);
            } else if is_cjk_numeral(c) {
                self.chinese_number();
            } else if is_cjk(c) {
                self.at += c.len_utf8();
                self.push(start, Token::Char(c));
            } else if c.is_alphanumeric() {
                self.word();
            } else {
                self.at += c.len_utf8();
                self.sign(start, c);
            }
        }
    }

    fn push(&mut self, start: usize, token: Token) {
        self.push_raw(start, token, None);
    }

    fn push_raw(&mut self, start: usize, token: Token, unit: Option<(Decimal, Option<Unit>)>) {
        let lexeme = Lexeme {
            token,
            before: std::mem::take(&mut self.mark.before),
            bracketed: self.mark.brackets > 0,
            quotation: self.mark.quotation,
            restricts: false,
            at: (start, self.at),
        };
        self.out.push(Raw { lexeme, unit });
    }

    fn divide(&mut self, with: Break) {
        self.mark.before = self.mark.before.max(with);
    }

    /// `1,250.5`, with 万 or 亿 and a unit behind it; `6.2.1` and `2b` are words.
    fn number(&mut self) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let mut digits = String::new();
        let mut dots = 0;
        while let Some(&byte) = bytes.get(self.at) {
            let group = || (1..=3).all(|step| is_digit(self.at + step)) && !is_digit(self.at + 4);
            match byte {
                b'0'..=b'9' => digits.push(char::from(byte)),
                b'.' if is_digit(self.at + 1) => {
                    dots += 1;
                    digits.push('.');
                }
                b',' if dots == 0
                    && group()
                    && (digits.len() <= 3 || self.text[start..self.at].contains(',')) => {}
                _ => break,
            }
            self.at += 1;
        }
        let value = if dots > 1 { None } else { Decimal::parse(&digits) };
        let Some(value) = value else { return self.push(start, Token::Word(digits.into())) };
        let glued = self.rest().starts_with(|c: char| c.is_ascii_alphabetic());
        let number_end = self.at;
        // 4.4 A trip of a line: the number of a clause and an article.
        let begins_line =
            self.text[..start].trim_end_matches(' ').rsplit('\n').next().is_some_and(str::is_empty);
        let is_clause = begins_line && dots == 1 && is_article(self.rest().trim_start());
        let (value, unit) = if is_clause { (value, None) } else { self.unit(value) };
        if unit.is_none() && glued && self.at == number_end && !self.is_unknown_unit(&digits) {
            // 2b, 3D, 1e5: a code, not a number.
            let letters = self.rest().find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest().len());
            self.at += letters;
            let word = self.text[start..self.at].to_lowercase();
            return self.push(start, Token::Word(word.into()));
        }
        self.push_number(start, Some(value), unit);
    }

    /// Whether the letters behind a number are a unit that the table of units does not have, as in `0.30kN/m²`: a code has
    /// no decimal point, and its letters are one, or digits follow them.
    fn is_unknown_unit(&self, digits: &str) -> bool {
        let rest = self.rest();
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let is_code = rest[letters..].starts_with(|c: char| c.is_ascii_digit() || c == '-');
        !is_code && (digits.contains('.') || letters > 1)
    }

    /// 万 and 亿 behind a number, and its unit.
    fn unit(&mut self, value: Decimal) -> (Decimal, Option<Unit>) {
        let mut value = value;
        for _ in 0..3 {
            let gap = self.rest().len() - self.rest().trim_start_matches([' ', '\u{3000}']).len();
            let rest = &self.rest()[gap..];
            // The stop behind 32 A. ends the sentence.
            let stopped = || {
                let (unit, behind) = rest.split_once('.')?;
                let ends = behind.is_empty() || behind.starts_with(char::is_whitespace);
                unit_at(unit).filter(|(_, len)| ends && *len == unit.len())
            };
            if let Some((unit, len)) = unit_at(rest).or_else(stopped).or_else(|| unit_word(rest)) {
                self.at += gap + len;
                return (value, Some(unit));
            }
            let scaled = match rest.chars().next() {
                Some('万' | '萬') => value.scaled(10_000, 0),
                Some('亿' | '億') => value.scaled(100_000_000, 0),
                _ => None,
            };
            let Some(scaled) = scaled else { break };
            value = scaled;
            self.at += gap + '万'.len_utf8();
        }
        (value, None)
    }

    fn push_number(&mut self, start: usize, value: Option<Decimal>, unit: Option<Unit>) {
        let Some(value) = value else { return };
        self.push_raw(start, quantity(value, unit), Some((value, unit)));
    }

    /// 九十分钟, 二〇二四年; characters that make no number (千 in 千伏) stay characters.
    fn chinese_number(&mut self) {
        let start = self.at;
        let rest = self.rest();
        let len = rest.find(|c: char| !is_cjk_numeral(c)).unwrap_or(rest.len());
        // The unit may begin with a numeral: 九十万千瓦.
        let ends = rest[..len].char_indices().map(|(at, c)| at + c.len_utf8()).collect::<Vec<_>>();
        for end in ends.iter().rev() {
            let Some(value) = parse_cjk(&self.rest()[..*end]) else { continue };
            self.at = start + end;
            let (value, unit) = match Decimal::parse(&value.to_string()) {
                Some(value) => self.unit(value),
                None => continue,
            };
            return self.push_number(start, Some(value), unit);
        }
        let Some(c) = self.rest().chars().next() else { return };
        self.at += c.len_utf8();
        self.push(start, Token::Char(c));
    }

    /// A Latin word. One that is a Roman numeral next to a Chinese character is that number: 长南II线.
    fn word(&mut self) {
        let start = self.at;
        let beside = self.previous().is_some_and(is_cjk);
        let rest = self.rest();
        let inner =
            |c: char| (c.is_alphanumeric() && !is_cjk(c) && enclosed(c).is_none()) || matches!(c, '\'' | '’');
        let len = rest.find(|c: char| !inner(c)).unwrap_or(rest.len());
        let printed = rest[..len].to_owned();
        self.at += len;
        let beside = beside || self.rest().chars().next().is_some_and(is_cjk);
        let roman = if beside && printed.chars().all(|c| matches!(c, 'I' | 'V' | 'X')) {
            parse_roman(&printed)
        } else {
            None
        };
        if let Some(value) = roman {
            return self.push_number(start, Decimal::parse(&value.to_string()), None);
        }
        let word: String = printed.to_lowercase().chars().filter(|c| !matches!(c, '\'' | '’')).collect();
        if !word.is_empty() {
            self.push(start, Token::Word(word.into()));
        }
    }

    fn sign(&mut self, start: usize, c: char) {
        match c {
            '\n' | '\r' => self.line_end(),
            '。' | '；' | ';' | '！' | '!' | '？' | '?' => self.divide(Break::Sentence),
            '.' | '．' => self.full_stop(),
            '…' if self.is_own_line(start) => self.divide(Break::Gap),
            '，' | ',' | '|' | '→' | '…' | '—' => self.divide(Break::Clause),
            '：' | ':' => self.divide(Break::Colon),
            '(' | '（' | '[' | '【' | '〔' | '［' => {
                self.divide(Break::Clause);
                self.mark.brackets = self.mark.brackets.saturating_add(1);
            }
            ')' | '）' | ']' | '】' | '〕' | '］' => {
                self.divide(Break::Clause);
                self.mark.brackets = self.mark.brackets.saturating_sub(1);
            }
            '“' | '「' | '『' => {
                self.mark.quotations = self.mark.quotations.saturating_add(1);
                self.mark.quotation = self.mark.quotations;
            }
            '”' | '」' | '』' => self.mark.quotation = 0,
            '"' if self.mark.quotation > 0 => self.mark.quotation = 0,
            '"' => {
                self.mark.quotations = self.mark.quotations.saturating_add(1);
                self.mark.quotation = self.mark.quotations;
            }
            '-' => self.dash(start),
            '~' | '～' => self.push(start, Token::Char('-')),
            '*' | '×' if self.between_digits() => self.push(start, Token::Char('×')),
            '、' | '《' | '》' | '*' | '#' | '`' | '_' | '·' | '•' | '\'' | '’' | '‘' | '\\' => {}
            c if c.is_whitespace() => {}
            '<' if self.rest().starts_with("br>") || self.rest().starts_with("br/>") => {
                self.at += self.rest().find('>').map_or(0, |end| end + 1);
                self.line_end();
            }
            c => self.push(start, Token::Char(c)),
        }
    }

    fn line_end(&mut self) {
        self.divide(Break::Sentence);
        self.mark.brackets = 0;
        self.mark.quotation = 0;
    }

    /// Whether the ellipsis that begins at `start` stands alone on its line, between two others.
    fn is_own_line(&self, start: usize) -> bool {
        let spaces = [' ', '\t', '…', '\r'];
        let before = self.text.get(..start).unwrap_or_default().trim_end_matches(spaces);
        before.ends_with('\n') && self.rest().trim_start_matches(spaces).starts_with('\n')
    }

    fn between_digits(&self) -> bool {
        self.text.get(..self.at).is_some_and(|before| {
            before.trim_end_matches(['*', '×']).trim_end().ends_with(|c: char| c.is_ascii_digit())
        }) && self.rest().trim_start().starts_with(|c: char| c.is_ascii_digit())
    }

    /// A full stop ends a sentence when white space and no small letter follow it, or a Chinese character.
    fn full_stop(&mut self) {
        let rest = self.rest();
        let next = rest.trim_start_matches([' ', '*', '"', '”', ')', ']']).chars().next();
        let spaced = rest.is_empty()
            || rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '*' | '"' | '”' | ')' | ']'));
        if spaced && !next.is_some_and(char::is_lowercase) {
            self.divide(Break::Sentence);
        }
    }

    /// A dash between words or numbers is read; one that opens a list item, a rule of a table or a double dash divides.
    fn dash(&mut self, start: usize) {
        let run = self.rest().len() - self.rest().trim_start_matches('-').len();
        let before = self.text.get(..start).unwrap_or_default();
        let line_start =
            before.trim_end_matches(' ').is_empty() || before.trim_end_matches(' ').ends_with(['\n', '|']);
        if run > 0 {
            self.at += run;
            return self.divide(Break::Clause);
        }
        let item = line_start
            && self.rest().starts_with(' ')
            && !self.rest().trim_start().starts_with(|c: char| c.is_ascii_digit());
        if !item {
            self.push(start, Token::Char('-'));
        }
    }
}

/// The English names of units that are usually written out.
const UNIT_WORDS: [(&str, &str); 17] = [
    ("second", "s"),
    ("seconds", "s"),
    ("minute", "min"),
    ("minutes", "min"),
    ("hour", "h"),
    ("hours", "h"),
    ("hrs", "h"),
    ("day", "天"),
    ("days", "天"),
    ("percent", "%"),
    ("megawatt", "MW"),
    ("megawatts", "MW"),
    ("kilovolt", "kV"),
    ("kilovolts", "kV"),
    ("volts", "V"),
    ("hertz", "Hz"),
    ("amperes", "A"),
];

fn unit_word(rest: &str) -> Option<(Unit, usize)> {
    let len = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let word = &rest[..len];
    let (_, symbol) = UNIT_WORDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word))?;
    unit_at(symbol).map(|(unit, _)| (unit, len))
}

fn quantity(value: Decimal, unit: Option<Unit>) -> Token {
    let Some(unit) = unit else { return Token::Number(value) };
    match (Quantity { value, unit }).normalised() {
        Some(normal) => Token::Quantity(normal.value, normal.unit.symbol()),
        None => Token::Quantity(value, unit.symbol()),
    }
}

/// `650～800 万千瓦` is two quantities with a dash between, `650 至 800` two numbers with one, 百分之五 is 5 %.
fn join_ranges(raw: Vec<Raw>) -> Vec<Lexeme> {
    let mut raw = raw;
    for at in 1..raw.len().saturating_sub(1) {
        let joins = matches!(raw[at].lexeme.token, Token::Char('-' | '至' | '到'))
            && raw[at].lexeme.before == Break::None
            && raw[at + 1].lexeme.before == Break::None;
        if let (true, Some((value, first)), Some((_, second))) = (joins, raw[at - 1].unit, raw[at + 1].unit) {
            raw[at].lexeme.token = Token::Char('-');
            if first.is_none() && second.is_some() {
                raw[at - 1].lexeme.token = quantity(value, second);
            }
        }
    }
    let mut out: Vec<Lexeme> = Vec::with_capacity(raw.len());
    for one in raw {
        if let (Some((value, None)), [.., a, b, c]) = (one.unit, out.as_slice())
            && [&a.token, &b.token, &c.token] == [&Token::Char('百'), &Token::Char('分'), &Token::Char('之')]
        {
            let (before, start) = (a.before, a.at.0);
            out.truncate(out.len() - 3);
            let token = Token::Quantity(value, "%");
            out.push(Lexeme { token, before, at: (start, one.lexeme.at.1), ..one.lexeme });
            continue;
        }
        out.push(one.lexeme);
    }
    out
}
