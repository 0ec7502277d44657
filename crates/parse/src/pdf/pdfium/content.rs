//! What a page holds, as PDFium tells it: characters of its text, painted paths, pictures, links.

use hayro_font::kurbo::{Affine, Point};
use pdfium_render::prelude::{
    PdfColor, PdfMatrix, PdfPage, PdfPageObject, PdfPageObjectCommon, PdfPageObjectsCommon,
    PdfPageRenderRotation, PdfPageTextChar, PdfPageTextRenderMode, PdfPathFillMode, PdfPathSegmentType,
    PdfPathSegments, PdfRect,
};
use regreader_model::{Link, PageNumber, Rect};

use crate::Limits;
use crate::layout::{Glyph, Turn};
use crate::pdf::engine::{PageContent, names_heavy_face};
use crate::pdf::paths::{PathBuilder, bounding_box};

/// Objects of a page that are looked at, forms within forms included.
const MAX_OBJECTS: usize = 2_000_000;
/// Links of a page, and pictures.
const MAX_ENTRIES: usize = 10_000;
/// What PDFium gives for a hyphen at the end of a line.
const LINE_END_HYPHEN: u32 = 2;

/// Reads a page.
pub(super) fn read(page: &PdfPage<'_>, limits: &Limits) -> PageContent {
    let size = [page.width().value, page.height().value].map(|side| side.clamp(1.0, 1e6));
    let mut reader = Reader {
        transform: placement(page, size),
        frame: Rect::new(0.0, 0.0, size[0], size[1]),
        limits,
        objects: MAX_OBJECTS,
        content: PageContent {
            size,
            label: page.label().filter(|label| !label.is_empty()).map(str::to_owned),
            ..PageContent::default()
        },
    };
    reader.characters(page);
    for object in page.objects().iter() {
        reader.object(&object, reader.transform, 0);
    }
    reader.links(page);
    reader.content
}

/// The transform from the page's own coordinates to the page as shown.
fn placement(page: &PdfPage<'_>, size: [f32; 2]) -> Affine {
    let whole = PdfRect::new_from_values(0.0, 0.0, size[1], size[0]);
    let shown = page.boundaries().bounding().map_or(whole, |boundary| boundary.bounds);
    let [x0, y0, x1, y1] =
        [shown.left(), shown.bottom(), shown.right(), shown.top()].map(|v| f64::from(v.value));
    Affine::new(match page.rotation().unwrap_or(PdfPageRenderRotation::None) {
        PdfPageRenderRotation::None => [1.0, 0.0, 0.0, -1.0, -x0, y1],
        PdfPageRenderRotation::Degrees90 => [0.0, 1.0, 1.0, 0.0, -y0, -x0],
        PdfPageRenderRotation::Degrees180 => [-1.0, 0.0, 0.0, 1.0, x1, -y0],
        PdfPageRenderRotation::Degrees270 => [0.0, -1.0, -1.0, 0.0, y1, x1],
    })
}

struct Reader<'l> {
    transform: Affine,
    /// The page as shown.
    frame: Rect,
    limits: &'l Limits,
    objects: usize,
    content: PageContent,
}

