//! What the model will say.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Steps, taken in order: each request takes the first step left whose conditions fit.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The steps.
    pub steps: Vec<Step>,
    /// What is said when no step fits. None: status 500, so that a test notices.
    pub fallback: Option<String>,
}

/// One response.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Step {
    /// A thought before everything else.
    pub thinking: Option<String>,
    /// Text of the response, if it has any.
    pub text: Option<String>,
    /// Tools that are called, all at once.
    #[serde(default)]
    pub tool_calls: Vec<Call>,
    /// Goes wrong instead, or after part of the above.
    pub fault: Option<Fault>,
    /// A recorded response, played back byte for byte.
    pub raw: Option<Raw>,
    /// Only for requests like this.
    #[serde(default)]
    pub when: When,
    /// Is not used up.
    #[serde(default)]
    pub repeat: bool,
    /// Input tokens that the response claims.
    pub input_tokens: Option<u64>,
}

impl Step {
    /// A step that says something.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// A step that calls one tool.
    pub fn call(name: impl Into<String>, arguments: Value) -> Self {
        Self { tool_calls: vec![Call { name: name.into(), arguments, raw: None }], ..Self::default() }
    }

    /// A step that calls several tools at once.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let tool_calls = calls
            .into_iter()
            .map(|(name, arguments)| Call { name: name.to_owned(), arguments, raw: None })
            .collect();
        Self { tool_calls, ..Self::default() }
    }

    /// A step that goes wrong.
    pub fn fault(fault: Fault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// The same, going wrong.
    #[must_use]
    pub fn but(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }
}

/// A call of a tool. The name may be the end of a longer one on offer (`mcp__regreader__smart_search`).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Name of the tool to call.
    pub name: String,
    /// With what.
    #[serde(default)]
    pub arguments: Value,
    /// Written instead of the arguments, whether JSON or not.
    pub raw: Option<String>,
}

/// A way to go wrong.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// A refusal.
    Status {
        /// HTTP status.
        status: u16,
        /// Seconds in `retry-after`.
        #[serde(default)]
        retry_after: Option<u64>,
        /// What it says.
        #[serde(default)]
        message: Option<String>,
    },
    /// The connection breaks in the middle of the text or of the first tool call's arguments.
    Cut,
    /// The stream says that it failed.
    StreamError,
    /// The connection closes before anything was said.
    Hangup,
    /// Nothing is ever said, and the connection stays open until the server stops.
    Stall,
    /// Arguments come out as broken JSON when streamed, and well in one piece.
    GarbledStream,
}

/// A recorded response.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Raw {
    /// HTTP status.
    pub status: u16,
    /// Content type.
    pub content_type: String,
    /// Body of the response, sent as it is.
    pub body: String,
}

/// Which requests a step answers. Nothing set: any.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// A tool of this name (or ending in it) is on offer.
    pub offers: Option<String>,
    /// The last message contains this.
    pub last_contains: Option<String>,
}

impl When {
    /// Whether a request is such a one.
    pub fn fits(&self, body: &Value) -> bool {
        let offers = self.offers.as_ref().is_none_or(|name| offered(body).any(|tool| is_called(tool, name)));
        let last = || body["messages"].as_array().and_then(|messages| messages.last()).map(Value::to_string);
        let contains =
            self.last_contains.as_ref().is_none_or(|words| last().is_some_and(|last| last.contains(words)));
        offers && contains
    }
}

/// Names of the tools on offer, in either format.
pub fn offered(body: &Value) -> impl Iterator<Item = &str> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["name"].as_str().or_else(|| tool["function"]["name"].as_str()))
}

/// The full name of a tool on offer.
pub fn full_name(body: &Value, name: &str) -> String {
    offered(body).find(|tool| is_called(tool, name)).unwrap_or(name).to_owned()
}

fn is_called(tool: &str, name: &str) -> bool {
    tool == name || tool.strip_suffix(name).is_some_and(|before| before.ends_with('_'))
}
