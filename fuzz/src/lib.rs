//! What the fuzz targets share: small limits, so that a run explores much, and checks that hold for every input.

use std::io::{Cursor, Write as _};

use regreader_assemble::{AssembleOptions, assemble};
use regreader_model::{RawElement, SourceFormat};
use regreader_parse::{Limits, ParseOptions, Parsed, parse};

/// Begins a part of an unpacked file.
const MARK: &[u8] = b"\n--- ";

fn options(format: Option<SourceFormat>) -> ParseOptions<'static> {
    let limits = Limits {
        max_pages: 50,
        max_part_bytes: 1 << 20,
        max_total_bytes: 4 << 20,
        max_depth: 32,
        max_chars_per_page: 20_000,
        max_cells: 5_000,
        max_document_cells: 50_000,
        max_text_bytes: 4 << 20,
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

/// Reads bytes as a format that is a zip of parts. Bytes that are no zip are taken for its parts, each after a line
/// `--- name`, and packed first: flipping bits of a zip breaks its checksums and tests little else.
pub fn read_packed(format: SourceFormat, bytes: &[u8]) {
    if bytes.starts_with(b"PK") {
        read_as(format, bytes);
    } else if let Some(packed) = pack(bytes) {
        read_as(format, &packed);
    }
}

fn pack(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut rest = bytes.strip_prefix(MARK)?;
    loop {
        let end = rest.windows(MARK.len()).position(|window| window == MARK);
        let part = rest.get(..end.unwrap_or(rest.len()))?;
        let line = part.iter().position(|byte| *byte == b'\n')?;
        let name = std::str::from_utf8(part.get(..line)?).ok()?;
        writer.start_file(name, stored).ok()?;
        writer.write_all(part.get(line + 1..)?).ok()?;
        match end {
            Some(end) => rest = rest.get(end + MARK.len()..)?,
            None => return Some(writer.finish().ok()?.into_inner()),
        }
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
