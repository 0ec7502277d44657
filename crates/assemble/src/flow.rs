//! The document on its way through assembly: pages of cleaned lines, grids and pictures in reading order.
//!
//! Owns the intermediate shapes that the stages hand to each other. It must not know what a line means: that is said
//! by the stages (furniture, contents, chapters, tables, notes), each of which takes lines away or points at them.

use regreader_model::{
    PageNumber, RawDocument, RawElement, RawPicture, RawTable, RawText, Rect, TableCell, TextOrigin,
    TextRole, TextUnit,
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

/// A document has one title of a few lines. A style that is declared a title and stands all over the document is
/// something else (captions of tables, often), so that the declaration says nothing.
pub(crate) fn demote_titles(raw: &mut RawDocument) {
    const MOST: usize = 6;
    let texts = || raw.pages.iter().flat_map(|page| &page.elements);
    let is_title =
        |element: &RawElement| matches!(element, RawElement::Text(text) if text.role == TextRole::Title);
    if texts().filter(|element| is_title(element)).count() <= MOST {
        return;
    }
    for element in raw.pages.iter_mut().flat_map(|page| &mut page.elements) {
        if let RawElement::Text(text) = element
            && text.role == TextRole::Title
        {
            text.role = TextRole::Body;
        }
    }
}

/// Pages of cleaned items. Page numbers are given anew, so that every page from 1 on is there whatever a parser said.
pub(crate) fn sheets(raw: RawDocument, cleaner: Cleaner) -> (Vec<Sheet>, Vec<PageNumber>) {
    let mut damaged = Vec::new();
    let sheets = raw
        .pages
        .into_iter()
        .enumerate()
        .map(|(index, mut page)| {
            let page_num = PageNumber::from_index(index);
            fill_holes(&mut page.elements);
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

/// Lines that stand inside a table where its grid has no cell: the page border cut the cell's lower rule away. They
/// become the cell that is missing, in the column and below the rows they stand in. A place that has a cell is left alone:
/// what is printed over it (a watermark, a stamp) is not its content.
fn fill_holes(elements: &mut Vec<RawElement>) {
    let boxes: Vec<(usize, Rect)> = elements
        .iter()
        .enumerate()
        .filter_map(|(at, element)| match element {
            RawElement::Table(table) => Some((at, table.bbox.filter(is_finite)?)),
            _ => None,
        })
        .collect();
    if boxes.is_empty() {
        return;
    }
    let mut moved: Vec<(usize, usize, Hole)> = Vec::new();
    for (at, element) in elements.iter().enumerate() {
        let RawElement::Text(text) = element else { continue };
        let Some(rect) = text.bbox.filter(is_finite) else { continue };
        let (x, y) = (rect.center_x(), f32::midpoint(rect.y0, rect.y1));
        let inside = |whole: &Rect| {
            whole.x0 < rect.x0 && rect.x1 < whole.x1 && whole.y0 < rect.y0 && rect.y1 < whole.y1
        };
        let Some((table_at, _)) = boxes.iter().find(|(_, whole)| inside(whole)) else { continue };
        let Some(RawElement::Table(table)) = elements.get(*table_at) else { continue };
        if let Some(hole) = hole_at(table, x, y) {
            moved.push((at, *table_at, hole));
        }
    }
    for (at, table_at, hole) in &moved {
        let Some(RawElement::Text(text)) = elements.get(*at) else { continue };
        let content = text.text.clone();
        let bbox = text.bbox.map(|rect| Rect::new(hole.left, rect.y0, hole.right, rect.y1));
        let Some(RawElement::Table(table)) = elements.get_mut(*table_at) else { continue };
        match table.cells.iter_mut().find(|cell| cell.row == hole.row && cell.col == hole.col) {
            Some(cell) => {
                cell.content.push('\n');
                cell.content.push_str(&content);
                cell.bbox = cell.bbox.zip(bbox).map(|(a, b)| a.union(&b));
            }
            None => table.cells.push(TableCell {
                row: hole.row,
                col: hole.col,
                row_span: 1,
                col_span: 1,
                content,
                is_header: false,
                bbox,
            }),
        }
    }
    let gone: Vec<usize> = moved.into_iter().map(|(at, ..)| at).collect();
    let mut at = 0;
    elements.retain(|_| {
        at += 1;
        gone.binary_search(&(at - 1)).is_err()
    });
}

/// A place of a grid that no cell covers.
struct Hole {
    row: u32,
    col: u32,
    left: f32,
    right: f32,
}

/// The hole of a grid at a point, where row and column are certain: the column has cells, and the row is the one below
/// the last cell of that column.
fn hole_at(table: &RawTable, x: f32, y: f32) -> Option<Hole> {
    /// Larger grids come from formats that declare every cell.
    const MOST_CELLS: usize = 4_000;
    if table.cells.len() > MOST_CELLS {
        return None;
    }
    let rect = |cell: &TableCell| cell.bbox.filter(is_finite);
    if table
        .cells
        .iter()
        .any(|cell| rect(cell).is_some_and(|r| r.x0 <= x && x <= r.x1 && r.y0 <= y && y <= r.y1))
    {
        return None;
    }
    let in_column = |cell: &&TableCell| {
        cell.col_span == 1 && rect(cell).is_some_and(|r| r.x0 <= x && x <= r.x1 && r.y1 <= y)
    };
    let above = table.cells.iter().filter(in_column).max_by_key(|cell| cell.row + cell.row_span)?;
    let row = above.row + above.row_span;
    let free = row < table.row_count
        && !table.cells.iter().any(|cell| {
            (cell.row..cell.row + cell.row_span).contains(&row)
                && (cell.col..cell.col + cell.col_span).contains(&above.col)
        });
    let column = rect(above)?;
    free.then_some(Hole { row, col: above.col, left: column.x0, right: column.x1 })
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
