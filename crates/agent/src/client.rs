//! The way from an agent to the documents: tools on one day.

use std::sync::LazyLock;

use regreader_tools::TOOLS;
use serde_json::Value;

use crate::{ToolClient, ToolFailure};

/// Tools that judge editions by a day.
static DATED: LazyLock<Vec<&str>> =
    LazyLock::new(|| TOOLS.iter().filter(|tool| tool.takes("as_of")).map(|tool| tool.name).collect());

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
    fn call_json(&self, tool: &str, mut arguments: Value) -> Result<Value, ToolFailure> {
        if let (Some(day), Some(given)) = (&self.as_of, arguments.as_object_mut())
            && DATED.contains(&tool)
            && given.get("as_of").is_none_or(Value::is_null)
        {
            given.insert("as_of".to_owned(), Value::from(day.as_str()));
        }
        self.client.call_json(tool, arguments)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    struct Echo;

    impl ToolClient for Echo {
        fn call_json(&self, _: &str, arguments: Value) -> Result<Value, ToolFailure> {
            Ok(arguments)
        }
    }

    #[test]
    fn the_day_reaches_the_tools_that_judge_editions_and_no_other() {
        let dated = DatedTools::new(&Echo, Some("2024-01-01".to_owned()));
        let said = |tool: &str, arguments: Value| dated.call_json(tool, arguments).unwrap_or_default();
        assert_eq!(said("smart_search", json!({ "query": "限额" }))["as_of"], "2024-01-01");
        assert_eq!(said("smart_search", json!({ "as_of": "2020-01-01" }))["as_of"], "2020-01-01");
        assert_eq!(said("verify_citation", json!({})), json!({}));
        assert_eq!(DatedTools::new(&Echo, None).call_json("smart_search", json!({})), Ok(json!({})));
    }
}
