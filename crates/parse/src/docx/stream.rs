//! Two texts as streams of folded characters, and which character of one is which of the other.
//!
//! White space and compatibility forms do not count, so that a line break or a full-width digit is no difference.
//! Matching is by anchors: pieces of text that stand exactly once on either side, in order; between anchors the same
//! again with shorter pieces.

use std::collections::HashMap;
use std::ops::Range;

use regreader_model::{RawDocument, RawElement, Rect, TextRole};
use unicode_normalization::UnicodeNormalization;

/// Stands between texts, so that no piece of text that is matched runs over the border of two: the last bracket of one
/// paragraph and the start of the next would else be found together behind a running head that ends in a bracket.
const BORDER: char = '\0';

/// Folded characters of a list of texts.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    /// The characters.
    pub chars: Vec<char>,
    /// Byte offset of each in its text.
    offsets: Vec<usize>,
    /// End of each text.
    ends: Vec<usize>,
}

impl Stream {
    /// Folds texts into one stream.
    pub fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut stream = Self::default();
        for text in texts {
            for (offset, character) in text.char_indices() {
                fold(character, |folded| {
                    stream.chars.push(folded);
                    stream.offsets.push(offset);
                });
            }
            stream.ends.push(stream.chars.len());
            stream.chars.push(BORDER);
            stream.offsets.push(text.len());
        }
        stream
    }

    /// Characters, borders not counted.
    pub fn len(&self) -> usize {
        self.chars.len() - self.ends.len()
    }

    /// Where a text stands in the stream.
    pub fn range(&self, text: usize) -> Range<usize> {
        let start = text.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| end + 1);
        start..self.ends.get(text).copied().unwrap_or(start)
    }

    /// Byte offset, in its own text, of a character of the stream.
    pub fn offset(&self, at: usize) -> usize {
        self.offsets.get(at).copied().unwrap_or(0)
    }
}

fn fold(character: char, mut push: impl FnMut(char)) {
    for folded in character.nfkc() {
        // Dashes, dots and quotes differ between what is typed and what is drawn.
        let folded = match folded {
            '–' | '—' | '−' | '‐' | '‑' | '―' => '-',
            '“' | '”' | '„' => '"',
            '‘' | '’' => '\'',
            '$' | '\u{AD}' | '\u{200B}' => continue,
            other => other,
        };
        if !folded.is_whitespace() && !folded.is_control() {
            push(folded);
        }
    }
}

/// The text of a PDF as a stream that knows its pages.
pub(crate) struct Source {
    /// The characters.
    pub chars: Vec<char>,
    /// Which line (element, or cell of a table) each character is of.
    lines: Vec<u32>,
    /// Page, element and box of each line.
    line_places: Vec<(usize, usize, Option<Rect>)>,
    /// End of each page in the stream.
    page_ends: Vec<usize>,
    element_count: usize,
}

impl Source {
    /// Reads all pages, running heads left out where the parser knew them.
    pub fn new(pdf: &RawDocument) -> Self {
        let mut source = Self {
            chars: Vec::new(),
            lines: Vec::new(),
            line_places: Vec::new(),
            page_ends: Vec::new(),
            element_count: 0,
        };
        for (page, raw) in pdf.pages.iter().enumerate() {
            for element in &raw.elements {
                let index = source.element_count;
                source.element_count += 1;
                match element {
                    RawElement::Text(text) => {
                        if !matches!(text.role, TextRole::PageHeader | TextRole::PageFooter) {
                            source.line_of(&text.text, (page, index, text.bbox));
                        }
                    }
                    RawElement::Table(table) => {
                        let mut cells: Vec<_> = table.cells.iter().collect();
                        cells.sort_by_key(|cell| (cell.row, cell.col));
                        for cell in cells {
                            source.line_of(&cell.content, (page, index, cell.bbox.or(table.bbox)));
                        }
                    }
                    RawElement::Picture(_) => {}
                }
            }
            source.page_ends.push(source.chars.len());
        }
        source
    }

    fn line_of(&mut self, text: &str, place: (usize, usize, Option<Rect>)) {
        let line = self.line_places.len() as u32;
        self.line_places.push(place);
        for character in text.chars() {
            fold(character, |folded| {
                self.chars.push(folded);
                self.lines.push(line);
            });
        }
    }

    fn place(&self, at: usize) -> Option<&(usize, usize, Option<Rect>)> {
        self.line_places.get(*self.lines.get(at)? as usize)
    }

    /// Page (from 0) of a character.
    pub fn page(&self, at: usize) -> usize {
        self.place(at).map_or(0, |(page, _, _)| *page)
    }

    /// Box of the line of a character.
    pub fn bbox(&self, at: usize) -> Option<Rect> {
        self.place(at)?.2
    }

    /// Which element of the whole PDF a character is of, counted over all pages.
    pub fn line(&self, at: usize) -> usize {
        self.place(at).map_or(usize::MAX, |(_, element, _)| *element)
    }

    /// Elements in the whole PDF.
    pub fn line_count(&self) -> usize {
        self.element_count
    }

    /// Pages in the whole PDF.
    pub fn page_count(&self) -> usize {
        self.page_ends.len()
    }

    /// First place where a text stands whole.
    pub fn find(&self, text: &str) -> Option<usize> {
        let wanted = folded(text);
        let wanted = &wanted[..wanted.len().min(40)];
        if wanted.is_empty() {
            return None;
        }
        self.chars.windows(wanted.len()).position(|window| window == wanted)
    }

