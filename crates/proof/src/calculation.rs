//! Calculations in statements: `400 万千瓦 × 0.8 = 320 万千瓦`.
//!
//! A correction that a regulation prescribes gives a value that no page prints, so it can never be quoted. What can be
//! checked is the arithmetic, and that every operand is a number of a passage that is cited for it. This module reads the
//! expression and computes it; who calls it proves the passages of the operands.

use regreader_text::units::{Decimal, unit_at};
use regreader_text::{Quantity, nfkc};

use crate::lex::{Token, is_unseen, lex};

/// Longest expression that is read, in characters.
const MAX_EXPRESSION: usize = 400;
/// Brackets within brackets.
const MAX_DEPTH: usize = 16;
/// Words that may stand around a calculation beside those of its operands.
const AROUND: &str = "计算 得 按注 按规定 修正 后 非 表列 值 原文 calculated by the note from table not a printed value \
                      result corrected limit gives";

/// How much an operand is enlarged to see what it does to the result.
const NUDGE: f64 = 1e-3;
/// Words that say what is done with the number beside them, with their origin.
const OPERATIONS: &str = include_str!("operations.txt");

/// What a passage prescribes to do with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    /// It is a factor of the result.
    Times,
    /// The result is divided by it.
    Divided,
    /// The result is so much smaller.
    Less,
    /// The result is so much greater.
    More,
}

impl Operation {
    /// What the words before a number, or those behind it, prescribe for it.
    fn prescribed(before: &str, behind: &str) -> Option<Self> {
        OPERATIONS.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
            let (name, rest) = line.split_once('\t')?;
            let (side, words) = rest.split_once('\t')?;
            let stands = |word: &str| match side {
                "before" => before.ends_with(word),
                _ => behind.starts_with(word),
            };
            words.split('|').any(|word| stands(word.trim())).then_some(match name {
                "times" => Self::Times,
                "divided" => Self::Divided,
                "less" => Self::Less,
                _ => Self::More,
            })
        })
    }

    /// Whether a number that changes the result by this share of its own change is used so.
    fn allows(self, effect: f64) -> bool {
        const CLOSE: f64 = 1e-2;
        match self {
            Self::Times => (effect - 1.0).abs() < CLOSE,
            Self::Divided => (effect + 1.0).abs() < CLOSE,
            Self::Less => effect < 0.0,
            Self::More => effect > 0.0,
        }
    }
}

/// A calculation as a statement writes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Calculation {
    /// The numbers that it starts from, each once, in order. A bare 1 or 100 % is arithmetic, not an operand.
    pub operands: Vec<Operand>,
    /// The value behind the equals sign.
    pub result: String,
    /// The expression gives this value, rounded as it is printed.
    pub holds: bool,
    /// What stands around the calculation.
    around: Vec<Token>,
}

/// A number that a calculation starts from.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// As written, with its unit.
    pub text: String,
    token: Token,
    /// By which share of its own change it changes the result: 1 for a factor, −1 for a divisor.
    effect: f64,
    /// The number without its unit, and the unit: a table has the one in the cell and the other in the header.
    bare: (Token, String),
}

impl Operand {
    /// Whether a text states this number: with its unit, or the number and the unit apart as in a table.
    pub fn is_stated_in(&self, text: &str) -> bool {
        let tokens = lex(text).tokens;
        tokens.iter().any(|one| self.is(&one.token))
            || (!self.bare.1.is_empty()
                && nfkc(text).contains(&self.bare.1)
                && tokens.iter().any(|one| one.token == self.bare.0))
    }
}

impl Operand {
    /// Whether a token is this number. A factor without a unit is what a text prescribes as 0.8 倍.
    fn is(&self, token: &Token) -> bool {
        let times = || lex(&format!("{}倍", self.text)).tokens.into_iter().next();
        *token == self.token || (self.bare.1.is_empty() && times().is_some_and(|times| times.token == *token))
    }

