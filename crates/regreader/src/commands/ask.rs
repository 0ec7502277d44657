//! `ask`: one question, one answer with citations.

use std::fs::File;
use std::io::Read as _;
use std::process::ExitCode;

use anyhow::Context as _;
use regreader_agent::{Conversation, Event, Outcome, Reply, ToolClient, ToolFailure};
use regreader_tools::Toolbox;
use serde_json::{Value, json};

use super::Session;
use crate::assistant::Assistant;
use crate::cli::agents::AskArgs;
use crate::failure::{NOTHING, Refusal};

/// Questions longer than this are something else.
const MAX_QUESTION_BYTES: u64 = 64 << 10;

/// Runs `ask`. Exit code 1 when there is no answer.
pub fn run(session: &Session, args: &AskArgs) -> anyhow::Result<ExitCode> {
    let question = read_question(args)?;
    let assistant = Assistant::new(&session.settings, &session.layers, &args.agent)?;
    let client = session.tools()?;
    if assistant.can_take_long() {
        assistant.end_on_interrupt();
    }
    let mut report = |event: Event| {
        if args.jsonl {
            // A closed stdout ends the program at the answer, where it can be told.
            let _ = session.output.json(&without_state(&event));
        } else if args.verbose {
            eprintln!("{}", describe(&event));
        }
    };
    let mut agent = assistant.agent(&client);
    agent.options.full = args.full;
    let reply = agent.ask(&question, &mut Conversation::default(), &mut report)?;
    session.record_question(reply.agent, &question, &reply.answer)?;
    if args.jsonl {
        let mut value = as_json(&reply)?;
        value["event"] = json!("answer");
        session.output.json(&value)?;
    } else if session.output.json {
        session.output.json(&as_json(&reply)?)?;
    } else {
        session.output.line(reply.answer.to_text().trim_end())?;
        for removed in &reply.removed {
            eprintln!("note: 已删除一条未通过核对的陈述（{}）: {}", removed.reason, removed.text);
        }
        if args.verbose {
            eprintln!("{}", spent(&reply));
        }
    }
    Ok(if reply.answer.outcome == Outcome::Answered { ExitCode::SUCCESS } else { ExitCode::from(NOTHING) })
}

/// The toolbox in this very process, as an agent sees it.
pub struct InProcess<'a>(pub &'a Toolbox);

impl ToolClient for InProcess<'_> {
    fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
        self.0.call(tool, arguments).map_err(|error| {
            let report = error.report();
            ToolFailure { name: report.error, message: report.message, hint: report.hint }
        })
    }
}

/// A reply as `--json` shows it.
pub fn as_json(reply: &Reply) -> anyhow::Result<Value> {
    let mut value = serde_json::to_value(reply)?;
    value["sources"] = json!(reply.answer.sources());
    value["statements"] = json!(reply.answer.statements().collect::<Vec<_>>());
    value["text"] = json!(reply.answer.to_text());
    Ok(value)
}

/// What a reply took.
pub fn spent(reply: &Reply) -> String {
    let mut text = format!("{}", reply.agent);
    if let Some(model) = &reply.model {
        let usage = &reply.usage;
        text.push_str(&format!(
            " · {model} · {} 轮 · {} 次工具调用 · {} + {} tokens（缓存 {}）",
            reply.turns,
            reply.tool_calls,
            usage.context_tokens(),
            usage.output_tokens,
            usage.cache_read_tokens
        ));
    }
    if let Some(cost) = reply.cost {
        text.push_str(&format!(" · {cost:.4}"));
    }
    text
}

fn read_question(args: &AskArgs) -> anyhow::Result<String> {
    let mut question = String::new();
    match (&args.file, args.question.as_deref()) {
        (Some(path), _) => {
            let file = File::open(path).with_context(|| path.display().to_string())?;
            file.take(MAX_QUESTION_BYTES).read_to_string(&mut question)?;
        }
        (None, None | Some("-")) => {
            std::io::stdin().take(MAX_QUESTION_BYTES).read_to_string(&mut question)?;
        }
        (None, Some(given)) => given.clone_into(&mut question),
    }
    if question.trim().is_empty() {
        return Err(
            Refusal::usage("the question is empty", "regreader ask \"110kV 母线失压怎么处理？\"").into()
        );
    }
    Ok(question.trim().to_owned())
}

/// The event as a program reads it; a checkpoint's state is for sessions.
fn without_state(event: &Event) -> Value {
    let mut value = json!(event);
    if let Some(object) = value.as_object_mut() {
        object.remove("state");
    }
    value
}

/// An event as one line.
pub fn describe(event: &Event) -> String {
    match event {
        Event::Thinking { text } => format!("· {text}"),
        Event::ToolCall { tool, arguments } => format!("→ {tool} {arguments}"),
        Event::ToolResult { tool, ok, summary } => {
            format!("{} {tool}: {summary}", if *ok { "←" } else { "✗" })
        }
        Event::Notice { text } => format!("! {text}"),
        Event::Text { text } => format!("= {} 字", text.chars().count()),
        Event::Citation { citation, verified, .. } => {
            format!("{} {citation}", if *verified { "✓" } else { "?" })
        }
        Event::Checkpoint { node, .. } => format!("◦ {node}"),
        Event::Done { outcome } => format!("■ {}", outcome.name()),
    }
}
