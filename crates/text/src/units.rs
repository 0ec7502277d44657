//! Quantities: a number and its unit, 200 万千瓦 and 2000 MW as one value. Owns the one list of units, which the
//! numbering grammar uses to tell `2.5 万千瓦` from clause 2.5.

mod decimal;
mod table;

use std::fmt;
use std::ops::Range;

pub use decimal::Decimal;
pub use table::{Dimension, Unit, unit_at};

use crate::scan::{Cursor, is_dash, is_tilde};

/// A number with its unit, as printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    /// The number.
    pub value: Decimal,
    /// The unit it was printed with.
    pub unit: Unit,
}

impl Quantity {
    /// The same quantity in the base unit of its dimension, so that two can be compared: power in MW, voltage in kV.
    /// None when the value leaves the range of numbers a document can mean.
    #[must_use]
    pub fn normalised(&self) -> Option<Self> {
        let value = self.value.scaled(self.unit.multiplier(), self.unit.exponent())?;
        Some(Self { value, unit: self.unit.base() })
    }

    /// Whether the two are the same amount, whatever their units: 200 万千瓦 is 2000 MW.
    pub fn same_amount(&self, other: &Self) -> bool {
        self.unit.dimension() == other.unit.dimension()
            && self.normalised().is_some_and(|mine| Some(mine.value) == other.normalised().map(|q| q.value))
    }

    /// The value in the base unit as a float, for ordering and nearness.
    pub fn magnitude(&self) -> f64 {
        self.value.to_f64() * f64::from(self.unit.multiplier()) * 10_f64.powi(i32::from(self.unit.exponent()))
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.value, self.unit)
    }
}

/// Every quantity of a text with the bytes it stands in. `200~300万千瓦` gives two, both in 万千瓦.
///
/// ```
/// use regreader_text::find_quantities;
/// let found = find_quantities("风电出力 200 万千瓦（2000MW）");
/// assert_eq!(found.len(), 2);
/// assert!(found[0].1.same_amount(&found[1].1));
/// assert_eq!(found[1].1.to_string(), "2000MW");
/// ```
pub fn find_quantities(text: &str) -> Vec<(Range<usize>, Quantity)> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(text);
    let mut sign = None;
    while let Some(c) = cursor.peek() {
        let free = !cursor.before().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
        if c.is_ascii_digit() && free {
            quantities_at(&mut cursor, sign.take(), &mut found);
        } else {
            // The dash of N-1 or of a range is no sign.
            let opens = !cursor.before().is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | ']'));
            sign = (is_dash(c) && opens).then(|| cursor.pos());
            cursor.bump();
        }
    }
    found
}

/// One quantity, or the two of a range, at a place where digits begin; passes the number in any case.
fn quantities_at(cursor: &mut Cursor<'_>, sign: Option<usize>, found: &mut Vec<(Range<usize>, Quantity)>) {
    let start = sign.unwrap_or(cursor.pos());
    let Some(value) = number(cursor) else { return };
    let value = if sign.is_some() { value.negated() } else { value };
    let first_end = cursor.pos();
    if let Some((second_start, second, range_end)) = range_end(*cursor)
        && let Some((unit, end)) = unit_behind(range_end)
    {
        found.push((start..first_end, Quantity { value, unit }));
        found.push((second_start..end.pos(), Quantity { value: second, unit }));
        *cursor = end;
    } else if let Some((unit, end)) = unit_behind(*cursor) {
        found.push((start..end.pos(), Quantity { value, unit }));
        *cursor = end;
    }
}

/// `~300` behind a number: where the second number begins, its value, and the place behind it.
fn range_end(mut cursor: Cursor<'_>) -> Option<(usize, Decimal, Cursor<'_>)> {
    cursor.skip_spaces();
    cursor.eat_if(|c| is_tilde(c) || is_dash(c) || matches!(c, '至' | '到'))?;
    cursor.skip_spaces();
    let start = cursor.pos();
    let value = number(&mut cursor)?;
    Some((start, value, cursor))
}

fn unit_behind(mut cursor: Cursor<'_>) -> Option<(Unit, Cursor<'_>)> {
    cursor.skip_spaces();
    let (unit, len) = unit_at(cursor.rest())?;
    let end = cursor.pos() + len;
    while cursor.pos() < end {
        cursor.bump();
    }
    Some((unit, cursor))
}

/// Digits with thousands commas and one decimal point. A section number (2.1.4) is none, but it is passed, so that it
/// is not looked at again from its second part.
fn number(cursor: &mut Cursor<'_>) -> Option<Decimal> {
    let mut digits = String::new();
    let mut dots = 0;
    while let Some(c) = cursor.peek() {
        let mut after = *cursor;
        after.bump();
        let digit_follows = after.peek().is_some_and(|c| c.is_ascii_digit());
        match c {
            '0'..='9' => digits.push(c),
            '.' if digit_follows => {
                dots += 1;
                digits.push(c);
            }
            ',' if digit_follows && dots == 0 && is_thousands_group(after) => {}
            _ => break,
        }
        *cursor = after;
    }
    if dots > 1 { None } else { Decimal::parse(&digits) }
}

fn is_thousands_group(mut cursor: Cursor<'_>) -> bool {
    (0..3).all(|_| cursor.eat_if(|c| c.is_ascii_digit()).is_some())
        && !cursor.peek().is_some_and(|c| c.is_ascii_digit())
}
