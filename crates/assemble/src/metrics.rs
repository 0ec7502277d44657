//! Measures of the page: body type size, margins, line distance.
//!
//! Owns geometry questions that several stages ask: is this line filled to the margin, is it indented, is it set apart
//! from the line before. Everything here is relative to what the document itself usually does. Without boxes (DOCX,
//! HTML) the answers are "unknown" and the stages fall back on declared paragraphs.

use std::collections::{BTreeMap, BTreeSet};

use regreader_model::Rect;
use regreader_text::script::is_cjk;

use crate::clean::is_wide;
use crate::flow::{Item, Line, Sheet};

/// Measures of the whole document.
#[derive(Debug, Clone)]
pub(crate) struct Metrics {
    /// Type size of most characters; 10.5 when no size is known.
    pub body_size: f32,
    /// Most characters are bold, so that bold says nothing.
    pub mostly_bold: bool,
    /// Usual distance between the tops of two lines of a paragraph.
    pub leading: f32,
    pages: Vec<PageMetrics>,
}

#[derive(Debug, Clone, Default)]
struct PageMetrics {
    /// Columns from left to right; one on most pages.
    columns: Vec<Column>,
    /// Width and height in whole points: pages of one size share margins and body area.
    size: [i32; 2],
    height: f32,
    /// Lowest text or table edge.
    bottom: f32,
    /// Many lines end at the right edge, so that the page itself shows where it is.
    shows_edge: bool,
}

/// Left and right edge of a column of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Column {
    pub left: f32,
    pub right: f32,
}

impl Metrics {
    pub fn of(sheets: &[Sheet]) -> Self {
        let lines = || sheets.iter().flat_map(|sheet| sheet.items.iter().filter_map(Item::line));
        let body_size = mode(lines().filter_map(|line| Some((line.size?, line.text.len())))).unwrap_or(10.5);
        let bold: usize = lines().filter(|line| line.bold).map(|line| line.text.len()).sum();
        let all: usize = lines().map(|line| line.text.len()).sum();
        let mut pages: Vec<PageMetrics> = sheets.iter().map(|sheet| page_metrics(sheet, body_size)).collect();
        // A landscape page has margins of its own: what the upright pages do says nothing about it.
        let sizes: BTreeSet<[i32; 2]> = pages.iter().map(|page| page.size).collect();
        for size in sizes {
            let usual = usual_column(&pages, size);
            for page in pages.iter_mut().filter(|page| page.size == size) {
                lend_margins(page, usual, body_size);
            }
        }
        Self { body_size, mostly_bold: bold * 2 > all, leading: leading(sheets, body_size), pages }
    }

    /// The column a box stands in.
    pub fn column(&self, page: usize, rect: &Rect) -> Option<Column> {
        let columns = &self.pages.get(page)?.columns;
        columns
            .iter()
            .find(|column| {
                rect.x0 >= column.left - self.body_size && rect.x1 <= column.right + self.body_size
            })
            .or_else(|| columns.first())
            .copied()
    }

    /// Whether the line runs to the right edge, so that the next word could not have stood on it. None without boxes.
    pub fn is_full(&self, page: usize, line: &Line, next: &Line) -> Option<bool> {
        let rect = line.bbox?;
        let column = self.column(page, &rect)?;
        let size = line.size.unwrap_or(self.body_size);
        let room = column.right - rect.x1;
        // A quotation mark is as wide as the letters it stands with.
        let first_is_wide =
            next.text.chars().next().is_some_and(is_wide) && next.text.chars().take(2).any(is_cjk);
        let needed = if first_is_wide {
            1.7 * size
        } else {
            let word = next.text.split(' ').next().unwrap_or("").chars().count() as f32;
            let per_char = rect.width() / line.text.chars().count().max(1) as f32;
            (word.min(24.0) + 1.0) * per_char.min(size) * 1.2 + 0.3 * size
        };
        Some(room < needed.max(1.7 * size))
    }

    /// Whether the line runs over most of its column, so that it may be one of several of a sentence.
    pub fn reaches_far(&self, page: usize, line: &Line) -> bool {
        const SHARE: f32 = 0.6;
        let Some(rect) = line.bbox else { return false };
        let Some(column) = self.column(page, &rect) else { return false };
        rect.x1 - column.left >= SHARE * (column.right - column.left)
    }

    /// How far the line is indented from its column's left edge, in characters of its own size.
    pub fn indent(&self, page: usize, line: &Line) -> Option<f32> {
        let rect = line.bbox?;
        Some((rect.x0 - self.column(page, &rect)?.left) / line.size.unwrap_or(self.body_size))
    }

    /// Whether the line stands in the middle of its column with room on both sides.
    pub fn is_centered(&self, page: usize, line: &Line) -> bool {
        let Some(rect) = line.bbox else { return false };
        let Some(column) = self.column(page, &rect) else { return false };
        let left = rect.x0 - column.left;
        let right = column.right - rect.x1;
        let size = line.size.unwrap_or(self.body_size);
        left > 2.5 * size && right > 2.5 * size && (left - right).abs() < 2.0 * size
    }

    /// Share of the page's text area that is free below this height: 0 when something stands at the usual bottom.
    pub fn free_below(&self, page: usize, y: f32) -> Option<f32> {
        let PageMetrics { height, size, .. } = self.pages.get(page)?.clone();
        let alike = self.pages.iter().filter(|page| page.size == size);
        let bottom = alike.map(|page| page.bottom).fold(0.0_f32, f32::max);
        (height > 0.0 && bottom > 0.0).then(|| ((bottom - y) / height).max(0.0))
    }

    /// Whether letters are set larger than the body.
    pub fn is_larger(&self, line: &Line) -> bool {
        line.size.is_some_and(|size| size > self.body_size * 1.07)
    }

