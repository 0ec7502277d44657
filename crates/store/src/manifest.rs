//! `manifest.json`: which files make up an edition, with their sizes and hashes.
//!
//! The manifest is what holds an edition together: a file belongs to it only if it has the size and hash written
//! here, and the manifest itself is bound to `info.json` by the content hash, which is taken over the entries. It does
//! not list `info.json`, whose descriptive fields change on their own.

use std::collections::BTreeMap;

use regreader_messages::errors;
use regreader_model::{PageNumber, RegId, RegulationInfo};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::layout::{self, MAX_PAGES, PARTS};

const FORMAT: u32 = 1;

/// The files of one edition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this file's form.
    pub format: u32,
    /// The regulation.
    pub reg_id: RegId,
    /// blake3 over the entries of all files but the source document, hex.
    pub content_hash: String,
    /// Name of the source document in the folder, if it is kept.
    pub source: Option<String>,
    /// Every file by its path in the folder.
    pub files: BTreeMap<String, FileStamp>,
    /// The info as it was when this edition was stored: what is left if `info.json` is lost.
    pub info: RegulationInfo,
    /// Hash over everything above; none in manifests of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
}

/// What a file must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Length in bytes.
    pub size: u64,
    /// blake3, hex.
    pub blake3: String,
}

impl FileStamp {
    /// The stamp of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self { size: bytes.len() as u64, blake3: blake3::hash(bytes).to_hex().to_string() }
    }

    /// Whether these are the bytes.
    pub fn fits(&self, bytes: &[u8]) -> bool {
        *self == Self::of(bytes)
    }
}

impl Manifest {
    /// A manifest of these files, which must be those of `info`'s regulation.
    pub(crate) fn new(info: RegulationInfo, files: BTreeMap<String, FileStamp>) -> Self {
        let source = files.keys().find(|name| layout::is_source_file(name)).cloned();
        Self {
            format: FORMAT,
            reg_id: info.reg_id.clone(),
            content_hash: content_hash(&files),
            source,
            files,
            info,
            check: None,
        }
        .checked()
    }

    /// The same with the hash over its own contents.
    fn checked(mut self) -> Self {
        self.check = None;
        self.check = serde_json::to_value(&self).ok().and_then(|fields| fields_hash(&fields));
        self
    }

    /// Reads a manifest and checks that it is one of this regulation, complete and unaltered.
    pub(crate) fn parse(bytes: &[u8], reg_id: &RegId) -> Result<Self, String> {
        let manifest: Self = checked_fields(bytes)?;
        if manifest.format != FORMAT {
            return Err(errors::format_version(manifest.format, FORMAT));
        }
        if manifest.reg_id != *reg_id || manifest.info.reg_id != *reg_id {
            return Err(errors::other_owner(&manifest.reg_id, reg_id));
        }
        check_names(manifest.files.keys().map(String::as_str))?;
        if manifest.source.as_deref()
            != manifest.files.keys().map(String::as_str).find(|name| layout::is_source_file(name))
        {
            return Err(errors::SOURCE_DIFFERS.into());
        }
        if manifest.content_hash != content_hash(&manifest.files) {
            return Err(errors::CONTENT_DIFFERS.into());
        }
        Ok(manifest)
    }

    /// How many pages the edition has.
    pub fn page_count(&self) -> u32 {
        self.files.keys().filter(|name| layout::page_of(name).is_some()).count() as u32
    }

    /// Its bytes, the same for the same manifest.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        pretty(self)
    }
}

/// The field that holds the hash of the others.
const CHECK: &str = "check";

/// Reads a JSON object and compares the hash that it carries, if it carries one, with its other fields as they stand in
/// the file: fields that this version does not know count too.
pub(crate) fn checked_fields<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let fields: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if let Some(check) = fields.get(CHECK) {
        let mut others = fields.clone();
        others.as_object_mut().map(|fields| fields.shift_remove(CHECK));
        if check.as_str() != fields_hash(&others).as_deref() {
            return Err(errors::WRONG_CHECK.into());
        }
    }
    serde_json::from_value(fields).map_err(|error| error.to_string())
}

/// JSON for people, of an object with a hash over its fields added.
pub(crate) fn with_check<T: Serialize>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    let mut fields = serde_json::to_value(value)?;
    let check = fields_hash(&fields);
    fields[CHECK] = check.into();
    pretty(&fields)
}

fn fields_hash(fields: &Value) -> Option<String> {
    pretty(fields).ok().map(|bytes| blake3::hash(&bytes).to_hex().to_string())
}

/// JSON for people: indented, with an end of line.
pub(crate) fn pretty<T: Serialize>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// blake3 over names, sizes and hashes of the content: pages, structure, tables, references and quality report. The
/// source document has its own hash, so that the same content from another file is the same content.
pub(crate) fn content_hash(files: &BTreeMap<String, FileStamp>) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"regreader content 1\n");
    for (name, stamp) in files.iter().filter(|(name, _)| !layout::is_source_file(name)) {
        // One line for each file, and no name holds an end of line: no two lists give the same text.
        hasher.update(format!("{name} {} {}\n", stamp.size, stamp.blake3).as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Whether these are the files of an edition, no more and no less: the four parts, pages from 1 without a gap, at
/// most one source document.
pub(crate) fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let (mut parts, mut pages, mut sources) = (0, Vec::new(), 0);
    for name in names {
        if PARTS.contains(&name) {
            parts += 1;
        } else if layout::is_source_file(name) {
            sources += 1;
        } else if let Some(page) = layout::page_of(name) {
            pages.push(page);
        } else {
            return Err(errors::surplus_file(format_args!("{:?}", shorten(name))));
        }
    }
    if parts != PARTS.len() {
        return Err(errors::parts_needed(PARTS.join(", ")));
    }
    if sources > 1 {
        return Err(errors::SOURCES.into());
    }
    check_numbering(pages)
}

fn check_numbering(mut pages: Vec<PageNumber>) -> Result<(), String> {
    pages.sort_unstable();
    let gap = pages.iter().enumerate().find(|(index, page)| **page != PageNumber::from_index(*index));
    match gap {
        Some((index, _)) => Err(errors::page_missing(index + 1)),
        None if pages.is_empty() => Err(errors::NO_PAGES.into()),
        None if pages.len() > MAX_PAGES as usize => Err(errors::too_many_pages(MAX_PAGES)),
        None => Ok(()),
    }
}

/// The beginning of a text that may be hostile and long.
pub(crate) fn shorten(text: &str) -> String {
    text.chars().take(120).collect()
}
