//! Excel workbooks: a sheet is a page; groups of cells that touch are tables; values read as they are shown.
//!
//! A lone cell is text (a title over a table, a remark below it). A table of more than `ROWS_PER_PAGE` rows goes on on
//! a further page of the same sheet, so that a page stays something one can read. Hidden sheets are left out and named in
//! a diagnostic.

mod cells;
mod dates;
mod drawing;
pub(crate) mod format;
mod regions;

use regreader_messages::{Both, findings};
use regreader_model::{
    Diagnostic, DiagnosticCode, PageNumber, RawDocument, RawElement, RawPage, RawTable, Severity,
    SourceFormat, TableCell, TableKind, TextOrigin, TextRole,
};

use crate::flow;
use crate::ooxml::{Element, Ns, Package, xml};
use crate::{Limits, ParseError, ParseOptions, Parsed};
use cells::{Grid, SharedStrings};
use format::Formats;
use regions::Region;

/// Rows of one table on one page.
pub(crate) const ROWS_PER_PAGE: u32 = 100;

/// Parses an XLSX (or XLSM) file.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let mut package = Package::open(bytes, SourceFormat::Xlsx, &options.limits)?;
    let main = package.main_part("xl/workbook.xml")?;
    let relations = package.relations(&main)?;
    let Some(workbook) = package.tree(&main)? else {
        return Err(ParseError::Malformed {
            format: SourceFormat::Xlsx,
            reason: findings::part_unreadable(main),
        });
    };
    let from_1904 = workbook
        .child("workbookPr")
        .and_then(|properties| properties.attr("date1904"))
        .is_some_and(|value| matches!(value, "1" | "true"));
    let styles = match relations.by_kind("styles") {
        Some(part) => package.tree(part)?,
        None => None,
    };
    let formats = Formats::read(styles.as_ref(), from_1904);
    let strings = match relations.by_kind("sharedStrings") {
        Some(part) => SharedStrings::read(&mut package, part, &options.limits)?,
        None => SharedStrings::default(),
    };
    let title = package.title()?;

    let mut book = Book {
        pages: Vec::new(),
        diagnostics: Vec::new(),
        limits: &options.limits,
        cells_left: options.limits.max_document_cells,
        bytes_left: options.limits.max_text_bytes,
    };
    for sheet in workbook.child("sheets").into_iter().flat_map(Element::children) {
        let name = sheet.attr("name").unwrap_or("");
        let Some(part) = sheet.relation("id").and_then(|id| relations.part(id)).map(str::to_owned) else {
            continue;
        };
        if sheet.attr("state").is_some_and(|state| state != "visible") {
            book.diagnostics.push(Diagnostic::on_document(
                Severity::Info,
                DiagnosticCode::LimitReached,
                findings::sheet_hidden(name),
            ));
            continue;
        }
        if book.pages.len() >= options.limits.max_pages {
            book.diagnostics.push(flow::too_many_pages(&options.limits));
            break;
        }
        if book.is_full() {
            book.say_full();
            break;
        }
        let first = book.pages.len();
        match read_sheet(&mut package, &part, &strings, &formats, &options.limits) {
            Ok((grid, drawings)) => book.sheet(name, &grid, drawings),
            Err(error @ (ParseError::LimitExceeded { .. } | ParseError::Encrypted)) => return Err(error),
            Err(error) => {
                book.page(vec![RawElement::Text(flow::paragraph(
                    name.to_owned(),
                    TextRole::Heading { level: 1 },
                ))]);
                book.diagnostics.push(Diagnostic::on_page(
                    Severity::Error,
                    DiagnosticCode::PageUnreadable,
                    PageNumber::from_index(first),
                    Both::of(|language| format!("{name}: {}", error.said(language))),
                ));
            }
        }
    }
    let Book { pages, mut diagnostics, .. } = book;
    diagnostics.append(&mut package.diagnostics);
    flow::report_progress(options, pages.len());
    let document = RawDocument {
        format: SourceFormat::Xlsx,
        title,
        pages,
        outline: Vec::new(),
        pages_approximate: false,
    };
    Ok(Parsed { document, diagnostics })
}

