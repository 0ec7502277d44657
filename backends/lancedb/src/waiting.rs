//! LanceDB is asynchronous and the index is not: its work is done by threads of our own, and the caller waits.

use std::sync::mpsc;
use std::sync::{Mutex, OnceLock, PoisonError};

use regreader_index::IndexError;
use tokio::runtime::{Builder, Runtime};

use crate::failed;

/// Threads that drive LanceDB; it has others of its own for reading and computing.
const THREADS: usize = 2;

/// Does something on those threads and waits for it. The caller may itself be part of another program's runtime.
pub(crate) fn wait<T: Send + 'static>(
    work: impl Future<Output = Result<T, IndexError>> + Send + 'static,
) -> Result<T, IndexError> {
    let (done, result) = mpsc::sync_channel(1);
    runtime()?.spawn(async move {
        // Nobody waits any more: then nobody wants it.
        let _ = done.send(work.await);
    });
    result.recv().map_err(|_| failed("任务中断"))?
}

/// One for all indexes of the process, made when it is first needed.
fn runtime() -> Result<&'static Runtime, IndexError> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("lancedb")
        .enable_all()
        .build()
        .map_err(failed)?;
    Ok(RUNTIME.get_or_init(|| runtime))
}
