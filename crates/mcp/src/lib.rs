//! The MCP server: the tools over stdio, streamable HTTP and legacy SSE, with the security of the HTTP face; and the
//! client that speaks to such a server.
//!
//! This crate owns the wire protocol and must not know how a tool works: it hands names and JSON arguments to
//! `regreader_tools::Toolbox::call`, and gets the toolbox from a [`Source`]. The types of the protocol library stay
//! inside; what comes out is plain data.
//!
//! * [`McpServer`]: one router for all transports. [`stdio::serve`] and [`http::serve`] put it on a wire.
//! * [`Client`]: blocking calls to a server over HTTP or to a child process.
//! * [`protocol`]: the answering protocol that clients get as a prompt and our agents as their role.

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
