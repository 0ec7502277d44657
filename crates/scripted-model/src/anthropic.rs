//! The Anthropic Messages format, from the server's side.

use serde_json::{Value, json};

use crate::script::{Fault, Step, full_name};

/// The response in one piece.
pub fn whole(step: &Step, request: &Value, serial: usize) -> Value {
    let mut content = Vec::new();
    if let Some(thought) = &step.thinking {
        content.push(json!({ "type": "thinking", "thinking": thought, "signature": "c2lnbmVk" }));
    }
    if let Some(text) = &step.text {
        content.push(json!({ "type": "text", "text": text }));
    }
    for (number, call) in step.tool_calls.iter().enumerate() {
        let input = match &call.raw {
            Some(raw) => serde_json::from_str(raw).unwrap_or_else(|_| json!(raw)),
            None => call.arguments.clone(),
        };
        content.push(json!({
            "type": "tool_use", "id": format!("toolu_{serial}_{number}"),
            "name": full_name(request, &call.name), "input": input,
        }));
    }
    json!({
        "id": format!("msg_{serial}"), "type": "message", "role": "assistant", "model": request["model"],
        "content": content, "stop_reason": stop_reason(step), "stop_sequence": null,
        "usage": usage(step),
    })
}

/// The response as events; a cut one ends where it is cut.
pub fn events(step: &Step, request: &Value, serial: usize) -> Vec<String> {
    let message = whole(step, request, serial);
    let mut events = Vec::new();
    let mut start = message.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    start["usage"]["output_tokens"] = json!(1);
    events.push(event("message_start", &json!({ "type": "message_start", "message": start })));
    events.push(event("ping", &json!({ "type": "ping" })));
    let cut = matches!(step.fault, Some(Fault::Cut | Fault::StreamError));
    let mut calls = step.tool_calls.iter();
    let blocks: Vec<Value> = message["content"].as_array().cloned().unwrap_or_default();
    for (index, block) in blocks.iter().enumerate() {
        let last = index + 1 == blocks.len();
        let (open, kind, key, whole) = match block["type"].as_str().unwrap_or_default() {
            "text" => (
                json!({ "type": "text", "text": "" }),
                "text_delta",
                "text",
                block["text"].as_str().unwrap_or_default().to_owned(),
            ),
            "thinking" => {
                let thought = block["thinking"].as_str().unwrap_or_default().to_owned();
                (
                    json!({ "type": "thinking", "thinking": "", "signature": "" }),
                    "thinking_delta",
                    "thinking",
                    thought,
                )
            }
            _ => {
                let call = calls.next();
                let raw =
                    call.and_then(|call| call.raw.clone()).unwrap_or_else(|| block["input"].to_string());
                let raw =
                    if matches!(step.fault, Some(Fault::GarbledStream)) { format!("{raw}}}{{") } else { raw };
                let mut open = block.clone();
                open["input"] = json!({});
                (open, "input_json_delta", "partial_json", raw)
            }
        };
        events.push(event(
            "content_block_start",
            &json!({ "type": "content_block_start", "index": index, "content_block": open }),
        ));
        let pieces = pieces(&whole);
        let shown = if cut && last { pieces.len() / 2 } else { pieces.len() };
        for piece in &pieces[..shown] {
            events.push(event("content_block_delta", &json!({ "type": "content_block_delta", "index": index, "delta": { "type": kind, key: piece } })));
        }
        if cut && last {
            if matches!(step.fault, Some(Fault::StreamError)) {
                events.push(event("error", &json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } })));
            }
            return events;
        }
        if kind == "thinking_delta" {
            events.push(event("content_block_delta", &json!({ "type": "content_block_delta", "index": index, "delta": { "type": "signature_delta", "signature": "c2lnbmVk" } })));
        }
        events.push(event("content_block_stop", &json!({ "type": "content_block_stop", "index": index })));
    }
    events.push(event(
        "message_delta",
        &json!({
            "type": "message_delta", "delta": { "stop_reason": stop_reason(step), "stop_sequence": null },
            "usage": { "output_tokens": message["usage"]["output_tokens"] },
        }),
    ));
    events.push(event("message_stop", &json!({ "type": "message_stop" })));
    events
}

/// A refusal.
pub fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        429 => "rate_limit_error",
        529 => "overloaded_error",
        401 => "authentication_error",
        _ => "api_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": message } })
}

fn stop_reason(step: &Step) -> &'static str {
    if step.tool_calls.is_empty() { "end_turn" } else { "tool_use" }
}

fn usage(step: &Step) -> Value {
    json!({
        "input_tokens": step.input_tokens.unwrap_or(100), "output_tokens": 20,
        "cache_creation_input_tokens": 7, "cache_read_input_tokens": 11,
    })
}

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// A text in small pieces, as models send it.
pub fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(5).map(|piece| piece.iter().collect()).collect()
}
