//! A folder with a part for each regulation and a manifest that says where: how the file-based indexes are kept.
//!
//! Regulations that are built together share a file: a thousand small ones are opened as fast as one. A file is written
//! under a new name, and one rename of the manifest makes it count, so that readers in any process see a regulation's old
//! part or its new one. A file that no longer counts stays until the update after, for readers that have just read the
//! manifest before; one of which most no longer counts is written anew without that.
//!
//! The manifest holds the hash of every file and of every part, and a hash over itself. Opening checks the manifest and
//! the files' sizes; a part whose texts are shown or weighed is hashed when it is first opened; [`FileSet::verify`]
//! hashes everything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use regreader_messages::errors;
use regreader_model::RegId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use tantivy::directory::MmapDirectory;

use crate::IndexError;
use crate::storage::disk::{self, WriterLock};
use crate::storage::pack::{Pack, PackWriter};
use crate::storage::seal::Stamp;

const MANIFEST: &str = "manifest.json";
const FORMAT: u32 = 3;

/// What a file of the set is read as.
pub(crate) trait Part: Sized {
    /// Marks the files of this kind, with their version.
    const KIND: u32;

    /// Whether the whole part is hashed when it is first opened. Not for parts of which every search reads all: hashing
    /// a million vectors takes longer than searching them.
    const HASHED_AT_OPEN: bool = false;

    /// Reads a file that was just mapped.
    fn open(pack: Pack, reg_id: &RegId) -> Result<Self, IndexError>;
}

/// The files of a folder.
pub(crate) struct FileSet<T> {
    folder: PathBuf,
    about: BTreeMap<String, String>,
    current: RwLock<Arc<Snapshot<T>>>,
}

/// The files that counted at one moment.
pub(crate) struct Snapshot<T> {
    manifest: Manifest,
    directory: Option<MmapDirectory>,
    /// One for each regulation of the manifest, in its order.
    parts: Vec<OnceLock<Arc<T>>>,
    /// Where the part of a regulation is.
    place_of: FxHashMap<RegId, usize>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// What all files were made with; another making is another set.
    about: BTreeMap<String, String>,
    /// Counts updates; part of the files' names.
    generation: u64,
    regulations: BTreeMap<RegId, Entry>,
    /// The files that count, with length and hash.
    files: BTreeMap<String, Stamp>,
    /// Files that counted until the last update.
    retired: BTreeMap<String, Stamp>,
    /// Hash over the rest.
    check: String,
}

impl Manifest {
    /// The manifest as bytes, with its own hash in it.
    fn sealed(mut self) -> Result<Vec<u8>, serde_json::Error> {
        self.check = String::new();
        self.check = blake3::hash(&serde_json::to_vec(&self)?).to_hex().to_string();
        serde_json::to_vec(&self)
    }

    /// Files of which less than half counts.
    fn mostly_dead(&self) -> BTreeSet<String> {
        let mut left: BTreeMap<&String, u64> = self.files.keys().map(|name| (name, 0)).collect();
        for entry in self.regulations.values() {
            if let Some(left) = left.get_mut(&entry.file) {
                *left += entry.size;
            }
        }
        let half = |(name, left): &(&String, u64)| {
            left.saturating_mul(2) < self.files.get(*name).map_or(0, |stamp| stamp.size)
        };
        left.into_iter().filter(half).map(|(name, _)| name.clone()).collect()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    content_hash: String,
    file: String,
    /// Where in the file.
    offset: u64,
    size: u64,
    /// blake3 of the part, hex.
    blake3: String,
}

impl Entry {
    fn place(&self) -> (u64, u64) {
        (self.offset, self.size)
    }
}

impl<T: Part> FileSet<T> {
    /// Opens the set of a folder; an empty one where there is none. A set that was made with something else is
    /// corrupt for us.
    pub(crate) fn open(folder: &Path, about: BTreeMap<String, String>) -> Result<Self, IndexError> {
        let set = Self {
            folder: folder.to_owned(),
            current: RwLock::new(Arc::new(Snapshot {
                manifest: Manifest { format: FORMAT, about: about.clone(), ..Manifest::default() },
                directory: None,
                parts: Vec::new(),
                place_of: FxHashMap::default(),
            })),
            about,
        };
        set.reload()?;
        Ok(set)
    }

