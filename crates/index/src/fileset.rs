//! A folder with one file per regulation and a manifest that says which: how the file-based indexes are kept.
//!
//! A file is written under a new name, and one rename of the manifest makes it count, so that readers in any process
//! see a regulation's old file or its new one. A file that no longer counts stays until the update after, for readers
//! that have just read the manifest before.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use regreader_model::RegId;
use serde::{Deserialize, Serialize};
use tantivy::directory::MmapDirectory;

use crate::IndexError;
use crate::disk::{self, WriterLock};
use crate::pack::{Pack, PackWriter};

const MANIFEST: &str = "manifest.json";
const FORMAT: u32 = 1;

/// What a file of the set is read as.
pub(crate) trait Part: Sized {
    /// Marks the files of this kind, with their version.
    const KIND: u32;

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
    parts: BTreeMap<RegId, OnceLock<Arc<T>>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// What all files were made with; another making is another set.
    about: BTreeMap<String, String>,
    /// Counts updates; part of the files' names.
    generation: u64,
    regulations: BTreeMap<RegId, Entry>,
    /// Files that counted until the last update.
    retired: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    content_hash: String,
    file: String,
    size: u64,
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
                parts: BTreeMap::new(),
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
            self.show(Snapshot { manifest, directory: None, parts: BTreeMap::new() });
            return Ok(());
        };
        if manifest.about != self.about {
            return Err(IndexError::corrupt(&self.folder, "索引的建立方式与现在不同"));
        }
        let before = self.snapshot();
        if manifest == before.manifest {
            return Ok(());
        }
        let directory = MmapDirectory::open(&self.folder)
            .map_err(|error| IndexError::corrupt(&self.folder, error.to_string()))?;
        let part = |(reg_id, entry): (&RegId, &Entry)| {
            let same = before.manifest.regulations.get(reg_id).is_some_and(|old| old.file == entry.file);
            let open = before.parts.get(reg_id).filter(|_| same).cloned().unwrap_or_default();
            (reg_id.clone(), open)
        };
        let parts = manifest.regulations.iter().map(part).collect();
        self.show(Snapshot { manifest, directory: Some(directory), parts });
        Ok(())
    }

    /// The files that count now.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot<T>> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The content hash each regulation was built from. One whose file is missing or of another size is left out, so
    /// that it is built again.
    pub(crate) fn built_from(&self) -> BTreeMap<RegId, String> {
        let snapshot = self.snapshot();
        let whole = |entry: &Entry| {
            fs::metadata(self.folder.join(&entry.file)).is_ok_and(|metadata| metadata.len() == entry.size)
        };
        let entries = snapshot.manifest.regulations.iter().filter(|(_, entry)| whole(entry));
        entries.map(|(reg_id, entry)| (reg_id.clone(), entry.content_hash.clone())).collect()
    }

    /// Replaces the files of some regulations; all count at once. `write` fills the file of the n-th.
    pub(crate) fn replace(
        &self,
        regulations: &[(&RegId, &str)],
        mut write: impl FnMut(usize, &mut PackWriter) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let _lock = WriterLock::acquire(&self.folder)?;
        self.reload()?;
        let mut manifest = self.snapshot().manifest.clone();
        manifest.generation += 1;
        let mut retired = BTreeSet::new();
        for (index, (reg_id, content_hash)) in regulations.iter().enumerate() {
            let file = format!("{reg_id}.{}.bin", manifest.generation);
            let mut writer = PackWriter::create(&self.folder.join(&file), T::KIND)?;
            write(index, &mut writer)?;
            let size = writer.finish()?;
            let entry = Entry { content_hash: (*content_hash).to_owned(), file, size };
            let old = manifest.regulations.insert((*reg_id).clone(), entry);
            retired.extend(old.map(|entry| entry.file));
        }
        self.publish(manifest, retired)
    }

    /// Removes a regulation; no error when it is not there.
    pub(crate) fn delete(&self, reg_id: &RegId) -> Result<(), IndexError> {
        let _lock = WriterLock::acquire(&self.folder)?;
        self.reload()?;
        let mut manifest = self.snapshot().manifest.clone();
        let Some(old) = manifest.regulations.remove(reg_id) else { return Ok(()) };
        manifest.generation += 1;
        self.publish(manifest, BTreeSet::from([old.file]))
    }

    /// Makes a manifest count, and clears away what neither it nor the one before names.
    fn publish(&self, mut manifest: Manifest, retired: BTreeSet<String>) -> Result<(), IndexError> {
        manifest.retired = retired;
        let bytes = serde_json::to_vec(&manifest)
            .map_err(|error| IndexError::corrupt(&self.folder, error.to_string()))?;
        disk::write_atomically(&self.folder.join(MANIFEST), &bytes)?;
        let counts: BTreeSet<&str> = manifest.regulations.values().map(|entry| entry.file.as_str()).collect();
        let names = fs::read_dir(&self.folder).map_err(|source| IndexError::io(&self.folder, source))?;
        for entry in names.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_data(&name) && !counts.contains(name.as_str()) && !manifest.retired.contains(&name) {
                // Where a mapped file cannot be removed, a later update does it.
                let _ = fs::remove_file(entry.path());
            }
        }
        self.reload()
    }

    fn show(&self, snapshot: Snapshot<T>) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshot);
    }
}

impl<T: Part> Snapshot<T> {
    /// The regulations, in order.
    pub(crate) fn regulations(&self) -> impl Iterator<Item = &RegId> {
        self.parts.keys()
    }

    /// The file of a regulation; none when the set has none.
    pub(crate) fn part(&self, reg_id: &RegId) -> Result<Option<&Arc<T>>, IndexError> {
        let (Some(slot), Some(entry), Some(directory)) =
            (self.parts.get(reg_id), self.manifest.regulations.get(reg_id), self.directory.as_ref())
        else {
            return Ok(None);
        };
        if let Some(part) = slot.get() {
            return Ok(Some(part));
        }
        let part = Arc::new(T::open(Pack::open(directory, Path::new(&entry.file), T::KIND)?, reg_id)?);
        Ok(Some(slot.get_or_init(|| part)))
    }
}

fn read_manifest(folder: &Path) -> Result<Option<Manifest>, IndexError> {
    let path = folder.join(MANIFEST);
    let Some(bytes) = disk::read_if_there(&path)? else { return Ok(None) };
    let manifest: Manifest =
        serde_json::from_slice(&bytes).map_err(|error| IndexError::corrupt(&path, error.to_string()))?;
    let plain = |entry: &Entry| !entry.file.contains(['/', '\\']) && is_data(&entry.file);
    if manifest.format != FORMAT || !manifest.regulations.values().all(plain) {
        return Err(IndexError::corrupt(&path, "清单格式不符"));
    }
    Ok(Some(manifest))
}

/// Whether a file is one of ours: we write the ending ourselves, so its case is known.
#[expect(clippy::case_sensitive_file_extension_comparisons, reason = "the ending is ours")]
fn is_data(name: &str) -> bool {
    name.ends_with(".bin")
}
