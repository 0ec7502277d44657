//! Cells of a sheet by place, as text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::format::Formats;
use crate::ooxml::{Element, Ns, Package, xml};
use crate::{Limits, ParseError};

/// The last row and column that Excel itself has.
const MAX_ROW: u32 = 1_048_575;
const MAX_COL: u32 = 16_383;
/// Merged ranges of one sheet, and the cells they may cover together.
const MAX_MERGES: usize = 100_000;

/// Strings that cells refer to by number.
#[derive(Debug, Default)]
pub(crate) struct SharedStrings {
    list: Vec<Arc<str>>,
}

impl SharedStrings {
    /// Reads the part.
    pub fn read(package: &mut Package<'_>, part: &str, limits: &Limits) -> Result<Self, ParseError> {
        let Some(bytes) = package.read(part)? else { return Ok(Self::default()) };
        let mut list = Vec::new();
        let damage = xml::each_child(&bytes, limits, (Ns::Sheet, "sst"), &mut |item| {
            list.push(Arc::from(rich_text(&item)));
        });
        package.report(part, &damage);
        Ok(Self { list })
    }

    fn get(&self, index: usize) -> Option<Arc<str>> {
        self.list.get(index).cloned()
    }
}

/// Text of an `si` or `is`: plain or in runs, without phonetic guides.
fn rich_text(item: &Element) -> String {
    let mut out = String::new();
    for child in item.children() {
        match &*child.name {
            "t" => out.push_str(&child.text()),
            "r" => out.extend(child.children().filter(|c| &*c.name == "t").map(Element::text)),
            _ => {}
        }
    }
    unescape(&out)
}

