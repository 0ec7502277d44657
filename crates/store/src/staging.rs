//! The writer at work: staging an edition, putting it in force, clearing away.
//!
//! Everything here happens under the writer's lock, so that whatever else is in the staging folder is nobody's.

use std::fs::{self, File, TryLockError};
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use regreader_messages::errors;
use regreader_model::RegId;

use crate::disk::Disk;
use crate::encode::{self, Encoded, Source};
use crate::error::StoreError;
use crate::layout::{self, INFO, Layout, MANIFEST, PAGES};
use crate::library::children;
use crate::lock::WriterLock;

/// The right to write, from taking the lock to clearing away what is left.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    layout: &'a Layout,
    disk: &'a dyn Disk,
    _lock: WriterLock,
}

impl<'a> Session<'a> {
    /// Waits for the lock and clears away what a process that died has left.
    pub(crate) fn begin(
        layout: &'a Layout,
        disk: &'a dyn Disk,
        timeout: Duration,
    ) -> Result<Self, StoreError> {
        let lock = WriterLock::acquire(layout, disk, timeout)?;
        let session = Self { layout, disk, _lock: lock };
        session.recover()?;
        Ok(session)
    }

    /// Writes an edition to its place in the staging folder and syncs all of it but the name.
    pub(crate) fn stage(&self, encoded: &Encoded, source: Option<Source<'_>>) -> Result<(), StoreError> {
        let reg_id = &encoded.manifest.reg_id;
        let folder = self.new_staged(reg_id)?;
        let info = encode::encode_info(&encoded.manifest.info)?;
        let manifest = encoded
            .manifest
            .to_bytes()
            .map_err(|error| StoreError::refused(reg_id, errors::not_encoded(MANIFEST, error)))?;
        let mut files: Vec<(PathBuf, &[u8])> =
            encoded.content.iter().map(|(name, bytes)| (folder.join(name), bytes.as_slice())).collect();
        if let Some(source) = source {
            files.push((folder.join(layout::source_file(source.file_name)), source.bytes));
        }
        files.push((folder.join(INFO), &info));
        files.push((folder.join(MANIFEST), &manifest));
        self.write_all(&files)?;
        self.sync_staged(reg_id)
    }

    /// An empty place in the staging folder for an edition of this regulation.
    pub(crate) fn new_staged(&self, reg_id: &RegId) -> Result<PathBuf, StoreError> {
        self.make_staging()?;
        let folder = self.layout.staged(reg_id);
        let pages = folder.join(PAGES);
        self.disk.create_dir_all(&pages).map_err(|error| StoreError::writing(&pages, error))?;
        Ok(folder)
    }

    /// Makes sure that a staged edition would outlive the machine.
    pub(crate) fn sync_staged(&self, reg_id: &RegId) -> Result<(), StoreError> {
        let folder = self.layout.staged(reg_id);
        self.sync_dir(&folder.join(PAGES))?;
        self.sync_dir(&folder)?;
        self.sync_dir(&self.layout.staging())
    }

    /// Puts a staged edition in force.
    pub(crate) fn commit(&self, reg_id: &RegId) -> Result<(), StoreError> {
        self.commit_all(&[reg_id])
    }

    /// Puts staged editions in force, each in one step. If one of them cannot be, those before it are taken back.
    pub(crate) fn commit_all(&self, reg_ids: &[&RegId]) -> Result<(), StoreError> {
        if reg_ids.is_empty() {
            return Ok(());
        }
        let mut done = Vec::new();
        let swapped = reg_ids.iter().try_for_each(|reg_id| {
            done.push((*reg_id, self.swap(reg_id)?));
            Ok(())
        });
        // Before the old editions go, the new ones must be in force for good.
        let lasting = swapped.and_then(|()| {
            self.sync_dir(&self.layout.regulations())?;
            self.sync_dir(&self.layout.staging())
        });
        if lasting.is_err() {
            done.iter().rev().for_each(|(reg_id, swap)| self.take_back(reg_id, *swap));
            return lasting;
        }
        for reg_id in reg_ids {
            self.discard(&self.layout.staged(reg_id));
            self.discard(&self.layout.set_aside(reg_id));
        }
        Ok(())
    }

