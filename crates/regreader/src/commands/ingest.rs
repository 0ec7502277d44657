//! `ingest`: documents into the library, with progress, a summary, and an exit code that tells if anything failed.

use std::collections::HashMap;
use std::fs;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};
use regreader_messages::{cli, errors, interface};
use regreader_model::{DiagnosticCode, RegId, Regulation, Severity, SourceFormat, TextOrigin};
use regreader_parse::Progress;
use regreader_store::{Change, Library, ListEntry};
use serde::Serialize;

use super::Session;
use crate::cli::IngestArgs;
use crate::failure::{LIBRARY, Refusal};
use crate::models;
use crate::pipeline::{self, Apart, KnownInfo, LibreOffice, PageReader, PdfSupport, ReadOptions, SourceFile};
use crate::settings::Settings;

/// Runs `ingest`.
pub fn run(session: &Session, args: &IngestArgs) -> anyhow::Result<ExitCode> {
    let files = pipeline::collect(&args.paths, &args.file, &args.dir)?;
    if files.is_empty() {
        return Err(Refusal::usage(errors::NOTHING_TO_INGEST, errors::HINT_NAME_FILES).into());
    }
    if files.len() > 1 && args.reg_id.is_some() {
        let message = errors::one_id_for_many(files.len());
        return Err(Refusal::usage(message, errors::HINT_NAMED_BY_FILE).into());
    }
    let known = Known::read(args)?;
    let password = read_password(args.password_file.as_deref())?;
    let format = args.format.as_deref().map(parse_format).transpose()?;
    let libreoffice = LibreOffice::find(&session.settings.libreoffice);
    let reader = PageReader::find(&session.settings)?;
    let pdf = PdfSupport::find(&session.settings)?;
    let library = session.library()?;
    set_threads(session.settings.jobs);

    // A page takes seconds to recognise. Where no bar can be drawn, a line tells that it goes on.
    let says_pages = !session.quiet && !session.output.json && !std::io::stderr().is_terminal();
    let by_hash = by_hash(&library)?;
    let mut summary = Summary { library: session.library_name(), ..Summary::default() };
    let started = Instant::now();
    let ids = pipeline::reg_ids_for(&files);
    for (path, id) in files.iter().zip(ids) {
        if args.reg_id.is_none() && id.is_some() && id != pipeline::reg_id_for(path) && !session.quiet {
            let id = id.as_ref().map(ToString::to_string).unwrap_or_default();
            eprintln!("warning: {}", errors::same_name_here(path.display(), id));
        }
        let job = Job { session, args, library: &library, known: &known, format, id, by_hash: &by_hash };
        let progress = progress_bar(session, path);
        let options = |update| ReadOptions {
            format: None,
            password: password.as_deref(),
            progress: Some(update),
            libreoffice: libreoffice.as_ref(),
            reader: reader.as_ref(),
            pdf: Some(&pdf),
        };
        let update = |told: Progress| {
            progress.set_length(told.total as u64);
            progress.set_position(told.done as u64);
            if args.progress_json {
                eprintln!("{}", serde_json::json!({ "done": told.done, "total": told.total }));
            } else if let Some(page) = told.recognized.filter(|_| says_pages) {
                eprintln!("{}", cli::recognizing(path.display(), page, told.done, told.total));
            }
        };
        let outcome = job.run(path, &options(&update));
        progress.finish_and_clear();
        summary.add(session, path, outcome);
    }
    summary.seconds = started.elapsed().as_secs_f64();
    summary.print(session, args.dry_run)?;
    Ok(if summary.failed > 0 { ExitCode::from(LIBRARY) } else { ExitCode::SUCCESS })
}

fn by_hash(library: &Library) -> anyhow::Result<HashMap<String, RegId>> {
    let known = library.list()?.into_iter().filter_map(|entry| match entry {
        ListEntry::Regulation(info) => Some((info.source_hash?, info.reg_id)),
        ListEntry::Broken { .. } => None,
    });
    Ok(known.collect())
}

/// One file on its way.
struct Job<'a> {
    session: &'a Session,
    args: &'a IngestArgs,
    library: &'a Library,
    known: &'a Known,
    format: Option<SourceFormat>,
    /// Made from the file's name. None when that gives none.
    id: Option<RegId>,
    /// What the library holds, by the hash of its file.
    by_hash: &'a HashMap<String, RegId>,
}

/// What became of a file.
enum Outcome {
    Stored { regulation: Box<Regulation>, change: Change, warnings: Vec<String> },
    Read(Box<Regulation>),
    Unchanged(RegId),
    OtherFormat,
}

