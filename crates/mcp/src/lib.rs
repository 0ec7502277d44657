//! The MCP server: the tools over stdio, streamable HTTP and legacy SSE, with the security of the HTTP face; and the
//! client that speaks to such a server.
//!
//! This crate owns the wire protocol and must not know how a tool works: it hands names and JSON arguments to
//! `regreader_tools::Toolbox::call_json`, and gets the toolbox from a [`Source`]. The types of the protocol library stay
//! inside; what comes out is plain data.
//!
//! * [`McpServer`]: one router for all transports. [`stdio::serve`] and [`http::serve`] put it on a wire.
//! * [`Client`]: blocking calls to a server over HTTP or to a child process.
//! * [`protocol`]: the answering protocol that clients get as a prompt and our agents as their role.
//!
//! The way of a call: a transport reads a message and hands it to rmcp, which calls the one router; the scheduler (`desk`) runs the tool,
//! where it is asked for when its last calls were quick and else on a thread of its own, bounded in number and time; the
//! JSON text that the tool gives is put into the answer without being parsed again.
//!
//! ```
//! use regreader_mcp::http::{HttpOptions, serve};
//! use regreader_mcp::{Client, Fixed, Limits, McpServer};
//! use regreader_store::{Library, OpenOptions};
//! use regreader_tools::{ListRegulations, ToolClient, ToolError, Toolbox, ToolboxOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let library = Library::open(folder.path(), OpenOptions::new())?;
//! let no_index = || Err(ToolError::UnknownTool { name: "search".to_owned() });
//! let toolbox = Toolbox::lazily(library, no_index, ToolboxOptions::default());
//! let server = McpServer::new(Fixed(toolbox), Limits::default());
//!
//! let (ready, address) = std::sync::mpsc::channel();
//! let options = HttpOptions { port: 0, ..HttpOptions::default() };
//! std::thread::spawn(move || serve(&server, &options, |address| ready.send(address).unwrap_or(())));
//! let client = Client::connect_http(&format!("http://{}", address.recv()?), None)?;
//! let listed = (&client as &dyn ToolClient).call(&ListRegulations::default())?;
//! assert!(listed.regulations.is_empty());
//! # Ok(()) }
//! ```

mod client;
mod completions;
mod desk;
pub mod http;
mod metrics;
mod pace;
mod prompts;
pub mod protocol;
mod resources;
mod server;
mod source;
pub mod stdio;
mod structured;
mod tools;

pub use client::{Client, ClientError, endpoint};
pub use desk::Limits;
pub use server::McpServer;
pub use source::{CallRecord, Fixed, Source};

use std::io;

/// A server that could not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Address that was to be listened on.
        address: String,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// Off loopback without a token.
    #[error("listening on {address}, off loopback, needs a token")]
    TokenRequired {
        /// Where it was to listen.
        address: String,
    },
    /// The other side of the pipe did not speak MCP.
    #[error("the MCP handshake failed: {0}")]
    Handshake(String),
    /// Threads or signals could not be had.
    #[error(transparent)]
    Io(#[from] io::Error),
}