    /// Takes a regulation out of force.
    pub(crate) fn remove(&self, reg_id: &RegId) -> Result<(), StoreError> {
        let (staging, regulations) = (self.layout.staging(), self.layout.regulations());
        // On a full disk there may be no room for one more folder, and deleting is what makes room.
        let has_staging = self.make_staging().is_ok();
        let trash = if has_staging { self.free_trash() } else { self.layout.last_resort() };
        self.rename(&self.layout.live(reg_id), &trash)?;
        self.sync_dir(&regulations)?;
        if has_staging {
            self.sync_dir(&staging)?;
        }
        self.discard(&trash);
        Ok(())
    }

    /// Replaces one file of the edition in force, in one step.
    pub(crate) fn write_in_force(&self, reg_id: &RegId, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.make_staging()?;
        let (draft, live) = (self.layout.draft(reg_id, name), self.layout.live(reg_id));
        self.write(&draft, bytes)?;
        self.rename(&draft, &live.join(name))?;
        self.sync_dir(&live)
    }

    /// Writes a file of a staged edition anew.
    pub(crate) fn rewrite_staged(&self, reg_id: &RegId, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let (draft, path) = (self.layout.draft(reg_id, name), self.layout.staged(reg_id).join(name));
        self.write(&draft, bytes)?;
        self.rename(&draft, &path)
    }

    pub(crate) fn disk(&self) -> &dyn Disk {
        self.disk
    }

    pub(crate) fn staged(&self, reg_id: &RegId) -> PathBuf {
        self.layout.staged(reg_id)
    }

    fn swap(&self, reg_id: &RegId) -> Result<Swap, StoreError> {
        let (staged, live) = (self.layout.staged(reg_id), self.layout.live(reg_id));
        if fs::symlink_metadata(&live).is_err() {
            return self.rename(&staged, &live).map(|()| Swap::First);
        }
        match self.disk.exchange(&staged, &live) {
            Ok(()) => Ok(Swap::Exchanged),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => self.swap_by_renames(reg_id),
            Err(error) => Err(StoreError::writing(&live, error)),
        }
    }

    /// Where no exchange is to be had. Between the two renames readers find the old edition where it was set aside.
    fn swap_by_renames(&self, reg_id: &RegId) -> Result<Swap, StoreError> {
        let (staged, live, aside) =
            (self.layout.staged(reg_id), self.layout.live(reg_id), self.layout.set_aside(reg_id));
        self.rename(&live, &aside)?;
        self.rename(&staged, &live).inspect_err(|_| {
            // If this fails too, the next session puts it back.
            let _ = self.disk.rename(&aside, &live);
        })?;
        Ok(Swap::Renamed)
    }

    /// Undoes a swap as well as it can be undone: whatever fails here, an edition stays in force.
    fn take_back(&self, reg_id: &RegId, swap: Swap) {
        let (staged, live, aside) =
            (self.layout.staged(reg_id), self.layout.live(reg_id), self.layout.set_aside(reg_id));
        let _ = match swap {
            Swap::First => self.disk.rename(&live, &staged),
            Swap::Exchanged => self.disk.exchange(&staged, &live),
            Swap::Renamed => self.disk.rename(&live, &staged).and_then(|()| self.disk.rename(&aside, &live)),
        };
    }

    /// Makes the staging folder. A link in its place is refused: what it leads to is not ours.
    fn make_staging(&self) -> Result<(), StoreError> {
        let staging = self.layout.staging();
        if fs::symlink_metadata(&staging).is_ok() && !layout::is_own_folder(&staging) {
            return Err(StoreError::corrupt(staging, errors::NO_FOLDER_THERE));
        }
        self.disk.create_dir_all(&staging).map_err(|error| StoreError::writing(&staging, error))
    }