    /// What the set in this folder was made with, if there is one.
    pub(crate) fn about(folder: &Path) -> Result<Option<BTreeMap<String, String>>, IndexError> {
        Ok(read_manifest(folder)?.map(|manifest| manifest.about))
    }

    /// Sees what other processes have done.
    pub(crate) fn reload(&self) -> Result<(), IndexError> {
        let Some(manifest) = read_manifest(&self.folder)? else {
            // Nothing was written yet, or another process has emptied the folder.
            let manifest = Manifest { format: FORMAT, about: self.about.clone(), ..Manifest::default() };
            let (parts, place_of) = (Vec::new(), FxHashMap::default());
            self.show(Snapshot { manifest, directory: None, parts, place_of });
            return Ok(());
        };
        if manifest.about != self.about {
            return Err(IndexError::corrupt(&self.folder, errors::OTHER_BUILD));
        }
        let before = self.snapshot();
        if manifest == before.manifest {
            return Ok(());
        }
        let directory = MmapDirectory::open(&self.folder)
            .map_err(|error| IndexError::corrupt(&self.folder, error.to_string()))?;
        let part = |(reg_id, entry): (&RegId, &Entry)| {
            let same = before
                .manifest
                .regulations
                .get(reg_id)
                .is_some_and(|old| old.file == entry.file && old.place() == entry.place());
            let open = before.place_of.get(reg_id).and_then(|at| before.parts.get(*at));
            open.filter(|_| same).cloned().unwrap_or_default()
        };
        let parts = manifest.regulations.iter().map(part).collect();
        let place_of = manifest.regulations.keys().cloned().zip(0..).collect();
        self.show(Snapshot { manifest, directory: Some(directory), parts, place_of });
        Ok(())
    }

    /// The files that count now.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot<T>> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The content hash each regulation was built from. One whose file is missing or of another length is left out, so
    /// that it is built again.
    pub(crate) fn built_from(&self) -> BTreeMap<RegId, String> {
        let snapshot = self.snapshot();
        let is_whole = |(name, stamp): &(&String, &Stamp)| {
            fs::metadata(self.folder.join(name)).is_ok_and(|metadata| metadata.len() == stamp.size)
        };
        let whole: BTreeSet<&String> =
            snapshot.manifest.files.iter().filter(is_whole).map(|(name, _)| name).collect();
        let entries = snapshot.manifest.regulations.iter().filter(|(_, entry)| whole.contains(&entry.file));
        entries.map(|(reg_id, entry)| (reg_id.clone(), entry.content_hash.clone())).collect()
    }

