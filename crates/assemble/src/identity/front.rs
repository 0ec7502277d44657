//! The first pages as evidence: lines with their size and place, the metadata title, the words of the document.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::{DroppedText, RawDocument, RawElement, RawText, Rect, TextRole};

use regreader_text::script::is_cjk;

use crate::clean::Cleaner;

/// Pages on which a title, a number or a date of the document itself may stand.
const FRONT_PAGES: usize = 4;
/// Lines of the first pages that are looked at; a cover has a few dozen.
const FRONT_LINES: usize = 400;
/// Pages whose words are collected to learn which words are printed in capitals for emphasis only.
const VOCABULARY_PAGES: usize = 40;

/// The first pages of a document.
#[derive(Debug, Default)]
pub(super) struct FrontMatter {
    pub metadata_title: Option<String>,
    pub lines: Vec<FrontLine>,
    /// Size that most characters of the document have.
    pub body_size: Option<f32>,
    /// A large part of the text is Chinese.
    pub is_chinese: bool,
    /// Words that the document prints in small letters somewhere, in small letters.
    pub lower_words: BTreeSet<String>,
}

/// A line of the first pages.
#[derive(Debug)]
pub(super) struct FrontLine {
    /// Index of its page.
    pub page: usize,
    pub text: String,
    pub role: TextRole,
    pub size: Option<f32>,
    pub bold: bool,
    /// It stands in the middle of its page, clear of both margins.
    pub centred: bool,
    pub bbox: Option<Rect>,
}

impl FrontMatter {
    pub fn of(raw: &RawDocument, cleaner: Cleaner) -> Self {
        let mut lines = Vec::new();
        for (page, sheet) in raw.pages.iter().take(FRONT_PAGES).enumerate() {
            let width = sheet.size.map(|[width, _]| width);
            for text in sheet.elements.iter().filter_map(as_text) {
                let line = cleaner.line(&text.text);
                if !line.is_empty() && lines.len() < FRONT_LINES {
                    lines.push(FrontLine {
                        page,
                        text: line,
                        role: text.role,
                        size: text.size.filter(|size| size.is_finite() && *size > 0.0),
                        bold: text.bold,
                        centred: is_centred(text.bbox, width),
                        bbox: text.bbox,
                    });
                }
            }
        }
        let title = raw.title.as_deref().map(|title| cleaner.line(title)).filter(|title| !title.is_empty());
        Self {
            metadata_title: title,
            lines,
            body_size: body_size(raw),
            is_chinese: is_chinese(raw),
            lower_words: lower_words(raw),
        }
    }

    /// Lines of one page.
    pub fn on_page(&self, page: usize) -> impl Iterator<Item = &FrontLine> {
        self.lines.iter().filter(move |line| line.page == page)
    }
}

/// A running head and the share of pages that carry it.
#[derive(Debug, Clone)]
pub(super) struct RunningHead {
    pub text: String,
    pub share: f32,
}

/// Running heads, the most frequent first; among equals the one printed first.
pub(super) fn running_heads(dropped: &[DroppedText], pages: usize) -> Vec<RunningHead> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (order, text) in dropped.iter().enumerate().filter(|(_, text)| text.reason == "running_head") {
        let entry = counts.entry(text.text.as_str()).or_insert((0, order));
        entry.0 += 1;
    }
    let mut heads: Vec<(&str, (usize, usize))> = counts.into_iter().collect();
    heads.sort_by_key(|(_, (count, order))| (std::cmp::Reverse(*count), *order));
    heads
        .into_iter()
        .take(12)
        .map(|(text, (count, _))| RunningHead {
            text: text.to_owned(),
            share: count as f32 / pages.max(1) as f32,
        })
        .collect()
}

fn as_text(element: &RawElement) -> Option<&RawText> {
    match element {
        RawElement::Text(text) => Some(text),
        _ => None,
    }
}

fn is_centred(bbox: Option<Rect>, width: Option<f32>) -> bool {
    let (Some(rect), Some(width)) = (bbox, width) else { return false };
    width > 0.0
        && (rect.center_x() - width / 2.0).abs() < width * 0.04
        && rect.x0 > width * 0.14
        && rect.width() > 0.0
}

fn body_size(raw: &RawDocument) -> Option<f32> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for text in raw.pages.iter().flat_map(|page| &page.elements).filter_map(as_text) {
        if let Some(size) = text.size.filter(|size| size.is_finite() && *size > 0.0) {
            *counts.entry((f64::from(size) * 4.0).round() as i64).or_default() += text.text.chars().count();
        }
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(size, _)| size as f32 / 4.0)
}

fn is_chinese(raw: &RawDocument) -> bool {
    let pages = raw.pages.iter().take(VOCABULARY_PAGES);
    let (mut hanzi, mut latin) = (0_usize, 0_usize);
    for c in pages.flat_map(|page| &page.elements).filter_map(as_text).flat_map(|text| text.text.chars()) {
        hanzi += usize::from(is_cjk(c));
        latin += usize::from(c.is_ascii_alphabetic());
    }
    hanzi * 3 > latin
}

fn lower_words(raw: &RawDocument) -> BTreeSet<String> {
    let pages = raw.pages.iter().take(VOCABULARY_PAGES);
    let texts = pages.flat_map(|page| &page.elements).filter_map(as_text);
    let words = texts.flat_map(|text| text.text.split(|c: char| !c.is_ascii_alphabetic()));
    words
        .filter(|word| (2..=24).contains(&word.len()) && word.bytes().skip(1).all(|b| b.is_ascii_lowercase()))
        .map(str::to_ascii_lowercase)
        .collect()
}
