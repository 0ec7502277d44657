//! Points, the smallest tilted box around them, and boxes as places in a picture.

use regreader_model::Rect;

/// A place.
pub type Point = [f32; 2];

/// A box that may be tilted, by its middle, the direction of its width, and its lengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tilted {
    /// Middle of the box, in pixels.
    pub center: Point,
    /// Unit vector along the width; never points left.
    pub along: Point,
    /// Length along that vector.
    pub width: f32,
    /// Length across it.
    pub height: f32,
}

impl Tilted {
    /// The smallest box around some points. None for fewer than two different points.
    pub fn around(points: &[Point]) -> Option<Self> {
        let hull = hull(points);
        if hull.len() < 2 {
            return None;
        }
        let mut best: Option<(f32, Self)> = None;
        for (at, &from) in hull.iter().enumerate() {
            let to = hull.get((at + 1) % hull.len()).copied().unwrap_or(from);
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            let length = dx.hypot(dy);
            if length < 1e-6 {
                continue;
            }
            let candidate = Self::with_side([dx / length, dy / length], &hull);
            let area = candidate.width * candidate.height;
            // Ties go to the first side, so that the same points always give the same box.
            if best.is_none_or(|(smallest, _)| area < smallest - 1e-3) {
                best = Some((area, candidate));
            }
        }
        best.map(|(_, tilted)| tilted)
    }

    /// The box around points with one side in a given direction.
    fn with_side(side: Point, points: &[Point]) -> Self {
        // Of the four directions of a box the one closest to level is its width.
        let mut along = if side[0].abs() >= side[1].abs() { side } else { [-side[1], side[0]] };
        if along[0] < 0.0 {
            along = [-along[0], -along[1]];
        }
        let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
        for point in points {
            let seen = [point[0] * along[0] + point[1] * along[1], point[1] * along[0] - point[0] * along[1]];
            for axis in 0..2 {
                low[axis] = low[axis].min(seen[axis]);
                high[axis] = high[axis].max(seen[axis]);
            }
        }
        let (u, v) = (f32::midpoint(low[0], high[0]), f32::midpoint(low[1], high[1]));
        let center = [u * along[0] - v * along[1], u * along[1] + v * along[0]];
        Self { center, along, width: high[0] - low[0], height: high[1] - low[1] }
    }

    /// The box grown by a distance on every side.
    pub fn grown(&self, by: f32) -> Self {
        Self { width: self.width + 2.0 * by, height: self.height + 2.0 * by, ..*self }
    }

    /// Whether a place lies in the box.
    pub fn contains(&self, point: Point) -> bool {
        let (dx, dy) = (point[0] - self.center[0], point[1] - self.center[1]);
        let u = dx * self.along[0] + dy * self.along[1];
        let v = dy * self.along[0] - dx * self.along[1];
        u.abs() <= self.width / 2.0 && v.abs() <= self.height / 2.0
    }

    /// The upright box around it.
    pub fn bounds(&self) -> Rect {
        let [c, s] = [self.along[0].abs(), self.along[1].abs()];
        let half = [self.width / 2.0, self.height / 2.0];
        let (x, y) = (half[0] * c + half[1] * s, half[0] * s + half[1] * c);
        Rect {
            x0: self.center[0] - x,
            y0: self.center[1] - y,
            x1: self.center[0] + x,
            y1: self.center[1] + y,
        }
    }
}

/// Part of a picture that holds a line: its first corner and its two sides, in pixels of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patch {
    /// Corner where the line begins, at its top.
    pub corner: Point,
    /// From there along the line.
    pub right: Point,
    /// From there to its bottom.
    pub down: Point,
}

impl Patch {
    /// The place of a box found in a map of the picture that is `scale` times smaller on each axis. A box much taller
    /// than wide holds a line that runs upwards: it is taken from its lower end.
    pub fn of(tilted: &Tilted, scale: [f32; 2]) -> Self {
        let [c, s] = tilted.along;
        let right = [c * tilted.width * scale[0], s * tilted.width * scale[1]];
        let down = [-s * tilted.height * scale[0], c * tilted.height * scale[1]];
        let corner = [
            tilted.center[0] * scale[0] - f32::midpoint(right[0], down[0]),
            tilted.center[1] * scale[1] - f32::midpoint(right[1], down[1]),
        ];
        let level = Self { corner, right, down };
        if level.height() >= 1.5 * level.width() { level.lying() } else { level }
    }

    fn lying(&self) -> Self {
        Self {
            corner: [self.corner[0] + self.right[0], self.corner[1] + self.right[1]],
            right: self.down,
            down: [-self.right[0], -self.right[1]],
        }
        .upside_down()
    }

    /// The same part read from its other end.
    pub fn upside_down(&self) -> Self {
        Self {
            corner: self.at(1.0, 1.0),
            right: [-self.right[0], -self.right[1]],
            down: [-self.down[0], -self.down[1]],
        }
    }

    /// A place in the picture, by its shares of the two sides.
    pub fn at(&self, u: f32, v: f32) -> Point {
        [0, 1].map(|axis| self.corner[axis] + u * self.right[axis] + v * self.down[axis])
    }

    /// Length along the line.
    pub fn width(&self) -> f32 {
        self.right[0].hypot(self.right[1])
    }

    /// Length across it.
    pub fn height(&self) -> f32 {
        self.down[0].hypot(self.down[1])
    }

    /// Whether the line runs up or down the picture.
    pub fn is_upright(&self) -> bool {
        self.right[1].abs() > self.right[0].abs()
    }

