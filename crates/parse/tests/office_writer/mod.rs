//! Writes tiny office files for tests, and damages files in repeatable ways.

#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "writing into memory does not fail")]

use std::io::{Cursor, Read as _, Write};

use regreader_model::{RawDocument, RawElement, RawTable, RawText, TextRole};
use regreader_parse::{Limits, ParseOptions, parse};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub const W: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
const RELATION: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A zip of parts.
pub fn zip(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The parts of a zip.
pub fn unzip(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index(index).unwrap();
            let mut content = Vec::new();
            file.read_to_end(&mut content).unwrap();
            (file.name().to_owned(), content)
        })
        .collect()
}

/// A zip of parts that need not be text.
pub fn zip_bytes(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A relations part: id, kind, target.
pub fn relations(list: &[(&str, &str, &str)]) -> String {
    let mut out = String::from(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">",
    );
    for (id, kind, target) in list {
        let mode = if target.starts_with("http") { " TargetMode=\"External\"" } else { "" };
        out.push_str(&format!(
            "<Relationship Id=\"{id}\" Type=\"{RELATION}/{kind}\" Target=\"{target}\"{mode}/>"
        ));
    }
    out + "</Relationships>"
}

fn content_types(main: &str, kind: &str) -> String {
    format!(
        "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
         <Override PartName=\"/{main}\" ContentType=\"application/vnd.openxmlformats-officedocument.{kind}.main+xml\"/></Types>"
    )
}

/// A Word file with this body; further parts by name relative to `word/`, each also related by its kind.
pub fn docx(body: &str, further: &[(&str, &str, &str)]) -> Vec<u8> {
    let document = format!("<w:document {W}><w:body>{body}</w:body></w:document>");
    docx_raw(&document, further)
}

/// A Word file with this whole document part.
pub fn docx_raw(document: &str, further: &[(&str, &str, &str)]) -> Vec<u8> {
    let list: Vec<(&str, &str, &str)> = further.iter().map(|(kind, name, _)| (*kind, *kind, *name)).collect();
    let types = content_types("word/document.xml", "wordprocessingml.document");
    let root = relations(&[("r", "officeDocument", "word/document.xml")]);
    let own = relations(&list);
    let names: Vec<String> = further
        .iter()
        .filter(|(_, name, _)| !name.starts_with("http"))
        .map(|(_, name, _)| match name.strip_prefix('/') {
            Some(absolute) => absolute.to_owned(),
            None => format!("word/{name}"),
        })
        .collect();
    let mut parts = vec![
        ("[Content_Types].xml", types.as_str()),
        ("_rels/.rels", root.as_str()),
        ("word/document.xml", document),
        ("word/_rels/document.xml.rels", own.as_str()),
    ];
    let contents =
        further.iter().filter(|(_, name, _)| !name.starts_with("http")).map(|(_, _, content)| *content);
    parts.extend(names.iter().map(String::as_str).zip(contents));
    zip(&parts)
}

/// A workbook of sheets: name, state, sheet XML inside `worksheet`; styles inside `styleSheet`.
pub fn xlsx(sheets: &[(&str, &str, &str)], styles: &str, shared_strings: &str) -> Vec<u8> {
    let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let mut book = format!("<workbook {main} xmlns:r=\"{RELATION}\"><sheets>");
    let mut list = vec![
        ("st".to_owned(), "styles".to_owned(), "styles.xml".to_owned()),
        ("ss".to_owned(), "sharedStrings".to_owned(), "sharedStrings.xml".to_owned()),
    ];
    let mut bodies = Vec::new();
    for (index, (name, state, body)) in sheets.iter().enumerate() {
        let id = format!("s{index}");
        book.push_str(&format!(
            "<sheet name=\"{name}\" sheetId=\"{index}\" state=\"{state}\" r:id=\"{id}\"/>"
        ));
        list.push((id, "worksheet".to_owned(), format!("sheet{index}.xml")));
        bodies.push((format!("xl/sheet{index}.xml"), format!("<worksheet {main}>{body}</worksheet>")));
    }
    book.push_str("</sheets></workbook>");
    let list: Vec<(&str, &str, &str)> =
        list.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
    let types = content_types("xl/workbook.xml", "spreadsheetml.sheet");
    let root = relations(&[("r", "officeDocument", "xl/workbook.xml")]);
    let own = relations(&list);
    let styles = format!("<styleSheet {main}>{styles}</styleSheet>");
    let strings = format!("<sst {main}>{shared_strings}</sst>");
    let mut parts = vec![
        ("[Content_Types].xml", types.as_str()),
        ("_rels/.rels", root.as_str()),
        ("xl/workbook.xml", book.as_str()),
        ("xl/_rels/workbook.xml.rels", own.as_str()),
        ("xl/styles.xml", styles.as_str()),
        ("xl/sharedStrings.xml", strings.as_str()),
    ];
    parts.extend(bodies.iter().map(|(name, body)| (name.as_str(), body.as_str())));
    zip(&parts)
}

/// A slide show: the shapes of each slide, and its speaker notes.
pub fn pptx(slides: &[(&str, &str)]) -> Vec<u8> {
    let names = format!(
        "xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\" \
         xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" xmlns:r=\"{RELATION}\""
    );
    let mut show = format!("<p:presentation {names}><p:sldIdLst>");
    let mut list = Vec::new();
    let mut bodies = Vec::new();
    for (index, (shapes, notes)) in slides.iter().enumerate() {
        let id = format!("s{index}");
        show.push_str(&format!("<p:sldId id=\"{}\" r:id=\"{id}\"/>", 256 + index));
        list.push((id, "slide".to_owned(), format!("slides/slide{index}.xml")));
        bodies.push((
            format!("ppt/slides/slide{index}.xml"),
            format!("<p:sld {names}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"),
        ));
        if !notes.is_empty() {
            bodies.push((
                format!("ppt/slides/_rels/slide{index}.xml.rels"),
                relations(&[("n", "notesSlide", &format!("../notes{index}.xml"))]),
            ));
            bodies.push((
                format!("ppt/notes{index}.xml"),
                format!(
                    "<p:notes {names}><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type=\"body\"/></p:nvPr></p:nvSpPr>\
                     <p:txBody><a:p><a:r><a:t>{notes}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:notes>"
                ),
            ));
        }
    }
    show.push_str("</p:sldIdLst><p:sldSz cx=\"9144000\" cy=\"6858000\"/></p:presentation>");
    let list: Vec<(&str, &str, &str)> =
        list.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
    let types = content_types("ppt/presentation.xml", "presentationml.presentation");
    let root = relations(&[("r", "officeDocument", "ppt/presentation.xml")]);
    let own = relations(&list);
    let mut parts = vec![
        ("[Content_Types].xml", types.as_str()),
        ("_rels/.rels", root.as_str()),
        ("ppt/presentation.xml", show.as_str()),
        ("ppt/_rels/presentation.xml.rels", own.as_str()),
    ];
    parts.extend(bodies.iter().map(|(name, body)| (name.as_str(), body.as_str())));
    zip(&parts)
}

/// A Word paragraph.
pub fn p(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// All texts of a document with their roles.
pub fn texts(document: &RawDocument) -> Vec<(&str, TextRole)> {
    raw_texts(document).into_iter().map(|text| (text.text.as_str(), text.role)).collect()
}

/// All texts of a document.
pub fn raw_texts(document: &RawDocument) -> Vec<&RawText> {
    elements(document)
        .filter_map(|element| if let RawElement::Text(text) = element { Some(text) } else { None })
        .collect()
}

/// All tables of a document.
pub fn tables(document: &RawDocument) -> Vec<&RawTable> {
    elements(document)
        .filter_map(|element| if let RawElement::Table(table) = element { Some(table) } else { None })
        .collect()
}

fn elements(document: &RawDocument) -> impl Iterator<Item = &RawElement> {
    document.pages.iter().flat_map(|page| &page.elements)
}

/// Cells of a table: row, column, row span, column span, content.
pub fn cells(table: &RawTable) -> Vec<(u32, u32, u32, u32, &str)> {
    table.cells.iter().map(|c| (c.row, c.col, c.row_span, c.col_span, c.content.as_str())).collect()
}

/// Small random numbers that are the same every time (xorshift).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below.max(1) as u64) as usize
    }
}

