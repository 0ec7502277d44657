//! Painted paths as far as tables need them: level and upright rules, and filled boxes.

use hayro_font::kurbo::{Affine, Point};
use regreader_model::Rect;

use crate::tables::{Axis, Rule};

/// Filled boxes thinner than this are rules.
const MAX_RULE_WIDTH: f32 = 3.0;
/// A segment leaning less than this over its length is level or upright.
const MAX_LEAN: f32 = 0.6;
/// Points kept of one path; longer ones are drawings.
const MAX_POINTS: usize = 20_000;

/// A path under construction, as straight pieces. Curves are remembered only as breaks.
#[derive(Default)]
pub(super) struct PathBuilder {
    subpaths: Vec<Subpath>,
    points: usize,
}

#[derive(Default)]
struct Subpath {
    points: Vec<(f64, f64)>,
    /// For each piece between two points: whether it is straight.
    straight: Vec<bool>,
    closed: bool,
}

impl PathBuilder {
    pub fn clear(&mut self) {
        self.subpaths.clear();
        self.points = 0;
    }

    pub fn is_empty(&self) -> bool {
        self.subpaths.is_empty()
    }

    pub fn move_to(&mut self, x: f64, y: f64) {
        if self.take(1) {
            self.subpaths.push(Subpath { points: vec![(x, y)], ..Subpath::default() });
        }
    }

    pub fn line_to(&mut self, x: f64, y: f64) {
        self.piece(x, y, true);
    }

    pub fn curve_to(&mut self, x: f64, y: f64) {
        self.piece(x, y, false);
    }

    fn piece(&mut self, x: f64, y: f64, straight: bool) {
        let start = match self.subpaths.last() {
            Some(last) if last.closed => last.points.first().copied(),
            Some(_) => None,
            None => return,
        };
        if let Some((sx, sy)) = start {
            self.move_to(sx, sy);
        }
        if self.take(1)
            && let Some(last) = self.subpaths.last_mut()
        {
            last.points.push((x, y));
            last.straight.push(straight);
        }
    }

    pub fn close(&mut self) {
        if let Some(last) = self.subpaths.last_mut() {
            last.closed = true;
        }
    }

    pub fn rect(&mut self, x: f64, y: f64, width: f64, height: f64) {
        if self.take(4) {
            self.subpaths.push(Subpath {
                points: vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height)],
                straight: vec![true; 3],
                closed: true,
            });
        }
    }

    fn take(&mut self, points: usize) -> bool {
        self.points += points;
        self.points <= MAX_POINTS
    }

    /// Box around the whole path on the page.
    pub fn bounds(&self, transform: Affine) -> Option<Rect> {
        bounding_box(transform, self.subpaths.iter().flat_map(|sub| sub.points.iter().copied()))
    }

    /// Adds the rules that painting the path shows: its level and upright pieces when stroked, its thin boxes
    /// when filled.
    pub fn rules(
        &self,
        transform: Affine,
        stroke_width: Option<f32>,
        filled: bool,
        clip: &Rect,
        room: usize,
        out: &mut Vec<Rule>,
    ) {
        let [a, b, c, d, ..] = transform.as_coeffs();
        let scale = (a * d - b * c).abs().sqrt() as f32;
        let mut room = room;
        let mut push = |rule: Rule| {
            if room > 0
                && let Some(rule) = rule.clipped(clip)
            {
                room -= 1;
                out.push(rule);
            }
        };
        for sub in &self.subpaths {
            let points: Vec<(f32, f32)> = sub.points.iter().map(|p| map(transform, *p)).collect();
            if let Some(width) = stroke_width {
                let width = (width * scale).max(0.1);
                let closing = (sub.closed && points.len() > 2).then_some(true);
                let ends = points.iter().skip(1).chain(points.first().filter(|_| closing.is_some()));
                let straight = sub.straight.iter().copied().chain(closing);
                for ((from, to), straight) in points.iter().zip(ends).zip(straight) {
                    if straight && let Some(rule) = segment(*from, *to, width) {
                        push(rule);
                    }
                }
            } else if filled
                && sub.straight.iter().all(|s| *s)
                && let Some(rule) = thin_box(&points)
            {
                push(rule);
            }
        }
    }

    /// Adds the filled boxes that are too thick to be rules.
    pub fn areas(&self, transform: Affine, clip: &Rect, out: &mut Vec<Rect>) {
        for sub in &self.subpaths {
            if !(4..=5).contains(&sub.points.len()) || !sub.straight.iter().all(|s| *s) {
                continue;
            }
            let points: Vec<(f32, f32)> = sub.points.iter().map(|p| map(transform, *p)).collect();
            let Some(area) = upright_box(&points) else { continue };
            let area = Rect {
                x0: area.x0.max(clip.x0),
                y0: area.y0.max(clip.y0),
                x1: area.x1.min(clip.x1),
                y1: area.y1.min(clip.y1),
            };
            if area.width() > MAX_RULE_WIDTH && area.height() > MAX_RULE_WIDTH {
                out.push(area);
            }
        }
    }
}

