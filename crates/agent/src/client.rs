//! The one way from an agent to the documents.

use serde_json::Value;

/// Calls tools by name. In process, over a pipe or over HTTP: the agent cannot tell.
pub trait ToolClient {
    /// Calls a tool. What it gives back is the tool's structured result.
    fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure>;
}

/// A tool that said no, or could not be reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolFailure {
    /// Stable name (`RegulationNotFoundError`).
    pub name: String,
    /// For a person.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl ToolFailure {
    /// Whether what was asked for is simply not there, as opposed to something being broken.
    pub fn is_not_found(&self) -> bool {
        self.name.ends_with("NotFoundError") || self.name == "ReferenceResolutionError"
    }
}