    /// Whether the calculation does with the number what a text prescribes beside it: 乘以 0.8 is a factor, 降低 4% makes the
    /// result smaller. A text that prescribes nothing beside the number allows anything.
    ///
    /// ```
    /// use regreader_proof::calculation;
    /// let used = |statement: &str, note: &str| calculation(statement).unwrap().operands[1].is_used_as(note);
    /// assert!(used("400 万千瓦 × 0.8 = 320 万千瓦", "降压运行时限额乘以 0.8。"));
    /// assert!(used("400 万千瓦 × 0.8 = 320 万千瓦", "降压运行时按表列数值的 0.8 倍掌握。"));
    /// assert!(!used("400 万千瓦 ÷ 0.8 = 500 万千瓦", "降压运行时按表列数值的 0.8 倍掌握。"));
    /// assert!(!used("400 万千瓦 ÷ 0.8 = 500 万千瓦", "降压运行时限额乘以 0.8。"));
    /// assert!(!used("400 万千瓦 × (1 + 4%) = 416 万千瓦", "每升高 5℃ 限额降低 4%。"));
    /// ```
    pub fn is_used_as(&self, text: &str) -> bool {
        let lexed = lex(text);
        let mut stated =
            lexed.tokens.iter().filter(|one| self.is(&one.token) || one.token == self.bare.0).peekable();
        stated.peek().is_none()
            || stated.any(|one| {
                // With 倍 behind it the text prescribes a factor.
                if one.token != self.token && one.token != self.bare.0 {
                    return Operation::Times.allows(self.effect);
                }
                let before = lexed.text.get(..one.at.0).unwrap_or_default().trim_end().to_lowercase();
                let behind = lexed.text.get(one.at.1..).unwrap_or_default().trim_start().to_lowercase();
                Operation::prescribed(&before, &behind).is_none_or(|operation| operation.allows(self.effect))
            })
    }
}

impl Calculation {
    /// Words around the calculation that none of these texts has: they would be a statement of their own.
    pub fn unexplained(&self, texts: &[&str]) -> Vec<String> {
        let known: Vec<Token> = texts
            .iter()
            .copied()
            .chain([AROUND])
            .flat_map(|text| lex(text).tokens)
            .map(|one| one.token)
            .collect();
        let unknown = self.around.iter().filter(|token| !known.contains(token));
        unknown.map(Token::to_string).collect()
    }
}

/// Reads the calculation of a statement, if it has one: an expression, an equals sign and a value.
///
/// ```
/// use regreader_proof::calculation;
/// let one = calculation("计算：400 万千瓦 × (1 − (50℃ − 40℃) ÷ 5℃ × 4%) = 368 万千瓦").unwrap();
/// assert!(one.holds);
/// assert_eq!(one.operands.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["400 万千瓦", "50℃", "40℃", "5℃", "4%"]);
/// assert!(!calculation("400 万千瓦 × 0.8 = 330 万千瓦").unwrap().holds);
/// assert!(calculation("限额为 320 万千瓦").is_none());
/// ```
pub fn calculation(statement: &str) -> Option<Calculation> {
    if statement.chars().any(is_unseen) {
        return None;
    }
    let text = nfkc(statement).replace(['−', '–'], "-").replace('*', "×");
    let equals = text.rfind('=')?;
    let (left, right) = (&text[..equals], &text[equals + 1..]);
    let start = expression_start(left);
    if left[start..].chars().count() > MAX_EXPRESSION {
        return None;
    }
    let mut reader = Reader::new(&left[start..], None);
    let value = reader.sum(0)?;
    if !reader.rest().trim().is_empty() || reader.operands.is_empty() {
        return None;
    }
    let mut operands = reader.operands;
    for operand in &mut operands {
        let nudged = Reader::new(&left[start..], Some(&operand.text)).sum(0)?;
        operand.effect = (nudged - value) / value / NUDGE;
    }
    let mut reader = Reader::new(right, None);
    let printed = reader.sign_and_number()?;
    let result = reader.operands.pop().map(|one| one.text).unwrap_or_default();
    let holds = (value - printed.value).abs() <= printed.rounding + value.abs() * 1e-9;
    let around = lex(&left[..start]).tokens.into_iter().chain(lex(reader.rest()).tokens);
    Some(Calculation { operands, result, holds, around: around.map(|one| one.token).collect() })
}

