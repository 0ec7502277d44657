//! PDF: characters, rules and pictures with their places, outline, labels and links.
//!
//! Built on the pure-Rust hayro crates. Owns what a PDF file says; the geometry of words, rows and tables is in
//! [`crate::layout`] and [`crate::tables`], which do not know PDF.

mod content;
mod font;
mod guard;
mod navigate;
mod page;
mod paths;
mod picture;
mod trust;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use rayon::prelude::*;
use regreader_model::{
    Diagnostic, DiagnosticCode, PageNumber, RawDocument, RawPage, Severity, SourceFormat, TextOrigin,
};

use crate::recognize::Picture;
use crate::{ParseError, ParseOptions, Parsed};

/// Parses a PDF file.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    guard::check_file(bytes, &options.limits)?;
    let pdf = open(bytes, options.password.unwrap_or(""))?;
    let count = pdf.pages().len();
    if count == 0 {
        return Err(ParseError::NoPages);
    }
    if count > options.limits.max_pages {
        return Err(ParseError::LimitExceeded {
            what: "页数 (pages)",
            limit: options.limits.max_pages as u64,
        });
    }
    let depth = options.limits.max_depth;
    let navigation = navigate::Navigation::new(&pdf, depth);
    let hidden = navigation.hidden_groups();
    let labels = navigation.labels(depth);
    let outline = navigation.outline(depth);
    let done = AtomicUsize::new(0);

    // Fonts are shared within a chunk and not between threads, so each thread gets one long chunk.
    let threads = rayon::current_num_threads().max(1);
    let chunk = if threads == 1 { count } else { count.div_ceil(threads * 2).max(4) };
    let indices: Vec<usize> = (0..count).collect();
    let read: Vec<(RawPage, Vec<Diagnostic>)> = indices
        .par_chunks(chunk)
        .flat_map_iter(|chunk| {
            let mut reader = page::Reader::new(&pdf, &navigation, &hidden, options);
            let mut pages = Vec::with_capacity(chunk.len());
            for &index in chunk {
                let label = labels.get(index).cloned().flatten();
                // The library is meant not to panic, and hundreds of damaged files say so; this is the last line of
                // defence that keeps one page from taking the whole ingest down.
                let page = catch_unwind(AssertUnwindSafe(|| reader.read(index, label.clone())));
                pages.push(page.unwrap_or_else(|_| {
                    reader = page::Reader::new(&pdf, &navigation, &hidden, options);
                    unreadable(index, label)
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
    let title = pdf
        .metadata()
        .title
        .as_deref()
        .map(decode_text)
        .map(|title| title.trim().to_owned())
        .filter(|title| !title.is_empty());
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
    guard::check_file(bytes, &options.limits)?;
    let pdf = open(bytes, options.password.unwrap_or(""))?;
    let Some(page) = pdf.pages().get(page.index()) else { return Ok(None) };
    let (size, _) = page::placement(page);
    let drawn = catch_unwind(AssertUnwindSafe(|| {
        picture::draw(page, size, dots_per_inch.clamp(10.0, 600.0), options.fallback_font.as_ref())
    }));
    Ok(drawn.ok().flatten().map(|drawn| drawn.picture))
}

fn open(bytes: &[u8], password: &str) -> Result<Pdf, ParseError> {
    let malformed =
        |reason: &str| ParseError::Malformed { format: SourceFormat::Pdf, reason: reason.to_owned() };
    // Same defence as for pages: a panic in here must read as a damaged file.
    let opened = catch_unwind(AssertUnwindSafe(|| Pdf::new_with_password(bytes.to_vec(), password)));
    match opened {
        Ok(Ok(pdf)) => Ok(pdf),
        Ok(Err(LoadPdfError::Decryption(
            DecryptionError::PasswordProtected | DecryptionError::MissingIDEntry,
        ))) => Err(ParseError::Encrypted),
        Ok(Err(LoadPdfError::Decryption(_))) => {
            Err(malformed("加密方式无法识别 (unsupported or invalid encryption)"))
        }
        Ok(Err(LoadPdfError::Invalid)) if !has_header(bytes) => {
            Err(malformed("缺少 %PDF 文件头，或文件被截断 (not a PDF, or cut off)"))
        }
        Ok(Err(LoadPdfError::Invalid)) => {
            Err(malformed("找不到可用的页面树或交叉引用表 (no usable page tree or cross-reference table)"))
        }
        Err(_) => Err(malformed("文件结构无法解析 (structure cannot be read)")),
    }
}

fn has_header(bytes: &[u8]) -> bool {
    bytes.get(..bytes.len().min(1024)).unwrap_or_default().windows(5).any(|window| window == b"%PDF-")
}

fn unreadable(index: usize, label: Option<String>) -> (RawPage, Vec<Diagnostic>) {
    let page_num = PageNumber::from_index(index);
    let remark = Diagnostic::on_page(
        Severity::Error,
        DiagnosticCode::PageUnreadable,
        page_num,
        "页面内容损坏，无法读取 (the page's content is damaged)",
    );
    let page = RawPage {
        page_num,
        declared_label: label,
        size: None,
        origin: TextOrigin::NeedsOcr,
        elements: Vec::new(),
        links: Vec::new(),
    };
    (page, vec![remark])
}

/// A text string of the file: UTF-16 or UTF-8 with a mark, else the PDF encoding (Latin, near enough).
fn text_string(bytes: &[u8]) -> String {
    decode_text(bytes)
}

fn decode_text(bytes: &[u8]) -> String {
    let utf16 = |rest: &[u8], big: bool| {
        let units = rest.chunks_exact(2).map(|pair| match pair {
            [a, b] if big => u16::from_be_bytes([*a, *b]),
            [a, b] => u16::from_le_bytes([*a, *b]),
            _ => 0,
        });
        char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect::<String>()
    };
    let text = match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, true),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, false),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    };
    text.chars().filter(|c| !c.is_control() || c.is_whitespace()).collect()
}
