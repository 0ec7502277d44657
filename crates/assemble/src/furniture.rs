//! Running heads, page numbers and watermarks: found by their repetition, dropped, and their text kept on record.
//!
//! A line is furniture when the format says so, when the same words stand at the same height on several pages near
//! the edge of the page (running head), when it is a page number that counts on from page to page, or when the same
//! words stand at the very same place anywhere on most pages (watermark). Captions and notes are never furniture, however often
//! `表6-2（续）` stands at the top of a page. Must not know chapters or contents.

use std::collections::BTreeMap;

use regreader_model::{DroppedText, TextRole};
use regreader_text::annotation::parse_definition;
use regreader_text::caption::parse_caption;
use regreader_text::fold::fold;

use crate::flow::{Item, Line, Sheet};
use crate::label::{self, LabelStyle};

/// Drops furniture from the pages, sets their labels, and says what was dropped.
pub(crate) fn strip(sheets: &mut [Sheet]) -> Vec<DroppedText> {
    let mut verdicts: Vec<Vec<Option<Reason>>> =
        sheets.iter().map(|sheet| sheet.items.iter().map(declared).collect()).collect();
    repeated(sheets, &mut verdicts);
    page_numbers(sheets, &mut verdicts);

    let mut dropped = Vec::new();
    for (sheet, verdicts) in sheets.iter_mut().zip(verdicts) {
        let mut verdicts = verdicts.into_iter();
        let page_num = sheet.page_num;
        let mut found_label = None;
        sheet.items.retain(|item| {
            let Some(Some(reason)) = verdicts.next() else { return true };
            let Item::Line(line) = item else { return true };
            if reason != Reason::Watermark && found_label.is_none() {
                found_label = label_in(&line.text);
            }
            dropped.push(DroppedText { page_num, text: line.text.clone(), reason: reason.name().to_owned() });
            false
        });
        sheet.label = found_label;
    }
    dropped
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    RunningHead,
    PageNumber,
    Watermark,
}

impl Reason {
    fn name(self) -> &'static str {
        match self {
            Self::RunningHead => "running_head",
            Self::PageNumber => "page_number",
            Self::Watermark => "watermark",
        }
    }
}

fn declared(item: &Item) -> Option<Reason> {
    let line = item.line()?;
    // What one typesetting system leaves, invisibly, at the head of its files.
    if line.text == "书书书" {
        return Some(Reason::Watermark);
    }
    match line.role {
        TextRole::PageHeader | TextRole::PageFooter if label::parse(&line.text).is_some() => {
            Some(Reason::PageNumber)
        }
        TextRole::PageHeader | TextRole::PageFooter => Some(Reason::RunningHead),
        _ => None,
    }
}

/// The page number in a dropped line: the whole line, or its end (`CIP-004-7 … Page 5 of 31`, `Docket … - 2 -`).
fn label_in(text: &str) -> Option<String> {
    if label::parse(text).is_some() {
        return Some(text.to_owned());
    }
    let tail = text.rfind("Page ").map(|at| &text[at..]).or_else(|| text.find('第').map(|at| &text[at..]));
    if let Some(tail) = tail.filter(|tail| label::parse(tail).is_some()) {
        return Some(tail.to_owned());
    }
    set_off_at_end(text).filter(|tail| label::parse(tail).is_some()).map(str::to_owned)
}

/// The end of a line between two dashes, a number: `-2-` or `- 2 -`.
fn set_off_at_end(text: &str) -> Option<&str> {
    const DASHES: [char; 3] = ['-', '—', '–'];
    let inner = text.strip_suffix(DASHES)?.trim_end();
    let digits = inner.rfind(|c: char| !c.is_ascii_alphanumeric())?;
    let before = inner.get(..digits)?;
    let open = match inner.get(digits..)?.chars().next()? {
        ' ' => before.trim_end().strip_suffix(DASHES)?,
        dash if DASHES.contains(&dash) => before,
        _ => return None,
    };
    // `EL26-69-000-` is no number between dashes.
    (open.is_empty() || open.ends_with(' ')).then(|| text.get(open.len()..)).flatten()
}

/// Where on the page a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Zone {
    Top,
    Middle,
    Bottom,
}

fn zone(line: &Line, sheet: &Sheet) -> Option<Zone> {
    let rect = line.bbox?;
    let [_, height] = sheet.size?;
    Some(if rect.y1 < height * 0.13 {
        Zone::Top
    } else if rect.y0 > height * 0.87 {
        Zone::Bottom
    } else {
        Zone::Middle
    })
}

/// Lines whose words stand at the same height on other pages too.
fn repeated(sheets: &[Sheet], verdicts: &mut [Vec<Option<Reason>>]) {
    let pages = sheets.iter().filter(|sheet| !sheet.items.is_empty()).count();
    let mut places: BTreeMap<Place, Vec<Spot>> = BTreeMap::new();
    for (page, sheet) in sheets.iter().enumerate() {
        let count = sheet.items.len();
        for (at, item) in sheet.items.iter().enumerate() {
            let Some(line) = item.line() else { continue };
            let Some((place, y)) = place(line, sheet, at, count) else { continue };
            places.entry(place).or_default().push(Spot { page, item: at, y });
        }
    }
    for (place, mut spots) in places {
        // Captions and notes of tables that are laid out alike stand at the same place on page after page.
        if is_caption(&place.words) || parse_definition(&place.words).is_some() {
            continue;
        }
        // Lines of one text fall into groups of one height: a heading may also stand in a text as a sentence.
        spots.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.page.cmp(&b.page)));
        for group in spots.chunk_by(|a, b| (a.y - b.y).abs() <= HEIGHT_TOLERANCE) {
            let mut on_pages: Vec<usize> = group.iter().map(|spot| spot.page).collect();
            on_pages.sort_unstable();
            on_pages.dedup();
            let Some(reason) = verdict(&place, on_pages.len(), pages) else { continue };
            for spot in group {
                if let Some(slot) = verdicts.get_mut(spot.page).and_then(|page| page.get_mut(spot.item)) {
                    slot.get_or_insert(reason);
                }
            }
        }
    }
}

