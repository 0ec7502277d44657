//! The desk where calls wait for a thread: how many run at once, how many may wait, how long one may take.
//!
//! Tools block (disk and CPU, milliseconds), so they run on threads of their own; those that have shown to be quick run where they
//! are. A call that was cancelled or ran out of time keeps its place until it is really over: nobody can start more work than
//! there are places.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use regreader_messages::errors;
use regreader_tools::{Step, ToolFailure, Toolbox};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;
use crate::pace::Paces;
use crate::source::Source;

/// How much a server does at once.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Calls that run at the same time.
    pub running: usize,
    /// Calls that may wait for a place; more are refused.
    pub waiting: usize,
    /// Longest time a call may take, waiting included.
    pub call_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self { running: cores.max(2) * 2, waiting: 256, call_timeout: Duration::from_mins(1) }
    }
}

/// Runs work with the toolbox, in bounds.
pub struct Desk {
    source: Arc<dyn Source>,
    places: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    limits: Limits,
    paces: Arc<Paces>,
    /// Ends what runs, because the server ends.
    pub(crate) stop: CancellationToken,
    pub(crate) metrics: Arc<Metrics>,
}

impl Desk {
    pub fn new(source: Arc<dyn Source>, limits: Limits) -> Self {
        let running = limits.running.max(1);
        Self {
            source,
            places: Arc::new(Semaphore::new(running)),
            queue: Arc::new(Semaphore::new(running + limits.waiting)),
            limits,
            paces: Arc::default(),
            stop: CancellationToken::new(),
            metrics: Arc::default(),
        }
    }

    /// Runs a tool's work: here where the tool is quick, the toolbox at hand and a place free, else on a thread.
    pub async fn run_tool<T: Send + 'static>(
        &self,
        tool: &'static str,
        cancelled: &CancellationToken,
        said: Option<mpsc::UnboundedSender<Step>>,
        work: impl FnOnce(&Toolbox, &dyn Source) -> Result<T, ToolFailure> + Send + 'static,
    ) -> Result<T, ToolFailure> {
        let paces = Arc::clone(&self.paces);
        let timed = move |toolbox: &Toolbox, source: &dyn Source| {
            let started = Instant::now();
            let result = work(toolbox, source);
            paces.took(tool, started.elapsed());
            result
        };
        if said.is_none()
            && self.paces.is_quick(tool)
            && let Ok(_place) = self.places.try_acquire()
            && let Some(toolbox) = self.source.ready()
        {
            return unbroken(|| timed(&toolbox, self.source.as_ref()));
        }
        self.run(cancelled, said, timed).await
    }

    /// Runs `work` on a thread. What the source and the tool say on the way goes to `said`.
    pub async fn run<T: Send + 'static>(
        &self,
        cancelled: &CancellationToken,
        said: Option<mpsc::UnboundedSender<Step>>,
        work: impl FnOnce(&Toolbox, &dyn Source) -> Result<T, ToolFailure> + Send + 'static,
    ) -> Result<T, ToolFailure> {
        let queued = Arc::clone(&self.queue).try_acquire_owned().map_err(|_| busy())?;
        let places = Arc::clone(&self.places);
        let source = Arc::clone(&self.source);
        let running = async move {
            let place = places.acquire_owned().await.map_err(|_| busy())?;
            let task = tokio::task::spawn_blocking(move || {
                let _held = (queued, place);
                unbroken(|| {
                    let toolbox = source.toolbox(&mut |doing| {
                        if let Some(said) = &said {
                            // Nobody listens any more when the call was cancelled.
                            let _ = said.send(Step { doing, done: 0, total: 0 });
                        }
                    })?;
                    let toolbox = match said {
                        Some(said) => toolbox.reporting(move |step| {
                            let _ = said.send(step);
                        }),
                        None => toolbox,
                    };
                    work(&toolbox, source.as_ref())
                })
            });
            task.await.unwrap_or_else(|_| Err(broken()))
        };
        tokio::select! {
            result = running => result,
            () = cancelled.cancelled() => Err(report("CancelledError", errors::CANCELLED, errors::CALL_AGAIN)),
            () = self.stop.cancelled() => Err(report("ShutdownError", errors::SHUTTING_DOWN, errors::CONNECT_AGAIN)),
            () = tokio::time::sleep(self.limits.call_timeout) => Err(report(
                "TimeoutError",
                errors::timed_out(self.limits.call_timeout.as_secs()),
                errors::ASK_LESS,
            )),
        }
    }

    /// Opens the toolbox ahead of the first call.
    pub fn warm_up(&self) {
        let source = Arc::clone(&self.source);
        tokio::task::spawn_blocking(move || {
            // A library that cannot be opened is said to whoever calls.
            let _ = source.toolbox(&mut |_| {});
        });
    }
}

/// A panic in a tool must cost one call, not a thread's worth of output.
fn unbroken<T>(work: impl FnOnce() -> Result<T, ToolFailure>) -> Result<T, ToolFailure> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(broken()))
}

/// An error of the server itself, in the form of the tools' errors.
pub fn report(name: &str, message: impl Into<String>, hint: impl Into<String>) -> ToolFailure {
    ToolFailure { name: name.to_owned(), message: message.into(), hint: Some(hint.into()) }
}

fn busy() -> ToolFailure {
    report("BusyError", errors::BUSY, errors::LATER)
}

fn broken() -> ToolFailure {
    report("InternalError", errors::INTERNAL, errors::OTHER_ARGUMENTS)
}
