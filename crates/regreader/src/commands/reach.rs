//! Where tools are called: in the library on this machine, or on the server that `--mcp` names.

use std::mem::ManuallyDrop;

use regreader_mcp::{Client, ClientError};
use regreader_tools::{ListRegulations, Tool, ToolClient, ToolFailure, Toolbox, arguments_of, read_result};
use serde_json::Value;

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
    pub fn call<T: Tool>(&self, request: &T) -> anyhow::Result<T::Response> {
        match self {
            Self::Here(toolbox) => Ok(request.run(toolbox)?),
            Self::There(_) => Ok(read_result::<T>(self.run(T::NAME, arguments_of(request))?)?),
        }
    }

    /// Calls a tool by name.
    pub fn run(&self, tool: &str, arguments: Value) -> anyhow::Result<Value> {
        match self {
            Self::Here(toolbox) => Ok(serde_json::from_str(&toolbox.call_json(tool, arguments)?)?),
            Self::There(client) => client.call(tool, arguments).map_err(|error| refusal(error).into()),
        }
    }

    /// The ids of regulations that a person names by id, alias or title. A name that nothing has stays as it is: whoever
    /// uses it says that it is not there.
    pub fn reg_ids(&self, names: &[String]) -> anyhow::Result<Vec<String>> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let entries = self.call(&ListRegulations::default())?.regulations;
        let id = |name: &String| {
            let is = |known: &str| known.eq_ignore_ascii_case(name.trim());
            let own = entries.iter().find(|entry| is(&entry.reg_id));
            let found = own.or_else(|| entries.iter().find(|entry| entry.names().any(is)));
            found.map_or_else(|| name.clone(), |entry| entry.reg_id.clone())
        };
        Ok(names.iter().map(id).collect())
    }
}

impl ToolClient for Tools {
    fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
        match self {
            Self::Here(toolbox) => ToolClient::call_json(&**toolbox, tool, arguments),
            Self::There(client) => client.call_json(tool, arguments),
        }
    }
}

/// A far error with the exit code that the near one has.
pub fn refusal(error: ClientError) -> Refusal {
    match error {
        ClientError::Tool(ToolFailure { name, message, hint }) => {
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
