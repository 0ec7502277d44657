//! PDF: characters, rules and pictures with their places, outline, labels and links.
//!
//! What the file says comes from an [`Engine`]: the pure-Rust hayro crates, or PDFium where that is built in (feature
//! `pdfium`). The geometry of words, rows and tables is in `layout` and `tables`, which do not know PDF.

mod engine;
mod hayro;
mod page;
mod paths;
#[cfg(feature = "pdfium")]
mod pdfium;
mod trust;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use regreader_model::{
    Diagnostic, DiagnosticCode, PageNumber, RawDocument, RawPage, Severity, SourceFormat, TextOrigin,
};

pub use engine::{Axis, Drawn, Engine, Facts, FallbackFont, Glyph, OpenFile, PageContent, Pages, Rule, Turn};
pub use hayro::Hayro;
#[cfg(feature = "pdfium")]
pub use pdfium::PdfiumEngine;

use crate::recognize::Picture;
use crate::{ParseError, ParseOptions, Parsed};

/// Parses a PDF file.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let file = engine_of(options).open(bytes, options)?;
    let count = file.page_count();
    if count == 0 {
        return Err(ParseError::NoPages);
    }
    if count > options.limits.max_pages {
        return Err(ParseError::LimitExceeded {
            what: "页数 (pages)",
            limit: options.limits.max_pages as u64,
        });
    }
    let Facts { title, outline } = file.facts();
    let done = AtomicUsize::new(0);

    // Fonts are shared within a chunk and not between threads, so each thread gets one long chunk.
    let threads = rayon::current_num_threads().max(1);
    let chunk = if threads == 1 { count } else { count.div_ceil(threads * 2).max(4) };
    let indices: Vec<usize> = (0..count).collect();
    let read: Vec<(RawPage, Vec<Diagnostic>)> = indices
        .par_chunks(chunk)
        .flat_map_iter(|chunk| {
            let mut reader = page::Reader::new(file.pages(), options);
            let mut pages = Vec::with_capacity(chunk.len());
            for &index in chunk {
                // The library is meant not to panic, and hundreds of damaged files say so; this is the last line of
                // defence that keeps one page from taking the whole ingest down.
                let page = catch_unwind(AssertUnwindSafe(|| reader.read(index)));
                pages.push(page.unwrap_or_else(|_| {
                    reader = page::Reader::new(file.pages(), options);
                    unreadable(index)
                }));
                if let Some(progress) = options.progress {
                    progress(done.fetch_add(1, Ordering::Relaxed) + 1, count);
                }
            }
            pages
        })
        .collect();

    let mut pages = Vec::with_capacity(count);
    let mut diagnostics = Vec::new();
    for (page, remarks) in read {
        pages.push(page);
        diagnostics.extend(remarks);
    }
    let title = title.map(|title| title.trim().to_owned()).filter(|title| !title.is_empty());
    let document = RawDocument { format: SourceFormat::Pdf, title, pages, outline, pages_approximate: false };
    Ok(Parsed { document, diagnostics })
}

/// Draws one page at a resolution, as it is shown. None when the file has no such page or the page no extent.
pub fn page_picture(
    bytes: &[u8],
    page: PageNumber,
    dots_per_inch: f32,
    options: &ParseOptions<'_>,
) -> Result<Option<Picture>, ParseError> {
    let file = engine_of(options).open(bytes, options)?;
    if page.index() >= file.page_count() {
        return Ok(None);
    }
    let dots_per_inch = dots_per_inch.clamp(10.0, 600.0);
    let drawn = catch_unwind(AssertUnwindSafe(|| {
        page::draw(&mut *file.pages(), page.index(), dots_per_inch, options)
    }));
    Ok(drawn.ok().flatten().map(|drawn| drawn.picture))
}

fn engine_of<'a>(options: &ParseOptions<'a>) -> &'a dyn Engine {
    options.pdf_engine.unwrap_or(&Hayro)
}

fn unreadable(index: usize) -> (RawPage, Vec<Diagnostic>) {
    let page_num = PageNumber::from_index(index);
    let remark = Diagnostic::on_page(
        Severity::Error,
        DiagnosticCode::PageUnreadable,
        page_num,
        "页面内容损坏，无法读取 (the page's content is damaged)",
    );
    let page = RawPage {
        page_num,
        declared_label: None,
        size: None,
        origin: TextOrigin::NeedsOcr,
        elements: Vec::new(),
        links: Vec::new(),
    };
    (page, vec![remark])
}