/// Where the expression before an equals sign begins: behind the last mark or word that is no part of it.
fn expression_start(left: &str) -> usize {
    let mut start = left.len();
    for (at, c) in left.char_indices().rev() {
        let digit_before = left[..at].ends_with(|c: char| c.is_ascii_digit());
        let digit_behind = left[at + c.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        let divides = matches!(c, ':' | '；' | ';' | '。' | '\n' | '=' | '、' | '，')
            || (c == ',' && !(digit_before && digit_behind));
        if divides {
            break;
        }
        start = at;
    }
    // 限额 400 万千瓦 × 0.8: the words before the first number or bracket are no part of the expression.
    let first = left[start..].find(|c: char| c.is_ascii_digit() || matches!(c, '(' | '-'));
    start + first.unwrap_or(0)
}

struct Printed {
    value: f64,
    /// Half of the last printed place, in the base unit.
    rounding: f64,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    operands: Vec<Operand>,
    /// The operand that is enlarged a little.
    nudged: Option<&'a str>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, nudged: Option<&'a str>) -> Self {
        Self { text, at: 0, operands: Vec::new(), nudged }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn eat(&mut self, signs: &[char]) -> Option<char> {
        let gap = self.rest().len() - self.rest().trim_start().len();
        let found = self.rest()[gap..].chars().next().filter(|c| signs.contains(c))?;
        self.at += gap + found.len_utf8();
        Some(found)
    }

    fn sum(&mut self, depth: usize) -> Option<f64> {
        let mut value = self.product(depth)?;
        while let Some(sign) = self.eat(&['+', '-']) {
            let next = self.product(depth)?;
            value += if sign == '+' { next } else { -next };
        }
        Some(value)
    }

    fn product(&mut self, depth: usize) -> Option<f64> {
        let mut value = self.factor(depth)?;
        while let Some(sign) = self.eat(&['×', '÷', '/']) {
            let next = self.factor(depth)?;
            if sign == '×' {
                value *= next;
            } else if next == 0.0 {
                return None;
            } else {
                value /= next;
            }
        }
        Some(value)
    }

    fn factor(&mut self, depth: usize) -> Option<f64> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.eat(&['-']).is_some() {
            return Some(-self.factor(depth + 1)?);
        }
        if self.eat(&['(']).is_some() {
            let value = self.sum(depth + 1)?;
            self.eat(&[')'])?;
            return Some(value);
        }
        self.number().map(|printed| printed.value)
    }

    fn sign_and_number(&mut self) -> Option<Printed> {
        let negative = self.eat(&['-']).is_some();
        let printed = self.number()?;
        Some(if negative { Printed { value: -printed.value, ..printed } } else { printed })
    }

    /// A number with its unit, in the base unit; a share is a fraction.
    fn number(&mut self) -> Option<Printed> {
        let gap = self.rest().len() - self.rest().trim_start().len();
        let start = self.at + gap;
        let rest = self.text.get(start..)?;
        let len = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(rest.len());
        let digits = rest[..len].trim_end_matches([',', '.']);
        let plain = digits.replace(',', "");
        let value = Decimal::parse(&plain)?;
        let places = plain.split_once('.').map_or(0, |(_, places)| places.len());
        let mut end = start + digits.len();
        let behind = self.text.get(end..)?;
        let space = behind.len() - behind.trim_start_matches(' ').len();
        let unit = unit_at(&behind[space..]);
        let (scale, symbol) = match &unit {
            Some((unit, len)) => {
                end += space + len;
                let one = Quantity { value: Decimal::parse("1")?, unit: *unit };
                let share = if unit.symbol() == "%" { 0.01 } else { one.magnitude() };
                (share, self.text.get(end - len..end)?.to_owned())
            }
            None => (1.0, String::new()),
        };
        let text = self.text.get(start..end)?.to_owned();
        let is_identity = matches!((plain.as_str(), symbol.as_str()), ("1", "") | ("100", "%"));
        let token = lex(&text).tokens.into_iter().next().map(|one| one.token)?;
        let nudge = if self.nudged == Some(text.as_str()) { 1.0 + NUDGE } else { 1.0 };
        let operand = Operand { text, token, effect: 0.0, bare: (Token::Number(value), symbol) };
        if !is_identity && !self.operands.iter().any(|known| known.text == operand.text) {
            self.operands.push(operand);
        }
        self.at = end;
        let rounding = 0.5 * 10_f64.powi(-i32::try_from(places.min(12)).unwrap_or(0)) * scale;
        Some(Printed { value: value.to_f64() * scale * nudge, rounding })
    }
}
