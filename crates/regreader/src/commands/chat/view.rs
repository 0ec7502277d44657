//! How a turn looks: answers on stdout, whole lines at a time; every tool call one calm line on stderr.

use regreader_agent::Event;
use serde_json::Value;

use crate::markdown::Drawer;
use crate::output::Output;

/// Shows events as they come.
pub struct View<'a> {
    output: &'a Output,
    text: Drawer<'a>,
    call: String,
}

impl<'a> View<'a> {
    /// A view with nothing shown yet.
    pub fn new(output: &'a Output) -> Self {
        Self { output, text: Drawer::new(output), call: String::new() }
    }

    /// Shows an event.
    pub fn show(&mut self, event: &Event) {
        match event {
            Event::ToolCall { tool, arguments } => self.call = format!("· {tool} {}", gist(arguments)),
            Event::ToolResult { ok, summary, .. } => {
                let mark = if *ok { "→" } else { "✗" };
                let line: String = format!("{} {mark} {summary}", std::mem::take(&mut self.call))
                    .chars()
                    .take(160)
                    .collect();
                eprintln!("{}", self.output.dim(&line));
            }
            Event::Notice { text } => eprintln!("{}", self.output.dim(&format!("! {text}"))),
            Event::Text { text } => {
                // Whoever closed stdout does not want to see more.
                let _ = self.text.text(text);
            }
            Event::Thinking { .. }
            | Event::Citation { .. }
            | Event::Checkpoint { .. }
            | Event::Done { .. } => {}
        }
    }

    /// Everything has come.
    pub fn finish(&mut self) {
        // Whoever closed stdout does not want to see more.
        let _ = self.text.finish();
    }
}

/// The arguments of a call in a few words.
fn gist(arguments: &Value) -> String {
    let words = arguments.as_object().into_iter().flatten().filter_map(|(_, value)| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(items) => Some(items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("+")),
        _ => None,
    });
    words.collect::<Vec<_>>().join(" ").chars().take(80).collect()
}
