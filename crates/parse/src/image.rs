//! Image files: each picture is one page, read by a recogniser or kept and marked as unread.

use std::io::Cursor;

use image::{ImageFormat, ImageReader};
use regreader_model::{
    Diagnostic, DiagnosticCode, PageNumber, RawDocument, RawElement, RawPage, RawPicture, Rect, Severity,
    SourceFormat, TextOrigin,
};

use crate::recognize::Picture;
use crate::recognized::Rules;
use crate::{ParseError, ParseOptions, Parsed, recognized};

/// Pictures carry no reliable resolution: pages are taken to be scanned at this one.
const DOTS_PER_INCH: f32 = 200.0;
/// Longest side in pixels that is decoded.
const MAX_SIDE: u32 = 20_000;

/// Parses a PNG, JPEG or TIFF file.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let picture = decode(bytes, options.limits.max_part_bytes)?;
    let page_num = PageNumber::from_index(0);
    let size = [picture.width, picture.height].map(|side| side as f32 * 72.0 / DOTS_PER_INCH);
    let mut diagnostics = Vec::new();
    let (origin, elements) = read(&picture, size, options, page_num, &mut diagnostics);
    if bytes.starts_with(b"II") || bytes.starts_with(b"MM") {
        let more = tiff_pages(bytes).saturating_sub(1);
        if more > 0 {
            diagnostics.push(Diagnostic::on_document(
                Severity::Error,
                DiagnosticCode::LimitReached,
                format!(
                    "TIFF 文件另有 {more} 页未读取，请先拆分 (only the first picture of a TIFF file is read)"
                ),
            ));
        }
    }
    let page =
        RawPage { page_num, declared_label: None, size: Some(size), origin, elements, links: Vec::new() };
    if let Some(progress) = options.progress {
        progress(1, 1);
    }
    let document = RawDocument {
        format: SourceFormat::Image,
        title: None,
        pages: vec![page],
        outline: Vec::new(),
        pages_approximate: false,
    };
    Ok(Parsed { document, diagnostics })
}

fn read(
    picture: &Picture,
    size: [f32; 2],
    options: &ParseOptions<'_>,
    page_num: PageNumber,
    diagnostics: &mut Vec<Diagnostic>,
) -> (TextOrigin, Vec<RawElement>) {
    let kept = || {
        let bbox = Some(Rect::new(0.0, 0.0, size[0], size[1]));
        (TextOrigin::NeedsOcr, vec![RawElement::Picture(RawPicture { bbox, description: None })])
    };
    let Some(recognizer) = options.recognizer else {
        diagnostics.push(Diagnostic::on_page(
            Severity::Warning,
            DiagnosticCode::NeedsOcr,
            page_num,
            "图像文件；未配置文字识别 (needs OCR)",
        ));
        return kept();
    };
    match recognizer.recognize(picture) {
        Ok(lines) => recognized::page(&lines, picture, size, Rules::InPicture, diagnostics, page_num),
        Err(error) => {
            let message = format!("图像识别失败: {error}");
            diagnostics.push(Diagnostic::on_page(
                Severity::Error,
                DiagnosticCode::NeedsOcr,
                page_num,
                message,
            ));
            kept()
        }
    }
}

fn decode(bytes: &[u8], max_bytes: u64) -> Result<Picture, ParseError> {
    let malformed = |reason: String| ParseError::Malformed { format: SourceFormat::Image, reason };
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| malformed(error.to_string()))?;
    if !matches!(reader.format(), Some(ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::Tiff)) {
        return Err(ParseError::UnknownFormat);
    }
    let mut limits = image::Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(max_bytes);
    reader.limits(limits);
    let decoded = reader.decode().map_err(|error| match error {
        image::ImageError::Limits(_) => {
            ParseError::LimitExceeded { what: "图像像素 (picture size)", limit: u64::from(MAX_SIDE) }
        }
        error => malformed(error.to_string()),
    })?;
    let rgb = decoded.into_rgb8();
    let (width, height) = rgb.dimensions();
    if width == 0 || height == 0 {
        return Err(malformed("图像没有像素 (no pixels)".to_owned()));
    }
    Ok(Picture { width, height, rgb: rgb.into_raw() })
}

/// How many pictures a TIFF file holds, by its chain of directories.
fn tiff_pages(bytes: &[u8]) -> usize {
    const MAX_PAGES: usize = 10_000;
    let little = bytes.starts_with(b"II");
    let number = |at: usize, length: usize| -> Option<usize> {
        let raw = bytes.get(at..at.checked_add(length)?)?;
        let digits = |n: usize, b: &u8| (n << 8) | usize::from(*b);
        Some(if little { raw.iter().rev().fold(0, digits) } else { raw.iter().fold(0, digits) })
    };
    let mut pages = 0;
    let mut at = number(4, 4).unwrap_or(0);
    let mut seen = std::collections::HashSet::new();
    while at != 0 && pages < MAX_PAGES && seen.insert(at) {
        let Some(entries) = number(at, 2) else { break };
        pages += 1;
        at = number(at + 2 + entries * 12, 4).unwrap_or(0);
    }
    pages
}
