//! The default engine: the pure-Rust hayro crates, with our own walk over the content.
//!
//! Owns what a PDF file says. Knows the library's objects, which nothing outside of this folder does.

mod content;
mod font;
mod guard;
mod navigate;
mod picture;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_font::kurbo::Affine;
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};
use hayro_syntax::page::Page;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use regreader_messages::{Word, errors};
use regreader_model::SourceFormat;

use self::content::{HiddenGroups, Walker};
use self::font::Fonts;
use self::navigate::Navigation;
use super::engine::{Drawn, Engine, Facts, FallbackFont, OpenFile, PageContent, Pages};
use super::paths::bounding_box;
use crate::{Limits, ParseError, ParseOptions};

/// The pure-Rust engine.
pub struct Hayro;

impl Engine for Hayro {
    fn name(&self) -> &'static str {
        "hayro"
    }

    fn open<'a>(
        &'a self,
        bytes: &'a [u8],
        options: &ParseOptions<'_>,
    ) -> Result<Box<dyn OpenFile + 'a>, ParseError> {
        guard::check_file(bytes, &options.limits)?;
        let pdf = open(bytes, options.password.unwrap_or(""))?;
        Ok(Box::new(File { pdf, limits: options.limits.clone() }))
    }
}

struct File {
    pdf: Pdf,
    limits: Limits,
}

impl OpenFile for File {
    fn page_count(&self) -> usize {
        self.pdf.pages().len()
    }

    fn facts(&self) -> Facts {
        let depth = self.limits.max_depth;
        let navigation = Navigation::new(&self.pdf, depth);
        let title = self.pdf.metadata().title.as_deref().map(text_string);
        Facts { title, outline: navigation.outline(depth) }
    }

    fn pages(&self) -> Box<dyn Pages + '_> {
        let depth = self.limits.max_depth;
        let navigation = Navigation::new(&self.pdf, depth);
        let labels = navigation.labels(depth);
        let hidden = navigation.hidden_groups();
        let fonts = Fonts::new(self.limits.max_part_bytes);
        Box::new(Reader { file: self, navigation, labels, hidden, fonts })
    }
}

/// Reads pages on one thread.
struct Reader<'a> {
    file: &'a File,
    navigation: Navigation<'a>,
    labels: Vec<Option<String>>,
    hidden: HiddenGroups,
    fonts: Fonts<'a>,
}

impl Pages for Reader<'_> {
    fn content(&mut self, index: usize) -> Option<PageContent> {
        let page = self.file.pdf.pages().get(index)?;
        let (size, transform) = placement(page);
        let mut content = self.walk(page, size, transform);
        content.label = self.labels.get(index).cloned().flatten();
        content.links = self.navigation.links(page, transform);
        Some(content)
    }

    fn picture(&mut self, index: usize, dots_per_inch: f32, font: Option<&FallbackFont>) -> Option<Drawn> {
        let page = self.file.pdf.pages().get(index)?;
        let (size, _) = placement(page);
        picture::draw(page, size, dots_per_inch, font)
    }
}

impl<'a> Reader<'a> {
    fn walk(&mut self, page: &'a Page<'a>, size: [f32; 2], transform: Affine) -> PageContent {
        let limits = &self.file.limits;
        let data = contents(page, limits.max_part_bytes);
        let mut walker = Walker::new(&mut self.fonts, &self.hidden, limits, size);
        if let Some(data) = data {
            walker.walk(&data, page.resources(), transform);
        } else if page.raw().contains_key(b"Contents") {
            walker.content.stopped = Some("size of the page's content");
        }
        if let Some(annotations) = page.raw().get::<Array<'a>>(b"Annots") {
            for annotation in annotations.iter::<Dict<'a>>().take(10_000) {
                if let Some((form, place)) = appearance(&annotation, transform) {
                    walker.walk_form(&form, page.resources(), place);
                }
            }
        }
        walker.content
    }
}