    /// Replaces the parts of some regulations; all count at once. `write` fills the part of the n-th.
    pub(crate) fn replace(
        &self,
        regulations: &[(&RegId, &str)],
        mut write: impl FnMut(usize, &mut PackWriter) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let _lock = WriterLock::acquire(&self.folder)?;
        self.reload()?;
        let before = self.snapshot();
        let mut manifest = before.manifest.clone();
        manifest.generation += 1;
        let file = format!("{}.bin", manifest.generation);
        let mut writer = PackWriter::create(&self.folder.join(&file), T::KIND)?;
        for (index, (reg_id, content_hash)) in regulations.iter().enumerate() {
            writer.begin()?;
            write(index, &mut writer)?;
            let (offset, size) = writer.end()?;
            let entry = Entry {
                content_hash: (*content_hash).to_owned(),
                file: file.clone(),
                offset,
                size,
                blake3: String::new(),
            };
            manifest.regulations.insert((*reg_id).clone(), entry);
        }
        let mostly_dead = manifest.mostly_dead();
        if let Some(directory) = before.directory.as_ref().filter(|_| !mostly_dead.is_empty()) {
            let mut torn = Vec::new();
            for (reg_id, entry) in &mut manifest.regulations {
                if !mostly_dead.contains(&entry.file) {
                    continue;
                }
                // What cannot be read, or is not what was written, is left out, so that it is built again.
                let bytes = Pack::bytes(directory, Path::new(&entry.file), entry.place()).ok();
                let Some(bytes) = bytes.filter(|bytes| hash(bytes) == entry.blake3) else {
                    torn.push(reg_id.clone());
                    continue;
                };
                (entry.offset, entry.size) = writer.copy(bytes.as_slice())?;
                entry.file.clone_from(&file);
            }
            manifest.regulations.retain(|reg_id, _| !torn.contains(reg_id));
        }
        writer.finish()?;
        // From the disk rather than on the way to it: headers are written last.
        let directory = MmapDirectory::open(&self.folder)
            .map_err(|error| IndexError::corrupt(&self.folder, error.to_string()))?;
        for entry in manifest.regulations.values_mut().filter(|entry| entry.file == file) {
            entry.blake3 = hash(&Pack::bytes(&directory, Path::new(&file), entry.place())?);
        }
        let stamp = Stamp::of(&self.folder.join(&file))?;
        manifest.files.insert(file, stamp);
        self.publish(manifest)
    }

    /// Removes a regulation; no error when it is not there.
    pub(crate) fn delete(&self, reg_id: &RegId) -> Result<(), IndexError> {
        let _lock = WriterLock::acquire(&self.folder)?;
        self.reload()?;
        let mut manifest = self.snapshot().manifest.clone();
        if manifest.regulations.remove(reg_id).is_none() {
            return Ok(());
        }
        manifest.generation += 1;
        self.publish(manifest)
    }

    /// Makes a manifest count, and clears away what neither it nor the one before names.
    fn publish(&self, mut manifest: Manifest) -> Result<(), IndexError> {
        let counts: BTreeSet<String> =
            manifest.regulations.values().map(|entry| entry.file.clone()).collect();
        let (files, retired) =
            std::mem::take(&mut manifest.files).into_iter().partition(|(name, _)| counts.contains(name));
        (manifest.files, manifest.retired) = (files, retired);
        let retired: BTreeSet<String> = manifest.retired.keys().cloned().collect();
        let bytes =
            manifest.sealed().map_err(|error| IndexError::corrupt(&self.folder, error.to_string()))?;
        disk::write_atomically(&self.folder.join(MANIFEST), &bytes)?;
        let names = fs::read_dir(&self.folder).map_err(|source| IndexError::io(&self.folder, source))?;
        for entry in names.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_data(&name) && !counts.contains(&name) && !retired.contains(&name) {
                // Where a mapped file cannot be removed, a later update does it.
                let _ = fs::remove_file(entry.path());
            }
        }
        self.reload()
    }

    /// Hashes every file. An error says which one is not what was written.
    pub(crate) fn verify(&self) -> Result<(), IndexError> {
        self.reload()?;
        let snapshot = self.snapshot();
        for (name, stamp) in &snapshot.manifest.files {
            let path = self.folder.join(name);
            if Stamp::of(&path).ok().as_ref() != Some(stamp) {
                return Err(IndexError::corrupt(&path, errors::CHECKSUM));
            }
        }
        for (name, stamp) in &snapshot.manifest.retired {
            let path = self.folder.join(name);
            // It may be gone already: another process has written since.
            if path.exists() && Stamp::of(&path)? != *stamp && self.still_retired(name)? {
                return Err(IndexError::corrupt(&path, errors::CHECKSUM));
            }
        }
        snapshot.parts(None).try_for_each(|part| part.map(drop))
    }

    fn still_retired(&self, name: &str) -> Result<bool, IndexError> {
        Ok(read_manifest(&self.folder)?.is_some_and(|manifest| manifest.retired.contains_key(name)))
    }

