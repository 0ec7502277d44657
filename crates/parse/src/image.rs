//! Image files: each picture is one page, read by a recogniser or kept and marked as unread.

use std::io::Cursor;

use image::{ImageFormat, ImageReader};
use regreader_messages::{Both, errors, findings};
use regreader_model::{
    Diagnostic, DiagnosticCode, PageNumber, RawDocument, RawElement, RawPage, RawPicture, Rect, Severity,
    SourceFormat, TextOrigin,
};

use crate::recognize::Picture;
use crate::recognized::Rules;
use crate::{ParseError, ParseOptions, Parsed, Progress, recognized};

/// Pictures carry no reliable resolution: pages are taken to be scanned at this one.
const DOTS_PER_INCH: f32 = 200.0;
/// Longest side in pixels that is decoded.
const MAX_SIDE: u32 = 20_000;

/// Scans in two colours pack to a five-hundredth; many pictures that share their data would go on and on.
const MAX_RATIO: u64 = 1000;

/// Parses a PNG, JPEG or TIFF file. A TIFF file may hold many pictures: each is a page, and one that cannot be decoded is
/// a page that says so.
pub fn parse(bytes: &[u8], options: &ParseOptions<'_>) -> Result<Parsed, ParseError> {
    let directories = tiff_directories(bytes, options.limits.max_pages.saturating_add(1));
    let count = directories.len().max(1);
    if count > options.limits.max_pages {
        let limit = options.limits.max_pages as u64;
        return Err(ParseError::LimitExceeded { what: errors::LIMIT_PAGES, limit });
    }
    let mut diagnostics = Vec::new();
    let mut pages = Vec::with_capacity(count);
    let mut file = bytes.to_vec();
    let mut pixels_left = options.limits.max_total_bytes.max((bytes.len() as u64).saturating_mul(MAX_RATIO));
    for index in 0..count {
        let page_num = PageNumber::from_index(index);
        // The decoder reads the first picture: make each the first in its turn.
        if let (Some(directory), Some(first)) = (directories.get(index), file.get_mut(4..8)) {
            first.copy_from_slice(directory);
        }
        let page = match decode(&file, options.limits.max_part_bytes) {
            Ok(picture) => {
                pixels_left =
                    pixels_left.checked_sub(picture.rgb.len() as u64).ok_or(ParseError::LimitExceeded {
                        what: errors::LIMIT_PICTURES,
                        limit: options.limits.max_total_bytes,
                    })?;
                let size = [picture.width, picture.height].map(|side| side as f32 * 72.0 / DOTS_PER_INCH);
                let (origin, elements) = read(&picture, size, options, page_num, &mut diagnostics);
                RawPage {
                    page_num,
                    declared_label: None,
                    size: Some(size),
                    origin,
                    elements,
                    links: Vec::new(),
                }
            }
            Err(error) if count == 1 => return Err(error),
            Err(error) => {
                let (severity, code) = (Severity::Error, DiagnosticCode::PageUnreadable);
                let said = Both::of(|language| error.said(language));
                diagnostics.push(Diagnostic::on_page(severity, code, page_num, said));
                RawPage {
                    page_num,
                    declared_label: None,
                    size: None,
                    origin: TextOrigin::NeedsOcr,
                    elements: Vec::new(),
                    links: Vec::new(),
                }
            }
        };
        pages.push(page);
        if let Some(progress) = options.progress {
            let recognized = options.recognizer.map(|_| page_num);
            progress(Progress { done: index + 1, total: count, recognized });
        }
    }
    if pages.iter().all(|page| page.size.is_none()) {
        // Nothing in it can be decoded: that is a damaged file, and the first picture says in which way.
        if let (Some(directory), Some(first)) = (directories.first(), file.get_mut(4..8)) {
            first.copy_from_slice(directory);
        }
        decode(&file, options.limits.max_part_bytes)?;
    }
    let document = RawDocument {
        format: SourceFormat::Image,
        title: None,
        pages,
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
            Both::from(findings::IMAGE_FILE).and(findings::NO_RECOGNIZER),
        ));
        return kept();
    };
    match recognizer.recognize(picture) {
        Ok(lines) => recognized::page(&lines, picture, size, Rules::InPicture, diagnostics, page_num),
        Err(error) => {
            let message = findings::recognition_failed(error);
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
    let malformed = |reason: Both| ParseError::Malformed { format: SourceFormat::Image, reason };
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|error| malformed(error.to_string().into()))?;
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
            ParseError::LimitExceeded { what: errors::LIMIT_PICTURE, limit: u64::from(MAX_SIDE) }
        }
        error => malformed(error.to_string().into()),
    })?;
    let rgb = decoded.into_rgb8();
    let (width, height) = rgb.dimensions();
    if width == 0 || height == 0 {
        return Err(malformed(errors::NO_PIXELS.into()));
    }
    Ok(Picture { width, height, rgb: rgb.into_raw() })
}

