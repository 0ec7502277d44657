//! DoclingDocument JSON: the result of Docling, taken over with its labels, order, pages and boxes.
//!
//! The body is a tree of references into flat lists. A hostile file may loop or share; every item is taken once.

mod read;

use std::collections::BTreeSet;

use regreader_messages::{Both, errors, findings};
use regreader_model::{
    Diagnostic, DiagnosticCode, PageNumber, RawDocument, RawElement, RawPage, RawPicture, Severity,
    SourceFormat, TextOrigin,
};
use serde_json::Value;

use crate::flow;
use crate::{ParseError, ParseOptions, Parsed};
use read::{Label, PageSizes, Placed};

/// Parses DoclingDocument JSON.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let malformed = |reason: Both| ParseError::Malformed { format: SourceFormat::Docling, reason };
    if bytes.len() as u64 > options.limits.max_part_bytes {
        return Err(ParseError::LimitExceeded {
            what: errors::LIMIT_FILE,
            limit: options.limits.max_part_bytes,
        });
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let root: Value = serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string().into()))?;
    if root.get("schema_name").and_then(Value::as_str) != Some("DoclingDocument") {
        return Err(malformed(errors::NOT_DOCLING.into()));
    }
    let mut walk = Walk {
        root: &root,
        sizes: read::page_sizes(&root),
        seen: BTreeSet::new(),
        placed: Vec::new(),
        diagnostics: Vec::new(),
        options,
    };
    walk.tree("body");
    walk.tree("furniture");
    walk.forgotten();

    let (pages, approximate) = walk.pages();
    let mut diagnostics = walk.diagnostics;
    if approximate && !pages.is_empty() {
        diagnostics.push(Diagnostic::on_document(
            Severity::Info,
            DiagnosticCode::ApproximatePages,
            findings::DOCLING_PAGES,
        ));
    }
    flow::report_progress(options, pages.len());
    let title = root.get("name").and_then(Value::as_str).map(str::to_owned).filter(|name| !name.is_empty());
    let document = RawDocument {
        format: SourceFormat::Docling,
        title,
        pages,
        outline: Vec::new(),
        pages_approximate: approximate,
    };
    Ok(Parsed { document, diagnostics })
}

struct Walk<'a> {
    root: &'a Value,
    sizes: PageSizes,
    /// Items already taken, by list and position.
    seen: BTreeSet<(&'a str, usize)>,
    placed: Vec<Placed>,
    diagnostics: Vec<Diagnostic>,
    options: &'a ParseOptions<'a>,
}

const LISTS: [&str; 8] = [
    "texts",
    "tables",
    "pictures",
    "groups",
    "key_value_items",
    "form_items",
    "field_regions",
    "field_items",
];

impl<'a> Walk<'a> {
    /// Walks a tree of references in order, without recursion.
    fn tree(&mut self, name: &str) {
        let root: &'a Value = self.root;
        let mut stack: Vec<&'a Value> = children(root.get(name)).rev().collect();
        while let Some(reference) = stack.pop() {
            let Some((list, index)) = reference.get("$ref").and_then(Value::as_str).and_then(target) else {
                continue;
            };
            if !self.seen.insert((list, index)) {
                continue;
            }
            let Some(item) = root.get(list).and_then(|items| items.get(index)) else {
                self.diagnostics.push(Diagnostic::on_document(
                    Severity::Warning,
                    DiagnosticCode::Malformed,
                    findings::dangling(list, index),
                ));
                continue;
            };
            self.item(list, item);
            stack.extend(children(Some(item)).rev());
        }
    }

    /// Texts, tables and pictures that no tree reaches are kept too, at the end.
    fn forgotten(&mut self) {
        for list in ["texts", "tables", "pictures"] {
            let count = self.root.get(list).and_then(Value::as_array).map_or(0, Vec::len);
            let left: Vec<usize> = (0..count).filter(|at| !self.seen.contains(&(list, *at))).collect();
            if left.is_empty() {
                continue;
            }
            self.diagnostics.push(Diagnostic::on_document(
                Severity::Warning,
                DiagnosticCode::Malformed,
                findings::outside_tree(left.len(), list),
            ));
            for index in left {
                self.seen.insert((list, index));
                if let Some(item) = self.root.get(list).and_then(|items| items.get(index)) {
                    self.item(list, item);
                }
            }
        }
    }