    /// Puts back what was set aside, and removes what else we left. Nothing is removed that is not named as we name it,
    /// and nothing through a link.
    fn recover(&self) -> Result<(), StoreError> {
        let staging = self.layout.staging();
        let left = if layout::is_own_folder(&staging) { children(&staging)? } else { Vec::new() };
        for (name, path) in left {
            if !layout::is_staged_name(&name) {
                continue;
            }
            if let Some(reg_id) = layout::set_aside_id(&name) {
                let live = self.layout.live(&reg_id);
                if fs::symlink_metadata(&live).is_err() {
                    self.rename(&path, &live)?;
                    self.sync_dir(&self.layout.regulations())?;
                    continue;
                }
            }
            self.discard(&path);
        }
        if layout::is_own_folder(&self.layout.last_resort()) {
            self.discard(&self.layout.last_resort());
        }
        self.remove_empty_staging();
        Ok(())
    }

    /// Removes something, or puts it among the trash if somebody still reads it. Failing to is of no consequence: the
    /// next session meets it again.
    fn discard(&self, path: &Path) {
        let Ok(metadata) = fs::symlink_metadata(path) else { return };
        if !metadata.is_dir() {
            let _ = self.disk.remove_file(path);
            return;
        }
        match hold_for_removal(path) {
            Claim::Taken(folder) => {
                let _ = self.disk.remove_dir_all(path);
                // Not before: nobody is to begin to read it.
                drop(folder);
            }
            Claim::NoLocks => drop(self.disk.remove_dir_all(path)),
            Claim::Leased if is_trash(path) || *path == self.layout.last_resort() => {}
            Claim::Leased => drop(self.disk.rename(path, &self.free_trash())),
        }
    }

    fn free_trash(&self) -> PathBuf {
        (0..u32::MAX)
            .map(|number| self.layout.trash(number))
            .find(|path| fs::symlink_metadata(path).is_err())
            .unwrap_or_else(|| self.layout.trash(u32::MAX))
    }

    /// Fails while there is something in it, which is as it should be.
    fn remove_empty_staging(&self) {
        let _ = self.disk.remove_dir(&self.layout.staging());
    }

    /// Writes and syncs many files. Four at a time: the journal takes them together, which makes it several times
    /// faster than one after the other, and more do not help.
    pub(crate) fn write_all<B: AsRef<[u8]> + Sync>(&self, files: &[(PathBuf, B)]) -> Result<(), StoreError> {
        let (next, failure) = (AtomicUsize::new(0), Mutex::new(None));
        let work = || {
            while let Some((path, bytes)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = self.write(path, bytes.as_ref()) {
                    next.store(files.len(), Ordering::Relaxed);
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..files.len().min(4) {
                scope.spawn(work);
            }
            work();
        });
        failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        self.disk.write_new(path, &mut Cursor::new(bytes)).map_err(|error| StoreError::writing(path, error))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), StoreError> {
        self.disk.rename(from, to).map_err(|error| StoreError::writing(to, error))
    }

    fn sync_dir(&self, path: &Path) -> Result<(), StoreError> {
        self.disk.sync_dir(path).map_err(|error| StoreError::writing(path, error))
    }
}

impl Drop for Session<'_> {
    /// Also after a failure: what was staged goes. Never what was set aside, unless it is known to be replaced.
    fn drop(&mut self) {
        let _ = self.recover();
    }
}

fn is_trash(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("trash-"))
}

/// How an edition was put in force.
#[derive(Debug, Clone, Copy)]
enum Swap {
    /// Nothing was there before.
    First,
    /// The old edition is where the new one was staged.
    Exchanged,
    /// The old edition is set aside.
    Renamed,
}

/// Who has a folder that is to be removed.
enum Claim {
    /// We do, and no reader gets it any more.
    Taken(File),
    /// A reader.
    Leased,
    /// Nobody can tell. Then readers check what they read, and there is nothing to wait for.
    NoLocks,
}

fn hold_for_removal(path: &Path) -> Claim {
    if cfg!(not(unix)) {
        return Claim::NoLocks;
    }
    let Ok(folder) = File::open(path) else { return Claim::NoLocks };
    match folder.try_lock() {
        Ok(()) => Claim::Taken(folder),
        Err(TryLockError::WouldBlock) => Claim::Leased,
        Err(TryLockError::Error(_)) => Claim::NoLocks,
    }
}
