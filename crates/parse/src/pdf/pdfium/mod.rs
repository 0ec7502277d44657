//! PDFium as an engine, for those who have its library and want a second opinion.
//!
//! Knows `pdfium-render` and nothing of how the library was found: loading it is the program's business. PDFium is not
//! made for several threads, so one page is read at a time; what is made of the pages runs in parallel all the same.
//!
//! What it does not tell, and hayro does: which glyphs have no Unicode meaning (it guesses from the code), which fonts
//! declare one, `UserUnit`, text in the appearances of annotations, and groups of content that are switched off.

mod content;

use std::sync::{Mutex, PoisonError};

use pdfium_render::prelude::{
    PdfBookmark, PdfDocument, PdfDocumentMetadataTagType, PdfRenderConfig, Pdfium, PdfiumError,
    PdfiumInternalError,
};
use regreader_messages::{errors, findings};
use regreader_model::{OutlineEntry, PageNumber, SourceFormat};

use super::engine::{Drawn, Engine, Facts, FallbackFont, OpenFile, PageContent, Pages, bounded_scale};
use crate::recognize::Picture;
use crate::{Limits, ParseError, ParseOptions};

/// Entries of an outline that are looked at.
const MAX_ENTRIES: usize = 50_000;
/// Longest side of a picture in pixels; larger pages are drawn at a lower resolution.
const MAX_SIDE: f32 = 4000.0;

/// PDFium, loaded.
pub struct PdfiumEngine {
    library: Pdfium,
}

impl PdfiumEngine {
    /// An engine on a library that has been loaded.
    pub fn new(library: Pdfium) -> Self {
        Self { library }
    }
}

impl Engine for PdfiumEngine {
    fn name(&self) -> &'static str {
        "pdfium"
    }

    fn open<'a>(
        &'a self,
        bytes: &'a [u8],
        options: &ParseOptions<'_>,
    ) -> Result<Box<dyn OpenFile + 'a>, ParseError> {
        if bytes.len() as u64 > options.limits.max_total_bytes {
            let limit = options.limits.max_total_bytes;
            return Err(ParseError::LimitExceeded { what: errors::LIMIT_FILE, limit });
        }
        let document = self.library.load_pdf_from_byte_slice(bytes, options.password).map_err(refusal)?;
        Ok(Box::new(File { document: Mutex::new(document), limits: options.limits.clone() }))
    }
}

fn refusal(error: PdfiumError) -> ParseError {
    match error {
        PdfiumError::PdfiumLibraryInternalError(PdfiumInternalError::PasswordError) => ParseError::Encrypted,
        other => ParseError::Malformed { format: SourceFormat::Pdf, reason: findings::pdfium_refuses(other) },
    }
}

struct File<'a> {
    document: Mutex<PdfDocument<'a>>,
    limits: Limits,
}

impl<'a> File<'a> {
    fn with<T>(&self, work: impl FnOnce(&PdfDocument<'a>) -> T) -> T {
        work(&self.document.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl OpenFile for File<'_> {
    fn page_count(&self) -> usize {
        self.with(|document| usize::try_from(document.pages().len()).unwrap_or_default())
    }

    fn facts(&self) -> Facts {
        self.with(|document| {
            let title = document.metadata().get(PdfDocumentMetadataTagType::Title);
            let outline = outline(document, self.limits.max_depth);
            Facts { title: title.map(|tag| tag.value().to_owned()), outline }
        })
    }

    fn pages(&self) -> Box<dyn Pages + '_> {
        Box::new(Reader { file: self })
    }
}

struct Reader<'f, 'a> {
    file: &'f File<'a>,
}

impl Pages for Reader<'_, '_> {
    fn content(&mut self, index: usize) -> Option<PageContent> {
        self.file.with(|document| {
            let page = document.pages().get(index.try_into().ok()?).ok()?;
            Some(content::read(&page, &self.file.limits))
        })
    }

    // PDFium looks for system fonts by itself.
    fn picture(&mut self, index: usize, dots_per_inch: f32, _: Option<&FallbackFont>) -> Option<Drawn> {
        self.file.with(|document| {
            let page = document.pages().get(index.try_into().ok()?).ok()?;
            let size = [page.width().value, page.height().value];
            if !(size[0] >= 1.0 && size[1] >= 1.0) {
                return None;
            }
            let scale = bounded_scale(size, dots_per_inch, MAX_SIDE);
            let side = |length: f32| ((length * scale) as i32).max(1);
            let config = PdfRenderConfig::new().set_fixed_size(side(size[0]), side(size[1]));
            let bitmap = page.render_with_config(&config).ok()?;
            let (width, height) = (bitmap.width().try_into().ok()?, bitmap.height().try_into().ok()?);
            let rgb = bitmap.as_rgba_bytes().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
            Some(Drawn { picture: Picture { width, height, rgb }, font_missing: false })
        })
    }
}

/// The bookmarks, depth first. A ring of bookmarks ends at the limit.
fn outline(document: &PdfDocument<'_>, max_depth: usize) -> Vec<OutlineEntry> {
    let mut entries = Vec::new();
    let mut stack: Vec<(PdfBookmark<'_>, u32)> =
        document.bookmarks().root().map(|root| (root, 1)).into_iter().collect();
    let mut seen = 0_usize;
    while let Some((bookmark, level)) = stack.pop() {
        seen += 1;
        if seen > MAX_ENTRIES {
            break;
        }
        let title = bookmark.title().unwrap_or_default();
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if !title.is_empty() {
            entries.push(OutlineEntry { title, level, page_num: target(&bookmark) });
        }
        if let Some(next) = bookmark.next_sibling() {
            stack.push((next, level));
        }
        if (level as usize) < max_depth
            && let Some(child) = bookmark.first_child()
        {
            stack.push((child, level + 1));
        }
    }
    entries
}

fn target(bookmark: &PdfBookmark<'_>) -> Option<PageNumber> {
    let index = match bookmark.destination() {
        Some(destination) => destination.page_index().ok(),
        None => {
            let action = bookmark.action()?;
            action.as_local_destination_action()?.destination().ok()?.page_index().ok()
        }
    };
    index.and_then(|index| usize::try_from(index).ok()).map(PageNumber::from_index)
}
