//! The OpenAI chat completions format, from the server's side.

use serde_json::{Value, json};

use crate::anthropic::pieces;
use crate::script::{Fault, Step, full_name};

/// The response in one piece.
pub fn whole(step: &Step, request: &Value, serial: usize) -> Value {
    let calls: Vec<Value> = step
        .tool_calls
        .iter()
        .enumerate()
        .map(|(number, call)| {
            let arguments = call.raw.clone().unwrap_or_else(|| call.arguments.to_string());
            json!({
                "id": format!("call_{serial}_{number}"), "type": "function",
                "function": { "name": full_name(request, &call.name), "arguments": arguments },
            })
        })
        .collect();
    let mut message = json!({ "role": "assistant", "content": step.text });
    if let Some(thought) = &step.thinking {
        message["reasoning_content"] = json!(thought);
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({
        "id": format!("chatcmpl-{serial}"), "object": "chat.completion", "created": 0, "model": request["model"],
        "choices": [{ "index": 0, "message": message, "finish_reason": finish_reason(step) }],
        "usage": usage(step),
    })
}

/// The response as events; a cut one ends where it is cut.
pub fn events(step: &Step, request: &Value, serial: usize) -> Vec<String> {
    let message = whole(step, request, serial);
    let message = &message["choices"][0]["message"];
    let cut = matches!(step.fault, Some(Fault::Cut | Fault::StreamError));
    let mut deltas = vec![json!({ "role": "assistant", "content": "" })];
    for piece in pieces(step.thinking.as_deref().unwrap_or_default()) {
        deltas.push(json!({ "reasoning_content": piece }));
    }
    for piece in pieces(step.text.as_deref().unwrap_or_default()) {
        deltas.push(json!({ "content": piece }));
    }
    for (index, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let function = &call["function"];
        deltas.push(json!({ "tool_calls": [{
            "index": index, "id": call["id"], "type": "function",
            "function": { "name": function["name"], "arguments": "" },
        }] }));
        let mut arguments = function["arguments"].as_str().unwrap_or_default().to_owned();
        if matches!(step.fault, Some(Fault::GarbledStream)) {
            arguments.push_str("}{");
        }
        for piece in pieces(&arguments) {
            deltas.push(json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }));
        }
    }
    if cut {
        // Past the middle, so that a tool call has begun.
        deltas.truncate(deltas.len().div_ceil(2).max(2));
    }
    let chunk = |delta: &Value, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        data(
            &json!({ "id": format!("chatcmpl-{serial}"), "object": "chat.completion.chunk", "created": 0, "model": request["model"], "choices": [choice] }),
        )
    };
    let mut events: Vec<String> = deltas.iter().map(|delta| chunk(delta, None)).collect();
    if matches!(step.fault, Some(Fault::StreamError)) {
        events.push(data(&json!({ "error": { "message": "overloaded", "code": 529 } })));
    }
    if cut {
        return events;
    }
    events.push(chunk(&json!({}), Some(finish_reason(step))));
    if request["stream_options"]["include_usage"] == true {
        events.push(data(&json!({ "id": format!("chatcmpl-{serial}"), "object": "chat.completion.chunk", "created": 0, "model": request["model"], "choices": [], "usage": usage(step) })));
    }
    events.push("data: [DONE]\n\n".to_owned());
    events
}

/// A refusal.
pub fn error(status: u16, message: &str) -> Value {
    json!({ "error": { "message": message, "type": "server_error", "code": status } })
}

fn finish_reason(step: &Step) -> &'static str {
    if step.tool_calls.is_empty() { "stop" } else { "tool_calls" }
}

fn usage(step: &Step) -> Value {
    let input = step.input_tokens.unwrap_or(100);
    json!({
        "prompt_tokens": input + 11, "completion_tokens": 20, "total_tokens": input + 31,
        "prompt_tokens_details": { "cached_tokens": 11 },
    })
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}
