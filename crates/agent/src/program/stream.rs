//! What the program says, line by line, as our events.
//!
//! Each line is a JSON object with a `type`: `system` (it has begun: which model, which servers), `assistant` (text,
//! thoughts, tool calls), `user` (tool results), `result` (how it ended). Everything else, and every line that is no such
//! object, is passed over: the program grows new ones.

use std::collections::HashMap;

use regreader_llm::Usage;
use regreader_messages::{agents, tools};
use serde_json::Value;

use super::SERVER;
use crate::dialogue::gist;
use crate::{Event, Memory};

/// What stands before the names of our tools.
pub const PREFIX: &str = "mcp__regreader__";

/// How the program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// With words.
    Said(String),
    /// Because a budget was spent.
    Stopped(String),
    /// Without having done its work.
    Failed(String),
}

/// Everything heard so far.
#[derive(Debug, Default)]
pub struct Stream {
    /// The model that answers.
    pub model: Option<String>,
    /// The last words that no tool call followed.
    pub text: String,
    /// Calls of tools.
    pub calls: u32,
    /// Turns of the model.
    pub turns: u32,
    /// Tokens that were used.
    pub usage: Usage,
    /// What it says it cost.
    pub cost: Option<f64>,
    /// How it ended.
    pub ended: Option<Ended>,
    open: HashMap<String, String>,
    messages: Vec<String>,
}

impl Stream {
    /// Takes a line; what it means for whoever watches, and for the working memory.
    pub fn read(&mut self, line: &str, memory: &mut Memory) -> Vec<Event> {
        let Ok(said) = serde_json::from_str::<Value>(line) else { return Vec::new() };
        let mut events = Vec::new();
        match said["type"].as_str() {
            Some("system") if said["subtype"] == "init" => self.begin(&said),
            Some("assistant") => self.assistant(&said["message"], &mut events),
            Some("user") => self.results(&said["message"], memory, &mut events),
            Some("result") => self.end(&said),
            _ => {}
        }
        events
    }

    fn begin(&mut self, said: &Value) {
        self.model = said["model"].as_str().map(str::to_owned);
        let servers = said["mcp_servers"].as_array().into_iter().flatten();
        let status =
            servers.filter(|server| server["name"] == SERVER).find_map(|server| server["status"].as_str());
        // A server that is still connecting may come; one that failed will not.
        if status == Some("failed") {
            self.ended = Some(Ended::Failed(agents::NO_SERVER.into()));
        }
    }

    fn assistant(&mut self, message: &Value, events: &mut Vec<Event>) {
        // One message of the model may come in several lines, each with the same id and usage.
        let id = message["id"].as_str().unwrap_or_default().to_owned();
        if !self.messages.contains(&id) {
            self.messages.push(id);
            self.turns += 1;
            self.usage += usage(&message["usage"]);
            self.text.clear();
        }
        for block in message["content"].as_array().into_iter().flatten() {
            let text = |key: &str| block[key].as_str().unwrap_or_default().trim();
            match block["type"].as_str() {
                Some("text") => self.text.push_str(block["text"].as_str().unwrap_or_default()),
                Some("thinking") if !text("thinking").is_empty() => {
                    events.push(Event::Thinking { text: text("thinking").to_owned() });
                }
                Some("tool_use") => {
                    // Words before a call are about the way, not the answer.
                    let words = std::mem::take(&mut self.text);
                    if !words.trim().is_empty() {
                        events.push(Event::Thinking { text: words.trim().to_owned() });
                    }
                    self.calls += 1;
                    let tool = text("name").trim_start_matches(PREFIX).to_owned();
                    self.open.insert(text("id").to_owned(), tool.clone());
                    events.push(Event::ToolCall { tool, arguments: block["input"].clone() });
                }
                _ => {}
            }
        }
    }

    fn results(&mut self, message: &Value, memory: &mut Memory, events: &mut Vec<Event>) {
        for block in message["content"].as_array().into_iter().flatten() {
            let id = block["tool_use_id"].as_str().unwrap_or_default();
            let Some(tool) = self.open.remove(id).filter(|_| block["type"] == "tool_result") else {
                continue;
            };
            let text = content(&block["content"]);
            let ok = block["is_error"] != true;
            let summary = match serde_json::from_str::<Value>(&text) {
                Ok(value) if ok => {
                    let gist = gist(&tool, &value);
                    memory.keep_result(&gist);
                    gist.summary
                }
                _ if ok => tools::DONE.into(),
                _ => text.lines().next().unwrap_or_default().chars().take(200).collect(),
            };
            events.push(Event::ToolResult { tool, ok, summary });
        }
    }

    fn end(&mut self, said: &Value) {
        if let Some(turns) = said["num_turns"].as_u64() {
            self.turns = u32::try_from(turns).unwrap_or(u32::MAX);
        }
        if said["usage"].is_object() {
            self.usage = usage(&said["usage"]);
        }
        self.cost = said["total_cost_usd"].as_f64();
        let words = said["result"].as_str().unwrap_or_default().to_owned();
        self.ended = Some(match said["subtype"].as_str() {
            Some("success") if said["is_error"] != true => Ended::Said(words),
            Some("error_max_turns") => Ended::Stopped(agents::TURN_LIMIT.into()),
            kind => {
                let errors: Vec<&str> =
                    said["errors"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                let reason = if words.is_empty() { errors.join(" ") } else { words };
                Ended::Failed(if reason.is_empty() { kind.unwrap_or("?").to_owned() } else { reason })
            }
        });
    }
}

/// A tool result's text, in either form.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        other => {
            let texts = other.as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}

