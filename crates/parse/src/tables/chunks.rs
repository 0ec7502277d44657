//! Rows of words cut into chunks: pieces that stand apart and may be cells.

use regreader_model::Rect;

use super::Rule;
use crate::layout::{Row, Word, is_cjk, join_words};

/// A piece of a row that may be a cell.
#[derive(Debug, Clone)]
pub(crate) struct Chunk {
    pub words: Vec<Word>,
    pub rect: Rect,
    /// It is a number, an amount or a mark for a missing one.
    pub numeric: bool,
}

impl Chunk {
    fn new(words: Vec<Word>) -> Self {
        let rect = words.iter().map(|word| word.rect).reduce(|a, b| a.union(&b)).unwrap_or(Rect {
            x0: 0.0,
            y0: 0.0,
            x1: 0.0,
            y1: 0.0,
        });
        let numeric = words.iter().any(|word| is_numeric(&word.text))
            && words.iter().all(|word| is_numeric(&word.text) || is_closing(&word.text));
        Self { words, rect, numeric }
    }

    pub fn text(&self) -> String {
        join_words(&self.words)
    }
}

/// A printed row cut into chunks.
#[derive(Debug, Clone)]
pub(crate) struct TextRow {
    pub chunks: Vec<Chunk>,
    pub base: f32,
    pub size: f32,
    pub top: f32,
    pub bottom: f32,
}

impl TextRow {
    /// A row of a page, cut at wide gaps and at upright rules, which come sorted by position.
    pub fn new(row: &Row, uprights: &[Rule]) -> Self {
        let mut groups: Vec<Vec<Word>> = Vec::new();
        let mut cut = true;
        for word in &row.words {
            if is_leader(&word.text) {
                cut = true;
                continue;
            }
            let mut word = word.clone();
            trim_leader(&mut word);
            match groups.last_mut() {
                Some(group) if !cut && !stands_apart(group, &word, uprights) => group.push(word),
                _ => groups.push(vec![word]),
            }
            cut = false;
        }
        let chunks: Vec<Chunk> = groups.into_iter().map(Chunk::new).collect();
        let top = row.words.iter().map(|word| word.rect.y0).fold(f32::INFINITY, f32::min);
        let bottom = row.words.iter().map(|word| word.rect.y1).fold(f32::NEG_INFINITY, f32::max);
        Self { chunks, base: row.base, size: row.size, top, bottom }
    }

    /// Two chunks and more.
    pub fn is_tabular(&self) -> bool {
        self.chunks.len() >= 2
    }

    /// A clause number or list marker and the words it belongs to.
    pub fn is_numbered_line(&self) -> bool {
        let Some(first) = self.chunks.first() else { return false };
        let words = self.chunks.iter().skip(1).filter(|chunk| !chunk.numeric).count();
        is_marker(&first.text()) && words >= 1 && words + 2 >= self.chunks.len()
    }

    pub fn has_number(&self) -> bool {
        self.chunks.iter().skip(1).any(|chunk| chunk.numeric)
    }

    pub fn x0(&self) -> f32 {
        self.chunks.first().map_or(0.0, |chunk| chunk.rect.x0)
    }

    pub fn x1(&self) -> f32 {
        self.chunks.last().map_or(0.0, |chunk| chunk.rect.x1)
    }

    /// Cuts chunks that lie over several columns at their widest gap near a border between columns.
    pub fn cut_at(&mut self, borders: &[f32]) {
        let mut cut: Vec<Chunk> = Vec::with_capacity(self.chunks.len());
        for chunk in self.chunks.drain(..) {
            let mut groups: Vec<Vec<Word>> = Vec::new();
            let spaces: Vec<f32> =
                chunk.words.windows(2).map(|pair| pair[1].rect.x0 - pair[0].rect.x1).collect();
            let usual = median(&spaces).unwrap_or(0.0);
            for word in chunk.words {
                let apart = groups.last().and_then(|group| group.last()).is_none_or(|last| {
                    let gap = word.rect.x0 - last.rect.x1;
                    let over = borders
                        .iter()
                        .any(|border| *border > last.rect.x1 - 1.0 && *border < word.rect.x0 + 1.0);
                    over && (gap > 0.33 * word.size || (gap > 0.25 * word.size && gap > 1.4 * usual))
                });
                match groups.last_mut() {
                    Some(group) if !apart => group.push(word),
                    _ => groups.push(vec![word]),
                }
            }
            cut.extend(groups.into_iter().map(Chunk::new));
        }
        self.chunks = cut;
    }
}

/// Gap, in ems, between two cells of a row.
const CELL_GAP: f32 = 0.75;

