//! Content of formats without physical pages: elements in order, broken into pages where the file says so.
//!
//! Used by HTML, Markdown and plain text. Word has rules of its own (`docx::pages`).

use regreader_messages::findings;
use regreader_model::{
    Diagnostic, DiagnosticCode, Link, PageNumber, RawDocument, RawElement, RawPage, RawTable, RawText,
    Severity, SourceFormat, TextOrigin, TextRole, TextUnit,
};

use crate::{Limits, ParseOptions, Parsed, Progress};

/// A page without end is no unit to read or cite: longer ones are broken between blocks, and marked approximate.
const LONG_PAGE_CHARS: usize = 20_000;
const PIECE_CHARS: usize = 6_000;

/// Elements and page breaks in order.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pages: Vec<FlowPage>,
    /// Remarks gathered on the way.
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Default)]
struct FlowPage {
    elements: Vec<RawElement>,
    links: Vec<Link>,
    label: Option<String>,
}

impl Flow {
    /// Adds an element to the current page.
    pub fn push(&mut self, element: RawElement) {
        self.current().elements.push(element);
    }

    /// Says which number the current page prints.
    pub fn label(&mut self, label: Option<String>) {
        self.current().label = label;
    }

    /// Adds a paragraph, unless it is empty.
    pub fn text(&mut self, text: impl Into<String>, role: TextRole) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.push(RawElement::Text(paragraph(text, role)));
        }
    }

    /// Adds a link to the current page.
    pub fn link(&mut self, uri: &str) {
        let link = Link { bbox: None, page_num: None, uri: Some(uri.to_owned()) };
        let links = &mut self.current().links;
        if links.len() < 10_000 {
            links.push(link);
        }
    }

    /// Begins a new page, unless the current one is still empty.
    pub fn page_break(&mut self) {
        if self.pages.last().is_some_and(|page| !page.elements.is_empty()) {
            self.pages.push(FlowPage::default());
        }
    }

    /// The elements alone, without pages.
    pub fn into_elements(self) -> impl Iterator<Item = RawElement> {
        self.pages.into_iter().flat_map(|page| page.elements)
    }

    fn current(&mut self) -> &mut FlowPage {
        if self.pages.is_empty() {
            self.pages.push(FlowPage::default());
        }
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    /// The document. No elements at all means no pages.
    pub fn finish(
        mut self,
        format: SourceFormat,
        title: Option<String>,
        options: &ParseOptions<'_>,
    ) -> Parsed {
        let limits = &options.limits;
        let mut approximate = false;
        let mut pages = Vec::new();
        for FlowPage { elements, links, mut label } in self.pages {
            if elements.is_empty() {
                continue;
            }
            let pieces = break_long(elements);
            approximate |= pieces.len() > 1;
            let mut links = Some(links);
            for elements in pieces {
                if pages.len() >= limits.max_pages {
                    self.diagnostics.push(too_many_pages(limits));
                    break;
                }
                pages.push(RawPage {
                    page_num: PageNumber::from_index(pages.len()),
                    declared_label: label.take(),
                    size: None,
                    origin: TextOrigin::TextLayer,
                    elements: bounded(elements, limits, pages.len(), &mut self.diagnostics),
                    links: links.take().unwrap_or_default(),
                });
            }
        }
        if approximate {
            self.diagnostics.push(Diagnostic::on_document(
                Severity::Info,
                DiagnosticCode::ApproximatePages,
                findings::PAGES_BY_LENGTH,
            ));
        }
        report_progress(options, pages.len());
        let document =
            RawDocument { format, title, pages, outline: Vec::new(), pages_approximate: approximate };
        Parsed { document, diagnostics: self.diagnostics }
    }
}

/// A paragraph as these formats declare it.
pub(crate) fn paragraph(text: String, role: TextRole) -> RawText {
    RawText { text, unit: TextUnit::Paragraph, role, bbox: None, size: None, bold: false, confidence: None }
}

