//! The writer's lock: one process, one thread of it, writes to a library at a time. Readers never ask for it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::disk::Disk;
use crate::error::StoreError;
use crate::layout::Layout;

/// Held while it lives. The system drops the lock when the process dies, however it dies.
#[derive(Debug)]
pub(crate) struct WriterLock {
    _file: File,
}

/// How long to wait before asking again: short beside any replace, long beside the call.
const PAUSE: Duration = Duration::from_millis(5);

impl WriterLock {
    /// Waits for the lock, at most for `timeout`.
    pub(crate) fn acquire(layout: &Layout, disk: &dyn Disk, timeout: Duration) -> Result<Self, StoreError> {
        make_library(layout, disk)?;
        let path = layout.lock();
        // Never truncated at open: that would wipe what the present holder wrote about itself.
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| StoreError::writing(&path, error))?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if began.elapsed() >= timeout => {
                    return Err(StoreError::Locked { path, holder: holder(&mut file), waited: timeout });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(StoreError::writing(&path, error)),
            }
        }
        sign(&mut file);
        Ok(Self { _file: file })
    }
}

/// Makes the folder of a new library, and makes sure that its name is there for good.
fn make_library(layout: &Layout, disk: &dyn Disk) -> Result<(), StoreError> {
    let folder = layout.regulations();
    if folder.is_dir() {
        return Ok(());
    }
    let made = disk.create_dir_all(&folder).and_then(|()| disk.sync_dir(layout.root()));
    made.map_err(|error| StoreError::writing(&folder, error))?;
    // The folder that the library stands in is not ours, and need not even be readable.
    if let Some(above) = layout.root().parent() {
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        let _ = disk.sync_dir(above);
    }
    Ok(())
}

/// Writes who holds the lock, for whoever waits. The lock holds without it, so a failure is of no account.
fn sign(file: &mut File) {
    let text = format!("pid {}\n", std::process::id());
    let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
}

fn holder(file: &mut File) -> Option<String> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(64).read_to_string(&mut text).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
