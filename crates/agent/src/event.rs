//! What an agent reports while it works.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Level, Outcome};

/// One step, in the order in which things happen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "event")]
pub enum Event {
    /// What it is about to do and why.
    Thinking {
        /// For a person.
        text: String,
    },
    /// A tool is called.
    ToolCall {
        /// Name of the tool.
        tool: String,
        /// With what.
        arguments: Value,
    },
    /// A tool answered.
    ToolResult {
        /// Name of the tool.
        tool: String,
        /// It did what was asked.
        ok: bool,
        /// In one line.
        summary: String,
    },
    /// Something a person may want to know: a retry, a spent budget, a shortened context.
    Notice {
        /// For a person.
        text: String,
    },
    /// Whole lines of the answer, already checked.
    Text {
        /// The lines.
        text: String,
    },
    /// A citation of the answer.
    Citation {
        /// As printed.
        citation: String,
        /// Regulation that the cited page belongs to.
        reg_id: String,
        /// Page, when it is known.
        page_num: Option<u32>,
        /// One passage there carries the statement.
        verified: bool,
        /// How well it is proven.
        #[serde(default)]
        level: Level,
    },
    /// A state graph has finished a node and could go on from here.
    Checkpoint {
        /// The node that comes next.
        node: String,
        /// Everything that is known so far.
        state: Value,
    },
    /// The answer is complete.
    Done {
        /// How it ended.
        outcome: Outcome,
    },
}
