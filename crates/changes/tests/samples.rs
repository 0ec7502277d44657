//! The two editions of the sample regulation, as PDF and as DOCX, against the truth that was made with them.

use std::collections::BTreeSet;

use crate::support::{read, samples};
use regreader_changes::{ChangeKind, ChangeRecord, DiffOptions, EditionText, diff};
use regreader_model::Regulation;
use serde_json::Value;

fn sample(file: &str, reg_id: &str) -> Regulation {
    read(&std::fs::read(samples().join(file)).unwrap(), file, reg_id)
}

fn truth() -> BTreeSet<String> {
    let text = std::fs::read_to_string(samples().join("truth/changes.json")).unwrap();
    let truth: Value = serde_json::from_str(&text).unwrap();
    let list = |name: &str| truth[name].as_array().cloned().unwrap_or_default();
    let mut lines = BTreeSet::new();
    for one in list("clauses_modified") {
        lines.insert(format!("changed {} P{} P{}", one["clause"], one["older_page"], one["newer_page"]));
    }
    for one in list("clauses_only_newer") {
        lines.insert(format!("added {} P{}", one["clause"], one["page"]));
    }
    for one in list("clauses_only_older") {
        lines.insert(format!("deleted {} P{}", one["clause"], one["page"]));
    }
    for one in list("cells") {
        lines.insert(format!(
            "cell {} {} {} {} {} P{} P{}",
            one["table"],
            one["row"],
            one["col"],
            one["older"],
            one["newer"],
            one["older_page"],
            one["newer_page"]
        ));
    }
    for one in list("rows_only_newer") {
        lines.insert(format!("row added {} {} P{}", one["table"], one["row"], one["page"]));
    }
    lines
}

fn line(record: &ChangeRecord) -> String {
    let page = |place: &Option<regreader_changes::Place>| place.as_ref().map_or(0, |place| place.page);
    let place = record.place().unwrap();
    let table = place.table.clone().unwrap_or_default();
    let clause = place.clause.clone().unwrap_or_default();
    match (record.kind, place.row) {
        (ChangeKind::Limit | ChangeKind::Text, Some(row)) => format!(
            "cell {table:?} {row} {} {:?} {:?} P{} P{}",
            place.col.unwrap(),
            record.old_text.as_deref().unwrap(),
            record.new_text.as_deref().unwrap(),
            page(&record.old),
            page(&record.new)
        ),
        (ChangeKind::Limit | ChangeKind::Text, None) => {
            format!("changed {clause:?} P{} P{}", page(&record.old), page(&record.new))
        }
        (ChangeKind::Added, Some(row)) => format!("row added {table:?} {row} P{}", place.page),
        (ChangeKind::Added | ChangeKind::Deleted, None) if place.table.is_none() => {
            format!("{} {clause:?} P{}", record.kind.name(), place.page)
        }
        _ => format!("{} {clause:?} {table:?} {place:?}", record.kind.name()),
    }
}

#[test]
fn the_editions_differ_by_exactly_what_was_changed() {
    let old = sample("pdf/angui_2023.pdf", "angui_2023");
    let new = sample("pdf/angui_2024.pdf", "angui_2024");
    let changes = diff(&EditionText::of(&old), &EditionText::of(&new), &DiffOptions::default());
    let real: Vec<&ChangeRecord> =
        changes.changes.iter().filter(|record| record.kind != ChangeKind::Format).collect();
    let found: BTreeSet<String> = real.iter().map(|record| line(record)).collect();
    let truth = truth();
    let missing: Vec<_> = truth.difference(&found).collect();
    let extra: Vec<_> = found.difference(&truth).collect();
    assert!(missing.is_empty() && extra.is_empty(), "missing {missing:#?}\nextra {extra:#?}");
    assert_eq!(real.len(), truth.len(), "each change once");
}

#[test]
fn a_document_read_from_pdf_and_from_word_does_not_differ() {
    for name in ["angui_2023", "angui_2024", "wengui_2024"] {
        let pdf = sample(&format!("pdf/{name}.pdf"), name);
        let word = sample(&format!("docx/{name}.docx"), name);
        let changes = diff(&EditionText::of(&pdf), &EditionText::of(&word), &DiffOptions::default());
        let real: Vec<_> =
            changes.changes.iter().filter(|record| record.kind != ChangeKind::Format).collect();
        assert!(real.is_empty(), "{name}: {} {real:#?}", real.len());
        let same = diff(&EditionText::of(&pdf), &EditionText::of(&pdf), &DiffOptions::default());
        assert!(same.changes.is_empty(), "{:?}", same.counts);
    }
}
