//! The picture of a page, for reading what its text does not say.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_interpret::font::{FontData, FontQuery};
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use hayro_syntax::page::Page;

use crate::pdf::engine::{Drawn, FallbackFont, bounded_scale};
use crate::recognize::Picture;

/// Longest side of the picture in pixels; larger pages are drawn at a lower resolution.
const MAX_SIDE: f32 = 4000.0;

/// Draws the page. `size` is its size in points as shown. None when the page has no drawable extent.
pub(super) fn draw<'a>(
    page: &'a Page<'a>,
    size: [f32; 2],
    dots_per_inch: f32,
    fallback_font: Option<&FallbackFont>,
) -> Option<Drawn> {
    let (width, height) = page.render_dimensions();
    if !(width >= 1.0 && height >= 1.0) {
        return None;
    }
    // UserUnit makes the page larger than its content's coordinates say.
    let unit = size[0] / width;
    let scale = unit * bounded_scale(size, dots_per_inch, MAX_SIDE);
    let missing = Arc::new(AtomicBool::new(false));
    let (font, seen) = (fallback_font.cloned(), Arc::clone(&missing));
    let settings = InterpreterSettings {
        font_resolver: Arc::new(move |query| match query {
            FontQuery::Standard(standard) => Some(standard.get_font_data()),
            FontQuery::Fallback(query) if query.character_collection.is_some() => {
                if let Some(font) = &font {
                    let data: FontData = font.data.clone();
                    return Some((data, font.index));
                }
                seen.store(true, Ordering::Relaxed);
                Some(query.pick_standard_font().get_font_data())
            }
            FontQuery::Fallback(query) => Some(query.pick_standard_font().get_font_data()),
        }),
        ..InterpreterSettings::default()
    };
    let pixmap = hayro::render(
        page,
        &RenderCache::new(),
        &settings,
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
    Some(Drawn { picture: Picture { width, height, rgb }, font_missing: missing.load(Ordering::Relaxed) })
}
