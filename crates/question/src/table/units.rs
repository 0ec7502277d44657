//! Units that headers name.

use std::ops::Range;

use regreader_text::{Quantity, find_quantities, fold};

use crate::Question;

/// A header without the unit in its brackets, which the question may say of anything.
pub(super) fn without_unit(header: &str) -> &str {
    let unit = unit_of(header);
    let is_unit = !unit.is_empty() && !unit.contains(|c: char| c.is_ascii_digit());
    let measures = is_unit && !find_quantities(&format!("1 {unit}")).is_empty();
    let parts = header.rsplit_once(['(', '（', '[']).or_else(|| header.rsplit_once([',', '，']));
    let words = parts.filter(|_| measures).map(|(words, _)| words);
    words.unwrap_or(header)
}

/// Whether a value may be what a question asks for: a header with another unit says that it is not.
pub(super) fn is_of_kind(question: &Question, header: &str, cell: &str) -> bool {
    let unit = unit_of(header);
    let measures = !unit.is_empty() && !find_quantities(&format!("1 {unit}")).is_empty();
    !measures || question.value.as_ref().is_none_or(|value| value.stands_in(&format!("{cell} {unit}")))
}

/// The unit in the brackets of a header, or behind its last comma: `Frequency (Hz)`, `Frequency, Hz`.
pub(super) fn unit_of(header: &str) -> &str {
    if let Some((_, unit)) = header.rsplit_once(['(', '（', '[']) {
        return unit.split([')', '）', ']']).next().unwrap_or_default().trim();
    }
    let behind = header.rsplit_once([',', '，']).map_or("", |(_, unit)| unit.trim());
    let whole = |(range, _): &(Range<usize>, Quantity)| range.end == behind.len() + 2;
    let measures = !behind.is_empty() && find_quantities(&format!("1 {behind}")).iter().any(whole);
    if measures { behind } else { "" }
}

/// Whether a cell begins with a number: 300, ≥ 2, ±5, 1500～2250.
pub(super) fn begins_with_number(cell: &str) -> bool {
    fold(cell)
        .trim_start_matches(['<', '>', '≤', '≥', '±', '+', '-', '−', '(', ' ', '~', '约'])
        .starts_with(|c: char| c.is_ascii_digit())
}
