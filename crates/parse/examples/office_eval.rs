//! How far our reading of office files agrees with Docling's.
//!
//! `cargo run -p regreader-parse --example office_eval -- DIR [--all]` reads every file of `DIR/docx`, `DIR/pptx`, `DIR/xlsx`
//! and `DIR/html` that has a DoclingDocument beside it (`name.ext.json`) and prints, a file a line:
//!
//! - **chars**: agreement of characters in any order: 2·|A∩B| / (|A|+|B|) over the multisets of characters, white space
//!   left out;
//! - **md**: the same against Docling's Markdown (`name.ext.md`), read by our Markdown parser: some of the given files were
//!   written by a later Docling than the JSON and hold more;
//! - **order**: the same with order: 2·LCS / (|A|+|B|), LCS being the longest common subsequence of characters;
//! - **tables**: tables of Docling's that we give too, with the same rows and columns. Tables of one cell are text here:
//!   Docling itself gives them as either, depending on its settings.
//!
//! Docling's text is what it puts into the body (not page furniture or reviewers' notes), with list numbers, names of
//! sheets and the data of charts, as in its Markdown. Ours leaves out running heads; formula delimiters (`$`) are left
//! out on both sides. With `--all` differing tables and the characters only one side has are printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regreader_model::{RawDocument, RawElement, TextRole};
use regreader_parse::{ParseOptions, parse};
use serde_json::Value;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.iter().find(|argument| !argument.starts_with("--")) else {
        eprintln!("usage: office_eval DIR [--all]");
        std::process::exit(2);
    };
    let details = arguments.iter().any(|argument| argument == "--all");
    let mut all = Vec::new();
    for format in ["docx", "pptx", "xlsx", "html"] {
        let mut scores = Vec::new();
        for file in files(&Path::new(folder).join(format)) {
            if let Some(score) = evaluate(&file, details) {
                println!(
                    "{:<5} {:<42} chars {:.4}  md {:.4}  order {:.4}  tables {}/{}{}",
                    format,
                    file.file_name().and_then(|name| name.to_str()).unwrap_or("?"),
                    score.chars,
                    score.markdown,
                    score.order,
                    score.tables_found,
                    score.tables,
                    if score.extra > 0 { format!("  (+{} of ours)", score.extra) } else { String::new() },
                );
                scores.push(score);
            }
        }
        summary(format, &scores);
        all.extend(scores);
    }
    summary("all", &all);
}

fn summary(name: &str, scores: &[Score]) {
    if scores.is_empty() {
        return;
    }
    let mean = |value: fn(&Score) -> f64| scores.iter().map(value).sum::<f64>() / scores.len() as f64;
    println!(
        "== {name}: {} files, mean chars {:.4}, mean md {:.4}, mean order {:.4}, tables {}/{}",
        scores.len(),
        mean(|score| score.chars),
        mean(|score| score.markdown),
        mean(|score| score.order),
        scores.iter().map(|score| score.tables_found).sum::<usize>(),
        scores.iter().map(|score| score.tables).sum::<usize>(),
    );
}

struct Score {
    chars: f64,
    markdown: f64,
    order: f64,
    tables: usize,
    tables_found: usize,
    extra: usize,
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| reference_of(path).is_file())
        .collect();
    files.sort();
    files
}

fn reference_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".json");
    PathBuf::from(name)
}

