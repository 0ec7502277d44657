//! Where the lines of a picture are.
//!
//! The network gives, for each pixel, how likely it lies in the core of a line. Pixels over a threshold are joined to
//! regions; the smallest tilted box around a region, grown by what the core was shrunk, is the line.

use std::sync::Arc;

use regreader_parse::recognize::Picture;
use rten::ThreadPool;

use crate::EngineError;
use crate::crop::planes;
use crate::geometry::{Patch, Tilted};
use crate::regions::regions;
use crate::runtime::{Net, Output};

/// The network wants sides of a multiple of this.
const BLOCK: f32 = 32.0;
/// Longest side that is looked at; lines of 9-point text are 14 pixels high then.
const MAX_SIDE: f32 = 1280.0;
/// Shorter pictures than this are enlarged: letters must not be dots.
const MIN_SIDE: f32 = 736.0;
/// From here on a pixel lies in a line.
const THRESHOLD: f32 = 0.3;
/// A box whose pixels mean less is no line.
const BOX_THRESHOLD: f32 = 0.5;
/// How much larger a line is than its core: area over perimeter, times this.
const GROWTH: f32 = 1.6;
/// Cores thinner than this are noise.
const MIN_CORE: f32 = 3.0;

/// Finds lines.
pub struct Detector {
    net: Net,
}

impl Detector {
    /// A detector from its network.
    pub fn new(net: Net) -> Self {
        Self { net }
    }

    /// The lines of a picture, top to bottom by their first pixel.
    pub fn find(&self, picture: &Picture, pool: &Arc<ThreadPool>) -> Result<Vec<Patch>, EngineError> {
        let [width, height] = map_size(picture);
        let (w, h) = (picture.width as f32, picture.height as f32);
        let whole = Patch { corner: [0.0, 0.0], right: [w, 0.0], down: [0.0, h] };
        let input = planes(picture, &whole, height, width, width);
        let Output { shape, data } = self.net.run(height, width, input, pool)?;
        if shape != [1, 1, height, width] {
            return Err(EngineError::new("detection", format!("it gives a map of shape {shape:?}")));
        }
        let scale = [w / width as f32, h / height as f32];
        Ok(boxes(&data, width).iter().map(|found| Patch::of(found, scale)).collect())
    }
}

/// Size of the map for a picture: whole blocks, within the bounds.
fn map_size(picture: &Picture) -> [usize; 2] {
    let (w, h) = (picture.width as f32, picture.height as f32);
    let fit = (MAX_SIDE / w.max(h)).min(1.0);
    let ratio = if w.min(h) * fit < MIN_SIDE { (MIN_SIDE / w.min(h)).min(MAX_SIDE / w.max(h)) } else { fit };
    [w, h].map(|side| ((side * ratio / BLOCK).round().max(1.0) * BLOCK) as usize)
}

/// Boxes of the lines in a map of probabilities.
fn boxes(map: &[f32], width: usize) -> Vec<Tilted> {
    let mut found = Vec::new();
    for region in regions(&mask(map, width), width) {
        let Some(core) = Tilted::around(&region) else { continue };
        if core.width.min(core.height) < MIN_CORE || mean_in(&core, map, width) < BOX_THRESHOLD {
            continue;
        }
        let distance = core.width * core.height * GROWTH / (2.0 * (core.width + core.height));
        let mut line = core.grown(distance);
        // Pixel numbers name the pixels' corners; the line lies around their middles.
        line.center = [line.center[0] + 0.5, line.center[1] + 0.5];
        if line.width.min(line.height) >= MIN_CORE + 2.0 {
            found.push(line);
        }
    }
    found
}

/// Pixels over the threshold, thickened by one so that a broken core stays one line.
fn mask(map: &[f32], width: usize) -> Vec<bool> {
    let set = |at: Option<usize>| at.and_then(|at| map.get(at)).is_some_and(|value| *value > THRESHOLD);
    (0..map.len())
        .map(|at| {
            let left = (at % width.max(1) != 0).then(|| at - 1);
            let up = at.checked_sub(width);
            set(Some(at)) || set(left) || set(up) || set(left.and_then(|left| left.checked_sub(width)))
        })
        .collect()
}

/// Mean of the map over the pixels of a box.
fn mean_in(tilted: &Tilted, map: &[f32], width: usize) -> f32 {
    let height = map.len().checked_div(width).unwrap_or(0);
    let bounds = tilted.bounds();
    let span = |low: f32, high: f32, limit: usize| {
        (low.floor().max(0.0) as usize)..((high.ceil().max(0.0) as usize + 1).min(limit))
    };
    let (mut sum, mut count) = (0.0, 0_u32);
    for y in span(bounds.y0, bounds.y1, height) {
        for x in span(bounds.x0, bounds.x1, width) {
            if tilted.contains([x as f32, y as f32]) {
                sum += map.get(y * width + x).copied().unwrap_or(0.0);
                count += 1;
            }
        }
    }
    if count == 0 { 0.0 } else { sum / count as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A map with level cores at given places (x, y, width, height).
    fn map(width: usize, height: usize, cores: &[(usize, usize, usize, usize, f32)]) -> Vec<f32> {
        let mut map = vec![0.02; width * height];
        for &(x, y, w, h, value) in cores {
            for row in y..y + h {
                map[row * width + x..row * width + x + w].fill(value);
            }
        }
        map
    }

    #[test]
    fn cores_become_lines_grown_by_what_they_were_shrunk() {
        let map = map(200, 100, &[(20, 20, 100, 8, 0.9), (20, 60, 60, 10, 0.8)]);
        let lines = boxes(&map, 200);
        assert_eq!(lines.len(), 2);
        // 8 rows thickened by one are 8 steps high and 100 wide: 800 · 1.6 / 216 is 5.9 on every side.
        assert!((lines[0].height - 19.85).abs() < 0.1, "{:?}", lines[0]);
        assert!(
            (lines[0].center[0] - 70.5).abs() < 0.6 && (lines[0].center[1] - 24.5).abs() < 0.6,
            "{:?}",
            lines[0]
        );
    }

    #[test]
    fn faint_and_tiny_regions_are_no_lines() {
        let map = map(200, 100, &[(20, 20, 100, 8, 0.4), (20, 60, 2, 2, 0.9)]);
        assert!(boxes(&map, 200).is_empty());
    }

    #[test]
    fn pictures_are_fitted_to_whole_blocks_within_bounds() {
        let size = |width, height| map_size(&Picture { width, height, rgb: Vec::new() });
        assert_eq!(size(1654, 2339), [896, 1280]);
        assert_eq!(size(300, 200), [1120, 736]);
        assert_eq!(size(20_000, 20), [1280, 32]);
    }
}