impl Job<'_> {
    fn run(&self, path: &Path, options: &ReadOptions<'_>) -> anyhow::Result<Outcome> {
        let file = SourceFile::read(path, self.session.settings.max_file_mib)?;
        if let Some(wanted) = self.format {
            let found = regreader_parse::detect(&file.bytes, &file.name);
            if found.is_some_and(|found| found != wanted) {
                return Ok(Outcome::OtherFormat);
            }
        }
        let reg_id = self.reg_id(path, &file)?;
        if !self.args.force && !self.args.dry_run && self.is_current(&reg_id, &file, options) {
            return Ok(Outcome::Unchanged(reg_id));
        }
        let known = self.known.for_regulation(&reg_id, self.args);
        let regulation = match options.progress {
            Some(progress) if Apart::is_wanted(&self.session.settings) => Apart {
                layers: &self.session.layers,
                settings: &self.session.settings,
                password: options.password,
                progress,
            }
            .read(&file, &reg_id, &known)?,
            _ => pipeline::read(&file, &reg_id, &known, options)?,
        };
        if self.args.dry_run {
            return Ok(Outcome::Read(Box::new(regulation)));
        }
        let stored = pipeline::store(self.library, &file, &regulation)?;
        Ok(Outcome::Stored {
            regulation: Box::new(regulation),
            change: stored.change,
            warnings: stored.warnings,
        })
    }

    fn is_current(&self, reg_id: &RegId, file: &SourceFile, options: &ReadOptions<'_>) -> bool {
        options.find_current(self.library, reg_id, &file.hash)
    }

    /// The name that was given; else that under which the library holds this very file; else one made from its name.
    fn reg_id(&self, path: &Path, file: &SourceFile) -> anyhow::Result<RegId> {
        if let Some(given) = &self.args.reg_id {
            return Ok(given.parse()?);
        }
        if let Some(known) = self.by_hash.get(&file.hash) {
            return Ok(known.clone());
        }
        self.id
            .clone()
            .ok_or_else(|| Refusal::usage(errors::no_id_in_name(path.display()), errors::HINT_REG_ID).into())
    }
}

/// What `--metadata` and the flags say about the regulations.
struct Known {
    listed: Vec<KnownInfo>,
}

impl Known {
    fn read(args: &IngestArgs) -> anyhow::Result<Self> {
        let listed = match &args.metadata {
            None => Vec::new(),
            Some(path) => {
                let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
                serde_json::from_str(&text).with_context(|| path.display().to_string())?
            }
        };
        Ok(Self { listed })
    }

    fn for_regulation(&self, reg_id: &RegId, args: &IngestArgs) -> KnownInfo {
        let mut known = self
            .listed
            .iter()
            .find(|known| known.reg_id.as_ref() == Some(reg_id))
            .cloned()
            .unwrap_or_default();
        if args.title.is_some() {
            known.title.clone_from(&args.title);
        }
        if !args.alias.is_empty() {
            known.aliases.clone_from(&args.alias);
        }
        known
    }
}

/// Totals, and one line per file.
#[derive(Default, Serialize)]
struct Summary {
    /// Folder of the library.
    library: String,
    stored: usize,
    unchanged: usize,
    skipped: usize,
    failed: usize,
    pages: usize,
    seconds: f64,
    needs_ocr: Vec<String>,
    files: Vec<FileLine>,
}

#[derive(Serialize)]
struct FileLine {
    file: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    reg_id: Option<RegId>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chapters: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<usize>,
    /// A limit cut something off.
    cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl FileLine {
    fn bare(file: &Path, status: &'static str) -> Self {
        let file = file.to_owned();
        Self {
            file,
            reg_id: None,
            status,
            pages: None,
            tables: None,
            chapters: None,
            diagnostics: None,
            cut: false,
            error: None,
        }
    }
}

impl Summary {
    fn add(&mut self, session: &Session, path: &Path, outcome: anyhow::Result<Outcome>) {
        let line = match outcome {
            Ok(Outcome::Stored { regulation, change, warnings }) => {
                for warning in warnings {
                    eprintln!("warning: {warning}");
                }
                self.stored += 1;
                self.regulation(path, &regulation, change.name())
            }
            Ok(Outcome::Read(regulation)) => self.regulation(path, &regulation, "read"),
            Ok(Outcome::Unchanged(reg_id)) => {
                self.unchanged += 1;
                FileLine { reg_id: Some(reg_id), ..FileLine::bare(path, "unchanged") }
            }
            Ok(Outcome::OtherFormat) => {
                self.skipped += 1;
                FileLine::bare(path, "other_format")
            }
            Err(error) => {
                self.failed += 1;
                crate::failure::report(&error);
                FileLine { error: Some(format!("{error:#}")), ..FileLine::bare(path, "failed") }
            }
        };
        if !session.output.json && line.status != "failed" && !session.quiet {
            eprintln!("{}", line.describe());
        }
        self.files.push(line);
    }