    fn show(&self, snapshot: Snapshot<T>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
    }
}

impl<T: Part> Snapshot<T> {
    /// The regulations, in order.
    pub(crate) fn regulations(&self) -> impl Iterator<Item = &RegId> {
        self.manifest.regulations.keys()
    }

    /// The content hash that a regulation's part was built from.
    pub(crate) fn content_hash(&self, reg_id: &RegId) -> Option<&str> {
        self.manifest.regulations.get(reg_id).map(|entry| entry.content_hash.as_str())
    }

    /// The part of a regulation; none when the set has none.
    pub(crate) fn part(&self, reg_id: &RegId) -> Result<Option<&Arc<T>>, IndexError> {
        let Some(slot) = self.place_of.get(reg_id).and_then(|at| self.parts.get(*at)) else {
            return Ok(None);
        };
        if let Some(part) = slot.get() {
            return Ok(Some(part));
        }
        let (Some(entry), Some(directory)) = (self.manifest.regulations.get(reg_id), &self.directory) else {
            return Ok(None);
        };
        Self::open_part(directory, reg_id, slot, entry).map(Some)
    }

    /// The parts of these regulations, or of all, in order.
    pub(crate) fn parts<'a>(
        &'a self,
        only: Option<&'a BTreeSet<RegId>>,
    ) -> impl Iterator<Item = Result<&'a Arc<T>, IndexError>> {
        let all = self.manifest.regulations.iter().zip(&self.parts);
        all.filter(move |((reg_id, _), _)| only.is_none_or(|only| only.contains(*reg_id))).filter_map(
            |((reg_id, entry), slot)| match (slot.get(), &self.directory) {
                (Some(part), _) => Some(Ok(part)),
                (None, Some(directory)) => Some(Self::open_part(directory, reg_id, slot, entry)),
                (None, None) => None,
            },
        )
    }

    fn open_part<'a>(
        directory: &MmapDirectory,
        reg_id: &RegId,
        slot: &'a OnceLock<Arc<T>>,
        entry: &Entry,
    ) -> Result<&'a Arc<T>, IndexError> {
        let pack = Pack::open(directory, Path::new(&entry.file), entry.place(), T::KIND)?;
        if T::HASHED_AT_OPEN && pack.hash() != entry.blake3 {
            return Err(pack.corrupt(errors::CHECKSUM));
        }
        let part = Arc::new(T::open(pack, reg_id)?);
        Ok(slot.get_or_init(|| part))
    }
}

fn read_manifest(folder: &Path) -> Result<Option<Manifest>, IndexError> {
    let path = folder.join(MANIFEST);
    let Some(bytes) = disk::read_if_there(&path)? else { return Ok(None) };
    if let Some(older) = older_format(&bytes) {
        return Err(IndexError::corrupt(&path, errors::older_index(older)));
    }
    let manifest: Manifest =
        serde_json::from_slice(&bytes).map_err(|error| IndexError::corrupt(&path, error.to_string()))?;
    let plain = |entry: &Entry| !entry.file.contains(['/', '\\']) && is_data(&entry.file);
    if manifest.format != FORMAT || !manifest.regulations.values().all(plain) {
        return Err(IndexError::corrupt(&path, errors::OTHER_VERSION));
    }
    if manifest.clone().sealed().ok().as_ref() != Some(&bytes) {
        return Err(IndexError::corrupt(&path, errors::CHECKSUM));
    }
    Ok(Some(manifest))
}

/// The format of a manifest that an older version of this program wrote, before manifests carried their hash. One with a hash and
/// another number is damaged.
fn older_format(bytes: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Head {
        format: u32,
        check: Option<serde::de::IgnoredAny>,
    }
    let head: Head = serde_json::from_slice(bytes).ok()?;
    (head.format < FORMAT && head.check.is_none()).then_some(head.format)
}

