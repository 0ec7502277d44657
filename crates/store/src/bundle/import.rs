//! Taking a bundle into a library: everything staged and checked, then put in force.

use std::io::{self, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use regreader_messages::errors;
use regreader_model::RegId;

use super::catalog::{BundleFile, BundledRegulation, CATALOG, Catalog};
use super::{BundleError, Counted};
use crate::audit::AuditEvent;
use crate::doctor::check_folder;
use crate::encode;
use crate::error::StoreError;
use crate::folder::Folder;
use crate::layout::INFO;
use crate::library::Library;
use crate::manifest::shorten;
use crate::reader;
use crate::staging::Session;
use crate::write::Change;

/// How to import.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// What to do with a regulation that the library has already.
    pub conflict: Conflict,
    /// How much to take.
    pub limits: Limits,
}

/// What to do with a regulation that the library has already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conflict {
    /// Replace it. What the bundle's info leaves open (description, keywords …) stays as the library has it.
    #[default]
    Replace,
    /// Keep the one that is there.
    Skip,
    /// Take nothing at all, and say which.
    Fail,
}

/// How much a bundle may hold.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Number of files of all regulations together.
    pub max_files: u64,
    /// Bytes of all files together.
    pub max_total_bytes: u64,
    /// Bytes of a source document.
    pub max_source_bytes: u64,
    /// Bytes of any other file.
    pub max_json_bytes: u64,
    /// Bytes of the list of contents.
    pub max_catalog_bytes: u64,
}

impl Default for Limits {
    /// A thousand regulations of a few hundred pages with their documents.
    fn default() -> Self {
        Self {
            max_files: 500_000,
            max_total_bytes: 64 << 30,
            max_source_bytes: 2 << 30,
            max_json_bytes: 64 << 20,
            max_catalog_bytes: 64 << 20,
        }
    }
}

/// What was taken in.
#[derive(Debug)]
pub struct ImportReport {
    /// Each regulation of the bundle, and what it meant for the library. None: skipped.
    pub regulations: Vec<(RegId, Option<Change>)>,
    /// blake3 of the bundle, hex: to be compared with the other side.
    pub blake3: String,
    /// What did not go as it should, though the regulations are in.
    pub warnings: Vec<String>,
}

/// Reads the list of contents, and nothing more.
pub fn inspect(input: impl Read, limits: &Limits) -> Result<Catalog, StoreError> {
    let mut archive = tar::Archive::new(GzDecoder::new(input));
    let mut entries = raw_entries(&mut archive)?;
    Ok(read_catalog(&mut entries, limits)?)
}

/// Takes the regulations of a bundle into the library. On any error the library is as it was before: nothing is put in
/// force until the whole bundle has been read and checked. A process that is killed while it puts several regulations
/// in force leaves each of them whole, some of the bundle and some as they were; importing again brings the rest.
pub fn import(
    library: &Library,
    input: impl Read,
    options: &ImportOptions,
) -> Result<ImportReport, StoreError> {
    let mut input = Counted::new(input);
    let session = library.session()?;
    let (catalog, skipped) = {
        let mut archive = tar::Archive::new(GzDecoder::new(&mut input));
        let mut entries = raw_entries(&mut archive)?;
        let catalog = read_catalog(&mut entries, &options.limits)?;
        let skipped = conflicts(library, &catalog, options.conflict)?;
        for regulation in &catalog.regulations {
            let wanted = !skipped.contains(&regulation.reg_id);
            receive(&session, regulation, &mut entries, wanted)?;
        }
        if let Some(entry) = entries.next() {
            let found = entry.map_or_else(|error| error.to_string(), |entry| entry_name(&entry));
            return Err(BundleError::Unexpected { expected: errors::THE_END.into(), found }.into());
        }
        (catalog, skipped)
    };
    let blake3 = finish(input)?;
    let wanted = || catalog.regulations.iter().filter(|regulation| !skipped.contains(&regulation.reg_id));
    for regulation in wanted() {
        check_staged(library, &session, regulation)?;
    }
    let present = library.ids()?;
    let reg_ids: Vec<&RegId> = wanted().map(|regulation| &regulation.reg_id).collect();
    session.commit_all(&reg_ids)?;
    drop(session);
    let reg_ids = reg_ids.into_iter().cloned().collect();
    let warnings = library.record(AuditEvent::Imported { reg_ids, bundle_hash: blake3.clone() });
    let change = |reg_id: &RegId| match present.contains(reg_id) {
        _ if skipped.contains(reg_id) => None,
        true => Some(Change::Replaced),
        false => Some(Change::New),
    };
    let all = catalog.regulations.into_iter().map(|regulation| regulation.reg_id);
    let regulations = all.map(|reg_id| (reg_id.clone(), change(&reg_id))).collect();
    Ok(ImportReport { regulations, blake3, warnings })
}

