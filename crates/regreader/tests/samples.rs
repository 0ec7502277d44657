//! The sample library against its truth: chapters with page ranges, tables cell by cell, notes, references. The truth
//! comes from the typesetter's own marks and the hand-written sources, never from our parser.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use regreader::pipeline::{self, KnownInfo, ReadOptions, SourceFile};
use regreader_model::{AnnotationScope, LogicalTable, PageNumber, ReferenceKind, Regulation, Resolution};
use regreader_text::{canonical_label, fold, parse_line};
use serde_json::Value;

fn samples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

fn read(reg_id: &str) -> Regulation {
    let path = samples().join(format!("pdf/{reg_id}.pdf"));
    let file = SourceFile::read(&path, 64).unwrap();
    pipeline::read(&file, &reg_id.parse().unwrap(), &KnownInfo::default(), &ReadOptions::default()).unwrap()
}

fn truth(reg_id: &str) -> Value {
    let text = fs::read_to_string(samples().join(format!("truth/{reg_id}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap().iter()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Text as compared: folded, without spaces.
fn plain(words: &str) -> String {
    fold(words).chars().filter(|c| !c.is_whitespace()).collect()
}

/// A reference without the word that leads to it: whether 按 belongs to 按表2-3 is a matter of taste.
fn bare(reference: &str) -> String {
    plain(reference).trim_start_matches(['详', '参', '见', '按']).to_owned()
}

/// Compares two lists and shows only where they differ.
fn assert_same(what: &str, reg_id: &str, found: &[String], wanted: &[String]) {
    let missing: Vec<&String> = wanted.iter().filter(|line| !found.contains(line)).collect();
    let extra: Vec<&String> = found.iter().filter(|line| !wanted.contains(line)).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "{reg_id} {what}\nmissing: {missing:#?}\nextra: {extra:#?}"
    );
    assert_eq!(found, wanted, "{reg_id} {what}: order or count");
}

const REGULATIONS: [&str; 3] = ["angui_2024", "wengui_2024", "angui_2023"];

#[test]
fn every_chapter_stands_in_the_tree_with_its_pages() {
    for reg_id in REGULATIONS {
        let found: Vec<String> = read(reg_id)
            .structure
            .iter()
            .map(|node| {
                let (start, end) = node.page_range();
                format!("{} L{} P{start}-{end}", node.section_number, node.level)
            })
            .collect();
        let wanted: Vec<String> = list(&truth(reg_id)["chapters"])
            .map(|chapter| {
                let printed = text(&chapter["number"]);
                let number = parse_line(printed)
                    .map_or(printed.to_owned(), |line| line.numbering.canonical().to_string());
                format!("{number} L{} P{}-{}", chapter["level"], chapter["page_start"], chapter["page_end"])
            })
            .collect();
        assert_same("chapters", reg_id, &found, &wanted);
    }
}

#[test]
fn every_table_is_whole_cell_by_cell_and_row_by_row() {
    for reg_id in REGULATIONS {
        let regulation = read(reg_id);
        let found: Vec<&LogicalTable> = regulation.tables.tables.values().collect();
        let truth = truth(reg_id);
        let wanted: Vec<&Value> = list(&truth["tables"]).collect();
        let captions: Vec<String> =
            found.iter().map(|table| plain(table.caption.as_deref().unwrap_or_default())).collect();
        let wanted_captions: Vec<String> =
            wanted.iter().map(|table| plain(text(&table["caption"]))).collect();
        assert_same("captions", reg_id, &captions, &wanted_captions);
        for (table, wanted) in found.iter().zip(wanted) {
            let name = format!("{reg_id} {}", table.caption.as_deref().unwrap_or("?"));
            assert_eq!(
                u64::from(table.header_rows),
                wanted["header_rows"].as_u64().unwrap(),
                "{name}: header rows"
            );
            let rows: Vec<(u32, Vec<String>)> = table
                .data_rows()
                .into_iter()
                .map(|(page, cells)| (page.get(), cells.into_iter().map(plain).collect()))
                .collect();
            let pages = list(&wanted["row_pages"]).map(|page| page.as_u64().unwrap() as u32);
            let grid = list(&wanted["grid"]).map(|row| list(row).map(|cell| plain(text(cell))).collect());
            let wanted_rows: Vec<(u32, Vec<String>)> = pages.zip(grid).collect();
            assert_eq!(rows, wanted_rows, "{name}: rows");
        }
    }
}

#[test]
fn every_note_is_bound_to_what_it_speaks_of() {
    for reg_id in REGULATIONS {
        let regulation = read(reg_id);
        let table_name = |id: &str| {
            let table = regulation.tables.get(id).unwrap();
            table.number.clone().unwrap_or_default()
        };
        let mut found = Vec::new();
        for annotation in regulation.pages.iter().flat_map(|page| &page.annotations) {
            if annotation.kind != regreader_model::AnnotationKind::Note {
                continue;
            }
            let scope = match &annotation.scope {
                AnnotationScope::Table { table_id } => format!("table {}", table_name(table_id.as_str())),
                AnnotationScope::Section { .. } => "section".to_owned(),
                AnnotationScope::Page => "page".to_owned(),
            };
            let page = annotation.page_num.unwrap();
            found.push(format!(
                "{} P{page} {scope} {}",
                annotation.annotation_id,
                plain(&annotation.content)
            ));
        }
        let truth = truth(reg_id);
        let numbers: BTreeMap<&str, &str> =
            list(&truth["tables"]).map(|table| (text(&table["id"]), text(&table["number"]))).collect();
        let wanted: Vec<String> = list(&truth["notes"])
            .map(|note| {
                let label = canonical_label(text(&note["label"])).unwrap();
                let scope = match text(&note["scope"]) {
                    "table" => format!("table {}", numbers[text(&note["scope_of"])]),
                    other => other.to_owned(),
                };
                format!("{label} P{} {scope} {}", note["page"], plain(text(&note["content"])))
            })
            .collect();
        let (mut found, mut wanted) = (found, wanted);
        found.sort();
        wanted.sort();
        assert_same("notes", reg_id, &found, &wanted);
    }
}

#[test]
fn every_reference_leads_to_its_page_or_nowhere() {
    for reg_id in REGULATIONS {
        let regulation = read(reg_id);
        let mut found: Vec<String> = regulation
            .references
            .references
            .iter()
            // Mentions of a plan (方案甲) are no references in the truth.
            .filter(|reference| reference.target.kind != ReferenceKind::Plan)
            .map(|reference| {
                let leads_to = match &reference.resolution {
                    Resolution::Resolved { location } => format!("P{}", location.page_num),
                    Resolution::External => "external".to_owned(),
                    Resolution::Unresolved { .. } => "nowhere".to_owned(),
                };
                format!("P{} {} → {leads_to}", reference.page_num, bare(&reference.text))
            })
            .collect();
        let mut wanted: Vec<String> = list(&truth(reg_id)["references"])
            .map(|reference| {
                let regulation = text(&reference["regulation"]);
                let leads_to = match (regulation == reg_id, reference["resolved"].as_bool().unwrap()) {
                    (true, true) => format!("P{}", reference["target_page"]),
                    (true, false) => "nowhere".to_owned(),
                    (false, _) => "external".to_owned(),
                };
                format!("P{} {} → {leads_to}", reference["page"], bare(text(&reference["text"])))
            })
            .collect();
        found.sort();
        wanted.sort();
        assert_same("references", reg_id, &found, &wanted);
    }
}

#[test]
fn printed_page_numbers_and_blank_pages_are_known() {
    for reg_id in REGULATIONS {
        let regulation = read(reg_id);
        let truth = truth(reg_id);
        assert_eq!(regulation.pages.len() as u64, truth["total_pages"].as_u64().unwrap());
        for page in &regulation.pages {
            let label = truth["printed_labels"][page.page_num.to_string()].as_str();
            assert_eq!(page.page_label.as_deref(), label, "{reg_id} P{}", page.page_num);
        }
        let blank: Vec<u64> = list(&truth["blank_pages"]).map(|page| page.as_u64().unwrap()).collect();
        let found: Vec<u64> = regulation
            .pages
            .iter()
            .filter(|page| page.content_blocks.is_empty() && !is_contents(&truth, page.page_num))
            .map(|page| u64::from(page.page_num.get()))
            .collect();
        assert_eq!(found, blank, "{reg_id} blank pages");
    }
}

fn is_contents(truth: &Value, page: PageNumber) -> bool {
    list(&truth["contents_pages"]).any(|contents| contents.as_u64() == Some(u64::from(page.get())))
}
