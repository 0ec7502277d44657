//! Rules drawn in a picture: long dark runs of pixels, for scanned pages that have no drawn paths.
//!
//! Works on pixels alone; knows nothing of words, cells or models. A scan may be askew by a degree or two: rules are
//! found all the same, and the slope is given so that words and rules can be put straight together.

use crate::recognize::Picture;
use crate::tables::{Axis, Rule};

/// Shortest level rule, in points: longer than any stroke of body text.
const MIN_LEVEL: f32 = 20.0;
/// Shortest upright rule, in points: the height of a table row.
const MIN_UPRIGHT: f32 = 13.0;
/// A rule is no thicker than this, in points; what is thicker is a bar or a picture.
const MAX_WIDTH: f32 = 4.0;
/// Holes in a rule that are passed over, in points.
const MAX_GAP: f32 = 0.8;
/// A slope below this is none: half a pixel over the width of a page.
const STRAIGHT: f32 = 0.0004;
/// Pieces found on one page before the search stops: a page of dense shading is no table.
const MAX_PIECES: usize = 20_000;

/// The rules of a picture and how far they slope.
#[derive(Debug, Default)]
pub(crate) struct Ruling {
    /// Rules in points, put straight.
    pub rules: Vec<Rule>,
    /// Rise of level rules, downwards to the right.
    pub slope: f32,
}

/// Finds the rules of a picture. `size` is its size in points.
pub(crate) fn find(picture: &Picture, size: [f32; 2]) -> Ruling {
    let Some(dark) = Dark::of(picture) else { return Ruling::default() };
    let per_point = [dark.width as f32 / size[0].max(1.0), dark.height as f32 / size[1].max(1.0)];
    let level = pieces(&dark, Axis::Level, per_point);
    let upright = pieces(&dark, Axis::Upright, [per_point[1], per_point[0]]);
    let slope = slope(&level, &upright);
    let center = [size[0] / 2.0, size[1] / 2.0];
    let mut rules = Vec::with_capacity(level.len() + upright.len());
    for (axis, list) in [(Axis::Level, level), (Axis::Upright, upright)] {
        for piece in list {
            let [along, across] = match axis {
                Axis::Level => per_point,
                Axis::Upright => [per_point[1], per_point[0]],
            };
            let middle = (piece.first + piece.last) as f32 / 2.0 / along;
            let position = piece.at((piece.first + piece.last) as f32 / 2.0) / across;
            let (x, y) = match axis {
                Axis::Level => (middle, position),
                Axis::Upright => (position, middle),
            };
            let [x, y] = straightened([x, y], slope, center);
            let half = (piece.last + 1 - piece.first) as f32 / 2.0 / along;
            let (position, middle) = match axis {
                Axis::Level => (y, x),
                Axis::Upright => (x, y),
            };
            rules.push(Rule::new(axis, position, middle - half, middle + half, piece.thickness() / across));
        }
    }
    Ruling { rules, slope }
}

/// A place of a page that slopes, put straight around its middle.
pub(crate) fn straightened(place: [f32; 2], slope: f32, center: [f32; 2]) -> [f32; 2] {
    let (dx, dy) = (place[0] - center[0], place[1] - center[1]);
    [place[0] + slope * dy, place[1] - slope * dx]
}

/// Which pixels are ink.
struct Dark {
    width: usize,
    height: usize,
    pixels: Vec<bool>,
}

impl Dark {
    fn of(picture: &Picture) -> Option<Self> {
        let (width, height) = (picture.width as usize, picture.height as usize);
        let count = width.checked_mul(height).filter(|count| *count > 0)?;
        let luma: Vec<u8> = picture
            .rgb
            .chunks_exact(3)
            .take(count)
            .map(|pixel| {
                let sum: u32 =
                    pixel.iter().zip([77, 150, 29]).map(|(part, weight)| u32::from(*part) * weight).sum();
                (sum >> 8) as u8
            })
            .collect();
        if luma.len() < count {
            return None;
        }
        let limit = ink_limit(&luma);
        Some(Self { width, height, pixels: luma.iter().map(|value| *value < limit).collect() })
    }

    /// Whether the pixel at a place along and across an axis is dark.
    fn at(&self, axis: Axis, along: usize, across: usize) -> bool {
        let at = match axis {
            Axis::Level => across * self.width + along,
            Axis::Upright => along * self.width + across,
        };
        self.pixels.get(at).copied().unwrap_or(false)
    }
}

