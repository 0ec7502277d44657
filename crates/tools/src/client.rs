//! The one way to tools for whoever does not care where they run: in this process, over a pipe or over HTTP.

use regreader_messages::tools;
use serde_json::Value;

use crate::tool::Tool;
use crate::{ToolFailure, Toolbox};

/// Somewhere that tools can be called.
pub trait ToolClient {
    /// Calls a tool by name, as language models do. What it gives back is the tool's structured result.
    fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure>;
}

impl dyn ToolClient + '_ {
    /// Calls a tool.
    ///
    /// ```no_run
    /// # fn doc(client: &dyn regreader_tools::ToolClient) -> Result<(), regreader_tools::ToolFailure> {
    /// use regreader_tools::ListRegulations;
    /// for entry in client.call(&ListRegulations::default())?.regulations {
    ///     println!("{} {}", entry.reg_id, entry.title);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn call<T: Tool>(&self, request: &T) -> Result<T::Response, ToolFailure> {
        read_result::<T>(self.call_json(T::NAME, arguments_of(request))?)
    }
}

impl ToolClient for Toolbox {
    fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
        let text = Self::call_json(self, tool, arguments).map_err(|error| error.report())?;
        serde_json::from_str(&text).map_err(|error| unreadable(tool, &error))
    }
}

/// The arguments of a request as JSON. What was left open is left out: a server of an earlier version may not know it.
pub fn arguments_of(request: &impl Tool) -> Value {
    let mut arguments = serde_json::to_value(request).unwrap_or_default();
    if let Some(fields) = arguments.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    arguments
}

/// The result of a tool from JSON.
pub fn read_result<T: Tool>(result: Value) -> Result<T::Response, ToolFailure> {
    serde_json::from_value(result).map_err(|error| unreadable(T::NAME, &error))
}

/// A server of another version may give what this one does not know.
fn unreadable(tool: &str, error: &serde_json::Error) -> ToolFailure {
    ToolFailure {
        name: "UnreadableResultError".to_owned(),
        message: format!("{tool}: {error}"),
        hint: Some(tools::UPGRADE.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{GetToc, ListRegulations};

    /// Gives the same answer to everything, and checks what it is asked.
    struct Fixed(Value);

    impl ToolClient for Fixed {
        fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
            assert_eq!(tool, "list_regulations");
            assert_eq!(arguments, json!({}), "what was left open is not sent");
            Ok(self.0.clone())
        }
    }

    #[test]
    fn a_request_goes_out_as_json_and_its_response_comes_back_as_itself() {
        let entry = json!({ "reg_id": "angui_2024", "title": "安规", "source_file": "a.pdf", "total_pages": 29,
            "indexed_at": "", "keywords": [], "aliases": ["安规2024"], "a_later_field": 1 });
        let client = Fixed(json!({ "regulations": [entry], "as_of": "2026-11-17", "truncated": false }));
        let client: &dyn ToolClient = &client;
        let listed = client.call(&ListRegulations::default()).expect("it is readable");
        assert_eq!(listed.regulations[0].short_name(), "安规2024", "fields of a later version do no harm");
        let other: &dyn ToolClient = &Fixed(json!({ "regulations": "none" }));
        let failure = other.call(&ListRegulations::default()).expect_err("it is none");
        assert_eq!(failure.name, "UnreadableResultError");
        assert_eq!(arguments_of(&GetToc::new("a", 2)), json!({ "reg_id": "a", "max_depth": 2 }));
    }
}
