//! The two wire formats, behind one face.

pub mod anthropic;
pub mod openai;
mod think;

use serde_json::Value;

use crate::{ChatRequest, ChatResponse, Delta, LlmConfig, LlmError, Wire};

/// The body of a request.
pub fn encode(config: &LlmConfig, request: &ChatRequest, stream: bool) -> Value {
    match config.wire() {
        Wire::Anthropic => anthropic::encode(config, request, stream),
        Wire::OpenAi => openai::encode(config, request, stream),
    }
}

/// The headers of a request, the key among them.
pub fn headers(config: &LlmConfig) -> Vec<(String, String)> {
    let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    let key = config.api_key.reveal();
    match config.wire() {
        Wire::Anthropic => {
            headers.push(("anthropic-version".to_owned(), "2023-06-01".to_owned()));
            if !key.is_empty() {
                headers.push(("x-api-key".to_owned(), key.to_owned()));
            }
        }
        Wire::OpenAi if !key.is_empty() => {
            headers.push(("authorization".to_owned(), format!("Bearer {key}")));
        }
        Wire::OpenAi => {}
    }
    for (name, value) in &config.headers {
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        headers.push((name.clone(), value.reveal().to_owned()));
    }
    headers
}

/// Puts a streamed response together.
pub enum Decoder {
    /// Anthropic's events.
    Anthropic(anthropic::Decoder),
    /// OpenAI's chunks.
    OpenAi(openai::Decoder),
}

impl Decoder {
    /// A decoder for this wire format.
    pub fn new(wire: Wire) -> Self {
        match wire {
            Wire::Anthropic => Self::Anthropic(anthropic::Decoder::default()),
            Wire::OpenAi => Self::OpenAi(openai::Decoder::default()),
        }
    }

    /// Takes the data of one event.
    pub fn event(&mut self, data: &str, sink: &mut dyn FnMut(Delta)) -> Result<(), LlmError> {
        match self {
            Self::Anthropic(decoder) => decoder.event(data, sink),
            Self::OpenAi(decoder) => decoder.event(data, sink),
        }
    }

    /// The response, once the stream has ended; a stream that ended too early is an error.
    pub fn finish(self, sink: &mut dyn FnMut(Delta)) -> Result<ChatResponse, LlmError> {
        match self {
            Self::Anthropic(decoder) => decoder.finish(),
            Self::OpenAi(decoder) => decoder.finish(sink),
        }
    }
}

/// Reads a response that came in one piece.
pub fn decode(wire: Wire, body: &Value) -> Result<ChatResponse, LlmError> {
    match wire {
        Wire::Anthropic => anthropic::decode(body),
        Wire::OpenAi => openai::decode(body),
    }
}

/// What a server says went wrong, in either format.
pub fn error_message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    let message = value["error"]["message"]
        .as_str()
        .or_else(|| value["error"].as_str())
        .or_else(|| value["message"].as_str());
    message.unwrap_or(text.trim()).chars().take(500).collect()
}

/// A JSON number of tokens, or 0.
fn tokens(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}
