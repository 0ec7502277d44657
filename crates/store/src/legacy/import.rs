//! Reading the old layout.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use regreader_messages::{Both, errors, findings};
use regreader_model::{
    Diagnostic, DiagnosticCode, DocumentStructure, PageDocument, PageNumber, QualityReport, ReferenceGraph,
    RegId, Regulation, RegulationInfo, Severity, TextOrigin,
};
use serde::de::DeserializeOwned;

use super::{Old, page_of, tables};
use crate::error::StoreError;
use crate::layout::INFO;
use crate::library::children;
use crate::manifest::shorten;

/// Longer than any page, tree or list of tables; a longer file is not read at all.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The old layout holds a file for each page: a number far beyond their count is a mistake, not a document.
const MAX_MISSING_PAGES: u32 = 1_000;

pub(super) fn read(old: &Old, reg_id: &RegId) -> Result<Regulation, StoreError> {
    let folder = old.folder(reg_id);
    if !folder.is_dir() {
        return Err(StoreError::not_found(reg_id));
    }
    let mut quality = QualityReport::empty(reg_id.clone());
    let pages = read_pages(&folder, reg_id, &mut quality)?;
    for page in &pages {
        let by_origin = quality.pages_by_origin.entry(origin_name(page.origin).to_owned()).or_default();
        by_origin.push(page.page_num);
    }
    let structure = part(&old.structure(reg_id), &mut quality)?
        .filter(|structure: &DocumentStructure| structure.reg_id == *reg_id)
        .unwrap_or_else(|| DocumentStructure::empty(reg_id.clone()));
    let tables_file: Option<serde_json::Value> = part(&old.tables(reg_id), &mut quality)?;
    let tables = tables::from_old(reg_id, tables_file.as_ref(), &pages, &mut quality);
    let info = read_info(&folder, reg_id, &pages, &mut quality)?;
    let references = ReferenceGraph { reg_id: reg_id.clone(), references: Vec::new() };
    remark(&mut quality, Severity::Info, findings::OLD_FOLDER);
    Ok(Regulation { info, pages, structure, tables, references, quality })
}

fn read_pages(
    folder: &Path,
    reg_id: &RegId,
    quality: &mut QualityReport,
) -> Result<Vec<PageDocument>, StoreError> {
    let mut files = BTreeMap::new();
    for (name, path) in children(folder)? {
        if let Some(number) = page_of(&name) {
            files.insert(number, path);
        }
    }
    let last = files.keys().next_back().map_or(0, |page| page.get());
    let count = files.len() as u32;
    if count == 0 {
        return Err(StoreError::refused(reg_id, errors::no_page_files(folder.display())));
    }
    if last - count > MAX_MISSING_PAGES {
        return Err(StoreError::refused(reg_id, errors::page_files_missing(count, last)));
    }
    let mut pages = Vec::new();
    for number in (1..=last).filter_map(PageNumber::new) {
        let page = match files.get(&number) {
            Some(path) => read_json::<PageDocument>(path)?.and_then(|page| right_page(page, reg_id, number)),
            None => Err(findings::PAGE_FILE_MISSING.into()),
        };
        pages.push(page.unwrap_or_else(|reason| {
            let code = DiagnosticCode::PageUnreadable;
            quality.diagnostics.push(Diagnostic::on_page(Severity::Error, code, number, reason));
            empty_page(reg_id, number)
        }));
    }
    Ok(pages)
}

fn right_page(page: PageDocument, reg_id: &RegId, number: PageNumber) -> Result<PageDocument, Both> {
    if page.reg_id != *reg_id || page.page_num != number {
        return Err(findings::page_is_other(page.reg_id, page.page_num));
    }
    Ok(page)
}

/// Stands for a page that could not be read.
fn empty_page(reg_id: &RegId, page_num: PageNumber) -> PageDocument {
    PageDocument {
        reg_id: reg_id.clone(),
        page_num,
        page_label: None,
        chapter_path: Vec::new(),
        active_chapters: Vec::new(),
        content_blocks: Vec::new(),
        content_markdown: String::new(),
        continues_from_prev: false,
        continues_to_next: false,
        annotations: Vec::new(),
        origin: TextOrigin::NeedsOcr,
        size: None,
    }
}

/// What is known, or at least what must be.
fn read_info(
    folder: &Path,
    reg_id: &RegId,
    pages: &[PageDocument],
    quality: &mut QualityReport,
) -> Result<RegulationInfo, StoreError> {
    let info: Option<RegulationInfo> = part(&folder.join(INFO), quality)?;
    let mut info = info.filter(|info| info.reg_id == *reg_id).unwrap_or_else(|| RegulationInfo {
        reg_id: reg_id.clone(),
        title: reg_id.to_string(),
        issuer: None,
        source_file: String::new(),
        total_pages: 0,
        indexed_at: String::new(),
        description: None,
        keywords: Vec::new(),
        scope: None,
        aliases: Vec::new(),
        series: None,
        edition: None,
        effective_from: None,
        supersedes: None,
        events: Vec::new(),
        number: None,
        source_format: None,
        source_hash: None,
        content_hash: None,
        pipeline: None,
        pages_approximate: false,
    });
    let found = pages.len() as u32;
    if info.total_pages != found && info.total_pages != 0 {
        let message = findings::pages_differ(info.total_pages, found);
        remark(quality, Severity::Warning, message);
    }
    info.total_pages = found;
    Ok(info)
}

/// A part of the regulation; a missing or torn one is remarked upon, and none.
fn part<T: DeserializeOwned>(path: &Path, quality: &mut QualityReport) -> Result<Option<T>, StoreError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(match read_json(path)? {
        Ok(value) => Some(value),
        Err(reason) => {
            remark(
                quality,
                Severity::Warning,
                Both::of(|language| format!("{name}: {}", reason.said(language))),
            );
            None
        }
    })
}

/// The outer error is the system's, the inner one the file's.
fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Result<T, Both>, StoreError> {
    let failed = |error: io::Error| StoreError::reading(path, error);
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Err(errors::MISSING_FILE.into())),
        Ok(metadata) if !metadata.is_file() => return Ok(Err(errors::NOT_A_FILE.into())),
        Ok(_) => {}
        Err(error) => return Err(failed(error)),
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Ok(Err(errors::TOO_LARGE.into()));
    }
    Ok(serde_json::from_slice(&bytes).map_err(|error| shorten(&error.to_string()).into()))
}

pub(super) fn remark(quality: &mut QualityReport, severity: Severity, message: impl Into<Both>) {
    quality.diagnostics.push(Diagnostic::on_document(severity, DiagnosticCode::Malformed, message));
}

fn origin_name(origin: TextOrigin) -> &'static str {
    match origin {
        TextOrigin::TextLayer => "text_layer",
        TextOrigin::Ocr { .. } => "ocr",
        TextOrigin::OcrLayer => "ocr_layer",
        TextOrigin::NeedsOcr => "needs_ocr",
        TextOrigin::Blank => "blank",
    }
}
