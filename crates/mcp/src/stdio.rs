//! The server on standard input and output. Nothing else may write to standard output while it runs.

use std::io;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ErrorData, ServerJsonRpcMessage};
use rmcp::service::ServerInitializeError;
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{JsonRpcMessageCodec, JsonRpcMessageCodecError};
use rmcp::transport::io::stdio_pipes;
use rmcp::{RoleServer, ServiceExt as _};
use serde_json::error::Category;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::bytes::BytesMut;
use tokio_util::codec::Decoder as _;

use crate::{McpServer, ServeError, structured};

/// Longer lines are dropped: no request of ours is near this.
const MAX_LINE_BYTES: usize = 4 << 20;
/// What is asked of the pipe at once: most requests.
const AT_ONCE: usize = 8 << 10;

/// Serves one client until it closes the pipe, or the process is told to end.
pub fn serve(server: &McpServer) -> Result<(), ServeError> {
    // One client, one thread: what takes long has threads of its own, and messages need not wake a second one.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let (input, output) = stdio_pipes();
        let transport = Lines::new(input, output);
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

/// One message a line. The protocol library's own transport writes a message in thousands of small pieces; this one writes it whole.
struct Lines<R, W> {
    input: R,
    read: BytesMut,
    codec: JsonRpcMessageCodec<ClientJsonRpcMessage>,
    /// None once the transport was closed.
    output: Arc<Mutex<Option<W>>>,
    /// A refusal that is being written.
    refusal: Option<JoinHandle<io::Result<()>>>,
}

impl<R, W: AsyncWrite + Send + Unpin + 'static> Lines<R, W> {
    fn new(input: R, output: W) -> Self {
        Self {
            input,
            read: BytesMut::new(),
            codec: JsonRpcMessageCodec::new_with_max_length(MAX_LINE_BYTES),
            output: Arc::new(Mutex::new(Some(output))),
            refusal: None,
        }
    }

    fn write(
        &self,
        message: &ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + use<R, W> {
        let line = structured::written(message).map(|mut line| {
            line.push(b'\n');
            line
        });
        let output = Arc::clone(&self.output);
        async move {
            let mut output = output.lock().await;
            let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            output.write_all(&line?).await?;
            output.flush().await
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.write(&message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Nothing further is read before it has gone out.
            if let Some(refusal) = &mut self.refusal {
                let gone = refusal.await;
                self.refusal = None;
                gone.ok()?.ok()?;
            }
            let before = self.read.len();
            match self.codec.decode(&mut self.read) {
                Ok(Some(message)) => return Some(message),
                // A message that concerns nobody was passed over: another may stand behind it.
                Ok(None) if self.read.len() < before => {}
                Ok(None) => {
                    self.read.reserve(AT_ONCE);
                    match self.input.read_buf(&mut self.read).await {
                        Ok(1..) => {}
                        Ok(0) | Err(_) => return None,
                    }
                }
                // JSON, but no message: said to the client. What is not even JSON has no sender to answer to.
                Err(JsonRpcMessageCodecError::Serde(error)) if error.classify() == Category::Data => {
                    let refusal = ErrorData::invalid_request("Invalid request", None);
                    // On its own: this future may be dropped at any time, and half a line must not go out.
                    let written = self.write(&ServerJsonRpcMessage::error(refusal, None));
                    self.refusal = Some(tokio::spawn(written));
                }
                Err(JsonRpcMessageCodecError::Io(_)) => return None,
                Err(_) => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.take();
        Ok(())
    }
}
