//! Anthropic Messages.

use std::collections::BTreeMap;

use regreader_messages::errors;
use serde_json::{Value, json};

use super::tokens;
use crate::{
    ChatRequest, ChatResponse, Delta, LlmConfig, LlmError, Message, Part, Role, StopReason, ToolCall,
    ToolChoice, Usage,
};

/// The body of a request. The role, the tools and the last message end in cache marks, so that the next turn reads
/// everything before it from the provider's cache.
pub fn encode(config: &LlmConfig, request: &ChatRequest, stream: bool) -> Value {
    let mut messages: Vec<Value> = request.messages.iter().map(message).collect();
    if let Some(block) =
        messages.last_mut().and_then(|m| m["content"].as_array_mut()).and_then(|c| c.last_mut())
    {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
    let mut body = json!({
        "model": config.model,
        "max_tokens": request.max_output_tokens + request.thinking_tokens,
        "messages": messages,
        "stream": stream,
    });
    if !request.system.is_empty() {
        body["system"] =
            json!([{ "type": "text", "text": request.system, "cache_control": { "type": "ephemeral" } }]);
    }
    if !request.tools.is_empty() {
        let mut tools: Vec<Value> = request
            .tools
            .iter()
            .map(|tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema }))
            .collect();
        if let Some(last) = tools.last_mut() {
            last["cache_control"] = json!({ "type": "ephemeral" });
        }
        body["tools"] = Value::Array(tools);
        match &request.tool_choice {
            ToolChoice::Auto => {}
            ToolChoice::None => body["tool_choice"] = json!({ "type": "none" }),
            // A thinking model cannot be forced.
            ToolChoice::Tool(_) if request.thinking_tokens > 0 => {}
            ToolChoice::Tool(name) => body["tool_choice"] = json!({ "type": "tool", "name": name }),
        }
    }
    if request.thinking_tokens > 0 {
        // The API wants at least 1024.
        body["thinking"] = json!({ "type": "enabled", "budget_tokens": request.thinking_tokens.max(1_024) });
    }
    body
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    let blocks: Vec<Value> = message.parts.iter().filter_map(block).collect();
    json!({ "role": role, "content": blocks })
}

fn block(part: &Part) -> Option<Value> {
    match part {
        // An empty text block is refused.
        Part::Text { text } if text.trim().is_empty() => None,
        Part::Text { text } => Some(json!({ "type": "text", "text": text })),
        Part::Thinking { redacted: Some(data), .. } => {
            Some(json!({ "type": "redacted_thinking", "data": data }))
        }
        Part::Thinking { text, signature: Some(signature), .. } => {
            Some(json!({ "type": "thinking", "thinking": text, "signature": signature }))
        }
        // A thought without a seal came from another provider.
        Part::Thinking { .. } => None,
        Part::ToolCall(call) => {
            Some(json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments }))
        }
        Part::ToolResult { id, content, is_error } => Some(
            json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error }),
        ),
    }
}

/// Reads a response that came in one piece.
pub fn decode(body: &Value) -> Result<ChatResponse, LlmError> {
    let Some(content) = body["content"].as_array() else {
        return Err(LlmError::BadResponse { reason: errors::NO_CONTENT_FIELD.into() });
    };
    let parts = content.iter().filter_map(|block| {
        let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
        match block["type"].as_str()? {
            "text" => Some(Part::Text { text: text("text") }),
            "thinking" => Some(Part::Thinking {
                text: text("thinking"),
                signature: Some(text("signature")),
                redacted: None,
            }),
            "redacted_thinking" => {
                Some(Part::Thinking { text: String::new(), signature: None, redacted: Some(text("data")) })
            }
            "tool_use" => {
                Some(Part::ToolCall(ToolCall::parse(text("id"), text("name"), &block["input"].to_string())))
            }
            _ => None,
        }
    });
    let parts: Vec<Part> = parts.collect();
    let mut usage = Usage::default();
    read_usage(&mut usage, &body["usage"]);
    Ok(ChatResponse { stop: stop(body["stop_reason"].as_str(), &parts), parts, usage })
}

/// Puts events together.
#[derive(Debug, Default)]
pub struct Decoder {
    blocks: BTreeMap<u64, Open>,
    usage: Usage,
    stop: Option<String>,
    ended: bool,
}

#[derive(Debug)]
enum Open {
    Text(String),
    Thinking { text: String, signature: String },
    Redacted(String),
    Tool { id: String, name: String, json: String },
}

