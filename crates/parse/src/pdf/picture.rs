//! The picture of a page, for reading what its text does not say.

use hayro::hayro_interpret::InterpreterSettings;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use hayro_syntax::page::Page;

use crate::recognize::Picture;

/// Resolution that recognisers are trained for: the text of a standard is 9 to 12 points.
const DOTS_PER_INCH: f32 = 200.0;
/// Longest side of the picture in pixels; larger pages are drawn at a lower resolution.
const MAX_SIDE: f32 = 4000.0;

/// Draws the page. `size` is its size in points as shown. None when the page has no drawable extent.
pub(super) fn render<'a>(page: &'a Page<'a>, size: [f32; 2]) -> Option<Picture> {
    let (width, height) = page.render_dimensions();
    if !(width >= 1.0 && height >= 1.0) {
        return None;
    }
    // UserUnit makes the page larger than its content's coordinates say.
    let unit = size[0] / width;
    let scale = (DOTS_PER_INCH / 72.0 * unit).min(MAX_SIDE / width.max(height));
    let pixmap = hayro::render(
        page,
        &RenderCache::new(),
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE },
    );
    let (width, height) = (u32::from(pixmap.width()), u32::from(pixmap.height()));
    if width == 0 || height == 0 {
        return None;
    }
    let mut rgb = Vec::with_capacity(width as usize * height as usize * 3);
    for pixel in pixmap.data() {
        rgb.extend([pixel.r, pixel.g, pixel.b]);
    }
    Some(Picture { width, height, rgb })
}