/// Ink is clearly darker than the paper, which most of a page is. Thin rules of a scan are grey, never black.
fn ink_limit(luma: &[u8]) -> u8 {
    let mut histogram = [0_usize; 256];
    for value in luma {
        histogram[usize::from(*value)] += 1;
    }
    let mut seen = 0;
    let paper = histogram.iter().enumerate().find(|(_, count)| {
        seen += **count;
        seen * 2 >= luma.len()
    });
    let paper = paper.map_or(255, |(value, _)| value);
    (paper * 4 / 5) as u8
}

/// Dark runs in neighbouring rows (or columns) that overlap: one rule, as far as pixels tell.
struct Piece {
    /// First and last place along the axis.
    first: usize,
    last: usize,
    /// Place across the axis where it was last seen.
    latest: usize,
    /// Run that it was last seen in.
    open: (usize, usize),
    mass: f64,
    /// Moments for the line through its pixels.
    sum_along: f64,
    sum_across: f64,
    sum_square: f64,
    sum_product: f64,
}

impl Piece {
    fn new(run: (usize, usize), across: usize) -> Self {
        let mut piece = Self {
            first: run.0,
            last: run.1,
            latest: across,
            open: run,
            mass: 0.0,
            sum_along: 0.0,
            sum_across: 0.0,
            sum_square: 0.0,
            sum_product: 0.0,
        };
        piece.add(run, across);
        piece
    }

    fn add(&mut self, run: (usize, usize), across: usize) {
        self.first = self.first.min(run.0);
        self.last = self.last.max(run.1);
        self.latest = across;
        self.open = run;
        let count = (run.1 - run.0 + 1) as f64;
        let middle = (run.0 + run.1) as f64 / 2.0;
        let across = across as f64;
        self.mass += count;
        self.sum_along += count * middle;
        self.sum_across += count * across;
        self.sum_square += count * (middle * middle + (count * count - 1.0) / 12.0);
        self.sum_product += count * middle * across;
    }

    fn length(&self) -> usize {
        self.last + 1 - self.first
    }

    fn thickness(&self) -> f32 {
        (self.mass / self.length() as f64) as f32
    }

    fn slope(&self) -> f32 {
        let spread = self.sum_square - self.sum_along * self.sum_along / self.mass;
        let product = self.sum_product - self.sum_along * self.sum_across / self.mass;
        if spread > 0.0 { (product / spread) as f32 } else { 0.0 }
    }

    /// Where it lies across the axis, at a place along it. The middle of a pixel is half a pixel in.
    fn at(&self, along: f32) -> f32 {
        let (middle, across) = (self.sum_along / self.mass, self.sum_across / self.mass);
        across as f32 + 0.5 + self.slope() * (along - middle as f32)
    }
}

/// Straight dark pieces that run along an axis. `per_point` is pixels along and across it.
fn pieces(dark: &Dark, axis: Axis, per_point: [f32; 2]) -> Vec<Piece> {
    let (length, lines, shortest) = match axis {
        Axis::Level => (dark.width, dark.height, MIN_LEVEL),
        Axis::Upright => (dark.height, dark.width, MIN_UPRIGHT),
    };
    let gap = (MAX_GAP * per_point[0]).round() as usize;
    // A rule that slopes crosses rows of pixels: each row shows a part of it.
    let part = ((shortest * per_point[0] / 2.0) as usize).max(8);
    let whole = (shortest * per_point[0]) as usize;
    let widest = (MAX_WIDTH * per_point[1]).max(3.0);
    let mut done: Vec<Piece> = Vec::new();
    let mut open: Vec<Piece> = Vec::new();
    for across in 0..lines {
        for run in runs(dark, axis, across, length, gap, part) {
            let room = open.len() + done.len() < MAX_PIECES;
            let joins = open
                .iter_mut()
                .find(|piece| piece.open.0 <= run.1 + gap + 1 && run.0 <= piece.open.1 + gap + 1);
            match joins {
                Some(piece) => piece.add(run, across),
                None if room => open.push(Piece::new(run, across)),
                None => {}
            }
        }
        let mut still = Vec::with_capacity(open.len());
        for piece in open.drain(..) {
            if piece.latest + 1 < across { done.push(piece) } else { still.push(piece) }
        }
        open = still;
    }
    done.extend(open);
    done.retain(|piece| piece.length() >= whole && piece.thickness() <= widest && piece.slope().abs() < 0.05);
    done
}

/// Dark runs of a row or column that are long enough, small holes passed over.
fn runs(
    dark: &Dark,
    axis: Axis,
    across: usize,
    length: usize,
    gap: usize,
    shortest: usize,
) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut current: Option<(usize, usize)> = None;
    for along in 0..length {
        if !dark.at(axis, along, across) {
            continue;
        }
        match &mut current {
            Some((_, last)) if along - *last <= gap + 1 => *last = along,
            _ => {
                found.extend(current.take().filter(|(first, last)| last + 1 - first >= shortest));
                current = Some((along, along));
            }
        }
    }
    found.extend(current.filter(|(first, last)| last + 1 - first >= shortest));
    found
}