    /// Whether a text stands on the page right before a place, give or take a few characters (`表6-2（续）`).
    pub fn has_before(&self, at: usize, page: usize, text: &str) -> bool {
        let wanted = folded(text);
        if wanted.is_empty() {
            return false;
        }
        let page_start = page.checked_sub(1).and_then(|p| self.page_ends.get(p)).copied().unwrap_or(0);
        let start = at.saturating_sub(wanted.len() + 8).max(page_start);
        self.chars.get(start..at).is_some_and(|before| before.windows(wanted.len()).any(|w| w == wanted))
    }
}

/// Whether a text stands in another.
pub(crate) fn holds(text: &str, part: &str) -> bool {
    let (text, part) = (folded(text), folded(part));
    !part.is_empty() && text.windows(part.len()).any(|window| window == part)
}

fn folded(text: &str) -> Vec<char> {
    let mut out = Vec::new();
    for character in text.chars() {
        fold(character, |folded| out.push(folded));
    }
    out
}

/// Box of an element.
pub(crate) fn bbox_of(element: &RawElement) -> Option<Rect> {
    match element {
        RawElement::Text(text) => text.bbox,
        RawElement::Table(table) => table.bbox,
        RawElement::Picture(picture) => picture.bbox,
    }
}

/// For each character of `left` the position of the same character in `right`, positions ascending.
pub(crate) fn align(left: &[char], right: &[char]) -> Vec<Option<usize>> {
    const LENGTHS: [usize; 5] = [24, 12, 6, 3, 1];
    let mut out = vec![None; left.len()];
    let mut work = vec![(0..left.len(), 0..right.len(), 0usize)];
    while let Some((mut a, mut b, mut step)) = work.pop() {
        // Equal ends need no anchors. Forwards the match may run on into the next text, backwards it may not.
        while !a.is_empty() && !b.is_empty() && (left[a.start] == right[b.start] || left[a.start] == BORDER) {
            if left[a.start] != BORDER {
                out[a.start] = Some(b.start);
                b.start += 1;
            }
            a.start += 1;
        }
        while !a.is_empty() && !b.is_empty() && left[a.end - 1] == right[b.end - 1] {
            a.end -= 1;
            b.end -= 1;
            out[a.end] = Some(b.end);
        }
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let mut anchors = Vec::new();
        while step < LENGTHS.len() && anchors.is_empty() {
            anchors = unique_anchors(&left[a.clone()], &right[b.clone()], LENGTHS[step]);
            step += 1;
        }
        if anchors.is_empty() {
            continue;
        }
        let (mut from_a, mut from_b) = (a.start, b.start);
        for (at_a, at_b) in anchors {
            let (at_a, at_b) = (a.start + at_a, b.start + at_b);
            if at_a < from_a || at_b < from_b {
                continue;
            }
            if from_a < at_a && from_b < at_b {
                work.push((from_a..at_a, from_b..at_b, step));
            }
            out[at_a] = Some(at_b);
            (from_a, from_b) = (at_a + 1, at_b + 1);
        }
        work.push((from_a..a.end, from_b..b.end, step));
    }
    out
}

/// Starts of pieces that stand once on each side, as many as keep their order.
fn unique_anchors(left: &[char], right: &[char], length: usize) -> Vec<(usize, usize)> {
    let left_once = once(left, length);
    let right_once = once(right, length);
    let mut pairs: Vec<(usize, usize)> =
        left_once.iter().filter_map(|(piece, at)| Some(((*at)?, (*right_once.get(piece)?)?))).collect();
    pairs.sort_unstable();
    longest_ascending(&pairs)
}

/// Where each piece stands, if it stands only once.
fn once(chars: &[char], length: usize) -> HashMap<&[char], Option<usize>> {
    let mut seen: HashMap<&[char], Option<usize>> = HashMap::new();
    for (at, piece) in chars.windows(length).enumerate() {
        seen.entry(piece).and_modify(|place| *place = None).or_insert(Some(at));
    }
    seen
}

fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // Patience sorting: `tails[k]` ends the ascending run of length k + 1 with the smallest end.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (index, (_, value)) in pairs.iter().enumerate() {
        let at = tails.partition_point(|tail| pairs[*tail].1 < *value);
        before[index] = at.checked_sub(1).map(|k| tails[k]);
        if at == tails.len() { tails.push(index) } else { tails[at] = index }
    }
    let mut run = Vec::new();
    let mut at = tails.last().copied();
    while let Some(index) = at {
        run.push(pairs[index]);
        at = before[index];
    }
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_head_between_does_not_disturb_the_match() {
        let left =
            folded("第一条 为了保障电力系统安全稳定运行，制定本规程。第二条 本规程适用于所有并网主体。");
        let right = folded(
            "第一条 为了保障电力系统安全\n— 3 —\n国家电网\n稳定运行，制定本规程。第二条 本规程适用于所有并网主体。",
        );
        let matches = align(&left, &right);
        assert_eq!(matches.iter().filter(|m| m.is_some()).count(), left.len());
        assert!(matches.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn unrelated_texts_match_little() {
        let left = folded("甲乙丙丁戊己庚辛");
        let right = folded("abcdefg");
        assert!(align(&left, &right).iter().all(Option::is_none));
    }
}
