//! The process that draws pages: started by the web reader, asked over a pipe, ended when it takes too long.
//!
//! A damaged or hostile PDF may make the drawing library use any amount of memory or never return. In a process of its own
//! with a bound on memory, the worst that happens is that this page has no picture.
//!
//! A request is one line of JSON on stdin. The answer is a line `ok LENGTH` and as many bytes of PNG, or a line
//! `error MESSAGE`.

use std::fs;
use std::io::{self, BufRead, Cursor, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};
use regreader_model::PageNumber;
use regreader_parse::pdf::{Engine, FallbackFont, Hayro, OpenFile};
use regreader_parse::recognize::Picture;
use regreader_parse::{Limits, ParseOptions};
use serde::{Deserialize, Serialize};

use crate::pipeline::PdfSupport;
use crate::settings::Settings;

/// Which page of which file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DrawRequest {
    /// The source document.
    pub path: PathBuf,
    /// blake3 of it, hex: a file that was replaced meanwhile must not lend its pages to another edition's marks.
    pub hash: Option<String>,
    /// Page to draw, from 1.
    pub page: PageNumber,
    /// Width of the picture in pixels.
    pub width: u32,
    /// Width of the page in points, as it was stored.
    pub points: f32,
    /// The source is a picture, not a PDF.
    pub is_image: bool,
}

/// Answers requests until stdin ends.
pub fn serve(settings: &Settings) -> anyhow::Result<()> {
    let pdf = PdfSupport::find(settings)?;
    let mut lines = io::stdin().lock().lines();
    let mut out = io::stdout().lock();
    let mut next = read(&mut lines)?;
    while let Some(request) = next {
        let bytes = match load(&request, settings.max_file_mib) {
            Ok(bytes) => bytes,
            Err(message) => {
                answer(&mut out, Err(message))?;
                next = read(&mut lines)?;
                continue;
            }
        };
        if request.is_image {
            answer(&mut out, draw_image(&bytes, request.width))?;
            next = read(&mut lines)?;
            continue;
        }
        let options = ParseOptions::default();
        let engine: &dyn Engine = pdf.engine().unwrap_or(&Hayro);
        let file = match engine.open(&bytes, &options) {
            Ok(file) => file,
            Err(error) => {
                answer(&mut out, Err(error.to_string()))?;
                next = read(&mut lines)?;
                continue;
            }
        };
        // The file stays open as long as its pages are asked for: readers turn pages one after the other.
        let mut current = Some(request.clone());
        next = None;
        while let Some(asked) = current.take() {
            if asked.path != request.path || asked.hash != request.hash {
                next = Some(asked);
                break;
            }
            answer(&mut out, draw(&*file, &asked, || pdf.fallback_font()))?;
            current = read(&mut lines)?;
        }
    }
    Ok(())
}

fn read(lines: &mut impl Iterator<Item = io::Result<String>>) -> anyhow::Result<Option<DrawRequest>> {
    let Some(line) = lines.next() else { return Ok(None) };
    Ok(Some(serde_json::from_str(&line?)?))
}

fn load(request: &DrawRequest, max_mib: u64) -> Result<Vec<u8>, String> {
    let bytes = read_bounded(&request.path, max_mib << 20).map_err(|error| error.kind().to_string())?;
    match &request.hash {
        Some(hash) if blake3::hash(&bytes).to_hex().as_str() != hash => {
            Err("the source document was replaced".to_owned())
        }
        _ => Ok(bytes),
    }
}

fn read_bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let size = fs::metadata(path)?.len();
    if size > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { fs::read(path) }
}

fn draw(
    file: &dyn OpenFile,
    request: &DrawRequest,
    font: impl Fn() -> Option<FallbackFont>,
) -> Result<Vec<u8>, String> {
    if request.page.index() >= file.page_count() {
        return Err("there is no such page".to_owned());
    }
    let dots = (request.width as f32 * 72.0 / request.points.max(1.0)).clamp(10.0, 400.0);
    let drawn = catch_unwind(AssertUnwindSafe(|| {
        let mut pages = file.pages();
        let drawn = pages.picture(request.page.index(), dots, None)?;
        // Reading a font means megabytes, so it is done only for pages that need one.
        let font = if drawn.font_missing { font() } else { None };
        match font {
            Some(font) => pages.picture(request.page.index(), dots, Some(&font)),
            None => Some(drawn),
        }
    }));
    match drawn {
        Ok(Some(drawn)) => png(&drawn.picture),
        Ok(None) => Err("the page has no extent".to_owned()),
        Err(_) => Err("the page is damaged".to_owned()),
    }
}

fn draw_image(bytes: &[u8], width: u32) -> Result<Vec<u8>, String> {
    let limits = Limits::default();
    let mut reader =
        image::ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(|e| e.to_string())?;
    let mut bounds = image::Limits::default();
    bounds.max_alloc = Some(limits.max_total_bytes.min(512 << 20));
    reader.limits(bounds);
    let picture = reader.decode().map_err(|error| error.to_string())?;
    let height =
        (u64::from(picture.height()) * u64::from(width) / u64::from(picture.width().max(1))).clamp(1, 4000);
    let small = picture.thumbnail(width, height as u32).to_rgb8();
    png(&Picture { width: small.width(), height: small.height(), rgb: small.into_raw() })
}

/// A PNG, grey where the page is: most pages of text are, and are then half as large.
fn png(picture: &Picture) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut out, CompressionType::Fast, FilterType::Adaptive);
    let is_grey = picture.rgb.chunks_exact(3).all(|pixel| pixel[0] == pixel[1] && pixel[1] == pixel[2]);
    let written = if is_grey {
        let grey: Vec<u8> = picture.rgb.chunks_exact(3).map(|pixel| pixel[0]).collect();
        encoder.write_image(&grey, picture.width, picture.height, ExtendedColorType::L8)
    } else {
        encoder.write_image(&picture.rgb, picture.width, picture.height, ExtendedColorType::Rgb8)
    };
    written.map_err(|error| error.to_string())?;
    Ok(out)
}

fn answer(out: &mut impl Write, drawn: Result<Vec<u8>, String>) -> io::Result<()> {
    match drawn {
        Ok(bytes) => {
            writeln!(out, "ok {}", bytes.len())?;
            out.write_all(&bytes)?;
        }
        Err(message) => writeln!(out, "error {}", message.replace('\n', " "))?,
    }
    out.flush()
}
