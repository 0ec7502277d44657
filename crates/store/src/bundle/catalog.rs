//! `bundle.json`: what is in a bundle.

use std::collections::BTreeSet;

use regreader_messages::{Word, errors};
use regreader_model::RegId;
use serde::{Deserialize, Serialize};

use super::{BundleError, Limits};
use crate::layout::{self, INFO, MANIFEST};
use crate::manifest;
use crate::reader::{MAX_INFO_BYTES, MAX_MANIFEST_BYTES};

pub(super) const CATALOG: &str = "bundle.json";
const FORMAT: &str = "regreader-bundle";
const VERSION: u32 = 1;

/// The list of contents of a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    format: String,
    version: u32,
    /// The regulations, in order.
    pub regulations: Vec<BundledRegulation>,
}

/// A regulation in a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BundledRegulation {
    /// Its id.
    pub reg_id: RegId,
    /// Its title.
    pub title: String,
    /// Hash of its content.
    pub content_hash: String,
    /// Its files, in the order in which they follow.
    pub files: Vec<BundleFile>,
}

/// A file in a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleFile {
    /// Path in the regulation's folder.
    pub path: String,
    /// Length in bytes.
    pub size: u64,
    /// blake3, hex.
    pub blake3: String,
}

impl BundledRegulation {
    /// The path of one of its files in the bundle.
    pub(super) fn entry_path(&self, file: &BundleFile) -> String {
        format!("regulations/{}/{}", self.reg_id, file.path)
    }
}

impl Catalog {
    pub(super) fn new(regulations: Vec<BundledRegulation>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, regulations }
    }

    /// Bytes of all files together.
    pub fn total_bytes(&self) -> u64 {
        let sizes = self.regulations.iter().flat_map(|regulation| &regulation.files).map(|file| file.size);
        sizes.fold(0, u64::saturating_add)
    }

    /// Reads a list of contents and checks all of it: after this every path in it is one that we would have chosen.
    pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<Self, BundleError> {
        let head: Head =
            serde_json::from_slice(bytes).map_err(|error| BundleError::NotABundle(error.to_string()))?;
        if head.format != FORMAT {
            return Err(BundleError::NotABundle(errors::format_is(format_args!(
                "{:?}",
                manifest::shorten(&head.format)
            ))));
        }
        if head.version != VERSION {
            return Err(BundleError::Version(head.version));
        }
        let catalog: Self =
            serde_json::from_slice(bytes).map_err(|error| BundleError::Catalog(error.to_string()))?;
        catalog.check(limits)?;
        Ok(catalog)
    }

    fn check(&self, limits: &Limits) -> Result<(), BundleError> {
        let files: u64 = self.regulations.iter().map(|regulation| regulation.files.len() as u64).sum();
        limit(errors::BUNDLE_FILES, files, limits.max_files)?;
        limit(errors::BUNDLE_BYTES, self.total_bytes(), limits.max_total_bytes)?;
        let ids: BTreeSet<&RegId> = self.regulations.iter().map(|regulation| &regulation.reg_id).collect();
        if ids.len() != self.regulations.len() {
            return Err(BundleError::Catalog(errors::TWICE.into()));
        }
        self.regulations.iter().try_for_each(|regulation| {
            check_files(regulation, limits)
                .map_err(|reason| BundleError::Catalog(format!("{}: {reason}", regulation.reg_id)))?;
            regulation.files.iter().try_for_each(|file| {
                let is_source = layout::is_source_file(&file.path);
                let most = if is_source { limits.max_source_bytes } else { limits.max_json_bytes };
                limit(errors::BUNDLE_FILE_BYTES, file.size, most)
            })
        })
    }
}

/// Enough to tell whose file it is, whatever else is in it.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

fn check_files(regulation: &BundledRegulation, limits: &Limits) -> Result<(), String> {
    let names: BTreeSet<&str> = regulation.files.iter().map(|file| file.path.as_str()).collect();
    if names.len() != regulation.files.len() {
        return Err(errors::FILE_TWICE.into());
    }
    if !names.contains(INFO) || !names.contains(MANIFEST) {
        return Err(errors::one_missing(INFO, MANIFEST));
    }
    manifest::check_names(names.into_iter().filter(|name| *name != INFO && *name != MANIFEST))?;
    // What reading would refuse later is refused now.
    for (name, most) in [(INFO, MAX_INFO_BYTES), (MANIFEST, MAX_MANIFEST_BYTES.min(limits.max_json_bytes))] {
        if regulation.files.iter().any(|file| file.path == name && file.size > most) {
            return Err(errors::large(name));
        }
    }
    Ok(())
}

fn limit(what: Word, value: u64, most: u64) -> Result<(), BundleError> {
    if value > most { Err(BundleError::Limit { what, limit: most }) } else { Ok(()) }
}
