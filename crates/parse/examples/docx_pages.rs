//! Whether a DOCX aligned to the PDF that an office program made of it stands on the pages a truth file names.
//!
//! `cargo run -p regreader-parse --example docx_pages -- FILE.docx FILE.pdf TRUTH.json` compares every paragraph (page where
//! it begins and ends) and every table row (page, and whether the header is printed again above it) and prints what
//! differs, then one line of totals. Truth files are those of the sample library (`samples/truth/*.docx.json`).

use regreader_model::{RawDocument, RawElement, RawTable, TextRole};
use regreader_parse::{ParseOptions, docx, parse};
use serde_json::Value;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [word, pdf, truth] = arguments.as_slice() else {
        eprintln!("usage: docx_pages FILE.docx FILE.pdf TRUTH.json");
        std::process::exit(2);
    };
    let read = |path: &String| std::fs::read(path).unwrap_or_default();
    let options = ParseOptions::default();
    let flow = docx::parse_flow(&read(word), &options).map(|parsed| parsed.document);
    let paged = parse(&read(word), word, &options).map(|parsed| parsed.document);
    let printed = parse(&read(pdf), pdf, &options).map(|parsed| parsed.document);
    let truth: Value = serde_json::from_slice(&read(truth)).unwrap_or_default();
    let (Ok(flow), Ok(paged), Ok(printed)) = (flow, paged, printed) else {
        eprintln!("a file could not be read");
        std::process::exit(1);
    };
    let aligned = docx::align_pages(flow, &printed);
    println!("aligned to the PDF:   {}", compare(&aligned, &truth, true));
    let again = docx::align_pages(paged.clone(), &printed);
    println!("from the paged parse: {}", if again.pages == aligned.pages { "the same" } else { "differs" });
    println!("estimated pages:      {}", compare(&paged, &truth, false));
}

fn compare(document: &RawDocument, truth: &Value, show: bool) -> String {
    let list = |name: &str| truth.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let number = |value: &Value, name: &str| value.get(name).and_then(Value::as_u64).unwrap_or(0);
    let pieces = pieces(document);
    let (mut right, mut all, mut at) = (0, 0, 0);
    for paragraph in list("paragraphs") {
        let text = squeeze(paragraph.get("text").and_then(Value::as_str).unwrap_or(""));
        let wanted = (number(&paragraph, "page"), number(&paragraph, "page_end"));
        all += 1;
        match find(&pieces, at, &text) {
            Some((next, found)) => {
                at = next;
                if found == wanted {
                    right += 1;
                } else if show {
                    println!(
                        "  paragraph {wanted:?}, ours {found:?}: {}",
                        text.chars().take(24).collect::<String>()
                    );
                }
            }
            None if show => {
                println!("  paragraph {wanted:?} not found: {}", text.chars().take(24).collect::<String>());
            }
            None => {}
        }
    }
    let (mut rows_right, mut rows_all) = (0, 0);
    let mut tables = tables(document).into_iter();
    for table in list("tables") {
        let Some(ours) = tables.next() else { break };
        let wanted: Vec<(u64, bool)> = wanted_rows(&table);
        rows_all += wanted.len();
        let same = wanted.iter().zip(&ours).filter(|(a, b)| a == b).count();
        rows_right += same;
        if show && (same != wanted.len() || ours.len() != wanted.len()) {
            let id = table.get("id").and_then(Value::as_str).unwrap_or("?");
            println!("  table {id}: wanted {wanted:?}\n         ours   {ours:?}");
        }
    }
    format!(
        "{} pages (truth {}), paragraphs {right}/{all}, table rows {rows_right}/{rows_all}",
        document.pages.len(),
        number(truth, "total_pages")
    )
}

/// Page of each data row, and whether its segment prints the header.
fn wanted_rows(table: &Value) -> Vec<(u64, bool)> {
    let mut rows = Vec::new();
    for segment in table.get("segments").and_then(Value::as_array).into_iter().flatten() {
        let page = segment.get("page").and_then(Value::as_u64).unwrap_or(0);
        let header = segment.get("has_header").and_then(Value::as_bool).unwrap_or(false);
        let count = segment.get("rows").and_then(Value::as_array).map_or(0, Vec::len);
        rows.extend(std::iter::repeat_n((page, header), count));
    }
    rows
}

/// The same of our tables: segments of one table follow each other at page borders.
fn tables(document: &RawDocument) -> Vec<Vec<(u64, bool)>> {
    let mut out: Vec<Vec<(u64, bool)>> = Vec::new();
    let mut open: Option<(u32, String)> = None;
    for page in &document.pages {
        let mut first = true;
        for element in &page.elements {
            match element {
                RawElement::Table(table) => {
                    let header = header_rows(table);
                    let heading = top_row(table);
                    let goes_on = first
                        && open.as_ref().is_some_and(|(columns, top)| {
                            *columns == table.col_count && (table.header_rows == Some(0) || *top == heading)
                        });
                    let printed = if goes_on { table.header_rows != Some(0) } else { true };
                    let skipped = if printed { header } else { 0 };
                    let rows = (skipped..table.row_count).map(|_| (u64::from(page.page_num.get()), printed));
                    match out.last_mut().filter(|_| goes_on) {
                        Some(table) => table.extend(rows),
                        None => {
                            out.push(rows.collect());
                            open = Some((table.col_count, heading));
                        }
                    }
                    first = false;
                }
                RawElement::Text(text)
                    if matches!(text.role, TextRole::PageHeader | TextRole::PageFooter) => {}
                _ => {
                    open = None;
                    first = false;
                }
            }
        }
    }
    out
}

/// Rows of header: those declared, or those that the first row's spans reach.
fn header_rows(table: &RawTable) -> u32 {
    table.header_rows.filter(|rows| *rows > 0).unwrap_or_else(|| {
        table.cells.iter().filter(|cell| cell.row == 0).map(|cell| cell.row_span).max().unwrap_or(1)
    })
}

fn top_row(table: &RawTable) -> String {
    table.cells.iter().filter(|cell| cell.row == 0).map(|cell| cell.content.as_str()).collect()
}

/// Text pieces in order with their pages.
fn pieces(document: &RawDocument) -> Vec<(u64, String)> {
    let mut out = Vec::new();
    for page in &document.pages {
        for element in &page.elements {
            if let RawElement::Text(text) = element
                && !matches!(text.role, TextRole::PageHeader | TextRole::PageFooter)
            {
                out.push((u64::from(page.page_num.get()), squeeze(&text.text)));
            }
        }
    }
    out
}

fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The pieces from `from` on that together make a text: the piece after them, first and last page.
fn find(pieces: &[(u64, String)], from: usize, text: &str) -> Option<(usize, (u64, u64))> {
    (from..pieces.len()).find_map(|start| {
        let mut joined = String::new();
        for (index, (page, piece)) in pieces.iter().enumerate().skip(start).take(4) {
            joined.push_str(piece);
            if joined == text {
                return Some((index + 1, (pieces[start].0, *page)));
            }
            if !text.starts_with(&joined) {
                return None;
            }
        }
        None
    })
}
