//! Hashes of files whose form is not ours: Tantivy's segments, SQLite's database.
//!
//! After every update the writer lists the folder's files with size and hash in `seal.json`, still under the folder's
//! lock. Opening compares sizes and the hashes of small files, which costs a look at each file; `doctor` hashes them all.
//! The seal protects itself by a hash over its own contents.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use regreader_messages::errors;
use serde::{Deserialize, Serialize};

use crate::IndexError;
use crate::storage::disk::{self, WriterLock};

const NAME: &str = "seal.json";
const FORMAT: u32 = 1;
/// Files up to this size are hashed at every open; hashing them costs less than finding them.
const SMALL: u64 = 64 << 10;

/// How much of a folder is compared with its seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Sizes, and the hashes of small files.
    Quick,
    /// The hash of every file.
    Full,
}

/// What a file must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) blake3: String,
}

impl Stamp {
    /// The stamp of a file as it is now, read to its end.
    pub(crate) fn of(path: &Path) -> Result<Self, IndexError> {
        let hash = || {
            let mut hasher = blake3::Hasher::new();
            hasher.update_reader(File::open(path)?)?;
            Ok(Self { size: hasher.count(), blake3: hasher.finalize().to_hex().to_string() })
        };
        hash().map_err(|source| IndexError::io(path, source))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Seal {
    format: u32,
    files: BTreeMap<String, Stamp>,
    /// Hash over the rest.
    check: String,
}

impl Seal {
    fn new(files: BTreeMap<String, Stamp>) -> Self {
        let mut seal = Self { format: FORMAT, files, check: String::new() };
        seal.check = blake3::hash(&serde_json::to_vec(&seal).unwrap_or_default()).to_hex().to_string();
        seal
    }

    fn read(folder: &Path) -> Result<Option<Self>, IndexError> {
        let path = folder.join(NAME);
        let Some(bytes) = disk::read_if_there(&path)? else { return Ok(None) };
        let seal: Self =
            serde_json::from_slice(&bytes).map_err(|error| IndexError::corrupt(&path, error.to_string()))?;
        if seal.format != FORMAT || Self::new(seal.files.clone()) != seal {
            return Err(IndexError::corrupt(&path, errors::CHECKSUM));
        }
        Ok(Some(seal))
    }
}

/// Seals a folder as it is now. Only the holder of its lock calls this. `is_fixed` names files that never change once
/// they are written: those keep the hash that they were sealed with, so that damage done since is not sealed in.
pub(crate) fn write(folder: &Path, is_fixed: impl Fn(&str) -> bool) -> Result<(), IndexError> {
    let before = Seal::read(folder).ok().flatten().map(|seal| seal.files).unwrap_or_default();
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(|source| IndexError::io(folder, source))? {
        let entry = entry.map_err(|source| IndexError::io(folder, source))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !is_sealed(&name) || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let stamp = match before.get(&name).filter(|_| is_fixed(&name)) {
            Some(known) => known.clone(),
            None => Stamp::of(&entry.path())?,
        };
        files.insert(name, stamp);
    }
    let seal = Seal::new(files);
    let bytes = serde_json::to_vec(&seal).map_err(|error| IndexError::corrupt(folder, error.to_string()))?;
    disk::write_atomically(&folder.join(NAME), &bytes)
}

/// What is wrong with a folder; nothing when it is as it was sealed.
pub(crate) fn check(folder: &Path, depth: Depth) -> Result<(), IndexError> {
    let path = folder.join(NAME);
    let Some(seal) = Seal::read(folder)? else {
        return Err(IndexError::corrupt(&path, errors::NO_CHECKSUMS));
    };
    for (name, stamp) in &seal.files {
        let file = folder.join(name);
        let size = match fs::metadata(&file) {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(IndexError::corrupt(&file, errors::MISSING_FILE));
            }
            Err(source) => return Err(IndexError::io(&file, source)),
        };
        if size != stamp.size {
            return Err(IndexError::corrupt(&file, errors::size_differs(stamp.size, size)));
        }
        if (depth == Depth::Full || size <= SMALL) && Stamp::of(&file)? != *stamp {
            return Err(IndexError::corrupt(&file, errors::CHECKSUM));
        }
    }
    Ok(())
}

/// The check of a folder that another process may be writing to: what does not fit is looked at again
/// when the writer is done.
pub(crate) fn check_at_rest(folder: &Path, depth: Depth) -> Result<(), IndexError> {
    match check(folder, depth) {
        Err(IndexError::Corrupt { .. }) => {
            WriterLock::wait(folder)?;
            check(folder, depth)
        }
        result => result,
    }
}

/// Takes the seal away: the folder does not pass a check until it is sealed again.
pub(crate) fn remove(folder: &Path) -> Result<(), IndexError> {
    disk::remove_if_there(&folder.join(NAME))
}

/// Whether a folder has ever been sealed.
pub(crate) fn exists(folder: &Path) -> bool {
    folder.join(NAME).exists()
}

/// Locks, logs of a database at work and the seal itself change by themselves.
fn is_sealed(name: &str) -> bool {
    name != NAME
        && ![".lock", ".new", "-wal", "-shm", "-journal", ".lease"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_is_found_by_a_full_check() {
        let folder = tempfile::tempdir().unwrap();
        let large = vec![7_u8; SMALL as usize * 2];
        fs::write(folder.path().join("large"), &large).unwrap();
        fs::write(folder.path().join("small"), "small").unwrap();
        fs::write(folder.path().join(".lock"), "").unwrap();
        write(folder.path(), |_| false).unwrap();
        check(folder.path(), Depth::Full).unwrap();
        for (name, bytes) in [("large", large), ("small", b"small".to_vec())] {
            for at in [0, bytes.len() / 2, bytes.len() - 1] {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1;
                fs::write(folder.path().join(name), flipped).unwrap();
                assert!(check(folder.path(), Depth::Full).is_err(), "{name} {at}");
            }
            fs::write(folder.path().join(name), &bytes[1..]).unwrap();
            assert!(check(folder.path(), Depth::Quick).is_err(), "{name} cut");
            fs::remove_file(folder.path().join(name)).unwrap();
            assert!(check(folder.path(), Depth::Quick).is_err(), "{name} gone");
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        check(folder.path(), Depth::Full).unwrap();
        let seal = fs::read(folder.path().join(NAME)).unwrap();
        for at in 0..seal.len() {
            let mut flipped = seal.clone();
            flipped[at] ^= 1;
            fs::write(folder.path().join(NAME), flipped).unwrap();
            assert!(check(folder.path(), Depth::Quick).is_err(), "seal byte {at}");
        }
    }

    #[test]
    fn damage_to_a_fixed_file_is_not_sealed_in() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.seg"), "segment").unwrap();
        write(folder.path(), |_| true).unwrap();
        fs::write(folder.path().join("a.seg"), "Segment").unwrap();
        fs::write(folder.path().join("b.seg"), "another").unwrap();
        write(folder.path(), |_| true).unwrap();
        assert!(check(folder.path(), Depth::Full).is_err());
    }
}
