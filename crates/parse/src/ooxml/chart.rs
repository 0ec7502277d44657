//! The data behind a chart as a table: one row a category, one column a series.

use std::collections::BTreeMap;

use regreader_model::{RawTable, TableCell, TableKind};

use super::{Element, Ns};
use crate::Limits;

/// What a chart part says.
#[derive(Debug, Default)]
pub(crate) struct Chart {
    /// Its title, where it has one.
    pub title: Option<String>,
    /// Its cached data.
    pub table: Option<RawTable>,
}

/// Reads a chart part.
pub(crate) fn read(root: &Element, limits: &Limits) -> Chart {
    let title = root
        .find(Ns::Chart, "chart")
        .and_then(|chart| chart.child("title"))
        .map(|title| rich_text(title).trim().to_owned())
        .filter(|title| !title.is_empty());
    let series: Vec<Series> = root
        .descendants()
        .filter(|element| element.is(Ns::Chart, "ser"))
        .take(256)
        .enumerate()
        .map(|(index, element)| Series::read(element, index))
        .collect();
    Chart { title, table: table(&series, limits) }
}

fn rich_text(element: &Element) -> String {
    element.descendants().filter(|child| child.is(Ns::Drawing, "t")).map(Element::text).collect()
}

struct Series {
    name: String,
    categories: BTreeMap<u32, String>,
    values: BTreeMap<u32, String>,
}

impl Series {
    fn read(element: &Element, index: usize) -> Self {
        let name = element
            .child("tx")
            .and_then(|tx| tx.find(Ns::Chart, "v"))
            .map_or_else(|| format!("系列{}", index + 1), |v| v.text().trim().to_owned());
        let points = |names: [&str; 2]| {
            names.iter().find_map(|name| element.child(name)).map(points).unwrap_or_default()
        };
        Self { name, categories: points(["cat", "xVal"]), values: points(["val", "yVal"]) }
    }
}

fn points(data: &Element) -> BTreeMap<u32, String> {
    let mut out = BTreeMap::new();
    for point in data.descendants().filter(|child| child.is(Ns::Chart, "pt")) {
        if let (Some(index), Some(value)) = (point.attr("idx").and_then(|i| i.parse().ok()), point.child("v"))
        {
            // Several levels of categories repeat an index; the first level is the finest.
            out.entry(index).or_insert_with(|| tidy(value.text().trim()));
        }
    }
    out
}

/// Cached numbers carry the noise of binary fractions: `2.4000000000000004`.
fn tidy(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if text.len() > 15 && number.is_finite() => crate::xlsx::format::general(number),
        _ => text.to_owned(),
    }
}

fn table(series: &[Series], limits: &Limits) -> Option<RawTable> {
    let mut rows: BTreeMap<u32, &str> = BTreeMap::new();
    for one in series {
        for (&index, category) in &one.categories {
            rows.entry(index).or_insert(category);
        }
        for &index in one.values.keys() {
            rows.entry(index).or_insert("");
        }
    }
    if rows.is_empty() || series.is_empty() {
        return None;
    }
    let width = series.len() + 1;
    let mut cells = vec![cell(0, 0, "", true)];
    cells.extend(series.iter().enumerate().map(|(col, one)| cell(0, col + 1, &one.name, true)));
    let most_rows = (limits.max_cells / width).max(1);
    for (row, (index, category)) in rows.iter().take(most_rows).enumerate() {
        cells.push(cell(row + 1, 0, category, false));
        for (col, one) in series.iter().enumerate() {
            cells.push(cell(row + 1, col + 1, one.values.get(index).map_or("", String::as_str), false));
        }
    }
    Some(RawTable {
        kind: TableKind::Declared,
        row_count: rows.len().min(most_rows) as u32 + 1,
        col_count: width as u32,
        cells,
        bbox: None,
        header_rows: Some(1),
        caption: None,
        confidence: None,
    })
}

fn cell(row: usize, col: usize, content: &str, is_header: bool) -> TableCell {
    TableCell {
        row: row as u32,
        col: col as u32,
        row_span: 1,
        col_span: 1,
        content: content.to_owned(),
        is_header,
        bbox: None,
    }
}