/// The entries as they stand. Not the usual way of reading an archive, which takes long names from entries of any
/// length into memory: ours have none, and whoever sends one is told that it is unexpected.
fn raw_entries<R: Read>(archive: &mut tar::Archive<R>) -> Result<Entries<'_, R>, BundleError> {
    archive
        .entries()
        .map(|entries| entries.raw(true))
        .map_err(|error| BundleError::NotABundle(error.to_string()))
}

type Entries<'a, R> = tar::Entries<'a, R>;

fn read_catalog<R: Read>(entries: &mut Entries<'_, R>, limits: &Limits) -> Result<Catalog, BundleError> {
    let not_ours = |error: io::Error| BundleError::NotABundle(error.to_string());
    let entry = entries
        .next()
        .ok_or_else(|| BundleError::NotABundle(errors::EMPTY_FILE.into()))?
        .map_err(not_ours)?;
    if entry_name(&entry) != CATALOG || !is_plain(&entry) {
        return Err(BundleError::NotABundle(errors::first_entry(format_args!("{:?}", entry_name(&entry)))));
    }
    if entry.size() > limits.max_catalog_bytes {
        return Err(BundleError::Limit {
            what: errors::BUNDLE_CATALOG_BYTES,
            limit: limits.max_catalog_bytes,
        });
    }
    let mut bytes = Vec::new();
    entry.take(limits.max_catalog_bytes).read_to_end(&mut bytes).map_err(not_ours)?;
    Catalog::parse(&bytes, limits)
}

/// Which regulations of the bundle are not to be taken.
fn conflicts(library: &Library, catalog: &Catalog, conflict: Conflict) -> Result<Vec<RegId>, StoreError> {
    if conflict == Conflict::Replace {
        return Ok(Vec::new());
    }
    let present = library.ids()?;
    let ids = catalog.regulations.iter().map(|regulation| &regulation.reg_id);
    let both: Vec<RegId> = ids.filter(|reg_id| present.contains(reg_id)).cloned().collect();
    match both.first() {
        Some(reg_id) if conflict == Conflict::Fail => Err(BundleError::Exists(reg_id.to_string()).into()),
        _ => Ok(both),
    }
}

/// Files up to this size are held in memory, up to so many bytes of them, to be written together.
const SMALL: u64 = 1 << 20;
const BATCH: usize = 16 << 20;

/// Reads one regulation's files, which must be those that are due, and stages them if they are wanted.
fn receive<R: Read>(
    session: &Session<'_>,
    regulation: &BundledRegulation,
    entries: &mut Entries<'_, R>,
    wanted: bool,
) -> Result<(), StoreError> {
    let folder = if wanted { Some(session.new_staged(&regulation.reg_id)?) } else { None };
    let (mut batch, mut waiting) = (Vec::new(), 0);
    for file in &regulation.files {
        let expected = regulation.entry_path(file);
        let entry = match entries.next() {
            Some(Ok(entry)) => entry,
            Some(Err(error)) => return Err(BundleError::Truncated(format!("{expected}: {error}")).into()),
            None => return Err(BundleError::Truncated(errors::missing(expected)).into()),
        };
        if entry_name(&entry) != expected || !is_plain(&entry) || entry.size() != file.size {
            return Err(BundleError::Unexpected { expected, found: entry_name(&entry) }.into());
        }
        let mut content = Content::new(entry);
        match &folder {
            // Small ones together: syncing them one by one is what takes the time.
            Some(folder) if file.size <= SMALL => {
                let bytes = content.read_all(&expected)?;
                content.check(file, &expected)?;
                waiting += bytes.len();
                batch.push((folder.join(&file.path), bytes));
                if waiting > BATCH {
                    session.write_all(&std::mem::take(&mut batch))?;
                    waiting = 0;
                }
            }
            Some(folder) => {
                let path = folder.join(&file.path);
                let written = session.disk().write_new(&path, &mut content);
                content.check_reading(&expected)?;
                written.map_err(|error| StoreError::writing(&path, error))?;
                content.check(file, &expected)?;
            }
            None => {
                // What goes wrong here is remembered by the content.
                let _ = io::copy(&mut content, &mut io::sink());
                content.check(file, &expected)?;
            }
        }
    }
    session.write_all(&batch)
}