/// `_x000D_` stands for a character that XML cannot hold.
fn unescape(text: &str) -> String {
    if !text.contains("_x") {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let code = tail.get(2..6).filter(|_| tail.as_bytes().get(6) == Some(&b'_'));
        match code.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32) {
            Some(character) => {
                if character != '\r' {
                    out.push(character);
                }
                rest = &tail[7..];
            }
            None => {
                out.push_str("_x");
                rest = &tail[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The cells of one sheet that hold something.
#[derive(Debug)]
pub(crate) struct Grid {
    /// Texts by place. Cells that name the same shared string hold it together.
    cells: BTreeMap<(u32, u32), Arc<str>>,
    /// Size of merged ranges by top left cell.
    merges: BTreeMap<(u32, u32), (u32, u32)>,
    /// Cells that a merged range covers, without its top left.
    covered: BTreeSet<(u32, u32)>,
    max_cells: usize,
    next_row: u32,
    /// A limit cut something off.
    pub cut: bool,
}

impl Grid {
    /// A sheet without cells.
    pub fn new(limits: &Limits) -> Self {
        Self {
            cells: BTreeMap::new(),
            merges: BTreeMap::new(),
            covered: BTreeSet::new(),
            max_cells: limits.max_cells,
            next_row: 0,
            cut: false,
        }
    }

    /// Reads a `row`.
    pub fn row(&mut self, element: &Element, strings: &SharedStrings, formats: &Formats) {
        let row = element
            .attr("r")
            .and_then(|r| r.parse::<u32>().ok())
            .and_then(|r| r.checked_sub(1))
            .unwrap_or(self.next_row);
        self.next_row = row.saturating_add(1);
        let mut next_col = 0;
        for cell in element.children().filter(|child| &*child.name == "c") {
            let (row, col) = cell.attr("r").and_then(address).unwrap_or((row, next_col));
            next_col = col.saturating_add(1);
            let text = value(cell, strings, formats);
            if text.trim().is_empty() || row > MAX_ROW || col > MAX_COL {
                continue;
            }
            if self.cells.len() >= self.max_cells {
                self.cut = true;
                return;
            }
            self.cells.insert((row, col), text);
        }
    }

    /// Adds a merged range (`A1:C2`). Only what lies within the used part of the sheet counts.
    pub fn merge(&mut self, range: &str) {
        let Some((from, to)) = range.split_once(':') else { return };
        let (Some((top, left)), Some((bottom, right))) = (address(from), address(to)) else { return };
        let (used_bottom, used_right) = self.used();
        let (bottom, right) = (bottom.min(used_bottom.max(top)), right.min(used_right.max(left)));
        if top > bottom
            || left > right
            || self.merges.len() >= MAX_MERGES
            || self.merges.contains_key(&(top, left))
        {
            return;
        }
        let (rows, cols) = (bottom - top + 1, right - left + 1);
        if self.covered.len() as u64 + u64::from(rows) * u64::from(cols) > self.max_cells as u64 {
            self.cut = true;
            return;
        }
        self.merges.insert((top, left), (rows, cols));
        for row in top..=bottom {
            for col in left..=right {
                if (row, col) != (top, left) {
                    self.covered.insert((row, col));
                }
            }
        }
    }

    /// Last used row and column.
    fn used(&self) -> (u32, u32) {
        let bottom = self.cells.last_key_value().map_or(0, |((row, _), _)| *row);
        let right = self.cells.keys().map(|(_, col)| *col).max().unwrap_or(0);
        (bottom, right)
    }

    /// Text of a cell.
    pub fn text(&self, row: u32, col: u32) -> Option<&str> {
        self.cells.get(&(row, col)).map(AsRef::as_ref)
    }

    /// Cells with text in rows, in order.
    pub fn range(&self, top: u32, bottom: u32) -> impl Iterator<Item = (&(u32, u32), &Arc<str>)> {
        self.cells.range((top, 0)..=(bottom, u32::MAX))
    }

    /// Cells with text, in order.
    pub fn cells(&self) -> impl Iterator<Item = (u32, u32)> {
        self.cells.keys().copied()
    }

    /// Whether a cell holds text or is part of a merged range.
    pub fn is_used(&self, row: u32, col: u32) -> bool {
        let at = (row, col);
        self.cells.contains_key(&at) || self.merges.contains_key(&at) || self.covered.contains(&at)
    }

    /// Whether a merged range covers the cell from above or left.
    pub fn is_covered(&self, row: u32, col: u32) -> bool {
        self.covered.contains(&(row, col))
    }

    /// Rows and columns that a cell covers.
    pub fn span(&self, row: u32, col: u32) -> (u32, u32) {
        self.merges.get(&(row, col)).copied().unwrap_or((1, 1))
    }
}

/// `BC12` as row and column from 0.
fn address(text: &str) -> Option<(u32, u32)> {
    let text = text.trim_start_matches('$');
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    if !(1..=3).contains(&letters) {
        return None;
    }
    let col =
        text[..letters].bytes().fold(0u32, |col, b| col * 26 + u32::from(b.to_ascii_uppercase() - b'A') + 1);
    let row: u32 = text[letters..].trim_start_matches('$').parse().ok()?;
    Some((row.checked_sub(1)?, col - 1))
}

fn value(cell: &Element, strings: &SharedStrings, formats: &Formats) -> Arc<str> {
    let raw = || cell.child("v").map(Element::text).unwrap_or_default();
    match cell.attr("t") {
        Some("s") => {
            let shared = raw().trim().parse().ok().and_then(|index| strings.get(index));
            return shared.unwrap_or_default();
        }
        Some("inlineStr") => cell.child("is").map(rich_text).unwrap_or_default(),
        Some("str") => unescape(&raw()),
        Some("b") => if raw().trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
        Some("e" | "d") => raw(),
        _ => {
            let raw = raw();
            let style = cell.attr("s").and_then(|s| s.parse().ok()).unwrap_or(0);
            match raw.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => formats.show(number, style),
                _ => raw,
            }
        }
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_escapes() {
        assert_eq!(address("A1"), Some((0, 0)));
        assert_eq!(address("$BC$12"), Some((11, 54)));
        assert_eq!(address("12"), None);
        assert_eq!(address("A0"), None);
        assert_eq!(unescape("a_x000D_\nb_x0041_c_xyz_"), "a\nbAc_xyz_");
    }
}
