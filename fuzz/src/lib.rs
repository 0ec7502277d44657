//! What the fuzz targets share: small limits, so that a run explores much, and checks that hold for every input.

use regreader_assemble::{AssembleOptions, assemble};
use regreader_model::{RawElement, SourceFormat};
use regreader_parse::{Limits, ParseOptions, Parsed, parse};

fn options(format: Option<SourceFormat>) -> ParseOptions<'static> {
    let limits = Limits {
        max_pages: 50,
        max_part_bytes: 1 << 20,
        max_total_bytes: 4 << 20,
        max_depth: 32,
        max_chars_per_page: 20_000,
        max_cells: 5_000,
        max_rules_per_page: 2_000,
    };
    ParseOptions { limits, format, ..ParseOptions::default() }
}

/// Reads bytes as one format.
pub fn read_as(format: SourceFormat, bytes: &[u8]) {
    match parse(bytes, "fuzz", &options(Some(format))) {
        Ok(parsed) => check(&parsed),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Reads bytes of whatever format and assembles them.
pub fn read_and_assemble(bytes: &[u8]) {
    let Ok(parsed) = parse(bytes, "fuzz", &options(None)) else { return };
    check(&parsed);
    let pages = parsed.document.pages.len();
    let Ok(reg_id) = "fuzz".parse() else { return };
    let regulation = assemble(parsed.document, parsed.diagnostics, &AssembleOptions::new(reg_id, "fuzz"));
    assert_eq!(regulation.pages.len(), pages, "no page is lost or invented");
}

fn check(parsed: &Parsed) {
    assert!(!parsed.document.pages.is_empty(), "a document without pages is an error");
    for element in parsed.document.pages.iter().flat_map(|page| &page.elements) {
        let RawElement::Table(table) = element else { continue };
        for cell in &table.cells {
            assert!(cell.row + cell.row_span <= table.row_count && cell.col + cell.col_span <= table.col_count);
        }
    }
}
