//! Reading PDF pages: lines, places, navigation, pages that need their picture read.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use crate::pdf_support::{PdfWriter, line, text};
use rayon::prelude::*;
use regreader_model::{DiagnosticCode, PageNumber, RawElement, RawPage, RawTable, RawText, Rect, TextOrigin};
use regreader_parse::recognize::{Picture, RecognizeError, RecognizedLine, Recognizer};
use regreader_parse::{ParseError, ParseOptions, Parsed, Progress, Recognition, pdf};

fn read(bytes: &[u8]) -> Parsed {
    pdf::parse(bytes, &ParseOptions::default()).unwrap()
}

fn texts(page: &RawPage) -> Vec<&RawText> {
    page.elements
        .iter()
        .filter_map(|element| match element {
            RawElement::Text(text) => Some(text),
            _ => None,
        })
        .collect()
}

fn lines(page: &RawPage) -> Vec<&str> {
    texts(page).into_iter().map(|text| text.text.as_str()).collect()
}

fn tables(page: &RawPage) -> Vec<&RawTable> {
    page.elements
        .iter()
        .filter_map(|element| match element {
            RawElement::Table(table) => Some(table),
            _ => None,
        })
        .collect()
}

#[test]
fn a_page_of_prose_becomes_lines_with_place_size_and_weight() {
    let mut file = PdfWriter::new();
    // The second line is drawn in pieces, one of them out of order, with a gap in place of a space.
    let content = text("F2", 16.0, 72.0, 720.0, "2.1 General")
        + &text("F1", 12.0, 132.0, 700.0, "protection")
        + &text("F1", 12.0, 72.0, 700.0, "Distance")
        + &text("F1", 12.0, 72.0, 680.0, "area 5 m")
        + &text("F1", 7.0, 118.5, 685.0, "2");
    file.page(612, 792, &content);
    let parsed = read(&file.finish());
    let page = &parsed.document.pages[0];
    assert_eq!(page.origin, TextOrigin::TextLayer);
    assert_eq!(page.size, Some([612.0, 792.0]));
    assert_eq!(lines(page), ["2.1 General", "Distance protection", "area 5 m²"]);
    let head = texts(page)[0];
    assert!(head.bold && !texts(page)[1].bold);
    assert_eq!(head.size, Some(16.0));
    let place = head.bbox.unwrap();
    assert!((place.x0 - 72.0).abs() < 0.5, "{place:?}");
    assert!(place.y0 < 72.0 && place.y1 > 72.0, "baseline lies 72 points under the top: {place:?}");
}

#[test]
fn turned_and_scaled_pages_are_read_as_they_are_shown() {
    let mut file = PdfWriter::new();
    // The page is turned by the reader; its text is drawn upwards so that it reads level once turned.
    let content = "BT /F1 12 Tf 0 1 -1 0 100 50 Tm (Turned page) Tj ET\n\
                   BT /F1 12 Tf 0 1 -1 0 120 50 Tm (second line) Tj ET\n";
    file.page_with("/MediaBox [0 0 400 600] /Rotate 90", "", content);
    file.page_with("/MediaBox [0 0 100 100] /UserUnit 4", "", &text("F1", 5.0, 10.0, 50.0, "Large unit"));
    let parsed = read(&file.finish());
    let turned = &parsed.document.pages[0];
    assert_eq!(turned.size, Some([600.0, 400.0]));
    assert_eq!(lines(turned), ["Turned page", "second line"]);
    let place = texts(turned)[0].bbox.unwrap();
    assert!(place.width() > place.height() && (place.x0 - 50.0).abs() < 1.0, "{place:?}");
    let scaled = &parsed.document.pages[1];
    assert_eq!(scaled.size, Some([400.0, 400.0]));
    assert_eq!(texts(scaled)[0].size, Some(20.0));
}

