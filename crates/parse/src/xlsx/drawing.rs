//! What floats over a sheet: charts, pictures and text boxes.

use regreader_model::{RawElement, RawPicture, TextRole};

use crate::flow;
use crate::ooxml::{Element, Ns, Package, chart};
use crate::{Limits, ParseError};

/// The drawings of a sheet, each with the row it is fixed at.
pub(crate) fn read(
    package: &mut Package<'_>,
    sheet: &str,
    limits: &Limits,
) -> Result<Vec<(u32, RawElement)>, ParseError> {
    let mut out = Vec::new();
    let Some(part) = package.relations(sheet)?.by_kind("drawing").map(str::to_owned) else { return Ok(out) };
    let Some(root) = package.tree(&part)? else { return Ok(out) };
    let relations = package.relations(&part)?;
    let mut row = 0;
    for shape in root.descendants() {
        match &*shape.name {
            "from" => {
                row = shape.child("row").and_then(|at| at.text().trim().parse().ok()).unwrap_or(row);
            }
            "pic" => {
                let description =
                    shape.at(&["nvPicPr", "cNvPr"]).and_then(|p| p.attr("descr")).map(str::trim);
                let description = description.filter(|text| !text.is_empty()).map(str::to_owned);
                out.push((row, RawElement::Picture(RawPicture { bbox: None, description })));
            }
            "sp" => {
                for paragraph in shape.descendants().filter(|e| e.is(Ns::Drawing, "p")) {
                    let text: String = paragraph
                        .descendants()
                        .filter(|e| e.is(Ns::Drawing, "t"))
                        .map(Element::text)
                        .collect();
                    if !text.trim().is_empty() {
                        out.push((row, RawElement::Text(flow::paragraph(text, TextRole::Body))));
                    }
                }
            }
            "chart" if shape.ns == Ns::Chart => {
                let Some(part) = shape.relation("id").and_then(|id| relations.part(id)) else { continue };
                let Some(root) = package.tree(part)? else { continue };
                let chart = chart::read(&root, limits);
                if let Some(title) = chart.title {
                    out.push((row, RawElement::Text(flow::paragraph(title, TextRole::Caption))));
                }
                let shown = match chart.table {
                    Some(table) => RawElement::Table(table),
                    None => RawElement::Picture(RawPicture { bbox: None, description: None }),
                };
                out.push((row, shown));
            }
            _ => {}
        }
    }
    Ok(out)
}
