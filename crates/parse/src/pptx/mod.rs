//! PowerPoint: a slide is a page; shapes in reading order, titles, bullets, tables, charts, and speaker notes below.

mod list;
mod shapes;
mod table;

use regreader_messages::findings;
use regreader_model::{
    Diagnostic, DiagnosticCode, PageNumber, RawDocument, RawElement, RawPage, Severity, SourceFormat,
    TextOrigin, TextRole,
};

use crate::flow;
use crate::ooxml::{Element, Ns, POINTS_PER_EMU, Package};
use crate::{ParseError, ParseOptions, Parsed};
use shapes::{Frame, Places, Reader};

/// Parses a PPTX (or PPTM, PPSX) file.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let mut package = Package::open(bytes, SourceFormat::Pptx, &options.limits)?;
    let main = package.main_part("ppt/presentation.xml")?;
    let relations = package.relations(&main)?;
    let Some(presentation) = package.tree(&main)? else {
        return Err(ParseError::Malformed {
            format: SourceFormat::Pptx,
            reason: findings::part_unreadable(main),
        });
    };
    let size = presentation.child("sldSz").and_then(|size| {
        let side = |name| size.attr(name).and_then(|v| v.parse::<f32>().ok()).map(|v| v * POINTS_PER_EMU);
        Some([side("cx")?, side("cy")?])
    });
    let title = package.title()?;
    let mut pages: Vec<RawPage> = Vec::new();
    let mut diagnostics = Vec::new();
    for slide in presentation.child("sldIdLst").into_iter().flat_map(Element::children) {
        let Some(part) = slide.relation("id").and_then(|id| relations.part(id)) else { continue };
        if pages.len() >= options.limits.max_pages {
            diagnostics.push(flow::too_many_pages(&options.limits));
            break;
        }
        let index = pages.len();
        let number = PageNumber::from_index(index);
        let elements = match read_slide(&mut package, part, index, options) {
            Ok(Some(slide)) => {
                if slide.hidden {
                    let text = findings::SLIDE_HIDDEN;
                    diagnostics.push(Diagnostic::on_page(
                        Severity::Info,
                        DiagnosticCode::Malformed,
                        number,
                        text,
                    ));
                }
                slide.elements
            }
            Err(error @ (ParseError::LimitExceeded { .. } | ParseError::Encrypted)) => return Err(error),
            Ok(None) | Err(_) => {
                let text = findings::slide_unreadable(part);
                diagnostics.push(Diagnostic::on_page(
                    Severity::Error,
                    DiagnosticCode::PageUnreadable,
                    number,
                    text,
                ));
                Vec::new()
            }
        };
        pages.push(RawPage {
            page_num: number,
            declared_label: None,
            size,
            origin: if elements.is_empty() { TextOrigin::Blank } else { TextOrigin::TextLayer },
            elements: flow::bounded(elements, &options.limits, index, &mut diagnostics),
            links: Vec::new(),
        });
    }
    diagnostics.append(&mut package.diagnostics);
    flow::report_progress(options, pages.len());
    let document = RawDocument {
        format: SourceFormat::Pptx,
        title,
        pages,
        outline: Vec::new(),
        pages_approximate: false,
    };
    Ok(Parsed { document, diagnostics })
}

struct Slide {
    elements: Vec<RawElement>,
    hidden: bool,
}

fn read_slide(
    package: &mut Package<'_>,
    part: &str,
    index: usize,
    options: &ParseOptions<'_>,
) -> Result<Option<Slide>, ParseError> {
    let relations = package.relations(part)?;
    let Some(root) = package.tree(part)? else { return Ok(None) };
    let places = places(package, relations.by_kind("slideLayout"))?;
    let mut reader = Reader::new(package, &relations, &places, &options.limits, index == 0);
    if let Some(tree) = root.at(&["cSld", "spTree"]) {
        reader.group(tree, &Frame::default());
    }
    let mut elements = reader.in_order();
    if let Some(notes) = relations.by_kind("notesSlide") {
        elements.extend(notes_of(package, notes)?);
    }
    let hidden = matches!(root.attr("show"), Some("0" | "false"));
    Ok(Some(Slide { elements, hidden }))
}

/// Where layout and master put placeholders, for slides that do not say it themselves.
fn places(package: &mut Package<'_>, layout: Option<&str>) -> Result<Places, ParseError> {
    let mut places = Places::default();
    let Some(layout) = layout else { return Ok(places) };
    let relations = package.relations(layout)?;
    if let Some(root) = package.tree(layout)? {
        places.learn(&root);
    }
    if let Some(master) = relations.by_kind("slideMaster")
        && let Some(root) = package.tree(master)?
    {
        places.learn(&root);
    }
    Ok(places)
}

fn notes_of(package: &mut Package<'_>, part: &str) -> Result<Vec<RawElement>, ParseError> {
    let Some(root) = package.tree(part)? else { return Ok(Vec::new()) };
    let mut out = Vec::new();
    for shape in root.descendants().filter(|e| e.is(Ns::Slide, "sp")) {
        let kind = shape.at(&["nvSpPr", "nvPr", "ph"]).map(|ph| ph.attr("type").unwrap_or("body"));
        if kind != Some("body") {
            continue;
        }
        for paragraph in shape.child("txBody").into_iter().flat_map(Element::children) {
            let text = list::text(paragraph);
            if !text.trim().is_empty() {
                out.push(RawElement::Text(flow::paragraph(text.trim().to_owned(), TextRole::Footnote)));
            }
        }
    }
    Ok(out)
}
