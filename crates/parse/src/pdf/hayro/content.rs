//! Walks the content of a page and collects glyphs, rules, filled areas and pictures with their places.
//!
//! A walker of its own rather than the renderer's interpreter: text needs fonts, matrices and clips but no colours,
//! and only here can the work a hostile page causes be counted and stopped.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_font::kurbo::Affine;
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction as Op;
use hayro_syntax::object::{
    Array, Dict, Number, Object, ObjectIdentifier, Stream, String as PdfString, dict_or_stream,
};
use hayro_syntax::page::Resources;
use regreader_model::Rect;

use super::font::{Fonts, PdfFont};
use super::{guard, text_string};
use crate::layout::{Glyph, Turn};
use crate::limits::Limits;
use crate::pdf::engine::PageContent;
use crate::pdf::paths::{PathBuilder, bounding_box};

/// Groups of optional content that are switched off.
pub(super) type HiddenGroups = std::collections::HashSet<ObjectIdentifier>;

/// The walk over one page.
pub(super) struct Walker<'w, 'a> {
    pub content: PageContent,
    fonts: &'w mut Fonts<'a>,
    hidden: &'w HiddenGroups,
    limits: &'w Limits,
    page: Rect,
    budget: Budget,
    /// Visibility of the marked-content sequences that are open, and where replaced text began.
    marks: Vec<Mark>,
}

/// Work a page may still cause.
struct Budget {
    operations: u64,
    forms: u32,
    bytes: u64,
}

struct Mark {
    visible: bool,
    actual_text: Option<(String, usize)>,
}

#[derive(Clone)]
struct State<'a> {
    ctm: Affine,
    clip: Rect,
    line_width: f32,
    /// Fills are white: they hide, they do not show.
    white: bool,
    font: Option<Rc<PdfFont<'a>>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    scale: f64,
    leading: f64,
    rise: f64,
    mode: i64,
}

/// Text rendering mode of text that is there to be found, not seen.
const INVISIBLE: i64 = 3;
/// Operations on one page. Dense engineering drawings stay under a million.
const MAX_OPERATIONS: u64 = 8_000_000;
/// Form invocations on one page; nested forms multiply.
const MAX_FORMS: u32 = 20_000;
/// Saved graphics states.
const MAX_STATES: usize = 512;

impl<'w, 'a> Walker<'w, 'a> {
    pub fn new(
        fonts: &'w mut Fonts<'a>,
        hidden: &'w HiddenGroups,
        limits: &'w Limits,
        size: [f32; 2],
    ) -> Self {
        Self {
            content: PageContent { size, ..PageContent::default() },
            fonts,
            hidden,
            limits,
            page: Rect::new(0.0, 0.0, size[0], size[1]),
            budget: Budget { operations: MAX_OPERATIONS, forms: MAX_FORMS, bytes: limits.max_part_bytes },
            marks: Vec::new(),
        }
    }

    /// Walks a content stream placed by `transform`.
    pub fn walk(&mut self, data: &[u8], resources: &Resources<'a>, transform: Affine) {
        let state = State {
            ctm: transform,
            clip: self.page,
            line_width: 1.0,
            white: false,
            font: None,
            size: 1.0,
            char_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
            mode: 0,
        };
        self.interpret(data, resources, state, 0);
        self.marks.clear();
    }

