//! A regulation's folder, held open: what makes a reader see one edition, whatever writers do meanwhile.
//!
//! Held by its descriptor and a shared lock where the system has both ([`Access::Held`]), else found anew by its path
//! at every read ([`Access::ByPath`]); then the caller must check what it reads against the manifest.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::thread;

use regreader_model::RegId;

use crate::layout::{Layout, PAGES, is_own_folder};
use crate::manifest::FileStamp;

/// How a library holds folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holding {
    /// By descriptor and lease where the system can.
    Auto,
    /// By path, as on systems that cannot.
    ByPath,
}

#[derive(Debug)]
pub(crate) struct Folder {
    access: Access,
    /// Where it stands when it is in force, and where it stands between two renames.
    places: [PathBuf; 2],
}

/// What tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileIdentity {
    inode: u64,
    size: i64,
    changed: (i64, u64),
}

#[derive(Debug)]
enum Access {
    /// The folder itself. `leased` when the shared lock was given: then nothing in it goes away while this lives.
    #[cfg(unix)]
    Held {
        folder: File,
        leased: bool,
    },
    ByPath,
}

/// How often to look again when the folder was replaced while it was being opened. Each round lost means that a whole
/// replace went by.
const ROUNDS: usize = 100;

/// How often both places must be found empty before a regulation is said not to exist: with two renames instead of an
/// exchange, one look can fall between the places.
const LOOKS: usize = 3;

impl Folder {
    /// Opens the edition in force; none if there is no such regulation.
    pub(crate) fn open(layout: &Layout, reg_id: &RegId, holding: Holding) -> io::Result<Option<Self>> {
        let live = layout.live(reg_id);
        // A staging folder that is a link was not made by us, and holds no edition of ours.
        let aside = if is_own_folder(&layout.staging()) { layout.set_aside(reg_id) } else { live.clone() };
        Self::open_at([live, aside], holding)
    }

    /// Opens a folder that is not in force (staging).
    pub(crate) fn open_staged(path: &Path) -> io::Result<Option<Self>> {
        Self::open_at([path.to_owned(), path.to_owned()], Holding::ByPath)
    }

    fn open_at(places: [PathBuf; 2], holding: Holding) -> io::Result<Option<Self>> {
        let mut empty = 0;
        for _ in 0..ROUNDS {
            match try_places(&places, holding)? {
                Attempt::Opened(access) => return Ok(Some(Self { access, places })),
                Attempt::Nothing => empty += 1,
                Attempt::Lost => thread::yield_now(),
            }
            if empty == LOOKS {
                return Ok(None);
            }
        }
        Err(io::Error::new(io::ErrorKind::ResourceBusy, "replaced again and again while being opened"))
    }

