//! A printed page becomes a picture, and the picture is read: through models fetched by package name, or kept and
//! marked where there are none.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings};
use regreader::models;
use regreader::pipeline::PdfSupport;
use regreader_model::PageNumber;
use regreader_parse::pdf::page_picture;
use regreader_parse::{ParseOptions, parse};
use regreader_text::fold;
use serde_json::Value;

/// A page with a two-row header that spans, the start of another table, notes and clauses.
const FILE: &str = "pdf/wengui_2024.pdf";
const PAGE: usize = 11;
/// Where a scanner would stand: dots per inch.
const RESOLUTION: f32 = 200.0;

fn samples() -> PathBuf {
    PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../samples")
}

/// A picture of the page: width, height, and its bytes of red, green and blue.
fn picture() -> (u32, u32, Vec<u8>) {
    let pdf = Pdf::new(fs::read(samples().join(FILE)).unwrap()).unwrap();
    let scale = RESOLUTION / 72.0;
    let pixmap = hayro::render(
        &pdf.pages()[PAGE - 1],
        &RenderCache::new(),
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE },
    );
    let rgb = pixmap.data().iter().flat_map(|pixel| [pixel.r, pixel.g, pixel.b]).collect();
    (u32::from(pixmap.width()), u32::from(pixmap.height()), rgb)
}

/// One page with four Chinese characters in a font that is not in the file.
fn page_without_its_font() -> Vec<u8> {
    let content = "BT /F1 40 Tf 10 30 Td <5B89516889C47A0B> Tj ET";
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 180 100] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [6 0 R] >>"
            .to_owned(),
        "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light \
         /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> >>"
            .to_owned(),
    ];
    let mut bytes = b"%PDF-1.7\n".to_vec();
    for (index, object) in objects.iter().enumerate() {
        bytes.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    bytes.extend(b"trailer\n<< /Size 7 /Root 1 0 R >>\n%%EOF\n");
    bytes
}

#[test]
fn a_page_without_its_font_is_drawn_with_one_of_the_system() {
    let support = PdfSupport::default();
    let Some(font) = support.fallback_font() else {
        let _ = writeln!(std::io::stderr(), "skipped: no font of this system covers Chinese");
        return;
    };
    assert!(font.data.len() > 100_000);
    let bytes = page_without_its_font();
    let find = || support.fallback_font();
    let with = ParseOptions { fallback_font: Some(&find), ..ParseOptions::default() };
    let ink = |options: &ParseOptions<'_>| {
        let picture = page_picture(&bytes, PageNumber::FIRST, 72.0, options).unwrap().unwrap();
        picture.rgb.chunks_exact(3).filter(|pixel| pixel[0] < 128).count()
    };
    let (blank, drawn) = (ink(&ParseOptions::default()), ink(&with));
    // Four characters of 40 points cover well over a tenth of their squares.
    assert!(drawn > blank + 600, "{blank} dark pixels without the font, {drawn} with it");
}

fn png(path: &Path) {
    let (width, height, rgb) = picture();
    image::RgbImage::from_raw(width, height, rgb).unwrap().save(path).unwrap();
}

/// A PDF whose one page is nothing but a picture.
fn scanned_pdf() -> Vec<u8> {
    let (width, height, rgb) = picture();
    let (w, h) = (width as f32 * 72.0 / RESOLUTION, height as f32 * 72.0 / RESOLUTION);
    let draw = format!("q {w:.2} 0 0 {h:.2} 0 0 cm /Im0 Do Q");
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    let mut object = |bytes: &mut Vec<u8>, head: &str, stream: Option<&[u8]>| {
        offsets.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n{head}\n", offsets.len()).bytes());
        if let Some(stream) = stream {
            bytes.extend(b"stream\n");
            bytes.extend(stream);
            bytes.extend(b"\nendstream\n");
        }
        bytes.extend(b"endobj\n");
    };
    object(&mut bytes, "<< /Type /Catalog /Pages 2 0 R >>", None);
    object(&mut bytes, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", None);
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {w:.2} {h:.2}] /Contents 4 0 R \
         /Resources << /XObject << /Im0 5 0 R >> >> >>"
    );
    object(&mut bytes, &page, None);
    object(&mut bytes, &format!("<< /Length {} >>", draw.len()), Some(draw.as_bytes()));
    let image = format!(
        "<< /Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent 8 /ColorSpace /DeviceRGB \
         /Length {} >>",
        rgb.len()
    );
    object(&mut bytes, &image, Some(&rgb));
    let start = bytes.len();
    let mut tail = format!("xref\n0 {}\n0000000000 65535 f \n", offsets.len() + 1);
    for offset in &offsets {
        writeln!(tail, "{offset:010} 00000 n ").unwrap();
    }
    write!(tail, "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", offsets.len() + 1)
        .unwrap();
    bytes.extend(tail.bytes());
    bytes
}

struct Bench {
    folder: tempfile::TempDir,
    models: PathBuf,
}