fn usage(said: &Value) -> Usage {
    let count = |key: &str| said[key].as_u64().unwrap_or(0);
    Usage {
        input_tokens: count("input_tokens"),
        output_tokens: count("output_tokens"),
        cache_read_tokens: count("cache_read_input_tokens"),
        cache_write_tokens: count("cache_creation_input_tokens"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(stream: &mut Stream, line: &Value) -> Vec<Event> {
        stream.read(&line.to_string(), &mut Memory::default())
    }

    #[test]
    fn a_whole_exchange_becomes_events_and_words() {
        let mut stream = Stream::default();
        let init = json!({ "type": "system", "subtype": "init", "model": "claude-x",
            "mcp_servers": [{ "name": "regreader", "status": "connected" }] });
        assert!(read(&mut stream, &init).is_empty());
        let usage = json!({ "input_tokens": 10, "output_tokens": 2, "cache_read_input_tokens": 5 });
        let words = json!({ "type": "assistant", "message": { "id": "m1", "usage": usage,
            "content": [{ "type": "text", "text": "先读第 24 页。" }] } });
        let call = json!({ "type": "assistant", "message": { "id": "m1", "usage": usage, "content": [
            { "type": "tool_use", "id": "t1", "name": "mcp__regreader__read_page_range", "input": { "start_page": 24 } },
        ] } });
        assert!(read(&mut stream, &words).is_empty());
        let events = read(&mut stream, &call);
        assert_eq!(events[0], Event::Thinking { text: "先读第 24 页。".to_owned() });
        let Event::ToolCall { tool, arguments } = &events[1] else { panic!("{events:?}") };
        assert_eq!((tool.as_str(), &arguments["start_page"]), ("read_page_range", &json!(24)));
        let page = json!({ "source": "[来源: 安规2024 P24]", "content_markdown": "拉开全部开关", "start_page": 24,
            "end_page": 24, "page_count": 1, "has_merged_tables": false, "continues_to_next": false, "truncated": false });
        let page = page.to_string();
        let mut memory = Memory::default();
        let result = json!({ "type": "user", "message": { "content": [
            { "type": "tool_result", "tool_use_id": "t1", "content": [{ "type": "text", "text": page }] },
        ] } });
        let events = stream.read(&result.to_string(), &mut memory);
        assert_eq!(events.len(), 1);
        assert_eq!(memory.chunks[0].text, "拉开全部开关", "what was read is remembered");
        let answer = json!({ "type": "result", "subtype": "success", "is_error": false, "result": "拉开全部开关",
            "num_turns": 2, "total_cost_usd": 0.01, "usage": usage });
        read(&mut stream, &answer);
        assert_eq!(stream.ended, Some(Ended::Said("拉开全部开关".to_owned())));
        assert_eq!((stream.model.as_deref(), stream.calls, stream.turns), (Some("claude-x"), 1, 2));
        assert_eq!(stream.usage.total(), 17, "a message that came in two lines counts once");
    }

    #[test]
    fn whatever_goes_wrong_is_said_and_noise_is_passed_over() {
        let mut stream = Stream::default();
        for noise in ["", "not json", "[]", "{\"type\":\"new_thing\"}", "{\"type\":\"user\",\"message\":{}}"]
        {
            assert!(stream.read(noise, &mut Memory::default()).is_empty());
        }
        let refused = json!({ "type": "assistant", "message": { "id": "m", "content": [
            { "type": "tool_use", "id": "t", "name": "mcp__regreader__get_toc", "input": {} },
        ] } });
        read(&mut stream, &refused);
        let result = json!({ "type": "user", "message": { "content": [
            { "type": "tool_result", "tool_use_id": "t", "is_error": true, "content": "规程不存在: nowhere\n下一步: …" },
        ] } });
        let events = read(&mut stream, &result);
        assert_eq!(
            events,
            [Event::ToolResult {
                tool: "get_toc".to_owned(),
                ok: false,
                summary: "规程不存在: nowhere".to_owned()
            }]
        );
        read(&mut stream, &json!({ "type": "result", "subtype": "error_max_turns", "is_error": true }));
        assert!(matches!(stream.ended, Some(Ended::Stopped(_))));
        let failed =
            json!({ "type": "result", "subtype": "success", "is_error": true, "result": "Invalid API key" });
        read(&mut stream, &failed);
        assert_eq!(stream.ended, Some(Ended::Failed("Invalid API key".to_owned())));
        let init = json!({ "type": "system", "subtype": "init", "mcp_servers": [{ "name": "regreader", "status": "failed" }] });
        read(&mut stream, &init);
        assert!(matches!(stream.ended, Some(Ended::Failed(_))));
    }
}
