//! Boxes on a page.

use serde::{Deserialize, Serialize};

/// A box in PDF points, origin at the top left of the page as it is shown (after rotation), y downwards.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    /// Left edge.
    pub x0: f32,
    /// Top edge.
    pub y0: f32,
    /// Right edge, never less than `x0`.
    pub x1: f32,
    /// Bottom edge, never less than `y0`.
    pub y1: f32,
}

impl Rect {
    /// The box between two corners, whichever way round they are given.
    ///
    /// ```
    /// use regreader_model::Rect;
    /// assert_eq!(Rect::new(10.0, 20.0, 0.0, 5.0), Rect { x0: 0.0, y0: 5.0, x1: 10.0, y1: 20.0 });
    /// ```
    pub fn new(xa: f32, ya: f32, xb: f32, yb: f32) -> Self {
        Self { x0: xa.min(xb), y0: ya.min(yb), x1: xa.max(xb), y1: ya.max(yb) }
    }

    /// Width in points.
    pub fn width(&self) -> f32 {
        self.x1 - self.x0
    }

    /// Height in points.
    pub fn height(&self) -> f32 {
        self.y1 - self.y0
    }

    /// Middle of the box, horizontally.
    pub fn center_x(&self) -> f32 {
        f32::midpoint(self.x0, self.x1)
    }

    /// Middle of the box, vertically.
    pub fn center_y(&self) -> f32 {
        f32::midpoint(self.y0, self.y1)
    }

    /// The smallest box that holds both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            x0: self.x0.min(other.x0),
            y0: self.y0.min(other.y0),
            x1: self.x1.max(other.x1),
            y1: self.y1.max(other.y1),
        }
    }

    /// Whether the point lies inside or on the edge.
    pub fn contains(&self, x: f32, y: f32) -> bool {
        x >= self.x0 && x <= self.x1 && y >= self.y0 && y <= self.y1
    }
}