/// Tells the caller that all pages are done; these formats are too quick to report each.
pub(crate) fn report_progress(options: &ParseOptions<'_>, pages: usize) {
    if let Some(progress) = options.progress {
        progress(Progress { done: pages, total: pages, recognized: None });
    }
}

/// The remark for a document cut off at the page limit.
pub(crate) fn too_many_pages(limits: &Limits) -> Diagnostic {
    Diagnostic::on_document(
        Severity::Error,
        DiagnosticCode::LimitReached,
        findings::pages_cut(limits.max_pages),
    )
}

/// Characters in an element.
pub(crate) fn char_count(element: &RawElement) -> usize {
    match element {
        RawElement::Text(text) => text.text.chars().count(),
        RawElement::Table(table) => table.cells.iter().map(|cell| cell.content.chars().count()).sum(),
        RawElement::Picture(picture) => picture.description.as_ref().map_or(0, |text| text.chars().count()),
    }
}

/// A table as lines of text, for the outer cell it stands in.
pub(crate) fn flatten(table: &RawTable) -> Vec<String> {
    let mut lines = vec![String::new(); table.row_count as usize];
    for cell in &table.cells {
        if let Some(line) = lines.get_mut(cell.row as usize) {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&cell.content.replace('\n', " "));
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    lines
}

/// Keeps a page within the limits on characters and cells; what is cut is said.
pub(crate) fn bounded(
    elements: Vec<RawElement>,
    limits: &Limits,
    page_index: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<RawElement> {
    let mut left = limits.max_chars_per_page;
    let mut cut = false;
    let mut kept = Vec::with_capacity(elements.len());
    for mut element in elements {
        if let RawElement::Table(table) = &mut element {
            cut |= fit_area(table, limits);
        }
        let size = char_count(&element);
        if size > left {
            cut = true;
            match &mut element {
                RawElement::Text(text) => text.text = text.text.chars().take(left).collect(),
                RawElement::Table(table) => cut_table(table, left),
                RawElement::Picture(picture) => picture.description = None,
            }
        }
        kept.push(element);
        if size > left {
            break;
        }
        left -= size;
    }
    if cut {
        diagnostics.push(Diagnostic::on_page(
            Severity::Error,
            DiagnosticCode::LimitReached,
            PageNumber::from_index(page_index),
            findings::page_too_full(
                limits.max_chars_per_page,
                limits.max_cells.saturating_mul(AREA_PER_CELL),
            ),
        ));
    }
    kept
}

/// A few cells with huge spans or offsets make a grid that nobody downstream could lay out.
const AREA_PER_CELL: usize = 4;

/// Cuts rows off a grid too large to lay out; whether any were.
fn fit_area(table: &mut RawTable, limits: &Limits) -> bool {
    let most = limits.max_cells.saturating_mul(AREA_PER_CELL);
    let rows = u32::try_from(most / (table.col_count.max(1) as usize)).unwrap_or(u32::MAX).max(1);
    if table.row_count <= rows {
        return false;
    }
    *table = crate::ooxml::segment::rows(table, 0..rows);
    true
}

fn cut_table(table: &mut RawTable, mut left: usize) {
    table.cells.retain(|cell| {
        let size = cell.content.chars().count();
        let keep = size <= left;
        left = left.saturating_sub(size);
        keep
    });
}

/// Breaks a page that is too long to read, before a heading where one is near.
fn break_long(elements: Vec<RawElement>) -> Vec<Vec<RawElement>> {
    let total: usize = elements.iter().map(char_count).sum();
    if total <= LONG_PAGE_CHARS {
        return vec![elements];
    }
    let mut pieces = Vec::new();
    let mut piece: Vec<RawElement> = Vec::new();
    let mut size = 0;
    for element in elements {
        let length = char_count(&element);
        let heading = matches!(&element, RawElement::Text(RawText { role: TextRole::Heading { .. }, .. }));
        let full = size + length > PIECE_CHARS || (heading && size > PIECE_CHARS / 2);
        if full && !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
            size = 0;
        }
        size += length;
        piece.push(element);
    }
    pieces.push(piece);
    pieces
}