    /// Walks a form (or an annotation's appearance) placed by `transform`.
    pub fn walk_form(&mut self, form: &Stream<'a>, resources: &Resources<'a>, transform: Affine) {
        let mut resources = Some(resources.clone());
        if let Some(own) = form.dict().get::<Dict<'_>>(b"Resources") {
            resources = Some(Resources::new(own));
        }
        if let (Some(data), Some(resources)) = (self.decode(form), resources) {
            self.walk(&data, &resources, transform);
        }
    }

    fn decode(&mut self, stream: &Stream<'a>) -> Option<std::borrow::Cow<'a, [u8]>> {
        let data = guard::decode(stream, self.budget.bytes)?;
        self.budget.bytes = self.budget.bytes.saturating_sub(data.len() as u64);
        Some(data)
    }

    fn stop(&mut self, why: &'static str) {
        self.content.stopped.get_or_insert(why);
    }

    fn visible(&self) -> bool {
        self.marks.last().is_none_or(|mark| mark.visible)
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one arm per operator of the content language, most of one line"
    )]
    fn interpret(&mut self, data: &[u8], resources: &Resources<'a>, state: State<'a>, depth: usize) {
        let mut state = state;
        let mut stack: Vec<State<'a>> = Vec::new();
        let mut fonts: HashMap<Vec<u8>, Rc<PdfFont<'a>>> = HashMap::new();
        let mut path = PathBuilder::default();
        let mut clip_pending = false;
        let mut text_matrix = Affine::IDENTITY;
        let mut line_matrix = Affine::IDENTITY;
        let marks_open = self.marks.len();
        let mut operations = TypedIter::new(data);
        while let Some(operation) = operations.next() {
            if self.content.stopped.is_some() {
                break;
            }
            if self.budget.operations == 0 {
                self.stop("operations on one page");
                break;
            }
            self.budget.operations -= 1;
            match operation {
                Op::SaveState(_) => {
                    if stack.len() < MAX_STATES {
                        stack.push(state.clone());
                    } else {
                        self.stop("nested graphics states");
                    }
                }
                Op::RestoreState(_) => {
                    if let Some(saved) = stack.pop() {
                        state = saved;
                    }
                }
                Op::Transform(t) => {
                    let matrix = [t.0, t.1, t.2, t.3, t.4, t.5].map(|n| n.as_f64());
                    state.ctm *= Affine::new(matrix);
                }
                Op::LineWidth(width) => state.line_width = width.0.as_f32(),
                Op::NonStrokeColorDeviceGray(c) => state.white = is_white(&[c.0.as_f32()]),
                Op::NonStrokeColorDeviceRgb(c) => {
                    state.white = is_white(&[c.0, c.1, c.2].map(|n| n.as_f32()));
                }
                Op::NonStrokeColorCmyk(c) => {
                    state.white = is_white(&[c.0, c.1, c.2, c.3].map(|n| n.as_f32()));
                }
                Op::NonStrokeColor(c) => {
                    state.white = is_white(&c.0.iter().map(Number::as_f32).collect::<Vec<_>>());
                }
                Op::NonStrokeColorNamed(c) => {
                    state.white =
                        c.1.is_none() && is_white(&c.0.iter().map(Number::as_f32).collect::<Vec<_>>());
                }
                Op::ColorSpaceNonStroke(_) => state.white = false,
                Op::SetGraphicsState(gs) => {
                    if let Some(dict) = resources.get_ext_g_state(gs.0) {
                        self.graphics_state(&dict, &mut state);
                    }
                }

                Op::MoveTo(p) => path.move_to(p.0.as_f64(), p.1.as_f64()),
                Op::LineTo(p) => path.line_to(p.0.as_f64(), p.1.as_f64()),
                Op::CubicTo(c) => path.curve_to(c.4.as_f64(), c.5.as_f64()),
                Op::CubicStartTo(c) => path.curve_to(c.2.as_f64(), c.3.as_f64()),
                Op::CubicEndTo(c) => path.curve_to(c.2.as_f64(), c.3.as_f64()),
                Op::ClosePath(_) => path.close(),
                Op::RectPath(r) => path.rect(r.0.as_f64(), r.1.as_f64(), r.2.as_f64(), r.3.as_f64()),
                Op::ClipNonZero(_) | Op::ClipEvenOdd(_) => clip_pending = true,
                Op::StrokePath(_)
                | Op::CloseAndStrokePath(_)
                | Op::FillPathNonZero(_)
                | Op::FillPathNonZeroCompatibility(_)
                | Op::FillPathEvenOdd(_)
                | Op::FillAndStrokeNonZero(_)
                | Op::FillAndStrokeEvenOdd(_)
                | Op::CloseFillAndStrokeNonZero(_)
                | Op::CloseFillAndStrokeEvenOdd(_)
                | Op::EndPath(_) => {
                    let closes = matches!(
                        operation,
                        Op::CloseAndStrokePath(_)
                            | Op::CloseFillAndStrokeNonZero(_)
                            | Op::CloseFillAndStrokeEvenOdd(_)
                    );
                    if closes {
                        path.close();
                    }
                    let strokes = !matches!(
                        operation,
                        Op::FillPathNonZero(_)
                            | Op::FillPathNonZeroCompatibility(_)
                            | Op::FillPathEvenOdd(_)
                            | Op::EndPath(_)
                    );
                    let fills =
                        !matches!(operation, Op::StrokePath(_) | Op::CloseAndStrokePath(_) | Op::EndPath(_));
                    if self.visible() {
                        self.paint(&path, &state, strokes, fills);
                    }
                    if clip_pending {
                        if let Some(bounds) = path.bounds(state.ctm) {
                            state.clip = intersect(&state.clip, &bounds);
                        }
                        clip_pending = false;
                    }
                    path.clear();
                }
                Op::Shading(_) => self.content.paths += 1,

                Op::BeginText(_) => {
                    text_matrix = Affine::IDENTITY;
                    line_matrix = Affine::IDENTITY;
                }
                Op::SetTextMatrix(m) => {
                    line_matrix = Affine::new([m.0, m.1, m.2, m.3, m.4, m.5].map(|n| n.as_f64()));
                    text_matrix = line_matrix;
                }
                Op::NextLine(t) => {
                    line_matrix *= Affine::translate((t.0.as_f64(), t.1.as_f64()));
                    text_matrix = line_matrix;
                }
                Op::NextLineAndSetLeading(t) => {
                    state.leading = -t.1.as_f64();
                    line_matrix *= Affine::translate((t.0.as_f64(), t.1.as_f64()));
                    text_matrix = line_matrix;
                }
                Op::NextLineUsingLeading(_) => {
                    line_matrix *= Affine::translate((0.0, -state.leading));
                    text_matrix = line_matrix;
                }
                Op::CharacterSpacing(v) => state.char_space = v.0.as_f64(),
                Op::WordSpacing(v) => state.word_space = v.0.as_f64(),
                Op::HorizontalScaling(v) => state.scale = v.0.as_f64() / 100.0,
                Op::TextLeading(v) => state.leading = v.0.as_f64(),
                Op::TextRise(v) => state.rise = v.0.as_f64(),
                Op::TextRenderingMode(v) => state.mode = v.0.as_i64(),
                Op::TextFont(f) => {
                    state.size = f.1.as_f64();
                    let name: &[u8] = f.0;
                    if !fonts.contains_key(name) {
                        let font = match resources.get_font(f.0) {
                            Some(dict) => self.fonts.get(&dict),
                            None => self.fonts.stand_in(),
                        };
                        fonts.insert(name.to_vec(), font);
                    }
                    state.font = fonts.get(name).map(Rc::clone);
                }
                Op::ShowText(s) => self.show(s.0, &state, &mut text_matrix),
                Op::ShowTexts(s) => {
                    for object in s.0.iter::<Object<'_>>() {
                        match object {
                            Object::Number(n) => adjust(n.as_f64(), &state, &mut text_matrix),
                            Object::String(text) => self.show(&text, &state, &mut text_matrix),
                            _ => {}
                        }
                    }
                }
                Op::NextLineAndShowText(s) => {
                    line_matrix *= Affine::translate((0.0, -state.leading));
                    text_matrix = line_matrix;
                    self.show(s.0, &state, &mut text_matrix);
                }
                Op::ShowTextWithParameters(s) => {
                    state.word_space = s.0.as_f64();
                    state.char_space = s.1.as_f64();
                    line_matrix *= Affine::translate((0.0, -state.leading));
                    text_matrix = line_matrix;
                    self.show(s.2, &state, &mut text_matrix);
                }

                Op::XObject(x) => {
                    if let Some(object) = resources.get_x_object(x.0) {
                        self.x_object(&object, resources, &state, depth);
                    } else if resources.x_objects.contains_key(x.0) {
                        // The library follows no reference back to the form that is being drawn.
                        self.content.skipped = Some("a form that draws itself or cannot be read");
                    }
                }
                Op::InlineImage(_) => self.picture(&state),

                Op::BeginMarkedContent(_) => self.begin_mark(None, true),
                Op::BeginMarkedContentWithProperties(mark) => {
                    let hidden = self.group_is_hidden(mark.1, resources);
                    let properties = match mark.1 {
                        Object::Name(name) => resources.properties.get::<Dict<'_>>(name),
                        other => dict_or_stream(other).map(|(dict, _)| dict.clone()),
                    };
                    let actual = properties
                        .and_then(|dict| dict.get::<PdfString<'_>>(b"ActualText").map(|s| text_string(&s)));
                    self.begin_mark(actual, !hidden);
                }
                Op::EndMarkedContent(_) if self.marks.len() > marks_open => self.end_mark(),
                _ => {}
            }
        }
        self.marks.truncate(marks_open);
    }

    fn graphics_state(&mut self, dict: &Dict<'a>, state: &mut State<'a>) {
        if let Some(width) = dict.get::<f32>(b"LW") {
            state.line_width = width;
        }
        if let Some(font) = dict.get::<Array<'_>>(b"Font") {
            let mut entries = font.iter::<Object<'_>>();
            if let (Some(Object::Dict(dict)), Some(Object::Number(size))) = (entries.next(), entries.next()) {
                state.font = Some(self.fonts.get(&dict));
                state.size = size.as_f64();
            }
        }
    }

    fn paint(&mut self, path: &PathBuilder, state: &State<'a>, strokes: bool, fills: bool) {
        if path.is_empty() || !(strokes || fills) {
            return;
        }
        self.content.paths += 1;
        let room = self.limits.max_rules_per_page.saturating_sub(self.content.rules.len());
        let stroke_width = strokes.then_some(state.line_width);
        path.rules(state.ctm, stroke_width, fills, &state.clip, room, &mut self.content.rules);
        if fills && !state.white && self.content.fills.len() < self.limits.max_rules_per_page {
            path.areas(state.ctm, &state.clip, &mut self.content.fills);
        }
        if self.content.rules.len() >= self.limits.max_rules_per_page {
            self.stop("rules on one page");
        }
    }

    fn x_object(&mut self, object: &Stream<'a>, resources: &Resources<'a>, state: &State<'a>, depth: usize) {
        let dict = object.dict();
        if !self.visible() || dict.get_ref(b"OC").is_some_and(|group| self.hidden.contains(&group.into())) {
            return;
        }
        match dict.get::<hayro_syntax::object::Name<'_>>(b"Subtype").as_deref() {
            Some(b"Image") => self.picture(state),
            Some(b"Form") => {
                if depth >= self.limits.max_depth.min(40) {
                    self.stop("nested forms");
                    return;
                }
                if self.budget.forms == 0 {
                    self.stop("forms on one page");
                    return;
                }
                self.budget.forms -= 1;
                let Some(data) = self.decode(object) else { return };
                let mut inner = state.clone();
                if let Some(matrix) = dict.get::<[f64; 6]>(b"Matrix") {
                    inner.ctm *= Affine::new(matrix);
                }
                if let Some(bbox) = dict.get::<[f64; 4]>(b"BBox") {
                    let corners =
                        [(bbox[0], bbox[1]), (bbox[2], bbox[1]), (bbox[2], bbox[3]), (bbox[0], bbox[3])];
                    if let Some(bounds) = bounding_box(inner.ctm, corners.into_iter()) {
                        inner.clip = intersect(&inner.clip, &bounds);
                    }
                }
                let own = dict.get::<Dict<'_>>(b"Resources").map(Resources::new);
                self.interpret(&data, own.as_ref().unwrap_or(resources), inner, depth + 1);
            }
            _ => {}
        }
    }

    fn picture(&mut self, state: &State<'a>) {
        if !self.visible() {
            return;
        }
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        if let Some(bounds) = bounding_box(state.ctm, corners.into_iter()) {
            let shown = intersect(&bounds, &state.clip);
            if shown.width() > 0.5 && shown.height() > 0.5 && self.content.pictures.len() < 10_000 {
                self.content.pictures.push(shown);
                if shown.width() * shown.height() >= 0.7 * self.page.width() * self.page.height() {
                    self.content.under_picture = self.content.glyphs.len();
                }
            }
        }
    }

    fn group_is_hidden(&self, properties: &Object<'_>, resources: &Resources<'a>) -> bool {
        if self.hidden.is_empty() {
            return false;
        }
        let Object::Name(name) = properties else { return false };
        let hidden = |id: ObjectIdentifier| self.hidden.contains(&id);
        if resources.properties.get_ref(name).is_some_and(|group| hidden(group.into())) {
            return true;
        }
        // A membership dictionary: hidden when all of its groups are (the policies other than the default are rare).
        let Some(membership) = resources.properties.get::<Dict<'_>>(name) else { return false };
        if let Some(groups) = membership.get::<Array<'_>>(b"OCGs") {
            let ids: Vec<_> = groups.raw_iter().filter_map(|group| group.as_obj_ref()).collect();
            return !ids.is_empty() && ids.into_iter().all(|group| hidden(group.into()));
        }
        membership.get_ref(b"OCGs").is_some_and(|group| hidden(group.into()))
    }

    fn begin_mark(&mut self, actual_text: Option<String>, shown: bool) {
        let visible = self.visible() && shown;
        if self.marks.len() >= MAX_STATES {
            self.stop("nested marked content");
            return;
        }
        let actual_text = actual_text.map(|text| (text, self.content.glyphs.len()));
        self.marks.push(Mark { visible, actual_text });
    }

    fn end_mark(&mut self) {
        let Some(mark) = self.marks.pop() else { return };
        if let Some((text, start)) = mark.actual_text {
            replace_text(&mut self.content.glyphs, start, &text);
        }
    }

    fn show(&mut self, text: &PdfString<'_>, state: &State<'a>, text_matrix: &mut Affine) {
        let font = match &state.font {
            Some(font) => Rc::clone(font),
            None => self.fonts.stand_in(),
        };
        let bytes = text.as_bytes();
        let shown = self.visible() && (!font.stand_in || bytes.is_ascii());
        let horizontal = font.is_horizontal();
        let mut offset = 0;
        while offset < bytes.len() {
            let (code, length) = font.read_code(bytes, offset);
            offset += length;
            let meaning = font.meaning(code, length);
            if shown {
                let placed = Affine::new([state.size * state.scale, 0.0, 0.0, state.size, 0.0, state.rise]);
                self.glyph(&meaning, &font, state, state.ctm * *text_matrix * placed);
                if self.content.glyphs.len() >= self.limits.max_chars_per_page {
                    self.stop("characters on one page");
                    return;
                }
            }
            let word_space = if code == 32 && length == 1 { state.word_space } else { 0.0 };
            let spacing = state.char_space + word_space;
            let (dx, dy) = if horizontal {
                ((meaning.advance[0] / 1000.0 * state.size + spacing) * state.scale, 0.0)
            } else {
                (0.0, meaning.advance[1] / 1000.0 * state.size + spacing)
            };
            *text_matrix *= Affine::translate((dx, dy));
        }
    }

    fn glyph(
        &mut self,
        meaning: &super::font::CodeMeaning,
        font: &PdfFont<'a>,
        state: &State<'a>,
        place: Affine,
    ) {
        let [a, b, c, d, e, f] = place.as_coeffs();
        let [ox, oy] = meaning.displacement.map(|v| v / 1000.0);
        let ox = ox + meaning.extent[0] / 1000.0;
        let (x, y) = (e + a * ox + c * oy, f + b * ox + d * oy);
        // The size is measured across the line, so that stretched type keeps its height.
        let along = a.hypot(b);
        let size = if along > 0.0 { (a * d - b * c).abs() / along } else { c.hypot(d) } as f32 * meaning.em;
        let advance = (along * (meaning.extent[1] - meaning.extent[0]) / 1000.0) as f32;
        if !(x.is_finite() && y.is_finite() && size.is_finite() && advance.is_finite()) || size <= 0.0 {
            return;
        }
        let (x, y) = (x as f32, y as f32);
        let turn = Turn::of_direction(a, b);
        // Judge by the middle of the glyph: edges may touch the clip.
        let (mx, my) = middle(x, y, advance, size, turn);
        if !state.clip.contains(mx, my) {
            return;
        }
        self.content.undeclared += usize::from(!font.declares_unicode);
        self.content.invisible += usize::from(state.mode == INVISIBLE);
        let bold = font.bold || (state.mode == 2 && heavy(state));
        let mut push = |ch: char, x: f32, y: f32, advance: f32| {
            self.content.glyphs.push(Glyph { ch, x, y, advance, size, turn, bold });
        };
        match &meaning.text {
            None => {
                push('\u{FFFD}', x, y, advance);
                self.content.unmapped += 1;
            }
            Some(text) => {
                let count = text.chars().count().max(1) as f32;
                let (ux, uy) =
                    if along > 0.0 { ((a / along) as f32, (b / along) as f32) } else { (1.0, 0.0) };
                let step = advance / count;
                for (index, ch) in text.chars().enumerate() {
                    let shift = step * index as f32;
                    push(ch, x + ux * shift, y + uy * shift, step);
                }
            }
        }
    }
}