impl Decoder {
    /// Takes the data of one event.
    pub fn event(&mut self, data: &str, sink: &mut dyn FnMut(Delta)) -> Result<(), LlmError> {
        let event: Value = serde_json::from_str(data)
            .map_err(|error| LlmError::BadResponse { reason: errors::event_not_json(error) })?;
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => read_usage(&mut self.usage, &event["message"]["usage"]),
            "content_block_start" => {
                let block = &event["content_block"];
                let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
                let open = match block["type"].as_str().unwrap_or_default() {
                    "text" => Open::Text(text("text")),
                    "thinking" => Open::Thinking { text: text("thinking"), signature: text("signature") },
                    "redacted_thinking" => Open::Redacted(text("data")),
                    "tool_use" => Open::Tool { id: text("id"), name: text("name"), json: String::new() },
                    _ => return Ok(()),
                };
                self.blocks.insert(tokens(&event["index"]), open);
            }
            "content_block_delta" => self.delta(&event, sink),
            "message_delta" => {
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    self.stop = Some(reason.to_owned());
                }
                read_usage(&mut self.usage, &event["usage"]);
            }
            "message_stop" => self.ended = true,
            "error" => return Err(stream_error(&event["error"])),
            // Pings, and what later versions may add.
            _ => {}
        }
        Ok(())
    }

    fn delta(&mut self, event: &Value, sink: &mut dyn FnMut(Delta)) {
        let delta = &event["delta"];
        let piece = |key: &str| delta[key].as_str().unwrap_or_default();
        match (self.blocks.get_mut(&tokens(&event["index"])), delta["type"].as_str().unwrap_or_default()) {
            (Some(Open::Text(text)), "text_delta") => {
                text.push_str(piece("text"));
                sink(Delta::Text(piece("text").to_owned()));
            }
            (Some(Open::Thinking { text, .. }), "thinking_delta") => {
                text.push_str(piece("thinking"));
                sink(Delta::Thinking(piece("thinking").to_owned()));
            }
            (Some(Open::Thinking { signature, .. }), "signature_delta") => {
                signature.push_str(piece("signature"));
            }
            (Some(Open::Tool { json, .. }), "input_json_delta") => json.push_str(piece("partial_json")),
            _ => {}
        }
    }

    /// The response, if the stream came to its end.
    pub fn finish(self) -> Result<ChatResponse, LlmError> {
        if !self.ended && self.stop.is_none() {
            return Err(LlmError::Cut { reason: errors::CUT_BEFORE_STOP.into() });
        }
        let parts: Vec<Part> = self
            .blocks
            .into_values()
            .map(|open| match open {
                Open::Text(text) => Part::Text { text },
                Open::Thinking { text, signature } => {
                    Part::Thinking { text, signature: Some(signature), redacted: None }
                }
                Open::Redacted(data) => {
                    Part::Thinking { text: String::new(), signature: None, redacted: Some(data) }
                }
                Open::Tool { id, name, json } => Part::ToolCall(ToolCall::parse(id, name, &json)),
            })
            .collect();
        Ok(ChatResponse { stop: stop(self.stop.as_deref(), &parts), parts, usage: self.usage })
    }
}

/// An error in the middle of a stream, as the status it would have had.
fn stream_error(error: &Value) -> LlmError {
    let status = match error["type"].as_str().unwrap_or_default() {
        "overloaded_error" => 529,
        "rate_limit_error" => 429,
        "authentication_error" => 401,
        "invalid_request_error" => 400,
        _ => 500,
    };
    let message = error["message"].as_str().unwrap_or("error").chars().take(500).collect();
    LlmError::Status { status, message, retry_after: None }
}

fn read_usage(usage: &mut Usage, value: &Value) {
    // The end of a stream repeats the counts of its beginning, some of them as null.
    let mut read = |key: &str, field: fn(&mut Usage) -> &mut u64| {
        if let Some(count) = value[key].as_u64() {
            *field(usage) = count;
        }
    };
    read("input_tokens", |usage| &mut usage.input_tokens);
    read("output_tokens", |usage| &mut usage.output_tokens);
    read("cache_read_input_tokens", |usage| &mut usage.cache_read_tokens);
    read("cache_creation_input_tokens", |usage| &mut usage.cache_write_tokens);
}

fn stop(reason: Option<&str>, parts: &[Part]) -> StopReason {
    match reason {
        Some("max_tokens") => StopReason::Length,
        Some("refusal") => StopReason::Refusal,
        _ if parts.iter().any(|part| matches!(part, Part::ToolCall(_))) => StopReason::Tools,
        _ => StopReason::End,
    }
}
