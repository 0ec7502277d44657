//! Everything that changes the disk, behind one trait, so that a full, read-only or failing disk can be put under a
//! test without having one.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// What a library does to the disk.
///
/// [`RealDisk`] is the disk itself. Another implementation can fail where it likes: a library must be whole whichever
/// call fails, and whether or not any call after it succeeds.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Makes a folder and those above it, where they are missing.
    fn create_dir_all(&self, path: &Path) -> io::Result<()>;

    /// Writes a new file from what `content` gives, to its end, and syncs it.
    fn write_new(&self, path: &Path, content: &mut dyn Read) -> io::Result<()>;

    /// Renames, replacing a file of that name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Exchanges two folders in one step. [`io::ErrorKind::Unsupported`] where that cannot be done.
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()>;

    /// Syncs a folder: the names in it, not what they lead to.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty folder.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// Removes a folder with all that is in it.
    fn remove_dir_all(&self, path: &Path) -> io::Result<()>;

    /// Removes a file, or a link to anything.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
}

/// The disk of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

impl Disk for RealDisk {
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn write_new(&self, path: &Path, content: &mut dyn Read) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        io::copy(content, &mut file)?;
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    #[cfg(unix)]
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        exchange_at(one, other)
    }

    #[cfg(not(unix))]
    fn exchange(&self, _one: &Path, _other: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        // Elsewhere a folder cannot be opened as a file, and the system keeps the order of renames itself.
        if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn exchange_at(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).map_err(|errno| match errno {
        // An old kernel, or a file system (some network ones, FAT) without the operation.
        Errno::NOSYS | Errno::INVAL | Errno::NOTSUP => io::ErrorKind::Unsupported.into(),
        errno => errno.into(),
    })
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android", target_vendor = "apple"))))]
fn exchange_at(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
