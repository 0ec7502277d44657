//! Single items of a DoclingDocument.

use std::collections::BTreeMap;

use regreader_model::{RawElement, RawTable, RawText, Rect, TableCell, TableKind, TextRole, TextUnit};
use serde_json::Value;

use crate::Limits;
use crate::flow;

/// Sizes of pages by number.
pub(crate) type PageSizes = BTreeMap<u32, [f32; 2]>;

/// An element and the page it stands on, where that is said.
pub(crate) struct Placed {
    /// Page, from 1.
    pub page: Option<u32>,
    /// The element.
    pub element: RawElement,
}

/// What an item's label says, as far as it matters beyond the role of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    /// A printed table of contents recognised as a table.
    Contents,
    /// Anything else.
    Other,
}

impl Label {
    /// Reads the label.
    pub fn of(item: &Value) -> Self {
        if label(item) == "document_index" { Self::Contents } else { Self::Other }
    }
}

fn label(item: &Value) -> &str {
    item.get("label").and_then(Value::as_str).unwrap_or("")
}

/// Page sizes as the file gives them.
pub(crate) fn page_sizes(root: &Value) -> PageSizes {
    let mut sizes = PageSizes::new();
    for (key, page) in root.get("pages").and_then(Value::as_object).into_iter().flatten() {
        let number = page.get("page_no").and_then(Value::as_u64).or_else(|| key.parse().ok());
        let side = |name| page.get("size").and_then(|size| size.get(name)).and_then(Value::as_f64);
        if let (Some(number), Some(width), Some(height)) =
            (number.and_then(|n| u32::try_from(n).ok()), side("width"), side("height"))
        {
            sizes.insert(number, [width as f32, height as f32]);
        }
    }
    sizes
}

/// Page and box of an item's first provenance.
pub(crate) fn place(item: &Value, sizes: &PageSizes) -> (Option<u32>, Option<Rect>) {
    provenances(item).next().map_or((None, None), |prov| one_place(prov, sizes))
}

fn provenances(item: &Value) -> impl Iterator<Item = &Value> {
    item.get("prov").and_then(Value::as_array).into_iter().flatten()
}

fn one_place(prov: &Value, sizes: &PageSizes) -> (Option<u32>, Option<Rect>) {
    let page =
        prov.get("page_no").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    let height = page.and_then(|page| sizes.get(&page)).map(|size| size[1]);
    (page, prov.get("bbox").and_then(|bbox| rect(bbox, height)))
}

/// A box with the origin at the top left.
fn rect(bbox: &Value, page_height: Option<f32>) -> Option<Rect> {
    let side = |name| bbox.get(name).and_then(Value::as_f64).map(|v| v as f32).filter(|v| v.is_finite());
    let (l, t, r, b) = (side("l")?, side("t")?, side("r")?, side("b")?);
    if bbox.get("coord_origin").and_then(Value::as_str) == Some("BOTTOMLEFT") {
        let height = page_height?;
        return Some(Rect::new(l, height - t, r, height - b));
    }
    Some(Rect::new(l, t, r, b))
}

/// A text, in parts where it runs over pages.
pub(crate) fn text(item: &Value, layer: &str, sizes: &PageSizes) -> Vec<Placed> {
    let words = item.get("text").and_then(Value::as_str).unwrap_or("");
    if words.trim().is_empty() {
        return Vec::new();
    }
    let role = role(item, layer);
    let marker = item.get("marker").and_then(Value::as_str).map_or("", str::trim);
    let numbered = marker.chars().any(char::is_alphanumeric) && !words.starts_with(marker);
    let prefix = match label(item) {
        "list_item" if numbered => format!("{marker} "),
        "checkbox_selected" => "☑ ".to_owned(),
        "checkbox_unselected" => "☐ ".to_owned(),
        _ => String::new(),
    };
    let bold = item.get("formatting").and_then(|f| f.get("bold")).and_then(Value::as_bool).unwrap_or(false);
    let part = |text: String, page: Option<u32>, bbox: Option<Rect>| {
        let text = RawText { unit: TextUnit::Paragraph, bbox, bold, ..flow::paragraph(text, role) };
        Placed { page, element: RawElement::Text(text) }
    };
    let provenances: Vec<&Value> = provenances(item).collect();
    if let Some(parts) = split_by_page(words, &provenances) {
        return parts
            .into_iter()
            .enumerate()
            .map(|(index, (words, prov))| {
                let (page, bbox) = one_place(prov, sizes);
                part(if index == 0 { format!("{prefix}{words}") } else { words }, page, bbox)
            })
            .collect();
    }
    let (page, bbox) = provenances.first().map_or((None, None), |prov| one_place(prov, sizes));
    vec![part(format!("{prefix}{words}"), page, bbox)]
}

