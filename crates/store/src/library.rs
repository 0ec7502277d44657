//! The library: opening it, listing it, reading from it. What changes it is in `write`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use regreader_messages::{cli, errors};
use regreader_model::{RegId, RegulationInfo};

use crate::audit::{AuditEvent, AuditLog};
use crate::disk::{Disk, RealDisk};
use crate::error::StoreError;
use crate::folder::{Folder, Holding};
use crate::layout::{self, Layout};
use crate::reader::{self, RegulationReader};
use crate::staging::Session;

/// A library of regulations in a folder. Cheap to clone; clones and other processes may use the same folder at once.
///
/// ```
/// use regreader_store::{Library, OpenOptions};
/// # fn main() -> Result<(), regreader_store::StoreError> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let root = folder.path().join("storage");
/// let library = Library::open(&root, OpenOptions::new())?;
/// assert!(library.list()?.is_empty());
/// let missing = library.reader(&"angui_2024".parse().unwrap()).unwrap_err();
/// assert_eq!(missing.to_string(), "规程不存在: angui_2024");
/// assert!(!root.exists(), "looking does not create anything");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Library {
    inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) layout: Layout,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) holding: Holding,
    pub(crate) lock_timeout: Duration,
    audit: AuditLog,
    /// Readers that are kept open, the longest unused first.
    kept: Mutex<VecDeque<Arc<RegulationReader>>>,
}

/// How to open a library.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    lock_timeout: Duration,
    actor: String,
    disk: Arc<dyn Disk>,
    holding: Holding,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl OpenOptions {
    /// The usual way: wait ten seconds for another writer, on this machine's disk.
    pub fn new() -> Self {
        Self {
            lock_timeout: Duration::from_secs(10),
            actor: "local".to_owned(),
            disk: Arc::new(RealDisk),
            holding: Holding::Auto,
        }
    }

    /// How long to wait while another process writes.
    #[must_use]
    pub fn lock_timeout(mut self, timeout: Duration) -> Self {
        self.lock_timeout = timeout;
        self
    }

    /// Who acts, for the audit log: `cli`, `web`, a user's name.
    #[must_use]
    pub fn actor(mut self, actor: impl Into<String>) -> Self {
        self.actor = actor.into();
        self
    }

    /// Another disk to write to. For tests.
    #[must_use]
    pub fn disk(mut self, disk: Arc<dyn Disk>) -> Self {
        self.disk = disk;
        self
    }

    /// Hold regulations by path and by their hashes only, as on systems where a folder cannot be held open: readers
    /// may meet [`StoreError::Replaced`].
    #[must_use]
    pub fn hold_by_path(mut self) -> Self {
        self.holding = Holding::ByPath;
        self
    }
}

/// What a library looked like at a moment. Storing, replacing and deleting a regulation changes the age of their folder;
/// describing one anew replaces its `info.json`. So nothing changes without a trace here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LibraryMark {
    folder: Option<SystemTime>,
    infos: BTreeMap<PathBuf, SystemTime>,
}

/// One line of [`Library::list`].
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly every entry of a list is of the large kind")]
pub enum ListEntry {
    /// A regulation.
    Regulation(RegulationInfo),
    /// A regulation that cannot be read. The others can.
    Broken {
        /// Regulation that cannot be read.
        reg_id: RegId,
        /// What is wrong.
        problem: StoreError,
    },
}

impl ListEntry {
    /// Which regulation.
    pub fn reg_id(&self) -> &RegId {
        match self {
            Self::Regulation(info) => &info.reg_id,
            Self::Broken { reg_id, .. } => reg_id,
        }
    }

    /// Its info, if it can be read.
    pub fn info(&self) -> Option<&RegulationInfo> {
        match self {
            Self::Regulation(info) => Some(info),
            Self::Broken { .. } => None,
        }
    }
}

/// How often to begin again when a regulation is replaced while it is being opened or read. Each time lost means that
/// a whole replace went by.
const ROUNDS: usize = 20;

/// Most readers that are kept open: each holds a folder and what it has parsed of it.
const MAX_KEPT: usize = 64;

/// So many regulations to list are worth another thread.
const WORTH_A_THREAD: usize = 100;

impl Library {
    /// Opens the library in this folder, and clears away what a process that died has left. A folder that does not
    /// exist is an empty library; it is made with the first regulation. Opening needs no right to write.
    pub fn open(root: impl Into<PathBuf>, options: OpenOptions) -> Result<Self, StoreError> {
        let layout = Layout::new(root.into());
        let audit = AuditLog::new(layout.audit(), options.actor);
        let OpenOptions { lock_timeout, disk, holding, .. } = options;
        let library = Self {
            inner: Arc::new(Inner { layout, disk, holding, lock_timeout, audit, kept: Mutex::default() }),
        };
        // Whoever holds the lock clears up itself; on a read-only medium leftovers are in nobody's way, as readers
        // know where to find an edition that was set aside. The first write meets whatever the matter is.
        if library.has_leftovers() {
            let _ = library.session_within(Duration::ZERO);
        }
        Ok(library)
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        self.inner.layout.root()
    }

