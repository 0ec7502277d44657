//! Shows what was read from a file: `cargo run --example pdf_dump -- FILE [--json] [--page N] [--password P]`.

use std::process::ExitCode;

use regreader_model::{RawElement, RawTable};
use regreader_parse::{ParseOptions, parse};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (mut file, mut json, mut only, mut password) = (None, false, None, None);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--json" => json = true,
            "--page" => only = args.next().and_then(|n| n.parse::<u32>().ok()),
            "--password" => password = args.next(),
            _ => file = Some(arg),
        }
    }
    let Some(file) = file else {
        eprintln!("usage: pdf_dump FILE [--json] [--page N] [--password P]");
        return ExitCode::from(2);
    };
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("error: {file}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let options = ParseOptions { password: password.as_deref(), ..ParseOptions::default() };
    let mut parsed = match parse(&bytes, &file, &options) {
        Ok(parsed) => parsed,
        Err(error) => {
            eprintln!("error: {file}: {error}");
            return ExitCode::FAILURE;
        }
    };
    if let Some(only) = only {
        parsed.document.pages.retain(|page| page.page_num.get() == only);
    }
    if json {
        match serde_json::to_string(&parsed.document) {
            Ok(text) => println!("{text}"),
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::FAILURE;
            }
        }
    } else {
        for page in &parsed.document.pages {
            println!(
                "=== page {} {:?} label {:?} size {:?}",
                page.page_num, page.origin, page.declared_label, page.size
            );
            for element in &page.elements {
                match element {
                    RawElement::Text(text) => {
                        let mark = if text.bold { "*" } else { " " };
                        println!("{:5.1}{mark} {}", text.size.unwrap_or(0.0), text.text);
                    }
                    RawElement::Table(table) => print_table(table),
                    RawElement::Picture(picture) => println!("  [picture {:?}]", picture.bbox),
                }
            }
        }
        for entry in &parsed.document.outline {
            println!("outline {} {} -> {:?}", "  ".repeat(entry.level as usize), entry.title, entry.page_num);
        }
    }
    for remark in &parsed.diagnostics {
        eprintln!("{:?} {remark}", remark.code);
    }
    ExitCode::SUCCESS
}

fn print_table(table: &RawTable) {
    println!(
        "  [table {:?} {} x {}, {} cells, {:?}]",
        table.kind,
        table.row_count,
        table.col_count,
        table.cells.len(),
        table.bbox
    );
    for row in 0..table.row_count {
        let cells = table.cells.iter().filter(|cell| cell.row == row).map(|cell| {
            let span = if cell.row_span > 1 || cell.col_span > 1 {
                format!("<{}x{}>", cell.row_span, cell.col_span)
            } else {
                String::new()
            };
            format!(
                "{}{span}{}",
                cell.col,
                if cell.content.is_empty() { String::new() } else { format!(":{}", cell.content) }
            )
        });
        println!("    | {}", cells.collect::<Vec<_>>().join(" | "));
    }
}
