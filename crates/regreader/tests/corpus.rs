//! Real documents, where they are at hand: `REGREADER_CORPUS` names a folder with `zh/`, `zh-scan/` and `grid-en/`. They are
//! nobody's to copy, so without the folder these tests say that they were skipped.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use regreader::pipeline::{self, KnownInfo, ReadOptions, SourceFile};
use regreader_model::{EventKind, Regulation, TextOrigin};
use serde_json::Value;

fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("REGREADER_CORPUS").map(PathBuf::from).filter(|folder| folder.is_dir());
    if folder.is_none() {
        let _ = writeln!(std::io::stderr(), "skipped: REGREADER_CORPUS names no folder");
    }
    folder
}

fn read(path: &Path) -> Regulation {
    let file = SourceFile::read(path, 256).unwrap();
    pipeline::read(&file, &"x".parse().unwrap(), &KnownInfo::default(), &ReadOptions::default()).unwrap()
}

#[test]
fn every_clause_that_a_question_names_stands_on_its_page() {
    let Some(corpus) = corpus() else { return };
    let regulation = read(&corpus.join("zh/GB38755-2019.pdf"));
    let numbers: Vec<(&str, u32)> = regulation
        .structure
        .iter()
        .map(|node| (node.section_number.as_str(), node.page_num.get()))
        .filter(|(number, _)| number.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    let clauses = numbers.iter().filter(|(number, _)| number.contains('.')).count();
    assert_eq!(clauses, 137);
    let mut sorted = numbers.clone();
    sorted.sort_by_key(|(number, _)| number.split('.').map(|n| n.parse().unwrap_or(0)).collect::<Vec<u32>>());
    assert_eq!(numbers, sorted, "in order, and so none from the contents");
    let mut named = 0;
    for line in fs::read_to_string(corpus.join("zh/gb38755.questions.jsonl")).unwrap().lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        let clauses = question["clauses"].as_array().unwrap();
        let pages = question["start_pages_1based"].as_array().unwrap();
        for (clause, page) in clauses.iter().zip(pages) {
            let Some((_, number)) = clause.as_str().unwrap().split_once('§') else { continue };
            let number = number.split(|c: char| c != '.' && !c.is_ascii_digit()).next().unwrap();
            let found = numbers.iter().find(|(known, _)| *known == number);
            let found = found.map(|(_, page)| u64::from(*page));
            if numbers.iter().any(|(known, _)| *known == number) {
                named += 1;
                assert_eq!(found, page.as_u64(), "{number}");
            }
        }
    }
    assert!(named > 5, "{named} clauses were compared");
    let text: String = regulation.pages.iter().map(|page| page.content_markdown.as_str()).collect();
    assert!(text.contains("GB") && !text.contains('犌'), "Latin letters, not the hanzi that stand for them");
}

#[test]
fn pages_without_usable_text_are_all_flagged() {
    let Some(corpus) = corpus() else { return };
    let mut files = vec![corpus.join("zh/JTT_808-2019.pdf")];
    files.extend(fs::read_dir(corpus.join("zh-scan")).unwrap().map(|entry| entry.unwrap().path()));
    for file in files {
        let regulation = read(&file);
        let unflagged: Vec<String> = regulation
            .pages
            .iter()
            .filter(|page| {
                !matches!(page.origin, TextOrigin::NeedsOcr | TextOrigin::OcrLayer | TextOrigin::Blank)
            })
            .map(|page| page.page_num.to_string())
            .collect();
        assert!(unflagged.is_empty(), "{}: pages {unflagged:?}", file.display());
    }
}

#[test]
fn every_row_of_a_requirement_table_is_there_once_and_in_order() {
    let Some(corpus) = corpus() else { return };
    let mut rows = 0;
    for entry in fs::read_dir(corpus.join("grid-en")).unwrap() {
        let path = entry.unwrap().path();
        if !path.file_name().unwrap().to_string_lossy().starts_with("cip-") {
            continue;
        }
        let regulation = read(&path);
        let mut parts: Vec<(u32, u32)> = Vec::new();
        for table in regulation.tables.tables.values() {
            if !table.caption.as_deref().is_some_and(|caption| caption.contains("Table R")) {
                continue;
            }
            for (_, cells) in table.data_rows() {
                let numbers = cells.first().and_then(|cell| cell.split_once('.'));
                if let Some((Ok(major), Ok(minor))) = numbers.map(|(a, b)| (a.parse(), b.parse())) {
                    parts.push((major, minor));
                }
            }
        }
        for pair in parts.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let follows = b == (a.0, a.1 + 1) || (b.0 > a.0 && b.1 == 1);
            assert!(follows, "{}: {b:?} after {a:?}", path.display());
        }
        rows += parts.len();
    }
    println!("{rows} rows");
    assert!(rows > 100, "{rows}");
}

/// Text as titles are compared: folded, without white space, every dash alike.
fn squeezed(text: &str) -> String {
    let folded = regreader_text::fold::fold(text);
    let dash = |c: char| matches!(c, '\u{2010}'..='\u{2015}' | '-');
    folded.chars().filter(|c| !c.is_whitespace()).map(|c| if dash(c) { '-' } else { c }).collect()
}

fn find_file(corpus: &Path, stem: &str) -> Option<PathBuf> {
    ["zh", "grid-en", "zh/power-laws"].iter().find_map(|folder| {
        let entries = fs::read_dir(corpus.join(folder)).ok()?;
        entries.filter_map(|entry| Some(entry.ok()?.path())).find(|path| {
            path.is_file()
                && path.extension().is_some_and(|end| end != "xlsx" && end != "jsonl")
                && path.file_stem().is_some_and(|name| name.to_string_lossy() == stem)
        })
    })
}

