//! Shapes of a slide: where they stand, what they hold, and the order in which they are read.

use regreader_model::{RawElement, RawPicture, Rect, TextRole};

use super::{list, table};
use crate::Limits;
use crate::flow;
use crate::ooxml::{Element, Ns, POINTS_PER_EMU, Package, Relations, chart};

/// How the coordinates inside a group map to the slide.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    scale: [f32; 2],
    shift: [f32; 2],
}

impl Default for Frame {
    fn default() -> Self {
        Self { scale: [1.0, 1.0], shift: [0.0, 0.0] }
    }
}

impl Frame {
    fn apply(&self, rect: Rect) -> Rect {
        let x = |v: f32| v * self.scale[0] + self.shift[0];
        let y = |v: f32| v * self.scale[1] + self.shift[1];
        Rect::new(x(rect.x0), y(rect.y0), x(rect.x1), y(rect.y1))
    }

    /// The frame of a group inside this one.
    fn inner(&self, group: &Element) -> Self {
        let Some(transform) = group.at(&["grpSpPr", "xfrm"]) else { return *self };
        let (Some(outer), Some(inner)) =
            (rect_of(transform, "off", "ext"), rect_of(transform, "chOff", "chExt"))
        else {
            return *self;
        };
        let outer = self.apply(outer);
        let ratio = |a: f32, b: f32| if b.abs() > f32::EPSILON { a / b } else { 1.0 };
        let scale = [ratio(outer.width(), inner.width()), ratio(outer.height(), inner.height())];
        Self { scale, shift: [outer.x0 - inner.x0 * scale[0], outer.y0 - inner.y0 * scale[1]] }
    }
}

/// The box of a transform in points.
fn rect_of(transform: &Element, offset: &str, extent: &str) -> Option<Rect> {
    let number = |element: &Element, name| element.attr(name).and_then(|v: &str| v.parse::<f32>().ok());
    let (off, ext) = (transform.child(offset)?, transform.child(extent)?);
    let (x, y) = (number(off, "x")?, number(off, "y")?);
    let (w, h) = (number(ext, "cx")?, number(ext, "cy")?);
    let p = POINTS_PER_EMU;
    Some(Rect::new(x * p, y * p, (x + w) * p, (y + h) * p))
}

/// Places of placeholders by kind and index, from layout and master.
#[derive(Debug, Default)]
pub(crate) struct Places {
    list: Vec<(String, String, Rect)>,
}

impl Places {
    /// Adds the placeholders of a layout or master; what is known already stands.
    pub fn learn(&mut self, root: &Element) {
        for shape in root.descendants().filter(|e| e.is(Ns::Slide, "sp")).take(1000) {
            let (Some((kind, index)), Some(rect)) = (placeholder(shape), own_rect(shape)) else { continue };
            self.list.push((kind.to_owned(), index.to_owned(), rect));
        }
    }

    fn get(&self, kind: &str, index: &str) -> Option<Rect> {
        let same_index = self.list.iter().find(|(_, known, _)| !index.is_empty() && known == index);
        same_index.or_else(|| self.list.iter().find(|(known, _, _)| known == kind)).map(|(_, _, rect)| *rect)
    }
}

/// Kind and index of a placeholder.
fn placeholder(shape: &Element) -> Option<(&str, &str)> {
    let holder = shape
        .at(&["nvSpPr", "nvPr", "ph"])
        .or_else(|| shape.at(&["nvGraphicFramePr", "nvPr", "ph"]))
        .or_else(|| shape.at(&["nvPicPr", "nvPr", "ph"]))?;
    Some((holder.attr("type").unwrap_or("body"), holder.attr("idx").unwrap_or("")))
}

fn own_rect(shape: &Element) -> Option<Rect> {
    let transform = shape.at(&["spPr", "xfrm"]).or_else(|| shape.child("xfrm"))?;
    rect_of(transform, "off", "ext")
}

struct Found {
    rect: Option<Rect>,
    is_title: bool,
    elements: Vec<RawElement>,
}

/// Gathers the shapes of one slide.
pub(crate) struct Reader<'r, 'p, 'a> {
    package: &'p mut Package<'a>,
    relations: &'r Relations,
    places: &'r Places,
    limits: &'r Limits,
    first_slide: bool,
    found: Vec<Found>,
}

impl<'r, 'p, 'a> Reader<'r, 'p, 'a> {
    /// A reader for a slide.
    pub fn new(
        package: &'p mut Package<'a>,
        relations: &'r Relations,
        places: &'r Places,
        limits: &'r Limits,
        first_slide: bool,
    ) -> Self {
        Self { package, relations, places, limits, first_slide, found: Vec::new() }
    }

