//! The library as the server sees it: opened with the first call, its indexes brought in step when it has changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use regreader_mcp::{CallRecord, Source};
use regreader_messages::cli;
use regreader_search::RefreshEvent;
use regreader_store::{AuditEvent, Library, OpenOptions};
use regreader_tools::{ToolError, ToolFailure, Toolbox};

use crate::engine;
use crate::settings::Settings;

/// The library is looked at for changes at most so often.
const LOOKING: Duration = Duration::from_secs(1);

/// Opens the library that the settings name, once, and follows its changes.
pub struct LibrarySource {
    settings: Settings,
    opened: Mutex<Option<Toolbox>>,
    seen: Mutex<Seen>,
}

/// When the library was last looked at, and what it looked like.
#[derive(Default)]
struct Seen {
    at: Option<Instant>,
    stamp: BTreeMap<PathBuf, SystemTime>,
    /// Age of the folder of regulations: storing, replacing and deleting one changes it.
    folder: Option<SystemTime>,
}

impl LibrarySource {
    /// A source for these settings. Opens nothing yet.
    pub fn new(settings: Settings) -> Self {
        Self { settings, opened: Mutex::default(), seen: Mutex::default() }
    }

    /// Takes over what was ingested or deleted since the last look. One thread does; the others go on with what there is.
    fn follow(&self, toolbox: &Toolbox, report: &mut dyn FnMut(String)) -> Result<(), ToolError> {
        let Ok(mut seen) = self.seen.try_lock() else { return Ok(()) };
        if self.is_fresh(&seen) {
            return Ok(());
        }
        // Before the work: whatever changes meanwhile is seen next time.
        let stamp = self.stamp();
        let folder = self.folder_mark();
        if stamp != seen.stamp {
            let refreshed = toolbox.engine()?.refresh_unless_busy(&mut |event| {
                if let RefreshEvent::Indexed { reg_id, done, total, .. } = event {
                    report(cli::indexing(reg_id, done, total));
                }
            })?;
            // While another process builds the indexes, the next look tries again.
            if refreshed.is_some() {
                seen.stamp = stamp;
            }
        }
        seen.folder = folder;
        seen.at = Some(Instant::now());
        Ok(())
    }

    /// Whether what was seen is recent, and no regulation was stored, replaced or deleted since. One look at a folder:
    /// pages are read as they are now, so a search must not be older.
    fn is_fresh(&self, seen: &Seen) -> bool {
        seen.at.is_some_and(|at| at.elapsed() < LOOKING) && seen.folder == self.folder_mark()
    }

    fn folder_mark(&self) -> Option<SystemTime> {
        fs::metadata(self.settings.data_dir.join("regulations")).ok()?.modified().ok()
    }

    /// The age of every regulation's description. A regulation is replaced by exchanging its folder, and described
    /// anew by replacing this file, so nothing changes without it.
    fn stamp(&self) -> BTreeMap<PathBuf, SystemTime> {
        let Ok(folders) = fs::read_dir(self.settings.data_dir.join("regulations")) else {
            return BTreeMap::new();
        };
        let files = folders.filter_map(Result::ok).map(|folder| folder.path().join("info.json"));
        files.filter_map(|file| Some((file.clone(), fs::metadata(&file).ok()?.modified().ok()?))).collect()
    }

    fn open(&self, report: &mut dyn FnMut(String)) -> anyhow::Result<Toolbox> {
        let open = || {
            Library::open(&self.settings.data_dir, OpenOptions::new().actor("mcp"))
                .map_err(anyhow::Error::from)
        };
        let opened = engine::open_reporting(&self.settings, open()?, &mut |event| {
            if let RefreshEvent::Indexed { reg_id, done, total, .. } = event {
                report(cli::indexing(reg_id, done, total));
            }
        });
        match opened {
            Ok(toolbox) => Ok(toolbox),
            // Pages can be read without an index; a search says what is wrong with it.
            Err(error) => {
                eprintln!("warning: {error:#}");
                Ok(engine::open_lazily(&self.settings, open()?))
            }
        }
    }
}

impl Source for LibrarySource {
    fn toolbox(&self, report: &mut dyn FnMut(String)) -> Result<Toolbox, ToolFailure> {
        let toolbox = {
            let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            match &*opened {
                Some(toolbox) => toolbox.clone(),
                None => {
                    let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                    let (stamp, folder) = (self.stamp(), self.folder_mark());
                    let toolbox = self.open(report).map_err(|error| unusable(&error))?;
                    *seen = Seen { at: Some(Instant::now()), stamp, folder };
                    opened.insert(toolbox).clone()
                }
            }
        };
        if let Err(error) = self.follow(&toolbox, report) {
            // What there is goes on being read; a search meets the error itself.
            eprintln!("warning: {error}");
        }
        Ok(toolbox)
    }

    fn ready(&self) -> Option<Toolbox> {
        let is_fresh = self.is_fresh(&*self.seen.try_lock().ok()?);
        if is_fresh { self.opened.try_lock().ok()?.clone() } else { None }
    }

    fn record(&self, call: &CallRecord) {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(toolbox) = opened else { return };
        let event = AuditEvent::Asked {
            question: call.arguments.clone(),
            reg_ids: call.reg_ids.iter().filter_map(|id| id.parse().ok()).collect(),
            by: call.tool.clone(),
            outcome: format!("{} {}ms", call.outcome, call.elapsed.as_millis()),
        };
        let log = toolbox.library().audit().acting_as(format!("mcp {}", call.caller));
        if let Err(error) = log.append(event) {
            eprintln!("warning: {}", cli::audit_failed(&error));
        }
    }
}

/// A library that cannot be opened, said to the client without the paths of this machine.
fn unusable(error: &anyhow::Error) -> ToolFailure {
    eprintln!("error: {error:#}");
    ToolFailure {
        name: "StorageError".to_owned(),
        message: cli::LIBRARY_UNUSABLE.to_string(),
        hint: Some(cli::LIBRARY_UNUSABLE_HINT.to_string()),
    }
}