fn evaluate(path: &Path, details: bool) -> Option<Score> {
    let name = path.file_name()?.to_str()?.to_owned();
    let bytes = std::fs::read(path).ok()?;
    let reference: Value = serde_json::from_slice(&std::fs::read(reference_of(path)).ok()?).ok()?;
    let parsed = match parse(&bytes, &name, &ParseOptions::default()) {
        Ok(parsed) => parsed,
        Err(error) => {
            eprintln!("{name}: {error}");
            return Some(Score {
                chars: 0.0,
                markdown: 0.0,
                order: 0.0,
                tables: 0,
                tables_found: 0,
                extra: 0,
            });
        }
    };
    for diagnostic in parsed.diagnostics.iter().filter(|_| details) {
        println!("      {diagnostic}");
    }
    let (our_text, mut our_tables) = ours(&parsed.document);
    let (their_text, their_tables) = theirs(&reference);
    let (a, b): (Vec<char>, Vec<char>) = (squeeze(&our_text), squeeze(&their_text));
    let total = (a.len() + b.len()).max(1) as f64;
    let mut found = 0;
    for wanted in &their_tables {
        if let Some(at) = our_tables.iter().position(|shape| shape == wanted) {
            our_tables.swap_remove(at);
            found += 1;
        } else if details {
            println!("      {name}: no table of {} rows, {} columns", wanted.0, wanted.1);
        }
    }
    if details {
        for (rows, columns) in &our_tables {
            println!("      {name}: only ours: table of {rows} rows, {columns} columns");
        }
        difference(&name, &a, &b);
    }
    let markdown = markdown_text(path).map_or(0.0, |text| {
        let text = squeeze(&text);
        2.0 * common(&a, &text) as f64 / (a.len() + text.len()).max(1) as f64
    });
    Some(Score {
        chars: if a.is_empty() && b.is_empty() { 1.0 } else { 2.0 * common(&a, &b) as f64 / total },
        markdown,
        order: if a.is_empty() && b.is_empty() { 1.0 } else { 2.0 * lcs(&a, &b) as f64 / total },
        tables: their_tables.len(),
        tables_found: found,
        extra: our_tables.len(),
    })
}

/// Docling's Markdown without its marks.
fn markdown_text(path: &Path) -> Option<String> {
    let mut name = path.as_os_str().to_owned();
    name.push(".md");
    let bytes = std::fs::read(PathBuf::from(name)).ok()?;
    let options =
        ParseOptions { format: Some(regreader_model::SourceFormat::Markdown), ..ParseOptions::default() };
    Some(ours(&parse(&bytes, "docling.md", &options).ok()?.document).0)
}

type Shapes = Vec<(u64, u64)>;

fn ours(document: &RawDocument) -> (String, Shapes) {
    let mut text = String::new();
    let mut tables = Vec::new();
    for element in document.pages.iter().flat_map(|page| &page.elements) {
        match element {
            RawElement::Text(line) => {
                if !matches!(line.role, TextRole::PageHeader | TextRole::PageFooter) {
                    text.push_str(&line.text);
                }
            }
            RawElement::Table(table) => {
                text.push_str(table.caption.as_deref().unwrap_or(""));
                for cell in &table.cells {
                    text.push_str(&cell.content);
                }
                if table.row_count * table.col_count > 1 {
                    tables.push((u64::from(table.row_count), u64::from(table.col_count)));
                }
            }
            // Docling gives alternative text as a caption.
            RawElement::Picture(picture) if document.format == regreader_model::SourceFormat::Html => {
                text.push_str(picture.description.as_deref().unwrap_or(""));
            }
            RawElement::Picture(_) => {}
        }
    }
    (text, tables)
}

fn theirs(root: &Value) -> (String, Shapes) {
    let mut text = String::new();
    let mut tables = Vec::new();
    let mut stack: Vec<&Value> = children(root.get("body"));
    while let Some(reference) = stack.pop() {
        let Some(item) = reference.get("$ref").and_then(Value::as_str).and_then(|r| root.pointer(&r[1..]))
        else {
            continue;
        };
        let layer = item.get("content_layer").and_then(Value::as_str).unwrap_or("body");
        if layer != "body" {
            continue;
        }
        let of = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or("");
        if of("label") == "sheet" {
            text.push_str(of("name").trim_start_matches("sheet: "));
        }
        if of("label") == "list_item" && item.get("enumerated").and_then(Value::as_bool) == Some(true) {
            text.push_str(of("marker"));
        }
        text.push_str(of("text"));
        if let Some(data) = item.get("data").or_else(|| item.pointer("/meta/tabular_chart/chart_data")) {
            for cell in data.get("table_cells").and_then(Value::as_array).into_iter().flatten() {
                text.push_str(cell.get("text").and_then(Value::as_str).unwrap_or(""));
            }
            let side = |name| data.get(name).and_then(Value::as_u64).unwrap_or(0);
            if side("num_rows") * side("num_cols") > 1 {
                tables.push((side("num_rows"), side("num_cols")));
            }
        }
        // Rich cells repeat what stands in the cell, as children of the table; only tables among them are new.
        if of("label") == "table" {
            stack.extend(nested_tables(root, item));
            stack.extend(children_named(item, "captions"));
        } else {
            stack.extend(children(Some(item)));
        }
    }
    (text, tables)
}