    /// Reads the shapes of a group or of the slide itself.
    pub fn group(&mut self, group: &Element, frame: &Frame) {
        for shape in group.children() {
            match (shape.ns, &*shape.name) {
                (Ns::Slide, "sp" | "cxnSp") => self.shape(shape, frame),
                (Ns::Slide, "grpSp") => self.group(shape, &frame.inner(shape)),
                (Ns::Slide, "graphicFrame") => self.graphic(shape, frame),
                (Ns::Slide, "pic") => self.picture(shape, frame),
                (Ns::Compat, "AlternateContent") => {
                    let before = self.found.len();
                    for option in shape.children() {
                        self.group(option, frame);
                        if self.found.len() != before {
                            break;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn rect(&self, shape: &Element, frame: &Frame) -> Option<Rect> {
        own_rect(shape).map(|rect| frame.apply(rect)).or_else(|| {
            let (kind, index) = placeholder(shape)?;
            self.places.get(kind, index)
        })
    }

    fn shape(&mut self, shape: &Element, frame: &Frame) {
        let Some(body) = shape.child("txBody") else { return };
        let kind = placeholder(shape).map(|(kind, _)| kind);
        let is_title = matches!(kind, Some("title" | "ctrTitle"));
        let role = match kind {
            Some("ctrTitle") => TextRole::Title,
            Some("title") if self.first_slide => TextRole::Title,
            Some("title") => TextRole::Heading { level: 1 },
            Some("ftr" | "dt" | "sldNum") => TextRole::PageFooter,
            Some("hdr") => TextRole::PageHeader,
            _ => TextRole::Body,
        };
        let bulleted = matches!(kind, Some("body" | "obj"));
        let rect = self.rect(shape, frame);
        let texts = list::paragraphs(body, role, bulleted);
        let elements: Vec<RawElement> = texts
            .into_iter()
            .map(|mut text| {
                text.bbox = rect;
                RawElement::Text(text)
            })
            .collect();
        if !elements.is_empty() {
            self.found.push(Found { rect, is_title, elements });
        }
    }

    fn picture(&mut self, shape: &Element, frame: &Frame) {
        let rect = self.rect(shape, frame);
        let description = shape.at(&["nvPicPr", "cNvPr"]).and_then(|p| p.attr("descr")).map(str::trim);
        let description = description.filter(|text| !text.is_empty()).map(str::to_owned);
        let picture = RawElement::Picture(RawPicture { bbox: rect, description });
        self.found.push(Found { rect, is_title: false, elements: vec![picture] });
    }

    fn graphic(&mut self, shape: &Element, frame: &Frame) {
        let rect = self.rect(shape, frame);
        let mut elements = Vec::new();
        for inner in shape.descendants() {
            match (inner.ns, &*inner.name) {
                (Ns::Drawing, "tbl") => {
                    elements.extend(table::read(inner, self.limits).map(|mut table| {
                        table.bbox = rect;
                        RawElement::Table(table)
                    }));
                }
                (Ns::Chart, "chart") => elements.extend(self.chart(inner, rect)),
                (Ns::Diagram, "relIds") => elements.extend(self.diagram(inner)),
                (_, "pic") => {
                    elements.push(RawElement::Picture(RawPicture { bbox: rect, description: None }));
                }
                _ => {}
            }
        }
        if !elements.is_empty() {
            self.found.push(Found { rect, is_title: false, elements });
        }
    }

    fn chart(&mut self, element: &Element, rect: Option<Rect>) -> Vec<RawElement> {
        let mut out = Vec::new();
        let Some(part) = element.relation("id").and_then(|id| self.relations.part(id)) else { return out };
        let Ok(Some(root)) = self.package.tree(part) else { return out };
        let chart = chart::read(&root, self.limits);
        if let Some(title) = chart.title {
            out.push(RawElement::Text(flow::paragraph(title, TextRole::Caption)));
        }
        out.push(match chart.table {
            Some(mut table) => {
                table.bbox = rect;
                RawElement::Table(table)
            }
            None => RawElement::Picture(RawPicture { bbox: rect, description: None }),
        });
        out
    }

    fn diagram(&mut self, element: &Element) -> Vec<RawElement> {
        let Some(part) = element.relation("dm").and_then(|id| self.relations.part(id)) else {
            return Vec::new();
        };
        let Ok(Some(root)) = self.package.tree(part) else { return Vec::new() };
        root.descendants()
            .filter(|e| e.is(Ns::Diagram, "pt"))
            .map(|point| {
                point.descendants().filter(|e| e.is(Ns::Drawing, "t")).map(Element::text).collect::<String>()
            })
            .filter(|text| !text.trim().is_empty())
            .map(|text| RawElement::Text(flow::paragraph(text, TextRole::Body)))
            .collect()
    }

    /// The elements as they are read: titles first, then line by line of shapes, left to right in a line.
    pub fn in_order(self) -> Vec<RawElement> {
        let mut titles = Vec::new();
        let mut rest: Vec<(usize, Found)> = Vec::new();
        for (index, found) in self.found.into_iter().enumerate() {
            if found.is_title { titles.push(found) } else { rest.push((index, found)) }
        }
        let top = |found: &Found| found.rect.map_or(f32::MAX, |rect| rect.y0);
        rest.sort_by(|(i, a), (j, b)| top(a).total_cmp(&top(b)).then(i.cmp(j)));
        let mut lines: Vec<Vec<Found>> = Vec::new();
        for (_, found) in rest {
            let same_line = lines.last().and_then(|line| line.first()).is_some_and(|first| {
                match (first.rect, found.rect) {
                    // Beside each other: the upper half of one meets the upper half of the other.
                    (Some(a), Some(b)) => {
                        b.y0 < a.y0 + a.height().min(b.height()) / 2.0
                            && (b.x0 >= a.x1 - 1.0 || b.x1 <= a.x0 + 1.0)
                    }
                    _ => false,
                }
            });
            match lines.last_mut() {
                Some(line) if same_line => line.push(found),
                _ => lines.push(vec![found]),
            }
        }
        for line in &mut lines {
            line.sort_by(|a, b| {
                let left = |found: &Found| found.rect.map_or(0.0, |rect| rect.x0);
                left(a).total_cmp(&left(b))
            });
        }
        titles.into_iter().chain(lines.into_iter().flatten()).flat_map(|found| found.elements).collect()
    }
}
