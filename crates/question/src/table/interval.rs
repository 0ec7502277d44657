//! The numbers that a cell means: one, or all from one to another.

use std::sync::LazyLock;

use regreader_text::{find_quantities, nfkc, words_of};

use crate::WORDS;

/// Words before and behind a number that is the end of an interval, without blanks.
static ABOVE: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "above a number"));
static BELOW: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "below a number"));
static AND_LESS: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "number and less"));
static AND_MORE: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "number and more"));
/// Words between the ends of an interval.
static TO: LazyLock<Vec<&str>> = LazyLock::new(|| words_of(WORDS, "between numbers"));
/// What two equal numbers may differ by.
const NOTHING: f64 = 1e-9;

/// The numbers of a cell: one, or all from one to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    least: f64,
    most: f64,
}

impl Interval {
    /// `4`, `5～6`, `1500-2250`, `16 to 25`, `3 台`, `above 40`, 2台及以下, 1台或2台. None when it says anything else.
    pub fn of(cell: &str) -> Option<Self> {
        let text = nfkc(cell).replace([',', ' '], "");
        // Neighbours are an interval.
        if let Some((one, next)) = text.split_once('或') {
            let (one, next) = (Self::of(one)?, Self::of(next)?);
            let is_next = (next.least - one.most - 1.0).abs() < NOTHING;
            return is_next.then_some(Self { least: one.least, most: next.most });
        }
        // The end itself is none of what lies above it.
        let alone =
            |text: &str| number_alone(text).filter(|(_, rest)| rest.is_empty()).map(|(value, _)| value);
        if let Some(value) = behind_word(&ABOVE, &text).and_then(alone) {
            return Some(Self { least: value + 2.0 * NOTHING, most: f64::INFINITY });
        }
        if let Some(value) = behind_word(&BELOW, &text).and_then(alone) {
            return Some(Self { least: f64::NEG_INFINITY, most: value - 2.0 * NOTHING });
        }
        let (least, rest) = number_alone(&text)?;
        if behind_word(&AND_LESS, rest) == Some("") {
            return Some(Self { least: f64::NEG_INFINITY, most: least });
        }
        if behind_word(&AND_MORE, rest) == Some("") {
            return Some(Self { least, most: f64::INFINITY });
        }
        if rest.is_empty() {
            return Some(Self { least, most: least });
        }
        let rest = behind_word(&TO, rest)?;
        let most = alone(rest.trim_start_matches(['~', '～', '-', '–', '—']))?;
        (most >= least).then_some(Self { least, most })
    }

    /// Whether a number is one of them.
    pub fn holds(&self, value: f64) -> bool {
        value >= self.least - NOTHING && value <= self.most + NOTHING
    }
}

/// What stands behind one of these words at the beginning of a text, in whatever case.
fn behind_word<'t>(words: &[&str], text: &'t str) -> Option<&'t str> {
    let begins = |word: &&&str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    words.iter().find(begins).map(|word| &text[word.len()..])
}

/// The number at the beginning of a text, and what stands behind it and its unit.
fn number_alone(text: &str) -> Option<(f64, &str)> {
    let negative =
        text.strip_prefix(['-', '−', '–']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let (value, rest) = leading(negative.unwrap_or(text))?;
    let value = if negative.is_some() { -value } else { value };
    let unit = find_quantities(&format!("1{rest}")).into_iter().find(|(range, _)| range.start == 0);
    let unit = unit.map_or(0, |(range, _)| range.end - 1);
    Some((value, rest.get(unit..)?))
}

fn leading(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    Some((text.get(..end)?.parse().ok()?, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_read_however_they_are_written() {
        let ends = |cell: &str| Interval::of(cell).map(|one| (one.least, one.most));
        assert_eq!(ends("16 to 25 °C"), Some((16.0, 25.0)));
        assert_eq!(ends("1500～2250"), Some((1500.0, 2250.0)));
        assert_eq!(ends("1台或2台"), Some((1.0, 2.0)));
        assert_eq!(ends("-10 to 0"), Some((-10.0, 0.0)));
        assert_eq!(ends("3 台"), Some((3.0, 3.0)));
        for (cell, inside, outside) in [
            ("above 40", 41.0, 40.0),
            ("0 and below", 0.0, 1.0),
            ("2台及以下", 1.0, 3.0),
            ("超过1500", 1501.0, 1500.0),
        ] {
            let interval = Interval::of(cell).unwrap_or_else(|| panic!("{cell}"));
            assert!(interval.holds(inside) && !interval.holds(outside), "{cell}");
        }
        for cell in ["", "甲线", "1台或3台", "4 circuits", "R1"] {
            assert_eq!(ends(cell), None, "{cell}");
        }
    }

    #[test]
    fn every_section_of_words_says_where_its_words_come_from() {
        let sections: Vec<&str> = WORDS.split("\n[").skip(1).collect();
        assert!(sections.len() >= 9);
        for section in sections {
            let name = section.split(']').next().unwrap_or_default();
            assert!(section.contains("\n# Origin: ") && words_of(WORDS, name).len() > 1, "{name}");
        }
    }
}
