//! Checking a library, and making anew what follows from the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::PathBuf;

use regreader_messages::{Word, errors};
use regreader_model::{
    DocumentStructure, PageDocument, PageNumber, QualityReport, ReferenceGraph, RegId, RegulationInfo,
    TableRegistry,
};
use serde::de::DeserializeOwned;

use crate::audit::AuditEvent;
use crate::encode;
use crate::error::StoreError;
use crate::folder::Folder;
use crate::layout::{self, INFO, MANIFEST};
use crate::library::{Library, children};
use crate::manifest::{self, FileStamp, Manifest, shorten};
use crate::reader::{self, disagreement};

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The regulation; none when it is the library's.
    pub reg_id: Option<RegId>,
    /// The file or folder.
    pub path: PathBuf,
    /// What sort of problem.
    pub kind: ProblemKind,
    /// What is wrong, for a person.
    pub message: String,
    /// What can be done.
    pub remedy: Remedy,
}

/// Sorts of problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ProblemKind {
    /// `info.json` is missing or torn.
    InfoUnreadable,
    /// `info.json` is of another edition than the rest.
    InfoMismatch,
    /// `manifest.json` is missing, torn or altered.
    ManifestUnreadable,
    /// A file that belongs to the regulation is not there.
    MissingFile,
    /// A file is not the one that was stored.
    Altered,
    /// A file is as it was stored, but not what its name says.
    Invalid,
    /// A file or folder that does not belong there.
    Stray,
    /// What a process that died, or a reader that is still at work, has left in the staging folder.
    Leftover,
}

/// What can be done about a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// [`Library::repair`] makes it anew from the rest.
    Repair,
    /// The regulation must be ingested again; its source document is whole and stands in its folder.
    IngestSource,
    /// The regulation must be ingested again from its original file, or taken from a bundle.
    Ingest,
    /// A person must look at it: it is none of ours, and nothing is harmed by it.
    Look,
    /// It goes by itself at the next open or write.
    Wait,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.message)
    }
}

/// What [`Library::repair`] did.
#[derive(Debug)]
pub struct RepairReport {
    /// What was made anew.
    pub actions: Vec<String>,
    /// What is still wrong.
    pub remaining: Vec<Problem>,
    /// What did not go as it should, though the repair is done.
    pub warnings: Vec<String>,
}

impl Library {
    /// Checks everything about a regulation: every hash, every file read, the numbering, what does not belong there.
    /// Nothing is reported for one that is whole.
    pub fn verify(&self, reg_id: &RegId) -> Result<Vec<Problem>, StoreError> {
        let mut problems = Vec::new();
        // Where a folder cannot be leased, what is wrong may be a replace going by: it must be seen twice.
        for _ in 0..5 {
            let (found, leased) = self.with_folder(reg_id, |folder| {
                let leased = folder.is_leased();
                Ok((check_folder(&folder, reg_id)?, leased))
            })?;
            if leased || found.is_empty() || found == problems {
                return Ok(found);
            }
            problems = found;
        }
        Ok(problems)
    }

    /// Checks what is no regulation's: folders and files that do not belong there, and leftovers.
    pub fn verify_library(&self) -> Result<Vec<Problem>, StoreError> {
        let layout = &self.inner().layout;
        let problem = |path: PathBuf, kind, message: Word, remedy| Problem {
            reg_id: None,
            path,
            kind,
            message: message.into(),
            remedy,
        };
        let mut problems = Vec::new();
        for (name, path) in children(&layout.regulations())? {
            let leftover = path == layout.last_resort();
            let staging = path == layout.staging();
            let ours = leftover || staging || path == layout.lock();
            if (leftover || staging) && !layout::is_own_folder(&path) {
                problems.push(problem(path, ProblemKind::Stray, errors::STRAY_LINK, Remedy::Look));
            } else if leftover {
                problems.push(problem(path, ProblemKind::Leftover, errors::LEFTOVER, Remedy::Wait));
            } else if !ours && (name.parse::<RegId>().is_err() || path.is_file()) {
                problems.push(problem(path, ProblemKind::Stray, errors::STRAY, Remedy::Look));
            }
        }
        let staged =
            if layout::is_own_folder(&layout.staging()) { children(&layout.staging())? } else { Vec::new() };
        for (name, path) in staged {
            problems.push(if layout::is_staged_name(&name) {
                problem(path, ProblemKind::Leftover, errors::LEFTOVER, Remedy::Wait)
            } else {
                problem(path, ProblemKind::Stray, errors::STRAY, Remedy::Look)
            });
        }
        Ok(problems)
    }

