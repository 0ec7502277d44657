//! `compare_sections`: two chapters side by side, within a regulation or between two editions, on the engine that compares
//! whole editions.

use regreader_changes::{ChangeKind, ChangeRecord, DiffOptions, Place, diff};
use regreader_model::{ChapterNode, LogicalTable, PageNumber};
use regreader_store::RegulationReader;
use regreader_text::beginning;

use crate::changes::WholeEdition;
use crate::places::section;
use crate::requests as rq;
use crate::results as rs;
use crate::{ToolError, Toolbox};

/// Steps of a comparison, as they are told.
const STEPS: usize = 3;
/// Characters of one clause shown.
const MAX_CLAUSE: usize = 600;

impl Toolbox {
    /// What differs between two chapters.
    pub fn compare_sections(&self, request: &rq::CompareSections) -> Result<rs::Comparison, ToolError> {
        let reader_a = self.reader(&request.reg_id)?;
        let reader_b = self.reader(request.reg_id_b.as_deref().unwrap_or(&request.reg_id))?;
        let name_b = request.section_b.as_deref().unwrap_or(&request.section_a);
        let (structure_a, structure_b) = (reader_a.structure()?, reader_b.structure()?);
        let node_a = section(&structure_a, &request.section_a)?;
        let node_b = section(&structure_b, name_b)?;

        let step = |doing: &str, done| self.tell(|| doing.to_owned(), done, STEPS);
        step("读取甲方条文", 0);
        let a = WholeEdition::read(reader_a)?;
        step("读取乙方条文", 1);
        let b = WholeEdition::read(reader_b)?;
        step("对齐并比较", 2);
        let options = DiffOptions {
            old_scope: Some(&node_a.node_id),
            new_scope: Some(&node_b.node_id),
            without_tables: !request.include_tables,
            entities: None,
        };
        let changes = diff(&a.text(), &b.text(), &options);
        let mut result = rs::Comparison {
            a: side(&a.reader, node_a),
            b: side(&b.reader, node_b),
            same: changes.same as u32,
            changed: Vec::new(),
            only_in_a: Vec::new(),
            only_in_b: Vec::new(),
            tables: Vec::new(),
            truncated: false,
        };
        for record in &changes.changes {
            if record.place().is_some_and(|place| place.table_id.is_some()) {
                add_table(&mut result.tables, record);
            } else {
                add_clause(&mut result, record);
            }
        }
        let cap = self.options.max_items / 2;
        result.truncated = cut(&mut result.changed, cap)
            | cut(&mut result.only_in_a, cap)
            | cut(&mut result.only_in_b, cap)
            | cut(&mut result.tables, cap);
        Ok(result)
    }
}

fn cut<T>(list: &mut Vec<T>, cap: usize) -> bool {
    let too_long = list.len() > cap;
    list.truncate(cap);
    too_long
}

fn side(reader: &RegulationReader, node: &ChapterNode) -> rs::SideView {
    let (first, last) = node.page_range();
    rs::SideView {
        reg_id: reader.reg_id().to_string(),
        section_number: node.section_number.to_string(),
        title: node.title.clone(),
        page_range: [first.get(), last.get()],
    }
}

fn add_clause(result: &mut rs::Comparison, record: &ChangeRecord) {
    // A number or a place alone is no other content; two chapters of one regulation always differ in those.
    if matches!(record.kind, ChangeKind::Renumbered | ChangeKind::Moved | ChangeKind::Format) {
        return;
    }
    let old = record.old.as_ref().map(|place| view(place, record.old_text.as_deref()));
    let new = record.new.as_ref().map(|place| view(place, record.new_text.as_deref()));
    match (old, new) {
        (Some(a), Some(b)) => {
            let words = beginning(record.words.as_deref().unwrap_or_default(), MAX_CLAUSE);
            result.changed.push(rs::ChangedClause { a, b, words });
        }
        (Some(a), None) => result.only_in_a.push(a),
        (None, Some(b)) => result.only_in_b.push(b),
        (None, None) => {}
    }
}

fn view(place: &Place, text: Option<&str>) -> rs::ClauseView {
    let number = place.clause.clone().unwrap_or_default();
    let note = place.note.as_ref().map_or_else(String::new, |note| format!("{note}："));
    let label = if place.note.is_some() { note } else { format!("{number} ") };
    rs::ClauseView {
        section_number: number,
        page_num: place.page,
        text: beginning(format!("{label}{}", text.unwrap_or_default()).trim(), MAX_CLAUSE),
    }
}

fn add_table(tables: &mut Vec<rs::TableDifference>, record: &ChangeRecord) {
    let id = |place: &Option<Place>| place.as_ref().and_then(|place| place.table_id.clone());
    let (table_a, table_b) = (id(&record.old), id(&record.new));
    let known = tables.iter().position(|table| {
        (table_a.is_some() && table.table_a == table_a) || (table_b.is_some() && table.table_b == table_b)
    });
    let at = known.unwrap_or_else(|| {
        tables.push(rs::TableDifference {
            table_a: table_a.clone(),
            table_b: table_b.clone(),
            caption: record.place().and_then(|place| place.title.clone()),
            cells: Vec::new(),
            rows_only_in_a: Vec::new(),
            rows_only_in_b: Vec::new(),
        });
        tables.len() - 1
    });
    let table = &mut tables[at];
    table.table_a = table.table_a.take().or(table_a);
    table.table_b = table.table_b.take().or(table_b);
    let row = |place: &Place, text: &Option<String>| rs::TableRow {
        page_num: place.page,
        cells: text.as_deref().unwrap_or_default().split(" | ").map(str::to_owned).collect(),
    };
    match (record.kind, &record.old, &record.new) {
        (ChangeKind::Limit | ChangeKind::Text, Some(a), Some(b)) => table.cells.push(rs::CellDifference {
            row: b.row_label.iter().take(2).cloned().collect::<Vec<_>>().join(" / "),
            column: b.column.clone().unwrap_or_default(),
            a: record.old_text.clone().unwrap_or_default(),
            b: record.new_text.clone().unwrap_or_default(),
            page_a: a.page,
            page_b: b.page,
        }),
        (ChangeKind::Deleted, Some(place), _) => table.rows_only_in_a.push(row(place, &record.old_text)),
        (ChangeKind::Added, _, Some(place)) => table.rows_only_in_b.push(row(place, &record.new_text)),
        _ => {}
    }
}

/// The data rows of a table, spans filled in.
pub(crate) fn data_rows(table: &LogicalTable) -> Vec<rs::TableRow> {
    let row = |(page, cells): (PageNumber, Vec<&str>)| rs::TableRow {
        page_num: page.get(),
        cells: cells.into_iter().map(str::to_owned).collect(),
    };
    table.data_rows().into_iter().map(row).collect()
}
