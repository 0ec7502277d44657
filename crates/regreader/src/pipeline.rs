//! From a file to a stored regulation: the one place where parsing meets the store.

mod apart;
mod fonts;
mod libreoffice;
mod naming;
mod pdf;
mod reading;
mod targets;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use regreader_assemble::{AssembleOptions, assemble};
use regreader_messages::errors;
use regreader_model::{Diagnostic, RegId, Regulation, RegulationInfo, SourceFormat};
use regreader_parse::{ParseOptions, Parsed, Progress, Recognition, parse};
use regreader_store::{Library, Source, Stored};

pub use apart::{Apart, bound_memory, serve as serve_apart};
pub use libreoffice::LibreOffice;
pub use naming::{reg_id_for, reg_ids_for};
#[cfg(feature = "pdfium")]
pub use pdf::pdfium;
pub use pdf::{PDFIUM, PdfSupport};
pub use reading::PageReader;
pub use targets::collect;

use crate::failure::Refusal;

/// Version of the reading pipeline. Raise it when the same bytes would be read differently: files read by another
/// version are read again, and otherwise an unchanged file is skipped.
pub(crate) const PIPELINE: &str = "7";

/// Whether a regulation was read by another version of the pipeline, which may have kept less: boxes of lines, for one.
/// What names no version was not read by this program and is left alone.
pub fn is_outdated(info: &RegulationInfo) -> bool {
    let version = info.pipeline.as_deref().and_then(|name| name.split(' ').next());
    version.is_some_and(|version| version != PIPELINE)
}

/// What a person knows about a regulation that its file does not say.
#[derive(Debug, Clone, Default, serde::Deserialize)]
pub struct KnownInfo {
    /// Name in the library.
    pub reg_id: Option<RegId>,
    /// Full title; replaces the one found in the document.
    pub title: Option<String>,
    /// Short names, best first.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Subject words.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// One sentence.
    pub description: Option<String>,
    /// What it answers.
    pub scope: Option<String>,
    /// What its editions share.
    pub series: Option<String>,
    /// Which edition.
    pub edition: Option<String>,
    /// In force from.
    pub effective_from: Option<String>,
    /// What it replaces.
    pub supersedes: Option<RegId>,
}

impl KnownInfo {
    fn apply(&self, info: &mut RegulationInfo) {
        if let Some(title) = &self.title {
            info.title.clone_from(title);
        }
        // Names that a person gives come first; the document's own number still finds it.
        let read = std::mem::replace(&mut info.aliases, self.aliases.clone());
        info.aliases.extend(read.into_iter().filter(|alias| !self.aliases.contains(alias)));
        if !self.keywords.is_empty() {
            info.keywords.clone_from(&self.keywords);
        }
        let set = |to: &mut Option<String>, from: &Option<String>| {
            if from.is_some() {
                to.clone_from(from);
            }
        };
        set(&mut info.description, &self.description);
        set(&mut info.scope, &self.scope);
        set(&mut info.series, &self.series);
        set(&mut info.edition, &self.edition);
        set(&mut info.effective_from, &self.effective_from);
        if self.supersedes.is_some() {
            info.supersedes.clone_from(&self.supersedes);
        }
    }
}

/// How to read files.
#[derive(Default)]
pub struct ReadOptions<'a> {
    /// Format, when the caller knows better.
    pub format: Option<SourceFormat>,
    /// Password of an encrypted file.
    pub password: Option<&'a str>,
    /// Called after each page.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// Gives DOCX files real pages.
    pub libreoffice: Option<&'a LibreOffice>,
    /// Reads pages that have no usable text.
    pub reader: Option<&'a PageReader>,
    /// Opens PDF files and finds fonts to draw them with.
    pub pdf: Option<&'a PdfSupport>,
}

impl ReadOptions<'_> {
    fn recognition(&self) -> Recognition {
        self.reader.map_or(Recognition::WhereNeeded, PageReader::recognition)
    }

    /// Whether the library holds this very file, read with these options. Pages that waited for a recogniser make it
    /// stale once there is one.
    pub fn find_current(&self, library: &Library, reg_id: &RegId, source_hash: &str) -> bool {
        let same = library.info(reg_id).is_ok_and(|info| {
            info.source_hash.as_deref() == Some(source_hash)
                && info.pipeline.as_deref() == Some(self.pipeline().as_str())
        });
        same && (self.reader.is_none() || !waits_for_reader(library, reg_id))
    }

    /// Names the pipeline that these options make: a page that was recognised against its text layer
    /// reads differently.
    fn pipeline(&self) -> String {
        let mut name = PIPELINE.to_owned();
        if let Some(engine) = self.pdf.and_then(PdfSupport::engine) {
            name = format!("{name} {}", engine.name());
        }
        if let (Some(reader), Recognition::Everywhere) = (self.reader, self.recognition()) {
            name = format!("{name} {}", reader.model());
        }
        name
    }
}

