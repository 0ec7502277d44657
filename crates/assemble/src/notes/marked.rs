//! Notes that a table points at by marks: `2.5 s*` in a cell, `* May be reduced …` below the table.
//!
//! A mark counts only where a cell, a header or the caption of this very table carries it behind a word or a value.

use std::collections::BTreeSet;

use regreader_model::LogicalTable;

/// Signs that printers use for notes, in their usual order.
const SIGNS: &str = "*†‡§¶#$^‖";

/// The marks of one table: signs, and numbers in brackets or raised, as numbers.
pub(super) struct Marks(BTreeSet<String>);

impl Marks {
    /// The marks that a table carries.
    pub fn of(table: &LogicalTable) -> Self {
        let mut marks = BTreeSet::new();
        let texts = table.cells.iter().map(|cell| cell.content.as_str()).chain(table.caption.as_deref());
        for text in texts {
            collect(text, &mut marks);
        }
        Self(marks)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The mark that a paragraph begins with, and what it says.
    pub fn read<'a>(&self, text: &'a str) -> Option<(String, &'a str)> {
        let text = text.trim();
        let first = text.chars().next()?;
        let (mark, rest) = if SIGNS.contains(first) {
            let end = text.find(|c| c != first).unwrap_or(text.len());
            (text.get(..end)?.to_owned(), text.get(end..)?)
        } else if matches!(first, '(' | '（' | '⁽') {
            let end = text.find([')', '）', '⁾'])?;
            let inside = text.get(first.len_utf8()..end)?;
            let close = text.get(end..)?.chars().next()?;
            (plain(inside)?, text.get(end + close.len_utf8()..)?)
        } else {
            let end = text.find(|c| digit(c).is_none_or(|_| c.is_ascii_digit())).unwrap_or(text.len());
            (plain(text.get(..end)?)?, text.get(end..)?)
        };
        let rest = rest.trim_start();
        (self.0.contains(&mark) && rest.chars().any(char::is_alphabetic)).then_some((mark, rest))
    }
}

/// Marks behind a word or a value: `s*`, `Vn††`, `Protection(1)`, `100 ⁽¹⁾`, `House²`.
fn collect(text: &str, marks: &mut BTreeSet<String>) {
    let chars: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        let behind_word = at > 0 && (chars[at - 1].is_alphanumeric() || matches!(chars[at - 1], ')' | '%'));
        if SIGNS.contains(c) && behind_word {
            let end = (at..chars.len()).find(|i| chars[*i] != c).unwrap_or(chars.len());
            // 3*4 and $5 are no notes: behind a mark the word has ended.
            if chars.get(end).is_none_or(|next| !next.is_alphanumeric()) {
                marks.insert(chars[at..end].iter().collect());
            }
            at = end;
            continue;
        }
        let raised = (digit(c).is_some() && !c.is_ascii_digit() || c == '⁽') && is_mark_at(&chars, at);
        if raised || c == '(' && behind_word {
            let end = (at + 1..chars.len())
                .find(|i| digit(chars[*i]).is_none() && !matches!(chars[*i], '⁽' | '⁾'))
                .unwrap_or(chars.len());
            let inside: String = chars[at..end].iter().filter(|c| !matches!(**c, '(' | '⁽' | '⁾')).collect();
            let closed = c != '(' || chars.get(end) == Some(&')') && chars.get(end + 1) != Some(&'(');
            if let Some(number) = plain(&inside).filter(|_| closed) {
                marks.insert(number);
            }
            at = end.max(at + 1);
            continue;
        }
        at += 1;
    }
}

/// Whether a raised character is the mark of a note and no exponent: behind a word of three letters and more (House², but
/// not m²), or set apart from the value before it, as the cells of a grid have it.
fn is_mark_at(chars: &[char], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|i| chars.get(i)) else { return false };
    if *before == ' ' {
        return at > 1 && (chars[at - 2].is_ascii_digit() || matches!(chars[at - 2], '%' | '—' | '–' | '√'));
    }
    let letters = chars[..at].iter().rev().take_while(|c| c.is_alphabetic()).count();
    letters >= 3 || matches!(before, ')' | '%')
}

/// One or two digits, plain or raised, as plain digits.
fn plain(text: &str) -> Option<String> {
    let digits: Option<String> = text.chars().map(digit).collect();
    digits.filter(|digits| (1..=2).contains(&digits.len()))
}

fn digit(c: char) -> Option<char> {
    match c {
        '0'..='9' => Some(c),
        '¹' => Some('1'),
        '²' => Some('2'),
        '³' => Some('3'),
        '⁰' | '⁴'..='⁹' => char::from_digit(u32::from(c) - 0x2070, 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(texts: &[&str]) -> Marks {
        let mut marks = BTreeSet::new();
        for text in texts {
            collect(text, &mut marks);
        }
        Marks(marks)
    }

    #[test]
    fn only_marks_that_the_table_carries_begin_its_notes() {
        let marks =
            marks(&["2.5 s*", "Vn† -20%", "LV Protection(1)", "House²", "19%$", "3*4", "$5", "kN/m³"]);
        let read = |text| marks.read(text).map(|(mark, rest)| (mark, rest.to_owned()));
        assert_eq!(read("* Might be reduced."), Some(("*".to_owned(), "Might be reduced.".to_owned())));
        assert_eq!(read("†A value of 230 V"), Some(("†".to_owned(), "A value of 230 V".to_owned())));
        assert_eq!(read("(1) Settings apply"), Some(("1".to_owned(), "Settings apply".to_owned())));
        assert_eq!(read("² Both apply"), Some(("2".to_owned(), "Both apply".to_owned())));
        for text in ["(3) Another item", "‡ Other", "2 plain", "* ", "Text"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
