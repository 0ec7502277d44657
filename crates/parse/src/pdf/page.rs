//! One page: walks its content, judges whether the text can be trusted, and hands words and rules on to layout.

use hayro_font::kurbo::Affine;
use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};
use hayro_syntax::page::Page;
use regreader_model::{
    Diagnostic, DiagnosticCode, PageNumber, RawElement, RawPage, RawPicture, Severity, TextOrigin,
};

use super::content::{HiddenGroups, PageContent, Walker};
use super::font::Fonts;
use super::navigate::Navigation;
use super::trust::{Verdict, judge};
use super::{guard, picture};
use crate::compose::{PageParts, compose};
use crate::layout::{Turn, words_of};
use crate::recognized::{self, Rules};
use crate::{ParseOptions, Recognition};

/// Reads pages of a document on one thread.
pub(super) struct Reader<'a, 'o> {
    pdf: &'a Pdf,
    navigation: &'o Navigation<'a>,
    hidden: &'o HiddenGroups,
    options: &'o ParseOptions<'o>,
    fonts: Fonts<'a>,
}

impl<'a, 'o> Reader<'a, 'o> {
    pub fn new(
        pdf: &'a Pdf,
        navigation: &'o Navigation<'a>,
        hidden: &'o HiddenGroups,
        options: &'o ParseOptions<'o>,
    ) -> Self {
        let fonts = Fonts::new(options.limits.max_part_bytes);
        Self { pdf, navigation, hidden, options, fonts }
    }

    /// Reads a page by its index.
    pub fn read(&mut self, index: usize, label: Option<String>) -> (RawPage, Vec<Diagnostic>) {
        let page_num = PageNumber::from_index(index);
        let Some(page) = self.pdf.pages().get(index) else { return super::unreadable(index, label) };
        let (size, transform) = placement(page);
        let content = self.walk(page, size, transform);
        let mut remarks = Vec::new();
        if let Some(what) = content.stopped {
            remarks.push(Diagnostic::on_page(
                Severity::Warning,
                DiagnosticCode::LimitReached,
                page_num,
                format!("页面过于复杂，后面的内容未读取 (limit reached: {what})"),
            ));
        }
        if let Some(what) = content.skipped {
            remarks.push(Diagnostic::on_page(
                Severity::Warning,
                DiagnosticCode::LimitReached,
                page_num,
                format!("页面的一部分未读取 (left out: {what})"),
            ));
        }
        let links = self.navigation.links(page, transform);
        let verdict = match judge(&content, size) {
            Verdict::Readable
                if self.options.recognition == Recognition::Everywhere
                    && self.options.recognizer.is_some() =>
            {
                Verdict::Unreadable("按设置识别整页 (recognition was asked for)")
            }
            verdict => verdict,
        };
        let (origin, elements) = match verdict {
            Verdict::Readable => (TextOrigin::TextLayer, compose(parts(content, size))),
            Verdict::Blank => (TextOrigin::Blank, Vec::new()),
            Verdict::Unreadable(reason) => {
                self.recognise(page, page_num, &content, size, reason, &mut remarks)
            }
            Verdict::Scanned(reason) => {
                match self.recognise(page, page_num, &content, size, reason, &mut remarks) {
                    (TextOrigin::NeedsOcr, _) => (TextOrigin::NeedsOcr, compose(parts(content, size))),
                    read => read,
                }
            }
        };
        if matches!(origin, TextOrigin::TextLayer) {
            let unmapped = count_unmapped(&elements);
            if unmapped > 0 {
                remarks.push(Diagnostic::on_page(
                    Severity::Warning,
                    DiagnosticCode::UnmappedGlyphs,
                    page_num,
                    format!("{unmapped} 个字符没有 Unicode 含义 (characters without Unicode meaning)"),
                ));
            }
        }
        let page = RawPage { page_num, declared_label: label, size: Some(size), origin, elements, links };
        (page, remarks)
    }