#[test]
fn columns_are_read_one_after_the_other_and_rows_across() {
    let words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"];
    let column = |x: f32, mark: &str| -> String {
        words
            .iter()
            .enumerate()
            .map(|(index, word)| {
                let y = 700.0 - 14.0 * index as f32;
                text("F1", 10.0, x, y, &format!("{mark} {word} flows over the whole width of it"))
            })
            .collect()
    };
    let mut file = PdfWriter::new();
    file.page(
        612,
        792,
        &(text("F2", 14.0, 200.0, 740.0, "Title over both columns of the page")
            + &column(60.0, "left")
            + &column(330.0, "right")),
    );
    let parsed = read(&file.finish());
    let lines = lines(&parsed.document.pages[0]);
    assert!(lines[0].starts_with("Title"));
    assert!(lines[1..=8].iter().all(|line| line.starts_with("left")), "{lines:?}");
    assert!(lines[9..].iter().all(|line| line.starts_with("right")), "{lines:?}");
}

#[test]
fn a_gutter_of_twelve_points_parts_two_columns() {
    // Courier: every character is 6 points wide at 10 points, so that the left column ends 12 points before the right.
    let column = |x: f32, mark: &str| -> String {
        (0..14)
            .map(|index| {
                let line = format!("{mark} line {index:02} of this column goes on");
                text("F3", 10.0, x, 700.0 - 14.0 * index as f32, &line)
            })
            .collect()
    };
    let width = 6.0 * "left line 00 of this column goes on".len() as f32;
    let mut file = PdfWriter::new();
    let courier = "/Font /F3 << /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>";
    let content = column(60.0, "left") + &column(60.0 + width + 12.0, "near");
    file.page_with("/MediaBox [0 0 612 792]", courier, &content);
    let parsed = read(&file.finish());
    let lines = lines(&parsed.document.pages[0]);
    assert_eq!(lines.len(), 28, "{lines:?}");
    assert!(lines[..14].iter().all(|line| line.starts_with("left")), "{lines:?}");
    assert!(lines[14..].iter().all(|line| line.starts_with("near")), "{lines:?}");
}

#[test]
fn bookmarks_labels_and_links_lead_to_pages() {
    let mut file = PdfWriter::new();
    let first = file.page(300, 300, &text("F1", 12.0, 50.0, 200.0, "one"));
    let link = file.object(format!(
        "<< /Type /Annot /Subtype /Link /Rect [50 190 90 210] /Dest [{} 0 R /Fit] >>",
        first + 4
    ));
    let uri = file.object(
        "<< /Type /Annot /Subtype /Link /Rect [50 90 90 110] /A << /S /URI /URI (https://example.org/) >> >>",
    );
    assert_eq!(first + 2, uri);
    // The linked page's content takes the next number, the page itself the one after.
    let second = file.page_with(
        &format!("/MediaBox [0 0 300 300] /Annots [{link} 0 R {uri} 0 R]"),
        "",
        &text("F1", 12.0, 50.0, 200.0, "two"),
    );
    let outline = file.object("<< >>");
    let child = file.object(format!("<< /Title (Part) /Parent {outline} 0 R /Dest [{second} 0 R /Fit] >>"));
    let top = file.object(format!(
        "<< /Title <FEFF7B2C4E007AE0> /Parent {outline} 0 R /First {child} 0 R /Next {outline} 0 R /A << /S /GoTo /D (here) >> >>"
    ));
    file.catalog(&format!(
        "/Outlines << /First {top} 0 R >> /PageLabels << /Nums [0 << /S /r >> 1 << /S /D /St 7 /P (A-) >>] >> \
         /Names << /Dests << /Names [(here) [{second} 0 R /Fit]] >> >>"
    ));
    let parsed = read(&file.finish());
    let two = PageNumber::new(2);
    let outline: Vec<_> = parsed
        .document
        .outline
        .iter()
        .map(|entry| (entry.title.as_str(), entry.level, entry.page_num))
        .collect();
    assert_eq!(outline, [("第一章", 1, two), ("Part", 2, two)]);
    let labels: Vec<_> = parsed.document.pages.iter().map(|page| page.declared_label.as_deref()).collect();
    assert_eq!(labels, [Some("i"), Some("A-7")]);
    let links = &parsed.document.pages[1].links;
    assert_eq!(links.len(), 2, "{links:?}");
    assert_eq!(links[1].uri.as_deref(), Some("https://example.org/"));
    assert!((links[1].bbox.unwrap().y0 - 190.0).abs() < 0.5, "y runs downwards: {links:?}");
}

