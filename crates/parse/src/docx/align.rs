//! Exact pages for a Word document, from the PDF that an office program made of it.
//!
//! The PDF knows the pages, the DOCX knows paragraphs, tables and roles. Both are read as one stream of characters;
//! the streams are matched in order, and every paragraph and table row goes to the page where its characters stand.

use std::collections::BTreeMap;

use regreader_model::{
    PageNumber, RawDocument, RawElement, RawPage, RawTable, RawText, Rect, TextOrigin, TextRole,
};

use super::stream::{self, Source, Stream};
use crate::ooxml::segment;

/// Less than this share of the characters found in the PDF: it is not the same document.
const SAME_DOCUMENT: f32 = 0.6;

/// Puts the content of a parsed DOCX onto the pages of the PDF made from it.
///
/// Structure, roles and text stay those of the DOCX; pages, their sizes and running heads come from the PDF. A paragraph
/// that runs over a page border is split there; a table is split between rows, and a header row that the PDF prints
/// again is printed again. If the PDF is plainly of another document, `flow` comes back unchanged, its pages still
/// marked approximate.
pub fn align_pages(flow: RawDocument, pdf: &RawDocument) -> RawDocument {
    let elements = whole_elements(&flow);
    let units = units(&elements);
    let wanted = Stream::new(units.iter().map(|unit| unit.text.as_str()));
    let printed = Source::new(pdf);
    let matches = stream::align(&wanted.chars, &printed.chars);
    let found = matches.iter().filter(|at| at.is_some()).count();
    if pdf.pages.is_empty() || (found as f32) < wanted.len() as f32 * SAME_DOCUMENT {
        return flow;
    }
    let places = places(&units, &wanted, &matches, &printed);
    let mut book = Book::new(pdf);
    let mut unit = 0;
    for element in &elements {
        match element {
            RawElement::Text(text) => {
                let place = &places[unit];
                unit += 1;
                book.text(text, place);
            }
            RawElement::Table(table) => {
                let rows = table.row_count as usize;
                book.table(table, &places[unit..unit + rows], &printed);
                unit += rows;
            }
            RawElement::Picture(_) => book.other(element.clone()),
        }
    }
    book.running_heads(pdf, &printed, &matches);
    book.finish(flow, pdf)
}

/// The flow without its approximate pages: tables that these had split are whole again.
fn whole_elements(flow: &RawDocument) -> Vec<RawElement> {
    let mut out: Vec<RawElement> = Vec::new();
    for page in &flow.pages {
        for (index, element) in page.elements.iter().enumerate() {
            if let (0, RawElement::Table(below), Some(RawElement::Table(above))) =
                (index, element, out.last_mut())
                && segment::continues(above, below)
            {
                segment::join(above, below.clone());
                continue;
            }
            out.push(element.clone());
        }
    }
    out
}

/// A paragraph or a table row: what can stand on a page of its own.
struct Unit {
    text: String,
    /// Footnotes stand at the foot of their page, out of order.
    in_order: bool,
}

fn units(elements: &[RawElement]) -> Vec<Unit> {
    let mut units = Vec::new();
    for element in elements {
        match element {
            RawElement::Text(text) => {
                units.push(Unit { text: text.text.clone(), in_order: text.role != TextRole::Footnote });
            }
            RawElement::Table(table) => {
                let mut rows = vec![String::new(); table.row_count as usize];
                for cell in &table.cells {
                    if let Some(row) = rows.get_mut(cell.row as usize) {
                        row.push_str(&cell.content);
                    }
                }
                units.extend(rows.into_iter().map(|text| Unit { text, in_order: true }));
            }
            RawElement::Picture(_) => {}
        }
    }
    units
}

/// Where a unit stands.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    /// Pages it runs over, each with the byte offset at which its text begins there.
    parts: Vec<(usize, usize)>,
    /// Boxes of the printed lines it was found in, by page.
    boxes: Vec<(usize, Rect)>,
    /// Position in the printed stream of its first character.
    first: Option<usize>,
}

