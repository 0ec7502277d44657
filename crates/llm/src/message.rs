//! What is said to a model and what it says, in neither wire format.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Usage;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person, or a tool's result.
    User,
    /// The model.
    Assistant,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who wrote the message.
    pub role: Role,
    /// What, in order.
    pub parts: Vec<Part>,
}

impl Message {
    /// What a person says.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, parts: vec![Part::Text { text: text.into() }] }
    }

    /// What a model said.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, parts: vec![Part::Text { text: text.into() }] }
    }

    /// Its text parts, joined.
    pub fn text(&self) -> String {
        text_of(&self.parts)
    }
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum Part {
    /// Plain text, from the person or from the model.
    Text {
        /// The words.
        text: String,
    },
    /// What the model thought. It goes back to the model as it came.
    Thinking {
        /// The thought; empty when the provider keeps it to itself.
        text: String,
        /// The provider's seal on it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        /// A thought that only the provider can read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        redacted: Option<String>,
    },
    /// The model calls a tool.
    ToolCall(ToolCall),
    /// What the tool gave.
    ToolResult {
        /// The call's id.
        id: String,
        /// For the model.
        content: String,
        /// The tool said no.
        is_error: bool,
    },
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Id that the result must carry.
    pub id: String,
    /// Which tool.
    pub name: String,
    /// With what; an empty object when it could not be read.
    pub arguments: Value,
    /// What the model wrote, when that is no JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub malformed: Option<String>,
}

impl ToolCall {
    /// A call from the arguments as text, which may be anything.
    pub fn parse(id: String, name: String, arguments: &str) -> Self {
        let trimmed = arguments.trim();
        let parsed = if trimmed.is_empty() {
            Ok(Value::Object(serde_json::Map::new()))
        } else {
            serde_json::from_str(trimmed)
        };
        match parsed {
            Ok(value @ Value::Object(_)) => Self { id, name, arguments: value, malformed: None },
            _ => Self {
                id,
                name,
                arguments: Value::Object(serde_json::Map::new()),
                malformed: Some(arguments.chars().take(2_000).collect()),
            },
        }
    }
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Name by which the model calls it.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// JSON schema of the arguments.
    pub schema: Value,
}

/// Whether the model must call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// It decides.
    #[default]
    Auto,
    /// It must not.
    None,
    /// It must call this one.
    Tool(String),
}

/// One request.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatRequest {
    /// The role and the rules.
    pub system: String,
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// Tools on offer.
    pub tools: Vec<ToolDefinition>,
    /// Whether one must be called.
    pub tool_choice: ToolChoice,
    /// Most tokens it may write.
    pub max_output_tokens: u32,
    /// Tokens it may think, where the model can; 0 for none.
    pub thinking_tokens: u32,
}

/// What arrives while the model speaks.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// More words.
    Text(String),
    /// More thought.
    Thinking(String),
    /// Everything of this response so far is void: the stream broke and the request is made again.
    Restart {
        /// Why, without secrets.
        reason: String,
    },
}

/// Why it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It had said everything.
    End,
    /// It waits for tools.
    Tools,
    /// It ran into the limit of output tokens.
    Length,
    /// It refused.
    Refusal,
}

/// One response.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatResponse {
    /// What it said, thought and called, in order.
    pub parts: Vec<Part>,
    /// Why it stopped.
    pub stop: StopReason,
    /// What it used.
    pub usage: Usage,
}

impl ChatResponse {
    /// Its text parts, joined.
    pub fn text(&self) -> String {
        text_of(&self.parts)
    }

    /// The tools it calls.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        })
    }
}

fn text_of(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("")
}