#[test]
fn a_chinese_font_that_is_not_embedded_is_read_through_its_character_collection() {
    let mut file = PdfWriter::new();
    let descendant = file.object(
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light \
         /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>",
    );
    let font = file.object(format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [{descendant} 0 R] >>"
    ));
    // 电力系统 in the encoding's own codes.
    let content = "BT /F9 14 Tf 60 200 Td <7535 529B 7CFB 7EDF> Tj ET";
    file.page_with("/MediaBox [0 0 300 300]", &format!("/Font /F9 {font} 0 R"), content);
    let parsed = read(&file.finish());
    assert_eq!(lines(&parsed.document.pages[0]), ["电力系统"]);
}

/// Pages whose glyphs have no meaning, that are pictures, or that are empty.
fn pages_without_text() -> Vec<u8> {
    let mut file = PdfWriter::new();
    let descendant = file.object(
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Nameless /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
    );
    let font = file.object(format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /Nameless /Encoding /Identity-H /DescendantFonts [{descendant} 0 R] >>"
    ));
    let codes: Vec<String> = (100..160).map(|code| format!("{code:04X}")).collect();
    let codes = codes.concat();
    let grid: String = [100.0, 150.0, 200.0].iter().map(|y| line(50.0, *y, 250.0, *y)).collect::<String>()
        + &[50.0, 150.0, 250.0].iter().map(|x| line(*x, 100.0, *x, 200.0)).collect::<String>();
    let nameless = format!("BT /F9 3 Tf 40 250 Td <{codes}> Tj ET\n{grid}");
    file.page_with("/MediaBox [0 0 300 300]", &format!("/Font /F9 {font} 0 R"), &nameless);
    let image = file.stream(
        "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8",
        &[0, 255, 255, 0],
    );
    file.page_with(
        "/MediaBox [0 0 300 300]",
        &format!("/XObject << /Im {image} 0 R >>"),
        "q 300 0 0 300 0 0 cm /Im Do Q",
    );
    file.page(300, 300, "");
    file.finish()
}

#[test]
fn pages_without_usable_text_are_flagged_and_an_empty_page_is_blank() {
    let parsed = read(&pages_without_text());
    let origins: Vec<_> = parsed.document.pages.iter().map(|page| page.origin).collect();
    assert_eq!(origins, [TextOrigin::NeedsOcr, TextOrigin::NeedsOcr, TextOrigin::Blank]);
    let flagged: Vec<_> = parsed
        .diagnostics
        .iter()
        .filter(|remark| remark.code == DiagnosticCode::NeedsOcr)
        .map(|remark| remark.page_num.unwrap().get())
        .collect();
    assert_eq!(flagged, [1, 2]);
    assert!(lines(&parsed.document.pages[0]).is_empty(), "meaningless glyphs are not text");
}

#[test]
fn text_hidden_behind_a_scan_is_kept_but_the_page_is_flagged() {
    let mut file = PdfWriter::new();
    let image = file.stream(
        "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8",
        &[0, 255, 255, 0],
    );
    let content = "q 300 0 0 300 0 0 cm /Im Do Q \
                   BT 3 Tr /F1 10 Tf 20 200 Td (What another program once read in this picture, word by word) Tj ET";
    file.page_with("/MediaBox [0 0 300 300]", &format!("/XObject << /Im {image} 0 R >>"), content);
    let parsed = read(&file.finish());
    let page = &parsed.document.pages[0];
    assert_eq!(page.origin, TextOrigin::OcrLayer);
    assert_eq!(lines(page), ["What another program once read in this picture, word by word"]);
    assert_eq!(parsed.diagnostics[0].code, DiagnosticCode::NeedsOcr);
}

/// Gives the same lines for every picture.
struct OneLineReader {
    text: &'static str,
    confidence: f32,
}

impl Recognizer for OneLineReader {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn recognize(&self, _: &Picture) -> Result<Vec<RecognizedLine>, RecognizeError> {
        let bbox = regreader_model::Rect::new(40.0, 300.0, 700.0, 330.0);
        let text = self.text.to_owned();
        Ok(vec![RecognizedLine { text, bbox, centers: Vec::new(), confidence: self.confidence }])
    }
}

