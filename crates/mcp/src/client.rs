//! Blocking calls to an MCP server, over HTTP or to a child process.

use std::sync::mpsc as replies;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use regreader_tools::{ToolClient, ToolFailure};
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientConfig, Implementation};
use rmcp::service::{RunningService, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{RoleClient, ServiceExt as _};
use serde::Deserialize as _;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::tools::ERROR_META;

/// Longest time to connect.
const CONNECTING: Duration = Duration::from_secs(20);
/// Longest time for a call.
const CALLING: Duration = Duration::from_mins(2);

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server cannot be reached, or does not speak MCP.
    #[error("cannot reach the MCP server {server}: {reason}")]
    Unreachable {
        /// Its address or command.
        server: String,
        /// Why the connection failed.
        reason: String,
    },
    /// The tool said no.
    #[error(transparent)]
    Tool(ToolFailure),
    /// The call did not come back as it should.
    #[error("the MCP call failed: {reason}")]
    Call {
        /// What went wrong with the call.
        reason: String,
    },
}

/// A connection to a server. May be used from several threads; calls run at the same time.
///
/// The connection lives on a thread of its own, so that a client can be used with and without an async runtime around.
pub struct Client {
    jobs: Option<mpsc::UnboundedSender<Job>>,
    thread: Option<JoinHandle<()>>,
}

struct Job {
    request: CallToolRequestParams,
    reply: replies::Sender<Result<Value, ClientError>>,
}

type Connected = RunningService<RoleClient, ClientConfig>;

impl Client {
    /// Connects to a streamable HTTP server, such as `http://127.0.0.1:8080/mcp`. An address without a path means `/mcp`.
    pub fn connect_http(url: &str, token: Option<&str>) -> Result<Self, ClientError> {
        // The program brings one cryptography; whoever installed it first is right.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let address = endpoint(url);
        let mut config = StreamableHttpClientTransportConfig::with_uri(address);
        if let Some(token) = token.filter(|token| !token.is_empty()) {
            config = config.auth_header(token);
        }
        Self::start(url.to_owned(), move || async move {
            identity()
                .serve(StreamableHttpClientTransport::from_config(config))
                .await
                .map_err(|error| error.to_string())
        })
    }

    /// Starts a server as a child process and speaks to it over its standard input and output. What it writes to
    /// standard error passes through.
    pub fn spawn(command: &str, arguments: &[&str]) -> Result<Self, ClientError> {
        let mut child = tokio::process::Command::new(command);
        child.args(arguments);
        Self::start(command.to_owned(), move || async move {
            let transport = TokioChildProcess::new(child).map_err(|error| error.to_string())?;
            identity().serve(transport).await.map_err(|error| error.to_string())
        })
    }

    /// Calls a tool. What comes back is its structured result.
    pub fn call(&self, tool: &str, arguments: Value) -> Result<Value, ClientError> {
        let mut request = CallToolRequestParams::new(tool.to_owned());
        match arguments {
            Value::Object(object) => request = request.with_arguments(object),
            Value::Null => {}
            _ => return Err(lost("arguments must be an object")),
        }
        let (reply, answer) = replies::channel();
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(Job { request, reply }).is_ok());
        if !sent {
            return Err(lost("the connection is closed"));
        }
        answer.recv().unwrap_or_else(|_| Err(lost("the connection was closed")))
    }

    fn start<F>(server: String, connect: impl FnOnce() -> F + Send + 'static) -> Result<Self, ClientError>
    where
        F: Future<Output = Result<Connected, String>>,
    {
        let unreachable = move |reason: String| ClientError::Unreachable { server: server.clone(), reason };
        let (jobs, todo) = mpsc::unbounded_channel();
        let (report, connected) = replies::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| unreachable(error.to_string()))?;
        let thread = thread::Builder::new()
            .name("mcp-client".to_owned())
            .spawn(move || runtime.block_on(work(connect, &report, todo)))
            .map_err(|error| unreachable(error.to_string()))?;
        let outcome = connected.recv().unwrap_or_else(|_| Err("the connection broke".to_owned()));
        outcome.map_err(unreachable)?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }
}

impl ToolClient for Client {
    fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
        self.call(tool, arguments).map_err(|error| match error {
            ClientError::Tool(failure) => failure,
            other => {
                ToolFailure { name: "ConnectionError".to_owned(), message: other.to_string(), hint: None }
            }
        })
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Without jobs to come the thread closes the connection and ends.
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the connection's thread does: connect, say so, answer jobs, close.
async fn work<F>(
    connect: impl FnOnce() -> F,
    report: &replies::Sender<Result<(), String>>,
    mut todo: mpsc::UnboundedReceiver<Job>,
) where
    F: Future<Output = Result<Connected, String>>,
{
    let connected = tokio::time::timeout(CONNECTING, connect()).await;
    let service = match connected.unwrap_or_else(|_| Err("it did not answer".to_owned())) {
        Ok(service) => service,
        Err(reason) => {
            let _ = report.send(Err(reason));
            return;
        }
    };
    let _ = report.send(Ok(()));
    while let Some(Job { request, reply }) = todo.recv().await {
        let peer = service.peer().clone();
        tokio::spawn(async move {
            let called = tokio::time::timeout(CALLING, peer.call_tool(request)).await;
            let outcome = called.map_or_else(|_| Err(lost("no answer in time")), read);
            // Whoever asked may have gone.
            let _ = reply.send(outcome);
        });
    }
    let _ = service.cancel().await;
}

/// The structured result, or the typed error.
fn read(called: Result<CallToolResult, ServiceError>) -> Result<Value, ClientError> {
    let result = called.map_err(|error| match error {
        ServiceError::McpError(error) => match error.data.as_ref().and_then(typed) {
            Some(typed) => typed,
            None => lost(&error.message),
        },
        other => lost(&other.to_string()),
    })?;
    if result.is_error != Some(true) {
        return match (result.structured_content, result.content.first().and_then(|block| block.as_text())) {
            (Some(value), _) => Ok(value),
            // A server that knows no structured results.
            (None, Some(text)) => serde_json::from_str(&text.text).map_err(|error| lost(&error.to_string())),
            (None, None) => Err(lost("the result is empty")),
        };
    }
    let from_meta = result.meta.as_ref().and_then(|meta| meta.0.get(ERROR_META)).and_then(typed);
    Err(from_meta.unwrap_or_else(|| {
        let message = result.content.first().and_then(|block| block.as_text()).map(|text| text.text.clone());
        let message = message.unwrap_or_default();
        ClientError::Tool(ToolFailure { name: "ToolError".to_owned(), message, hint: None })
    }))
}

fn typed(data: &Value) -> Option<ClientError> {
    ToolFailure::deserialize(data).ok().map(ClientError::Tool)
}

fn lost(reason: &str) -> ClientError {
    ClientError::Call { reason: reason.to_owned() }
}

fn identity() -> ClientConfig {
    let mut config = ClientConfig::default();
    config.client_info = Implementation::new("regreader", env!("CARGO_PKG_VERSION"));
    config
}

/// The address of a server with its path: `/mcp` when there is none.
pub fn endpoint(url: &str) -> String {
    let bare = url.trim().trim_end_matches('/');
    match bare.split_once("://") {
        Some((_, rest)) if !rest.contains('/') => format!("{bare}/mcp"),
        _ => bare.to_owned(),
    }
}