/// Where the directories of a TIFF file lie, one for each picture, as the file writes it; at most `most` of them. None for
/// other files, and for files of more than four gigabytes, which are written differently.
fn tiff_directories(bytes: &[u8], most: usize) -> Vec<[u8; 4]> {
    let little = bytes.starts_with(b"II*\0");
    if !little && !bytes.starts_with(b"MM\0*") {
        return Vec::new();
    }
    let number = |raw: &[u8]| -> usize {
        let digits = |n: usize, b: &u8| (n << 8) | usize::from(*b);
        if little { raw.iter().rev().fold(0, digits) } else { raw.iter().fold(0, digits) }
    };
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut next = bytes.get(4..8).and_then(|raw| <[u8; 4]>::try_from(raw).ok());
    while let Some(place) = next {
        let at = number(&place);
        let Some(entries) = bytes.get(at..at.saturating_add(2)).filter(|_| at != 0) else { break };
        // A ring ends where it closes.
        if found.len() >= most || !seen.insert(at) {
            break;
        }
        found.push(place);
        let after = at + 2 + number(entries) * 12;
        next = bytes.get(after..after.saturating_add(4)).and_then(|raw| <[u8; 4]>::try_from(raw).ok());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A TIFF of grey pictures with these sides, written by hand.
    fn tiff(sides: &[u32]) -> Vec<u8> {
        let mut bytes = b"II*\0".to_vec();
        let mut link = bytes.len();
        bytes.extend([0; 4]);
        for side in sides {
            let pixels = bytes.len() as u32;
            bytes.extend(vec![200; (side * side) as usize]);
            let directory = bytes.len() as u32;
            bytes[link..link + 4].copy_from_slice(&directory.to_le_bytes());
            let entries = [
                (256_u16, *side),
                (257, *side),
                (258, 8),
                (259, 1),
                (262, 1),
                (273, pixels),
                (277, 1),
                (278, *side),
                (279, side * side),
            ];
            bytes.extend((entries.len() as u16).to_le_bytes());
            for (tag, value) in entries {
                bytes.extend(tag.to_le_bytes());
                bytes.extend(4_u16.to_le_bytes());
                bytes.extend(1_u32.to_le_bytes());
                bytes.extend(value.to_le_bytes());
            }
            link = bytes.len();
            bytes.extend([0; 4]);
        }
        bytes
    }

    #[test]
    fn every_picture_of_a_tiff_is_a_page() {
        let file = tiff(&[10, 20, 30]);
        let parsed = parse(&file, &ParseOptions::default()).unwrap();
        let widths: Vec<f32> = parsed.document.pages.iter().map(|page| page.size.unwrap()[0]).collect();
        assert_eq!(widths, [3.6, 7.2, 10.8]);
        assert_eq!(parsed.diagnostics.len(), 3, "each needs a recogniser");
        let few = crate::Limits { max_pages: 2, ..crate::Limits::default() };
        let refused = parse(&file, &ParseOptions { limits: few, ..ParseOptions::default() });
        assert!(matches!(refused, Err(ParseError::LimitExceeded { .. })));
    }

    #[test]
    fn a_damaged_picture_is_a_page_that_says_so_and_a_ring_ends() {
        let mut file = tiff(&[10, 20, 30]);
        // The second picture claims a width of nothing.
        let width = 20_u32.to_le_bytes();
        let at =
            (0..file.len()).find(|at| file[*at..].starts_with(&[0, 1, 4, 0, 1, 0, 0, 0, width[0]])).unwrap();
        file[at + 8..at + 12].fill(0);
        let parsed = parse(&file, &ParseOptions::default()).unwrap();
        assert_eq!(parsed.document.pages.len(), 3);
        assert!(parsed.document.pages[1].size.is_none() && parsed.document.pages[2].size.is_some());
        assert!(parsed.diagnostics.iter().any(|d| d.code == DiagnosticCode::PageUnreadable));
        let mut ring = tiff(&[10]);
        let last = ring.len() - 4;
        let first = ring[4..8].to_vec();
        ring[last..].copy_from_slice(&first);
        let refused = parse(&ring, &ParseOptions::default()).unwrap_err();
        assert!(matches!(refused, ParseError::Malformed { .. }), "{refused}");
    }
}