/// A file in memory.
pub struct SourceFile {
    /// Where it was.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// blake3 of the content, hex.
    pub hash: String,
}

impl SourceFile {
    /// Reads a file of at most `max_mib`.
    pub fn read(path: &Path, max_mib: u64) -> anyhow::Result<Self> {
        let size = fs::metadata(path).with_context(|| path.display().to_string())?.len();
        if size > max_mib << 20 {
            let message = errors::over_file_size(path.display(), size >> 20, max_mib);
            return Err(Refusal::library(message, errors::HINT_FILE_SIZE).into());
        }
        let bytes = fs::read(path).with_context(|| path.display().to_string())?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self { path: path.to_owned(), hash: hash(&bytes), name, bytes })
    }

    /// A file that is part of this program.
    pub fn built_in(name: &str, bytes: Vec<u8>) -> Self {
        Self { path: PathBuf::from(name), name: name.to_owned(), hash: hash(&bytes), bytes }
    }
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Whether the library holds this very file, read by this very pipeline.
pub fn is_current(library: &Library, reg_id: &RegId, source_hash: &str) -> bool {
    ReadOptions::default().find_current(library, reg_id, source_hash)
}

fn waits_for_reader(library: &Library, reg_id: &RegId) -> bool {
    let quality = library.reader(reg_id).and_then(|regulation| regulation.quality());
    let waiting = ["needs_ocr", "ocr_layer"];
    quality.is_ok_and(|quality| waiting.iter().any(|origin| quality.pages_by_origin.contains_key(*origin)))
}

/// Reads a file into a regulation; writes nothing.
pub fn read(
    file: &SourceFile,
    reg_id: &RegId,
    known: &KnownInfo,
    options: &ReadOptions<'_>,
) -> anyhow::Result<Regulation> {
    let parsed = parse_file(file, options).with_context(|| file.path.display().to_string())?;
    let mut regulation = assemble(
        parsed.document,
        parsed.diagnostics,
        &AssembleOptions::new(reg_id.clone(), file.name.clone()),
    );
    regulation.info.pipeline = Some(options.pipeline());
    known.apply(&mut regulation.info);
    Ok(regulation)
}

/// Stores a regulation with its source, atomically.
pub fn store(library: &Library, file: &SourceFile, regulation: &Regulation) -> anyhow::Result<Stored> {
    let source = Source { file_name: &file.name, bytes: &file.bytes };
    library.replace(regulation, Some(source)).with_context(|| file.path.display().to_string())
}

fn parse_file(file: &SourceFile, options: &ReadOptions<'_>) -> anyhow::Result<Parsed> {
    let font = || options.pdf.and_then(PdfSupport::fallback_font);
    let parse_options = ParseOptions {
        password: options.password,
        progress: options.progress,
        format: options.format,
        recognizer: options.reader.map(|reader| reader as &dyn regreader_parse::recognize::Recognizer),
        recognition: options.recognition(),
        pdf_engine: options.pdf.and_then(PdfSupport::engine),
        fallback_font: Some(&font),
        ..ParseOptions::default()
    };
    let parsed = parse(&file.bytes, &file.name, &parse_options)?;
    match options.libreoffice {
        Some(libreoffice) if parsed.document.format == SourceFormat::Docx => {
            Ok(with_real_pages(file, parsed, libreoffice))
        }
        _ => Ok(parsed),
    }
}

/// Gives a DOCX the pages that LibreOffice lays out. Where that fails the estimate stands, and the report says why.
fn with_real_pages(file: &SourceFile, mut parsed: Parsed, libreoffice: &LibreOffice) -> Parsed {
    let laid_out = libreoffice
        .to_pdf(&file.bytes, Duration::from_mins(3))
        .and_then(|pdf| Ok(parse(&pdf, "layout.pdf", &ParseOptions::default())?));
    match laid_out {
        Ok(pdf) => {
            // The flow as it is written: estimated pages would cut paragraphs where the real ones do not.
            let flow = regreader_parse::docx::parse_flow(&file.bytes, &ParseOptions::default())
                .map_or_else(|_| parsed.document.clone(), |flow| flow.document);
            let aligned = regreader_parse::docx::align_pages(flow, &pdf.document);
            if !aligned.pages_approximate {
                parsed.document = aligned;
            }
            if !parsed.document.pages_approximate {
                use regreader_model::DiagnosticCode::ApproximatePages;
                parsed.diagnostics.retain(|diagnostic| diagnostic.code != ApproximatePages);
            }
        }
        Err(error) => parsed.diagnostics.push(Diagnostic::on_document(
            regreader_model::Severity::Warning,
            regreader_model::DiagnosticCode::ApproximatePages,
            regreader_messages::findings::layout_failed(format!("{error:#}")),
        )),
    }
    parsed
}
