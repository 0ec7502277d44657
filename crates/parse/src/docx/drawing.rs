//! Drawings: pictures with their alternative text, charts, diagrams and text boxes.

use regreader_model::{RawPicture, TextRole};

use super::body::{Body, Item};
use super::paragraph::Paragraph;
use crate::flow;
use crate::ooxml::{Element, Ns, POINTS_PER_EMU, chart};

/// Reads pictures, charts, diagrams and text boxes of a drawing into the paragraph it hangs on.
pub(crate) fn read(body: &mut Body<'_, '_>, element: &Element, out: &mut Paragraph) {
    walk(body, element, out, None);
}

fn walk(body: &mut Body<'_, '_>, element: &Element, out: &mut Paragraph, around: Option<&Frame<'_>>) {
    let frame = Frame::of(element, around);
    for child in element.children() {
        match (child.ns, &*child.name) {
            (Ns::Compat, "AlternateContent") => {
                let before = out.after.len();
                for option in child.children() {
                    walk(body, option, out, Some(&frame));
                    if out.after.len() != before {
                        break;
                    }
                }
            }
            (Ns::Word, "txbxContent") => {
                let items = body.aside(child);
                let shown = |item: &Item| {
                    matches!(
                        item,
                        Item::Text { .. }
                            | Item::Table { .. }
                            | Item::Inner(_)
                            | Item::Picture { .. }
                            | Item::Note(_)
                    )
                };
                out.after.extend(items.into_iter().filter(shown));
            }
            (Ns::Chart, "chart") => read_chart(body, child, out),
            (Ns::Diagram, "relIds") => read_diagram(body, child, out),
            (Ns::Vml, "imagedata") => out.after.push(frame.picture(child.attr("title"))),
            (_, "pic") => {
                let own = child.at(&["nvPicPr", "cNvPr"]).and_then(|p| p.attr("descr"));
                out.after.push(frame.picture(own));
            }
            _ => walk(body, child, out, Some(&frame)),
        }
    }
}

fn read_chart(body: &mut Body<'_, '_>, element: &Element, out: &mut Paragraph) {
    let Some(part) = element.relation("id").and_then(|id| body.relations.part(id)).map(str::to_owned) else {
        return;
    };
    let Ok(Some(root)) = body.package.tree(&part) else { return };
    let chart = chart::read(&root, body.limits);
    if let Some(title) = chart.title {
        out.after.push(Item::text(flow::paragraph(title, TextRole::Caption)));
    }
    match chart.table {
        Some(table) => out.after.push(Item::Table { table, soft: Vec::new(), rows: Vec::new() }),
        None => out.after.push(Frame::default().picture(None)),
    }
}

fn read_diagram(body: &mut Body<'_, '_>, element: &Element, out: &mut Paragraph) {
    let Some(part) = element.relation("dm").and_then(|id| body.relations.part(id)).map(str::to_owned) else {
        return;
    };
    let Ok(Some(root)) = body.package.tree(&part) else { return };
    for point in root.descendants().filter(|e| e.is(Ns::Diagram, "pt")) {
        let text: String =
            point.descendants().filter(|e| e.is(Ns::Drawing, "t")).map(Element::text).collect();
        if !text.trim().is_empty() {
            out.after.push(Item::text(flow::paragraph(text, TextRole::Body)));
        }
    }
}

/// What a drawing says about the picture inside it.
#[derive(Default)]
struct Frame<'a> {
    description: Option<&'a str>,
    height: Option<f32>,
}

impl<'a> Frame<'a> {
    fn of(element: &'a Element, around: Option<&Frame<'a>>) -> Self {
        let description = element
            .child("docPr")
            .and_then(|properties| properties.attr("descr"))
            .or_else(|| (element.ns == Ns::Vml).then(|| element.attr("alt")).flatten())
            .or(around.and_then(|frame| frame.description));
        let height = element
            .child("extent")
            .and_then(|extent| extent.attr("cy")?.parse::<f32>().ok())
            .map(|emu| emu * POINTS_PER_EMU)
            .or(around.and_then(|frame| frame.height));
        Self { description, height }
    }

    fn picture(&self, own: Option<&str>) -> Item {
        let description = own.or(self.description).map(str::trim).filter(|text| !text.is_empty());
        Item::Picture {
            picture: RawPicture { bbox: None, description: description.map(str::to_owned) },
            height: self.height,
        }
    }
}
