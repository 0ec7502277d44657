//! How a turn looks: answers on stdout, whole lines at a time; every tool call one calm line on stderr. Nothing that was
//! printed is ever printed again or taken back, so nothing flickers.

use regreader_agent::Event;
use serde_json::Value;

use crate::output::{Output, columns};

/// Shows events as they come.
pub struct View<'a> {
    output: &'a Output,
    rest: String,
    table: Vec<Vec<String>>,
    call: String,
}

impl<'a> View<'a> {
    /// A view with nothing shown yet.
    pub fn new(output: &'a Output) -> Self {
        Self { output, rest: String::new(), table: Vec::new(), call: String::new() }
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
            Event::Text { text } => self.text(text),
            Event::Thinking { .. }
            | Event::Citation { .. }
            | Event::Checkpoint { .. }
            | Event::Done { .. } => {}
        }
    }

    /// Everything has come.
    pub fn finish(&mut self) {
        if !self.rest.is_empty() {
            self.text("\n");
        }
        self.end_table();
    }

    fn text(&mut self, text: &str) {
        self.rest.push_str(text);
        while let Some(end) = self.rest.find('\n') {
            let line: String = self.rest.drain(..=end).collect();
            self.line(line.trim_end());
        }
    }

    fn line(&mut self, line: &str) {
        if let Some(cells) = line.trim().strip_prefix('|') {
            // A table is drawn when it is complete, because only then its columns are known.
            let cells: Vec<String> =
                cells.trim_end_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
            let is_rule =
                cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':')));
            if !is_rule {
                self.table.push(cells);
            }
            return;
        }
        self.end_table();
        let shown = if line.starts_with('【') { self.output.bold(line) } else { self.output.marked(line) };
        // Whoever closed stdout does not want to see more.
        let _ = self.output.line(shown);
    }

    fn end_table(&mut self) {
        for line in columns(&std::mem::take(&mut self.table)) {
            let _ = self.output.line(format!("   {line}"));
        }
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
