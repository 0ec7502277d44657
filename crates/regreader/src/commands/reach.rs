//! Where tools are called: in the library on this machine, or on the server that `--mcp` names.

use std::mem::ManuallyDrop;

use regreader_agent::{ToolClient, ToolFailure};
use regreader_mcp::{Client, ClientError};
use regreader_tools::Toolbox;
use serde_json::{Value, json};

use crate::failure::{LIBRARY, NOTHING, Refusal, USAGE};

/// The tools, near or far. A command cannot tell.
pub enum Tools {
    /// In this process. It ends with the command: taking indexes apart piece by piece before that would be for nothing.
    Here(ManuallyDrop<Toolbox>),
    /// Over MCP.
    There(Client),
}

impl Tools {
    /// Calls a tool; an error knows its hint and its exit code.
    pub fn run(&self, tool: &str, arguments: Value) -> anyhow::Result<Value> {
        match self {
            Self::Here(toolbox) => Ok(toolbox.call(tool, arguments)?),
            Self::There(client) => client.call(tool, arguments).map_err(|error| refusal(error).into()),
        }
    }
}

impl Tools {
    /// The ids of regulations that a person names by id, alias or title. A name that nothing has stays as it is: whoever
    /// uses it says that it is not there.
    pub fn reg_ids(&self, names: &[String]) -> anyhow::Result<Vec<String>> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let listed = self.run("list_regulations", json!({}))?;
        let entries: Vec<&Value> = listed["regulations"].as_array().into_iter().flatten().collect();
        let id = |name: &String| {
            let is =
                |value: &Value| value.as_str().is_some_and(|known| known.eq_ignore_ascii_case(name.trim()));
            let own = entries.iter().find(|entry| is(&entry["reg_id"]));
            let called = || {
                entries.iter().find(|entry| {
                    is(&entry["title"]) || entry["aliases"].as_array().into_iter().flatten().any(is)
                })
            };
            let found = own.or_else(called).and_then(|entry| entry["reg_id"].as_str());
            found.map_or_else(|| name.clone(), str::to_owned)
        };
        Ok(names.iter().map(id).collect())
    }
}

impl ToolClient for Tools {
    fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
        match self {
            Self::Here(toolbox) => toolbox.call(tool, arguments).map_err(|error| {
                let report = error.report();
                ToolFailure { name: report.error, message: report.message, hint: report.hint }
            }),
            Self::There(client) => client.call(tool, arguments).map_err(|error| match error {
                ClientError::Tool { name, message, hint } => ToolFailure { name, message, hint },
                other => {
                    ToolFailure { name: "ConnectionError".to_owned(), message: other.to_string(), hint: None }
                }
            }),
        }
    }
}

/// A far error with the exit code that the near one has.
pub fn refusal(error: ClientError) -> Refusal {
    match error {
        ClientError::Tool { name, message, hint } => {
            let code = match name.as_str() {
                "InvalidArgumentError" | "InvalidIdError" | "InvalidPageRangeError" | "UnknownToolError" => {
                    USAGE
                }
                "RegulationNotFoundError" => LIBRARY,
                name if name.ends_with("NotFoundError") || name == "ReferenceResolutionError" => NOTHING,
                _ => LIBRARY,
            };
            Refusal { code, message, hint }
        }
        other => Refusal::library(
            other.to_string(),
            "check the address, the token and that `regreader serve` runs there",
        ),
    }
}