/// Parts of a text by the character ranges of its provenances, where these lie on different pages and make sense.
fn split_by_page<'a>(text: &str, provenances: &[&'a Value]) -> Option<Vec<(String, &'a Value)>> {
    let page = |prov: &Value| prov.get("page_no").and_then(Value::as_u64);
    if provenances.len() < 2 || provenances.iter().all(|prov| page(prov) == page(provenances[0])) {
        return None;
    }
    let characters: Vec<char> = text.chars().collect();
    let mut starts: Vec<(usize, &'a Value)> = Vec::new();
    for prov in provenances {
        let start = prov.get("charspan")?.get(0)?.as_u64()? as usize;
        if start > characters.len() || starts.last().is_some_and(|(last, _)| *last > start) {
            return None;
        }
        match starts.last() {
            Some((_, before)) if page(before) == page(prov) => {}
            _ => starts.push((start, *prov)),
        }
    }
    let mut parts = Vec::new();
    for (index, (start, prov)) in starts.iter().enumerate() {
        let start = if index == 0 { 0 } else { *start };
        let end = starts.get(index + 1).map_or(characters.len(), |(next, _)| *next);
        let words: String = characters[start..end.max(start)].iter().collect();
        if !words.trim().is_empty() {
            parts.push((words.trim().to_owned(), *prov));
        }
    }
    (!parts.is_empty()).then_some(parts)
}

fn role(item: &Value, layer: &str) -> TextRole {
    match label(item) {
        "page_header" => TextRole::PageHeader,
        "page_footer" => TextRole::PageFooter,
        _ if layer == "furniture" => TextRole::PageHeader,
        "title" => TextRole::Title,
        "section_header" => {
            let level = item.get("level").and_then(Value::as_u64).unwrap_or(1).clamp(1, 9);
            TextRole::Heading { level: level as u32 }
        }
        "list_item" => TextRole::ListItem,
        "caption" => TextRole::Caption,
        "footnote" => TextRole::Footnote,
        "document_index" => TextRole::ContentsLine,
        "code" | "formula" => TextRole::Code,
        _ => TextRole::Body,
    }
}

/// A table with its cells.
pub(crate) fn table(item: &Value, caption: Option<String>, sizes: &PageSizes, limits: &Limits) -> Placed {
    let (page, bbox) = place(item, sizes);
    let height = page.and_then(|page| sizes.get(&page)).map(|size| size[1]);
    let mut table = item
        .get("data")
        .map_or_else(|| grid(&Value::Null, height, limits), |data| grid(data, height, limits));
    table.bbox = bbox;
    table.caption = caption;
    Placed { page, element: RawElement::Table(table) }
}

fn grid(data: &Value, page_height: Option<f32>, limits: &Limits) -> RawTable {
    let mut cells = Vec::new();
    for cell in data.get("table_cells").and_then(Value::as_array).into_iter().flatten().take(limits.max_cells)
    {
        let number = |name| cell.get(name).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let (Some(row), Some(col)) = (number("start_row_offset_idx"), number("start_col_offset_idx")) else {
            continue;
        };
        if row > 1 << 20 || col > 1 << 14 {
            continue;
        }
        let span = |start: u32, end, name| match number(end) {
            Some(end) if end > start => (end - start).min(1 << 14),
            _ => number(name).unwrap_or(1).clamp(1, 1 << 14),
        };
        cells.push(TableCell {
            row,
            col,
            row_span: span(row, "end_row_offset_idx", "row_span"),
            col_span: span(col, "end_col_offset_idx", "col_span"),
            content: cell.get("text").and_then(Value::as_str).unwrap_or("").trim().to_owned(),
            is_header: cell.get("column_header").and_then(Value::as_bool).unwrap_or(false),
            bbox: cell.get("bbox").and_then(|bbox| rect(bbox, page_height)),
        });
    }
    cells.sort_by_key(|cell| (cell.row, cell.col));
    let row_count = cells.iter().map(|cell| cell.row + cell.row_span).max().unwrap_or(0);
    let col_count = cells.iter().map(|cell| cell.col + cell.col_span).max().unwrap_or(0);
    // Leading rows in which every cell is a column header: those above the first cell that is none.
    let header_rows = cells.iter().find(|cell| !cell.is_header).map_or(0, |cell| cell.row);
    RawTable {
        kind: TableKind::Declared,
        row_count,
        col_count,
        cells,
        bbox: None,
        header_rows: (header_rows > 0 && header_rows < row_count).then_some(header_rows),
        caption: None,
        confidence: None,
    }
}

/// The rows of a contents table as contents lines.
pub(crate) fn contents_lines(placed: &Placed) -> Vec<Placed> {
    let RawElement::Table(table) = &placed.element else { return Vec::new() };
    let mut lines: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for cell in table.cells.iter().filter(|cell| !cell.content.is_empty()) {
        lines.entry(cell.row).or_default().push(&cell.content);
    }
    lines
        .into_values()
        .map(|words| Placed {
            page: placed.page,
            element: RawElement::Text(RawText {
                bbox: table.bbox,
                ..flow::paragraph(words.join("\t"), TextRole::ContentsLine)
            }),
        })
        .collect()
}

/// The data of a chart that Docling read, as a table.
pub(crate) fn chart(item: &Value, page: Option<u32>, bbox: Option<Rect>, limits: &Limits) -> Option<Placed> {
    let data = item.get("meta")?.get("tabular_chart")?.get("chart_data")?;
    let mut table = grid(data, None, limits);
    if table.cells.is_empty() {
        return None;
    }
    table.bbox = bbox;
    Some(Placed { page, element: RawElement::Table(table) })
}

/// What a picture shows, where a description was made.
pub(crate) fn description(item: &Value) -> Option<String> {
    let described = item.get("meta").and_then(|meta| meta.get("description")?.get("text")?.as_str());
    let annotated = item
        .get("annotations")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .find(|note| note.get("kind").and_then(Value::as_str) == Some("description"))
        .and_then(|note| note.get("text")?.as_str());
    described.or(annotated).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}
