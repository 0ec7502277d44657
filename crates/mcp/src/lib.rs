//! The MCP server: the tools over stdio, streamable HTTP and SSE, with the security of the HTTP face.
//!
//! This crate owns the wire protocol and must not know how a tool works: it hands names and JSON arguments to
//! `regreader_tools::Toolbox::call`. The server itself is still to be written; nothing is offered here yet.