    fn walk(&mut self, page: &'a Page<'a>, size: [f32; 2], transform: Affine) -> PageContent {
        let limits = &self.options.limits;
        let data = contents(page, limits.max_part_bytes);
        let mut walker = Walker::new(&mut self.fonts, self.hidden, limits, size);
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

    fn recognise(
        &self,
        page: &'a Page<'a>,
        page_num: PageNumber,
        content: &PageContent,
        size: [f32; 2],
        reason: &'static str,
        remarks: &mut Vec<Diagnostic>,
    ) -> (TextOrigin, Vec<RawElement>) {
        let pictures = || -> Vec<RawElement> {
            let pictures = content.pictures.iter();
            pictures
                .map(|rect| RawElement::Picture(RawPicture { bbox: Some(*rect), description: None }))
                .collect()
        };
        let remark = |severity, code, message: String| Diagnostic::on_page(severity, code, page_num, message);
        let Some(recognizer) = self.options.recognizer else {
            remarks.push(remark(
                Severity::Warning,
                DiagnosticCode::NeedsOcr,
                format!("{reason}；未配置文字识别 (needs OCR)"),
            ));
            return (TextOrigin::NeedsOcr, pictures());
        };
        let fallback = self.options.fallback_font.as_ref();
        let Some(drawn) = picture::draw(page, size, picture::DOTS_PER_INCH, fallback) else {
            let message = format!("{reason}；页面图像过大，无法识别");
            remarks.push(remark(Severity::Error, DiagnosticCode::NeedsOcr, message));
            return (TextOrigin::NeedsOcr, pictures());
        };
        if drawn.font_missing {
            let message =
                "页面使用了未嵌入的中文字体，且没有可用的替代字体 (font neither embedded nor present)";
            remarks.push(remark(Severity::Warning, DiagnosticCode::MissingFont, message.to_owned()));
        }
        let shot = drawn.picture;
        match recognizer.recognize(&shot) {
            Ok(lines) => {
                let rules = if is_scan(content, size) {
                    Rules::InPicture
                } else {
                    Rules::Drawn(content.rules.clone())
                };
                recognized::page(&lines, &shot, size, rules, remarks, page_num)
            }
            Err(error) => {
                remarks.push(remark(Severity::Error, DiagnosticCode::NeedsOcr, format!("{reason}；{error}")));
                (TextOrigin::NeedsOcr, pictures())
            }
        }
    }
}

/// Whether what the page shows is pixels: then its rules are pixels too.
fn is_scan(content: &PageContent, size: [f32; 2]) -> bool {
    let covered: f32 = content.pictures.iter().map(|picture| picture.width() * picture.height()).sum();
    covered >= 0.5 * size[0] * size[1]
}

fn parts(content: PageContent, size: [f32; 2]) -> PageParts {
    let turns = Turn::UPRIGHT.into_iter().chain([Turn::Slanted]);
    let words = turns.map(|turn| (turn, words_of(&content.glyphs, turn, size))).collect();
    PageParts {
        size,
        words,
        rules: content.rules,
        fills: content.fills,
        pictures: content.pictures,
        drawn_order: true,
    }
}

/// Size of the page as shown, in points, and the transform from its content to that frame.
pub(super) fn placement(page: &Page<'_>) -> ([f32; 2], Affine) {
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
    let boxed = super::paths::bounding_box(matrix, [(ba, bb), (bc, bb), (bc, bd), (ba, bd)].into_iter())?;
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

fn count_unmapped(elements: &[RawElement]) -> usize {
    let count = |text: &str| text.chars().filter(|c| *c == '\u{FFFD}').count();
    elements
        .iter()
        .map(|element| match element {
            RawElement::Text(text) => count(&text.text),
            RawElement::Table(table) => table.cells.iter().map(|cell| count(&cell.content)).sum(),
            RawElement::Picture(_) => 0,
        })
        .sum()
}