/// Box around points on the page; None without points or with coordinates beyond reason.
pub(super) fn bounding_box(transform: Affine, points: impl Iterator<Item = (f64, f64)>) -> Option<Rect> {
    let mut bounds: Option<Rect> = None;
    for point in points {
        let (x, y) = map(transform, point);
        if !(x.is_finite() && y.is_finite()) {
            return None;
        }
        let here = Rect { x0: x, y0: y, x1: x, y1: y };
        bounds = Some(bounds.map_or(here, |b| b.union(&here)));
    }
    bounds
}

fn map(transform: Affine, (x, y): (f64, f64)) -> (f32, f32) {
    let p = transform * Point::new(x, y);
    (p.x as f32, p.y as f32)
}

fn segment((xa, ya): (f32, f32), (xb, yb): (f32, f32), width: f32) -> Option<Rule> {
    let (dx, dy) = ((xb - xa).abs(), (yb - ya).abs());
    // A very short, very thick stroke is a box drawn the other way round.
    if width > MAX_RULE_WIDTH && width > dx.max(dy) {
        let half = width / 2.0;
        return if dx >= dy {
            thin_box(&[(xa, ya - half), (xb, ya - half), (xb, ya + half), (xa, ya + half)])
        } else {
            thin_box(&[(xa - half, ya), (xa + half, ya), (xa + half, yb), (xa - half, yb)])
        };
    }
    if dy <= MAX_LEAN && dx > dy {
        Some(Rule::new(Axis::Level, f32::midpoint(ya, yb), xa, xb, width))
    } else if dx <= MAX_LEAN && dy > dx {
        Some(Rule::new(Axis::Upright, f32::midpoint(xa, xb), ya, yb, width))
    } else {
        None
    }
}

fn upright_box(points: &[(f32, f32)]) -> Option<Rect> {
    let points = match points {
        [a, b, c, d] => [*a, *b, *c, *d],
        [a, b, c, d, e] if (a.0 - e.0).abs() < 0.1 && (a.1 - e.1).abs() < 0.1 => [*a, *b, *c, *d],
        _ => return None,
    };
    let x0 = points.iter().map(|p| p.0).fold(f32::INFINITY, f32::min);
    let x1 = points.iter().map(|p| p.0).fold(f32::NEG_INFINITY, f32::max);
    let y0 = points.iter().map(|p| p.1).fold(f32::INFINITY, f32::min);
    let y1 = points.iter().map(|p| p.1).fold(f32::NEG_INFINITY, f32::max);
    let near = |v: f32, lo: f32, hi: f32| (v - lo).abs() <= MAX_LEAN || (v - hi).abs() <= MAX_LEAN;
    let upright = points.iter().all(|(x, y)| near(*x, x0, x1) && near(*y, y0, y1));
    (upright && x0.is_finite() && y1.is_finite()).then_some(Rect { x0, y0, x1, y1 })
}

fn thin_box(points: &[(f32, f32)]) -> Option<Rule> {
    let area =
        if let [(xa, ya), (xb, yb)] = points { Rect::new(*xa, *ya, *xb, *yb) } else { upright_box(points)? };
    let (width, height) = (area.width(), area.height());
    if height <= MAX_RULE_WIDTH && width >= height {
        Some(Rule::new(Axis::Level, area.center_y(), area.x0, area.x1, height))
    } else if width <= MAX_RULE_WIDTH && height > width {
        Some(Rule::new(Axis::Upright, area.center_x(), area.y0, area.y1, width))
    } else {
        None
    }
}