/// Whether an older version of this program wrote the files in a folder: nothing is wrong with them, and they are built anew.
pub(crate) fn is_older(folder: &Path) -> bool {
    matches!(disk::read_if_there(&folder.join(MANIFEST)), Ok(Some(bytes)) if older_format(&bytes).is_some())
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Whether a file is one of ours: we write the ending ourselves, so its case is known.
#[expect(clippy::case_sensitive_file_extension_comparisons, reason = "the ending is ours")]
fn is_data(name: &str) -> bool {
    name.ends_with(".bin")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Number(u32);

    impl Part for Number {
        const KIND: u32 = 0x0901;
        const HASHED_AT_OPEN: bool = true;

        fn open(pack: Pack, _: &RegId) -> Result<Self, IndexError> {
            Ok(Self(pack.section::<u32>(0).first().copied().unwrap_or(0)))
        }
    }

    fn put(set: &FileSet<Number>, ids: &[RegId], number: u32) {
        let names: Vec<(&RegId, &str)> = ids.iter().map(|id| (id, "h")).collect();
        set.replace(&names, |_, writer| writer.section([[number; 500].as_slice()])).unwrap();
    }

    /// Regulations built together share a file; what is left of it moves when most of it no longer counts.
    #[test]
    fn a_file_of_which_most_is_dead_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let set: FileSet<Number> = FileSet::open(folder.path(), BTreeMap::new()).unwrap();
        let ids: Vec<RegId> = (0..10).map(|at| format!("reg{at}").parse().unwrap()).collect();
        put(&set, &ids, 1);
        let old = set.snapshot();
        assert_eq!(old.manifest.files.len(), 1);
        for id in ids.iter().take(8) {
            put(&set, std::slice::from_ref(id), 2);
        }
        let now = set.snapshot();
        let number = |snapshot: &Snapshot<Number>, id: &RegId| snapshot.part(id).unwrap().unwrap().0;
        for (at, id) in ids.iter().enumerate() {
            assert_eq!(number(&now, id), if at < 8 { 2 } else { 1 }, "{id}");
        }
        assert!(!now.manifest.files.contains_key("1.bin"), "{:?}", now.manifest.files);
        assert_eq!(set.built_from().len(), 10);
        let again: FileSet<Number> = FileSet::open(folder.path(), BTreeMap::new()).unwrap();
        assert_eq!(number(&again.snapshot(), &ids[9]), 1);
        // A file that is torn is not carried over.
        for name in now.manifest.files.keys() {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        let torn: FileSet<Number> = FileSet::open(folder.path(), BTreeMap::new()).unwrap();
        put(&torn, &ids[..1], 3);
        assert_eq!(torn.built_from().into_keys().collect::<Vec<_>>(), ids[..1]);
    }

    /// Whatever byte of whatever file is changed, a full check says so, and a part that is hashed at open is not used.
    #[test]
    fn every_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let set: FileSet<Number> = FileSet::open(folder.path(), BTreeMap::new()).unwrap();
        let ids: Vec<RegId> = (0..3).map(|at| format!("reg{at}").parse().unwrap()).collect();
        put(&set, &ids, 1);
        put(&set, &ids[..1], 2);
        let noticed =
            || FileSet::<Number>::open(folder.path(), BTreeMap::new()).and_then(|set| set.verify()).is_err();
        assert!(!noticed());
        let files: Vec<PathBuf> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| fs::metadata(path).unwrap().len() > 0)
            .collect();
        assert!(files.len() >= 3, "{files:?}");
        for path in files {
            let good = fs::read(&path).unwrap();
            for at in (0..good.len()).step_by(good.len() / 40 + 1).chain([good.len() - 1]) {
                let mut flipped = good.clone();
                flipped[at] ^= 1;
                fs::write(&path, flipped).unwrap();
                assert!(noticed(), "{} byte {at}", path.display());
            }
            fs::write(&path, &good[..good.len() / 2]).unwrap();
            assert!(noticed(), "{} cut", path.display());
            fs::write(&path, good).unwrap();
        }
        assert!(!noticed());
    }
}
