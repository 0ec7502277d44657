//! The tools: each one typed function over the library and its indexes.
//!
//! MCP, the command line, the web reader and the agents are faces of the same functions. A tool takes a typed request
//! and gives a typed result; both have JSON schemas. Every result has a hard size cap, a `truncated` flag, and a `next`
//! cursor or hint where something was left out; everything found names its regulation, page and block or table, so that
//! it can be cited and checked.
//!
//! [`TOOLS`] is the one place that knows names, categories, phases and workflows: the tool guide, the command line's
//! help, the MCP descriptions and the documentation are made from it.
//!
//! This crate knows no MCP, no HTTP, no terminal and no language model.

mod bounds;
mod calculated;
mod changes;
mod compare;
mod context;
mod cursor;
mod editions;
mod error;
mod impact;
mod kept;
mod navigate;
mod notes;
mod places;
mod read;
mod references;
pub mod requests;
pub mod results;
mod search;
mod spec;
mod tables;
mod toolbox;
mod verify;

pub use error::{ErrorReport, ToolError};
pub use impact::EQUIPMENT_FILE;
pub use spec::{Category, Phase, TOOLS, ToolSpec, WORKFLOWS, Workflow};
pub use toolbox::{Step, Toolbox, ToolboxOptions};