fn places(units: &[Unit], wanted: &Stream, matches: &[Option<usize>], printed: &Source) -> Vec<Place> {
    let mut places: Vec<Option<Place>> = Vec::with_capacity(units.len());
    for (index, unit) in units.iter().enumerate() {
        let range = wanted.range(index);
        let mut place = Place { parts: Vec::new(), boxes: Vec::new(), first: None };
        let mut on_page: BTreeMap<usize, usize> = BTreeMap::new();
        for at in range.clone() {
            if let Some(position) = matches.get(at).copied().flatten() {
                *on_page.entry(printed.page(position)).or_default() += 1;
            }
        }
        for at in range {
            let Some(position) = matches.get(at).copied().flatten() else { continue };
            let page = printed.page(position);
            // One character alone is a coincidence, unless it is all that was found.
            if on_page.len() > 1 && on_page.get(&page) == Some(&1) {
                continue;
            }
            match place.parts.last() {
                None => {
                    place.parts.push((page, 0));
                    place.first = Some(position);
                }
                Some((last, _)) if *last < page => place.parts.push((page, wanted.offset(at))),
                Some(_) => {}
            }
            if let Some(rect) = printed.bbox(position) {
                match place.boxes.last_mut() {
                    Some((on, union)) if *on == page => *union = union.union(&rect),
                    _ => place.boxes.push((page, rect)),
                }
            }
        }
        if place.parts.is_empty() && !unit.in_order {
            // A footnote whose text the ordered match could not reach.
            if let Some(position) = printed.find(&unit.text) {
                place.parts.push((printed.page(position), 0));
                place.first = Some(position);
            }
        }
        places.push((!place.parts.is_empty()).then_some(place));
    }
    fill_gaps(places, printed.page_count())
}

/// A unit that was not found stands with what comes before it, or after it at the very beginning.
fn fill_gaps(places: Vec<Option<Place>>, page_count: usize) -> Vec<Place> {
    let first = places.iter().flatten().next().and_then(|p| p.parts.first()).map_or(0, |(page, _)| *page);
    let mut last = first.min(page_count.saturating_sub(1));
    places
        .into_iter()
        .map(|place| match place {
            Some(place) => {
                last = place.parts.last().map_or(last, |(page, _)| *page);
                place
            }
            None => Place { parts: vec![(last, 0)], boxes: Vec::new(), first: None },
        })
        .collect()
}

/// The pages of the result while they are filled.
struct Book {
    pages: Vec<Vec<RawElement>>,
    notes: Vec<Vec<RawElement>>,
    heads: Vec<(Vec<RawElement>, Vec<RawElement>)>,
    /// The header rows of a table that each page prints again at its top.
    repeated: Vec<String>,
    current: usize,
}

impl Book {
    fn new(pdf: &RawDocument) -> Self {
        let count = pdf.pages.len();
        Self {
            pages: vec![Vec::new(); count],
            notes: vec![Vec::new(); count],
            heads: vec![(Vec::new(), Vec::new()); count],
            repeated: vec![String::new(); count],
            current: 0,
        }
    }

    fn push(&mut self, page: usize, element: RawElement) {
        // Order is the DOCX's: nothing goes back to a page that is left.
        self.current = self.current.max(page.min(self.pages.len().saturating_sub(1)));
        if let Some(elements) = self.pages.get_mut(self.current) {
            elements.push(element);
        }
    }

    fn other(&mut self, element: RawElement) {
        self.push(self.current, element);
    }

    fn text(&mut self, text: &RawText, place: &Place) {
        if text.role == TextRole::Footnote {
            let page = place.parts.first().map_or(self.current, |(page, _)| *page);
            if let Some(notes) = self.notes.get_mut(page) {
                notes.push(RawElement::Text(text.clone()));
            }
            return;
        }
        let parts =
            if matches!(text.role, TextRole::Heading { .. } | TextRole::Title | TextRole::ContentsLine) {
                &place.parts[..place.parts.len().min(1)]
            } else {
                &place.parts[..]
            };
        for (index, (page, start)) in parts.iter().enumerate() {
            let end = parts.get(index + 1).map_or(text.text.len(), |(_, next)| *next);
            let piece = text.text.get(*start..end).unwrap_or("").trim();
            if piece.is_empty() {
                continue;
            }
            let bbox = place.boxes.iter().find(|(on, _)| on == page).map(|(_, rect)| *rect);
            self.push(*page, RawElement::Text(RawText { text: piece.to_owned(), bbox, ..text.clone() }));
        }
    }

    /// Splits a table between the rows where the page changes.
    fn table(&mut self, table: &RawTable, rows: &[Place], printed: &Source) {
        let mut start = 0u32;
        while start < table.row_count {
            let page = rows[start as usize].parts.first().map_or(self.current, |(page, _)| *page);
            let page = page.max(self.current);
            let mut end = start + 1;
            while end < table.row_count
                && rows[end as usize].parts.first().is_none_or(|(next, _)| *next <= page)
            {
                end += 1;
            }
            let header = table.header_rows.unwrap_or(0).min(table.row_count);
            let repeated = start >= header
                && start > 0
                && header > 0
                && rows[start as usize]
                    .first
                    .is_some_and(|at| printed.has_before(at, page, &header_text(table, header)));
            let mut part = if start == 0 && end == table.row_count {
                table.clone()
            } else if repeated {
                segment::rows_under_header(table, header, start..end)
            } else {
                segment::rows(table, start..end)
            };
            if let Some(slot) = self.repeated.get_mut(page).filter(|_| repeated) {
                slot.push_str(&header_text(table, header));
            }
            part.bbox = rows[start as usize..end as usize]
                .iter()
                .flat_map(|place| &place.boxes)
                .filter(|(on, _)| *on == page)
                .map(|(_, rect)| *rect)
                .reduce(|a, b| a.union(&b));
            self.push(page, RawElement::Table(part));
            start = end;
        }
    }

