//! The two office files that the reader offers, written by hand: a table as a workbook, an answer as a document.
//!
//! Both formats are zip files of a few XML parts; everything that readers need for plain text and grids fits here.

use std::io::{Cursor, Write as _};

use regreader_model::LogicalTable;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;

/// Media type of a workbook.
pub const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// Media type of a document.
pub const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#;
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const DOCUMENT: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const SHEET: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/// A table as a workbook of one sheet: caption, header rows and data rows with their spans, the page of each row last.
pub fn xlsx(table: &LogicalTable) -> Result<Vec<u8>, ZipError> {
    let rows = table.header_rows.saturating_add(table.row_count);
    let mut by_row: Vec<Vec<(u32, &str)>> = vec![Vec::new(); rows as usize];
    let mut merges = Vec::new();
    for cell in &table.cells {
        if let Some(row) = by_row.get_mut(cell.row as usize) {
            row.push((cell.col, &cell.content));
        }
        let down = cell.row.saturating_add(cell.row_span).min(rows).saturating_sub(1).max(cell.row);
        let across =
            cell.col.saturating_add(cell.col_span).min(table.col_count).saturating_sub(1).max(cell.col);
        if down > cell.row || across > cell.col {
            merges.push(format!("{}:{}", place(cell.row + 1, cell.col), place(down + 1, across)));
        }
    }
    let mut sheet = format!(r#"{HEAD}<worksheet xmlns="{SHEET}"><sheetData>"#);
    let caption = table.caption.as_deref().unwrap_or(table.table_id.as_str());
    sheet.push_str(&format!(r#"<row r="1">{}</row>"#, text_cell(0, 0, caption)));
    for (at, mut cells) in by_row.into_iter().enumerate() {
        let row = at as u32;
        cells.sort_by_key(|(col, _)| *col);
        cells.dedup_by_key(|(col, _)| *col);
        sheet.push_str(&format!(r#"<row r="{}">"#, row + 2));
        for (col, content) in cells {
            sheet.push_str(&value_cell(row + 1, col, content));
        }
        if let Some(page) = table.row_pages.get(at).filter(|_| row >= table.header_rows) {
            sheet.push_str(&text_cell(row + 1, table.col_count, &format!("P{page}")));
        }
        sheet.push_str("</row>");
    }
    sheet.push_str("</sheetData>");
    if !merges.is_empty() {
        sheet.push_str(&format!(r#"<mergeCells count="{}">"#, merges.len()));
        for merge in merges {
            sheet.push_str(&format!(r#"<mergeCell ref="{merge}"/>"#));
        }
        sheet.push_str("</mergeCells>");
    }
    sheet.push_str("</worksheet>");
    pack(&[
        (
            "[Content_Types].xml",
            content_types(&[
                ("/xl/workbook.xml", "spreadsheetml.sheet.main"),
                ("/xl/worksheets/sheet1.xml", "spreadsheetml.worksheet"),
            ]),
        ),
        ("_rels/.rels", relations(&format!("{DOCUMENT}/officeDocument"), "xl/workbook.xml")),
        (
            "xl/workbook.xml",
            format!(
                r#"{HEAD}<workbook xmlns="{SHEET}" xmlns:r="{DOCUMENT}"><sheets><sheet name="table" sheetId="1" r:id="rId1"/></sheets></workbook>"#
            ),
        ),
        ("xl/_rels/workbook.xml.rels", relations(&format!("{DOCUMENT}/worksheet"), "worksheets/sheet1.xml")),
        ("xl/worksheets/sheet1.xml", sheet),
    ])
}

/// Markdown of our own making as a document: headings, paragraphs, pipe tables.
pub fn docx(markdown: &str) -> Result<Vec<u8>, ZipError> {
    let mut body = String::new();
    let mut table: Vec<&str> = Vec::new();
    for line in markdown.lines().chain([""]) {
        if line.trim_start().starts_with('|') {
            table.push(line);
            continue;
        }
        if !table.is_empty() {
            body.push_str(&word_table(&table));
            table.clear();
        }
        if line.trim().is_empty() {
            continue;
        }
        let level = line.chars().take_while(|c| *c == '#').count();
        let text = line.trim_start_matches('#').trim();
        let size = match level {
            0 => "",
            1 => r#"<w:rPr><w:b/><w:sz w:val="32"/></w:rPr>"#,
            _ => r#"<w:rPr><w:b/><w:sz w:val="26"/></w:rPr>"#,
        };
        body.push_str(&format!(
            r#"<w:p><w:r>{size}<w:t xml:space="preserve">{}</w:t></w:r></w:p>"#,
            escape(text)
        ));
    }
    pack(&[
        ("[Content_Types].xml", content_types(&[("/word/document.xml", "wordprocessingml.document.main")])),
        ("_rels/.rels", relations(&format!("{DOCUMENT}/officeDocument"), "word/document.xml")),
        (
            "word/document.xml",
            format!(r#"{HEAD}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>"#),
        ),
    ])
}

fn word_table(lines: &[&str]) -> String {
    let is_rule = |line: &str| line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
    let edge = |name: &str| format!(r#"<w:{name} w:val="single" w:sz="4"/>"#);
    let edges: String = ["top", "left", "bottom", "right", "insideH", "insideV"].map(edge).concat();
    let mut out = format!("<w:tbl><w:tblPr><w:tblBorders>{edges}</w:tblBorders></w:tblPr><w:tblGrid/>");
    for line in lines.iter().filter(|line| !is_rule(line)) {
        out.push_str("<w:tr>");
        for cell in line.trim().trim_start_matches('|').trim_end_matches('|').split('|') {
            let text = escape(&cell.trim().replace("<br>", " "));
            out.push_str(&format!(
                r#"<w:tc><w:p><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p></w:tc>"#
            ));
        }
        out.push_str("</w:tr>");
    }
    out.push_str("</w:tbl>");
    out
}

/// A number where the cell is nothing but one, so that it can be reckoned with; else text.
fn value_cell(row: u32, col: u32, content: &str) -> String {
    let plain = content.trim();
    let digits = plain.strip_prefix('-').unwrap_or(plain);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
        && digits.len() <= 15
        && !(digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0."))
        && plain.parse::<f64>().is_ok();
    if is_number {
        format!(r#"<c r="{}"><v>{plain}</v></c>"#, place(row, col))
    } else {
        text_cell(row, col, content)
    }
}

fn text_cell(row: u32, col: u32, content: &str) -> String {
    let text = escape(content);
    format!(r#"<c r="{}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>"#, place(row, col))
}

/// `A1` for row 0, column 0.
fn place(row: u32, col: u32) -> String {
    let mut letters = Vec::new();
    let mut left = col;
    loop {
        letters.push(b'A' + (left % 26) as u8);
        left /= 26;
        if left == 0 {
            break;
        }
        left -= 1;
    }
    letters.reverse();
    format!("{}{}", String::from_utf8_lossy(&letters), row + 1)
}

/// Text for XML. Characters that XML does not have are left out.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => {}
            c => out.push(c),
        }
    }
    out
}

fn content_types(parts: &[(&str, &str)]) -> String {
    let mut out = format!(
        r#"{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>"#
    );
    for (name, kind) in parts {
        out.push_str(&format!(
            r#"<Override PartName="{name}" ContentType="application/vnd.openxmlformats-officedocument.{kind}+xml"/>"#
        ));
    }
    out.push_str("</Types>");
    out
}

fn relations(kind: &str, target: &str) -> String {
    format!(
        r#"{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" Type="{kind}" Target="{target}"/></Relationships>"#
    )
}

fn pack(parts: &[(&str, String)]) -> Result<Vec<u8>, ZipError> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default())?;
        zip.write_all(text.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::fake;

    fn part(bytes: Vec<u8>, name: &str) -> String {
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut text = String::new();
        zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_workbook_has_numbers_as_numbers_and_text_as_text() {
        let mut table = fake::table();
        table.cells[2].content = "<2&".to_owned();
        table.cells[0].col_span = 2;
        let sheet = part(xlsx(&table).unwrap(), "xl/worksheets/sheet1.xml");
        assert!(sheet.contains(r#"<c r="B4"><v>300</v></c>"#), "{sheet}");
        assert!(sheet.contains("&lt;2&amp;") && sheet.contains(r#"<mergeCell ref="A2:B2"/>"#), "{sheet}");
        assert!(sheet.contains(r#"<c r="C4" t="inlineStr"><is><t xml:space="preserve">P2</t>"#), "{sheet}");
        assert_eq!((place(0, 25), place(0, 26), place(9, 701)), ("Z1".into(), "AA1".into(), "ZZ10".into()));
        assert!(value_cell(0, 0, "007").contains("inlineStr"), "a number with leading zeros is a name");
    }

    #[test]
    fn a_document_has_headings_paragraphs_and_tables() {
        let body = part(
            docx("# 问\n\n答 <x>\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n").unwrap(),
            "word/document.xml",
        );
        assert!(body.contains("答 &lt;x&gt;") && body.matches("<w:tr>").count() == 2, "{body}");
    }
}
