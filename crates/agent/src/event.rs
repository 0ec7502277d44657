//! What an agent reports while it works.

use serde::Serialize;
use serde_json::Value;

/// One step, in the order in which things happen.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// What it is about to do and why.
    Thinking {
        /// For a person.
        text: String,
    },
    /// A tool is called.
    ToolCall {
        /// Which.
        tool: String,
        /// With what.
        arguments: Value,
    },
    /// A tool answered.
    ToolResult {
        /// Which.
        tool: String,
        /// It did what was asked.
        ok: bool,
        /// In one line.
        summary: String,
    },
}