fn read_sheet(
    package: &mut Package<'_>,
    part: &str,
    strings: &SharedStrings,
    formats: &Formats,
    limits: &Limits,
) -> Result<(Grid, Vec<(u32, RawElement)>), ParseError> {
    let Some(bytes) = package.read(part)? else {
        return Err(ParseError::Malformed {
            format: SourceFormat::Xlsx,
            reason: findings::part_missing(part),
        });
    };
    let mut grid = Grid::new(limits);
    let damage = xml::each_child(&bytes, limits, (Ns::Sheet, "sheetData"), &mut |row| {
        grid.row(&row, strings, formats);
    });
    package.report(part, &damage);
    xml::each_child(&bytes, limits, (Ns::Sheet, "mergeCells"), &mut |merge| {
        grid.merge(merge.attr("ref").unwrap_or(""));
    });
    drop(bytes);
    let drawings = drawing::read(package, part, limits)?;
    Ok((grid, drawings))
}

/// A piece of a sheet, before its pages.
enum Content {
    Element(RawElement),
    Table(Region),
}

struct Book<'a> {
    pages: Vec<RawPage>,
    diagnostics: Vec<Diagnostic>,
    limits: &'a Limits,
    /// What is left of the document's cells and bytes of text.
    cells_left: usize,
    bytes_left: usize,
}