#[test]
fn of_two_readings_of_a_scan_the_one_that_reads_better_is_taken() {
    let clean = "What another program once read in this picture, word by word";
    let damaged = "Wh4t an0th3r pr0gr4m 0nc3 rcd 1n th1s p1ctvr3, w0rd bv vvrd";
    let origin = |layer: &str, text: &'static str, confidence: f32| {
        let mut file = PdfWriter::new();
        let image = file.stream(
            "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8",
            &[0, 255, 255, 0],
        );
        let content = format!("q 300 0 0 300 0 0 cm /Im Do Q BT 3 Tr /F1 10 Tf 20 200 Td ({layer}) Tj ET");
        file.page_with("/MediaBox [0 0 300 300]", &format!("/XObject << /Im {image} 0 R >>"), &content);
        let reader = OneLineReader { text, confidence };
        let options = ParseOptions { recognizer: Some(&reader), ..ParseOptions::default() };
        let parsed = regreader_parse::parse(&file.finish(), "scan.pdf", &options).unwrap();
        parsed.document.pages[0].origin
    };
    assert!(matches!(origin(damaged, clean, 0.9), TextOrigin::Ocr { .. }), "the new reading is better");
    assert_eq!(origin(clean, damaged, 0.9), TextOrigin::OcrLayer, "the layer has more words");
    assert_eq!(origin(clean, clean, 0.3), TextOrigin::OcrLayer, "the reader itself is unsure");
    assert_eq!(origin(clean, "word", 0.99), TextOrigin::OcrLayer, "most of the page is missing");
}

#[test]
fn text_that_a_picture_of_the_page_covers_is_the_work_of_another_recogniser() {
    let read_with = |tail: &str| {
        let mut file = PdfWriter::new();
        let image = file.stream(
            "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8",
            &[255, 255, 255, 255],
        );
        let text =
            "BT /F1 10 Tf 20 200 Td (What another program once read in this picture, word by word) Tj ET";
        let picture = "q 300 0 0 300 0 0 cm /Im Do Q";
        let content =
            if tail == "picture last" { format!("{text} {picture}") } else { format!("{picture} {text}") };
        file.page_with("/MediaBox [0 0 300 300]", &format!("/XObject << /Im {image} 0 R >>"), &content);
        read(&file.finish()).document.pages[0].origin
    };
    assert_eq!(read_with("picture last"), TextOrigin::OcrLayer);
    assert_eq!(read_with("text last"), TextOrigin::TextLayer, "text over a background is the page's own");
}

#[test]
fn a_page_is_drawn_at_the_resolution_asked_for() {
    let mut file = PdfWriter::new();
    file.page(144, 72, "0 0 72 72 re f");
    let bytes = file.finish();
    let first = PageNumber::new(1).unwrap();
    let picture = pdf::page_picture(&bytes, first, 72.0, &ParseOptions::default()).unwrap().unwrap();
    assert_eq!((picture.width, picture.height), (144, 72));
    let pixel = |x: usize, y: usize| picture.rgb[(y * 144 + x) * 3];
    assert_eq!((pixel(36, 36), pixel(108, 36)), (0, 255), "left half black, right half white");
    assert!(pdf::page_picture(&bytes, first.next(), 72.0, &ParseOptions::default()).unwrap().is_none());
}

/// Loads its models when it is first asked, in the thread pool, as model runtimes do.
#[derive(Default)]
struct LazyReader {
    loaded: OnceLock<usize>,
}

impl Recognizer for LazyReader {
    fn name(&self) -> &'static str {
        "lazy"
    }

    fn concurrency(&self) -> usize {
        2
    }

    fn recognize(&self, _: &Picture) -> Result<Vec<RecognizedLine>, RecognizeError> {
        // A worker that waits for the pool begins other pages, and those wait for the loading to end: a hang.
        assert_eq!(rayon::current_thread_index(), None, "called from a worker of the pool");
        let weights = self.loaded.get_or_init(|| (0..10_000).into_par_iter().map(|n: usize| n % 7).sum());
        assert!(*weights > 0);
        Ok(vec![RecognizedLine {
            text: "read".to_owned(),
            bbox: Rect { x0: 10.0, y0: 10.0, x1: 90.0, y1: 30.0 },
            centers: Vec::new(),
            confidence: 0.9,
        }])
    }
}

