//! One edition of one regulation, to be read page by page.

use std::fs::File;
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use regreader_messages::errors;
use regreader_model::{
    DocumentStructure, DomainError, PageDocument, PageNumber, QualityReport, ReferenceGraph, RegId,
    RegulationInfo, TableRegistry,
};
use serde::de::DeserializeOwned;

use crate::error::StoreError;
use crate::folder::{FileIdentity, Folder};
use crate::layout::{self, INFO, MANIFEST};
use crate::manifest::{self, FileStamp, Manifest};

/// `info.json` is a screenful; a manifest has a line or two for each page.
pub(crate) const MAX_INFO_BYTES: u64 = 4 << 20;
pub(crate) const MAX_MANIFEST_BYTES: u64 = 64 << 20;

/// How often a file that does not fit is read before it is said to be damaged, where there is no lease.
const TRIES: usize = 3;

/// A regulation as it was when the reader was opened.
///
/// Everything it gives is of that one edition, also when the regulation is replaced or deleted meanwhile, and every
/// file is checked against the manifest as it is read. Where the system offers no way to hold on to an edition, a read
/// after a replace gives [`StoreError::Replaced`] instead.
///
/// Pages are read when they are asked for. The other parts are read once and kept.
#[derive(Debug)]
pub struct RegulationReader {
    folder: Folder,
    info: RegulationInfo,
    /// The file that `info` was read from.
    info_file: Option<FileIdentity>,
    manifest: Manifest,
    structure: OnceLock<Arc<DocumentStructure>>,
    tables: OnceLock<Arc<TableRegistry>>,
    references: OnceLock<Arc<ReferenceGraph>>,
    quality: OnceLock<Arc<QualityReport>>,
}

impl RegulationReader {
    pub(crate) fn new(folder: Folder, reg_id: &RegId) -> Result<Self, StoreError> {
        // Before it is read: a change in between is then taken for one.
        let info_file = folder.identity(INFO);
        let info = read_info(&folder, reg_id)?;
        let manifest = read_manifest(&folder, reg_id)?;
        if let Some(difference) = disagreement(&info, &manifest) {
            return Err(StoreError::corrupt(folder.path().join(INFO), difference));
        }
        Ok(Self {
            folder,
            info,
            info_file,
            manifest,
            structure: OnceLock::new(),
            tables: OnceLock::new(),
            references: OnceLock::new(),
            quality: OnceLock::new(),
        })
    }

    /// What is known about the regulation.
    pub fn info(&self) -> &RegulationInfo {
        &self.info
    }

    /// Its name in the library.
    pub fn reg_id(&self) -> &RegId {
        &self.info.reg_id
    }

    /// The hash of the content: what an index must have been built from to be used with this edition.
    pub fn content_hash(&self) -> &str {
        &self.manifest.content_hash
    }

    /// The files of this edition.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// How many pages it has.
    pub fn total_pages(&self) -> u32 {
        self.info.total_pages
    }

    /// Whether the library still holds exactly this: same edition, same info. For whoever keeps a reader for long.
    pub fn is_current(&self) -> bool {
        let is_same_file = || self.info_file.is_some() && self.info_file == self.folder.identity(INFO);
        let is_same_info = || read_info(&self.folder, self.reg_id()).is_ok_and(|info| info == self.info);
        !self.was_replaced() && (is_same_file() || is_same_info())
    }

    /// One page.
    pub fn page(&self, page: PageNumber) -> Result<PageDocument, StoreError> {
        self.check_page(page)?;
        self.part(&layout::page_file(page))
    }

    /// Pages in order, both ends counted. A range that is reversed or goes past the last page is an error, never cut.
    pub fn pages(&self, range: RangeInclusive<PageNumber>) -> Result<Vec<PageDocument>, StoreError> {
        let (start, end) = range.into_inner();
        if start > end {
            let reason = errors::pages_reversed(start, end);
            return Err(DomainError::InvalidPageRange { reason, next: Some([end.get(), start.get()]) }.into());
        }
        self.check_page(end)?;
        (start.get()..=end.get()).filter_map(PageNumber::new).map(|page| self.page(page)).collect()
    }