impl Book<'_> {
    fn sheet(&mut self, name: &str, grid: &Grid, drawings: Vec<(u32, RawElement)>) {
        let mut elements = Vec::new();
        if !name.trim().is_empty() {
            elements.push(RawElement::Text(flow::paragraph(name.to_owned(), TextRole::Heading { level: 1 })));
        }
        let mut content: Vec<(u32, Content)> =
            drawings.into_iter().map(|(row, element)| (row, Content::Element(element))).collect();
        let text = |row: u32, text: &str, role: TextRole, content: &mut Vec<(u32, Content)>| {
            let paragraph = flow::paragraph(text.trim().to_owned(), role);
            content.push((row, Content::Element(RawElement::Text(paragraph))));
        };
        for mut region in regions::find(grid, self.limits) {
            if region.rows() == 1 && region.cols() == 1 {
                let lone = grid.text(region.top, region.left).unwrap_or("");
                text(region.top, lone, TextRole::Body, &mut content);
                continue;
            }
            if let Some(title) = title(grid, &region) {
                text(region.top, title, TextRole::Caption, &mut content);
                region.top += 1;
            }
            content.push((region.top, Content::Table(region)));
        }
        content.sort_by_key(|(row, _)| *row);
        for (_, piece) in content {
            match piece {
                Content::Element(element) => elements.push(element),
                Content::Table(region) => self.table(grid, region, &mut elements),
            }
        }
        if grid.cut {
            self.diagnostics.push(Diagnostic::on_page(
                Severity::Error,
                DiagnosticCode::LimitReached,
                PageNumber::from_index(self.pages.len()),
                findings::sheet_cut(name, self.limits.max_cells),
            ));
        }
        self.page(elements);
    }

    /// Adds a table, on several pages where it is long.
    fn table(&mut self, grid: &Grid, region: Region, elements: &mut Vec<RawElement>) {
        // Very wide tables get fewer rows, so that a page stays within the limit on cells.
        let rows_per_page = ROWS_PER_PAGE.min(self.limits.max_cells as u32 / region.cols()).max(1);
        let mut top = region.top;
        loop {
            let bottom = region.bottom.min(top.saturating_add(rows_per_page - 1));
            let piece = Region { top, bottom, ..region };
            if !self.take(grid, &piece) {
                self.say_full();
                return;
            }
            let mut part = table(grid, &piece);
            if top > region.top {
                part.header_rows = Some(0);
            }
            // A stretch of rows without a word (of a sparse sheet) makes no page.
            if part.cells.iter().any(|cell| !cell.content.is_empty()) {
                elements.push(RawElement::Table(part));
                if bottom < region.bottom {
                    self.page(std::mem::take(elements));
                }
            }
            if bottom >= region.bottom {
                return;
            }
            top = bottom + 1;
        }
    }

    /// Takes the cells and the text of a piece of a table from what is left. What does not fit is not taken, and nothing
    /// after it: memory follows what is expanded, not the size of the file.
    fn take(&mut self, grid: &Grid, piece: &Region) -> bool {
        let cells = (piece.rows() as usize).saturating_mul(piece.cols() as usize);
        let within = |col: &u32| (piece.left..=piece.right).contains(col);
        let bytes: usize = grid
            .range(piece.top, piece.bottom)
            .filter(|((_, col), _)| within(col))
            .map(|(_, text)| text.len())
            .sum();
        if cells > self.cells_left || bytes > self.bytes_left {
            (self.cells_left, self.bytes_left) = (0, 0);
            return false;
        }
        self.cells_left -= cells;
        self.bytes_left -= bytes;
        true
    }

    fn is_full(&self) -> bool {
        self.cells_left == 0 || self.bytes_left == 0
    }

    /// Says once that the document was cut.
    fn say_full(&mut self) {
        let message =
            findings::workbook_cut(self.limits.max_document_cells, self.limits.max_text_bytes >> 20);
        if self.diagnostics.iter().all(|diagnostic| diagnostic.message != message.chinese) {
            let code = DiagnosticCode::LimitReached;
            self.diagnostics.push(Diagnostic::on_document(Severity::Error, code, message));
        }
    }

    fn page(&mut self, elements: Vec<RawElement>) {
        if self.pages.len() >= self.limits.max_pages {
            return;
        }
        let index = self.pages.len();
        self.pages.push(RawPage {
            page_num: PageNumber::from_index(index),
            declared_label: None,
            size: None,
            origin: if elements.is_empty() { TextOrigin::Blank } else { TextOrigin::TextLayer },
            elements: flow::bounded(elements, self.limits, index, &mut self.diagnostics),
            links: Vec::new(),
        });
    }
}

/// A first row that holds one merged cell over a row of several is the title of the table, not a row of it.
fn title<'a>(grid: &'a Grid, region: &Region) -> Option<&'a str> {
    let text = grid.text(region.top, region.left)?;
    let (rows, cols) = grid.span(region.top, region.left);
    let in_row = |row: u32| {
        grid.range(row, row).filter(|((_, col), _)| (region.left..=region.right).contains(col)).count()
    };
    let is_title =
        rows == 1 && cols > 1 && region.rows() > 2 && in_row(region.top) == 1 && in_row(region.top + 1) > 1;
    is_title.then_some(text)
}

fn table(grid: &Grid, region: &Region) -> RawTable {
    let mut cells = Vec::new();
    // Blank cells are given too, so that a row reads as it stands. The rows of a page bound their number.
    for row in region.top..=region.bottom {
        for col in region.left..=region.right {
            if grid.is_covered(row, col) {
                continue;
            }
            let (row_span, col_span) = grid.span(row, col);
            cells.push(TableCell {
                row: row - region.top,
                col: col - region.left,
                row_span: row_span.min(region.bottom - row + 1),
                col_span: col_span.min(region.right - col + 1),
                content: grid.text(row, col).unwrap_or("").to_owned(),
                is_header: false,
                bbox: None,
            });
        }
    }
    RawTable {
        kind: TableKind::Declared,
        row_count: region.rows(),
        col_count: region.cols(),
        cells,
        bbox: None,
        header_rows: None,
        caption: None,
        confidence: None,
    }
}