#[test]
fn sixteen_scanned_pages_are_read_in_a_pool_of_two_by_a_reader_that_loads_lazily() {
    let mut file = PdfWriter::new();
    let image = file.stream(
        "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8",
        &[0, 255, 255, 0],
    );
    file.page(300, 300, &text("F1", 12.0, 50.0, 200.0, "a page with words of its own"));
    for _ in 0..16 {
        let resources = format!("/XObject << /Im {image} 0 R >>");
        file.page_with("/MediaBox [0 0 300 300]", &resources, "q 300 0 0 300 0 0 cm /Im Do Q");
    }
    let bytes = file.finish();
    let told = Mutex::new(Vec::new());
    let progress = |step: Progress| told.lock().unwrap().push(step);
    let reader = LazyReader::default();
    let options =
        ParseOptions { recognizer: Some(&reader), progress: Some(&progress), ..ParseOptions::default() };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let parsed = pool.install(|| pdf::parse(&bytes, &options)).unwrap();
    assert!(parsed.diagnostics.iter().all(|remark| remark.code != DiagnosticCode::PageUnreadable));
    for page in &parsed.document.pages[1..] {
        assert!(matches!(page.origin, TextOrigin::Ocr { .. }), "{:?}", page.origin);
        assert_eq!(lines(page), ["read"]);
    }
    let told = told.into_inner().unwrap();
    let recognized: BTreeSet<_> = told.iter().filter_map(|step| step.recognized).collect();
    assert_eq!(recognized.len(), 16, "each is told");
    assert_eq!(told.iter().map(|step| step.done).max(), Some(17));
}

/// Finds two words in any picture, at fixed shares of its size.
struct FixedReader;

impl Recognizer for FixedReader {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn recognize(&self, picture: &Picture) -> Result<Vec<RecognizedLine>, RecognizeError> {
        assert_eq!(picture.rgb.len(), (picture.width * picture.height * 3) as usize);
        let (w, h) = (picture.width as f32 / 300.0, picture.height as f32 / 300.0);
        let place =
            |x0: f32, y0: f32, x1: f32, y1: f32| Rect { x0: x0 * w, y0: y0 * h, x1: x1 * w, y1: y1 * h };
        Ok(vec![
            // Read straight across the rule between two cells.
            RecognizedLine {
                text: "起始字段".to_owned(),
                bbox: place(60.0, 115.0, 240.0, 130.0),
                centers: Vec::new(),
                confidence: 0.9,
            },
            RecognizedLine {
                text: "终端".to_owned(),
                bbox: place(60.0, 165.0, 90.0, 180.0),
                centers: vec![67.0 * w, 83.0 * w],
                confidence: 0.7,
            },
        ])
    }
}

#[test]
fn recognised_words_fill_the_cells_of_drawn_rules() {
    let options = ParseOptions { recognizer: Some(&FixedReader), ..ParseOptions::default() };
    let parsed = pdf::parse(&pages_without_text(), &options).unwrap();
    let page = &parsed.document.pages[0];
    let TextOrigin::Ocr { confidence } = page.origin else { panic!("{:?}", page.origin) };
    assert!((confidence - 0.8333).abs() < 0.001, "weighted by characters: {confidence}");
    let table = tables(page)[0];
    let cells: Vec<_> = table.cells.iter().map(|cell| cell.content.as_str()).collect();
    assert_eq!(cells, ["起始", "字段", "终端", ""]);
    assert!(parsed.diagnostics.iter().any(|remark| remark.code == DiagnosticCode::LowConfidence));
    assert_eq!(parsed.document.pages[2].origin, TextOrigin::Blank, "nothing to recognise on an empty page");
}

/// One page with two Chinese characters in a font that every reader is expected to bring.
fn page_whose_font_is_not_in_the_file() -> Vec<u8> {
    let font = "/F9 << /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts \
        [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light \
        /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> >>] >>";
    let mut file = PdfWriter::new();
    let content = "BT /F9 40 Tf 10 30 Td <5B895168> Tj ET";
    file.page_with("/MediaBox [0 0 100 100]", &format!("/Font {font}"), content);
    file.finish()
}

