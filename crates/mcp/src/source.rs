//! Where the server gets its toolbox from, and whom it tells about calls.

use std::time::Duration;

use regreader_tools::{ToolFailure, Toolbox};

/// Gives the toolbox that the next call works with. Called on a thread that may block, before every call: a source
/// may open the library late and may bring its indexes in step when the library has changed.
pub trait Source: Send + Sync + 'static {
    /// The toolbox. `report` is told in words what takes long.
    fn toolbox(&self, report: &mut dyn FnMut(String)) -> Result<Toolbox, ToolFailure>;

    /// The same toolbox where it can be had at once, without waiting or looking at a disk.
    fn ready(&self) -> Option<Toolbox> {
        None
    }

    /// Told about every finished tool call, for the audit log.
    fn record(&self, call: &CallRecord) {
        let _ = call;
    }
}

impl<S: Source> Source for std::sync::Arc<S> {
    fn toolbox(&self, report: &mut dyn FnMut(String)) -> Result<Toolbox, ToolFailure> {
        self.as_ref().toolbox(report)
    }

    fn ready(&self) -> Option<Toolbox> {
        self.as_ref().ready()
    }

    fn record(&self, call: &CallRecord) {
        self.as_ref().record(call);
    }
}

/// A tool call that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// Which tool.
    pub tool: String,
    /// Its arguments as JSON, cut to a bounded length.
    pub arguments: String,
    /// Regulations that the arguments name.
    pub reg_ids: Vec<String>,
    /// Who called: over HTTP the name of the token, then the client's own name and its address.
    pub caller: String,
    /// `ok` or the error's name.
    pub outcome: String,
    /// How long it took.
    pub elapsed: Duration,
}

/// A source that always gives the same toolbox and records nothing.
pub struct Fixed(pub Toolbox);

impl Source for Fixed {
    fn toolbox(&self, _: &mut dyn FnMut(String)) -> Result<Toolbox, ToolFailure> {
        Ok(self.0.clone())
    }

    fn ready(&self) -> Option<Toolbox> {
        Some(self.0.clone())
    }
}
