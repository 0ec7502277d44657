//! The library as the server sees it: opened with the first call, its indexes brought in step when it has changed.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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
    /// When the library was last looked at.
    looked: Mutex<Option<Instant>>,
}

impl LibrarySource {
    /// A source for these settings. Opens nothing yet.
    pub fn new(settings: Settings) -> Self {
        Self { settings, opened: Mutex::default(), looked: Mutex::default() }
    }

    /// Takes over what was ingested or deleted since the last look. One thread does; the others go on with what there is.
    fn follow(&self, toolbox: &Toolbox, report: &mut dyn FnMut(String)) -> Result<(), ToolError> {
        let Ok(mut looked) = self.looked.try_lock() else { return Ok(()) };
        if is_fresh(*looked, toolbox) {
            return Ok(());
        }
        // An engine that is not open yet sees the library as it is when it opens.
        if let Some(engine) = toolbox.engine_if_open() {
            engine.refresh_unless_busy(&mut |event| {
                if let RefreshEvent::Indexed { reg_id, done, total, .. } = event {
                    report(cli::indexing(reg_id, done, total));
                }
            })?;
        }
        *looked = Some(Instant::now());
        Ok(())
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
                None => opened.insert(self.open(report).map_err(|error| unusable(&error))?).clone(),
            }
        };
        if let Err(error) = self.follow(&toolbox, report) {
            // What there is goes on being read; a search meets the error itself.
            eprintln!("warning: {error}");
        }
        Ok(toolbox)
    }

    fn ready(&self) -> Option<Toolbox> {
        let toolbox = self.opened.try_lock().ok()?.clone()?;
        is_fresh(*self.looked.try_lock().ok()?, &toolbox).then_some(toolbox)
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

/// Whether the last look is recent, and no regulation was stored, replaced or deleted since.
fn is_fresh(looked: Option<Instant>, toolbox: &Toolbox) -> bool {
    let is_as_seen = || toolbox.engine_if_open().is_some_and(|engine| engine.is_as_seen());
    looked.is_some_and(|at| at.elapsed() < LOOKING) && is_as_seen()
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
