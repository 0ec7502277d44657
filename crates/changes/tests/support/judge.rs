//! What should have been found, what was found, and the figures.

use std::collections::{BTreeMap, BTreeSet};

use regreader_changes::{ChangeKind, ChangeRecord, Changes};

use super::markup::{Block, Kind, label};
use super::mutate::{Truth, filled};

/// What the edits should show as, one line each. The first word is the class.
pub fn expected(base: &[Block], edited: &[Block], truths: &[Truth]) -> BTreeSet<String> {
    let find = |blocks: &[Block], uid: usize| blocks.iter().find(|block| block.uid == uid).cloned();
    let mut lines = BTreeSet::new();
    let mut involved = BTreeSet::new();
    for truth in truths {
        let number = |blocks: &[Block], uid: usize| label(&find(blocks, uid).unwrap().number);
        lines.insert(match truth {
            Truth::Number { uid, old, new } => {
                involved.insert(*uid);
                format!("limit {old} -> {new}")
            }
            Truth::Cell { uid, row, col, old, new } => {
                let table = find(base, *uid).unwrap().table.unwrap();
                let at =
                    (table.header_rows..table.rows.len()).find(|at| filled(&table, *at) == *row).unwrap();
                format!("limit {old} -> {new} table {} row {} col {col}", table.key, at - table.header_rows)
            }
            Truth::Row { uid, cells, added } => {
                let key = find(base, *uid).unwrap().table.unwrap().key;
                format!("{} row {key}: {}", if *added { "added" } else { "deleted" }, cells.join(" | "))
            }
            Truth::Column { uid, header } => {
                format!("added column {}: {header}", find(base, *uid).unwrap().table.unwrap().key)
            }
            Truth::Inserted { uid } => format!("added clause {}", number(edited, *uid)),
            Truth::Removed { uid } => format!("deleted clause {}", number(base, *uid)),
            Truth::Moved { uid } => {
                involved.insert(*uid);
                format!("moved {} -> {}", number(base, *uid), number(edited, *uid))
            }
            Truth::Split { uid, part } => {
                involved.insert(*uid);
                format!(
                    "split {} -> {} + {}",
                    number(base, *uid),
                    number(edited, *uid),
                    number(edited, *part)
                )
            }
            Truth::Merged { uid, part } => {
                involved.insert(*uid);
                format!("merged {} + {} -> {}", number(base, *uid), number(base, *part), number(edited, *uid))
            }
        });
    }
    for block in base.iter().filter(|block| matches!(block.kind, Kind::Heading | Kind::Clause)) {
        if let Some(after) = find(edited, block.uid)
            && after.number != block.number
            && !involved.contains(&block.uid)
        {
            lines.insert(format!("renumbered {} -> {}", label(&block.number), label(&after.number)));
        }
    }
    lines
}

/// What was found, in the same form.
pub fn found(changes: &Changes) -> BTreeSet<String> {
    changes.changes.iter().filter(|record| record.kind != ChangeKind::Format).map(line).collect()
}

fn line(record: &ChangeRecord) -> String {
    let clause = |place: Option<&regreader_changes::Place>| {
        place.and_then(|place| place.clause.clone()).unwrap_or_else(|| "?".to_owned())
    };
    let (old, new) = (clause(record.old.as_ref()), clause(record.new.as_ref()));
    let others: Vec<String> = record.others.iter().map(|place| clause(Some(place))).collect();
    let others = others.join(" + ");
    let text = record.new_text.as_deref().or(record.old_text.as_deref()).unwrap_or_default();
    let mut place = record.place().cloned().unwrap_or_default();
    // The markup calls every table without a number `-`; we call it by its id.
    place.table =
        place.table.map(|table| if place.table_id.as_ref() == Some(&table) { "-".to_owned() } else { table });
    let kind = record.kind.name();
    if record.kind == ChangeKind::Limit {
        let numbers: Vec<String> =
            record.quantities().map(|quantity| format!("{} -> {}", quantity.old, quantity.new)).collect();
        let table = match (&place.table, place.row, place.col) {
            (Some(table), Some(row), Some(col)) => format!(" table {table} row {row} col {col}"),
            _ => String::new(),
        };
        return format!("limit {}{table}", numbers.join(", "));
    }
    match (record.kind, &place.table, place.row, &place.column) {
        (ChangeKind::Added | ChangeKind::Deleted, Some(table), Some(_), _) => {
            format!("{kind} row {table}: {text}")
        }
        (ChangeKind::Added | ChangeKind::Deleted, Some(table), None, Some(column)) => {
            format!("{kind} column {table}: {column}")
        }
        (ChangeKind::Added, None, ..) => format!("added clause {new}"),
        (ChangeKind::Deleted, None, ..) => format!("deleted clause {old}"),
        (ChangeKind::Split, ..) => format!("split {old} -> {new} + {others}"),
        (ChangeKind::Merged, ..) => format!("merged {old} + {others} -> {new}"),
        (ChangeKind::Moved | ChangeKind::Renumbered, None, ..) => format!("{kind} {old} -> {new}"),
        _ => format!("{kind} {old} -> {new} {:?}: {text}", place.table),
    }
}

/// Hits, misses and extras by class.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    pub classes: BTreeMap<String, [usize; 3]>,
    pub shown: Vec<String>,
}

impl Tally {
    pub fn add(&mut self, seed: u64, expected: &BTreeSet<String>, found: &BTreeSet<String>) {
        let class = |line: &String| line.split(' ').next().unwrap_or_default().to_owned();
        for line in expected {
            let hit = found.contains(line);
            self.classes.entry(class(line)).or_default()[usize::from(!hit)] += 1;
            if !hit {
                self.shown.push(format!("{seed}: missing {line}"));
            }
        }
        for line in found.difference(expected) {
            self.classes.entry(class(line)).or_default()[2] += 1;
            self.shown.push(format!("{seed}: extra {line}"));
        }
    }

    pub fn recall(&self, class: &str) -> f64 {
        let [hits, missing, _] = self.classes.get(class).copied().unwrap_or_default();
        ratio(hits, hits + missing)
    }

    pub fn precision(&self, class: &str) -> f64 {
        let [hits, _, extra] = self.classes.get(class).copied().unwrap_or_default();
        ratio(hits, hits + extra)
    }

    pub fn f1(&self, class: &str) -> f64 {
        let [hits, missing, extra] = self.classes.get(class).copied().unwrap_or_default();
        ratio(2 * hits, 2 * hits + missing + extra)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}