impl Reader<'_> {
    fn characters(&mut self, page: &PdfPage<'_>) {
        let Ok(text) = page.text() else {
            self.content.skipped = Some("the page's text");
            return;
        };
        // The last character's place as PDFium tells it: the letters of a ligature all get the same one.
        let mut shared: Option<(Glyph, usize)> = None;
        for character in text.chars().iter() {
            if self.content.glyphs.len() >= self.limits.max_chars_per_page {
                self.content.stopped = Some("characters on one page");
                return;
            }
            // Spaces and line ends that PDFium puts between words have no place; gaps say the same.
            if character.is_generated().unwrap_or(false) {
                continue;
            }
            let Some(glyph) = self.glyph(&character) else { continue };
            self.content.undeclared += 1;
            self.content.unmapped += usize::from(glyph.ch == '\u{FFFD}');
            self.content.invisible += usize::from(matches!(
                character.render_mode(),
                Ok(PdfPageTextRenderMode::Invisible | PdfPageTextRenderMode::InvisibleClipping)
            ));
            match &mut shared {
                Some((first, count)) if is_same_place(first, &glyph) => {
                    *count += 1;
                    let (first, count) = (*first, *count);
                    self.content.glyphs.push(glyph);
                    spread(&mut self.content.glyphs, first, count);
                }
                _ => {
                    shared = Some((glyph, 1));
                    self.content.glyphs.push(glyph);
                }
            }
        }
    }

    fn glyph(&self, character: &PdfPageTextChar<'_>) -> Option<Glyph> {
        let ch = match character.unicode_value() {
            LINE_END_HYPHEN => '-',
            value => char::from_u32(value).filter(|c| !is_private(*c)).unwrap_or('\u{FFFD}'),
        };
        if ch.is_control() {
            return None;
        }
        let matrix = character.matrix().ok()?;
        let place = self.transform * linear(&matrix);
        let [a, b, c, d, ..] = place.as_coeffs();
        let along = a.hypot(b);
        if along <= 0.0 {
            return None;
        }
        let size = ((a * d - b * c).abs() / along) as f32 * character.unscaled_font_size().value.abs();
        let turn = Turn::of_direction(a, b);
        let (x, y) = character.origin().ok()?;
        let origin = self.transform * Point::new(x.value.into(), y.value.into());
        let advance = self.length(&character.loose_bounds().ok()?, turn);
        let glyph = Glyph {
            ch,
            x: origin.x as f32,
            y: origin.y as f32,
            advance,
            size,
            turn,
            bold: is_bold(character),
        };
        let sound = glyph.x.is_finite() && glyph.y.is_finite() && advance.is_finite() && size.is_finite();
        let shown = self.frame.contains(glyph.x + 0.5 * advance.min(1.0), glyph.y - 0.3 * size)
            || turn != Turn::Level;
        (sound && shown && size > 0.0).then_some(glyph)
    }

    /// How far a box reaches along a line of this turn.
    fn length(&self, area: &PdfRect, turn: Turn) -> f32 {
        self.place(area).map_or(0.0, |area| match turn {
            Turn::Up | Turn::Down => area.height(),
            _ => area.width(),
        })
    }

    fn place(&self, area: &PdfRect) -> Option<Rect> {
        bounding_box(self.transform, corners(area).into_iter())
    }

    fn object(&mut self, object: &PdfPageObject<'_>, transform: Affine, depth: usize) {
        if self.objects == 0 || self.content.stopped.is_some() {
            self.content.stopped.get_or_insert("objects on one page");
            return;
        }
        self.objects -= 1;
        match object {
            PdfPageObject::Path(path) => {
                let Ok(matrix) = path.matrix() else { return };
                let mut builder = PathBuilder::default();
                add_segments(&mut builder, &path.segments());
                let filled = !matches!(path.fill_mode(), Ok(PdfPathFillMode::None) | Err(_));
                let stroked = path.is_stroked().unwrap_or(false);
                let width = stroked.then(|| path.stroke_width().map_or(1.0, |width| width.value));
                let white = path.fill_color().is_ok_and(is_white);
                let clip = self.clip(object, transform);
                self.paint(&builder, transform * affine(&matrix), width, (filled, white), &clip);
            }
            PdfPageObject::Image(image) => {
                let Ok(matrix) = image.matrix() else { return };
                let unit = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
                let clip = self.clip(object, transform);
                if let Some(area) = bounding_box(transform * affine(&matrix), unit.into_iter()) {
                    let shown = intersect(&area, &clip);
                    if shown.width() > 0.5
                        && shown.height() > 0.5
                        && self.content.pictures.len() < MAX_ENTRIES
                    {
                        self.content.pictures.push(shown);
                    }
                }
            }
            PdfPageObject::XObjectForm(form) => {
                if depth >= self.limits.max_depth.min(40) {
                    self.content.skipped = Some("nested forms");
                    return;
                }
                let Ok(matrix) = form.matrix() else { return };
                for index in 0..form.len() {
                    if let Ok(inner) = form.get(index) {
                        self.object(&inner, transform * affine(&matrix), depth + 1);
                    }
                }
            }
            PdfPageObject::Shading(_) => self.content.paths += 1,
            PdfPageObject::Text(_) | PdfPageObject::Unsupported(_) => {}
        }
    }

    fn paint(
        &mut self,
        path: &PathBuilder,
        transform: Affine,
        width: Option<f32>,
        (filled, white): (bool, bool),
        clip: &Rect,
    ) {
        if path.is_empty() || !(filled || width.is_some()) {
            return;
        }
        let content = &mut self.content;
        content.paths += 1;
        let most = self.limits.max_rules_per_page;
        let room = most.saturating_sub(content.rules.len());
        path.rules(transform, width, filled, clip, room, &mut content.rules);
        if filled && !white && content.fills.len() < most {
            path.areas(transform, clip, &mut content.fills);
        }
        if content.rules.len() >= most {
            content.stopped.get_or_insert("rules on one page");
        }
    }

    /// The part of the page where an object shows.
    fn clip(&self, object: &PdfPageObject<'_>, transform: Affine) -> Rect {
        let mut clip = self.frame;
        let Some(path) = object.get_clip_path() else { return clip };
        for segments in path.iter() {
            let mut builder = PathBuilder::default();
            add_segments(&mut builder, &segments);
            if let Some(bounds) = builder.bounds(transform) {
                clip = intersect(&clip, &bounds);
            }
        }
        clip
    }

    fn links(&mut self, page: &PdfPage<'_>) {
        for link in page.links().iter().take(MAX_ENTRIES) {
            let action = link.action();
            let uri = action.as_ref().and_then(|action| action.as_uri_action()?.uri().ok());
            let index = match link.destination() {
                Some(destination) => destination.page_index().ok(),
                None => action.as_ref().and_then(|action| {
                    action.as_local_destination_action()?.destination().ok()?.page_index().ok()
                }),
            };
            let page_num = index.and_then(|i| usize::try_from(i).ok()).map(PageNumber::from_index);
            let bbox = link.rect().ok().and_then(|area| self.place(&area));
            if uri.is_some() || page_num.is_some() {
                self.content.links.push(Link { bbox, page_num, uri });
            }
        }
    }
}