    /// Where the edition in force stands; for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.places[0]
    }

    /// Whether nothing in this folder can go away or change its edition while it is held.
    pub(crate) fn is_leased(&self) -> bool {
        match &self.access {
            #[cfg(unix)]
            Access::Held { leased, .. } => *leased,
            Access::ByPath => false,
        }
    }

    /// Whether the name still leads to this folder; none when only the content can tell.
    pub(crate) fn is_in_force(&self) -> Option<bool> {
        match &self.access {
            #[cfg(unix)]
            Access::Held { folder, .. } => Some(leads_to(&self.places[0], folder).unwrap_or(false)),
            Access::ByPath => None,
        }
    }

    /// Which file stands under a name; none where that cannot be told without reading it. A file that was replaced or written to
    /// is another.
    #[cfg_attr(not(unix), expect(unused_variables, reason = "only a folder that is held can tell"))]
    pub(crate) fn identity(&self, name: &str) -> Option<FileIdentity> {
        match &self.access {
            #[cfg(unix)]
            Access::Held { folder, .. } => {
                let found = rustix::fs::statat(folder, name, rustix::fs::AtFlags::empty()).ok()?;
                Some(FileIdentity {
                    inode: found.st_ino,
                    size: found.st_size,
                    changed: (found.st_ctime, found.st_ctime_nsec),
                })
            }
            Access::ByPath => None,
        }
    }

    /// Opens a file of this edition.
    pub(crate) fn open_file(&self, name: &str) -> io::Result<File> {
        match &self.access {
            #[cfg(unix)]
            Access::Held { folder, .. } => {
                use rustix::fs::{Mode, OFlags, openat};
                let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
                Ok(File::from(openat(folder, name, flags, Mode::empty())?))
            }
            Access::ByPath => self.by_path(|place| File::open(place.join(name))),
        }
    }

    /// Reads a file of at most `limit` bytes; a longer one is [`io::ErrorKind::FileTooLarge`].
    pub(crate) fn read(&self, name: &str, limit: u64) -> io::Result<Vec<u8>> {
        let file = self.open_file(name)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a plain file"));
        }
        if metadata.len() > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }

    /// Size and hash of a file, however long it is.
    pub(crate) fn stamp(&self, name: &str) -> io::Result<FileStamp> {
        let file = self.open_file(name)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a plain file"));
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(&file)?;
        Ok(FileStamp { size: hasher.count(), blake3: hasher.finalize().to_hex().to_string() })
    }

    /// Every name in the folder and in its `pages` folder, sorted. A name that is not UTF-8 is shown with marks in it.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = self.names_in(None)?;
        if let Some(position) = names.iter().position(|name| name == PAGES) {
            match self.names_in(Some(PAGES)) {
                Ok(pages) => {
                    names.remove(position);
                    names.extend(pages.into_iter().map(|name| format!("{PAGES}/{name}")));
                }
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
                Err(error) => return Err(error),
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    fn names_in(&self, below: Option<&str>) -> io::Result<Vec<String>> {
        match &self.access {
            #[cfg(unix)]
            Access::Held { folder, .. } => {
                use rustix::fs::{Dir, Mode, OFlags, openat};
                let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY;
                // "." gives a descriptor with a position of its own: two threads may list at once.
                let listed = openat(folder, below.unwrap_or("."), flags, Mode::empty())?;
                let mut names = Vec::new();
                for entry in Dir::new(listed)? {
                    let name = entry?.file_name().to_string_lossy().into_owned();
                    if name != "." && name != ".." {
                        names.push(name);
                    }
                }
                Ok(names)
            }
            Access::ByPath => self.by_path(|place| {
                let path = below.map_or_else(|| place.to_owned(), |below| place.join(below));
                fs::read_dir(path)?
                    .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                    .collect()
            }),
        }
    }

    fn by_path<T>(&self, mut open: impl FnMut(&Path) -> io::Result<T>) -> io::Result<T> {
        for _ in 0..LOOKS {
            for place in &self.places {
                match open(place) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    result => return result,
                }
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }
}

enum Attempt {
    Opened(Access),
    /// Neither place leads anywhere.
    Nothing,
    /// It was replaced between opening it and leasing it.
    #[cfg_attr(not(unix), expect(dead_code, reason = "without a lease nothing is lost"))]
    Lost,
}

fn try_places(places: &[PathBuf; 2], holding: Holding) -> io::Result<Attempt> {
    for place in places {
        match try_place(place, holding) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            result => return result,
        }
    }
    Ok(Attempt::Nothing)
}

#[cfg(unix)]
fn try_place(place: &Path, holding: Holding) -> io::Result<Attempt> {
    use std::fs::TryLockError;

    if holding == Holding::ByPath {
        return by_path(place);
    }
    let folder = File::open(place)?;
    if !folder.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let leased = match folder.try_lock_shared() {
        Ok(()) => true,
        // Somebody is removing it, so it is no longer the one.
        Err(TryLockError::WouldBlock) => return Ok(Attempt::Lost),
        // No locks on folders here (some network file systems): the manifest is what is left to check against.
        Err(TryLockError::Error(_)) => false,
    };
    // Only now: whoever removes the folder after this point meets the lease.
    if leads_to(place, &folder)? {
        Ok(Attempt::Opened(Access::Held { folder, leased }))
    } else {
        Ok(Attempt::Lost)
    }
}

#[cfg(not(unix))]
fn try_place(place: &Path, _holding: Holding) -> io::Result<Attempt> {
    by_path(place)
}

fn by_path(place: &Path) -> io::Result<Attempt> {
    if fs::metadata(place)?.is_dir() {
        Ok(Attempt::Opened(Access::ByPath))
    } else {
        Err(io::ErrorKind::NotADirectory.into())
    }
}

#[cfg(unix)]
fn leads_to(place: &Path, folder: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let held = folder.metadata()?;
    let named = fs::metadata(place)?;
    Ok(held.dev() == named.dev() && held.ino() == named.ino())
}
