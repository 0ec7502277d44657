//! Outline, page labels, links and optional content: plain dictionaries of the file, walked with bounds.

use std::collections::{BTreeMap, HashMap, HashSet};

use hayro_font::kurbo::Affine;
use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, String as PdfString};
use hayro_syntax::page::Page;
use regreader_model::{Link, OutlineEntry, PageNumber};
use regreader_text::number::format_roman;

use super::content::HiddenGroups;
use super::text_string;
use crate::pdf::paths::bounding_box;

/// Entries of an outline, destinations and links of a page that are looked at.
const MAX_ENTRIES: usize = 50_000;

/// Where things lead inside the document.
pub(super) struct Navigation<'a> {
    catalog: Dict<'a>,
    pages: HashMap<ObjectIdentifier, PageNumber>,
    names: BTreeMap<Vec<u8>, Object<'a>>,
    count: usize,
}

impl<'a> Navigation<'a> {
    pub fn new(pdf: &'a Pdf, max_depth: usize) -> Self {
        let catalog = pdf.xref().get::<Dict<'a>>(pdf.xref().root_id()).unwrap_or_default();
        let pages = pdf
            .pages()
            .iter()
            .enumerate()
            .filter_map(|(index, page)| Some((page.raw().obj_id()?, PageNumber::from_index(index))))
            .collect();
        let mut names = BTreeMap::new();
        if let Some(tree) =
            catalog.get::<Dict<'a>>(b"Names").and_then(|names| names.get::<Dict<'a>>(b"Dests"))
        {
            collect_names(&tree, &mut names, max_depth);
        }
        Self { catalog, pages, names, count: pdf.pages().len() }
    }

    /// Groups of optional content that are off by default.
    pub fn hidden_groups(&self) -> HiddenGroups {
        let mut hidden = HiddenGroups::default();
        let Some(properties) = self.catalog.get::<Dict<'_>>(b"OCProperties") else { return hidden };
        let Some(config) = properties.get::<Dict<'_>>(b"D") else { return hidden };
        let ids = |array: Option<Array<'a>>| -> Vec<ObjectIdentifier> {
            let entries = array.iter().flat_map(Array::raw_iter).take(MAX_ENTRIES);
            entries.filter_map(|entry| entry.as_obj_ref()).map(Into::into).collect()
        };
        if config.get::<Name<'_>>(b"BaseState").as_deref() == Some(b"OFF") {
            hidden.extend(ids(properties.get(b"OCGs")));
        }
        for id in ids(config.get(b"ON")) {
            hidden.remove(&id);
        }
        hidden.extend(ids(config.get(b"OFF")));
        hidden
    }

    /// The bookmarks, depth first.
    pub fn outline(&self, max_depth: usize) -> Vec<OutlineEntry> {
        let mut entries = Vec::new();
        let mut seen = HashSet::new();
        let first =
            self.catalog.get::<Dict<'_>>(b"Outlines").and_then(|outlines| outlines.get::<Dict<'_>>(b"First"));
        let mut stack: Vec<(Dict<'_>, u32)> = first.map(|dict| (dict, 1)).into_iter().collect();
        while let Some((entry, level)) = stack.pop() {
            let fresh = seen.insert((entry.data().as_ptr() as usize, entry.data().len()));
            if !fresh || entries.len() >= MAX_ENTRIES {
                continue;
            }
            let title =
                entry.get::<PdfString<'_>>(b"Title").map(|title| text_string(&title)).unwrap_or_default();
            let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
            if !title.is_empty() {
                entries.push(OutlineEntry { title, level, page_num: self.target(&entry) });
            }
            if let Some(next) = entry.get::<Dict<'_>>(b"Next") {
                stack.push((next, level));
            }
            if (level as usize) < max_depth
                && let Some(child) = entry.get::<Dict<'_>>(b"First")
            {
                stack.push((child, level + 1));
            }
        }
        entries
    }

    /// The page that a bookmark or link leads to.
    fn target(&self, entry: &Dict<'a>) -> Option<PageNumber> {
        if let Some(destination) = entry.get::<Object<'a>>(b"Dest") {
            return self.destination(&destination, 0);
        }
        let action = entry.get::<Dict<'a>>(b"A")?;
        (action.get::<Name<'_>>(b"S").as_deref() == Some(b"GoTo"))
            .then(|| self.destination(&action.get::<Object<'a>>(b"D")?, 0))
            .flatten()
    }

    fn destination(&self, object: &Object<'a>, depth: usize) -> Option<PageNumber> {
        // A name may lead to a dictionary that holds an array; more steps than that are a loop.
        if depth > 3 {
            return None;
        }
        match object {
            Object::Array(array) => match array.raw_iter().next()? {
                hayro_syntax::object::MaybeRef::Ref(page) => self.pages.get(&page.into()).copied(),
                hayro_syntax::object::MaybeRef::NotRef(Object::Number(index)) => {
                    let index = usize::try_from(index.as_i64()).ok()?;
                    (index < self.count).then(|| PageNumber::from_index(index))
                }
                hayro_syntax::object::MaybeRef::NotRef(_) => None,
            },
            Object::Name(name) => {
                let found = self
                    .catalog
                    .get::<Dict<'a>>(b"Dests")
                    .and_then(|dests| dests.get::<Object<'a>>(name))
                    .or_else(|| self.names.get::<[u8]>(name).cloned())?;
                self.destination(&found, depth + 1)
            }
            Object::String(name) => self.destination(self.names.get::<[u8]>(name)?, depth + 1),
            Object::Dict(dict) => self.destination(&dict.get::<Object<'a>>(b"D")?, depth + 1),
            _ => None,
        }
    }

    /// Links of a page, placed by its transform.
    pub fn links(&self, page: &Page<'a>, transform: Affine) -> Vec<Link> {
        let Some(annotations) = page.raw().get::<Array<'a>>(b"Annots") else { return Vec::new() };
        let mut links = Vec::new();
        for annotation in annotations.iter::<Dict<'a>>().take(MAX_ENTRIES) {
            if annotation.get::<Name<'_>>(b"Subtype").as_deref() != Some(b"Link") {
                continue;
            }
            let bbox = annotation.get::<[f64; 4]>(b"Rect").and_then(|[xa, ya, xb, yb]| {
                bounding_box(transform, [(xa, ya), (xb, ya), (xb, yb), (xa, yb)].into_iter())
            });
            let uri = annotation.get::<Dict<'_>>(b"A").and_then(|action| {
                (action.get::<Name<'_>>(b"S").as_deref() == Some(b"URI"))
                    .then(|| action.get::<PdfString<'_>>(b"URI").map(|uri| text_string(&uri)))
                    .flatten()
            });
            let page_num = self.target(&annotation);
            if uri.is_some() || page_num.is_some() {
                links.push(Link { bbox, page_num, uri });
            }
        }
        links
    }

    /// The labels that the file declares for its pages.
    pub fn labels(&self, max_depth: usize) -> Vec<Option<String>> {
        let Some(tree) = self.catalog.get::<Dict<'a>>(b"PageLabels") else { return vec![None; self.count] };
        let mut ranges: BTreeMap<usize, Dict<'a>> = BTreeMap::new();
        collect_numbers(&tree, &mut ranges, max_depth);
        let mut labels = Vec::with_capacity(self.count);
        let mut current: Option<(usize, &Dict<'a>)> = None;
        for index in 0..self.count {
            if let Some(dict) = ranges.get(&index) {
                current = Some((index, dict));
            }
            labels.push(current.and_then(|(start, dict)| label(dict, index - start)));
        }
        labels
    }
}

fn label(dict: &Dict<'_>, offset: usize) -> Option<String> {
    let prefix = dict.get::<PdfString<'_>>(b"P").map(|prefix| text_string(&prefix)).unwrap_or_default();
    let start = dict.get::<u32>(b"St").unwrap_or(1);
    let number = start.saturating_add(u32::try_from(offset).ok()?);
    let style = dict.get::<Name<'_>>(b"S");
    let number = match style.as_deref() {
        Some(b"D") => number.to_string(),
        Some(b"R") => roman(number),
        Some(b"r") => roman(number).to_lowercase(),
        Some(b"A") => letters(number),
        Some(b"a") => letters(number).to_lowercase(),
        _ => String::new(),
    };
    let label = format!("{prefix}{number}");
    (!label.is_empty()).then_some(label)
}

fn roman(number: u32) -> String {
    format_roman(number).unwrap_or_else(|| number.to_string())
}

fn letters(number: u32) -> String {
    if number == 0 || number > 26 * 8 {
        return number.to_string();
    }
    let letter = char::from(b'A' + ((number - 1) % 26) as u8);
    std::iter::repeat_n(letter, ((number - 1) / 26 + 1) as usize).collect()
}

fn collect_names<'a>(root: &Dict<'a>, names: &mut BTreeMap<Vec<u8>, Object<'a>>, max_depth: usize) {
    walk_tree(root, b"Names", max_depth, |entries| {
        let mut entries = entries.iter::<Object<'a>>();
        while let (Some(Object::String(key)), Some(value)) = (entries.next(), entries.next()) {
            if names.len() >= MAX_ENTRIES {
                return;
            }
            names.insert(key.to_vec(), value);
        }
    });
}

fn collect_numbers<'a>(root: &Dict<'a>, ranges: &mut BTreeMap<usize, Dict<'a>>, max_depth: usize) {
    walk_tree(root, b"Nums", max_depth, |entries| {
        let mut entries = entries.iter::<Object<'a>>();
        while let (Some(Object::Number(key)), Some(value)) = (entries.next(), entries.next()) {
            if let (Ok(key), Object::Dict(value), true) =
                (usize::try_from(key.as_i64()), value, ranges.len() < MAX_ENTRIES)
            {
                ranges.insert(key, value);
            }
        }
    });
}