    /// The box that the line takes: as high as the line itself when it is only askew, so that neighbours on a page
    /// that slopes do not overlap; else the upright box around it.
    pub fn bounds(&self) -> Rect {
        if self.right[1].abs() < 0.1 * self.right[0].abs() {
            let (center, half) = (self.at(0.5, 0.5), [self.width() / 2.0, self.height() / 2.0]);
            return Rect {
                x0: center[0] - half[0],
                y0: center[1] - half[1],
                x1: center[0] + half[0],
                y1: center[1] + half[1],
            };
        }
        let corners = [self.at(0.0, 0.0), self.at(1.0, 0.0), self.at(0.0, 1.0), self.at(1.0, 1.0)];
        let fold = |axis: usize, pick: fn(f32, f32) -> f32, start: f32| {
            corners.iter().fold(start, |edge, corner| pick(edge, corner[axis]))
        };
        Rect {
            x0: fold(0, f32::min, f32::MAX),
            y0: fold(1, f32::min, f32::MAX),
            x1: fold(0, f32::max, f32::MIN),
            y1: fold(1, f32::max, f32::MIN),
        }
    }
}

/// The convex hull, counter-clockwise as y grows downwards; Andrew's monotone chain.
fn hull(points: &[Point]) -> Vec<Point> {
    let mut sorted: Vec<Point> = points.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let turn = |o: Point, a: Point, b: Point| (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while let [.., before, last] = chain[..]
                && turn(before, last, point) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut lower = half(&mut sorted.iter().copied());
    lower.extend(half(&mut sorted.iter().rev().copied()));
    lower
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "these places are whole numbers and halves, which floats hold exactly")]
mod tests {
    use super::*;

    fn close(a: f32, b: f32) -> bool {
        (a - b).abs() < 0.01
    }

    /// Corners of a box and points inside it.
    fn cloud(center: Point, width: f32, height: f32, degrees: f32) -> Vec<Point> {
        let (s, c) = degrees.to_radians().sin_cos();
        let mut points = Vec::new();
        for u in [-0.5, -0.2, 0.1, 0.5] {
            for v in [-0.5, 0.0, 0.5] {
                let (x, y) = (u * width, v * height);
                points.push([center[0] + x * c - y * s, center[1] + x * s + y * c]);
            }
        }
        points
    }

    #[test]
    fn the_smallest_box_is_found_however_it_is_tilted() {
        for degrees in [-40.0, -3.0, 0.0, 1.5, 30.0] {
            let tilted = Tilted::around(&cloud([100.0, 50.0], 80.0, 10.0, degrees)).unwrap();
            assert!(close(tilted.width, 80.0) && close(tilted.height, 10.0), "{degrees}: {tilted:?}");
            assert!(close(tilted.center[0], 100.0) && close(tilted.center[1], 50.0), "{degrees}: {tilted:?}");
            assert!(
                close(tilted.along[1].atan2(tilted.along[0]).to_degrees(), degrees),
                "{degrees}: {tilted:?}"
            );
            assert!(
                tilted.contains([100.0, 50.0]) && !tilted.contains([100.0, 59.0]) || degrees.abs() > 20.0
            );
        }
    }

    #[test]
    fn points_on_a_line_and_single_points() {
        let flat = Tilted::around(&[[0.0, 5.0], [3.0, 5.0], [9.0, 5.0]]).unwrap();
        assert!(close(flat.width, 9.0) && close(flat.height, 0.0));
        assert_eq!(Tilted::around(&[[1.0, 1.0], [1.0, 1.0]]), None);
        assert_eq!(Tilted::around(&[]), None);
    }

    #[test]
    fn growing_keeps_the_middle() {
        let tilted = Tilted { center: [10.0, 10.0], along: [1.0, 0.0], width: 8.0, height: 2.0 };
        let bounds = tilted.grown(1.5).bounds();
        assert_eq!((bounds.x0, bounds.y0, bounds.x1, bounds.y1), (4.5, 7.5, 15.5, 12.5));
    }

    #[test]
    fn a_patch_is_scaled_and_can_be_read_from_the_other_end() {
        let tilted = Tilted { center: [10.0, 10.0], along: [1.0, 0.0], width: 8.0, height: 2.0 };
        let patch = Patch::of(&tilted, [2.0, 3.0]);
        assert_eq!(patch.corner, [12.0, 27.0]);
        assert_eq!((patch.width(), patch.height()), (16.0, 6.0));
        assert_eq!(patch.at(1.0, 1.0), [28.0, 33.0]);
        let turned = patch.upside_down();
        assert_eq!((turned.at(0.0, 0.0), turned.at(1.0, 1.0)), ([28.0, 33.0], [12.0, 27.0]));
        assert_eq!(turned.bounds(), patch.bounds());
    }

    #[test]
    fn a_tall_box_is_a_line_that_runs_upwards() {
        let tilted = Tilted { center: [5.0, 20.0], along: [1.0, 0.0], width: 4.0, height: 30.0 };
        let patch = Patch::of(&tilted, [1.0, 1.0]);
        assert_eq!((patch.width(), patch.height()), (30.0, 4.0));
        // It begins at the lower left corner; its top is the left side.
        assert_eq!((patch.at(0.0, 0.0), patch.at(1.0, 0.0)), ([3.0, 35.0], [3.0, 5.0]));
        assert_eq!(patch.bounds(), Rect { x0: 3.0, y0: 5.0, x1: 7.0, y1: 35.0 });
    }
}