#[test]
fn titles_numbers_and_dates_are_those_that_the_documents_print() {
    let Some(corpus) = corpus() else { return };
    let truth = corpus.join("real/titles.json");
    if !truth.is_file() {
        let _ = writeln!(std::io::stderr(), "skipped: {} is not there", truth.display());
        return;
    }
    let truth: Value = serde_json::from_str(&fs::read_to_string(truth).unwrap()).unwrap();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (stem, wanted) in truth.as_object().unwrap() {
        let Some(path) = find_file(&corpus, stem) else { continue };
        let regulation = read(&path);
        if regulation.pages.first().is_some_and(|page| page.origin == TextOrigin::NeedsOcr) {
            let _ = writeln!(std::io::stderr(), "skipped: {stem} has no text on its cover");
            continue;
        }
        seen += 1;
        let info = &regulation.info;
        let text = |key: &str| wanted[key].as_str().map(squeezed);
        let title = squeezed(&info.title);
        if text("title").is_some_and(|wanted| wanted != title) && text("title_alt").as_ref() != Some(&title) {
            wrong.push(format!("{stem}: title {:?}, wanted {}", info.title, wanted["title"]));
        }
        for key in ["number", "standard_number"] {
            let number = info.number.as_deref().map(squeezed);
            if text(key).is_some() && text(key) != number {
                wrong.push(format!("{stem}: number {:?}, wanted {}", info.number, wanted[key]));
            }
        }
        if text("version").is_some() && text("version") != info.edition.as_deref().map(squeezed) {
            wrong.push(format!("{stem}: edition {:?}, wanted {}", info.edition, wanted["version"]));
        }
        for (key, kind) in
            [("publication_date", EventKind::Published), ("implementation_date", EventKind::Effective)]
        {
            // A month is no day, and is not read as one.
            let Some(wanted) = wanted[key].as_str().filter(|date| date.len() == 10) else { continue };
            let dates: Vec<String> = info
                .events
                .iter()
                .filter(|event| event.kind == kind && event.subject.is_none())
                .map(|event| event.date.map(|date| date.to_string()).unwrap_or_default())
                .collect();
            if dates != [wanted] {
                wrong.push(format!("{stem}: {key} {dates:?}, wanted {wanted}"));
            }
        }
        if let Some(wanted) = text("replaces") {
            let replaced = info.events.iter().filter(|event| event.kind == EventKind::Replaced);
            let subjects: Vec<String> =
                replaced.filter_map(|event| event.subject.as_deref().map(squeezed)).collect();
            if subjects != [wanted.as_str()] {
                wrong.push(format!("{stem}: replaces {subjects:?}, wanted {wanted}"));
            }
        }
    }
    assert!(seen >= 40, "only {seen} documents were compared");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Tables that were counted on the drawn pages: file, number, header rows, data rows, columns.
const TABLES: &str = include_str!("corpus_tables.tsv");

#[test]
fn tables_have_their_captions_headers_rows_and_columns() {
    let Some(corpus) = corpus() else { return };
    let mut wrong = Vec::new();
    let mut known: Option<(&str, Regulation)> = None;
    let mut compared = 0;
    for line in TABLES.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, number, header, rows, columns] = fields[..] else { panic!("five fields: {line}") };
        let path = corpus.join(file);
        if !path.is_file() {
            let _ = writeln!(std::io::stderr(), "skipped: {} is not there", path.display());
            continue;
        }
        if known.as_ref().is_none_or(|(name, _)| *name != file) {
            known = Some((file, read(&path)));
        }
        let regulation = &known.as_ref().unwrap().1;
        let found: Vec<[u32; 3]> = regulation
            .tables
            .tables
            .values()
            .filter(|table| table.number.as_deref() == Some(number))
            .map(|table| [table.header_rows, table.row_count, table.col_count])
            .collect();
        let wanted = [header, rows, columns].map(|count| count.parse::<u32>().unwrap());
        compared += 1;
        if found != [wanted] {
            wrong.push(format!("{file} {number}: {found:?}, wanted {wanted:?}"));
        }
    }
    println!("{compared} tables compared");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn references_chapters_and_landscape_tables_of_real_documents() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("real/more");
    if !folder.is_dir() {
        let _ = writeln!(std::io::stderr(), "skipped: {} is not there", folder.display());
        return;
    }
    let code = read(&folder.join("nbc3.docx"));
    let references = &code.references.references;
    let lost = references
        .iter()
        .filter(|one| matches!(one.resolution, regreader_model::Resolution::Unresolved { .. }))
        .count();
    assert!(lost * 10 <= references.len(), "{lost} of {} references lead nowhere", references.len());

    let grid = read(&folder.join("mwgrid.pdf"));
    // All chapters of this code are numbered: a node without a number is a sentence or an item of a list.
    let nodes: Vec<_> = grid.structure.iter().collect();
    let marks = nodes.iter().filter(|node| node.section_number.as_str().is_empty()).count();
    assert!(marks * 50 <= nodes.len(), "{marks} of {} nodes are no chapters", nodes.len());
    let spans: Vec<(u32, u32)> = grid
        .tables
        .tables
        .values()
        .filter_map(regreader_model::LogicalTable::page_range)
        .map(|(first, last)| (first.get(), last.get()))
        .filter(|(first, last)| (44..=66).contains(first) && first < last)
        .collect();
    // One table for each title; that of 61 to 62 has none, and those of 53 and 57 stand on one page.
    assert_eq!(
        spans,
        [(44, 47), (48, 49), (50, 52), (54, 56), (58, 59), (60, 61), (61, 62), (63, 64), (65, 66)]
    );
}
