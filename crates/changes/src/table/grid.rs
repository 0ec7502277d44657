//! A table as rows and columns of text, with the place of each.

use regreader_model::LogicalTable;
use regreader_text::{caption, find_quantities, fold_tight};

use super::joined;
use crate::clause::{Clauses, corners};
use crate::likeness::Profile;
use crate::record::Place;

/// Leading cells shown as the name of a row.
const ROW_LABEL: usize = 3;

/// A table prepared for comparison.
pub(crate) struct Grid<'a> {
    pub table: &'a LogicalTable,
    /// Clause it stands in.
    pub clause: Option<usize>,
    clause_label: Option<String>,
    /// Caption without its number.
    pub title: Profile,
    /// Header and cells together.
    pub content: Profile,
    /// For each data row its page and the index of the cell at each column.
    rows: Vec<(u32, Vec<Option<usize>>)>,
    keys: Vec<String>,
    header_keys: Vec<String>,
    units: Vec<String>,
}

impl<'a> Grid<'a> {
    pub(crate) fn new(table: &'a LogicalTable, clauses: &Clauses) -> Self {
        let width = table.col_count as usize;
        let pages = table.data_rows();
        let mut rows: Vec<(u32, Vec<Option<usize>>)> =
            pages.iter().map(|(page, _)| (page.get(), vec![None; width])).collect();
        for (at, cell) in table.cells.iter().enumerate() {
            let from = cell.row.saturating_sub(table.header_rows) as usize;
            let to = cell.row.saturating_add(cell.row_span).saturating_sub(table.header_rows) as usize;
            for (_, columns) in rows.iter_mut().take(to).skip(from) {
                let places = columns.iter_mut().skip(cell.col as usize).take(cell.col_span as usize);
                places.for_each(|place| *place = Some(at));
            }
        }
        let caption_text = table.caption.as_deref().unwrap_or_default();
        let title = caption::parse_caption(caption_text)
            .map_or_else(|| caption_text.to_owned(), |caption| caption.title);
        let keys = table.cells.iter().map(|cell| fold_tight(&cell.content)).collect();
        let header_keys = table.col_headers.iter().map(|header| fold_tight(header)).collect();
        let texts = table.col_headers.iter().map(String::as_str);
        let cells = table.cells.iter().filter(|cell| cell.row >= table.header_rows);
        let content = joined(texts.chain(cells.map(|cell| cell.content.as_str())));
        let general = unit_in(caption_text);
        let unit = |header: &String| {
            let own = unit_in(header);
            if own.is_empty() { general.clone() } else { own }
        };
        let clause = table.chapter_node_id.as_ref().and_then(|node| clauses.of_node(node));
        Self {
            clause,
            clause_label: clause.map(|at| clauses.list[at].label.clone()).filter(|label| !label.is_empty()),
            title: Profile::new(&title),
            content,
            rows,
            keys,
            header_keys,
            units: table.col_headers.iter().map(unit).collect(),
            table,
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.table.col_count as usize
    }

    pub(crate) fn height(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn caption(&self) -> &str {
        self.table.caption.as_deref().unwrap_or_default()
    }

    pub(crate) fn header(&self, col: usize) -> &str {
        self.table.col_headers.get(col).map_or("", String::as_str)
    }

    pub(crate) fn header_key(&self, col: usize) -> &str {
        self.header_keys.get(col).map_or("", String::as_str)
    }

    /// Unit that the header or the caption gives to the numbers of a column.
    pub(crate) fn unit(&self, col: usize) -> &str {
        self.units.get(col).map_or("", String::as_str)
    }

    /// Which cell covers a place: equal for all places of a span.
    pub(crate) fn cell_id(&self, row: usize, col: usize) -> usize {
        let cell = self.rows.get(row).and_then(|(_, columns)| columns.get(col).copied().flatten());
        cell.unwrap_or(usize::MAX - row * self.width() - col)
    }

    pub(crate) fn cell(&self, row: usize, col: usize) -> &str {
        self.table.cells.get(self.cell_id(row, col)).map_or("", |cell| cell.content.as_str())
    }

    /// A cell folded, without white space.
    pub(crate) fn key(&self, row: usize, col: usize) -> &str {
        self.keys.get(self.cell_id(row, col)).map_or("", String::as_str)
    }

    pub(crate) fn row_text(&self, row: usize) -> String {
        (0..self.width()).map(|col| self.cell(row, col)).collect::<Vec<_>>().join(" | ")
    }

    pub(crate) fn place(&self, reg_id: &str) -> Place {
        let segment = self.table.segments.first();
        Place {
            reg_id: reg_id.to_owned(),
            clause: self.clause_label.clone(),
            title: self.table.caption.clone(),
            table: Some(self.table.number.clone().unwrap_or_else(|| self.table.table_id.to_string())),
            table_id: Some(self.table.table_id.to_string()),
            page: segment.map_or(1, |segment| segment.page_num.get()),
            bbox: segment.and_then(|segment| segment.bbox).map(corners),
            ..Place::default()
        }
    }

    pub(crate) fn row_place(&self, reg_id: &str, row: usize) -> Place {
        let label = (0..self.width().min(ROW_LABEL)).map(|col| self.cell(row, col).to_owned());
        let page = self.rows.get(row).map(|(page, _)| *page);
        let cells = (0..self.width()).filter_map(|col| self.table.cells.get(self.cell_id(row, col)));
        let boxes = cells.filter(|cell| cell.row_span == 1).filter_map(|cell| cell.bbox);
        Place {
            row: Some(row as u32),
            row_label: label.collect(),
            page: page.unwrap_or_else(|| self.place(reg_id).page),
            bbox: boxes.reduce(|a, b| a.union(&b)).map(corners),
            ..self.place(reg_id)
        }
    }

    pub(crate) fn column_place(&self, reg_id: &str, col: usize) -> Place {
        Place { col: Some(col as u32), column: Some(self.header(col).to_owned()), ..self.place(reg_id) }
    }

    pub(crate) fn cell_place(&self, reg_id: &str, row: usize, col: usize) -> Place {
        let bbox = self.table.cells.get(self.cell_id(row, col)).and_then(|cell| cell.bbox);
        let place = self.row_place(reg_id, row);
        Place {
            col: Some(col as u32),
            column: Some(self.header(col).to_owned()),
            bbox: bbox.map(corners).or(place.bbox),
            ..place
        }
    }
}

/// The unit of `限额（万千瓦）`, `Limit (MW)`, `单位：万千瓦`; empty for none.
fn unit_in(text: &str) -> String {
    let inside = |open: char, close: char| {
        let tail = &text[text.rfind(open)? + open.len_utf8()..];
        Some(tail.split(close).next().unwrap_or(tail))
    };
    let candidates = [
        inside('（', '）'),
        inside('(', ')'),
        inside('：', '\n'),
        inside(':', '\n'),
        inside('/', '\n'),
        inside('，', '\n'),
    ];
    let unit = |candidate: &str| {
        let with_number = format!("1{}", candidate.trim());
        let found = find_quantities(&with_number);
        let whole = found.first().filter(|(range, _)| range.start == 0 && range.end == with_number.len());
        whole.map(|(_, quantity)| quantity.unit.symbol().to_owned())
    };
    candidates.into_iter().flatten().find_map(unit).unwrap_or_default()
}
