//! A session as Markdown.

use std::fmt::Write as _;

use super::{Record, Session};
use crate::Event;

/// Questions, the tools that were used, answers with their citations.
pub fn markdown(session: &Session) -> String {
    let info = session.info();
    let mut page =
        format!("# RegReader 会话 {}\n\n开始于 {}，{} 个问题。\n", info.id, info.begun, info.questions);
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
                        "\n<details><summary>{} 次工具调用</summary>\n\n{}\n\n</details>\n",
                        tools.len(),
                        tools.join("\n")
                    );
                }
                let _ = write!(page, "\n{}", reply.answer.to_text());
                for removed in &reply.removed {
                    let _ = write!(
                        page,
                        "\n> 已删除（{}）：{} {}\n",
                        removed.reason, removed.text, removed.citation
                    );
                }
            }
            Record::Failed { reason } => {
                let _ = write!(page, "\n> 本轮未完成：{reason}\n");
            }
            Record::Reset => page.push_str("\n---\n"),
            Record::Begun { .. } | Record::Event { .. } | Record::Remembered { .. } => {}
        }
    }
    if info.unfinished {
        page.push_str("\n> 最后一个问题尚未回答。\n");
    }
    page
}
