//! Tables from rules and from white space. Works on any words with boxes, whether drawn as text or recognised.

mod fill;
mod lattice;

pub(crate) use fill::{append_line, fill_cells};
pub(crate) use lattice::find_lattices;

use regreader_model::Rect;

/// Which way a rule runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    /// Left to right.
    Level,
    /// Top to bottom.
    Upright,
}

/// A straight line, level or upright.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rule {
    pub axis: Axis,
    /// Where it lies across its axis: y of a level rule, x of an upright one.
    pub position: f32,
    /// Where it begins along its axis.
    pub start: f32,
    /// Where it ends along its axis.
    pub end: f32,
    /// How thick it is.
    pub width: f32,
}

impl Rule {
    pub fn new(axis: Axis, position: f32, a: f32, b: f32, width: f32) -> Self {
        Self { axis, position, start: a.min(b), end: a.max(b), width }
    }

    pub fn length(&self) -> f32 {
        self.end - self.start
    }

    /// The part inside a box, if any.
    pub fn clipped(&self, clip: &Rect) -> Option<Self> {
        let (across, along) = match self.axis {
            Axis::Level => ((clip.y0, clip.y1), (clip.x0, clip.x1)),
            Axis::Upright => ((clip.x0, clip.x1), (clip.y0, clip.y1)),
        };
        let inside = self.position >= across.0 - 1.0 && self.position <= across.1 + 1.0;
        let (start, end) = (self.start.max(along.0), self.end.min(along.1));
        (inside && end > start && self.position.is_finite()).then_some(Self { start, end, ..*self })
    }
}

/// A grid of cells found on a page, not yet filled.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    pub rect: Rect,
    pub rows: u32,
    pub cols: u32,
    pub cells: Vec<GridCell>,
}

/// A cell of a grid.
#[derive(Debug, Clone)]
pub(crate) struct GridCell {
    pub row: u32,
    pub col: u32,
    pub row_span: u32,
    pub col_span: u32,
    pub rect: Rect,
    pub text: String,
}
