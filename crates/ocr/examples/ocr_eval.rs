//! Reads pages with models and says what came out, how right it is, and what it cost:
//!
//! `cargo run --release -p regreader-ocr --example ocr_eval -- --models DIR FILE [--truth TRUTH.json]
//! [--threads N] [--all] [--show]`
//!
//! The truth file lists the elements of one page: `{"page": 20, "elements": ["a line", [["a cell", …], …], …]}`.
//! Characters are compared after NFKC without white space; a table is right when rows, columns and cells are.
//! `--all` reads pages that have a text layer too.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use regreader_model::{RawElement, RawPage, RawTable, TextOrigin};
use regreader_ocr::{Engine, ModelBytes};
use regreader_parse::{ParseOptions, Recognition, parse};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (mut file, mut models, mut truth) = (None, None, None);
    let (mut threads, mut show, mut recognition) = (1, false, Recognition::WhereNeeded);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--models" => models = args.next(),
            "--truth" => truth = args.next(),
            "--threads" => threads = args.next().unwrap_or_default().parse()?,
            "--all" => recognition = Recognition::Everywhere,
            "--show" => show = true,
            _ => file = Some(arg),
        }
    }
    let (Some(file), Some(models)) = (file, models) else {
        return Err("usage: ocr_eval --models DIR FILE [--truth FILE] [--threads N] [--all] [--show]".into());
    };
    let before = cpu_seconds();
    let engine = Engine::load("models", read_models(Path::new(&models))?, threads)?;
    println!("models loaded in {:.2} CPU s", cpu_seconds() - before);
    let bytes = fs::read(&file)?;
    let options = ParseOptions { recognizer: Some(&engine), recognition, ..ParseOptions::default() };
    let (before, started) = (cpu_seconds(), Instant::now());
    let parsed = parse(&bytes, &file, &options)?;
    let (cpu, wall) = (cpu_seconds() - before, started.elapsed().as_secs_f64());
    let pages = &parsed.document.pages;
    for page in pages {
        let tables = page.elements.iter().filter(|element| matches!(element, RawElement::Table(_))).count();
        let length = flat(&page.elements).chars().count();
        println!("page {} {:?}: {length} characters, {tables} tables", page.page_num, page.origin);
        if show {
            print_page(page);
        }
    }
    let read = pages.iter().filter(|page| matches!(page.origin, TextOrigin::Ocr { .. })).count();
    println!(
        "{read} of {} pages read in {cpu:.2} CPU s, {wall:.2} s: {:.2} CPU s a page",
        pages.len(),
        cpu / read.max(1) as f64
    );
    if let Some(truth) = truth {
        let truth: Value = serde_json::from_str(&fs::read_to_string(truth)?)?;
        let number = truth.get("page").and_then(Value::as_u64);
        // The page may have been cut out into a file of its own.
        let page =
            pages.iter().find(|page| pages.len() == 1 || Some(u64::from(page.page_num.get())) == number);
        compare(page.ok_or("the file does not have the page of the truth")?, &truth);
    }
    Ok(())
}

fn read_models(folder: &Path) -> std::io::Result<ModelBytes> {
    Ok(ModelBytes {
        detection: fs::read(folder.join("det.onnx"))?,
        recognition: fs::read(folder.join("rec.onnx"))?,
        direction: fs::read(folder.join("cls.onnx")).ok(),
        characters: fs::read_to_string(folder.join("rec.yml")).ok(),
    })
}

fn compare(page: &RawPage, truth: &Value) {
    let elements = truth.get("elements").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut wanted = String::new();
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    for element in &elements {
        match element {
            Value::Array(rows) => {
                let row = |row: &Value| -> Vec<String> {
                    row.as_array()
                        .into_iter()
                        .flatten()
                        .map(|cell| folded(cell.as_str().unwrap_or_default()))
                        .collect()
                };
                let rows: Vec<Vec<String>> = rows.iter().map(row).collect();
                wanted.extend(rows.iter().flatten().map(String::as_str));
                tables.push(rows);
            }
            line => wanted.push_str(&folded(line.as_str().unwrap_or_default())),
        }
    }
    let found = flat(&page.elements);
    let (a, b): (Vec<char>, Vec<char>) = (wanted.chars().collect(), found.chars().collect());
    let wrong = distance(&a, &b);
    let accuracy = 1.0 - wrong as f64 / a.len().max(1) as f64;
    println!("character accuracy {accuracy:.4}: {wrong} edits over {} characters", a.len());
    let read: Vec<&RawTable> = page
        .elements
        .iter()
        .filter_map(|element| match element {
            RawElement::Table(table) => Some(table),
            _ => None,
        })
        .collect();
    println!("tables: {} found, {} wanted", read.len(), tables.len());
    for (number, (table, wanted)) in read.iter().zip(&tables).enumerate() {
        let columns = wanted.iter().map(Vec::len).max().unwrap_or(0);
        let mut right = 0;
        for (r, row) in wanted.iter().enumerate() {
            for (c, text) in row.iter().enumerate() {
                let cell = table.cells.iter().find(|cell| (cell.row as usize, cell.col as usize) == (r, c));
                let read = folded(cell.map_or("", |cell| cell.content.as_str()));
                if read == *text {
                    right += 1;
                } else {
                    println!("  cell {r},{c}: {read} | wanted {text}");
                }
            }
        }
        println!(
            "table {}: {} x {} found, {} x {columns} wanted, {right} of {} cells equal",
            number + 1,
            table.row_count,
            table.col_count,
            wanted.len(),
            wanted.iter().map(Vec::len).sum::<usize>()
        );
    }
}

fn flat(elements: &[RawElement]) -> String {
    let mut text = String::new();
    for element in elements {
        match element {
            RawElement::Text(line) => text.push_str(&folded(&line.text)),
            RawElement::Table(table) => text.extend(table.cells.iter().map(|cell| folded(&cell.content))),
            RawElement::Picture(_) => {}
        }
    }
    text
}

fn folded(text: &str) -> String {
    text.nfkc().filter(|c| !c.is_whitespace()).collect()
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (j, y) in b.iter().enumerate() {
            let up = row.get(j + 1).copied().unwrap_or_default();
            let best = (diagonal + usize::from(x != y)).min(up + 1).min(left + 1);
            if let Some(slot) = row.get_mut(j) {
                *slot = left;
            }
            (diagonal, left) = (up, best);
        }
        if let Some(slot) = row.last_mut() {
            *slot = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

fn print_page(page: &RawPage) {
    for element in &page.elements {
        match element {
            RawElement::Text(line) => println!("    {:5.1} {}", line.size.unwrap_or(0.0), line.text),
            RawElement::Table(table) => {
                println!("    table {} x {}", table.row_count, table.col_count);
                for cell in &table.cells {
                    println!(
                        "      {},{} +{}x{} {}",
                        cell.row,
                        cell.col,
                        cell.row_span,
                        cell.col_span,
                        cell.content.replace('\n', " / ")
                    );
                }
            }
            RawElement::Picture(_) => println!("    picture"),
        }
    }
}

/// User and system time of this process, where the system tells.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
