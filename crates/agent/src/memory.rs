//! Two memories that are not one: what was said, and what was read.

use std::collections::VecDeque;

use regreader_tools::Gist;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Most messages that are kept.
pub const MAX_MESSAGES: usize = 100;
/// Most passages that are kept.
const MAX_CHUNKS: usize = 24;
/// Most characters of one passage.
const MAX_CHUNK_CHARS: usize = 600;
/// Most tables of contents that are kept.
const MAX_TOCS: usize = 8;

/// A conversation: its history and its working memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Conversation {
    /// Questions and answers, oldest first; never more than 100.
    pub history: VecDeque<Turn>,
    /// What was read on the way.
    pub memory: Memory,
}

/// One message of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// It is the person's; else the agent's.
    pub from_user: bool,
    /// What was said.
    pub text: String,
}

impl Conversation {
    /// Remembers what was said.
    pub fn say(&mut self, from_user: bool, text: impl Into<String>) {
        self.history.push_back(Turn { from_user, text: text.into() });
        while self.history.len() > MAX_MESSAGES {
            self.history.pop_front();
        }
    }

    /// Forgets everything.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

/// What was read: tables of contents as they were, and the passages that mattered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Memory {
    /// Tables of contents by regulation and depth, oldest first.
    pub tocs: VecDeque<(String, Value)>,
    /// Passages, oldest first.
    pub chunks: VecDeque<Chunk>,
}

/// A passage that mattered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Where it stands.
    pub source: String,
    /// Its beginning.
    pub text: String,
}

impl Memory {
    /// A table of contents that was fetched before with the same arguments.
    pub fn toc(&self, arguments: &Value) -> Option<&Value> {
        let key = arguments.to_string();
        self.tocs.iter().find(|(known, _)| *known == key).map(|(_, toc)| toc)
    }

    /// Keeps a table of contents.
    pub fn keep_toc(&mut self, arguments: &Value, toc: Value) {
        let key = arguments.to_string();
        self.tocs.retain(|(known, _)| *known != key);
        self.tocs.push_back((key, toc));
        while self.tocs.len() > MAX_TOCS {
            self.tocs.pop_front();
        }
    }

    /// Keeps a passage; one that is kept already becomes the newest.
    pub fn keep_chunk(&mut self, source: &str, text: &str) {
        if source.is_empty() || text.trim().is_empty() {
            return;
        }
        self.chunks.retain(|chunk| chunk.source != source);
        let text = text.trim().chars().take(MAX_CHUNK_CHARS).collect();
        self.chunks.push_back(Chunk { source: source.to_owned(), text });
        while self.chunks.len() > MAX_CHUNKS {
            self.chunks.pop_front();
        }
    }

    /// Keeps what a tool's result shows, when it shows a place.
    pub fn keep_result(&mut self, gist: &Gist) {
        if let Some((source, text)) = &gist.passage {
            self.keep_chunk(source, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn history_is_bounded_and_memory_is_apart_from_it() {
        let mut conversation = Conversation::default();
        for number in 0..150 {
            conversation.say(number % 2 == 0, format!("第 {number} 句"));
            conversation.memory.keep_chunk(&format!("[来源: 安规2024 P{number}]"), "内容");
        }
        assert_eq!(conversation.history.len(), MAX_MESSAGES);
        assert_eq!(conversation.history.front().unwrap().text, "第 50 句");
        assert_eq!(conversation.memory.chunks.len(), MAX_CHUNKS);
        let asked = json!({ "reg_id": "angui_2024" });
        conversation.memory.keep_toc(&asked, json!({ "items": [] }));
        assert_eq!(conversation.memory.toc(&asked), Some(&json!({ "items": [] })));
        assert_eq!(conversation.memory.toc(&json!({ "reg_id": "wengui_2024" })), None);
        conversation.reset();
        assert_eq!(conversation, Conversation::default());
    }
}