/// Whether colour components mean white: light in the additive spaces, no ink in the subtractive one.
fn is_white(components: &[f32]) -> bool {
    match components {
        [_, _, _, _] => components.iter().all(|c| *c <= 0.01),
        [] => false,
        _ => components.len() <= 3 && components.iter().all(|c| *c >= 0.99),
    }
}

/// Stroked as well as filled with a line thick enough to be meant as bold.
fn heavy(state: &State<'_>) -> bool {
    f64::from(state.line_width) > 0.02 * state.size.abs()
}

fn adjust(amount: f64, state: &State<'_>, text_matrix: &mut Affine) {
    let shift = -amount / 1000.0 * state.size;
    let horizontal = state.font.as_ref().is_none_or(|font| font.is_horizontal());
    let (dx, dy) = if horizontal { (shift * state.scale, 0.0) } else { (0.0, shift) };
    *text_matrix *= Affine::translate((dx, dy));
}

fn middle(x: f32, y: f32, advance: f32, size: f32, turn: Turn) -> (f32, f32) {
    let (half, up) = (advance / 2.0, size * 0.3);
    match turn {
        Turn::Level | Turn::Slanted => (x + half, y - up),
        Turn::Up => (x - up, y - half),
        Turn::Over => (x - half, y + up),
        Turn::Down => (x + up, y + half),
    }
}