    /// Lines of the PDF that the DOCX flow does not have, above or below everything it has: running heads and page
    /// numbers. They are kept as such, since the printed page number is wanted.
    fn running_heads(&mut self, pdf: &RawDocument, printed: &Source, matches: &[Option<usize>]) {
        let mut used = vec![0_usize; printed.line_count()];
        for position in matches.iter().flatten() {
            if let Some(line) = used.get_mut(printed.line(*position)) {
                *line += 1;
            }
        }
        let mut line = 0;
        for (page, source) in pdf.pages.iter().enumerate() {
            let first_line = line;
            line += source.elements.len();
            let matched_in = |index: usize| used.get(first_line + index).copied().unwrap_or(0);
            // A page number is easily taken for the same digits of the text: it says nothing about the body.
            let is_body = |index: usize, element: &RawElement| {
                matched_in(index) > 0 && !matches!(element, RawElement::Text(text) if is_label(&text.text))
            };
            let matched: Vec<Rect> = source
                .elements
                .iter()
                .enumerate()
                .filter(|(index, element)| is_body(*index, element))
                .filter_map(|(_, element)| stream::bbox_of(element))
                .collect();
            let Some(body) = matched.into_iter().reduce(|a, b| a.union(&b)) else { continue };
            let Some((heads, feet)) = self.heads.get_mut(page) else { continue };
            for (index, element) in source.elements.iter().enumerate() {
                let RawElement::Text(text) = element else { continue };
                if is_body(index, element) {
                    continue;
                }
                let Some(rect) = text.bbox else { continue };
                // Digits of the text that stand close to it are its last row, and no page number.
                let gap = (rect.y0 - body.y1).max(body.y0 - rect.y1);
                if matched_in(index) > 0 && gap < 2.0 * (rect.y1 - rect.y0) {
                    continue;
                }
                // The header of a table, printed again, is in the table already.
                if self.repeated.get(page).is_some_and(|header| stream::holds(header, &text.text)) {
                    continue;
                }
                if rect.center_y() < body.y0 {
                    let text = RawText { role: TextRole::PageHeader, ..text.clone() };
                    heads.push(RawElement::Text(text));
                } else if rect.center_y() > body.y1 {
                    let text = RawText { role: TextRole::PageFooter, ..text.clone() };
                    feet.push(RawElement::Text(text));
                }
            }
        }
    }

    fn finish(self, flow: RawDocument, pdf: &RawDocument) -> RawDocument {
        let mut pages: Vec<RawPage> = Vec::with_capacity(self.pages.len());
        let parts = self.pages.into_iter().zip(self.notes).zip(self.heads).zip(&pdf.pages);
        for (index, (((body, notes), (heads, feet)), source)) in parts.enumerate() {
            let mut elements = heads;
            elements.extend(body);
            elements.extend(notes);
            elements.extend(feet);
            pages.push(RawPage {
                page_num: PageNumber::from_index(index),
                declared_label: source.declared_label.clone(),
                size: source.size,
                origin: if elements.is_empty() { TextOrigin::Blank } else { TextOrigin::TextLayer },
                elements,
                links: source.links.clone(),
            });
        }
        let outline = if pdf.outline.is_empty() { flow.outline } else { pdf.outline.clone() };
        RawDocument { pages, outline, pages_approximate: false, ..flow }
    }
}

/// Whether a line can be a printed page number: `12`, `- 12 -`, `iv`.
fn is_label(text: &str) -> bool {
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '—' | '–' | '·'));
    let digits = text.chars().all(|c| c.is_ascii_digit());
    let roman = text.chars().all(|c| matches!(c.to_ascii_lowercase(), 'i' | 'v' | 'x' | 'l' | 'c'));
    !text.is_empty() && text.len() <= 6 && (digits || roman)
}

fn header_text(table: &RawTable, header: u32) -> String {
    table.cells.iter().filter(|cell| cell.row < header).map(|cell| cell.content.as_str()).collect()
}
