//! Units as they are spelled (`units.txt`). Spellings that also begin ordinary words (次 in 次同步振荡, 安 in 安控装置) carry
//! the characters that tell the two apart.

use std::fmt;
use std::sync::LazyLock;

use crate::script::is_cjk;

/// What a unit measures: power, voltage, time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dimension(&'static str);

impl Dimension {
    pub(crate) const VOLTAGE: Self = Self("voltage");
    /// 三天, 15 min.
    pub const TIME: Self = Self("time");
    /// 两台, 3 次: things that are counted.
    pub const COUNT: Self = Self("count");
    /// 五万元.
    pub const MONEY: Self = Self("money");
}

/// A unit of measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Unit {
    symbol: &'static str,
    dimension: Dimension,
    base: &'static str,
    multiplier: u32,
    exponent: i8,
}

impl Unit {
    /// How we write it: `MW`, `kV`, `万千瓦`.
    pub fn symbol(&self) -> &'static str {
        self.symbol
    }

    /// What it measures.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// The unit that quantities of this dimension are compared in.
    #[must_use]
    pub fn base(&self) -> Self {
        Self { symbol: self.base, multiplier: 1, exponent: 0, ..*self }
    }

    pub(super) fn multiplier(&self) -> u32 {
        self.multiplier
    }

    pub(super) fn exponent(&self) -> i8 {
        self.exponent
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol)
    }
}

/// The unit a text begins with and the bytes it takes, when it stands there as a unit and not as the beginning of a
/// word. Full-width and one-character forms (ｋＶ, ㎸) are read too.
///
/// The text must begin where the number ended, spaces passed.
///
/// ```
/// use regreader_text::units::unit_at;
/// let (unit, bytes) = unit_at("kV母线").unwrap();
/// assert_eq!((unit.symbol(), bytes), ("kV", 2));
/// assert!(unit_at("台账").is_none());
/// ```
pub fn unit_at(rest: &str) -> Option<(Unit, usize)> {
    let first = rest.chars().next()?;
    if is_cjk(first) {
        return units().chinese.iter().find_map(|(spelling, unit, follow)| {
            let after = rest.strip_prefix(spelling)?;
            follow.allows(after).then_some((*unit, spelling.len()))
        });
    }
    latin_unit(rest)
}

/// What may stand behind a spelling for it to be a unit.
enum Follow {
    Anything,
    /// Not these: they make it another word.
    Not(&'static str),
    /// Only these, or no Chinese character at all.
    Only(&'static str),
}

impl Follow {
    fn allows(&self, after: &str) -> bool {
        let Some(next) = after.chars().next() else { return true };
        match self {
            Self::Anything => true,
            Self::Not(words) => !words.contains(next),
            Self::Only(words) => !is_cjk(next) || words.contains(next),
        }
    }
}

/// A spelling, its unit, and what may follow it.
type Spelling = (&'static str, Unit, Follow);

/// The spellings of `units.txt`, longer before shorter, because one may begin the other.
struct Units {
    chinese: Vec<Spelling>,
    latin: Vec<Spelling>,
}

fn units() -> &'static Units {
    static UNITS: LazyLock<Units> = LazyLock::new(|| {
        let mut spellings: Vec<Spelling> = Vec::new();
        let (mut dimension, mut base) = ("", None);
        for line in include_str!("units.txt").lines().filter(|line| !line.starts_with('#')) {
            let head = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
            let mut words = head.unwrap_or(line).split(' ');
            let Some(first) = words.next() else { continue };
            if head.is_some() {
                (dimension, base) = (first, words.next());
                continue;
            }
            let factor = words.next().unwrap_or_default();
            let exponent = factor.strip_prefix('e').and_then(|exponent| exponent.parse().ok());
            let unit = Unit {
                symbol: first,
                dimension: Dimension(dimension),
                base: base.unwrap_or(first),
                multiplier: factor.parse().unwrap_or(1),
                exponent: exponent.unwrap_or(0),
            };
            spellings.extend(words.map(|word| match (word.split_once('!'), word.split_once('=')) {
                (Some((spelling, not)), _) => (spelling, unit, Follow::Not(not)),
                (_, Some((spelling, only))) => (spelling, unit, Follow::Only(only)),
                _ => (word, unit, Follow::Anything),
            }));
        }
        spellings.sort_by_key(|(spelling, ..)| std::cmp::Reverse(spelling.chars().count()));
        let (chinese, latin) = spellings.into_iter().partition(|(spelling, ..)| spelling.starts_with(is_cjk));
        Units { chinese, latin }
    });
    &UNITS
}

fn latin_unit(rest: &str) -> Option<(Unit, usize)> {
    use crate::scan::Cursor;
    let with_case = |exact: bool| {
        units().latin.iter().find_map(|(spelling, unit, _)| {
            let mut cursor = Cursor::new(rest);
            let mut letters = 0;
            for wanted in spelling.chars() {
                let found = cursor.bump()?;
                letters += u32::from(wanted.is_ascii_alphabetic());
                if found != wanted && (exact || !found.eq_ignore_ascii_case(&wanted)) {
                    return None;
                }
            }
            if !exact && letters < 2 {
                return None;
            }
            // 5 m2 is no length, and 3 Module no m; but 500kV1号 is a voltage, and so is 35% of anything.
            let next = cursor.peek();
            let free = match letters {
                0 => true,
                1 => !next.is_some_and(|c| {
                    (c.is_alphanumeric() && !is_cjk(c)) || matches!(c, '\'' | '²' | '³' | '.')
                }),
                _ => !next.is_some_and(|c| c.is_alphabetic() && !is_cjk(c)),
            };
            free.then_some((*unit, cursor.pos()))
        })
    };
    with_case(true).or_else(|| with_case(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_factor_and_a_spelling() {
        let lines = include_str!("units.txt").lines().filter(|line| !line.starts_with(['#', '[']));
        for line in lines.clone() {
            let words: Vec<&str> = line.split(' ').collect();
            let factor = words[1]
                .strip_prefix('e')
                .map_or_else(|| words[1].parse::<u32>().is_ok(), |exponent| exponent.parse::<i8>().is_ok());
            assert!(factor && words.len() > 2 && !words.contains(&""), "{line}");
        }
        assert_eq!((lines.count(), units().chinese.len(), units().latin.len()), (69, 63, 53));
        assert_eq!(unit_at("kV").map(|(unit, _)| unit.dimension()), Some(Dimension::VOLTAGE));
    }
}