/// The letters of a ligature are given the very same place; nothing else is.
fn is_same_place(a: &Glyph, b: &Glyph) -> bool {
    (a.x - b.x).abs() < f32::EPSILON && (a.y - b.y).abs() < f32::EPSILON && a.turn == b.turn
}

/// Sets the last `count` glyphs side by side over the place that they share.
fn spread(glyphs: &mut [Glyph], first: Glyph, count: usize) {
    let step = first.advance / count as f32;
    let from = glyphs.len().saturating_sub(count);
    for (index, glyph) in glyphs.iter_mut().skip(from).enumerate() {
        let shift = step * index as f32;
        glyph.advance = step;
        (glyph.x, glyph.y) = match first.turn {
            Turn::Level | Turn::Slanted => (first.x + shift, first.y),
            Turn::Over => (first.x - shift, first.y),
            Turn::Up => (first.x, first.y - shift),
            Turn::Down => (first.x, first.y + shift),
        };
    }
}

fn is_bold(character: &PdfPageTextChar<'_>) -> bool {
    if names_heavy_face(character.font_name().as_bytes()) || character.font_is_bold_reenforced() {
        return true;
    }
    // Stroked as well as filled with a line thick enough to be meant as bold.
    matches!(character.render_mode(), Ok(PdfPageTextRenderMode::FilledThenStroked))
        && character
            .text_object()
            .and_then(|object| object.stroke_width())
            .is_ok_and(|width| width.value > 0.02 * character.unscaled_font_size().value.abs())
}

fn add_segments<'a>(builder: &mut PathBuilder, segments: &impl PdfPathSegments<'a>) {
    // A curve is three points of which only the last lies on it.
    let mut control = 0;
    for index in 0..segments.len() {
        let Ok(segment) = segments.get(index) else { break };
        let (x, y) = (f64::from(segment.x().value), f64::from(segment.y().value));
        match segment.segment_type() {
            PdfPathSegmentType::MoveTo => builder.move_to(x, y),
            PdfPathSegmentType::LineTo => builder.line_to(x, y),
            PdfPathSegmentType::BezierTo => {
                control = (control + 1) % 3;
                if control == 0 {
                    builder.curve_to(x, y);
                }
            }
            PdfPathSegmentType::Unknown => {}
        }
        if segment.is_close() {
            builder.close();
        }
    }
}

fn is_private(c: char) -> bool {
    matches!(u32::from(c), 0xE000..=0xF8FF | 0xFFFE..=0xFFFF | 0xF_0000..=0x10_FFFF)
}

fn is_white(color: PdfColor) -> bool {
    [color.red(), color.green(), color.blue()].iter().all(|part| *part >= 253)
}

fn affine(matrix: &PdfMatrix) -> Affine {
    let values = [matrix.a(), matrix.b(), matrix.c(), matrix.d(), matrix.e(), matrix.f()];
    Affine::new(values.map(f64::from))
}

fn linear(matrix: &PdfMatrix) -> Affine {
    let values = [matrix.a(), matrix.b(), matrix.c(), matrix.d(), 0.0, 0.0];
    Affine::new(values.map(f64::from))
}

fn corners(area: &PdfRect) -> [(f64, f64); 4] {
    let [x0, y0, x1, y1] =
        [area.left(), area.bottom(), area.right(), area.top()].map(|side| f64::from(side.value));
    [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
}

fn intersect(a: &Rect, b: &Rect) -> Rect {
    let (x0, y0) = (a.x0.max(b.x0), a.y0.max(b.y0));
    Rect { x0, y0, x1: a.x1.min(b.x1).max(x0), y1: a.y1.min(b.y1).max(y0) }
}
