//! A session as Markdown.

use std::fmt::Write as _;

use regreader_messages::agents;

use super::{Record, Session};
use crate::Event;

/// Questions, the tools that were used, answers with their citations.
pub fn markdown(session: &Session) -> String {
    let info = session.info();
    let mut page = agents::export_head(&info.id, &info.begun, info.questions);
    let mut tools: Vec<String> = Vec::new();
    for record in session.records() {
        match record {
            Record::Question { time, text, agent } => {
                tools.clear();
                let _ =
                    write!(page, "\n## {}\n\n{time} · {agent}\n", text.lines().collect::<Vec<_>>().join(" "));
            }
            Record::Event { event: Event::ToolCall { tool, arguments } } => {
                tools.push(format!("- `{tool}` `{arguments}`"));
            }
            Record::Answer { reply, .. } => {
                if !tools.is_empty() {
                    let _ = write!(
                        page,
                        "\n<details><summary>{}</summary>\n\n{}\n\n</details>\n",
                        agents::export_calls(tools.len()),
                        tools.join("\n")
                    );
                }
                let _ = write!(page, "\n{}", reply.answer.to_text());
                for removed in &reply.removed {
                    let _ = write!(
                        page,
                        "\n> {}{} {}\n",
                        agents::export_struck(&removed.reason),
                        removed.text,
                        removed.citation
                    );
                }
            }
            Record::Failed { reason } => {
                let _ = write!(page, "\n> {}\n", agents::export_unfinished(reason));
            }
            Record::Reset => page.push_str("\n---\n"),
            Record::Begun { .. } | Record::Event { .. } | Record::Remembered { .. } => {}
        }
    }
    if info.unfinished {
        let _ = write!(page, "\n> {}\n", agents::UNANSWERED);
    }
    page
}