fn children(item: Option<&Value>) -> Vec<&Value> {
    item.map(|item| children_named(item, "children")).unwrap_or_default()
}

fn children_named<'a>(item: &'a Value, name: &str) -> Vec<&'a Value> {
    item.get(name).and_then(Value::as_array).into_iter().flatten().rev().collect()
}

/// References to tables below a table's rich cells.
fn nested_tables<'a>(root: &'a Value, table: &'a Value) -> Vec<&'a Value> {
    let mut out = Vec::new();
    let mut stack: Vec<&Value> = children(Some(table));
    while let Some(reference) = stack.pop() {
        let Some(address) = reference.get("$ref").and_then(Value::as_str) else { continue };
        if address.starts_with("#/tables/") {
            out.push(reference);
        } else if let Some(item) = root.pointer(&address[1..]) {
            stack.extend(children(Some(item)));
        }
    }
    out
}

fn squeeze(text: &str) -> Vec<char> {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '$' | '\u{200B}' | '\u{FEFF}')).collect()
}

fn counts(text: &[char]) -> BTreeMap<char, i64> {
    let mut counts = BTreeMap::new();
    for character in text {
        *counts.entry(*character).or_default() += 1;
    }
    counts
}

fn common(a: &[char], b: &[char]) -> usize {
    let (a, b) = (counts(a), counts(b));
    a.iter().map(|(character, count)| (*count).min(b.get(character).copied().unwrap_or(0)) as usize).sum()
}

/// Length of the longest common subsequence, 64 characters of `a` at a time (Hyyrö's bit-parallel method).
fn lcs(a: &[char], b: &[char]) -> usize {
    let words = a.len().div_ceil(64);
    let mut masks: BTreeMap<char, Vec<u64>> = BTreeMap::new();
    for (at, character) in a.iter().enumerate() {
        masks.entry(*character).or_insert_with(|| vec![0; words])[at / 64] |= 1 << (at % 64);
    }
    let mut row = vec![u64::MAX; words];
    for character in b {
        let Some(mask) = masks.get(character) else { continue };
        let mut carry = false;
        for (word, mask) in row.iter_mut().zip(mask) {
            let matched = *word & mask;
            let (sum, first) = word.overflowing_add(matched);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            *word = sum | (*word & !mask);
        }
    }
    let unset: usize = row.iter().map(|word| word.count_zeros() as usize).sum();
    let padding = words * 64 - a.len();
    let padded = row.last().map_or(0, |last| (0..padding).filter(|bit| last >> (63 - bit) & 1 == 0).count());
    unset - padded
}

fn difference(name: &str, a: &[char], b: &[char]) {
    let (a, b) = (counts(a), counts(b));
    let mut only = (String::new(), String::new());
    for character in a.keys().chain(b.keys()).collect::<std::collections::BTreeSet<_>>() {
        let more = a.get(character).copied().unwrap_or(0) - b.get(character).copied().unwrap_or(0);
        let side = if more > 0 { &mut only.0 } else { &mut only.1 };
        if more != 0 {
            side.push_str(&format!("{character}{} ", more.abs()));
        }
    }
    println!("      {name}: only ours: {}\n      {name}: only theirs: {}", only.0, only.1);
}
