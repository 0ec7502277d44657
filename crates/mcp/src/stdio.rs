//! The server on standard input and output. Nothing else may write to standard output while it runs.

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;

use crate::{McpServer, ServeError};

/// Longer lines are dropped: no request of ours is near this.
const MAX_LINE_BYTES: usize = 4 << 20;

/// Serves one client until it closes the pipe, or the process is told to end.
pub fn serve(server: &McpServer) -> Result<(), ServeError> {
    // One client, one thread: what takes long has threads of its own, and messages need not wake a second one.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let (input, output) = stdio_pipes();
        let transport = AsyncRwTransport::new(input, output).with_max_line_length(MAX_LINE_BYTES);
        let running = match server.clone().serve(transport).await {
            Ok(running) => running,
            // A client that opened the pipe and went away has done no harm.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServeError::Handshake(error.to_string())),
        };
        server.warm_up();
        tokio::select! {
            _ = running.waiting() => {}
            () = crate::http::told_to_end() => {}
        }
        Ok(())
    });
    // A reader of standard input may be blocked for ever; nobody waits for it.
    runtime.shutdown_background();
    served
}