#[test]
fn a_font_is_looked_for_when_a_page_without_it_is_drawn_and_missed_aloud() {
    let bytes = page_whose_font_is_not_in_the_file();
    assert_eq!(lines(&read(&bytes).document.pages[0]), ["安全"], "the text is read without any font");
    let asked = AtomicUsize::new(0);
    let nowhere = || {
        asked.fetch_add(1, Ordering::Relaxed);
        None
    };
    let everywhere = ParseOptions {
        recognizer: Some(&FixedReader),
        recognition: Recognition::Everywhere,
        fallback_font: Some(&nowhere),
        ..ParseOptions::default()
    };
    let parsed = pdf::parse(&bytes, &everywhere).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    assert!(parsed.diagnostics.iter().any(|remark| remark.code == DiagnosticCode::MissingFont));
    // A page that needs none asks for nothing.
    let mut plain = PdfWriter::new();
    plain.page(144, 72, &text("F1", 12.0, 10.0, 10.0, "plain"));
    pdf::parse(&plain.finish(), &everywhere).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[test]
fn a_locked_file_opens_with_its_password_only() {
    let locked = include_bytes!("fixtures/pdf_locked.pdf");
    let refused = pdf::parse(locked, &ParseOptions::default());
    assert!(matches!(refused, Err(ParseError::Encrypted)), "{refused:?}");
    let wrong = ParseOptions { password: Some("guess"), ..ParseOptions::default() };
    assert!(matches!(pdf::parse(locked, &wrong), Err(ParseError::Encrypted)));
    let right = ParseOptions { password: Some("opensesame"), ..ParseOptions::default() };
    let parsed = pdf::parse(locked, &right).unwrap();
    assert_eq!(lines(&parsed.document.pages[0]), ["Locked words 42"]);
}

#[test]
fn the_same_file_gives_the_same_pages_whatever_the_number_of_threads() {
    let mut file = PdfWriter::new();
    for number in 0..40 {
        file.page(300, 300, &text("F1", 12.0, 50.0, 200.0, &format!("page number {number}")));
    }
    let bytes = file.finish();
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let one = pool(1).install(|| read(&bytes));
    let four = pool(4).install(|| read(&bytes));
    assert_eq!(one, four);
    assert_eq!(one.document.pages.len(), 40);
}

#[test]
fn small_type_near_the_baseline_is_lowered_and_the_mark_of_a_footnote_raised() {
    let mut file = PdfWriter::new();
    file.page(
        400,
        300,
        "BT /F1 12 Tf 20 200 Td (Limits of CO) Tj /F1 8 Tf -1.5 Ts (2) Tj 0 Ts /F1 12 Tf (e a year) Tj ET \
         BT /F1 8 Tf 20 100 Td 4 Ts (12) Tj 0 Ts /F1 12 Tf ( The order defines the term) Tj ET",
    );
    let parsed = read(&file.finish());
    assert_eq!(lines(&parsed.document.pages[0]), ["Limits of CO₂e a year", "¹² The order defines the term"]);
}

#[test]
fn lines_that_may_be_two_columns_are_reported() {
    let mut file = PdfWriter::new();
    let row = |y: usize| {
        // Drawn from side to side, so that the order of drawing speaks against columns; the gap speaks for them.
        format!(
            "BT /F1 10 Tf 20 {y} Td (The term that is defined) Tj 190 0 Td (means what is said of it) Tj ET "
        )
    };
    let content: String = (0..8).map(|n| row(260 - 20 * n)).collect();
    file.page(400, 300, &content);
    let line = |y: usize| text("F1", 10.0, 20.0, y as f32, "One line of text that has no gap");
    let plain: String = (0..8).map(|n| line(260 - 20 * n)).collect();
    file.page(400, 300, &plain);
    let parsed = read(&file.finish());
    let said: Vec<u32> = parsed
        .diagnostics
        .iter()
        .filter(|remark| remark.code == DiagnosticCode::ReadingOrder)
        .filter_map(|remark| remark.page_num.map(PageNumber::get))
        .collect();
    assert_eq!(said, [1]);
}
