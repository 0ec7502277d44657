//! The library as the server sees it: opened with the first call, its indexes brought in step when it has changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use regreader_index::RefreshEvent;
use regreader_mcp::{CallRecord, Source};
use regreader_store::{AuditEvent, Library, OpenOptions};
use regreader_tools::{ErrorReport, ToolError, Toolbox};

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
}

impl LibrarySource {
    /// A source for these settings. Opens nothing yet.
    pub fn new(settings: Settings) -> Self {
        Self { settings, opened: Mutex::default(), seen: Mutex::default() }
    }

    /// Takes over what was ingested or deleted since the last look. One thread does; the others go on with what there is.
    fn follow(&self, toolbox: &Toolbox, report: &mut dyn FnMut(String)) -> Result<(), ToolError> {
        let Ok(mut seen) = self.seen.try_lock() else { return Ok(()) };
        if seen.at.is_some_and(|at| at.elapsed() < LOOKING) {
            return Ok(());
        }
        // Before the work: whatever changes meanwhile is seen next time.
        let stamp = self.stamp();
        if stamp != seen.stamp {
            toolbox.engine().refresh(&mut |event| {
                if let RefreshEvent::Indexed { reg_id, done, total, .. } = event {
                    report(format!("索引 {done}/{total}: {reg_id}"));
                }
            })?;
            seen.stamp = stamp;
        }
        seen.at = Some(Instant::now());
        Ok(())
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
        let library = Library::open(&self.settings.data_dir, OpenOptions::new().actor("mcp"))?;
        engine::open_reporting(&self.settings, library, &mut |event| {
            if let RefreshEvent::Indexed { reg_id, done, total, .. } = event {
                report(format!("索引 {done}/{total}: {reg_id}"));
            }
        })
    }
}

impl Source for LibrarySource {
    fn toolbox(&self, report: &mut dyn FnMut(String)) -> Result<Toolbox, ErrorReport> {
        let toolbox = {
            let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            match &*opened {
                Some(toolbox) => toolbox.clone(),
                None => {
                    let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                    let stamp = self.stamp();
                    let toolbox = self.open(report).map_err(|error| unusable(&error))?;
                    *seen = Seen { at: Some(Instant::now()), stamp };
                    opened.insert(toolbox).clone()
                }
            }
        };
        self.follow(&toolbox, report).map_err(|error| error.report())?;
        Ok(toolbox)
    }

    fn ready(&self) -> Option<Toolbox> {
        let is_fresh = self.seen.try_lock().ok()?.at.is_some_and(|at| at.elapsed() < LOOKING);
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
            eprintln!("warning: 审计日志未写入: {error}");
        }
    }
}

/// A library that cannot be opened, said to the client without the paths of this machine.
fn unusable(error: &anyhow::Error) -> ErrorReport {
    eprintln!("error: {error:#}");
    ErrorReport {
        error: "StorageError".to_owned(),
        message: "规程库无法打开".to_owned(),
        hint: Some("请在服务器上运行 regreader doctor".to_owned()),
    }
}
