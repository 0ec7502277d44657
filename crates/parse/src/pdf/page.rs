//! One page: judges whether its text can be trusted, and hands words and rules on to layout, or its picture to a recogniser.

use regreader_messages::{Both, Word, findings};
use regreader_model::{
    Diagnostic, DiagnosticCode, PageNumber, RawElement, RawPage, RawPicture, Severity, TextOrigin,
};

use regreader_text::word_share;

use super::ReadPage;
use super::engine::{Drawn, PageContent, Pages};
use super::trust::{Verdict, judge};
use crate::compose::{PageParts, compose};
use crate::layout::{Turn, words_of};
use crate::recognized::{self, Rules};
use crate::ruling;
use crate::{ParseOptions, Recognition};

/// Resolution that recognisers are trained for: the text of a standard is 9 to 12 points.
const DOTS_PER_INCH: f32 = 200.0;

/// Mean confidence from which a new reading of a scan is taken instead of the text that the file carries. Below it the
/// recogniser itself says that it guesses.
const WORTH_TAKING: f32 = 0.6;

/// Whether a page without usable text is handed to the recogniser at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    Now,
    Later,
}

/// Reads pages of a document on one thread.
pub(super) struct Reader<'o> {
    pages: Box<dyn Pages + 'o>,
    options: &'o ParseOptions<'o>,
}

impl<'o> Reader<'o> {
    pub fn new(pages: Box<dyn Pages + 'o>, options: &'o ParseOptions<'o>) -> Self {
        Self { pages, options }
    }

    /// Reads a page by its index. None when it has to be recognised, there is a recogniser, and that is left for later.
    pub fn read(&mut self, index: usize, when: When) -> Option<ReadPage> {
        let page_num = PageNumber::from_index(index);
        let Some(mut content) = self.pages.content(index) else { return Some(super::unreadable(index)) };
        let size = content.size;
        let mut remarks = Vec::new();
        if let Some(what) = content.stopped {
            remarks.push(Diagnostic::on_page(
                Severity::Warning,
                DiagnosticCode::LimitReached,
                page_num,
                findings::page_cut(what),
            ));
        }
        if let Some(what) = content.skipped {
            remarks.push(Diagnostic::on_page(
                Severity::Warning,
                DiagnosticCode::LimitReached,
                page_num,
                findings::page_part_left(what),
            ));
        }
        let (links, label) = (std::mem::take(&mut content.links), content.label.take());
        let verdict = match judge(&content, size) {
            Verdict::Readable
                if self.options.recognition == Recognition::Everywhere
                    && self.options.recognizer.is_some() =>
            {
                Verdict::Unreadable(findings::RECOGNITION_ASKED)
            }
            verdict => verdict,
        };
        let is_picture = matches!(verdict, Verdict::Unreadable(_) | Verdict::Scanned(_) | Verdict::Layer(_));
        if is_picture && when == When::Later && self.options.recognizer.is_some() {
            return None;
        }
        let (origin, elements) = match verdict {
            Verdict::Readable => {
                (TextOrigin::TextLayer, compose(parts(content)).with_remark(page_num, &mut remarks))
            }
            Verdict::Blank => (TextOrigin::Blank, Vec::new()),
            Verdict::Unreadable(reason) => self.recognise(index, &content, reason, &mut remarks),
            Verdict::Scanned(reason) => match self.recognise(index, &content, reason, &mut remarks) {
                (TextOrigin::NeedsOcr, _) => (TextOrigin::NeedsOcr, compose(parts(content)).elements),
                read => read,
            },
            Verdict::Layer(reason) => {
                let read = self.recognise(index, &content, reason, &mut remarks);
                let layer = self.layer(index, content);
                match read {
                    (TextOrigin::Ocr { confidence }, elements)
                        if is_better(confidence, &elements, &layer) =>
                    {
                        (TextOrigin::Ocr { confidence }, elements)
                    }
                    (TextOrigin::Ocr { confidence }, _) => {
                        remarks.push(Diagnostic::on_page(
                            Severity::Warning,
                            DiagnosticCode::LowConfidence,
                            page_num,
                            findings::layer_kept(confidence),
                        ));
                        (TextOrigin::OcrLayer, layer)
                    }
                    _ => (TextOrigin::OcrLayer, layer),
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
                    findings::unmapped(unmapped),
                ));
            }
        }
        let page = RawPage { page_num, declared_label: label, size: Some(size), origin, elements, links };
        Some((page, remarks))
    }

    /// The text that the file carries under its scan, in the grids that the scan shows.
    fn layer(&mut self, index: usize, mut content: PageContent) -> Vec<RawElement> {
        if let Some(drawn) = draw(&mut *self.pages, index, DOTS_PER_INCH, self.options) {
            content.rules.extend(ruling::find(&drawn.picture, content.size).rules);
        }
        compose(parts(content)).elements
    }

    fn recognise(
        &mut self,
        index: usize,
        content: &PageContent,
        reason: Word,
        remarks: &mut Vec<Diagnostic>,
    ) -> (TextOrigin, Vec<RawElement>) {
        let (page_num, size) = (PageNumber::from_index(index), content.size);
        let pictures = || -> Vec<RawElement> {
            let pictures = content.pictures.iter();
            pictures
                .map(|rect| RawElement::Picture(RawPicture { bbox: Some(*rect), description: None }))
                .collect()
        };
        let remark = |severity, code, message: Both| Diagnostic::on_page(severity, code, page_num, message);
        let Some(recognizer) = self.options.recognizer else {
            remarks.push(remark(
                Severity::Warning,
                DiagnosticCode::NeedsOcr,
                Both::from(reason).and(findings::NO_RECOGNIZER),
            ));
            return (TextOrigin::NeedsOcr, pictures());
        };
        let Some(drawn) = draw(&mut *self.pages, index, DOTS_PER_INCH, self.options) else {
            let message = Both::from(reason).and(findings::PICTURE_TOO_LARGE);
            remarks.push(remark(Severity::Error, DiagnosticCode::NeedsOcr, message));
            return (TextOrigin::NeedsOcr, pictures());
        };
        if drawn.font_missing {
            let message = findings::FONT_MISSING.into();
            remarks.push(remark(Severity::Warning, DiagnosticCode::MissingFont, message));
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
                remarks.push(remark(
                    Severity::Error,
                    DiagnosticCode::NeedsOcr,
                    Both::from(reason).and(error.to_string()),
                ));
                (TextOrigin::NeedsOcr, pictures())
            }
        }
    }
}

