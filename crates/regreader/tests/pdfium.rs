//! The sample library read by both PDF engines: what is made of it must not depend on who opened the file.
//!
//! `cargo test -p regreader --features pdfium --test all pdfium`. The library of PDFium is fetched by package name
//! into a cache outside the clone; where it cannot be had the test says that it was skipped.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::io::Write as _;
use std::path::{Path, PathBuf};

use regreader::models;
use regreader::pipeline::{self, KnownInfo, PDFIUM, PdfSupport, ReadOptions, SourceFile};
use regreader::settings::Settings;
use regreader_model::{Regulation, Resolution};
use regreader_parse::pdf::{Engine, page_picture};
use regreader_parse::{ParseError, ParseOptions, pdf};

/// The library, fetched once. None, said aloud, where it cannot be had.
fn library() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    let dir = cache.unwrap_or_else(std::env::temp_dir).join("regreader-tests/models");
    let model = models::find(PDFIUM).unwrap();
    if models::installed(&dir, PDFIUM).is_some() {
        return Some(dir);
    }
    let pulled = match std::env::var_os("REGREADER_NETWORK_TESTS") {
        Some(_) => models::pull(&dir, model).map_err(|error| error.to_string()),
        None => Err("REGREADER_NETWORK_TESTS is not set, and the library is not in the cache".to_owned()),
    };
    if let Err(reason) = &pulled {
        let _ = writeln!(std::io::stderr(), "skipped: {reason}");
    }
    pulled.is_ok().then_some(dir)
}

fn sample(path: &str) -> SourceFile {
    let home = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../samples");
    SourceFile::read(&home.join(path), 64).unwrap()
}

fn read(file: &SourceFile, pdf: &PdfSupport) -> Regulation {
    let options = ReadOptions { pdf: Some(pdf), ..ReadOptions::default() };
    pipeline::read(file, &"x".parse().unwrap(), &KnownInfo::default(), &options).unwrap()
}

/// What a reader sees, line by line.
fn described(regulation: &Regulation) -> Vec<String> {
    let mut lines = vec![format!("{}", regulation.info.title)];
    for page in &regulation.pages {
        lines.push(format!("page {} {:?} {:?}", page.page_num, page.page_label, page.origin));
        lines.extend(page.content_markdown.lines().map(str::to_owned));
    }
    for node in regulation.structure.iter() {
        let (number, title) = (&node.section_number, &node.title);
        lines.push(format!("chapter {number} {title} {}-{:?}", node.page_num, node.page_end));
    }
    for table in regulation.tables.tables.values() {
        lines.push(format!("table {:?} {}x{}", table.caption, table.row_count, table.col_count));
        for cell in &table.cells {
            let (at, spans) = ((cell.row, cell.col), (cell.row_span, cell.col_span));
            lines.push(format!("cell {at:?} {spans:?} {} {}", cell.is_header, cell.content));
        }
    }
    for reference in &regulation.references.references {
        let resolved = matches!(reference.resolution, Resolution::Resolved { .. });
        lines.push(format!("reference {} {resolved}", reference.text));
    }
    lines
}

// One test, because a process loads the library once.
#[test]
fn both_engines_read_the_sample_library_alike() {
    let Some(dir) = library() else { return };
    let flags = vec![
        ("pdf_engine".to_owned(), "pdfium".to_owned()),
        ("models_dir".to_owned(), dir.display().to_string()),
    ];
    let settings = Settings::load(flags).unwrap().0;
    let pdfium = PdfSupport::find(&settings).unwrap();
    assert_eq!(pdfium.engine().map(Engine::name), Some("pdfium"));
    let hayro = PdfSupport::default();

    for name in ["pdf/angui_2024.pdf", "pdf/wengui_2024.pdf", "pdf/angui_2023.pdf", "en/pdf/rel_901_2.pdf"] {
        let file = sample(name);
        let ours = described(&read(&file, &hayro));
        let theirs = described(&read(&file, &pdfium));
        let missing: Vec<&String> = ours.iter().filter(|line| !theirs.contains(line)).collect();
        let extra: Vec<&String> = theirs.iter().filter(|line| !ours.contains(line)).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{name}\nonly by hayro: {missing:#?}\nonly by PDFium: {extra:#?}"
        );
        assert_eq!(ours, theirs, "{name}: order or count");

        let read = |engine| {
            let options = ParseOptions { pdf_engine: engine, ..ParseOptions::default() };
            let parsed = pdf::parse(&file.bytes, &options).unwrap();
            let labels: Vec<_> =
                parsed.document.pages.iter().map(|page| page.declared_label.clone()).collect();
            let links: usize = parsed.document.pages.iter().map(|page| page.links.len()).sum();
            let first = page_picture(&file.bytes, regreader_model::PageNumber::FIRST, 36.0, &options)
                .unwrap()
                .unwrap();
            (parsed.document.outline, parsed.document.title, labels, links, (first.width, first.height))
        };
        assert_eq!(read(None), read(pdfium.engine()), "{name}: outline, title, labels, links, picture");
    }

    let options = ParseOptions { pdf_engine: pdfium.engine(), ..ParseOptions::default() };
    let refused = pdf::parse(b"%PDF-1.7 and nothing else", &options).unwrap_err();
    assert!(matches!(refused, ParseError::Malformed { .. }), "{refused}");
}