    /// Every page in order, one at a time.
    pub fn all_pages(&self) -> impl Iterator<Item = Result<PageDocument, StoreError>> {
        (1..=self.info.total_pages).filter_map(PageNumber::new).map(|page| self.page(page))
    }

    /// The chapter tree.
    pub fn structure(&self) -> Result<Arc<DocumentStructure>, StoreError> {
        self.kept(&self.structure, layout::STRUCTURE)
    }

    /// The tables.
    pub fn tables(&self) -> Result<Arc<TableRegistry>, StoreError> {
        self.kept(&self.tables, layout::TABLES)
    }

    /// The references.
    pub fn references(&self) -> Result<Arc<ReferenceGraph>, StoreError> {
        self.kept(&self.references, layout::REFERENCES)
    }

    /// How well it was read.
    pub fn quality(&self) -> Result<Arc<QualityReport>, StoreError> {
        self.kept(&self.quality, layout::QUALITY)
    }

    /// Name of the source document in the folder (`source.pdf`), if it is kept.
    pub fn source_name(&self) -> Option<&str> {
        self.manifest.source.as_deref()
    }

    /// Where the source document of the edition in force stands, for showing to a person. To read the document of
    /// *this* edition, use [`Self::source_bytes`] or [`Self::open_source`].
    pub fn source_path(&self) -> Option<PathBuf> {
        Some(self.folder.path().join(self.source_name()?))
    }

    /// The source document, checked; none if it is not kept.
    pub fn source_bytes(&self) -> Result<Option<Vec<u8>>, StoreError> {
        self.source_name().map(|name| self.bytes(name)).transpose()
    }

    /// The source document as an open file, for serving parts of it; none if it is not kept. Its size is checked, its
    /// hash is not.
    pub fn open_source(&self) -> Result<Option<File>, StoreError> {
        let Some((name, stamp)) =
            self.source_name().and_then(|name| Some((name, self.manifest.files.get(name)?)))
        else {
            return Ok(None);
        };
        let file = self.folder.open_file(name).map_err(|error| self.failure(name, error))?;
        let size = file.metadata().map_err(|error| self.failure(name, error))?.len();
        if size == stamp.size { Ok(Some(file)) } else { Err(self.mismatch(name, size, stamp)) }
    }