/// Draws a page; with a font from outside the file where it needs one and there is one.
pub(super) fn draw(
    pages: &mut dyn Pages,
    index: usize,
    dots_per_inch: f32,
    options: &ParseOptions<'_>,
) -> Option<Drawn> {
    let drawn = pages.picture(index, dots_per_inch, None)?;
    // Looking for a font means reading megabytes, so it is done for pages that need one, and only for those.
    let font = if drawn.font_missing { options.fallback_font.and_then(|find| find()) } else { None };
    match font {
        Some(font) => pages.picture(index, dots_per_inch, Some(&font)),
        None => Some(drawn),
    }
}

/// Whether a new reading of a scan is to be taken instead of the text that the file carries: the recogniser is sure of
/// it, it says about as much, and no smaller share of it is words.
fn is_better(confidence: f32, read: &[RawElement], layer: &[RawElement]) -> bool {
    /// Shares closer than this differ by chance: names and numbers are in no dictionary.
    const CHANCE: f32 = 0.03;
    if confidence < WORTH_TAKING {
        return false;
    }
    let (read, layer) = (text_of(read), text_of(layer));
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    if letters(&read) * 2 < letters(&layer) {
        return false;
    }
    match (word_share(&read), word_share(&layer)) {
        (Some(read), Some(layer)) => read + CHANCE >= layer,
        _ => true,
    }
}

fn text_of(elements: &[RawElement]) -> String {
    let mut out = String::new();
    for element in elements {
        match element {
            RawElement::Text(text) => out.push_str(&text.text),
            RawElement::Table(table) => {
                for cell in &table.cells {
                    out.push_str(&cell.content);
                    out.push('\n');
                }
            }
            RawElement::Picture(_) => {}
        }
        out.push('\n');
    }
    out
}

/// Whether what the page shows is pixels: then its rules are pixels too.
fn is_scan(content: &PageContent, size: [f32; 2]) -> bool {
    let covered: f32 = content.pictures.iter().map(|picture| picture.width() * picture.height()).sum();
    covered >= 0.5 * size[0] * size[1]
}

fn parts(content: PageContent) -> PageParts {
    let size = content.size;
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