    /// Makes anew what follows from the rest: a manifest from files that still give the content hash, an `info.json`
    /// from the copy that the manifest keeps (descriptions written since the ingest are lost then), and the fields of
    /// `info.json` that follow from the content. Pages and the other parts are never touched.
    pub fn repair(&self, reg_id: &RegId) -> Result<RepairReport, StoreError> {
        let session = self.session()?;
        let plan = self.with_folder(reg_id, |folder| plan_repair(&folder, reg_id))?;
        let mut actions = Vec::new();
        if let Some(manifest) = plan.manifest {
            let bytes =
                manifest.to_bytes().map_err(|error| StoreError::refused(reg_id, error.to_string()))?;
            session.write_in_force(reg_id, MANIFEST, &bytes)?;
            actions.push(errors::MANIFEST_REBUILT.into());
        }
        if let Some((info, what)) = plan.info {
            session.write_in_force(reg_id, INFO, &encode::encode_info(&info)?)?;
            actions.push(what.into());
        }
        drop(session);
        let warnings = if actions.is_empty() {
            Vec::new()
        } else {
            self.record(AuditEvent::Repaired { reg_id: reg_id.clone(), actions: actions.clone() })
        };
        Ok(RepairReport { actions, remaining: self.verify(reg_id)?, warnings })
    }
}

/// Everything that is wrong with a folder, in the order of its files.
pub(crate) fn check_folder(folder: &Folder, reg_id: &RegId) -> Result<Vec<Problem>, StoreError> {
    let mut check = Check { folder, reg_id, problems: Vec::new() };
    let info = check.info()?;
    let manifest = check.manifest(info.as_ref())?;
    if let Some(manifest) = &manifest {
        if let Some(difference) = info.as_ref().and_then(|info| disagreement(info, manifest)) {
            check.add(INFO, ProblemKind::InfoMismatch, difference, Remedy::Repair);
        }
        check.files(manifest)?;
        check.strays(manifest)?;
    }
    Ok(check.problems)
}