    /// The checked bytes of a file that the manifest lists.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        let mut result = self.checked(name);
        // Without a lease the file may have been another edition's, and this one's be back by the time the manifest
        // was compared.
        for _ in 1..TRIES {
            if self.folder.is_leased() || !matches!(result, Err(StoreError::Corrupt { .. })) {
                break;
            }
            result = self.checked(name);
        }
        result
    }

    fn checked(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        let Some(stamp) = self.manifest.files.get(name) else {
            return Err(StoreError::corrupt(self.folder.path().join(name), errors::NOT_LISTED));
        };
        // A little more than the size, so that a file that grew is told as such.
        let bytes = match self.folder.read(name, stamp.size.saturating_add(1 << 20)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(self.mismatch(name, u64::MAX, stamp));
            }
            Err(error) => return Err(self.failure(name, error)),
        };
        if stamp.fits(&bytes) { Ok(bytes) } else { Err(self.mismatch(name, bytes.len() as u64, stamp)) }
    }

    fn check_page(&self, page_num: PageNumber) -> Result<(), StoreError> {
        let total_pages = self.info.total_pages;
        if page_num.get() <= total_pages {
            return Ok(());
        }
        Err(DomainError::PageNotFound { reg_id: self.reg_id().clone(), page_num, total_pages }.into())
    }

    fn kept<T: DeserializeOwned>(&self, cell: &OnceLock<Arc<T>>, name: &str) -> Result<Arc<T>, StoreError> {
        if let Some(value) = cell.get() {
            return Ok(Arc::clone(value));
        }
        let value = Arc::new(self.part(name)?);
        Ok(Arc::clone(cell.get_or_init(|| value)))
    }

    fn part<T: DeserializeOwned>(&self, name: &str) -> Result<T, StoreError> {
        let bytes = self.bytes(name)?;
        serde_json::from_slice(&bytes)
            .map_err(|error| StoreError::corrupt(self.folder.path().join(name), error.to_string()))
    }

    /// A file could not be read: because the edition is gone, because it is damaged, or because of the system.
    fn failure(&self, name: &str, error: io::Error) -> StoreError {
        let path = self.folder.path().join(name);
        match error.kind() {
            _ if self.was_replaced() => StoreError::Replaced { reg_id: self.reg_id().clone() },
            io::ErrorKind::NotFound => StoreError::corrupt(path, errors::MISSING_FILE),
            io::ErrorKind::InvalidData => StoreError::corrupt(path, errors::NOT_A_FILE),
            _ => StoreError::reading(path, error),
        }
    }

    fn mismatch(&self, name: &str, size: u64, stamp: &FileStamp) -> StoreError {
        if self.was_replaced() {
            return StoreError::Replaced { reg_id: self.reg_id().clone() };
        }
        let reason: String = if size == stamp.size {
            errors::WRONG_HASH.into()
        } else if size == u64::MAX {
            errors::size_far_off(stamp.size)
        } else {
            errors::size_differs(stamp.size, size)
        };
        StoreError::corrupt(self.folder.path().join(name), reason)
    }

    /// Whether another edition stands in this one's place. Asked when something does not fit, and under a lease only
    /// to tell whether this edition is still the one in force.
    fn was_replaced(&self) -> bool {
        match self.folder.is_in_force() {
            Some(in_force) => !in_force,
            None => read_manifest(&self.folder, self.reg_id()).map_or(true, |now| now != self.manifest),
        }
    }
}

/// Reads `info.json`; one of another regulation does not pass.
pub(crate) fn read_info(folder: &Folder, reg_id: &RegId) -> Result<RegulationInfo, StoreError> {
    let path = || folder.path().join(INFO);
    let bytes = folder.read(INFO, MAX_INFO_BYTES).map_err(|error| unreadable(path(), error))?;
    // Files of earlier versions carry no hash and are taken as they are.
    let info: RegulationInfo =
        manifest::checked_fields(&bytes).map_err(|reason| StoreError::corrupt(path(), reason))?;
    if info.reg_id != *reg_id {
        return Err(StoreError::corrupt(path(), errors::other_owner(info.reg_id, reg_id)));
    }
    Ok(info)
}

/// Reads `manifest.json` and checks it in itself.
pub(crate) fn read_manifest(folder: &Folder, reg_id: &RegId) -> Result<Manifest, StoreError> {
    let path = || folder.path().join(MANIFEST);
    let bytes = folder.read(MANIFEST, MAX_MANIFEST_BYTES).map_err(|error| unreadable(path(), error))?;
    Manifest::parse(&bytes, reg_id).map_err(|reason| StoreError::corrupt(path(), reason))
}

fn unreadable(path: PathBuf, error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::NotFound => StoreError::corrupt(path, errors::MISSING_FILE),
        io::ErrorKind::InvalidData => StoreError::corrupt(path, errors::NOT_A_FILE),
        io::ErrorKind::FileTooLarge => StoreError::corrupt(path, errors::TOO_LARGE),
        _ => StoreError::reading(path, error),
    }
}

/// What keeps an info and a manifest from being of the same edition.
pub(crate) fn disagreement(info: &RegulationInfo, manifest: &Manifest) -> Option<String> {
    if info.content_hash.as_deref() != Some(manifest.content_hash.as_str()) {
        return Some(errors::CONTENT_HASH_DIFFERS.into());
    }
    let source_hash =
        manifest.source.as_ref().and_then(|name| manifest.files.get(name)).map(|stamp| &stamp.blake3);
    if info.source_hash.as_ref() != source_hash {
        return Some(errors::SOURCE_HASH_DIFFERS.into());
    }
    let pages = manifest.page_count();
    (info.total_pages != pages).then(|| errors::page_count_differs(info.total_pages, pages))
}