/// How far the page slopes: the median of its rules, weighted by their length. Upright rules slope the other way.
fn slope(level: &[Piece], upright: &[Piece]) -> f32 {
    let mut slopes: Vec<(f32, usize)> = level
        .iter()
        .map(|piece| (piece.slope(), piece.length()))
        .chain(upright.iter().map(|piece| (-piece.slope(), piece.length())))
        .collect();
    slopes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: usize = slopes.iter().map(|(_, length)| length).sum();
    let mut seen = 0;
    let median = slopes.iter().find(|(_, length)| {
        seen += length;
        seen * 2 >= total
    });
    median.map(|(slope, _)| *slope).filter(|slope| slope.abs() > STRAIGHT).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// White paper of 400 × 300 points at two pixels a point, with lines drawn in grey at a slope.
    fn sheet(lines: &[[f32; 4]], slope: f32) -> Picture {
        let (width, height) = (800_usize, 600_usize);
        let mut rgb = vec![250; width * height * 3];
        for [x0, y0, x1, y1] in lines {
            let steps = ((x1 - x0).abs().max((y1 - y0).abs()) * 4.0) as usize;
            for step in 0..=steps {
                let t = step as f32 / steps as f32;
                let (x, y) = (x0 + t * (x1 - x0), y0 + t * (y1 - y0));
                // The inverse of putting straight.
                let (dx, dy) = (x - 200.0, y - 150.0);
                let (px, py) = ((x - slope * dy) * 2.0, (y + slope * dx) * 2.0);
                for row in 0..2 {
                    for column in 0..2 {
                        let at = ((py as usize + row) * width + px as usize + column) * 3;
                        rgb[at..at + 3].fill(120);
                    }
                }
            }
        }
        Picture { width: width as u32, height: height as u32, rgb }
    }

    fn grid() -> Vec<[f32; 4]> {
        let level = [50.0, 80.0, 110.0].map(|y| [60.0, y, 340.0, y]);
        let upright = [60.0, 150.0, 340.0].map(|x| [x, 50.0, x, 110.0]);
        level.into_iter().chain(upright).collect()
    }

    fn positions(rules: &[Rule], axis: Axis) -> Vec<i32> {
        let mut all: Vec<i32> =
            rules.iter().filter(|rule| rule.axis == axis).map(|rule| rule.position.round() as i32).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn grey_rules_are_found_where_they_are_drawn() {
        let ruling = find(&sheet(&grid(), 0.0), [400.0, 300.0]);
        assert!(ruling.slope.abs() < 1e-6);
        assert_eq!(positions(&ruling.rules, Axis::Level), [51, 81, 111]);
        assert_eq!(positions(&ruling.rules, Axis::Upright), [61, 151, 341]);
        let top = ruling.rules.iter().find(|rule| rule.axis == Axis::Level).unwrap();
        assert!((top.start - 60.0).abs() < 1.5 && (top.end - 341.0).abs() < 1.5, "{top:?}");
    }

    #[test]
    fn a_sheet_askew_is_put_straight() {
        for slope in [0.01, -0.02] {
            let ruling = find(&sheet(&grid(), slope), [400.0, 300.0]);
            assert!((ruling.slope - slope).abs() < 0.002, "{} for {slope}", ruling.slope);
            let level = positions(&ruling.rules, Axis::Level);
            assert_eq!(level.len(), 3, "{:?}", ruling.rules);
            for (found, wanted) in level.iter().zip([50, 80, 110]) {
                assert!((found - wanted).abs() <= 1, "{level:?}");
            }
            assert_eq!(positions(&ruling.rules, Axis::Upright).len(), 3);
        }
    }

    #[test]
    fn short_strokes_and_black_bars_are_no_rules() {
        let mut picture = sheet(&[[50.0, 50.0, 62.0, 50.0], [50.0, 70.0, 50.0, 79.0]], 0.0);
        for row in 300..360 {
            picture.rgb[(row * 800 + 100) * 3..(row * 800 + 500) * 3].fill(0);
        }
        assert!(find(&picture, [400.0, 300.0]).rules.is_empty());
    }

    #[test]
    fn an_empty_or_broken_picture_has_none() {
        let none = |picture: &Picture| find(picture, [400.0, 300.0]).rules.is_empty();
        assert!(none(&Picture { width: 0, height: 0, rgb: Vec::new() }));
        assert!(none(&Picture { width: 10, height: 10, rgb: vec![0; 5] }));
        assert!(none(&Picture { width: 50, height: 50, rgb: vec![255; 7500] }));
    }
}
