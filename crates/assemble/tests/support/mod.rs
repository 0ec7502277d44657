//! A small language for documents in tests: pages of printed lines and ruled grids, laid out as a parser would see
//! them, without a parser.

#![allow(dead_code, reason = "each test file uses its own part of the builder")]
#![allow(clippy::expect_used, reason = "helpers of tests fail loudly, as tests do")]

use regreader_assemble::{AssembleOptions, assemble};
use regreader_model::{
    ChapterNode, LogicalTable, PageDocument, PageNumber, RawDocument, RawElement, RawPage, RawPicture,
    RawTable, RawText, Rect, Regulation, SourceFormat, TableCell, TableKind, TextOrigin, TextRole, TextUnit,
};

const LEFT: f32 = 72.0;
const RIGHT: f32 = 528.0;
const SIZE: f32 = 12.0;
const STEP: f32 = 20.0;
/// Characters of full width on one line.
const CHARS: usize = 38;

/// A document being written.
pub struct Doc {
    raw: RawDocument,
}

impl Doc {
    pub fn new() -> Self {
        Self {
            raw: RawDocument {
                format: SourceFormat::Pdf,
                title: None,
                pages: Vec::new(),
                outline: Vec::new(),
                pages_approximate: false,
            },
        }
    }

    pub fn page(mut self, write: impl FnOnce(Page) -> Page) -> Self {
        let page = write(Page { elements: Vec::new(), y: 90.0 });
        let origin = if page.elements.is_empty() { TextOrigin::Blank } else { TextOrigin::TextLayer };
        self.raw.pages.push(RawPage {
            page_num: PageNumber::from_index(self.raw.pages.len()),
            declared_label: None,
            size: Some([600.0, 840.0]),
            origin,
            elements: page.elements,
            links: Vec::new(),
        });
        self
    }

    pub fn raw(self) -> RawDocument {
        self.raw
    }

    pub fn assemble(self) -> Regulation {
        assemble(self.raw, Vec::new(), &AssembleOptions::new("test_reg".parse().expect("an id"), "规程.pdf"))
    }
}

/// A page being written, from the top down.
pub struct Page {
    elements: Vec<RawElement>,
    y: f32,
}

fn width(text: &str) -> f32 {
    text.chars().map(|c| if c.is_ascii() { SIZE / 2.0 } else { SIZE }).sum()
}

impl Page {
    fn put(mut self, text: &str, x: f32, y: f32, size: f32, bold: bool) -> Self {
        self.elements.push(RawElement::Text(RawText {
            text: text.to_owned(),
            unit: TextUnit::Line,
            role: TextRole::Body,
            bbox: Some(Rect::new(x, y, x + width(text) * size / SIZE, y + size)),
            size: Some(size),
            bold,
            confidence: None,
        }));
        self
    }

    fn next(mut self, step: f32) -> Self {
        self.y += step;
        self
    }

    /// One printed line at the left margin.
    pub fn line(self, text: &str) -> Self {
        let y = self.y;
        self.put(text, LEFT, y, SIZE, false).next(STEP)
    }

    /// A heading in bold, at the left margin.
    pub fn heading(self, text: &str) -> Self {
        let y = self.y + 6.0;
        self.put(text, LEFT, y, SIZE, true).next(STEP + 14.0)
    }

    /// A line in the middle.
    pub fn centered(self, text: &str) -> Self {
        let y = self.y;
        let x = (LEFT + RIGHT - width(text)) / 2.0;
        self.put(text, x, y, SIZE, false).next(STEP)
    }

    /// A line in large letters in the middle.
    pub fn large(self, text: &str) -> Self {
        let y = self.y;
        let x = (LEFT + RIGHT - width(text) * 2.0) / 2.0;
        self.put(text, x, y, SIZE * 2.0, true).next(STEP * 2.0)
    }

    /// A list item, set in.
    pub fn item(self, text: &str) -> Self {
        let y = self.y;
        self.put(text, LEFT + 24.0, y, SIZE, false).next(STEP)
    }

    /// An item set in still further.
    pub fn put_item(self, text: &str) -> Self {
        let y = self.y;
        self.put(text, LEFT + 60.0, y, SIZE, false).next(STEP)
    }

    /// A line at a fixed place.
    pub fn at(self, x: f32, y: f32, text: &str) -> Self {
        self.put(text, x, y, SIZE, false)
    }

    /// A paragraph over as many lines as it needs, its first line indented.
    pub fn para(self, text: &str) -> Self {
        self.wrapped(text, 24.0)
    }

    /// A paragraph over as many lines as it needs, beginning at the margin.
    pub fn clause(self, text: &str) -> Self {
        self.wrapped(text, 0.0)
    }

    fn wrapped(self, text: &str, indent: f32) -> Self {
        let mut page = self;
        let mut line = String::new();
        let mut x = LEFT + indent;
        for c in text.chars() {
            if x + width(&line) + width(&c.to_string()) > LEFT + CHARS as f32 * SIZE {
                let y = page.y;
                page = page.put(&line, x, y, SIZE, false).next(STEP);
                line.clear();
                x = LEFT;
            }
            line.push(c);
        }
        let y = page.y;
        page.put(&line, x, y, SIZE, false).next(STEP + 2.0)
    }

    /// A running head.
    pub fn head(self, text: &str) -> Self {
        self.put(text, 200.0, 40.0, 9.0, false)
    }

    /// A printed footnote: small type near the bottom, above the running foot.
    pub fn footnote(self, text: &str) -> Self {
        self.put(text, LEFT, 730.0, 8.0, false)
    }

    /// A running foot.
    pub fn foot(self, text: &str) -> Self {
        self.put(text, 290.0, 800.0, 9.0, false)
    }