fn open(bytes: &[u8], password: &str) -> Result<Pdf, ParseError> {
    let malformed = |reason: Word| ParseError::Malformed { format: SourceFormat::Pdf, reason: reason.into() };
    // Same defence as for pages: a panic in here must read as a damaged file.
    let opened = catch_unwind(AssertUnwindSafe(|| Pdf::new_with_password(bytes.to_vec(), password)));
    match opened {
        Ok(Ok(pdf)) => Ok(pdf),
        Ok(Err(LoadPdfError::Decryption(
            DecryptionError::PasswordProtected | DecryptionError::MissingIDEntry,
        ))) => Err(ParseError::Encrypted),
        Ok(Err(LoadPdfError::Decryption(_))) => Err(malformed(errors::PDF_ENCRYPTION)),
        Ok(Err(LoadPdfError::Invalid)) if !has_header(bytes) => Err(malformed(errors::NOT_PDF)),
        Ok(Err(LoadPdfError::Invalid)) => Err(malformed(errors::NO_PAGE_TREE)),
        Err(_) => Err(malformed(errors::PDF_STRUCTURE)),
    }
}

fn has_header(bytes: &[u8]) -> bool {
    bytes.get(..bytes.len().min(1024)).unwrap_or_default().windows(5).any(|window| window == b"%PDF-")
}

/// Size of the page as shown, in points, and the transform from its content to that frame.
fn placement(page: &Page<'_>) -> ([f32; 2], Affine) {
    let unit =
        page.raw().get::<f32>(b"UserUnit").filter(|unit| (0.01..=1000.0).contains(unit)).unwrap_or(1.0);
    let (width, height) = page.render_dimensions();
    let bounded = |side: f32| if side.is_finite() { (side * unit).clamp(1.0, 1e6) } else { 1.0 };
    let transform = Affine::scale(f64::from(unit)) * Affine::new(page.initial_transform(true).as_coeffs());
    ([bounded(width), bounded(height)], transform)
}

/// The page's content, its pieces joined. Not the library's own accessor: that one keeps every page's content in
/// memory as long as the document lives, and decodes without a bound.
fn contents(page: &Page<'_>, limit: u64) -> Option<Vec<u8>> {
    match page.raw().get::<Object<'_>>(b"Contents")? {
        Object::Stream(stream) => guard::decode(&stream, limit).map(std::borrow::Cow::into_owned),
        Object::Array(array) => {
            let mut all: Vec<u8> = Vec::new();
            for stream in array.iter::<Object<'_>>().filter_map(Object::into_stream) {
                let room = limit.saturating_sub(all.len() as u64);
                // A damaged piece must not take the others with it.
                let Some(data) = guard::decode(&stream, room) else { continue };
                all.extend_from_slice(&data);
                all.push(b' ');
            }
            Some(all)
        }
        _ => None,
    }
}

/// The normal appearance of an annotation that shows text of its own, and where it goes.
fn appearance<'a>(annotation: &Dict<'a>, transform: Affine) -> Option<(Stream<'a>, Affine)> {
    const HIDDEN: u32 = 1 << 1;
    const NO_VIEW: u32 = 1 << 5;
    let subtype = annotation.get::<Name<'_>>(b"Subtype")?;
    if !matches!(&*subtype, b"Widget" | b"FreeText" | b"Stamp")
        || annotation.get::<u32>(b"F").unwrap_or(0) & (HIDDEN | NO_VIEW) != 0
    {
        return None;
    }
    let form = match annotation.get::<Dict<'a>>(b"AP")?.get::<Object<'a>>(b"N")? {
        Object::Stream(stream) => stream,
        Object::Dict(states) => states.get::<Stream<'a>>(annotation.get::<Name<'_>>(b"AS")?)?,
        _ => return None,
    };
    let [xa, ya, xb, yb] = annotation.get::<[f64; 4]>(b"Rect")?;
    let matrix =
        Affine::new(form.dict().get::<[f64; 6]>(b"Matrix").unwrap_or([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]));
    let [ba, bb, bc, bd] = form.dict().get::<[f64; 4]>(b"BBox")?;
    let boxed = bounding_box(matrix, [(ba, bb), (bc, bb), (bc, bd), (ba, bd)].into_iter())?;
    let (width, height) = (f64::from(boxed.width()), f64::from(boxed.height()));
    if width <= 0.0 || height <= 0.0 {
        return None;
    }
    let (sx, sy) = ((xb - xa).abs() / width, (yb - ya).abs() / height);
    let fit = Affine::new([
        sx,
        0.0,
        0.0,
        sy,
        xa.min(xb) - sx * f64::from(boxed.x0),
        ya.min(yb) - sy * f64::from(boxed.y0),
    ]);
    Some((form, transform * fit * matrix))
}

/// A text string of the file: UTF-16 or UTF-8 with a mark, else the PDF encoding (Latin, near enough).
fn text_string(bytes: &[u8]) -> String {
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
