//! Tables of two editions: paired, then their columns, then their rows, then cell by cell.

mod column;
mod grid;
mod row;

use std::collections::BTreeSet;

use regreader_model::LogicalTable;

use crate::align::Alignment;
use crate::assign::{assign, in_order};
use crate::clause::Clauses;
use crate::follow::Renumbering;
use crate::likeness::Profile;
use crate::record::{ChangeKind, ChangeRecord, Place};
use crate::words::difference;
use grid::Grid;

/// Least likeness of two tables.
const ALIKE: f64 = 0.4;

/// One side's tables, in document order.
pub(crate) struct Tables<'a> {
    pub grids: Vec<Grid<'a>>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(tables: impl Iterator<Item = &'a LogicalTable>, clauses: &Clauses) -> Self {
        Self { grids: tables.map(|table| Grid::new(table, clauses)).collect() }
    }
}

/// Which table goes with which: by caption, number, place in the tree and content together.
pub(crate) fn pair(old: &Tables<'_>, new: &Tables<'_>, alignment: &Alignment) -> Vec<(usize, usize, f64)> {
    let scores: Vec<Vec<f64>> =
        old.grids.iter().map(|a| new.grids.iter().map(|b| score(a, b, alignment)).collect()).collect();
    assign(&scores).into_iter().map(|(a, b)| (a, b, scores[a][b].min(1.0))).collect()
}

fn score(a: &Grid<'_>, b: &Grid<'_>, alignment: &Alignment) -> f64 {
    let content = a.content.likeness(&b.content);
    let likeness = if a.title.key.is_empty() && b.title.key.is_empty() {
        content
    } else {
        0.4 * a.title.likeness(&b.title) + 0.6 * content
    };
    let same_number = a.table.number.is_some() && a.table.number == b.table.number;
    let same_clause = matches!((a.clause, b.clause), (Some(x), Some(y)) if alignment.new_of[x] == Some(y));
    let supported = likeness + f64::from(same_number) * 0.1 + f64::from(same_clause) * 0.05;
    if supported < ALIKE { 0.0 } else { supported }
}

/// What a comparison of two tables needs to know beside them.
#[derive(Clone, Copy)]
pub(crate) struct Beside<'a> {
    /// Ids of the two editions.
    pub sides: [&'a str; 2],
    /// What places are called in the newer edition.
    pub renumbering: &'a Renumbering,
    /// Position of the older edition's table among those that are compared.
    pub table: usize,
}

/// Everything that changed in two tables that are one.
pub(crate) fn compare(
    old: &Grid<'_>,
    new: &Grid<'_>,
    beside: Beside<'_>,
    confidence: f64,
) -> Vec<ChangeRecord> {
    let sides = beside.sides;
    let place = |grid: &Grid<'_>, side: usize| grid.place(sides[side]);
    let mut records = Vec::new();
    if old.title.key != new.title.key {
        let mut record = text_change(old.caption(), new.caption(), "", confidence);
        (record.old, record.new) = (Some(place(old, 0)), Some(place(new, 1)));
        record.kind = ChangeKind::Text;
        records.push(record);
    } else if old.table.number != new.table.number {
        let places = (Some(place(old, 0)), Some(place(new, 1)));
        records.push(ChangeRecord::new(ChangeKind::Renumbered, places.0, places.1, confidence as f32));
    }
    let columns = column::pair(old, new);
    records.extend(column_changes(old, new, sides, &columns));
    let serial = column::serial(old, new, &columns);
    let rows = row::pair(old, new, &columns, &serial);
    let mut seen = BTreeSet::new();
    let kept = in_order(&rows.iter().map(|pair| pair.new).collect::<Vec<_>>());
    for (pair, kept) in rows.iter().zip(kept) {
        let before = records.len();
        let changed = cell_changes(old, new, beside, &columns, &serial, pair, &mut seen);
        records.extend(changed);
        let (a, b) = (old.row_place(sides[0], pair.old), new.row_place(sides[1], pair.new));
        let renumbered = serial.iter().any(|(i, j)| old.key(pair.old, *i) != new.key(pair.new, *j));
        let kind = if kept { renumbered.then_some(ChangeKind::Renumbered) } else { Some(ChangeKind::Moved) };
        if let Some(kind) = kind.filter(|_| records.len() == before) {
            let mut record = ChangeRecord::new(kind, Some(a), Some(b), pair.confidence as f32);
            (record.old_text, record.new_text) = (Some(old.row_text(pair.old)), Some(new.row_text(pair.new)));
            records.push(record);
        }
    }
    records.extend(
        row::alone(old, rows.iter().map(|pair| pair.old))
            .map(|at| old.row_record(sides[0], at, ChangeKind::Deleted)),
    );
    records.extend(
        row::alone(new, rows.iter().map(|pair| pair.new))
            .map(|at| new.row_record(sides[1], at, ChangeKind::Added)),
    );
    records
}

