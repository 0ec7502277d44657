//! What the three office formats share: the zip package with its limits, XML trees, formulas, charts, symbol
//! fonts, and tables cut at page borders.
//!
//! Owns the safety of unpacking. Must not know paragraphs, slides or sheets.

pub(crate) mod chart;
pub(crate) mod math;
pub(crate) mod package;
pub(crate) mod segment;
pub(crate) mod symbol;
pub(crate) mod xml;

pub(crate) use package::{Package, Relations};
pub(crate) use xml::{Element, Ns};

/// Points per English Metric Unit, the length unit of drawings.
pub(crate) const POINTS_PER_EMU: f32 = 1.0 / 12_700.0;
