//! The sample library against its truth: chapters with page ranges, tables cell by cell, notes, references. The truth
//! comes from the typesetter's own marks and the hand-written sources, never from our parser.
//!
//! Each regulation is read from its PDF, from its DOCX with the pages that LibreOffice lays out (where it is installed),
//! and from its DOCX alone, when pages are an estimate and everything but the pages must still be right.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::LazyLock;

use regreader::pipeline::{self, KnownInfo, LibreOffice, ReadOptions, SourceFile};
use regreader_model::{AnnotationScope, LogicalTable, PageNumber, ReferenceKind, Regulation, Resolution};
use regreader_text::{canonical_label, fold, parse_line};
use serde_json::Value;

/// One file of the library, read, with its truth.
struct Sample {
    reg_id: &'static str,
    /// What to call it when something differs.
    name: String,
    regulation: Regulation,
    truth: Value,
    /// Pages are those of the truth, not an estimate.
    exact_pages: bool,
}

const REGULATIONS: [(&str, &str); 4] =
    [("", "angui_2024"), ("", "wengui_2024"), ("", "angui_2023"), ("en/", "rel_901_2")];

static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let libreoffice = LibreOffice::find("");
    if libreoffice.is_none() {
        let _ = writeln!(std::io::stderr(), "skipped: DOCX with exact pages needs LibreOffice");
    }
    let mut samples = Vec::new();
    for (folder, reg_id) in REGULATIONS {
        samples.push(sample(folder, reg_id, "pdf", None));
        samples.push(sample(folder, reg_id, "docx", None));
        let laid_out =
            libreoffice.as_ref().map(|libreoffice| sample(folder, reg_id, "docx", Some(libreoffice)));
        // A machine too busy for LibreOffice says so; one that lays out must agree.
        samples.extend(laid_out.filter(|sample| {
            let gave_up =
                sample.regulation.quality.diagnostics.iter().find(|d| d.message.contains("LibreOffice"));
            if let Some(diagnostic) = gave_up {
                let _ = writeln!(std::io::stderr(), "skipped: {}: {}", sample.name, diagnostic.message);
            } else {
                assert!(!sample.regulation.info.pages_approximate, "{}", sample.name);
            }
            gave_up.is_none()
        }));
    }
    samples
});

fn sample(folder: &str, reg_id: &'static str, format: &str, libreoffice: Option<&LibreOffice>) -> Sample {
    let home = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../samples").join(folder);
    let file = SourceFile::read(&home.join(format!("{format}/{reg_id}.{format}")), 64).unwrap();
    let options = ReadOptions { libreoffice, ..ReadOptions::default() };
    let regulation =
        pipeline::read(&file, &reg_id.parse().unwrap(), &KnownInfo::default(), &options).unwrap();
    let exact_pages = format == "pdf" || libreoffice.is_some();
    let truth = if format == "pdf" { format!("{reg_id}.json") } else { format!("{reg_id}.docx.json") };
    let truth = fs::read_to_string(home.join("truth").join(truth)).unwrap();
    let pages = if exact_pages { "" } else { " (estimated pages)" };
    Sample {
        reg_id,
        name: format!("{}{pages}", file.name),
        regulation,
        truth: serde_json::from_str(&truth).unwrap(),
        exact_pages,
    }
}

impl Sample {
    /// A page as it is compared: not at all when pages are an estimate.
    fn page(&self, page: impl std::fmt::Display) -> String {
        if self.exact_pages { format!("P{page}") } else { "P?".to_owned() }
    }
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
    let plain = plain(reference);
    let plain = plain.strip_prefix("see").unwrap_or(&plain);
    plain.trim_start_matches(['详', '参', '见', '按']).to_owned()
}

/// Compares two lists and shows only where they differ.
fn assert_same(what: &str, name: &str, found: &[String], wanted: &[String]) {
    let missing: Vec<&String> = wanted.iter().filter(|line| !found.contains(line)).collect();
    let extra: Vec<&String> = found.iter().filter(|line| !wanted.contains(line)).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "{name} {what}\nmissing: {missing:#?}\nextra: {extra:#?}"
    );
    assert_eq!(found, wanted, "{name} {what}: order or count");
}

#[test]
fn every_chapter_stands_in_the_tree_with_its_pages() {
    for sample in SAMPLES.iter() {
        let found: Vec<String> = sample
            .regulation
            .structure
            .iter()
            .map(|node| {
                let (start, end) = node.page_range();
                let pages = sample.page(format!("{start}-{end}"));
                format!("{} L{} {pages}", node.section_number, node.level)
            })
            .collect();
        let wanted: Vec<String> = list(&sample.truth["chapters"])
            .map(|chapter| {
                let printed = text(&chapter["number"]);
                let number = parse_line(printed)
                    .or_else(|| parse_line(text(&chapter["heading"])))
                    .map_or(printed.to_owned(), |line| line.numbering.canonical().to_string());
                let pages = sample.page(format!("{}-{}", chapter["page_start"], chapter["page_end"]));
                format!("{number} L{} {pages}", chapter["level"])
            })
            .collect();
        assert_same("chapters", &sample.name, &found, &wanted);
    }
}

