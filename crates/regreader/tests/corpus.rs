//! Real documents, where they are at hand: `REGREADER_CORPUS` names a folder with `zh/`, `zh-scan/` and `grid-en/`. They are
//! nobody's to copy, so without the folder these tests say that they were skipped.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::fs;
use std::path::{Path, PathBuf};

use regreader::pipeline::{self, KnownInfo, ReadOptions, SourceFile};
use regreader_model::{Regulation, TextOrigin};
use serde_json::Value;

fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("REGREADER_CORPUS").map(PathBuf::from).filter(|folder| folder.is_dir());
    if folder.is_none() {
        println!("skipped: REGREADER_CORPUS names no folder");
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
            .filter(|page| !matches!(page.origin, TextOrigin::NeedsOcr | TextOrigin::Blank))
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
