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
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use regreader_messages::{errors, findings};
use regreader_model::{
    Diagnostic, DiagnosticCode, PageNumber, RawDocument, RawPage, Severity, SourceFormat, TextOrigin,
};

pub use engine::{Axis, Drawn, Engine, Facts, FallbackFont, Glyph, OpenFile, PageContent, Pages, Rule, Turn};
pub use hayro::Hayro;
#[cfg(feature = "pdfium")]
pub use pdfium::PdfiumEngine;

use self::page::When;
use crate::recognize::{Picture, Recognizer};
use crate::{ParseError, ParseOptions, Parsed, Progress};

/// Parses a PDF file.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let file = engine_of(options).open(bytes, options)?;
    let count = file.page_count();
    if count == 0 {
        return Err(ParseError::NoPages);
    }
    if count > options.limits.max_pages {
        return Err(ParseError::LimitExceeded {
            what: errors::LIMIT_PAGES,
            limit: options.limits.max_pages as u64,
        });
    }
    let Facts { title, outline } = file.facts();
    let reading = Reading { file: &*file, options, count, done: AtomicUsize::new(0) };
    let mut read = reading.read_text();
    let waiting: Vec<usize> = (0..count).filter(|index| read[*index].is_none()).collect();
    for (index, page) in reading.recognize(&waiting) {
        read[index] = Some(page);
    }

    let mut pages = Vec::with_capacity(count);
    let mut diagnostics = Vec::new();
    for (index, read) in read.into_iter().enumerate() {
        let (page, remarks) = read.unwrap_or_else(|| unreadable(index));
        pages.push(page);
        diagnostics.extend(remarks);
    }
    let title = title.map(|title| title.trim().to_owned()).filter(|title| !title.is_empty());
    let document = RawDocument { format: SourceFormat::Pdf, title, pages, outline, pages_approximate: false };
    Ok(Parsed { document, diagnostics })
}

/// A page as it was read, and what was remarked on the way.
type ReadPage = (RawPage, Vec<Diagnostic>);

/// One file being read.
struct Reading<'a> {
    file: &'a (dyn OpenFile + 'a),
    options: &'a ParseOptions<'a>,
    count: usize,
    done: AtomicUsize,
}

impl Reading<'_> {
    /// The pages that have their text, read in the thread pool. The others are left out.
    fn read_text(&self) -> Vec<Option<ReadPage>> {
        // Fonts are shared within a chunk and not between threads, so each thread gets one long chunk.
        let threads = rayon::current_num_threads().max(1);
        let chunk = if threads == 1 { self.count } else { self.count.div_ceil(threads * 2).max(4) };
        let indices: Vec<usize> = (0..self.count).collect();
        let read = indices.par_chunks(chunk).flat_map_iter(|chunk| {
            let mut pages = Vec::with_capacity(chunk.len());
            self.read_with(chunk.iter().copied(), When::Later, |index, page| {
                if page.is_some() {
                    self.tell(index, false);
                }
                pages.push(page);
            });
            pages
        });
        read.collect()
    }

    /// Hands pages to the recogniser, on threads of our own (see [`Recognizer::recognize`]).
    fn recognize(&self, waiting: &[usize]) -> Vec<(usize, ReadPage)> {
        if waiting.is_empty() {
            return Vec::new();
        }
        let at_once = self.options.recognizer.map_or(1, Recognizer::concurrency);
        let next = AtomicUsize::new(0);
        let indices = || std::iter::from_fn(|| waiting.get(next.fetch_add(1, Ordering::Relaxed)).copied());
        let read = Mutex::new(Vec::with_capacity(waiting.len()));
        std::thread::scope(|scope| {
            for _ in 0..at_once.clamp(1, waiting.len()) {
                scope.spawn(|| {
                    self.read_with(indices(), When::Now, |index, page| {
                        self.tell(index, true);
                        let mut read = read.lock().unwrap_or_else(PoisonError::into_inner);
                        read.extend(page.map(|page| (index, page)));
                    });
                });
            }
        });
        read.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads pages one after another.
    fn read_with(
        &self,
        indices: impl Iterator<Item = usize>,
        when: When,
        mut take: impl FnMut(usize, Option<ReadPage>),
    ) {
        let mut reader = page::Reader::new(self.file.pages(), self.options);
        for index in indices {
            // The library is meant not to panic, and hundreds of damaged files say so; this is the last line of
            // defence that keeps one page from taking the whole ingest down.
            let page = catch_unwind(AssertUnwindSafe(|| reader.read(index, when)));
            let page = page.unwrap_or_else(|_| {
                reader = page::Reader::new(self.file.pages(), self.options);
                Some(unreadable(index))
            });
            take(index, page);
        }
    }

    fn tell(&self, index: usize, recognized: bool) {
        if let Some(progress) = self.options.progress {
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            let recognized = recognized.then(|| PageNumber::from_index(index));
            progress(Progress { done, total: self.count, recognized });
        }
    }
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

fn unreadable(index: usize) -> ReadPage {
    let page_num = PageNumber::from_index(index);
    let remark = Diagnostic::on_page(
        Severity::Error,
        DiagnosticCode::PageUnreadable,
        page_num,
        findings::PAGE_DAMAGED,
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
