//! Parts of a picture as numbers for a network: sampled along a line, however it is tilted.

use regreader_parse::recognize::Picture;

use crate::geometry::Patch;

/// A part of a picture drawn into `height` rows of `width` pixels, as three planes (blue, green, red: the order that
/// the models were trained with) of numbers from -1 to 1. Pixels beyond `filled` columns are 0.
pub fn planes(picture: &Picture, patch: &Patch, height: usize, width: usize, filled: usize) -> Vec<f32> {
    let mut data = vec![0.0; 3 * height * width];
    let filled = filled.clamp(1, width.max(1));
    // Where the picture is finer than the strip, several samples are averaged: one would skip strokes.
    let step = (patch.width() / filled as f32, patch.height() / height.max(1) as f32);
    let samples = [step.0, step.1].map(|step| (step.ceil() as usize).clamp(1, 4));
    let share = 1.0 / (samples[0] * samples[1]) as f32;
    for row in 0..height {
        for column in 0..filled {
            let mut sum = [0.0; 3];
            for j in 0..samples[1] {
                for i in 0..samples[0] {
                    let u = (column as f32 + (i as f32 + 0.5) / samples[0] as f32) / filled as f32;
                    let v = (row as f32 + (j as f32 + 0.5) / samples[1] as f32) / height as f32;
                    let pixel = sample(picture, patch.at(u, v));
                    for (sum, part) in sum.iter_mut().zip(pixel) {
                        *sum += part;
                    }
                }
            }
            for (plane, sum) in sum.iter().rev().enumerate() {
                if let Some(slot) = data.get_mut((plane * height + row) * width + column) {
                    *slot = sum * share / 127.5 - 1.0;
                }
            }
        }
    }
    data
}

/// The colour at a place between pixels; the edge goes on beyond the picture.
fn sample(picture: &Picture, place: [f32; 2]) -> [f32; 3] {
    let (width, height) = (picture.width as usize, picture.height as usize);
    // A pixel's colour is that of its middle.
    let x = (place[0] - 0.5).clamp(0.0, width.saturating_sub(1) as f32);
    let y = (place[1] - 0.5).clamp(0.0, height.saturating_sub(1) as f32);
    let (left, top) = (x as usize, y as usize);
    let (right, bottom) = ((left + 1).min(width.saturating_sub(1)), (top + 1).min(height.saturating_sub(1)));
    let (fx, fy) = (x - left as f32, y - top as f32);
    let pixel = |x: usize, y: usize| -> [f32; 3] {
        let at = (y * width + x) * 3;
        match picture.rgb.get(at..at + 3) {
            Some(&[r, g, b]) => [f32::from(r), f32::from(g), f32::from(b)],
            _ => [255.0; 3],
        }
    };
    let (a, b, c, d) = (pixel(left, top), pixel(right, top), pixel(left, bottom), pixel(right, bottom));
    [0, 1, 2].map(|i| {
        let upper = a[i] + (b[i] - a[i]) * fx;
        let lower = c[i] + (d[i] - c[i]) * fx;
        upper + (lower - upper) * fy
    })
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "pure colours are exactly 1 and -1")]
mod tests {
    use super::*;

    /// A picture that is white on the left half and red on the right.
    fn picture() -> Picture {
        let mut rgb = Vec::new();
        for _ in 0..8 {
            for x in 0..16 {
                rgb.extend(if x < 8 { [255, 255, 255] } else { [255, 0, 0] });
            }
        }
        Picture { width: 16, height: 8, rgb }
    }

    #[test]
    fn a_part_is_drawn_as_planes_in_the_models_order() {
        let whole = Patch { corner: [0.0, 0.0], right: [16.0, 0.0], down: [0.0, 8.0] };
        let data = planes(&picture(), &whole, 4, 10, 8);
        let at = |plane: usize, row: usize, column: usize| data[(plane * 4 + row) * 10 + column];
        assert_eq!((at(0, 1, 1), at(1, 1, 1), at(2, 1, 1)), (1.0, 1.0, 1.0), "white");
        assert_eq!(
            (at(0, 1, 6), at(1, 1, 6), at(2, 1, 6)),
            (-1.0, -1.0, 1.0),
            "red: blue and green are dark"
        );
        assert_eq!((at(0, 1, 9), at(2, 3, 8)), (0.0, 0.0), "beyond the part");
    }

    #[test]
    fn a_part_read_from_the_other_end_is_mirrored_twice() {
        let whole = Patch { corner: [0.0, 0.0], right: [16.0, 0.0], down: [0.0, 8.0] }.upside_down();
        let data = planes(&picture(), &whole, 4, 8, 8);
        assert_eq!((data[0], data[7]), (-1.0, 1.0));
    }

    #[test]
    fn a_place_outside_the_picture_is_its_edge() {
        let outside = Patch { corner: [-50.0, -50.0], right: [10.0, 0.0], down: [0.0, 10.0] };
        assert!(planes(&picture(), &outside, 2, 2, 2).iter().all(|value| (*value - 1.0).abs() < 1e-6));
    }
}
