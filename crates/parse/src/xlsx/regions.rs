//! Groups of cells that touch: the tables of a sheet.

use std::collections::BTreeSet;

use super::cells::Grid;
use crate::Limits;

/// A rectangle of cells, borders included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    /// First row.
    pub top: u32,
    /// First column.
    pub left: u32,
    /// Last row.
    pub bottom: u32,
    /// Last column.
    pub right: u32,
}

impl Region {
    /// Number of rows, first and last included.
    pub fn rows(&self) -> u32 {
        self.bottom - self.top + 1
    }

    /// Number of columns, first and last included.
    pub fn cols(&self) -> u32 {
        self.right - self.left + 1
    }

    fn holds(&self, (row, col): (u32, u32)) -> bool {
        (self.top..=self.bottom).contains(&row) && (self.left..=self.right).contains(&col)
    }
}

/// The regions of a sheet, in the order of their first cells. Cells touch when they share a side; a merged range is one
/// cell in this.
pub(crate) fn find(grid: &Grid, limits: &Limits) -> Vec<Region> {
    let mut visited: BTreeSet<(u32, u32)> = BTreeSet::new();
    let mut regions: Vec<Region> = Vec::new();
    // Regions with gaps that reach below the current row; no other can hold a cell to come.
    let mut active: Vec<Region> = Vec::new();
    let mut row = 0;
    for start in grid.cells() {
        if visited.contains(&start) || grid.is_covered(start.0, start.1) {
            continue;
        }
        if start.0 != row {
            row = start.0;
            active.retain(|region| region.bottom >= row);
        }
        // A cell inside the rectangle of a region is shown there, touching or not.
        if active.iter().any(|region| region.holds(start)) {
            continue;
        }
        let before = visited.len();
        let region = flood(grid, start, &mut visited, limits);
        let filled = (visited.len() - before) as u64 == u64::from(region.rows()) * u64::from(region.cols());
        if !filled {
            active.push(region);
        }
        regions.push(region);
    }
    regions
}

fn flood(grid: &Grid, start: (u32, u32), visited: &mut BTreeSet<(u32, u32)>, limits: &Limits) -> Region {
    let mut region = Region { top: start.0, left: start.1, bottom: start.0, right: start.1 };
    let mut open = vec![start];
    visited.insert(start);
    while let Some((row, col)) = open.pop() {
        region.top = region.top.min(row);
        region.left = region.left.min(col);
        region.bottom = region.bottom.max(row);
        region.right = region.right.max(col);
        let neighbours = [
            row.checked_sub(1).map(|row| (row, col)),
            col.checked_sub(1).map(|col| (row, col)),
            Some((row + 1, col)),
            Some((row, col + 1)),
        ];
        for next in neighbours.into_iter().flatten() {
            if grid.is_used(next.0, next.1) && visited.len() <= limits.max_cells * 4 && visited.insert(next) {
                open.push(next);
            }
        }
    }
    region
}
