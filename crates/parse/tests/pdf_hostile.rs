//! Damaged and hostile PDF files: a clear error or pages with remarks, never a panic, a hang or unbounded memory.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::io::Write as _;
use std::path::PathBuf;

use crate::pdf_support::{PdfWriter, deflate, line, text};
use regreader_model::{DiagnosticCode, TextOrigin};
use regreader_parse::{Limits, ParseError, ParseOptions, pdf};

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// A small file with a bit of everything.
fn specimen() -> Vec<u8> {
    let mut file = PdfWriter::new();
    let table: String = [700.0, 680.0, 660.0].iter().map(|y| line(100.0, *y, 300.0, *y)).collect::<String>()
        + &[100.0, 200.0, 300.0].iter().map(|x| line(*x, 660.0, *x, 700.0)).collect::<String>()
        + &text("F1", 10.0, 110.0, 686.0, "cell");
    let form = file.stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources << >>",
        text("F1", 10.0, 10.0, 10.0, "inside a form").as_bytes(),
    );
    let packed = deflate(text("F2", 12.0, 72.0, 500.0, "packed content").as_bytes());
    let packed = file.stream("/Filter /FlateDecode", &packed);
    let page = file.page_with(
        "/MediaBox [0 0 612 792]",
        &format!("/XObject << /Fm {form} 0 R >>"),
        &(table + "/Fm Do\n" + &text("F1", 12.0, 72.0, 600.0, "Words of the page")),
    );
    file.object(format!("[{packed} 0 R]"));
    let outline = file.object(format!("<< /Title (Chapter) /Dest [{page} 0 R /Fit] >>"));
    file.catalog(&format!("/Outlines << /First {outline} 0 R >> /PageLabels << /Nums [0 << /S /D >>] >>"));
    file.page(612, 792, &text("F1", 12.0, 72.0, 600.0, "Second page"));
    file.finish()
}

/// Small bounds keep the test quick; the code paths are the same.
fn options() -> ParseOptions<'static> {
    let limits = Limits {
        max_pages: 2_000,
        max_part_bytes: 4 << 20,
        max_total_bytes: 32 << 20,
        max_depth: 32,
        max_chars_per_page: 20_000,
        max_cells: 10_000,
        max_document_cells: 50_000,
        max_text_bytes: 4 << 20,
        max_rules_per_page: 5_000,
    };
    ParseOptions { limits, ..ParseOptions::default() }
}