/// Points by which the height of a running head may differ between pages.
const HEIGHT_TOLERANCE: f32 = 3.0;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    zone: Zone,
    /// Folded words, page numbers in them masked.
    words: String,
    /// For the middle of the page: the exact spot, since only a watermark stands there again and again.
    x: i32,
}

struct Spot {
    page: usize,
    item: usize,
    y: f32,
}

fn place(line: &Line, sheet: &Sheet, at: usize, count: usize) -> Option<(Place, f32)> {
    if let (Some(rect), Some(zone)) = (line.bbox, zone(line, sheet)) {
        let words = if zone == Zone::Middle { fold(&line.text) } else { masked(&line.text) };
        let x = if zone == Zone::Middle { (rect.x0 / 4.0).round() as i32 } else { 0 };
        return Some((Place { zone, words, x }, rect.y0));
    }
    // No boxes: only the first and last lines of a page can be furniture.
    let zone = if at == 0 {
        Zone::Top
    } else if at + 1 == count {
        Zone::Bottom
    } else {
        return None;
    };
    let plain = line.role == TextRole::Body;
    plain.then(|| (Place { zone, words: masked(&line.text), x: 0 }, 0.0))
}

fn verdict(place: &Place, on_pages: usize, pages: usize) -> Option<Reason> {
    if place.words.is_empty() {
        return None;
    }
    match place.zone {
        Zone::Middle => {
            let words = place.words.chars().filter(|c| c.is_alphanumeric()).count() >= 3;
            (words && on_pages >= 3 && on_pages * 2 > pages).then_some(Reason::Watermark)
        }
        Zone::Top | Zone::Bottom => {
            let enough = on_pages >= 4 || (on_pages >= 2 && on_pages * 2 >= pages && pages <= 6);
            enough.then_some(Reason::RunningHead)
        }
    }
}

/// `Page 5 of 31` and `Page 6 of 31` are one text.
fn masked(text: &str) -> String {
    let folded = fold(text);
    let with_page = folded.contains("page") || folded.contains('页') || folded.contains('-');
    if !with_page {
        return folded;
    }
    let mut out = String::with_capacity(folded.len());
    let mut last = '\0';
    for word in folded.split_inclusive(' ') {
        // Only a number that stands alone is a page number: the digits of `GB 38755-2019` are part of the head.
        let bare = word.trim_matches(|c: char| !c.is_ascii_digit());
        let alone = !bare.is_empty() && bare.len() <= 4 && word.trim().trim_matches(['-', ' ']) == bare;
        if alone && last != '#' {
            out.push('#');
            last = '#';
        } else if !alone {
            out.push_str(word);
            last = '\0';
        }
    }
    out
}

fn is_caption(words: &str) -> bool {
    parse_caption(words).is_some() || words.starts_with("续表")
}

/// Lines near the edge that are nothing but a number and count on with the pages.
fn page_numbers(sheets: &[Sheet], verdicts: &mut [Vec<Option<Reason>>]) {
    let mut seen: Vec<Candidate> = Vec::new();
    for (page, sheet) in sheets.iter().enumerate() {
        let count = sheet.items.len();
        for (at, item) in sheet.items.iter().enumerate() {
            let Some(line) = item.line() else { continue };
            let Some(label) = label::parse(&line.text) else { continue };
            let at_edge = match zone(line, sheet) {
                Some(zone) => zone != Zone::Middle,
                None => at == 0 || at + 1 == count,
            };
            if at_edge {
                let offset = i64::from(label.number) - i64::try_from(page).unwrap_or(i64::MAX);
                seen.push(Candidate { page, item: at, style: label.style, offset });
            }
        }
    }
    let mut runs: BTreeMap<(LabelStyle, i64), usize> = BTreeMap::new();
    for candidate in &seen {
        *runs.entry((candidate.style, candidate.offset)).or_default() += 1;
    }
    for candidate in &seen {
        let run = runs.get(&(candidate.style, candidate.offset)).copied().unwrap_or(0);
        let sheet_has_bottom_label = sheets.get(candidate.page).is_some_and(|sheet| {
            sheet.items.get(candidate.item).and_then(Item::line).and_then(|line| zone(line, sheet))
                == Some(Zone::Bottom)
        });
        // A lone Roman number at the foot of a page is the front matter's; a lone digit could be anything.
        let lone_roman = candidate.style == LabelStyle::Roman && sheet_has_bottom_label;
        let slot = verdicts.get_mut(candidate.page).and_then(|page| page.get_mut(candidate.item));
        if let Some(slot) = slot.filter(|_| run >= 2 || lone_roman) {
            *slot = Some(Reason::PageNumber);
        }
    }
}

struct Candidate {
    page: usize,
    item: usize,
    style: LabelStyle,
    offset: i64,
}
