//! The one way from an agent to the documents.

use serde_json::Value;

/// Calls tools by name. In process, over a pipe or over HTTP: the agent cannot tell.
pub trait ToolClient {
    /// Calls a tool. What it gives back is the tool's structured result.
    fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure>;
}

/// Tools that judge editions by a day.
const DATED: [&str; 16] = [
    "list_regulations",
    "smart_search",
    "search_tables",
    "find_similar_content",
    "get_toc",
    "read_page_range",
    "read_chapter_content",
    "get_table_by_id",
    "get_block_with_context",
    "get_chapter_structure",
    "get_page_chapter_info",
    "lookup_annotation",
    "search_annotations",
    "resolve_reference",
    "find_mentions",
    "trace_impact",
];

/// Tools as they answer on one day: whoever asks, a person, a rule or a model, sees the editions in force then.
pub struct DatedTools<'a> {
    client: &'a dyn ToolClient,
    as_of: Option<String>,
}

impl<'a> DatedTools<'a> {
    /// The tools of a client on a day; today, and nothing changed, without one.
    pub fn new(client: &'a dyn ToolClient, as_of: Option<String>) -> Self {
        Self { client, as_of }
    }
}

impl ToolClient for DatedTools<'_> {
    fn call(&self, tool: &str, mut arguments: Value) -> Result<Value, ToolFailure> {
        if let (Some(day), Some(given)) = (&self.as_of, arguments.as_object_mut())
            && DATED.contains(&tool)
            && given.get("as_of").is_none_or(Value::is_null)
        {
            given.insert("as_of".to_owned(), Value::from(day.as_str()));
        }
        self.client.call(tool, arguments)
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Echo;

    impl ToolClient for Echo {
        fn call(&self, _: &str, arguments: Value) -> Result<Value, ToolFailure> {
            Ok(arguments)
        }
    }

    #[test]
    fn the_day_reaches_the_tools_that_judge_editions_and_no_other() {
        let dated = DatedTools::new(&Echo, Some("2024-01-01".to_owned()));
        let said = |tool: &str, arguments: Value| dated.call(tool, arguments).unwrap_or_default();
        assert_eq!(said("smart_search", json!({ "query": "限额" }))["as_of"], "2024-01-01");
        assert_eq!(said("smart_search", json!({ "as_of": "2020-01-01" }))["as_of"], "2020-01-01");
        assert_eq!(said("verify_citation", json!({})), json!({}));
        assert_eq!(DatedTools::new(&Echo, None).call("smart_search", json!({})), Ok(json!({})));
    }
}