/// A damaged copy: cut off, bits flipped, bytes replaced, or a piece doubled or lost.
pub fn damage(base: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = base.to_vec();
    match dice.roll(5) {
        0 => bytes.truncate(dice.roll(base.len())),
        1 => {
            for _ in 0..=dice.roll(8) {
                let at = dice.roll(bytes.len());
                bytes[at] ^= 1 << dice.roll(8);
            }
        }
        2 => {
            for _ in 0..=dice.roll(16) {
                let at = dice.roll(bytes.len());
                bytes[at] = dice.roll(256) as u8;
            }
        }
        3 => {
            let (from, length) = (dice.roll(bytes.len()), dice.roll(64));
            let piece: Vec<u8> = bytes.iter().skip(from).take(length).copied().collect();
            let at = dice.roll(bytes.len());
            bytes.splice(at..at, piece);
        }
        _ => {
            let from = dice.roll(bytes.len());
            let to = (from + dice.roll(64)).min(bytes.len());
            bytes.drain(from..to);
        }
    }
    bytes
}

/// Parses a hostile file: it must come back with an error or with a document within the limits.
pub fn survives(bytes: &[u8], name: &str) {
    let limits = Limits { max_chars_per_page: 20_000, max_cells: 5_000, max_pages: 50, ..Limits::default() };
    let options = ParseOptions { limits: limits.clone(), ..ParseOptions::default() };
    if let Ok(parsed) = parse(bytes, name, &options) {
        let pages = &parsed.document.pages;
        assert!(!pages.is_empty() && pages.len() <= limits.max_pages);
        for page in pages {
            let mut characters = 0;
            for element in &page.elements {
                match element {
                    RawElement::Text(text) => characters += text.text.chars().count(),
                    RawElement::Table(table) => {
                        assert!(table.cells.len() <= limits.max_cells + 1);
                        characters +=
                            table.cells.iter().map(|cell| cell.content.chars().count()).sum::<usize>();
                        for cell in &table.cells {
                            assert!(
                                cell.row + cell.row_span <= table.row_count,
                                "{cell:?} in {}",
                                table.row_count
                            );
                            assert!(
                                cell.col + cell.col_span <= table.col_count,
                                "{cell:?} in {}",
                                table.col_count
                            );
                        }
                    }
                    RawElement::Picture(_) => {}
                }
            }
            assert!(characters <= limits.max_chars_per_page, "{characters} characters on a page");
        }
    }
}