    /// What the library looks like now, to be compared later.
    pub fn mark(&self) -> LibraryMark {
        let folder = self.inner.layout.regulations();
        let age = |path: &Path| fs::metadata(path).ok()?.modified().ok();
        let entries = fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
        let infos = entries.map(|entry| entry.path().join(layout::INFO));
        LibraryMark {
            folder: age(&folder),
            infos: infos.filter_map(|info| age(&info).map(|age| (info, age))).collect(),
        }
    }

    /// Whether no regulation was stored, replaced or deleted since. One look at a folder.
    pub fn holds_the_same(&self, mark: &LibraryMark) -> bool {
        let folder = fs::metadata(self.inner.layout.regulations());
        folder.and_then(|folder| folder.modified()).ok() == mark.folder
    }

    /// Every regulation, by id. One that cannot be read is listed as such.
    pub fn list(&self) -> Result<Vec<ListEntry>, StoreError> {
        let ids = self.ids()?;
        // Each is a folder and a file to open, and most of that is waiting for the system.
        let threads = thread::available_parallelism().map_or(1, usize::from).min(ids.len() / WORTH_A_THREAD);
        if threads < 2 {
            return Ok(ids.iter().filter_map(|reg_id| self.entry(reg_id)).collect());
        }
        let entries =
            |part: &[RegId]| part.iter().filter_map(|reg_id| self.entry(reg_id)).collect::<Vec<_>>();
        Ok(thread::scope(|scope| {
            let parts = ids.chunks(ids.len().div_ceil(threads));
            let started: Vec<_> = parts.map(|part| scope.spawn(move || entries(part))).collect();
            let joined = started.into_iter().map(thread::ScopedJoinHandle::join);
            joined.flat_map(|part| part.unwrap_or_else(|panic| panic::resume_unwind(panic))).collect()
        }))
    }

    /// One line of the list; none for a regulation that was deleted since its name was read.
    fn entry(&self, reg_id: &RegId) -> Option<ListEntry> {
        match self.with_folder(reg_id, |folder| reader::read_info(&folder, reg_id)) {
            Ok(info) => Some(ListEntry::Regulation(info)),
            Err(StoreError::Domain(_)) => None,
            Err(problem) => Some(ListEntry::Broken { reg_id: reg_id.clone(), problem }),
        }
    }

    /// The ids of all regulations, readable or not, in order.
    pub fn ids(&self) -> Result<Vec<RegId>, StoreError> {
        let mut seen = self.scan()?;
        // On some file systems an exchange gives the name a new position, and a scan that runs at that moment can
        // miss it. Two scans that agree have missed nothing.
        for _ in 0..ROUNDS {
            let again = self.scan()?;
            if again == seen {
                break;
            }
            seen = again;
        }
        Ok(seen.into_iter().collect())
    }

    /// Opens a regulation for reading.
    pub fn reader(&self, reg_id: &RegId) -> Result<RegulationReader, StoreError> {
        self.with_folder(reg_id, |folder| RegulationReader::new(folder, reg_id))
    }

