//! A regulation as the bytes of its files, and the rules for what survives from the edition before.

use std::collections::BTreeMap;

use regreader_messages::errors;
use regreader_model::{EventEvidence, PageNumber, RegId, Regulation, RegulationInfo};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::clock;
use crate::error::StoreError;
use crate::layout::{self, MAX_PAGES};
use crate::manifest::{self, FileStamp, Manifest};

/// The document that a regulation was read from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Its name, without folders. The extension is kept.
    pub file_name: &'a str,
    /// What is in it.
    pub bytes: &'a [u8],
}

/// The hash that [`crate::Library::replace`] would write for this content, hex.
pub fn content_hash(regulation: &Regulation) -> Result<String, StoreError> {
    let files = encode_content(regulation)?;
    Ok(manifest::content_hash(
        &files.into_iter().map(|(name, bytes)| (name, FileStamp::of(&bytes))).collect(),
    ))
}

/// The files of one edition, ready to be written.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) content: Vec<(String, Vec<u8>)>,
    pub(crate) manifest: Manifest,
}

impl Encoded {
    /// Encodes a regulation, with what is known about the edition in force.
    pub(crate) fn new(
        regulation: &Regulation,
        content: Vec<(String, Vec<u8>)>,
        source: Option<Source<'_>>,
        present: Option<&RegulationInfo>,
    ) -> Self {
        let mut files: BTreeMap<String, FileStamp> =
            content.iter().map(|(name, bytes)| (name.clone(), FileStamp::of(bytes))).collect();
        let mut info = regulation.info.clone();
        info.content_hash = Some(manifest::content_hash(&files));
        info.source_hash = None;
        if let Some(source) = source {
            let stamp = FileStamp::of(source.bytes);
            info.source_hash = Some(stamp.blake3.clone());
            if info.source_file.is_empty() {
                source.file_name.clone_into(&mut info.source_file);
            }
            files.insert(layout::source_file(source.file_name), stamp);
        }
        info.total_pages = regulation.pages.len() as u32;
        if let Some(present) = present {
            keep_enrichment(&mut info, present);
            keep_date(&mut info, present);
        }
        if info.indexed_at.is_empty() {
            info.indexed_at = clock::now();
        }
        Self { content, manifest: Manifest::new(info, files) }
    }
}

/// Fills what the new info leaves open with what people or models have written about the edition before.
pub(crate) fn keep_enrichment(info: &mut RegulationInfo, present: &RegulationInfo) {
    fn keep<T: Clone>(new: &mut Option<T>, old: Option<&T>) {
        if new.is_none() {
            *new = old.cloned();
        }
    }
    keep(&mut info.description, present.description.as_ref());
    keep(&mut info.scope, present.scope.as_ref());
    keep(&mut info.series, present.series.as_ref());
    keep(&mut info.edition, present.edition.as_ref());
    keep(&mut info.effective_from, present.effective_from.as_ref());
    keep(&mut info.supersedes, present.supersedes.as_ref());
    // What pages say is read anew with them; what a person said holds until that person takes it back.
    let by_people =
        present.events.iter().filter(|event| !matches!(event.evidence, EventEvidence::Page { .. }));
    for event in by_people {
        if !info.events.contains(event) {
            info.events.push(event.clone());
        }
    }
    if info.keywords.is_empty() {
        info.keywords.clone_from(&present.keywords);
    }
    keep_aliases(info, present);
}

/// Names that people gave stand before those that the document gives itself; what an earlier reading took for the
/// document's number does not stay.
fn keep_aliases(info: &mut RegulationInfo, present: &RegulationInfo) {
    let read_before = [present.number.as_ref(), present.series.as_ref(), Some(&present.title)];
    let given = present.aliases.iter().filter(|alias| !read_before.contains(&Some(*alias)));
    let mut aliases: Vec<String> = given.cloned().collect();
    for alias in &info.aliases {
        if !aliases.contains(alias) {
            aliases.push(alias.clone());
        }
    }
    info.aliases = aliases;
}

/// The date belongs to the content: the same file read the same way keeps it.
fn keep_date(info: &mut RegulationInfo, present: &RegulationInfo) {
    let same = info.content_hash == present.content_hash
        && info.source_hash == present.source_hash
        && info.pipeline == present.pipeline;
    if same && !present.indexed_at.is_empty() {
        info.indexed_at.clone_from(&present.indexed_at);
    }
}

/// The content files in the order in which they are written. Fails when the regulation does not hang together or
/// could not be read back.
pub(crate) fn encode_content(regulation: &Regulation) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
    let reg_id = &regulation.info.reg_id;
    check(regulation)?;
    let mut files = Vec::with_capacity(regulation.pages.len() + 4);
    for page in &regulation.pages {
        files.push(encode(reg_id, layout::page_file(page.page_num), page)?);
    }
    files.push(encode(reg_id, layout::STRUCTURE.to_owned(), &regulation.structure)?);
    files.push(encode(reg_id, layout::TABLES.to_owned(), &regulation.tables)?);
    files.push(encode(reg_id, layout::REFERENCES.to_owned(), &regulation.references)?);
    files.push(encode(reg_id, layout::QUALITY.to_owned(), &regulation.quality)?);
    Ok(files)
}

/// Compact JSON, proven to give the same value when it is read: a box with a NaN in it, for one, does not.
fn encode<T>(reg_id: &RegId, name: String, value: &T) -> Result<(String, Vec<u8>), StoreError>
where
    T: Serialize + DeserializeOwned + PartialEq,
{
    let bytes = serde_json::to_vec(value)
        .map_err(|error| StoreError::refused(reg_id, errors::not_encoded(&name, error)))?;
    match serde_json::from_slice::<T>(&bytes) {
        Ok(read) if read == *value => Ok((name, bytes)),
        Ok(_) => Err(StoreError::refused(reg_id, errors::reads_back_other(name))),
        Err(error) => Err(StoreError::refused(reg_id, errors::reads_back_not(name, error))),
    }
}

fn check(regulation: &Regulation) -> Result<(), StoreError> {
    let reg_id = &regulation.info.reg_id;
    let parts = [
        (layout::STRUCTURE, &regulation.structure.reg_id),
        (layout::TABLES, &regulation.tables.reg_id),
        (layout::REFERENCES, &regulation.references.reg_id),
        (layout::QUALITY, &regulation.quality.reg_id),
    ];
    for (name, other) in parts {
        if other != reg_id {
            return Err(StoreError::refused(reg_id, errors::part_owned_by(name, other)));
        }
    }
    if regulation.pages.is_empty() {
        return Err(StoreError::refused(reg_id, errors::NO_PAGES));
    }
    if regulation.pages.len() > MAX_PAGES as usize {
        return Err(StoreError::refused(reg_id, errors::too_many_pages(MAX_PAGES)));
    }
    for (index, page) in regulation.pages.iter().enumerate() {
        if page.reg_id != *reg_id {
            return Err(StoreError::refused(reg_id, errors::page_owned_by(page.page_num, &page.reg_id)));
        }
        if page.page_num != PageNumber::from_index(index) {
            let reason = errors::page_out_of_order(index + 1, page.page_num);
            return Err(StoreError::refused(reg_id, reason));
        }
    }
    Ok(())
}

/// `info.json` as bytes, with a hash over its fields: a title or a date is as much of a fact as a page is.
pub(crate) fn encode_info(info: &RegulationInfo) -> Result<Vec<u8>, StoreError> {
    manifest::with_check(info)
        .map_err(|error| StoreError::refused(&info.reg_id, errors::not_encoded("info.json", error)))
}
