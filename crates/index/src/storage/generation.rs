//! Which folder of an index directory counts.
//!
//! The indexes of a library stand directly in its index directory at first. A rebuild writes all of them anew into a
//! folder of its own beside the old ones, and one rename of the file `current` makes that folder count: readers go on
//! with the old indexes until they see the new name. Whoever reads a generation holds a shared lock on its `.lease`
//! file, so an old generation is removed only when nobody reads it any more.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use regreader_messages::errors;

use crate::IndexError;
use crate::storage::disk::{self, FileMark};

const POINTER: &str = "current";
const LEASE: &str = ".lease";
const PREFIX: &str = "g-";
/// Each round lost means that a whole rebuild went by.
const ROUNDS: usize = 100;

/// A folder of indexes, kept from being removed while this lives.
#[derive(Debug)]
pub struct Generation {
    folder: PathBuf,
    /// None where the folder cannot be written to: then nobody removes it either.
    _lease: Option<File>,
}

impl Generation {
    /// The generation that counts. A pointer that is torn is an error.
    pub fn current(root: &Path) -> Result<Self, IndexError> {
        for _ in 0..ROUNDS {
            let folder = pointed_at(root)?;
            if folder != root && !folder.is_dir() {
                // Removed since the pointer was read, or the pointer is damaged: the next look tells.
                if pointed_at(root)? == folder {
                    return Err(IndexError::corrupt(&root.join(POINTER), errors::INDEX_GONE));
                }
                continue;
            }
            match lease(&folder) {
                Ok(lease) if pointed_at(root)? == folder => return Ok(Self { folder, _lease: lease }),
                // Another generation counts by now.
                Ok(_) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => return Err(IndexError::io(&folder, source)),
            }
        }
        Err(IndexError::io(root, io::ErrorKind::ResourceBusy.into()))
    }

    /// An empty generation that does not count yet.
    pub fn create(root: &Path) -> Result<Self, IndexError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let folder = root.join(format!("{PREFIX}{now:x}-{:x}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|source| IndexError::io(&folder, source))?;
        match lease(&folder) {
            Ok(lease) => Ok(Self { folder, _lease: lease }),
            Err(TryLockError::Error(source)) => Err(IndexError::io(&folder, source)),
            Err(TryLockError::WouldBlock) => Err(IndexError::io(&folder, io::ErrorKind::WouldBlock.into())),
        }
    }

    /// Folder of this generation's indexes.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes this generation count. Only the holder of the root's lock calls this.
    pub fn publish(&self, root: &Path) -> Result<(), IndexError> {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy();
        disk::write_atomically(&root.join(POINTER), signed(&name).as_bytes())
    }
}

/// Takes a torn pointer away: the indexes begin anew in the root. Only the holder of the root's lock calls this.
pub fn drop_pointer(root: &Path) -> Result<(), IndexError> {
    disk::remove_if_there(&root.join(POINTER))
}

/// What changes when another generation counts.
pub fn pointer_mark(root: &Path) -> Option<FileMark> {
    disk::mark(&root.join(POINTER))
}

/// Removes generations that neither count nor are read. Only the holder of the root's lock calls this. What cannot be
/// removed now is met again by the next rebuild.
pub fn clear(root: &Path) {
    let Ok(current) = pointed_at(root) else { return };
    let Ok(entries) = fs::read_dir(root) else { return };
    for entry in entries.flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if is_folder && ours && entry.path() != current {
            remove_unread(&entry.path(), |folder| {
                let _ = fs::remove_dir_all(folder);
            });
        }
    }
    if current != root {
        remove_unread(root, |root| {
            for name in ["blocks", "tables"] {
                let _ = disk::remove_own_folder(&root.join(name));
            }
            for entry in fs::read_dir(root).into_iter().flatten().flatten() {
                if is_state(&entry.file_name().to_string_lossy()) {
                    let _ = fs::remove_file(entry.path());
                }
            }
        });
    }
}

/// The name of a file that says which state of the library the indexes are in.
pub fn is_state(name: &str) -> bool {
    name.starts_with("state-") && Path::new(name).extension().is_some_and(|end| end == "json")
}

fn remove_unread(folder: &Path, remove: impl FnOnce(&Path)) {
    // One that nobody has ever read from with a lease has no lease file.
    let Ok(file) =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(folder.join(LEASE))
    else {
        return;
    };
    if file.try_lock().is_ok() {
        remove(folder);
    }
}

fn lease(folder: &Path) -> Result<Option<File>, TryLockError> {
    let path = folder.join(LEASE);
    let file = match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_dir() => {
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)
        }
        file => file,
    };
    match file {
        // A root that does not exist yet is made by the first writer; a folder that cannot be written to is not removed.
        Err(_) => Ok(None),
        Ok(file) => file.try_lock_shared().map(|()| Some(file)).or_else(|error| match error {
            TryLockError::WouldBlock => Err(TryLockError::WouldBlock),
            // No locks on this file system: a reader whose files go away opens the indexes again.
            TryLockError::Error(_) => Ok(None),
        }),
    }
}

/// The folder that the pointer names: the root itself when there is no pointer.
fn pointed_at(root: &Path) -> Result<PathBuf, IndexError> {
    let path = root.join(POINTER);
    let Some(bytes) = disk::read_if_there(&path)? else { return Ok(root.to_owned()) };
    let torn = || IndexError::corrupt(&path, errors::CHECKSUM);
    let text = String::from_utf8(bytes).map_err(|_| torn())?;
    let name = text.split_once(' ').map(|(name, _)| name).ok_or_else(torn)?;
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !plain || !name.starts_with(PREFIX) || text != signed(name) {
        return Err(torn());
    }
    Ok(root.join(name))
}

fn signed(name: &str) -> String {
    format!("{name} {}\n", blake3::hash(name.as_bytes()).to_hex())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_removed_when_nobody_reads_it() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("blocks/catalog")).unwrap();
        fs::write(root.path().join("state-1.json"), "{}").unwrap();
        let first = Generation::current(root.path()).unwrap();
        assert_eq!(first.folder(), root.path());
        let second = Generation::create(root.path()).unwrap();
        second.publish(root.path()).unwrap();
        clear(root.path());
        assert!(root.path().join("blocks").exists(), "somebody reads it");
        drop(first);
        clear(root.path());
        assert!(!root.path().join("blocks").exists() && !root.path().join("state-1.json").exists());
        assert_eq!(Generation::current(root.path()).unwrap().folder(), second.folder());
        let third = Generation::create(root.path()).unwrap();
        clear(root.path());
        assert!(third.folder().exists(), "it is being built");
        third.publish(root.path()).unwrap();
        let old = second.folder().to_owned();
        drop(second);
        clear(root.path());
        assert!(!old.exists());
    }

    #[test]
    fn a_torn_pointer_is_noticed() {
        let root = tempfile::tempdir().unwrap();
        Generation::create(root.path()).unwrap().publish(root.path()).unwrap();
        let good = fs::read(root.path().join(POINTER)).unwrap();
        for at in 0..good.len() {
            let mut flipped = good.clone();
            flipped[at] ^= 1;
            fs::write(root.path().join(POINTER), flipped).unwrap();
            assert!(matches!(Generation::current(root.path()), Err(IndexError::Corrupt { .. })), "byte {at}");
        }
        drop_pointer(root.path()).unwrap();
        assert_eq!(Generation::current(root.path()).unwrap().folder(), root.path());
    }
}