    /// Goes to the bottom of the page.
    pub fn bottom(mut self) -> Self {
        self.y = self.y.max(700.0);
        self
    }

    /// A text element with a declared role and no place, as DOCX gives it.
    pub fn declared(mut self, role: TextRole, text: &str) -> Self {
        self.elements.push(RawElement::Text(RawText {
            text: text.to_owned(),
            unit: TextUnit::Paragraph,
            role,
            bbox: None,
            size: None,
            bold: false,
            confidence: None,
        }));
        self
    }

    /// A picture the size of a word, such as copy protection strews over a page, on the next line.
    pub fn small_mark(mut self) -> Self {
        let bbox = Some(Rect::new(LEFT + 200.0, self.y, LEFT + 215.0, self.y + 15.0));
        self.elements.push(RawElement::Picture(RawPicture { bbox, description: None }));
        self
    }

    /// A ruled grid, a row per string, cells parted by `|`. `<` joins the cell on the left, `^` the one above.
    pub fn table(mut self, rows: &[&str]) -> Self {
        let (table, height) = ruled(rows, self.y);
        self.elements.push(RawElement::Table(table));
        self.y += height + 10.0;
        self
    }

    /// A grid of single cells.
    pub fn grid(mut self, rows: &[Vec<String>]) -> Self {
        let lines: Vec<String> = rows.iter().map(|row| row.join("|")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (table, height) = ruled(&lines, self.y);
        self.elements.push(RawElement::Table(table));
        self.y += height + 10.0;
        self
    }
}

/// Text that fills two printed lines to the margin: `head` (ASCII), filler, `tail`.
pub fn two_full_lines(head: &str, tail: &str) -> String {
    let filler = "国调应先将相关断面、直流的功率控制到装置停运方式的限额以内，并做好事故预想，核对切除机组台数后立即汇报值班调度员，";
    let room = CHARS * 2 - head.len().div_ceil(2) - tail.chars().count();
    let middle: String = filler.chars().cycle().take(room).collect();
    format!("{head}{middle}{tail}")
}

/// A grid laid out over the full width.
pub fn ruled(rows: &[&str], top: f32) -> (RawTable, f32) {
    let grid: Vec<Vec<&str>> = rows.iter().map(|row| row.split('|').map(str::trim).collect()).collect();
    let cols = grid.iter().map(Vec::len).max().unwrap_or(0);
    let (w, h) = ((RIGHT - LEFT) / cols.max(1) as f32, 18.0);
    let mut cells = Vec::new();
    for (y, row) in grid.iter().enumerate() {
        for (x, text) in row.iter().enumerate() {
            if matches!(*text, "<" | "^") {
                continue;
            }
            let right = (x + 1..cols).take_while(|c| row.get(*c) == Some(&"<")).count() + 1;
            let down = (y + 1..grid.len()).take_while(|r| grid[*r].get(x) == Some(&"^")).count() + 1;
            let (left, up) = (LEFT + x as f32 * w, top + y as f32 * h);
            cells.push(TableCell {
                row: y as u32,
                col: x as u32,
                row_span: down as u32,
                col_span: right as u32,
                content: (*text).to_owned(),
                is_header: false,
                bbox: Some(Rect::new(left, up, left + right as f32 * w, up + down as f32 * h)),
            });
        }
    }
    let height = grid.len() as f32 * h;
    let table = RawTable {
        kind: TableKind::Ruled,
        row_count: grid.len() as u32,
        col_count: cols as u32,
        cells,
        bbox: Some(Rect::new(LEFT, top, RIGHT, top + height)),
        header_rows: None,
        caption: None,
        confidence: None,
    };
    (table, height)
}

pub fn page(number: u32) -> PageNumber {
    PageNumber::new(number).expect("a page")
}

/// Headings of all nodes, indented by level.
pub fn outline(reg: &Regulation) -> Vec<String> {
    reg.structure
        .iter()
        .map(|node| format!("{}{}", "  ".repeat(node.level as usize - 1), node.heading()))
        .collect()
}

/// Numbers of all nodes.
pub fn numbers(reg: &Regulation) -> Vec<&str> {
    reg.structure.iter().map(|node| node.section_number.as_str()).collect()
}

pub fn node<'a>(reg: &'a Regulation, number: &'a str) -> &'a ChapterNode {
    reg.structure.nodes_by_number(number).next().unwrap_or_else(|| panic!("no node {number}"))
}

pub fn tables(reg: &Regulation) -> Vec<&LogicalTable> {
    reg.tables.tables.values().collect()
}

/// Text of each data row of a table, spans filled.
pub fn rows(table: &LogicalTable) -> Vec<String> {
    (table.header_rows..table.header_rows + table.row_count)
        .map(|row| {
            let texts: Vec<&str> = (0..table.col_count)
                .map(|col| table.cell_at(row, col).map_or("", |cell| cell.content.as_str()))
                .collect();
            texts.join("|")
        })
        .collect()
}

/// Pages of the data rows.
pub fn row_pages(table: &LogicalTable) -> Vec<u32> {
    table.row_pages.iter().skip(table.header_rows as usize).map(|page| page.get()).collect()
}

pub fn page_text(reg: &Regulation, number: u32) -> &str {
    &doc_page(reg, number).content_markdown
}

pub fn doc_page(reg: &Regulation, number: u32) -> &PageDocument {
    &reg.pages[number as usize - 1]
}

/// What was dropped for a reason.
pub fn dropped<'a>(reg: &'a Regulation, reason: &str) -> Vec<&'a str> {
    reg.quality
        .dropped_text
        .iter()
        .filter(|text| text.reason == reason)
        .map(|text| text.text.as_str())
        .collect()
}
