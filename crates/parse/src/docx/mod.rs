//! Word documents: paragraphs with the roles their styles declare, tables, notes, and pages as far as they can be known.
//!
//! A DOCX has no physical pages. [`parse`] breaks the flow where the file says so and marks the pages approximate;
//! [`align_pages`] replaces them with the exact pages of a PDF that an office program made of the same file.
//!
//! Owns the Word vocabulary. Must not know chapters or what a clause number means.

mod align;
mod body;
pub(crate) mod counting;
mod drawing;
mod estimate;
mod field;
mod numbering;
mod pages;
mod paragraph;
mod section;
mod stream;
mod styles;
mod table;

use std::collections::BTreeMap;

use regreader_messages::findings;
use regreader_model::{Diagnostic, Link, RawDocument, RawPage, SourceFormat};

pub use align::align_pages;

use crate::ooxml::{Element, Ns, Package, xml};
use crate::{ParseError, ParseOptions, Parsed};
use body::{Body, Item};
use numbering::Numbering;
use styles::Styles;

/// Parses a DOCX (or DOCM, DOTX) file into approximate pages.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let mut content = read(bytes, options)?;
    let pages =
        pages::paginate(content.items, content.links, content.page_count, options, &mut content.diagnostics);
    crate::flow::report_progress(options, pages.len());
    Ok(finish(pages, content.title, content.diagnostics))
}

/// Parses a DOCX file into one long page: the flow as it is written, for [`align_pages`].
///
/// The pages that [`parse`] estimates would only cut tables and paragraphs where the real pages do not.
pub fn parse_flow(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let content = read(bytes, options)?;
    let pages = pages::one_page(content.items);
    if pages.is_empty() {
        return Err(ParseError::NoPages);
    }
    Ok(finish(pages, content.title, content.diagnostics))
}

fn finish(pages: Vec<RawPage>, title: Option<String>, diagnostics: Vec<Diagnostic>) -> Parsed {
    let document = RawDocument {
        format: SourceFormat::Docx,
        title,
        pages,
        outline: Vec::new(),
        pages_approximate: true,
    };
    Parsed { document, diagnostics }
}

/// What a file holds, before pages.
struct Content {
    items: Vec<Item>,
    links: Vec<(usize, Link)>,
    title: Option<String>,
    page_count: Option<usize>,
    diagnostics: Vec<Diagnostic>,
}

fn read(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Content, ParseError> {
    let mut package = Package::open(bytes, SourceFormat::Docx, &options.limits)?;
    let main = package.main_part("word/document.xml")?;
    let relations = package.relations(&main)?;
    let styles = part_of(&mut package, relations.by_kind("styles"))?;
    let styles = Styles::read(styles.as_ref());
    let numbering = part_of(&mut package, relations.by_kind("numbering"))?;
    let numbering = Numbering::read(numbering.as_ref());
    let footnotes = notes(part_of(&mut package, relations.by_kind("footnotes"))?);
    let endnotes = notes(part_of(&mut package, relations.by_kind("endnotes"))?);
    let title = package.title()?;
    let page_count = package.page_count()?;
    let Some(content) = package.read(&main)? else {
        return Err(ParseError::Malformed {
            format: SourceFormat::Docx,
            reason: findings::part_unreadable(main),
        });
    };
    let mut body =
        Body::new(&mut package, relations, styles, numbering, footnotes, endnotes, &options.limits);
    let damage =
        xml::each_child(&content, &options.limits, (Ns::Word, "body"), &mut |block| body.block(&block));
    let (items, links, mut diagnostics) = body.finish();
    package.report(&main, &damage);
    diagnostics.append(&mut package.diagnostics);
    Ok(Content { items, links, title, page_count, diagnostics })
}

fn part_of(package: &mut Package<'_>, name: Option<&str>) -> Result<Option<Element>, ParseError> {
    name.map_or(Ok(None), |name| package.tree(name))
}

/// Notes by id, without the separators that Word keeps among them.
fn notes(root: Option<Element>) -> BTreeMap<String, Element> {
    let Some(root) = root else { return BTreeMap::new() };
    root.children()
        .filter(|note| note.attr("type").is_none_or(|kind| kind == "normal"))
        .filter_map(|note| Some((note.attr("id")?.to_owned(), note.clone())))
        .collect()
}