    /// Whether bold sets the line apart.
    pub fn is_set_bold(&self, line: &Line) -> bool {
        line.bold && !self.mostly_bold
    }
}

/// So many long lines that end near one place show a margin.
const EDGE_LINES: usize = 8;

fn page_metrics(sheet: &Sheet, body_size: f32) -> PageMetrics {
    let boxes: Vec<Rect> = sheet.items.iter().filter_map(Item::line).filter_map(|line| line.bbox).collect();
    let width = sheet.size.map_or(0.0, |[width, _]| width);
    let height = sheet.size.map_or(0.0, |[_, height]| height);
    let bottom = sheet.items.iter().filter_map(Item::bbox).map(|rect| rect.y1).fold(0.0_f32, f32::max);
    let middle = width / 2.0;
    let left = boxes.iter().filter(|rect| rect.x1 <= middle + body_size).count();
    let right = boxes.iter().filter(|rect| rect.x0 >= middle - body_size).count();
    let two_columns = width > 0.0
        && boxes.len() >= 20
        && left * 10 >= boxes.len() * 4
        && right * 10 >= boxes.len() * 4
        && boxes.iter().filter(|rect| rect.width() > width * 0.3).count() * 2 > boxes.len();
    let symmetric = |column: Column| -> Column {
        // Short lines only: the right margin does not show, and is taken to be as wide as the left one.
        let shown = boxes.iter().filter(|rect| (rect.x1 - column.right).abs() < body_size * 0.6).count() >= 2;
        let wide = column.right - column.left > width * 0.55;
        let mirrored = width - column.left;
        if width > 0.0 && !(shown && wide) {
            Column { right: column.right.max(mirrored), ..column }
        } else {
            column
        }
    };
    let columns: Vec<Column> = if two_columns {
        let (a, b): (Vec<Rect>, Vec<Rect>) = boxes.iter().partition(|rect| rect.center_x() < middle);
        [a, b].iter().filter_map(|half| margins(half, body_size)).collect()
    } else {
        margins(&boxes, body_size).map(symmetric).into_iter().collect()
    };
    let shows_edge = columns.first().is_some_and(|column| {
        let at_edge = |rect: &&Rect| rect.x1 > column.right - 2.5 * body_size && rect.width() > 0.5 * width;
        boxes.iter().filter(at_edge).count() >= EDGE_LINES
    });
    PageMetrics { columns, size: [width.round() as i32, height.round() as i32], height, bottom, shows_edge }
}

/// Left edge: the leftmost place where at least two lines begin. Right edge: the rightmost place where lines end.
fn margins(boxes: &[Rect], body_size: f32) -> Option<Column> {
    if boxes.is_empty() {
        return None;
    }
    let mut lefts: Vec<f32> = boxes.iter().map(|rect| rect.x0).collect();
    let mut rights: Vec<f32> = boxes.iter().map(|rect| rect.x1).collect();
    lefts.sort_by(f32::total_cmp);
    rights.sort_by(|a, b| b.total_cmp(a));
    let shared = |edges: &[f32]| {
        edges
            .windows(2)
            .find(|pair| (pair[0] - pair[1]).abs() < body_size * 0.6)
            .map(|pair| pair[0])
            .or_else(|| edges.first().copied())
    };
    Some(Column { left: shared(&lefts)?, right: shared(&rights)? })
}

/// The column that most pages of this size have, where they have one column a page.
fn usual_column(pages: &[PageMetrics], size: [i32; 2]) -> Option<Column> {
    let alike = || pages.iter().filter(|page| page.size == size && page.columns.len() == 1);
    let single = || alike().filter_map(|page| page.columns.first());
    let left = mode(single().map(|column| (column.left, 1)))?;
    let right = mode(single().map(|column| (column.right, 1)))?;
    (right > left).then_some(Column { left, right })
}

/// A page with little text (the end of a chapter, a page of tables) does not show its margins: it borrows those of the
/// other pages when its own lie inside them.
fn lend_margins(page: &mut PageMetrics, usual: Option<Column>, body_size: f32) {
    let Some(usual) = usual else { return };
    if page.columns.len() > 1 {
        return;
    }
    match page.columns.first_mut() {
        Some(own) => {
            let shift_fits = own.left >= usual.left - body_size && own.right <= usual.right + body_size;
            if shift_fits {
                own.left = own.left.min(usual.left);
                if !page.shows_edge {
                    own.right = own.right.max(usual.right);
                }
            }
        }
        None => page.columns.push(usual),
    }
}

fn leading(sheets: &[Sheet], body_size: f32) -> f32 {
    let mut steps = Vec::new();
    for sheet in sheets {
        let boxes: Vec<(Rect, f32)> = sheet
            .items
            .iter()
            .filter_map(Item::line)
            .filter_map(|line| Some((line.bbox?, line.size.unwrap_or(body_size))))
            .collect();
        for pair in boxes.windows(2) {
            let ((a, size_a), (b, size_b)) = (pair[0], pair[1]);
            let step = b.y0 - a.y0;
            let body = (size_a - body_size).abs() < 0.6 && (size_b - body_size).abs() < 0.6;
            if body && step > body_size * 0.8 && step < body_size * 4.0 {
                steps.push((step, 1));
            }
        }
    }
    mode(steps.into_iter()).unwrap_or(body_size * 1.6)
}

/// The most frequent value, values within a quarter of a unit counted together; the smaller one on a tie.
fn mode(values: impl Iterator<Item = (f32, usize)>) -> Option<f32> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for (value, weight) in values {
        *counts.entry((f64::from(value) * 4.0).round() as i64).or_default() += weight;
    }
    let (bucket, _) = counts.into_iter().rev().max_by_key(|(_, count)| *count)?;
    Some(bucket as f32 / 4.0)
}