#[test]
fn every_table_is_whole_cell_by_cell_and_row_by_row() {
    for sample in SAMPLES.iter() {
        let found: Vec<&LogicalTable> = sample.regulation.tables.tables.values().collect();
        let wanted: Vec<&Value> = list(&sample.truth["tables"]).collect();
        let captions: Vec<String> =
            found.iter().map(|table| plain(table.caption.as_deref().unwrap_or_default())).collect();
        let wanted_captions: Vec<String> =
            wanted.iter().map(|table| plain(text(&table["caption"]))).collect();
        assert_same("captions", &sample.name, &captions, &wanted_captions);
        for (table, wanted) in found.iter().zip(wanted) {
            let name = format!("{} {}", sample.name, table.caption.as_deref().unwrap_or("?"));
            assert_eq!(
                u64::from(table.header_rows),
                wanted["header_rows"].as_u64().unwrap(),
                "{name}: header rows"
            );
            let rows: Vec<(String, Vec<String>)> = table
                .data_rows()
                .into_iter()
                .map(|(page, cells)| (sample.page(page), cells.into_iter().map(plain).collect()))
                .collect();
            let pages = list(&wanted["row_pages"]).map(|page| sample.page(page));
            let grid = list(&wanted["grid"]).map(|row| list(row).map(|cell| plain(text(cell))).collect());
            let wanted_rows: Vec<(String, Vec<String>)> = pages.zip(grid).collect();
            assert_eq!(rows, wanted_rows, "{name}: rows");
        }
    }
}

#[test]
fn every_note_is_bound_to_what_it_speaks_of() {
    for sample in SAMPLES.iter() {
        let table_name = |id: &str| {
            let table = sample.regulation.tables.get(id).unwrap();
            table.number.clone().unwrap_or_default()
        };
        let mut found = Vec::new();
        for annotation in sample.regulation.pages.iter().flat_map(|page| &page.annotations) {
            if annotation.kind != regreader_model::AnnotationKind::Note {
                continue;
            }
            let scope = match &annotation.scope {
                AnnotationScope::Table { table_id } => format!("table {}", table_name(table_id.as_str())),
                AnnotationScope::Section { .. } => "section".to_owned(),
                AnnotationScope::Page => "page".to_owned(),
            };
            found.push(format!(
                "{} {} {scope} {}",
                annotation.annotation_id,
                sample.page(annotation.page_num.unwrap()),
                plain(&annotation.content)
            ));
        }
        let numbers: BTreeMap<&str, &str> =
            list(&sample.truth["tables"]).map(|table| (text(&table["id"]), text(&table["number"]))).collect();
        let mut wanted: Vec<String> = list(&sample.truth["notes"])
            .map(|note| {
                let label = text(&note["label"]).replace("Note", "Note ");
                let label = canonical_label(&label).unwrap();
                let scope = match text(&note["scope"]) {
                    "table" => format!("table {}", numbers[text(&note["scope_of"])]),
                    other => other.to_owned(),
                };
                format!("{label} {} {scope} {}", sample.page(&note["page"]), plain(text(&note["content"])))
            })
            .collect();
        found.sort();
        wanted.sort();
        assert_same("notes", &sample.name, &found, &wanted);
    }
}

#[test]
fn every_reference_leads_to_its_page_or_nowhere() {
    for sample in SAMPLES.iter() {
        let mut found: Vec<String> = sample
            .regulation
            .references
            .references
            .iter()
            // Mentions of a plan (方案甲) are no references in the truth.
            .filter(|reference| reference.target.kind != ReferenceKind::Plan)
            .map(|reference| {
                let leads_to = match &reference.resolution {
                    Resolution::Resolved { location } => sample.page(location.page_num),
                    Resolution::External => "external".to_owned(),
                    Resolution::Unresolved { .. } => "nowhere".to_owned(),
                };
                format!("{} {} → {leads_to}", sample.page(reference.page_num), bare(&reference.text))
            })
            .collect();
        let mut wanted: Vec<String> = list(&sample.truth["references"])
            .map(|reference| {
                let regulation = text(&reference["regulation"]);
                let own = regulation == sample.reg_id;
                let leads_to = match (own, reference["resolved"].as_bool().unwrap()) {
                    (true, true) => sample.page(&reference["target_page"]),
                    (true, false) => "nowhere".to_owned(),
                    (false, _) => "external".to_owned(),
                };
                format!("{} {} → {leads_to}", sample.page(&reference["page"]), bare(text(&reference["text"])))
            })
            .collect();
        found.sort();
        wanted.sort();
        assert_same("references", &sample.name, &found, &wanted);
    }
}

#[test]
fn printed_page_numbers_and_blank_pages_are_known() {
    for sample in SAMPLES.iter().filter(|sample| sample.exact_pages) {
        let (name, truth, pages) = (&sample.name, &sample.truth, &sample.regulation.pages);
        assert_eq!(pages.len() as u64, truth["total_pages"].as_u64().unwrap(), "{name}");
        for page in pages {
            let label = truth["printed_labels"][page.page_num.to_string()].as_str();
            assert_eq!(page.page_label.as_deref(), label, "{name} P{}", page.page_num);
        }
        let blank: Vec<u64> = list(&truth["blank_pages"]).map(|page| page.as_u64().unwrap()).collect();
        let found: Vec<u64> = pages
            .iter()
            .filter(|page| page.content_blocks.is_empty() && !is_contents(truth, page.page_num))
            .map(|page| u64::from(page.page_num.get()))
            .collect();
        assert_eq!(found, blank, "{name} blank pages");
    }
}

fn is_contents(truth: &Value, page: PageNumber) -> bool {
    list(&truth["contents_pages"]).any(|contents| contents.as_u64() == Some(u64::from(page.get())))
}