    /// A reader of the edition in force, kept open between calls with what it has parsed. At most 64 are.
    pub fn kept_reader(&self, reg_id: &RegId) -> Result<Arc<RegulationReader>, StoreError> {
        let known = |same: &dyn Fn(&RegulationReader) -> bool| {
            let mut kept = self.inner.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let at = kept.iter().position(|reader| reader.reg_id() == reg_id && same(reader))?;
            let reader = kept.remove(at)?;
            kept.push_back(Arc::clone(&reader));
            Some(reader)
        };
        // Asking the disk is outside of the lock.
        if let Some(reader) = known(&|_| true).filter(|reader| reader.is_current()) {
            return Ok(reader);
        }
        self.retain_readers(|kept| kept != reg_id);
        let opened = Arc::new(self.reader(reg_id)?);
        // Of those who opened it at the same time all but the first drop what they have.
        let is_same = |kept: &RegulationReader| {
            kept.content_hash() == opened.content_hash() && kept.info() == opened.info()
        };
        if let Some(first) = known(&is_same).filter(|reader| reader.is_current()) {
            return Ok(first);
        }
        let mut kept = self.inner.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|reader| reader.reg_id() != reg_id);
        kept.push_back(Arc::clone(&opened));
        if kept.len() > MAX_KEPT {
            kept.pop_front();
        }
        Ok(opened)
    }

    /// Closes the kept readers of regulations that are not wanted any more: an open one keeps the files
    /// of an edition that was deleted.
    pub fn retain_readers(&self, wanted: impl Fn(&RegId) -> bool) {
        let mut kept = self.inner.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|reader| wanted(reader.reg_id()));
    }

    /// Reads from one edition, and begins again if the regulation was replaced underneath. The closure may run
    /// several times.
    pub fn read<T>(
        &self,
        reg_id: &RegId,
        mut read: impl FnMut(&RegulationReader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        for _ in 1..ROUNDS {
            match read(&self.reader(reg_id)?) {
                Err(StoreError::Replaced { .. }) => thread::yield_now(),
                result => return result,
            }
        }
        read(&self.reader(reg_id)?)
    }

    /// What is known about a regulation, without opening its manifest.
    pub fn info(&self, reg_id: &RegId) -> Result<RegulationInfo, StoreError> {
        self.with_folder(reg_id, |folder| reader::read_info(&folder, reg_id))
    }

    /// The log of what was done with this library.
    pub fn audit(&self) -> &AuditLog {
        &self.inner.audit
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// Becomes the one writer.
    pub(crate) fn session(&self) -> Result<Session<'_>, StoreError> {
        self.session_within(self.inner.lock_timeout)
    }

    fn session_within(&self, timeout: Duration) -> Result<Session<'_>, StoreError> {
        Session::begin(&self.inner.layout, self.inner.disk.as_ref(), timeout)
    }

    /// Writes to the audit log after the fact. What was done is done: a log that cannot be written is a warning.
    pub(crate) fn record(&self, event: AuditEvent) -> Vec<String> {
        self.inner.audit.append(event).err().map(cli::audit_failed).into_iter().collect()
    }

    pub(crate) fn has_leftovers(&self) -> bool {
        [self.inner.layout.staging(), self.inner.layout.last_resort()]
            .iter()
            .any(|path| layout::is_own_folder(path))
    }

    /// Opens a regulation's folder for `use_it`. Where a folder cannot be leased, what looks like damage may be a
    /// replace that went by: it counts only when it is still there after some more looks.
    pub(crate) fn with_folder<T>(
        &self,
        reg_id: &RegId,
        use_it: impl Fn(Folder) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut round = 0;
        loop {
            let path = || self.inner.layout.live(reg_id);
            let folder = Folder::open(&self.inner.layout, reg_id, self.inner.holding)
                .map_err(|error| match error.kind() {
                    io::ErrorKind::NotADirectory => StoreError::corrupt(path(), errors::NOT_A_FOLDER),
                    io::ErrorKind::ResourceBusy => StoreError::Replaced { reg_id: reg_id.clone() },
                    _ => StoreError::reading(path(), error),
                })?
                .ok_or_else(|| StoreError::not_found(reg_id))?;
            let leased = folder.is_leased();
            round += 1;
            match use_it(folder) {
                Err(StoreError::Corrupt { .. } | StoreError::Io { .. }) if !leased && round < ROUNDS => {
                    thread::yield_now();
                }
                result => return result,
            }
        }
    }

    fn scan(&self) -> Result<BTreeSet<RegId>, StoreError> {
        let layout = &self.inner.layout;
        let mut ids = BTreeSet::new();
        for entry in entries(&layout.regulations())? {
            if let Ok(reg_id) = entry.file_name().to_string_lossy().parse::<RegId>()
                && may_be_folder(&entry)
            {
                ids.insert(reg_id);
            }
        }
        if layout::is_own_folder(&layout.staging()) {
            ids.extend(
                children(&layout.staging())?.into_iter().filter_map(|(name, _)| layout::set_aside_id(&name)),
            );
        }
        Ok(ids)
    }
}

/// Whether an entry is a folder or leads to one. Told from the listing, which costs nothing, unless it is a link.
fn may_be_folder(entry: &fs::DirEntry) -> bool {
    match entry.file_type() {
        Ok(kind) if kind.is_symlink() => {
            fs::metadata(entry.path()).map_or(true, |metadata| metadata.is_dir())
        }
        Ok(kind) => kind.is_dir(),
        Err(_) => true,
    }
}

/// What stands in a folder; nothing in one that does not exist.
fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>, StoreError> {
    let listing = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listing => listing.map_err(|error| StoreError::reading(folder, error))?,
    };
    listing.map(|entry| entry.map_err(|error| StoreError::reading(folder, error))).collect()
}

/// Names and paths of what stands in a folder, sorted; nothing in one that does not exist.
pub(crate) fn children(folder: &Path) -> Result<Vec<(String, PathBuf)>, StoreError> {
    let named = |entry: fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), entry.path());
    let mut found: Vec<_> = entries(folder)?.into_iter().map(named).collect();
    found.sort_unstable();
    Ok(found)
}