    fn regulation(&mut self, path: &Path, regulation: &Regulation, status: &'static str) -> FileLine {
        self.pages += regulation.pages.len();
        let needs_ocr = regulation.pages.iter().filter(|page| page.origin == TextOrigin::NeedsOcr).count();
        if needs_ocr > 0 {
            self.needs_ocr.push(format!("{}: {}", regulation.info.reg_id, cli::pages(needs_ocr)));
        }
        FileLine {
            reg_id: Some(regulation.info.reg_id.clone()),
            pages: Some(regulation.pages.len()),
            tables: Some(regulation.tables.tables.len()),
            chapters: Some(regulation.structure.all_nodes.len()),
            diagnostics: Some(regulation.quality.diagnostics.len()),
            cut: regulation.quality.diagnostics.iter().any(|diagnostic| {
                diagnostic.code == DiagnosticCode::LimitReached && diagnostic.severity == Severity::Error
            }),
            ..FileLine::bare(path, status)
        }
    }

    fn print(&self, session: &Session, dry_run: bool) -> anyhow::Result<()> {
        if session.output.json {
            return session.output.json(self);
        }
        for line in &self.needs_ocr {
            eprintln!("warning: {}", cli::needs_ocr(line));
        }
        if !self.needs_ocr.is_empty() {
            session.output.hint(ocr_hint(&session.settings));
        }
        session.output.note(cli::library(&self.library));
        let rate = self.pages as f64 / self.seconds.max(1e-9);
        let what = if dry_run { "read, nothing written" } else { "stored" };
        let count = if dry_run { self.files.len() - self.failed - self.skipped } else { self.stored };
        session.output.line(format!(
            "{count} {what}, {} unchanged, {} skipped, {} failed; {} pages in {:.1} s ({rate:.0} pages/s)",
            self.unchanged, self.skipped, self.failed, self.pages, self.seconds,
        ))
    }
}

impl FileLine {
    fn describe(&self) -> String {
        let name = self.reg_id.as_ref().map_or_else(|| self.file.display().to_string(), ToString::to_string);
        match (self.pages, self.tables, self.chapters) {
            (Some(pages), Some(tables), Some(chapters)) => {
                // What was cut at a limit is stored, but it is not the whole document.
                let (mark, cut) =
                    if self.cut { ("!", interface().say(cli::CUT_AT_LIMIT)) } else { ("✓", "") };
                cli::ingested(mark, name, pages, chapters, tables, format!("{}{cut}", self.status))
            }
            _ => format!("- {name}: {}", self.status),
        }
    }
}

/// What to do about pages that no recogniser read.
fn ocr_hint(settings: &Settings) -> String {
    if settings.ocr == "off" {
        return errors::HINT_OCR_OFF.into();
    }
    match models::installed(&settings.models_path(), &settings.ocr_model) {
        // The model is there, so it was tried and failed: the report knows the page and the reason.
        Some(_) => errors::HINT_OCR_FAILED.into(),
        None => errors::hint_ocr_model(&settings.ocr_model),
    }
}

fn parse_format(name: &str) -> anyhow::Result<SourceFormat> {
    use SourceFormat::{Docling, Docx, Html, Image, Markdown, Pdf, Pptx, Text, Xlsx};
    let all = [Pdf, Docx, Pptx, Xlsx, Html, Markdown, Text, Image, Docling];
    let name = name.to_lowercase();
    let known = match name.as_str() {
        "md" => Some(Markdown),
        "txt" => Some(Text),
        _ => all.into_iter().find(|format| format.name() == name),
    };
    known.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|format| format.name()).collect();
        Refusal::usage(errors::no_such_format(name), errors::choose_from(names.join(", "))).into()
    })
}

fn read_password(path: Option<&Path>) -> anyhow::Result<Option<String>> {
    let Some(path) = path else { return Ok(None) };
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

pub(super) fn set_threads(jobs: usize) {
    if jobs > 0 {
        // Fails only when the pool is there already, and then it is as wide as it will be.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global();
    }
}

fn progress_bar(session: &Session, path: &Path) -> ProgressBar {
    if session.quiet || session.output.json {
        return ProgressBar::hidden();
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // Draws on stderr, and only when that is a terminal.
    let bar = ProgressBar::new(0).with_message(name);
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {per_sec}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
