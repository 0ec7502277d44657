//! Disks that misbehave.

use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use regreader_store::{Disk, RealDisk};

/// What the disk does at its chosen call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Fails with this error from then on when writing; removing and renaming go on, as on a full disk.
    Writes(io::ErrorKind),
    /// Fails this one call and no other.
    Once(io::ErrorKind),
    /// Does nothing at all from then on: the process has died.
    Dead,
}

/// A disk that is in order until its nth call.
#[derive(Debug)]
pub struct TroubledDisk {
    trouble: Trouble,
    at: usize,
    calls: AtomicUsize,
    exchange: bool,
}

impl TroubledDisk {
    pub fn new(trouble: Trouble, at: usize) -> Self {
        Self { trouble, at, calls: AtomicUsize::new(0), exchange: true }
    }

    pub fn without_exchange(mut self) -> Self {
        self.exchange = false;
        self
    }

    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    fn call(&self, writes: bool) -> io::Result<()> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        match self.trouble {
            Trouble::Writes(kind) if writes && number >= self.at => Err(kind.into()),
            Trouble::Once(kind) if number == self.at => Err(kind.into()),
            Trouble::Dead if number >= self.at => Err(io::Error::other("dead")),
            _ => Ok(()),
        }
    }
}

impl Disk for TroubledDisk {
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.call(true)?;
        RealDisk.create_dir_all(path)
    }

    fn write_new(&self, path: &Path, content: &mut dyn Read) -> io::Result<()> {
        self.call(true).inspect_err(|_| {
            // What a full disk and a dying process leave: the first half.
            let mut half = Vec::new();
            let _ = content.read_to_end(&mut half);
            half.truncate(half.len() / 2);
            if self.trouble != Trouble::Dead || self.calls() == self.at + 1 {
                let _ = RealDisk.write_new(path, &mut half.as_slice());
            }
        })?;
        RealDisk.write_new(path, content)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call(false)?;
        RealDisk.rename(from, to)
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        if !self.exchange {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.call(false)?;
        RealDisk.exchange(one, other)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.call(false)?;
        RealDisk.sync_dir(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.call(false)?;
        RealDisk.remove_dir(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.call(false)?;
        RealDisk.remove_dir_all(path)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.call(false)?;
        RealDisk.remove_file(path)
    }
}