/// Parses; whatever comes back must say something.
fn survive(bytes: &[u8]) {
    match pdf::parse(bytes, &options()) {
        Ok(parsed) => assert!(!parsed.document.pages.is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn mutate_all(specimen: &[u8], count: usize, seed: u64) {
    let mut dice = Dice(seed);
    for step in 0..count {
        let mut bytes = specimen.to_vec();
        match step % 4 {
            // Cut off.
            0 => bytes.truncate(dice.roll(specimen.len())),
            // A few bits flipped.
            1 => {
                for _ in 0..=dice.roll(12) {
                    let at = dice.roll(bytes.len());
                    bytes[at] ^= 1 << dice.roll(8);
                }
            }
            // A run overwritten.
            2 => {
                let at = dice.roll(bytes.len());
                let end = (at + 1 + dice.roll(64)).min(bytes.len());
                let with = dice.roll(256) as u8;
                bytes[at..end].fill(with);
            }
            // A digit changed: offsets, lengths, references.
            _ => {
                for _ in 0..4 {
                    let digits: Vec<usize> =
                        (0..bytes.len()).filter(|i| bytes[*i].is_ascii_digit()).collect();
                    let at = digits[dice.roll(digits.len())];
                    bytes[at] = b'0' + dice.roll(10) as u8;
                }
            }
        }
        survive(&bytes);
    }
}

/// Not a check: writes what the fuzz targets begin with into the folder that `REGREADER_FUZZ_SEEDS` names. `cargo xtask fuzz`
/// runs it first.
#[test]
#[ignore = "writes the seeds of the fuzz targets; `cargo xtask fuzz` runs it"]
fn seeds_for_the_fuzz_targets() {
    let folder = PathBuf::from(std::env::var_os("REGREADER_FUZZ_SEEDS").expect("where to write them"));
    for target in ["pdf", "any"] {
        std::fs::create_dir_all(folder.join(target)).unwrap();
        std::fs::write(folder.join(target).join("seed-pdf"), specimen()).unwrap();
    }
}

#[test]
fn five_hundred_mutations_of_a_small_file() {
    let specimen = specimen();
    assert_eq!(pdf::parse(&specimen, &options()).unwrap().document.pages.len(), 2);
    mutate_all(&specimen, 500, 0x9E37_79B9_7F4A_7C15);
}

#[test]
fn mutations_of_a_typeset_file() {
    let path = std::env::var("CARGO_MANIFEST_DIR").unwrap() + "/../../samples/pdf/angui_2024.pdf";
    match std::fs::read(path) {
        Ok(specimen) => mutate_all(&specimen, 24, 0xD1B5_4A32_D192_ED03),
        Err(_) => drop(writeln!(std::io::stderr(), "skipped: the sample library has not been built")),
    }
}

#[test]
fn files_that_are_no_pdf_say_so() {
    for bytes in
        [&b"%PDF-1.7"[..], b"%PDF-1.7\n%%EOF", b"hello", &[0; 4096], b"%PDF-1.4\nstartxref\n9999999\n%%EOF"]
    {
        let error = pdf::parse(bytes, &options()).unwrap_err();
        assert!(matches!(error, ParseError::Malformed { .. } | ParseError::NoPages), "{error:?}");
    }
    let mut file = PdfWriter::new();
    file.catalog("");
    let error = pdf::parse(&file.finish(), &options()).unwrap_err();
    assert!(
        matches!(error, ParseError::NoPages | ParseError::Malformed { .. }),
        "no pages at all: {error:?}"
    );
}

#[test]
fn a_page_that_unpacks_to_more_than_the_limit_is_refused_and_the_others_are_read() {
    let mut file = PdfWriter::new();
    let packed = deflate(&vec![b' '; 64 << 20]);
    let bomb = file.stream("/Filter /FlateDecode", &packed);
    let double = file.stream("/Filter [/FlateDecode /FlateDecode]", &deflate(&packed));
    let form = file.stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Filter /FlateDecode", &packed);
    for stream in [bomb, double] {
        file.page_with(&format!("/MediaBox [0 0 300 300] /Contents {stream} 0 R"), "", "");
    }
    file.page_with(
        "/MediaBox [0 0 300 300]",
        &format!("/XObject << /Fm {form} 0 R >>"),
        &("/Fm Do ".to_owned() + &text("F1", 12.0, 50.0, 200.0, "still here")),
    );
    let parsed = pdf::parse(&file.finish(), &options()).unwrap();
    assert_eq!(parsed.document.pages.len(), 3);
    assert_eq!(parsed.document.pages[2].origin, TextOrigin::TextLayer);
    let limited: Vec<_> = parsed
        .diagnostics
        .iter()
        .filter(|remark| remark.code == DiagnosticCode::LimitReached)
        .filter_map(|remark| remark.page_num)
        .map(regreader_model::PageNumber::get)
        .collect();
    assert_eq!(limited, [1, 2], "{:?}", parsed.diagnostics);
}

#[test]
fn packed_objects_that_unpack_without_end_are_refused() {
    let mut file = PdfWriter::new();
    file.page(300, 300, &text("F1", 12.0, 50.0, 200.0, "words"));
    file.stream("/Type /ObjStm /N 1 /First 5 /Filter /FlateDecode", &deflate(&vec![b' '; 300 << 20]));
    let error = pdf::parse(&file.finish(), &options()).unwrap_err();
    assert!(matches!(error, ParseError::LimitExceeded { .. }), "{error:?}");
}

#[test]
fn loops_of_every_kind_end() {
    let mut file = PdfWriter::new();
    // A form that draws itself ten times, a font that is its own descendant, bookmarks in a ring.
    let form = 3;
    let draw = "/Fm Do ".repeat(10);
    let made = file.stream(
        &format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /Fm {form} 0 R >> >>"
        ),
        draw.as_bytes(),
    );
    assert_eq!(made, form);
    let font =
        file.object("<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [4 0 R] >>");
    assert_eq!(font, 4);
    let ring = file.object("<< /Title (a) /Next 5 0 R /First 5 0 R >>");
    file.catalog(&format!("/Outlines << /First {ring} 0 R >> /PageLabels << /Kids [{ring} 0 R] >> /Names << /Dests {ring} 0 R >>"));
    file.page_with("/MediaBox [0 0 300 300]", &format!("/XObject << /Fm {form} 0 R >>"), "/Fm Do");
    file.page_with(
        "/MediaBox [0 0 300 300]",
        &format!("/Font /F9 {font} 0 R"),
        &("BT /F9 10 Tf (loop) Tj ET ".to_owned() + &text("F1", 12.0, 50.0, 200.0, "after the loop")),
    );
    let parsed = pdf::parse(&file.finish(), &options()).unwrap();
    assert_eq!(parsed.document.pages[1].origin, TextOrigin::TextLayer);
    let limit = parsed.diagnostics.iter().find(|remark| remark.code == DiagnosticCode::LimitReached);
    assert_eq!(
        limit.and_then(|remark| remark.page_num).map(regreader_model::PageNumber::get),
        Some(1),
        "{:?}",
        parsed.diagnostics
    );
}

#[test]
fn forms_that_multiply_are_cut_off_with_a_remark() {
    let mut file = PdfWriter::new();
    // Each of twelve forms draws the next one twenty times.
    for next in 4..16 {
        let resources = format!("/Resources << /XObject << /Fm {next} 0 R >> >>");
        file.stream(
            &format!("/Type /XObject /Subtype /Form /BBox [0 0 99 99] {resources}"),
            "/Fm Do ".repeat(20).as_bytes(),
        );
    }
    let leaf = text("F1", 10.0, 1.0, 1.0, "leaf");
    file.stream("/Type /XObject /Subtype /Form /BBox [0 0 99 99]", leaf.as_bytes());
    file.page_with("/MediaBox [0 0 300 300]", "/XObject << /Fm 3 0 R >>", "/Fm Do");
    let parsed = pdf::parse(&file.finish(), &options()).unwrap();
    let remark = parsed.diagnostics.iter().find(|remark| remark.code == DiagnosticCode::LimitReached);
    assert_eq!(remark.and_then(|remark| remark.page_num).map(regreader_model::PageNumber::get), Some(1));
}

#[test]
fn a_page_tree_that_holds_itself_gives_its_pages_once() {
    let mut file = PdfWriter::new();
    file.page(300, 300, &text("F1", 12.0, 50.0, 200.0, "only page"));
    let bytes = String::from_utf8_lossy(&file.finish()).replace("/Kids [", "/Kids [2 0 R ");
    match pdf::parse(bytes.as_bytes(), &options()) {
        Ok(parsed) => assert_eq!(parsed.document.pages.len(), 1),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn width_tables_and_nesting_beyond_reason_do_no_harm() {
    let mut file = PdfWriter::new();
    let descendant = file.object(
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /W [0 4294967294 500] \
         /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>",
    );
    let wide = file.object(format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /UniGB-UCS2-H /DescendantFonts [{descendant} 0 R] >>"
    ));
    let late = file.object(
        "<< /Type /Font /Subtype /TrueType /BaseFont /Y /FirstChar 4000000000 /LastChar 4000000001 /Widths [1 2] >>",
    );
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let states = "q ".repeat(100_000);
    let marks = "/Span BMC ".repeat(100_000);
    file.page_with(
        "/MediaBox [0 0 300 300]",
        &format!("/Font /F8 {wide} 0 R /F9 {late} 0 R"),
        &("BT /F8 9 Tf (ab) Tj /F9 9 Tf (cd) Tj ET ".to_owned()
            + &text("F1", 12.0, 50.0, 200.0, "still read")),
    );
    file.page_with(
        &format!("/MediaBox [0 0 300 300] /Deep {deep}"),
        "",
        &text("F1", 12.0, 50.0, 200.0, "deep"),
    );
    file.page(300, 300, &format!("{deep} TJ {}", text("F1", 12.0, 50.0, 200.0, "deep")));
    file.page(300, 300, &states);
    file.page(300, 300, &marks);
    let parsed = pdf::parse(&file.finish(), &options()).unwrap();
    assert!(!parsed.document.pages.is_empty());
}

#[test]
fn pages_crowded_with_characters_and_rules_are_cut_off_with_a_remark() {
    let crowd = text("F1", 1.0, 10.0, 10.0, &"x ".repeat(60_000));
    let same: String = (0..30_000).map(|_| text("F1", 10.0, 50.0, 50.0, "same")).collect();
    let rules: String = (0..20_000).map(|i| line(0.0, (i % 792) as f32, 500.0, (i % 792) as f32)).collect();
    let mesh: String = (0..2_000)
        .map(|i| {
            line(0.0, i as f32 * 0.39, 600.0, i as f32 * 0.39)
                + &line(i as f32 * 0.3, 0.0, i as f32 * 0.3, 790.0)
        })
        .collect();
    let scattered: String =
        (0..4_000).map(|i| text("F1", 0.5, (i * 37 % 600) as f32, (i * 91 % 790) as f32, "1")).collect();
    let mut file = PdfWriter::new();
    for content in [&crowd, &same, &rules, &mesh, &scattered] {
        file.page(612, 792, content);
    }
    let parsed = pdf::parse(&file.finish(), &options()).unwrap();
    assert_eq!(parsed.document.pages.len(), 5);
    let limited: Vec<_> = parsed
        .diagnostics
        .iter()
        .filter(|remark| remark.code == DiagnosticCode::LimitReached)
        .filter_map(|remark| remark.page_num)
        .map(regreader_model::PageNumber::get)
        .collect();
    assert!(limited.contains(&2) && limited.contains(&3), "{limited:?}");
}