/// Visits the leaves of a name or number tree.
fn walk_tree<'a>(root: &Dict<'a>, leaf: &[u8], max_depth: usize, mut visit: impl FnMut(&Array<'a>)) {
    let mut seen = HashSet::new();
    let mut stack = vec![(root.clone(), 0_usize)];
    while let Some((node, depth)) = stack.pop() {
        if depth > max_depth
            || seen.len() > MAX_ENTRIES
            || !seen.insert((node.data().as_ptr() as usize, node.data().len()))
        {
            continue;
        }
        if let Some(entries) = node.get::<Array<'a>>(leaf) {
            visit(&entries);
        }
        if let Some(kids) = node.get::<Array<'a>>(b"Kids") {
            let kids: Vec<Dict<'a>> = kids.iter::<Dict<'a>>().take(MAX_ENTRIES).collect();
            stack.extend(kids.into_iter().rev().map(|kid| (kid, depth + 1)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_count_as_books_do() {
        let romans: Vec<String> = [1, 4, 9, 40, 1994].into_iter().map(roman).collect();
        assert_eq!(romans, ["I", "IV", "IX", "XL", "MCMXCIV"]);
        assert_eq!(roman(4_000_000_000), "4000000000", "a hostile start value stays short");
        assert_eq!([letters(1), letters(27), letters(52)], ["A", "AA", "ZZ"]);
    }
}
