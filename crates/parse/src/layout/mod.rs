//! Page geometry that does not care where it came from: glyphs or recognised lines into words, rows and reading order.
//!
//! Knows nothing of PDF operators or pictures, and nothing of what the lines mean.

mod lines;
mod order;
mod words;

pub(crate) use lines::{Row, Segment, may_be_columns, narrow_gutter, rows_of, segments_of, usual_size};
pub(crate) use order::{Item, regions};
pub(crate) use words::{SOFT_HYPHEN, Word, join_words, words_of};

use regreader_model::Rect;

/// A character with its place on the page as shown: origin top left, y downwards, in points.
#[derive(Debug, Clone, Copy)]
pub struct Glyph {
    /// The character; U+FFFD when the file does not say which.
    pub ch: char,
    /// Pen position on the baseline where the glyph begins.
    pub x: f32,
    /// Pen position on the baseline where the glyph begins.
    pub y: f32,
    /// How far the pen moves along the line.
    pub advance: f32,
    /// Font size in points as shown.
    pub size: f32,
    /// Which way its line runs.
    pub turn: Turn,
    /// Set in a heavy face.
    pub bold: bool,
}

/// Which way a line of text runs on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// Left to right.
    Level,
    /// Bottom to top.
    Up,
    /// Right to left, upside down.
    Over,
    /// Top to bottom.
    Down,
    /// Slanted: a watermark.
    Slanted,
}

impl Turn {
    pub(crate) const UPRIGHT: [Self; 4] = [Self::Level, Self::Up, Self::Over, Self::Down];

    /// The turn of a line whose direction is (dx, dy), y downwards.
    pub fn of_direction(dx: f64, dy: f64) -> Self {
        // tan 11°: scans that were set straight by hand stay under it, watermarks over it.
        const TILT: f64 = 0.2;
        if dy.abs() <= TILT * dx.abs() {
            if dx >= 0.0 { Self::Level } else { Self::Over }
        } else if dx.abs() <= TILT * dy.abs() {
            if dy >= 0.0 { Self::Down } else { Self::Up }
        } else {
            Self::Slanted
        }
    }

    /// A point of the page in the frame where lines of this turn run left to right.
    pub(crate) fn to_frame(self, x: f32, y: f32, size: [f32; 2]) -> (f32, f32) {
        match self {
            Self::Level | Self::Slanted => (x, y),
            Self::Up => (size[1] - y, x),
            Self::Over => (size[0] - x, size[1] - y),
            Self::Down => (y, size[0] - x),
        }
    }

    /// A box of that frame back on the page.
    pub(crate) fn to_page(self, rect: &Rect, size: [f32; 2]) -> Rect {
        match self {
            Self::Level | Self::Slanted => *rect,
            Self::Up => Rect::new(rect.y0, size[1] - rect.x0, rect.y1, size[1] - rect.x1),
            Self::Over => {
                Rect::new(size[0] - rect.x0, size[1] - rect.y0, size[0] - rect.x1, size[1] - rect.y1)
            }
            Self::Down => Rect::new(size[0] - rect.y0, rect.x0, size[0] - rect.y1, rect.x1),
        }
    }

    /// A box of the page in the frame.
    pub(crate) fn rect_to_frame(self, rect: &Rect, size: [f32; 2]) -> Rect {
        let (xa, ya) = self.to_frame(rect.x0, rect.y0, size);
        let (xb, yb) = self.to_frame(rect.x1, rect.y1, size);
        Rect::new(xa, ya, xb, yb)
    }
}

/// Share of the font size above the baseline. Declared ascents are too often wrong to be of use.
pub(crate) const ASCENT: f32 = 0.8;
/// Share of the font size below the baseline.
pub(crate) const DESCENT: f32 = 0.2;

/// Whether a character belongs to a script set without spaces between words. Full-width Latin letters and digits do
/// not: they make words and numbers.
pub(crate) fn is_cjk(c: char) -> bool {
    is_wide(c)
        && !matches!(u32::from(c), 0xFF0D..=0xFF0F | 0xFF10..=0xFF19 | 0xFF21..=0xFF3A | 0xFF41..=0xFF5A)
}

/// Whether a character is as wide as its type is high.
pub(crate) fn is_wide(c: char) -> bool {
    matches!(u32::from(c),
        0x2E80..=0x303F | 0x3040..=0x30FF | 0x3100..=0x312F | 0x31A0..=0x31EF | 0x3200..=0x4DBF
        | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0xFE30..=0xFE4F | 0xFF00..=0xFF60 | 0x2_0000..=0x3_FFFF)
}
