//! What format a file is, from its content.

use std::io::{Cursor, Read};

use regreader_model::SourceFormat;
use zip::ZipArchive;

use crate::ooxml::package::{OLE2_MAGIC, ole2_has_stream};
use crate::plain;

/// How far into a text we look for what it is.
const PROBE: usize = 64 << 10;

/// The format of these bytes; the name decides only between formats that look alike.
///
/// ```
/// use regreader_model::SourceFormat;
/// use regreader_parse::detect;
/// assert_eq!(detect(b"%PDF-1.7\n...", "scan.docx"), Some(SourceFormat::Pdf));
/// assert_eq!(detect("第一条 为了".as_bytes(), "law.md"), Some(SourceFormat::Markdown));
/// assert_eq!(detect(b"404 not found", "law.pdf"), Some(SourceFormat::Pdf), "which will say that it is none");
/// assert_eq!(detect(&[0, 1, 2, 3, 0, 0], "x.bin"), None);
/// ```
pub fn detect(bytes: &[u8], file_name: &str) -> Option<SourceFormat> {
    let by_name = by_extension(file_name);
    if bytes.starts_with(&OLE2_MAGIC) {
        return ole2(bytes, by_name);
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return zip(bytes).or(by_name.filter(|format| is_office(*format)));
    }
    if is_image(bytes) {
        return Some(SourceFormat::Image);
    }
    let head = &bytes[..bytes.len().min(1024)];
    if find(head, b"%PDF-") {
        return Some(SourceFormat::Pdf);
    }
    match text(bytes, by_name) {
        // A failed download, a renamed file, garbage: the name says what it was meant to be, and the parser of that format
        // says what is wrong with it. As text it would be stored as if it were sound.
        None | Some(SourceFormat::Text | SourceFormat::Markdown) if by_name.is_some_and(is_never_text) => {
            by_name
        }
        found => found,
    }
}

fn is_never_text(format: SourceFormat) -> bool {
    matches!(format, SourceFormat::Pdf | SourceFormat::Image) || is_office(format)
}

fn by_extension(file_name: &str) -> Option<SourceFormat> {
    let extension = file_name.rsplit_once('.')?.1.to_ascii_lowercase();
    Some(match extension.as_str() {
        "docx" | "docm" | "dotx" | "dotm" | "doc" => SourceFormat::Docx,
        "pptx" | "pptm" | "potx" | "ppsx" | "ppt" => SourceFormat::Pptx,
        "xlsx" | "xlsm" | "xltx" | "xls" => SourceFormat::Xlsx,
        "html" | "htm" | "xhtml" => SourceFormat::Html,
        "md" | "markdown" => SourceFormat::Markdown,
        "txt" | "text" | "log" => SourceFormat::Text,
        "pdf" => SourceFormat::Pdf,
        "png" | "jpg" | "jpeg" | "tif" | "tiff" => SourceFormat::Image,
        _ => return None,
    })
}

fn is_office(format: SourceFormat) -> bool {
    matches!(format, SourceFormat::Docx | SourceFormat::Pptx | SourceFormat::Xlsx)
}

/// Old office files and locked new ones. They are given a format so that the error can say what is wrong with them.
fn ole2(bytes: &[u8], by_name: Option<SourceFormat>) -> Option<SourceFormat> {
    if ole2_has_stream(bytes, "EncryptedPackage") {
        return Some(by_name.filter(|format| is_office(*format)).unwrap_or(SourceFormat::Docx));
    }
    [
        ("WordDocument", SourceFormat::Docx),
        ("Workbook", SourceFormat::Xlsx),
        ("PowerPoint Document", SourceFormat::Pptx),
    ]
    .into_iter()
    .find(|(stream, _)| ole2_has_stream(bytes, stream))
    .map(|(_, format)| format)
}

fn zip(bytes: &[u8]) -> Option<SourceFormat> {
    const KINDS: [(&str, &str, SourceFormat); 3] = [
        ("word", "word/document.xml", SourceFormat::Docx),
        ("presentation", "ppt/presentation.xml", SourceFormat::Pptx),
        ("sheet", "xl/workbook.xml", SourceFormat::Xlsx),
    ];
    let Ok(mut archive) = ZipArchive::new(Cursor::new(bytes)) else {
        // Cut off: the directory at the end is gone, but the names of parts stand in the text too.
        return KINDS.iter().find(|(_, part, _)| find(bytes, part.as_bytes())).map(|(_, _, format)| *format);
    };
    let mut types = String::new();
    if let Ok(part) = archive.by_name("[Content_Types].xml") {
        // A failed read leaves what was read; the part names below decide then.
        let _ = part.take(1 << 20).read_to_string(&mut types);
    }
    let declared = |kind: &str| {
        types.split("ContentType=").skip(1).any(|rest| {
            let value = rest.trim_start_matches(['"', '\'']).split(['"', '\'']).next().unwrap_or("");
            value.ends_with("main+xml") && value.contains(kind)
        })
    };
    KINDS
        .iter()
        .find(|(kind, _, _)| declared(kind))
        .or_else(|| KINDS.iter().find(|(_, part, _)| archive.index_for_name(part).is_some()))
        .map(|(_, _, format)| *format)
}

fn is_image(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n")
        || bytes.starts_with(&[0xFF, 0xD8, 0xFF])
        || bytes.starts_with(b"II*\0")
        || bytes.starts_with(b"MM\0*")
}

fn text(bytes: &[u8], by_name: Option<SourceFormat>) -> Option<SourceFormat> {
    let first =
        bytes.iter().find(|byte| !byte.is_ascii_whitespace() && !matches!(byte, 0xEF | 0xBB | 0xBF))?;
    if *first == b'{' && find(bytes, b"\"DoclingDocument\"") {
        return Some(SourceFormat::Docling);
    }
    let probe = plain::decode(&bytes[..bytes.len().min(PROBE)])?;
    let start: String = probe.trim_start().chars().take(2048).collect::<String>().to_ascii_lowercase();
    if is_html(&start) {
        return Some(SourceFormat::Html);
    }
    match by_name {
        Some(format @ (SourceFormat::Html | SourceFormat::Markdown | SourceFormat::Text)) => Some(format),
        _ if looks_like_markdown(&probe) => Some(SourceFormat::Markdown),
        _ => Some(SourceFormat::Text),
    }
}

fn is_html(start: &str) -> bool {
    if !start.starts_with('<') {
        return false;
    }
    start.starts_with("<!doctype html")
        || ["<html", "<head", "<body", "<table", "<div", "<p>", "<h1", "<h2", "<ul", "<ol", "<title"]
            .iter()
            .any(|tag| {
                start.starts_with(tag)
                    || (start.starts_with("<!--") || start.starts_with("<?xml")) && start.contains(tag)
            })
}

/// Headings, fences or a table rule: a plain text rarely has one, and a Markdown file rarely lacks all.
fn looks_like_markdown(text: &str) -> bool {
    text.lines().take(400).any(|line| {
        let heading = line.trim_start_matches('#');
        let level = line.len() - heading.len();
        let rule = line.contains('|')
            && line.contains("--")
            && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
        (1..=6).contains(&level) && heading.starts_with(' ') || line.starts_with("```") || rule
    })
}

fn find(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
