//! Files of an index on disk: written whole or not at all, by one writer at a time. Knows nothing of what is in them.
//! Public for the indexes that stand in crates of their own.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

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
        let (path, file) = lock_file(folder)?;
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

impl WriterLock {
    /// The lock, if nobody else has it.
    pub fn try_acquire(folder: &Path) -> Result<Option<Self>, IndexError> {
        let (path, file) = lock_file(folder)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(IndexError::io(&path, source)),
        }
    }

    /// Waits until nobody writes to a folder, without writing to it: for whoever finds it in the middle of a change. A
    /// folder that nobody ever wrote to has no lock.
    pub fn wait(folder: &Path) -> Result<(), IndexError> {
        let path = folder.join(".lock");
        let Ok(file) = File::open(&path) else { return Ok(()) };
        let began = Instant::now();
        loop {
            match file.try_lock_shared() {
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(IndexError::io(&path, io::Error::from(io::ErrorKind::WouldBlock)));
                }
                // Where there are no locks, nobody can be waited for.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
            }
        }
    }

    /// Whether somebody writes to a folder at this moment.
    pub fn is_held(folder: &Path) -> bool {
        File::open(folder.join(".lock"))
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

fn lock_file(folder: &Path) -> Result<(PathBuf, File), IndexError> {
    fs::create_dir_all(folder).map_err(|source| IndexError::io(folder, source))?;
    let path = folder.join(".lock");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|source| IndexError::io(&path, source))?;
    Ok((path, file))
}

/// What changes when a file is replaced: its time, its size and, where files have one, its number.
pub type FileMark = (SystemTime, u64, u64);

/// The mark of a file; none when it is not there.
pub fn mark(path: &Path) -> Option<FileMark> {
    let metadata = fs::metadata(path).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    Some((metadata.modified().ok()?, metadata.len(), number))
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

/// Whether the system refused because nothing can be written there.
pub fn cannot_write(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Removes a file; no error when it is not there.
pub fn remove_if_there(path: &Path) -> Result<(), IndexError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(|source| IndexError::io(path, source)),
    }
}

/// Removes a folder that we made. A link in its place is taken away by itself: where it leads is not ours.
pub fn remove_own_folder(folder: &Path) -> Result<(), IndexError> {
    match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(metadata) if metadata.is_dir() => {
            fs::remove_dir_all(folder).map_err(|source| IndexError::io(folder, source))
        }
        _ => remove_if_there(folder),
    }
}

/// Removes all that is in a folder of ours but the lock, which another process may be waiting on. A link in the folder's
/// place is taken away by itself: where it leads is not ours.
pub fn empty_folder(folder: &Path) -> Result<(), IndexError> {
    if fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_symlink()) {
        remove_if_there(folder)?;
        return fs::create_dir_all(folder).map_err(|source| IndexError::io(folder, source));
    }
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|source| IndexError::io(folder, source))?,
    };
    for entry in entries {
        let entry = entry.map_err(|source| IndexError::io(folder, source))?;
        let path = entry.path();
        if path.ends_with(".lock") {
            continue;
        }
        // Told from the listing, which does not follow links.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let removed = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
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