fn intersect(a: &Rect, b: &Rect) -> Rect {
    let (x0, y0) = (a.x0.max(b.x0), a.y0.max(b.y0));
    Rect { x0, y0, x1: a.x1.min(b.x1).max(x0), y1: a.y1.min(b.y1).max(y0) }
}

/// Puts replacement text over the glyphs drawn since `start`, spread evenly along their line.
fn replace_text(glyphs: &mut Vec<Glyph>, start: usize, text: &str) {
    let Some(drawn) = glyphs.get(start..) else { return };
    let (Some(first), Some(last)) = (drawn.first().copied(), drawn.last().copied()) else { return };
    // Replacement for more than a line, or set in more than one direction, would need a layout of its own.
    let same_line = drawn.iter().all(|g| g.turn == first.turn && (g.y - first.y).abs() <= first.size * 0.5);
    if !same_line || first.turn != Turn::Level {
        return;
    }
    let clean: String = text.chars().filter(|c| !c.is_control()).collect();
    let count = clean.chars().count();
    let width = (last.x + last.advance - first.x).max(0.0);
    glyphs.truncate(start);
    for (index, ch) in clean.chars().enumerate() {
        let step = width / count as f32;
        glyphs.push(Glyph { ch, x: first.x + step * index as f32, advance: step, ..first });
    }
}
