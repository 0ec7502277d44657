//! A PDF writer just large enough for the tests: objects as text, streams as bytes, a cross-reference table.
#![allow(dead_code, reason = "each test file uses its own part of it")]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// A file under construction. Object 1 is the catalog, object 2 the page tree.
pub struct PdfWriter {
    objects: Vec<Vec<u8>>,
    pages: Vec<usize>,
    catalog: String,
}

impl PdfWriter {
    pub fn new() -> Self {
        Self { objects: vec![Vec::new(), Vec::new()], pages: Vec::new(), catalog: String::new() }
    }

    /// Adds an object and gives its number.
    pub fn object(&mut self, body: impl Into<Vec<u8>>) -> usize {
        self.objects.push(body.into());
        self.objects.len()
    }

    /// Adds a stream with more entries in its dictionary.
    pub fn stream(&mut self, entries: &str, data: &[u8]) -> usize {
        let mut body = format!("<< {entries} /Length {} >>\nstream\n", data.len()).into_bytes();
        body.extend_from_slice(data);
        body.extend_from_slice(b"\nendstream");
        self.object(body)
    }

    /// Adds entries to the catalog.
    pub fn catalog(&mut self, entries: &str) {
        self.catalog.push_str(entries);
    }

    /// Adds a page of this size with content that may use `/F1` (Helvetica) and `/F2` (Helvetica-Bold).
    pub fn page(&mut self, width: u32, height: u32, content: &str) -> usize {
        self.page_with(&format!("/MediaBox [0 0 {width} {height}]"), "", content)
    }

    /// Adds a page with its own entries and further resources. Entries may bring content of their own.
    pub fn page_with(&mut self, entries: &str, resources: &str, content: &str) -> usize {
        let content = self.stream("", content.as_bytes());
        let content =
            if entries.contains("/Contents") { String::new() } else { format!("/Contents {content} 0 R") };
        let fonts = "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> \
                     /F2 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>";
        let (fonts, others) = match resources.strip_prefix("/Font ") {
            Some(more) => (format!("{fonts} {more}"), ""),
            None => (fonts.to_owned(), resources),
        };
        let page = self.object(format!(
            "<< /Type /Page /Parent 2 0 R {entries} /Resources << /Font << {fonts} >> {others} >> {content} >>"
        ));
        self.pages.push(page);
        page
    }

    /// The file.
    pub fn finish(mut self) -> Vec<u8> {
        let kids: Vec<String> = self.pages.iter().map(|page| format!("{page} 0 R")).collect();
        self.objects[0] = format!("<< /Type /Catalog /Pages 2 0 R {} >>", self.catalog).into_bytes();
        self.objects[1] =
            format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), kids.len()).into_bytes();
        let mut out = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
        let mut offsets = Vec::new();
        for (index, object) in self.objects.iter().enumerate() {
            offsets.push(out.len());
            out.extend_from_slice(format!("{} 0 obj\n", index + 1).as_bytes());
            out.extend_from_slice(object);
            out.extend_from_slice(b"\nendobj\n");
        }
        let xref = out.len();
        out.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", offsets.len() + 1).as_bytes());
        for offset in &offsets {
            out.extend_from_slice(format!("{offset:010} 00000 n \n").as_bytes());
        }
        let size = offsets.len() + 1;
        out.extend_from_slice(
            format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{xref}\n%%EOF\n").as_bytes(),
        );
        out
    }
}

/// Text at a place, y from the bottom of the page as PDF has it.
pub fn text(font: &str, size: f32, x: f32, y: f32, words: &str) -> String {
    format!("BT /{font} {size} Tf {x} {y} Td ({words}) Tj ET\n")
}

/// A stroked line.
pub fn line(xa: f32, ya: f32, xb: f32, yb: f32) -> String {
    format!("{xa} {ya} m {xb} {yb} l S\n")
}

pub fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}