struct Check<'a> {
    folder: &'a Folder,
    reg_id: &'a RegId,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn add(&mut self, name: &str, kind: ProblemKind, message: impl Into<String>, remedy: Remedy) {
        self.problems.push(Problem {
            reg_id: Some(self.reg_id.clone()),
            path: self.folder.path().join(name),
            kind,
            message: message.into(),
            remedy,
        });
    }

    fn info(&mut self) -> Result<Option<RegulationInfo>, StoreError> {
        match reader::read_info(self.folder, self.reg_id) {
            Ok(info) => Ok(Some(info)),
            Err(StoreError::Corrupt { reason, .. }) => {
                let spare = reader::read_manifest(self.folder, self.reg_id).is_ok();
                let remedy = if spare { Remedy::Repair } else { Remedy::Ingest };
                self.add(INFO, ProblemKind::InfoUnreadable, reason, remedy);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn manifest(&mut self, info: Option<&RegulationInfo>) -> Result<Option<Manifest>, StoreError> {
        match reader::read_manifest(self.folder, self.reg_id) {
            Ok(manifest) => Ok(Some(manifest)),
            Err(StoreError::Corrupt { reason, .. }) => {
                let rebuilt = info.and_then(|info| rebuild_manifest(self.folder, info));
                let remedy = if rebuilt.is_some() { Remedy::Repair } else { Remedy::Ingest };
                self.add(MANIFEST, ProblemKind::ManifestUnreadable, reason, remedy);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn files(&mut self, manifest: &Manifest) -> Result<(), StoreError> {
        let first = self.problems.len();
        for (name, stamp) in &manifest.files {
            match self.file(name, stamp) {
                Ok(None) => {}
                Ok(Some((kind, message))) => self.add(name, kind, message, Remedy::Ingest),
                Err(error) => match error.kind() {
                    io::ErrorKind::NotFound => {
                        self.add(name, ProblemKind::MissingFile, errors::MISSING_FILE, Remedy::Ingest);
                    }
                    io::ErrorKind::FileTooLarge | io::ErrorKind::InvalidData => {
                        self.add(name, ProblemKind::Altered, errors::WRONG_SIZE, Remedy::Ingest);
                    }
                    _ => return Err(StoreError::reading(self.folder.path().join(name), error)),
                },
            }
        }
        let source = manifest.source.as_ref().map(|name| self.folder.path().join(name));
        let source_is_whole =
            source.is_some_and(|path| self.problems.iter().all(|problem| problem.path != path));
        if source_is_whole {
            self.problems.iter_mut().skip(first).for_each(|problem| problem.remedy = Remedy::IngestSource);
        }
        Ok(())
    }

    /// What is wrong with a file that can be read. The source document may be large and is not ours to understand.
    fn file(&self, name: &str, stamp: &FileStamp) -> io::Result<Option<(ProblemKind, String)>> {
        let altered = || (ProblemKind::Altered, errors::WRONG_HASH.into());
        if layout::is_source_file(name) {
            return Ok((self.folder.stamp(name)? != *stamp).then(altered));
        }
        let bytes = self.folder.read(name, stamp.size.saturating_add(1))?;
        if !stamp.fits(&bytes) {
            return Ok(Some(altered()));
        }
        Ok(check_content(name, &bytes, self.reg_id).err().map(|reason| (ProblemKind::Invalid, reason)))
    }

    fn strays(&mut self, manifest: &Manifest) -> Result<(), StoreError> {
        let names = self.folder.names().map_err(|error| StoreError::reading(self.folder.path(), error))?;
        for name in names {
            if name != INFO && name != MANIFEST && !manifest.files.contains_key(&name) {
                self.add(
                    &name,
                    ProblemKind::Stray,
                    errors::foreign_file(format_args!("{:?}", shorten(&name))),
                    Remedy::Look,
                );
            }
        }
        Ok(())
    }
}

/// Whether a file holds what its name says. Its hash is right, so this fails only for what was made elsewhere.
fn check_content(name: &str, bytes: &[u8], reg_id: &RegId) -> Result<(), String> {
    fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }
    let owner = match name {
        layout::STRUCTURE => read::<DocumentStructure>(bytes)?.reg_id,
        layout::TABLES => read::<TableRegistry>(bytes)?.reg_id,
        layout::REFERENCES => read::<ReferenceGraph>(bytes)?.reg_id,
        layout::QUALITY => read::<QualityReport>(bytes)?.reg_id,
        _ => match layout::page_of(name) {
            Some(number) => page_owner(read(bytes)?, number)?,
            None => return Ok(()),
        },
    };
    if owner == *reg_id { Ok(()) } else { Err(errors::owned_by(owner)) }
}

fn page_owner(page: PageDocument, number: PageNumber) -> Result<RegId, String> {
    if page.page_num == number { Ok(page.reg_id) } else { Err(errors::page_is(page.page_num)) }
}

/// What a repair would write.
struct Plan {
    manifest: Option<Manifest>,
    info: Option<(RegulationInfo, Word)>,
}

fn plan_repair(folder: &Folder, reg_id: &RegId) -> Result<Plan, StoreError> {
    let info = readable(reader::read_info(folder, reg_id))?;
    let manifest = readable(reader::read_manifest(folder, reg_id))?;
    Ok(match (info, manifest) {
        (Some(info), None) => Plan { manifest: rebuild_manifest(folder, &info), info: None },
        (None, Some(manifest)) => Plan { manifest: None, info: Some((manifest.info, errors::INFO_RESTORED)) },
        (Some(info), Some(manifest)) if disagreement(&info, &manifest).is_some() => {
            Plan { manifest: None, info: Some((aligned(info, &manifest), errors::INFO_CORRECTED)) }
        }
        _ => Plan { manifest: None, info: None },
    })
}

fn readable<T>(result: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match result {
        Err(StoreError::Corrupt { .. }) => Ok(None),
        result => result.map(Some),
    }
}

/// The info with the fields that follow from the content as the manifest has them.
fn aligned(info: RegulationInfo, manifest: &Manifest) -> RegulationInfo {
    RegulationInfo {
        content_hash: manifest.info.content_hash.clone(),
        source_hash: manifest.info.source_hash.clone(),
        total_pages: manifest.page_count(),
        issuer: None,
        source_file: manifest.info.source_file.clone(),
        source_format: manifest.info.source_format,
        pipeline: manifest.info.pipeline.clone(),
        indexed_at: manifest.info.indexed_at.clone(),
        pages_approximate: manifest.info.pages_approximate,
        ..info
    }
}

/// A manifest of what is there, if that is what `info` speaks of.
fn rebuild_manifest(folder: &Folder, info: &RegulationInfo) -> Option<Manifest> {
    let names: BTreeSet<String> = folder.names().ok()?.into_iter().collect();
    let known = |name: &&String| {
        layout::PARTS.contains(&name.as_str())
            || layout::is_source_file(name)
            || layout::page_of(name).is_some()
    };
    let mut files = BTreeMap::new();
    for name in names.iter().filter(known) {
        files.insert(name.clone(), folder.stamp(name).ok()?);
    }
    manifest::check_names(files.keys().map(String::as_str)).ok()?;
    let manifest = Manifest::new(info.clone(), files);
    disagreement(info, &manifest).is_none().then_some(manifest)
}
