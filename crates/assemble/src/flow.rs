//! The document on its way through assembly: pages of cleaned lines, grids and pictures in reading order.
//!
//! Owns the intermediate shapes that the stages hand to each other. It must not know what a line means: that is said
//! by the stages (furniture, contents, chapters, tables, notes), each of which takes lines away or points at them.

use regreader_model::{
    PageNumber, RawDocument, RawElement, RawPicture, RawText, Rect, TextOrigin, TextRole, TextUnit,
};

use crate::clean::Cleaner;
use crate::table::grid::Grid;

/// One page with what is left on it.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    pub page_num: PageNumber,
    pub size: Option<[f32; 2]>,
    pub origin: TextOrigin,
    /// Printed page number, once furniture was read.
    pub label: Option<String>,
    pub items: Vec<Item>,
}

/// Something on a page.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Line(Line),
    Table(Grid),
    Picture(RawPicture),
}

/// A printed line or a declared paragraph, cleaned.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub text: String,
    pub unit: TextUnit,
    pub role: TextRole,
    pub bbox: Option<Rect>,
    pub size: Option<f32>,
    pub bold: bool,
    pub confidence: Option<f32>,
}

/// An item with its page: the document as one stream.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    /// Index of the page.
    pub page: usize,
    pub item: Item,
}

impl Item {
    pub fn line(&self) -> Option<&Line> {
        match self {
            Self::Line(line) => Some(line),
            _ => None,
        }
    }

    pub fn bbox(&self) -> Option<Rect> {
        match self {
            Self::Line(line) => line.bbox,
            Self::Table(grid) => grid.bbox,
            Self::Picture(picture) => picture.bbox,
        }
    }
}

impl Line {
    fn new(raw: &RawText, cleaner: Cleaner) -> Option<Self> {
        let text = cleaner.line(&raw.text);
        (!text.is_empty()).then_some(Self {
            text,
            unit: raw.unit,
            role: raw.role,
            bbox: raw.bbox.filter(is_finite),
            size: raw.size.filter(|size| size.is_finite() && *size > 0.0),
            bold: raw.bold,
            confidence: raw.confidence.filter(|value| value.is_finite()),
        })
    }

    pub fn is_paragraph(&self) -> bool {
        self.unit == TextUnit::Paragraph
    }
}

/// Pages of cleaned items. Page numbers are given anew, so that every page from 1 on is there whatever a parser said.
pub(crate) fn sheets(raw: RawDocument, cleaner: Cleaner) -> (Vec<Sheet>, Vec<PageNumber>) {
    let mut damaged = Vec::new();
    let sheets = raw
        .pages
        .into_iter()
        .enumerate()
        .map(|(index, page)| {
            let page_num = PageNumber::from_index(index);
            let mut items = Vec::with_capacity(page.elements.len());
            for element in page.elements {
                match element {
                    RawElement::Text(text) => items.extend(Line::new(&text, cleaner).map(Item::Line)),
                    RawElement::Table(table) => {
                        let (grid, whole) = Grid::new(table, cleaner);
                        if !whole {
                            damaged.push(page_num);
                        }
                        match grid {
                            Some(grid) if grid.is_box() => items.extend(box_lines(&grid)),
                            Some(grid) => items.push(Item::Table(grid)),
                            None => {}
                        }
                    }
                    RawElement::Picture(picture) => items.push(Item::Picture(picture)),
                }
            }
            // A mark no larger than a word stands in a line, not between two: it must not part a number from its title
            // or a sentence from its end.
            let (marks, mut items): (Vec<Item>, Vec<Item>) = items.into_iter().partition(is_small_mark);
            items.extend(marks);
            Sheet { page_num, size: page.size, origin: page.origin, label: None, items }
        })
        .collect();
    (sheets, damaged)
}

/// A picture the size of a word or two that nothing is said about.
fn is_small_mark(item: &Item) -> bool {
    const SIDE: f32 = 24.0;
    let Item::Picture(RawPicture { bbox: Some(rect), description: None }) = item else { return false };
    rect.width() <= SIDE && rect.height() <= SIDE
}

/// A frame around text is no table: its lines are text like any other.
fn box_lines(grid: &Grid) -> Vec<Item> {
    let lines = grid.cells.iter().flat_map(|cell| cell.content.split('\n').map(move |text| (cell, text)));
    lines
        .filter(|(_, text)| !text.is_empty())
        .map(|(cell, text)| {
            Item::Line(Line {
                text: text.to_owned(),
                unit: TextUnit::Paragraph,
                role: TextRole::Body,
                bbox: cell.bbox.or(grid.bbox),
                size: None,
                bold: false,
                confidence: grid.confidence,
            })
        })
        .collect()
}

/// All items of all pages, one after the other.
pub(crate) fn stream(sheets: &mut [Sheet]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (page, sheet) in sheets.iter_mut().enumerate() {
        pieces.extend(std::mem::take(&mut sheet.items).into_iter().map(|item| Piece { page, item }));
    }
    pieces
}

fn is_finite(rect: &Rect) -> bool {
    [rect.x0, rect.y0, rect.x1, rect.y1].iter().all(|value| value.is_finite())
}