/// The same questions as are asked of a regulation in force, and whether it is the one that the list announces; then
/// fills its info with what the library knows.
fn check_staged(
    library: &Library,
    session: &Session<'_>,
    regulation: &BundledRegulation,
) -> Result<(), StoreError> {
    let reg_id = &regulation.reg_id;
    let invalid = |reason: String| BundleError::Invalid { reg_id: reg_id.to_string(), reason };
    let path = session.staged(reg_id);
    let folder = Folder::open_staged(&path)
        .map_err(|error| StoreError::reading(&path, error))?
        .ok_or_else(|| invalid(errors::NO_CONTENT.into()))?;
    if let Some(problem) = check_folder(&folder, reg_id)?.into_iter().next() {
        let name = problem.path.strip_prefix(&path).unwrap_or(Path::new("")).display().to_string();
        return Err(invalid(format!("{name}: {}", problem.message)).into());
    }
    let info = reader::read_info(&folder, reg_id)?;
    if info.content_hash.as_deref() != Some(regulation.content_hash.as_str()) {
        return Err(invalid(errors::CATALOG_DIFFERS.into()).into());
    }
    if let Some(present) = library.present(reg_id)?.info() {
        let mut merged = info.clone();
        encode::keep_enrichment(&mut merged, present);
        if merged != info {
            session.rewrite_staged(reg_id, INFO, &encode::encode_info(&merged)?)?;
        }
    }
    session.sync_staged(reg_id)
}

fn is_plain<R: Read>(entry: &tar::Entry<'_, R>) -> bool {
    entry.header().entry_type() == tar::EntryType::Regular
}

/// The name in the header itself, as far as it can be shown.
fn entry_name<R: Read>(entry: &tar::Entry<'_, R>) -> String {
    shorten(&String::from_utf8_lossy(&entry.header().path_bytes()))
}

/// The content of an entry on its way to the disk, remembering its own failure apart from the disk's.
struct Content<R> {
    entry: Counted<R>,
    broken: bool,
}

impl<R: Read> Content<R> {
    fn new(entry: R) -> Self {
        Self { entry: Counted::new(entry), broken: false }
    }

    fn read_all(&mut self, path: &str) -> Result<Vec<u8>, BundleError> {
        let mut bytes = Vec::new();
        self.read_to_end(&mut bytes).map_err(|_| BundleError::Truncated(path.to_owned()))?;
        Ok(bytes)
    }

    fn check_reading(&self, path: &str) -> Result<(), BundleError> {
        if self.broken { Err(BundleError::Truncated(path.to_owned())) } else { Ok(()) }
    }

    /// Is it what was announced, all of it?
    fn check(&self, file: &BundleFile, path: &str) -> Result<(), BundleError> {
        self.check_reading(path)?;
        if self.entry.bytes != file.size {
            return Err(BundleError::Truncated(path.to_owned()));
        }
        if self.entry.hash() != file.blake3 {
            return Err(BundleError::HashMismatch { path: path.to_owned() });
        }
        Ok(())
    }
}

impl<R: Read> Read for Content<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.entry.read(buffer).inspect_err(|_| self.broken = true)
    }
}

/// Reads what is left of the bundle, which an archiver may pad but not fill, and gives the hash of all of it.
fn finish(mut input: Counted<impl Read>) -> Result<String, BundleError> {
    const MOST: u64 = 1 << 20;
    let rest = io::copy(&mut (&mut input).take(MOST), &mut io::sink())
        .map_err(|error| BundleError::Truncated(error.to_string()))?;
    if rest == MOST {
        return Err(BundleError::Unexpected {
            expected: errors::THE_END.into(),
            found: errors::MORE_DATA.into(),
        });
    }
    Ok(input.hash())
}
