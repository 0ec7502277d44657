//! Files of an index on disk: written whole or not at all, by one writer at a time. Knows nothing of what is in them.
//! Public for the indexes that stand in crates of their own.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::IndexError;

/// The one writer of a folder, in whichever process. The system drops the lock when the process dies.
#[derive(Debug)]
pub struct WriterLock {
    _file: File,
}

/// Longer than any rebuild of one regulation; a rebuild of a large library holds the lock in stretches.
const PATIENCE: Duration = Duration::from_mins(10);
const PAUSE: Duration = Duration::from_millis(5);

impl WriterLock {
    /// Waits until nobody else writes to this folder.
    pub fn acquire(folder: &Path) -> Result<Self, IndexError> {
        fs::create_dir_all(folder).map_err(|source| IndexError::io(folder, source))?;
        let path = folder.join(".lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|source| IndexError::io(&path, source))?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(IndexError::io(&path, io::Error::from(io::ErrorKind::WouldBlock)));
                }
                Err(TryLockError::Error(source)) => return Err(IndexError::io(&path, source)),
            }
        }
    }
}

/// Writes a file so that readers see the old one or the new one. Only the holder of the folder's lock calls this.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), IndexError> {
    let staged = staged_name(path);
    let write = || -> io::Result<()> {
        let mut file = File::create(&staged)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&staged, path)?;
        sync_folder(path)
    };
    write().map_err(|source| IndexError::io(path, source))
}

/// The contents of a file; none when it is not there.
pub fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, IndexError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(IndexError::io(path, source)),
    }
}

/// Removes a folder with all that is in it but the lock, which another process may be waiting on.
pub fn empty_folder(folder: &Path) -> Result<(), IndexError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|source| IndexError::io(folder, source))?,
    };
    for entry in entries {
        let path = entry.map_err(|source| IndexError::io(folder, source))?.path();
        if path.ends_with(".lock") {
            continue;
        }
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(|source| IndexError::io(&path, source))?;
    }
    Ok(())
}

/// Beside the file, so that the rename stays within one file system.
fn staged_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    path.with_file_name(name)
}

/// A rename lasts only when its folder is on disk. Systems that cannot sync a folder do it by themselves.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix)
        && let Some(folder) = path.parent()
    {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