    fn item(&mut self, list: &str, item: &'a Value) {
        // Reviewers' comments and hidden sheets are not part of what was published.
        let layer = item.get("content_layer").and_then(Value::as_str).unwrap_or("body");
        if matches!(layer, "notes" | "invisible" | "background") {
            return;
        }
        match list {
            "texts" => self.placed.extend(read::text(item, layer, &self.sizes)),
            "tables" => {
                let caption = self.caption(item);
                let label = Label::of(item);
                let table = read::table(item, caption, &self.sizes, &self.options.limits);
                if label == Label::Contents {
                    self.placed.extend(read::contents_lines(&table));
                } else {
                    self.placed.push(table);
                }
            }
            "pictures" => {
                let (page, bbox) = read::place(item, &self.sizes);
                let picture = RawPicture { bbox, description: read::description(item) };
                self.placed.push(Placed { page, element: RawElement::Picture(picture) });
                if let Some(table) = read::chart(item, page, bbox, &self.options.limits) {
                    self.placed.push(table);
                }
            }
            _ => {}
        }
    }

    /// The caption of a table, whose texts are then not taken again.
    fn caption(&mut self, table: &'a Value) -> Option<String> {
        let mut words = Vec::new();
        for reference in table.get("captions").and_then(Value::as_array).into_iter().flatten() {
            let Some(("texts", index)) = reference.get("$ref").and_then(Value::as_str).and_then(target)
            else {
                continue;
            };
            if self.seen.insert(("texts", index))
                && let Some(text) =
                    self.root.get("texts").and_then(|texts| texts.get(index)?.get("text")?.as_str())
            {
                words.push(text);
            }
        }
        (!words.is_empty()).then(|| words.join(" "))
    }

    fn pages(&mut self) -> (Vec<RawPage>, bool) {
        let limits = &self.options.limits;
        let placed = std::mem::take(&mut self.placed);
        let has_places = placed.iter().any(|item| item.page.is_some()) || !self.sizes.is_empty();
        if !has_places && placed.is_empty() {
            return (Vec::new(), true);
        }
        let last =
            placed.iter().filter_map(|item| item.page).chain(self.sizes.keys().copied()).max().unwrap_or(1);
        let count = if last as usize > limits.max_pages {
            self.diagnostics.push(flow::too_many_pages(limits));
            limits.max_pages
        } else {
            last.max(1) as usize
        };
        let mut elements: Vec<Vec<RawElement>> = vec![Vec::new(); count];
        // What has no place of its own stands with what comes before it.
        let mut current = 0;
        for item in placed {
            if let Some(page) = item.page {
                current = page.max(1) as usize - 1;
            }
            if let Some(page) = elements.get_mut(current) {
                page.push(item.element);
            }
        }
        let mut pages = Vec::with_capacity(count);
        for (index, elements) in elements.into_iter().enumerate() {
            pages.push(RawPage {
                page_num: PageNumber::from_index(index),
                declared_label: None,
                size: self.sizes.get(&(index as u32 + 1)).copied(),
                origin: if elements.is_empty() { TextOrigin::Blank } else { TextOrigin::TextLayer },
                elements: flow::bounded(elements, limits, index, &mut self.diagnostics),
                links: Vec::new(),
            });
        }
        (pages, !has_places)
    }
}

fn children(item: Option<&Value>) -> impl DoubleEndedIterator<Item = &Value> {
    item.and_then(|item| item.get("children")).and_then(Value::as_array).into_iter().flatten()
}

/// `#/texts/12` as list and position.
fn target(reference: &str) -> Option<(&'static str, usize)> {
    let (list, index) = reference.strip_prefix("#/")?.split_once('/')?;
    Some((LISTS.into_iter().find(|known| *known == list)?, index.parse().ok()?))
}
