//! How much of a page things take: a rough layout for documents whose page breaks are not recorded.
//!
//! Fonts are not at hand, so line heights are those of usual Chinese fonts; spacing, indents, column widths and the line
//! grid are read from the file.

use regreader_model::RawText;

use crate::ooxml::Element;

/// Width and height for text on an A4 page with the usual margins, in points.
pub(crate) const USUAL_ROOM: Room = Room { width: 415.0, height: 698.0, pitch: None };
/// 五号, the usual size of Chinese text.
const USUAL_SIZE: f32 = 10.5;
/// Height of a single-spaced line over the font size.
const LINE: f32 = 1.35;
/// Left and right cell margins together.
const CELL_PADDING: f32 = 10.8;
const USUAL_PICTURE: f32 = 160.0;

/// What a page has for text, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Room {
    /// Width of a line.
    pub width: f32,
    /// Height of all lines.
    pub height: f32,
    /// Distance of the lines of the grid that East Asian documents snap to.
    pub pitch: Option<f32>,
}

/// How a paragraph is set; none where nothing is said.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Shape {
    before: Option<f32>,
    after: Option<f32>,
    line: Option<Line>,
    indent: Option<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Line {
    Times(f32),
    Exactly(f32),
    AtLeast(f32),
}

impl Shape {
    /// Reads a `pPr`.
    pub fn read(properties: Option<&Element>) -> Self {
        let Some(properties) = properties else { return Self::default() };
        let points = |element: Option<&Element>, name: &str| {
            let twips: f32 = element?.attr(name)?.parse().ok()?;
            twips.is_finite().then_some(twips / 20.0)
        };
        let spacing = properties.child("spacing");
        let line = points(spacing, "line").map(|value| match spacing.and_then(|s| s.attr("lineRule")) {
            Some("exact") => Line::Exactly(value.clamp(1.0, 400.0)),
            Some("atLeast") => Line::AtLeast(value.clamp(0.0, 400.0)),
            // In 240ths of a line: 12 "points" are one line.
            _ => Line::Times((value / 12.0).clamp(0.2, 20.0)),
        });
        let indent = properties.child("ind");
        let left = points(indent, "left").or_else(|| points(indent, "start"));
        let right = points(indent, "right").or_else(|| points(indent, "end"));
        Self {
            before: points(spacing, "before"),
            after: points(spacing, "after"),
            line,
            indent: (left.is_some() || right.is_some()).then(|| left.unwrap_or(0.0) + right.unwrap_or(0.0)),
        }
    }

    /// This shape with what it leaves open taken from another.
    pub fn over(&self, base: &Self) -> Self {
        Self {
            before: self.before.or(base.before),
            after: self.after.or(base.after),
            line: self.line.or(base.line),
            indent: self.indent.or(base.indent),
        }
    }

    fn line_height(&self, size: f32, pitch: Option<f32>) -> f32 {
        let natural = size * LINE;
        let single = pitch.filter(|p| *p > 1.0).map_or(natural, |pitch| (natural / pitch).ceil() * pitch);
        match self.line {
            Some(Line::Exactly(points)) => points,
            Some(Line::AtLeast(points)) => single.max(points),
            Some(Line::Times(times)) => single * times,
            None => single,
        }
    }

    fn around(&self) -> f32 {
        self.before.unwrap_or(0.0).clamp(0.0, 400.0) + self.after.unwrap_or(0.0).clamp(0.0, 400.0)
    }
}

/// Height of a paragraph in points.
pub(crate) fn text(text: &RawText, shape: &Shape, room: Room) -> f32 {
    let size = size_of(text);
    let width = (room.width - shape.indent.unwrap_or(0.0)).max(size * 4.0);
    lines(&text.text, size, width) * shape.line_height(size, room.pitch) + shape.around()
}

/// Height of an empty paragraph in points.
pub(crate) fn blank(size: Option<f32>, shape: &Shape, room: Room) -> f32 {
    shape.line_height(size.unwrap_or(USUAL_SIZE), room.pitch) + shape.around()
}

/// Height of a picture in points.
pub(crate) fn picture(height: Option<f32>, room: Room) -> f32 {
    height.unwrap_or(USUAL_PICTURE).clamp(0.0, room.height)
}

/// What makes the height of a table row: the lines of its fullest cell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RowSize {
    pub lines: f32,
    pub size: f32,
    pub shape: Shape,
    pub around: f32,
    /// Least height, where the row has one.
    pub least: f32,
}

impl RowSize {
    /// Takes a cell into account: its paragraphs in a column of that width, its share of rows.
    pub fn add<'a>(
        &mut self,
        paragraphs: impl Iterator<Item = (&'a RawText, &'a Shape)>,
        width: f32,
        row_span: u32,
    ) {
        let mut own = Self::default();
        for (text, shape) in paragraphs {
            let size = size_of(text);
            own.lines += lines(&text.text, size, (width - CELL_PADDING).max(size * 1.5));
            own.around += shape.around();
            own.size = own.size.max(size);
            own.shape = *shape;
        }
        own.lines /= row_span.max(1) as f32;
        own.around /= row_span.max(1) as f32;
        if own.height(None) > self.height(None) {
            *self = Self { least: self.least, ..own };
        }
    }

    /// Height in points.
    pub fn height(&self, pitch: Option<f32>) -> f32 {
        let size = if self.size > 0.0 { self.size } else { USUAL_SIZE };
        (self.lines.max(1.0) * self.shape.line_height(size, pitch) + self.around).max(self.least)
    }
}

fn size_of(text: &RawText) -> f32 {
    text.size.unwrap_or(USUAL_SIZE).clamp(5.0, 72.0)
}

fn lines(text: &str, size: f32, width: f32) -> f32 {
    text.split('\n')
        .map(|line| {
            let em: f32 = line.chars().map(|c| if c.is_ascii() { 0.5 } else { 1.0 }).sum();
            (em * size / width).ceil().max(1.0)
        })
        .sum()
}
