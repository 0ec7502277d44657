//! Bytes to positioned pages.
//!
//! [`parse`] takes the bytes of a file and gives a [`RawDocument`]: pages of lines, grids
//! and pictures in reading order, plus a list of diagnostics. One bad page never stops the rest: it becomes a
//! diagnostic. Only a file that cannot be opened at all is an error, and the error names the cause.
//!
//! This crate owns file formats and page geometry (characters into lines, rules into grids, reading order). It must
//! not know chapters, captions, notes or references: what the lines *mean* is `regreader-assemble`'s work. It does no
//! IO beyond the bytes it is given.
//!
//! Each format has a module that ends in the same shapes, so that assembly has one way to work. What a format knows is kept
//! as evidence (a DOCX style says that a paragraph is a heading), what it does not know is left open (Markdown has no
//! boxes). Long documents in formats without pages get estimated ones, and are marked so.
//!
//! ```
//! use regreader_model::RawElement;
//! use regreader_parse::{ParseOptions, parse};
//!
//! let file = "# 第一章 总则\n\n| 台数 | 限额 |\n|---|---|\n| 1 | 185 |\n";
//! let parsed = parse(file.as_bytes(), "规程.md", &ParseOptions::default()).unwrap();
//! assert!(parsed.diagnostics.is_empty());
//! let elements = &parsed.document.pages[0].elements;
//! assert!(matches!(&elements[0], RawElement::Text(heading) if heading.text == "第一章 总则"));
//! assert!(matches!(&elements[1], RawElement::Table(table) if table.cells.len() == 4));
//! ```

mod compose;
mod detect;
mod error;
mod flow;
mod layout;
mod limits;
mod ooxml;
mod page_marks;
mod recognized;
mod ruling;
mod scripts;
mod tables;

pub mod docling;
pub mod docx;
pub mod html;
pub mod image;
pub mod markdown;
pub mod pdf;
pub mod plain;
pub mod pptx;
pub mod recognize;
pub mod xlsx;

use regreader_model::{Diagnostic, PageNumber, RawDocument, SourceFormat};

pub use detect::detect;
pub use error::ParseError;
pub use limits::Limits;

/// How to parse.
#[derive(Default)]
pub struct ParseOptions<'a> {
    /// Bounds on size, depth and count. The default suits real regulations of a few thousand pages.
    pub limits: Limits,
    /// Password of an encrypted file.
    pub password: Option<&'a str>,
    /// Reads pages that have no usable text. Without one such pages are kept and marked `needs_ocr`.
    pub recognizer: Option<&'a dyn recognize::Recognizer>,
    /// Which pages it reads.
    pub recognition: Recognition,
    /// Called after each page; may be called from several threads.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// Format, when the caller knows better than the content.
    pub format: Option<SourceFormat>,
    /// Finds a font that covers Chinese and Latin, for drawing pages whose fonts are not in the file. Asked when such a
    /// page is drawn and may be asked often; only pages that are read from their picture need it, text is found without.
    pub fallback_font: Option<&'a (dyn Fn() -> Option<pdf::FallbackFont> + Sync)>,
    /// Opens PDF files. None: the pure-Rust engine.
    pub pdf_engine: Option<&'a dyn pdf::Engine>,
}

/// How far a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Pages done.
    pub done: usize,
    /// Pages in all.
    pub total: usize,
    /// The page that a recogniser has just read. None after pages that have their text, which take no time worth telling.
    pub recognized: Option<PageNumber>,
}

/// Which pages a recogniser reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recognition {
    /// Those without usable text.
    #[default]
    WhereNeeded,
    /// All that show anything; their own text is not taken. For files whose text layer is wrong.
    Everywhere,
}

/// What came of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The document.
    pub document: RawDocument,
    /// What went wrong on the way, page by page.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a file. The format is detected from the content; `file_name` only helps where content is ambiguous.
pub fn parse(bytes: &[u8], file_name: &str, options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    if bytes.is_empty() {
        return Err(ParseError::Empty);
    }
    let format = options.format.or_else(|| detect(bytes, file_name)).ok_or(ParseError::UnknownFormat)?;
    let parsed = match format {
        SourceFormat::Pdf => pdf::parse(bytes, options),
        SourceFormat::Docx => docx::parse(bytes, options),
        SourceFormat::Pptx => pptx::parse(bytes, options),
        SourceFormat::Xlsx => xlsx::parse(bytes, options),
        SourceFormat::Html => html::parse(bytes, options),
        SourceFormat::Markdown => markdown::parse(bytes, options),
        SourceFormat::Text => plain::parse(bytes, options),
        SourceFormat::Image => image::parse(bytes, options),
        SourceFormat::Docling => docling::parse(bytes, options),
    }?;
    if parsed.document.pages.is_empty() {
        return Err(ParseError::NoPages);
    }
    Ok(parsed)
}