fn stands_apart(group: &[Word], b: &Word, uprights: &[Rule]) -> bool {
    let Some(a) = group.last() else { return true };
    let gap = b.rect.x0 - a.rect.x1;
    let em = a.size.max(b.size);
    let middle = f32::midpoint(a.rect.x1, b.rect.x0);
    // Rules come sorted by position: look only at those between the two words.
    let reach = (gap / 2.0).max(0.0) + 1.0;
    let from = uprights.partition_point(|rule| rule.position < middle - reach);
    let mut between =
        uprights.iter().skip(from).take_while(|rule| rule.position <= middle + reach).take(1000);
    let ruled = between.any(|rule| rule.start <= a.rect.center_y() && rule.end >= a.rect.center_y());
    if ruled {
        return true;
    }
    let (na, nb) = (is_numeric(&a.text), is_numeric(&b.text));
    // $ 1,234 and 12 % are one amount, however far the sign stands off.
    if is_currency(&a.text) && nb {
        return gap > 8.0 * em;
    }
    if na && (is_closing(&b.text) || matches!(b.text.as_str(), "pts" | "bps")) {
        return gap > 1.5 * em;
    }
    // 2006 – 2010 and 189 (55.6%) are one cell when set like words.
    let joined = is_dash(&a.text) || is_dash(&b.text) || b.text.starts_with('(');
    // June 1, 2019 is no row of numbers.
    let is_part = |word: &Word| is_numeric(&word.text) || is_closing(&word.text);
    let numbers = nb && group.iter().all(is_part) && !a.text.ends_with(',');
    if numbers && !continues_number(&a.text, &b.text, gap, em) {
        return gap > if joined { 0.45 } else { 0.12 } * em;
    }
    let limit = if is_cjk(a.last()) && is_cjk(b.first()) { 1.0 } else { CELL_GAP };
    gap > limit * em
}

/// Thousands set off by a space: 15 455.
fn continues_number(a: &str, b: &str, gap: f32, em: f32) -> bool {
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let last = a.rsplit(' ').next().unwrap_or(a);
    let head = b.split(['.', ',']).next().unwrap_or(b);
    gap <= 0.4 * em
        && digits(last.trim_start_matches(['-', '–', '(', '+']))
        && (1..=3).contains(&last.trim_start_matches(['-', '–', '(', '+']).len())
        && head.len() == 3
        && digits(head)
}

fn is_dash(text: &str) -> bool {
    matches!(text, "-" | "–" | "—" | "−")
}

fn is_currency(text: &str) -> bool {
    matches!(text, "$" | "€" | "£" | "¥" | "￥" | "US$" | "($" | "-$" | "$(" | "Rs" | "(€" | "(£")
}

/// A sign that ends an amount and may stand off from its digits: `12 %`.
fn is_closing(text: &str) -> bool {
    matches!(text, "%" | ")" | ")%" | "%)")
}

/// Digits with the signs that go with them, or one of the marks for "none".
pub(crate) fn is_numeric(text: &str) -> bool {
    const NONE: [&str; 12] = ["-", "–", "—", "−", "--", "n/a", "N/A", "NA", "n.a.", "..", "*", "†"];
    if NONE.contains(&text) || is_currency(text) {
        return true;
    }
    let mut digits = 0;
    let mut letters = 0;
    for c in text.chars() {
        if c.is_ascii_digit() || ('０'..='９').contains(&c) {
            digits += 1;
        } else if c.is_alphabetic() {
            letters += 1;
        } else if !"$€£¥￥%()[]*†‡§#+-–—−,.:/~<>≤≥=±’'°‰．，％".contains(c) {
            return false;
        }
    }
    digits > 0 && (letters == 0 || (letters == 1 && digits > 2))
}

/// Dots that lead the eye from a label to its number.
pub(crate) fn is_leader(text: &str) -> bool {
    let count = text.chars().count();
    (count >= 3 && text.chars().all(|c| matches!(c, '.' | '·' | '…' | '_' | '‥' | '．')))
        || (count >= 5 && text.chars().all(|c| matches!(c, '-' | '=' | '─' | '—')))
}

fn trim_leader(word: &mut Word) {
    let kept = word.text.trim_end_matches(['.', '…', '·']);
    let dropped = word.text.chars().count() - kept.chars().count();
    if dropped >= 3 {
        let share = kept.chars().count() as f32 / word.text.chars().count().max(1) as f32;
        word.rect.x1 = word.rect.x0 + word.rect.width() * share;
        word.count = kept.chars().count() as u32;
        word.text = kept.to_owned();
    }
}

/// A list marker or clause number: bullet, 3.2.1, A.1, 第三章, (a), 1).
pub(crate) fn is_marker(text: &str) -> bool {
    let text = text.trim();
    let count = text.chars().count();
    if count > 14 {
        return false;
    }
    if count == 1 {
        return text.chars().all(|c| !c.is_numeric());
    }
    if text.starts_with('第') || text.starts_with("附") || text.starts_with('注') {
        return true;
    }
    let inner = text.trim_matches(|c: char| "().）（、．:：[]".contains(c));
    let parts_ok = inner.split(['.', '．', '-']).all(|part| {
        !part.is_empty()
            && (part.chars().all(char::is_numeric) && part.chars().count() <= 3 || part.chars().count() == 1)
    });
    parts_ok && (inner.len() < text.len() || inner.contains(['.', '．']))
}

pub(super) fn median(values: &[f32]) -> Option<f32> {
    let mut values = values.to_vec();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_markers_and_words_are_told_apart() {
        for text in ["1,204", "(804)", "12.5%", "$3.2", "—", "2003–04", "10.4**", "N/A", "−0.5", "１２"]
        {
            assert!(is_numeric(text), "{text}");
        }
        for text in ["kV", "Table", "A.1", "第三章", "Bravo", "3-year-olds"] {
            assert!(!is_numeric(text), "{text}");
        }
        for text in ["5.6.1", "A.1", "(a)", "1)", "•", "第三章", "３．２．３", "附录A"] {
            assert!(is_marker(text), "{text}");
        }
        for text in ["2019", "Alpha", "120", "1,204", "State"] {
            assert!(!is_marker(text), "{text}");
        }
    }
}
