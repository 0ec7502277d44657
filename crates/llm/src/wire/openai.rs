//! OpenAI-compatible chat completions.

use regreader_messages::errors;
use serde_json::{Value, json};

use super::think::{ThinkFilter, Told};
use super::tokens;
use crate::{
    ChatRequest, ChatResponse, Delta, LlmConfig, LlmError, Message, Part, Provider, Role, StopReason,
    ToolCall, ToolChoice, Usage,
};

/// Most tool calls of one response; more is a model run wild.
const MAX_CALLS: usize = 64;

/// The body of a request.
pub fn encode(config: &LlmConfig, request: &ChatRequest, stream: bool) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for message in &request.messages {
        push_message(&mut messages, message);
    }
    let mut body = json!({ "model": config.model, "messages": messages, "stream": stream });
    // OpenAI renamed it; everyone else kept the old name.
    let limit = if config.provider() == Provider::OpenAi { "max_completion_tokens" } else { "max_tokens" };
    body[limit] = json!(request.max_output_tokens + request.thinking_tokens);
    if stream {
        body["stream_options"] = json!({ "include_usage": true });
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "type": "function", "function": { "name": tool.name, "description": tool.description, "parameters": tool.schema } })
        });
        body["tools"] = tools.collect();
        match &request.tool_choice {
            ToolChoice::Auto => {}
            ToolChoice::None => body["tool_choice"] = json!("none"),
            ToolChoice::Tool(name) => {
                body["tool_choice"] = json!({ "type": "function", "function": { "name": name } });
            }
        }
    }
    body
}

fn push_message(messages: &mut Vec<Value>, message: &Message) {
    let text = message.text();
    match message.role {
        Role::Assistant => {
            let calls: Vec<Value> = message
                .parts
                .iter()
                .filter_map(|part| match part {
                    Part::ToolCall(call) => Some(json!({
                        "id": call.id, "type": "function",
                        "function": { "name": call.name, "arguments": call.arguments.to_string() },
                    })),
                    _ => None,
                })
                .collect();
            let mut value = json!({ "role": "assistant", "content": text });
            if !calls.is_empty() {
                value["tool_calls"] = Value::Array(calls);
            }
            messages.push(value);
        }
        Role::User => {
            for part in &message.parts {
                if let Part::ToolResult { id, content, is_error } = part {
                    let content = if *is_error { format!("错误: {content}") } else { content.clone() };
                    messages.push(json!({ "role": "tool", "tool_call_id": id, "content": content }));
                }
            }
            if !text.is_empty() {
                messages.push(json!({ "role": "user", "content": text }));
            }
        }
    }
}

/// Reads a response that came in one piece.
pub fn decode(body: &Value) -> Result<ChatResponse, LlmError> {
    let choice = &body["choices"][0];
    if !choice["message"].is_object() {
        return Err(LlmError::BadResponse { reason: errors::NO_CHOICES.into() });
    }
    let mut decoder = Decoder::default();
    let quiet = &mut |_: Delta| {};
    decoder.usage = usage(&body["usage"]);
    decoder.delta(&choice["message"], quiet);
    decoder.finish_reason = Some(choice["finish_reason"].as_str().unwrap_or("stop").to_owned());
    decoder.finish(quiet)
}

/// Puts chunks together.
#[derive(Debug, Default)]
pub struct Decoder {
    text: String,
    thinking: String,
    refused: bool,
    calls: Vec<Open>,
    usage: Usage,
    finish_reason: Option<String>,
    ended: bool,
    think: ThinkFilter,
}

#[derive(Debug, Default)]
struct Open {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl Decoder {
    /// Takes the data of one event.
    pub fn event(&mut self, data: &str, sink: &mut dyn FnMut(Delta)) -> Result<(), LlmError> {
        if data.trim() == "[DONE]" {
            self.ended = true;
            return Ok(());
        }
        let chunk: Value = serde_json::from_str(data)
            .map_err(|error| LlmError::BadResponse { reason: errors::event_not_json(error) })?;
        if !chunk["error"].is_null() {
            let code = chunk["error"]["code"].as_u64().and_then(|code| u16::try_from(code).ok());
            let message = chunk["error"]["message"].as_str().unwrap_or("error").chars().take(500).collect();
            return Err(LlmError::Status { status: code.unwrap_or(500), message, retry_after: None });
        }
        if chunk["usage"].is_object() {
            self.usage = usage(&chunk["usage"]);
        }
        let choice = &chunk["choices"][0];
        self.delta(&choice["delta"], sink);
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish_reason = Some(reason.to_owned());
        }
        Ok(())
    }