fn column_changes(
    old: &Grid<'_>,
    new: &Grid<'_>,
    sides: [&str; 2],
    columns: &[(usize, usize)],
) -> Vec<ChangeRecord> {
    let mut records = Vec::new();
    for (i, j) in columns {
        if old.header_key(*i) != new.header_key(*j) {
            let mut record = text_change(old.header(*i), new.header(*j), "", 1.0);
            (record.old, record.new) =
                (Some(old.column_place(sides[0], *i)), Some(new.column_place(sides[1], *j)));
            record.kind = ChangeKind::Text;
            records.push(record);
        }
    }
    for i in (0..old.width()).filter(|i| !columns.iter().any(|(x, _)| x == i)) {
        records.push(old.column_record(sides[0], i, ChangeKind::Deleted));
    }
    for j in (0..new.width()).filter(|j| !columns.iter().any(|(_, y)| y == j)) {
        records.push(new.column_record(sides[1], j, ChangeKind::Added));
    }
    records
}

/// Cells of two rows that are one. A cell that spans several rows is told once.
fn cell_changes(
    old: &Grid<'_>,
    new: &Grid<'_>,
    beside: Beside<'_>,
    columns: &[(usize, usize)],
    serial: &[(usize, usize)],
    pair: &row::Pair,
    seen: &mut BTreeSet<(usize, usize)>,
) -> Vec<ChangeRecord> {
    let sides = beside.sides;
    let mut records = Vec::new();
    for (i, j) in columns.iter().filter(|column| !serial.contains(column)) {
        let (a, b) = (old.cell(pair.old, *i), new.cell(pair.new, *j));
        let same = old.key(pair.old, *i) == new.key(pair.new, *j);
        if same || beside.renumbering.explains(a, b, Some(beside.table)) {
            if plain(a) != plain(b) {
                let places = (old.cell_place(sides[0], pair.old, *i), new.cell_place(sides[1], pair.new, *j));
                records.push(ChangeRecord::new(ChangeKind::Format, Some(places.0), Some(places.1), 1.0));
            }
            continue;
        }
        if !seen.insert((old.cell_id(pair.old, *i), new.cell_id(pair.new, *j))) {
            continue;
        }
        let unit = if new.unit(*j).is_empty() { old.unit(*i) } else { new.unit(*j) };
        let mut record = text_change(a, b, unit, pair.confidence);
        record.old = Some(old.cell_place(sides[0], pair.old, *i));
        record.new = Some(new.cell_place(sides[1], pair.new, *j));
        records.push(record);
    }
    // A row whose spelling alone differs in some cells is one difference of format.
    let real = records.iter().any(|record| record.kind != ChangeKind::Format);
    if real {
        records.retain(|record| record.kind != ChangeKind::Format);
    } else {
        records.truncate(1);
    }
    records
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect()
}

/// A record for two texts that differ, without places.
pub(crate) fn text_change(old: &str, new: &str, unit: &str, confidence: f64) -> ChangeRecord {
    let found = difference(old, new, unit);
    let kind = if found.quantities.is_empty() { ChangeKind::Text } else { ChangeKind::Limit };
    let mut record = ChangeRecord::new(kind, None, None, confidence.min(1.0) as f32);
    let mut quantities = found.quantities.into_iter();
    record.quantity = quantities.next();
    record.more_quantities = quantities.collect();
    (record.old_text, record.new_text) = (Some(old.to_owned()), Some(new.to_owned()));
    record
}

/// A table that only one edition has.
pub(crate) fn alone(grid: &Grid<'_>, side: &str, kind: ChangeKind) -> ChangeRecord {
    let rows: Vec<String> = (0..grid.height()).map(|row| grid.row_text(row)).collect();
    let text = format!("{}\n{}", grid.caption(), rows.join("\n"));
    one_sided(kind, grid.place(side), text.trim().to_owned())
}

/// A profile of several texts together.
fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> Profile {
    Profile::new(&texts.collect::<Vec<_>>().join("\n"))
}

/// A record of something that only one edition has.
fn one_sided(kind: ChangeKind, place: Place, text: String) -> ChangeRecord {
    let (old, new) = if kind == ChangeKind::Deleted { (Some(place), None) } else { (None, Some(place)) };
    let mut record = ChangeRecord::new(kind, old, new, 1.0);
    let side = if kind == ChangeKind::Deleted { &mut record.old_text } else { &mut record.new_text };
    *side = Some(text);
    record
}

impl Grid<'_> {
    fn row_record(&self, side: &str, row: usize, kind: ChangeKind) -> ChangeRecord {
        one_sided(kind, self.row_place(side, row), self.row_text(row))
    }

    fn column_record(&self, side: &str, col: usize, kind: ChangeKind) -> ChangeRecord {
        let cells: Vec<&str> = (0..self.height()).map(|row| self.cell(row, col)).collect();
        let text = format!("{}：{}", self.header(col), cells.join("、"));
        one_sided(kind, self.column_place(side, col), text)
    }
}