impl Bench {
    fn new(models: Option<PathBuf>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let models = models.unwrap_or_else(|| folder.path().join("no-models"));
        Self { folder, models }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_regreader"));
        command.current_dir(self.folder.path()).args(arguments).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.folder.path());
        command.env("REGREADER_MODELS_DIR", &self.models).env("REGREADER_LIBREOFFICE", "off");
        command.output().unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[&["--json"], arguments].concat());
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn without_models_the_page_is_kept_marked_and_the_way_out_is_said() {
    let bench = Bench::new(None);
    fs::write(bench.folder.path().join("scan.pdf"), scanned_pdf()).unwrap();
    let output = bench.run(&["ingest", "scan.pdf", "--reg-id", "scan"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("needs_ocr") && said.contains("regreader models pull pp-ocrv6-small"), "{said}");
    let report = bench.json(&["inspect", "scan"]);
    assert_eq!(report["quality"]["pages_by_origin"]["needs_ocr"], serde_json::json!([1]), "{report}");
    assert_eq!(bench.json(&["ingest", "scan.pdf", "--reg-id", "scan"])["unchanged"], 1);

    let forced = bench.run(&["--set", "ocr=force", "ingest", "scan.pdf", "--reg-id", "scan"]);
    assert_eq!(forced.status.code(), Some(4), "{}", stderr(&forced));
}

#[test]
fn a_scanned_page_is_read_with_its_tables() {
    let Some(cache) = fetched() else { return };
    let bench = Bench::new(Some(cache));
    png(&bench.folder.path().join("page.png"));
    fs::write(bench.folder.path().join("scan.pdf"), scanned_pdf()).unwrap();
    let truth = printed();
    for (file, reg_id) in [("page.png", "photo"), ("scan.pdf", "scan")] {
        let summary = bench.json(&["ingest", file, "--reg-id", reg_id]);
        assert_eq!(summary["needs_ocr"], serde_json::json!([]), "{summary}");
        let page = stored(&bench, reg_id, "pages/0001.json");
        assert_eq!(page["origin"]["kind"], "ocr");
        let accuracy = agreement(&truth.text, &letters(&page));
        println!("{file}: character accuracy {accuracy:.4}");
        assert!(accuracy >= 0.97, "{file}: {accuracy:.4}\n{}\n{}", truth.text, letters(&page));
        let tables = stored(&bench, reg_id, "tables.json");
        assert_eq!(shapes(&tables), truth.tables, "{file}");
    }
}

/// The models, fetched once into a folder outside the repository where `REGREADER_NETWORK_TESTS` is set.
fn fetched() -> Option<PathBuf> {
    let home = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    let cache = home.unwrap_or_else(std::env::temp_dir).join("regreader-tests").join("models");
    let model = models::find(models::DEFAULT_OCR).unwrap();
    if models::verify(&cache, model).is_some_and(|wrong| wrong.is_empty()) {
        return Some(cache);
    }
    let pulled = match std::env::var_os("REGREADER_NETWORK_TESTS") {
        Some(_) => models::pull(&cache, model).map_err(|error| error.to_string()),
        None => Err("REGREADER_NETWORK_TESTS is not set, and the models are not in the cache".to_owned()),
    };
    if let Err(reason) = &pulled {
        let _ = writeln!(std::io::stderr(), "skipped: {reason}");
    }
    pulled.is_ok().then_some(cache)
}

struct Printed {
    text: String,
    /// Rows, columns and cells of each table, with their spans.
    tables: Vec<String>,
}

/// What the same page says when its own text is read.
fn printed() -> Printed {
    let bytes = fs::read(samples().join(FILE)).unwrap();
    let mut parsed = parse(&bytes, FILE, &ParseOptions::default()).unwrap();
    parsed.document.pages.retain(|page| page.page_num.get() as usize == PAGE);
    for page in &mut parsed.document.pages {
        page.page_num = regreader_model::PageNumber::from_index(0);
    }
    let options = regreader_assemble::AssembleOptions::new("printed".parse().unwrap(), FILE.to_owned());
    let regulation = regreader_assemble::assemble(parsed.document, Vec::new(), &options);
    Printed {
        text: letters(&serde_json::to_value(&regulation.pages[0]).unwrap()),
        tables: shapes(&serde_json::to_value(&regulation.tables).unwrap()),
    }
}

fn stored(bench: &Bench, reg_id: &str, file: &str) -> Value {
    let path = bench.folder.path().join(".local/share/regreader/library/regulations").join(reg_id).join(file);
    serde_json::from_slice(&fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .unwrap()
}

/// The page's Markdown without marks and spaces, folded.
fn letters(page: &Value) -> String {
    let markdown = page["content_markdown"].as_str().unwrap();
    fold(markdown).chars().filter(|c| c.is_alphanumeric()).collect()
}

fn shapes(tables: &Value) -> Vec<String> {
    let tables = tables["tables"].as_object().unwrap();
    let cell = |cell: &Value| {
        let number = |name: &str| cell[name].as_u64().unwrap_or(1);
        format!("{},{} {}x{}", cell["row"], cell["col"], number("row_span"), number("col_span"))
    };
    let shape = |table: &Value| {
        let cells: Vec<String> = table["cells"].as_array().unwrap().iter().map(cell).collect();
        format!("{} rows, {} columns: {}", table["row_count"], table["col_count"], cells.join("; "))
    };
    tables.values().map(shape).collect()
}

/// One less the edits over the length of the truth.
fn agreement(truth: &str, found: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (truth.chars().collect(), found.chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    1.0 - row[b.len()] as f64 / a.len().max(1) as f64
}
