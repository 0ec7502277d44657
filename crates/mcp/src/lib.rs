//! The MCP server