    fn delta(&mut self, delta: &Value, sink: &mut dyn FnMut(Delta)) {
        let thought = delta["reasoning_content"].as_str().or_else(|| delta["reasoning"].as_str());
        if let Some(thought) = thought.filter(|thought| !thought.is_empty()) {
            self.tell(Told::Thought(thought.to_owned()), sink);
        }
        if let Some(text) = delta["content"].as_str().filter(|text| !text.is_empty()) {
            for told in self.think.feed(text) {
                self.tell(told, sink);
            }
        }
        if let Some(refusal) = delta["refusal"].as_str().filter(|text| !text.is_empty()) {
            self.refused = true;
            self.tell(Told::Text(refusal.to_owned()), sink);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.call(call);
        }
    }

    fn tell(&mut self, told: Told, sink: &mut dyn FnMut(Delta)) {
        match told {
            Told::Thought(piece) => {
                self.thinking.push_str(&piece);
                sink(Delta::Thinking(piece));
            }
            Told::Text(piece) => {
                self.text.push_str(&piece);
                sink(Delta::Text(piece));
            }
        }
    }

    /// A piece of a call belongs to the call of its index; without one, a new id begins a new call.
    fn call(&mut self, piece: &Value) {
        let index = piece["index"].as_u64();
        let id = piece["id"].as_str().unwrap_or_default();
        let known = match index {
            Some(_) => self.calls.iter().position(|open| open.index == index),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().position(|open| open.id == id),
        };
        let at = known.unwrap_or(self.calls.len());
        if known.is_none() {
            if self.calls.len() >= MAX_CALLS {
                return;
            }
            self.calls.push(Open { index, ..Open::default() });
        }
        let Some(open) = self.calls.get_mut(at) else { return };
        if open.id.is_empty() {
            id.clone_into(&mut open.id);
        }
        let function = &piece["function"];
        if let Some(name) = function["name"].as_str()
            && open.name != name
        {
            open.name.push_str(name);
        }
        match &function["arguments"] {
            Value::String(text) => open.arguments.push_str(text),
            // Some servers send the object itself.
            object @ Value::Object(_) => open.arguments.push_str(&object.to_string()),
            _ => {}
        }
    }

    /// The response, if the stream came to its end.
    pub fn finish(mut self, sink: &mut dyn FnMut(Delta)) -> Result<ChatResponse, LlmError> {
        if !self.ended && self.finish_reason.is_none() {
            return Err(LlmError::Cut { reason: errors::CUT_BEFORE_REASON.into() });
        }
        if let Some(told) = self.think.finish() {
            self.tell(told, sink);
        }
        let mut parts = Vec::new();
        if !self.thinking.is_empty() {
            parts.push(Part::Thinking { text: self.thinking, signature: None, redacted: None });
        }
        let mut written = Vec::new();
        if self.calls.is_empty() {
            (self.text, written) = calls_in_text(&self.text);
        }
        if !self.text.trim().is_empty() {
            parts.push(Part::Text { text: self.text });
        }
        let streamed = self.calls.into_iter().map(|open| (open.id, open.name, open.arguments));
        let mut calls = 0;
        for (id, name, arguments) in streamed.chain(written) {
            let id = if id.is_empty() { format!("call_{calls}") } else { id };
            parts.push(Part::ToolCall(ToolCall::parse(id, name, &arguments)));
            calls += 1;
        }
        let stop = match self.finish_reason.as_deref() {
            Some("length") => StopReason::Length,
            Some("content_filter") => StopReason::Refusal,
            _ if self.refused => StopReason::Refusal,
            _ if calls > 0 => StopReason::Tools,
            _ => StopReason::End,
        };
        Ok(ChatResponse { parts, stop, usage: self.usage })
    }
}

/// A call as id, name and arguments.
type Written = (String, String, String);

/// Calls that a model wrote into its text because its server does not parse them: `<tool_call>{…}</tool_call>`.
fn calls_in_text(text: &str) -> (String, Vec<Written>) {
    let mut left = String::new();
    let mut calls = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<tool_call>") {
        let (inside, behind) = after.split_once("</tool_call>").unwrap_or((after, ""));
        let call: Value = serde_json::from_str(inside.trim()).unwrap_or(Value::Null);
        match call["name"].as_str() {
            Some(name) if calls.len() < MAX_CALLS => {
                calls.push((String::new(), name.to_owned(), call["arguments"].to_string()));
                left.push_str(before);
            }
            _ => return (text.to_owned(), Vec::new()),
        }
        rest = behind;
    }
    left.push_str(rest);
    (left, calls)
}

fn usage(value: &Value) -> Usage {
    let cached = tokens(&value["prompt_tokens_details"]["cached_tokens"])
        .max(tokens(&value["prompt_cache_hit_tokens"]));
    Usage {
        input_tokens: tokens(&value["prompt_tokens"]).saturating_sub(cached),
        output_tokens: tokens(&value["completion_tokens"]),
        cache_read_tokens: cached,
        cache_write_tokens: 0,
    }
}
