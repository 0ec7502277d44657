//! Pages of a flow that has none: from the breaks the file demands, the breaks Word last saw, and the page count the
//! writing program recorded.
//!
//! `lastRenderedPageBreak` is only as good as the program that wrote it: it is taken when the pages it gives agree with
//! the recorded count or, without one, with a rough layout. Otherwise the flow is laid out roughly, scaled so that it
//! fills the recorded number of pages. Either way the result is an estimate and says so.

use regreader_messages::findings;
use regreader_model::{
    Diagnostic, DiagnosticCode, Link, PageNumber, RawElement, RawPage, RawText, Severity, TextOrigin,
};

use super::body::Item;
use super::estimate::{self, Room, Shape};
use super::section::Section;
use crate::ooxml::segment;
use crate::{ParseOptions, flow};

/// Lays the flow out into pages.
pub(crate) fn paginate(
    items: Vec<Item>,
    links: Vec<(usize, Link)>,
    recorded: Option<usize>,
    options: &ParseOptions<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<RawPage> {
    let units = units(items);
    if units.is_empty() {
        return Vec::new();
    }
    let layout = choose(&units, recorded);
    let known = recorded.map_or_else(|| "–".to_owned(), |count| count.to_string());
    let message = match layout {
        Layout::Seen => findings::pages_by_breaks(known),
        Layout::Rough { .. } => findings::pages_by_layout(known),
    };
    diagnostics.push(Diagnostic::on_document(Severity::Info, DiagnosticCode::ApproximatePages, message));
    let mut sheet = Sheet { pages: Vec::new(), notes: Vec::new(), fresh: true };
    let mut page_of_item = Vec::new();
    match layout {
        Layout::Seen => lay_out_seen(units, &mut sheet, &mut page_of_item),
        Layout::Rough { factor } => lay_out_rough(units, factor, &mut sheet, &mut page_of_item),
    }
    sheet.end_page();

    let mut pages: Vec<RawPage> = Vec::new();
    for (size, elements) in sheet.pages {
        if pages.len() >= options.limits.max_pages {
            diagnostics.push(flow::too_many_pages(&options.limits));
            break;
        }
        let index = pages.len();
        pages.push(RawPage {
            page_num: PageNumber::from_index(index),
            declared_label: None,
            size,
            origin: if elements.is_empty() { TextOrigin::Blank } else { TextOrigin::TextLayer },
            elements: flow::bounded(elements, &options.limits, index, diagnostics),
            links: Vec::new(),
        });
    }
    for (item, link) in links {
        let at = page_of_item.partition_point(|(first, _)| *first <= item).saturating_sub(1);
        let page = page_of_item.get(at).map_or(0, |(_, page)| *page);
        if let Some(page) = pages.get_mut(page) {
            page.links.push(link);
        }
    }
    pages
}

/// The whole flow on one page, for alignment. Nothing is bounded here: the pages that come of it are.
pub(crate) fn one_page(items: Vec<Item>) -> Vec<RawPage> {
    let elements: Vec<RawElement> = items
        .into_iter()
        .filter_map(|item| match item {
            Item::Text { text, .. } | Item::Note(text) => Some(RawElement::Text(text)),
            Item::Table { table, .. } | Item::Inner(table) => Some(RawElement::Table(table)),
            Item::Picture { picture, .. } => Some(RawElement::Picture(picture)),
            Item::Blank { .. } | Item::HardBreak | Item::PageStart | Item::SoftBreak | Item::Section(_) => {
                None
            }
        })
        .collect();
    if elements.is_empty() {
        return Vec::new();
    }
    vec![RawPage {
        page_num: PageNumber::FIRST,
        declared_label: None,
        size: None,
        origin: TextOrigin::TextLayer,
        elements,
        links: Vec::new(),
    }]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    Flowing,
    Seen,
    Demanded,
}

/// Something to lay out, with what is known of the page border before it.
struct Unit {
    item: Item,
    /// Position among the items of the flow.
    index: usize,
    start: Start,
    size: Option<[f32; 2]>,
    room: Room,
}

fn units(items: Vec<Item>) -> Vec<Unit> {
    let sections: Vec<Section> = items
        .iter()
        .filter_map(|item| if let Item::Section(section) = item { Some(section.clone()) } else { None })
        .collect();
    let mut section = 0;
    let mut start = Start::Flowing;
    let mut units: Vec<Unit> = Vec::new();
    for (index, item) in items.into_iter().enumerate() {
        match item {
            Item::HardBreak => {
                // A break where a page has just begun leaves that page empty.
                if start == Start::Demanded || units.is_empty() {
                    let item = Item::Blank { size: None, shape: Shape::default() };
                    units.push(unit(item, index, start, sections.get(section)));
                }
                start = Start::Demanded;
            }
            Item::PageStart => start = Start::Demanded,
            Item::SoftBreak => start = start.max(Start::Seen),
            Item::Section(_) => {
                section += 1;
                if sections.get(section).is_some_and(|next| next.breaks_page) {
                    start = Start::Demanded;
                }
            }
            mut item => {
                let mut after = Start::Flowing;
                if let Item::Text { text, soft, .. } = &mut item {
                    if soft.contains(&0) {
                        start = start.max(Start::Seen);
                    }
                    if soft.iter().any(|at| *at >= text.text.len()) {
                        after = Start::Seen;
                    }
                    soft.retain(|at| (1..text.text.len()).contains(at) && text.text.is_char_boundary(*at));
                    soft.dedup();
                }
                units.push(unit(item, index, start, sections.get(section)));
                start = after;
            }
        }
    }
    units
}

fn unit(item: Item, index: usize, start: Start, section: Option<&Section>) -> Unit {
    Unit {
        item,
        index,
        start,
        size: section.and_then(|s| s.size),
        room: section.and_then(|s| s.room).unwrap_or(estimate::USUAL_ROOM),
    }
}

enum Layout {
    /// As Word last saw it.
    Seen,
    /// Rough layout on pages this much longer than they are.
    Rough { factor: f32 },
}

fn choose(units: &[Unit], recorded: Option<usize>) -> Layout {
    let heights: Vec<Vec<f32>> = units.iter().map(heights).collect();
    let natural = count_rough(units, &heights, 1.0);
    // A count of 1 in a long file is what templates and converters leave behind.
    let recorded = recorded.filter(|n| *n > 0 && *n * 3 >= natural && *n <= natural.saturating_mul(3) + 2);
    let seen = count_seen(units);
    let demanded = 1 + units.iter().skip(1).filter(|unit| unit.start == Start::Demanded).count();
    let agrees = match recorded {
        Some(n) => seen.abs_diff(n) <= (n / 10).max(1),
        None => seen * 2 >= natural && seen <= natural * 2,
    };
    if seen > demanded && agrees {
        return Layout::Seen;
    }
    let Some(wanted) = recorded.filter(|n| *n >= demanded) else { return Layout::Rough { factor: 1.0 } };
    let (mut low, mut high) = (0.25f32, 4.0f32);
    for _ in 0..24 {
        let middle = (low * high).sqrt();
        if count_rough(units, &heights, middle) > wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    Layout::Rough { factor: high }
}

fn heights(unit: &Unit) -> Vec<f32> {
    match &unit.item {
        Item::Text { text, shape, .. } => vec![estimate::text(text, shape, unit.room)],
        Item::Blank { size, shape } => vec![estimate::blank(*size, shape, unit.room)],
        Item::Table { table, rows, .. } => (0..table.row_count as usize)
            .map(|row| rows.get(row).copied().unwrap_or_default().height(unit.room.pitch))
            .collect(),
        // Its height is part of its outer row already.
        Item::Inner(_) => vec![0.0],
        Item::Picture { height, .. } => vec![estimate::picture(*height, unit.room)],
        Item::Note(note) => vec![estimate::text(note, &Shape::default(), unit.room)],
        _ => Vec::new(),
    }
}

fn count_seen(units: &[Unit]) -> usize {
    let mut count = 1;
    for (index, unit) in units.iter().enumerate() {
        count += usize::from(index > 0 && unit.start != Start::Flowing);
        count += match &unit.item {
            Item::Text { soft, .. } => soft.len(),
            Item::Table { soft, .. } => soft.len(),
            _ => 0,
        };
    }
    count
}

fn count_rough(units: &[Unit], heights: &[Vec<f32>], factor: f32) -> usize {
    let mut count = 1;
    let mut y = 0.0;
    for (index, (unit, heights)) in units.iter().zip(heights).enumerate() {
        if index > 0 && unit.start == Start::Demanded {
            count += 1;
            y = 0.0;
        }
        for height in heights {
            count += usize::from(!is_blank(unit) && turn_page(&mut y, unit.room.height * factor));
            y += height;
        }
    }
    count
}

/// Empty paragraphs fill a page but never begin one: that they run over would show only as a blank page.
fn is_blank(unit: &Unit) -> bool {
    matches!(unit.item, Item::Blank { .. })
}

/// Whether what comes next begins on a new page; `y` then counts from its top.
fn turn_page(y: &mut f32, capacity: f32) -> bool {
    if *y < capacity {
        return false;
    }
    // A paragraph higher than a page stays on the page where it begins, without blank pages behind it.
    *y %= capacity;
    true
}

type PageOfItem = Vec<(usize, usize)>;

fn lay_out_seen(units: Vec<Unit>, sheet: &mut Sheet, page_of_item: &mut PageOfItem) {
    for unit in units {
        if unit.start != Start::Flowing {
            sheet.end_page();
        }
        sheet.begin(unit.size);
        page_of_item.push((unit.index, sheet.index()));
        match unit.item {
            Item::Text { text, soft, .. } => {
                let mut rest = text.text.as_str();
                let mut start = 0;
                for at in soft {
                    let (head, tail) = rest.split_at(at.saturating_sub(start).min(rest.len()));
                    sheet.text(&text, head);
                    sheet.end_page();
                    sheet.begin(unit.size);
                    rest = tail;
                    start = at;
                }
                sheet.text(&text, rest);
            }
            Item::Table { table, soft, .. } => {
                let mut start = 0;
                for row in soft {
                    sheet.push(RawElement::Table(segment::rows(&table, start..row)));
                    sheet.end_page();
                    sheet.begin(unit.size);
                    start = row;
                }
                let whole = start == 0;
                let rest = if whole { table } else { segment::rows(&table, start..table.row_count) };
                sheet.push(RawElement::Table(rest));
            }
            item => sheet.simple(item),
        }
    }
}

fn lay_out_rough(units: Vec<Unit>, factor: f32, sheet: &mut Sheet, page_of_item: &mut PageOfItem) {
    let mut y = 0.0;
    for unit in units {
        let heights = heights(&unit);
        let capacity = unit.room.height * factor;
        if unit.start == Start::Demanded {
            sheet.end_page();
            y = 0.0;
        }
        if !heights.is_empty() && !is_blank(&unit) && turn_page(&mut y, capacity) {
            sheet.end_page();
        }
        sheet.begin(unit.size);
        page_of_item.push((unit.index, sheet.index()));
        if let Item::Table { table, .. } = unit.item {
            let mut start = 0;
            let clean = segment::clean_borders(&table);
            for (row, height) in (0u32..).zip(&heights) {
                // An estimated border need not cut a merged cell; it can as well stand a few rows lower.
                let may_cut = clean[row as usize] || y > capacity * 1.5;
                if row > 0 && may_cut && turn_page(&mut y, capacity) {
                    sheet.push(RawElement::Table(segment::rows(&table, start..row)));
                    sheet.end_page();
                    sheet.begin(unit.size);
                    start = row;
                }
                y += height;
            }
            let rest = if start == 0 { table } else { segment::rows(&table, start..table.row_count) };
            sheet.push(RawElement::Table(rest));
        } else {
            y += heights.first().copied().unwrap_or(0.0);
            match unit.item {
                Item::Text { text, .. } => sheet.push(RawElement::Text(text)),
                item => sheet.simple(item),
            }
        }
    }
}

/// Pages being filled.
struct Sheet {
    pages: Vec<(Option<[f32; 2]>, Vec<RawElement>)>,
    /// Footnotes of the current page.
    notes: Vec<RawElement>,
    /// The next thing begins a page.
    fresh: bool,
}

impl Sheet {
    fn begin(&mut self, size: Option<[f32; 2]>) {
        if self.fresh {
            self.pages.push((size, Vec::new()));
            self.fresh = false;
        }
    }

    fn index(&self) -> usize {
        self.pages.len().saturating_sub(1)
    }

    fn push(&mut self, element: RawElement) {
        if let Some((_, elements)) = self.pages.last_mut() {
            elements.push(element);
        }
    }

    fn text(&mut self, whole: &RawText, piece: &str) {
        let piece = piece.trim();
        if !piece.is_empty() {
            self.push(RawElement::Text(RawText { text: piece.to_owned(), ..whole.clone() }));
        }
    }

    fn simple(&mut self, item: Item) {
        match item {
            Item::Picture { picture, .. } => self.push(RawElement::Picture(picture)),
            Item::Inner(table) => self.push(RawElement::Table(table)),
            Item::Note(note) => self.notes.push(RawElement::Text(note)),
            _ => {}
        }
    }

    fn end_page(&mut self) {
        let notes = std::mem::take(&mut self.notes);
        if let Some((_, elements)) = self.pages.last_mut() {
            elements.extend(notes);
        }
        self.fresh = true;
    }
}
