//! Tables from rules and from white space. Works on any words with boxes, whether drawn as text or recognised.

mod bands;
mod chunks;
mod columns;
mod fill;
mod frame;
mod lattice;
mod panels;
mod refine;
mod shading;
mod signs;
mod stream;

pub(crate) use fill::{append_line, fill_cells};
pub(crate) use frame::{Aside, unframe};
pub(crate) use lattice::find_lattices;
pub(crate) use panels::settle_panels;
pub(crate) use refine::refine;
pub(crate) use shading::shaded_rules;
pub(crate) use signs::settle_signs;
pub(crate) use stream::find_streams;

use std::collections::HashMap;

use regreader_model::Rect;

/// Which way a rule runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Left to right.
    Level,
    /// Top to bottom.
    Upright,
}

/// A straight line, level or upright.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Which way it runs.
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
    /// A rule from `a` to `b` along its axis, in either order.
    pub fn new(axis: Axis, position: f32, a: f32, b: f32, width: f32) -> Self {
        Self { axis, position, start: a.min(b), end: a.max(b), width }
    }

    /// How long it is.
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

impl Grid {
    /// Finds cells by place without looking at each of them.
    pub fn index(&self) -> CellIndex {
        let edges = |of: fn(&GridCell) -> [f32; 2]| {
            let mut all: Vec<f32> = self.cells.iter().flat_map(of).collect();
            all.sort_by(f32::total_cmp);
            all.dedup();
            all
        };
        let (xs, ys) =
            (edges(|cell| [cell.rect.x0, cell.rect.x1]), edges(|cell| [cell.rect.y0, cell.rect.y1]));
        let place = |edges: &[f32], value: f32| edges.partition_point(|edge| *edge < value);
        let mut slots = HashMap::new();
        for (number, cell) in self.cells.iter().enumerate() {
            for row in place(&ys, cell.rect.y0)..place(&ys, cell.rect.y1) {
                for column in place(&xs, cell.rect.x0)..place(&xs, cell.rect.x1) {
                    // A damaged grid may overlap itself: the first cell keeps the place.
                    slots.entry((row, column)).or_insert(number);
                }
            }
        }
        CellIndex { xs, ys, slots }
    }
}

/// Which cell of a grid lies at a place.
pub(crate) struct CellIndex {
    xs: Vec<f32>,
    ys: Vec<f32>,
    slots: HashMap<(usize, usize), usize>,
}

impl CellIndex {
    /// Number of the cell at a place.
    pub fn at(&self, x: f32, y: f32) -> Option<usize> {
        let column = self.xs.partition_point(|edge| *edge <= x).checked_sub(1)?;
        let row = self.ys.partition_point(|edge| *edge <= y).checked_sub(1)?;
        self.slots.get(&(row, column)).copied()
    }
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
