//! `ask`: one question, one answer with citations.

use std::fs::File;
use std::io::Read as _;
use std::process::ExitCode;

use anyhow::Context as _;
use regreader_agent::{Conversation, DatedTools, Event, Level, Reply};
use regreader_messages::cli;
use serde_json::{Value, json};

use super::Session;
use crate::assistant::Assistant;
use crate::cli::agents::AskArgs;
use crate::failure::{Refusal, answer_code};
use crate::markdown;

/// Longer questions are rejected.
const MAX_QUESTION_BYTES: u64 = 1 << 20;

/// Runs `ask`. The exit code tells an answer from none, and why there is none.
pub fn run(session: &Session, args: &AskArgs) -> anyhow::Result<ExitCode> {
    let question = read_question(args)?;
    let mut assistant = Assistant::new(&session.settings, &session.layers, &args.agent)?;
    let client = session.tools()?;
    assistant.limit_to(client.reg_ids(&args.agent.reg_id)?);
    if assistant.can_take_long() {
        assistant.end_on_interrupt();
    }
    let mut report = |event: Event| {
        if args.jsonl {
            // A closed stdout ends the program at the answer, where it can be told.
            let _ = session.output.json(&without_state(&event));
        } else if session.verbose {
            eprintln!("{}", describe(&event));
        }
    };
    let dated = DatedTools::new(&client, args.day.as_of.clone());
    let mut agent = assistant.agent(&dated);
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
        markdown::print(&session.output, reply.answer.to_text().trim_end())?;
        for removed in &reply.removed {
            eprintln!("note: {}", cli::struck(&removed.reason, &removed.text));
        }
        if session.verbose {
            eprintln!("{}", spent(&reply));
        }
    }
    let (code, hint) = answer_code(reply.answer.outcome, &session.library_name());
    if let Some(hint) = hint {
        session.output.hint(hint);
    }
    Ok(ExitCode::from(code))
}

/// A reply as `--json` shows it.
pub fn as_json(reply: &Reply) -> anyhow::Result<Value> {
    let mut value = serde_json::to_value(reply)?;
    value["sources"] = json!(reply.answer.sources().iter().map(ToString::to_string).collect::<Vec<_>>());
    value["statements"] = json!(reply.answer.statements().collect::<Vec<_>>());
    value["text"] = json!(reply.answer.to_text());
    Ok(value)
}

/// What a reply took.
pub fn spent(reply: &Reply) -> String {
    let mut text = format!("{}", reply.agent);
    if let Some(model) = &reply.model {
        let usage = &reply.usage;
        text.push_str(&cli::spent(
            model,
            reply.turns,
            reply.tool_calls,
            usage.context_tokens(),
            usage.output_tokens,
            usage.cache_read_tokens,
        ));
    }
    if let Some(cost) = reply.cost {
        text.push_str(&format!(" · {cost:.4}"));
    }
    text
}

fn read_question(args: &AskArgs) -> anyhow::Result<String> {
    let question = match (&args.file, args.question.as_deref()) {
        (Some(path), _) => {
            let file = File::open(path).with_context(|| path.display().to_string())?;
            read_text(file).with_context(|| path.display().to_string())?
        }
        (None, None | Some("-")) => read_text(std::io::stdin())?,
        (None, Some(given)) => given.to_owned(),
    };
    if question.trim().is_empty() {
        return Err(
            Refusal::usage("the question is empty", "regreader ask \"110kV 母线失压怎么处理？\"").into()
        );
    }
    Ok(question.trim().to_owned())
}

/// A question as text. One that is too long is refused whole: cut anywhere, it would be another question.
fn read_text(source: impl std::io::Read) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    source.take(MAX_QUESTION_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_QUESTION_BYTES {
        let message = format!("the question is longer than {} KiB", MAX_QUESTION_BYTES >> 10);
        return Err(Refusal::usage(message, "ask about one thing at a time").into());
    }
    String::from_utf8(bytes).map_err(|_| {
        Refusal::usage("the question is not UTF-8 text", "save the file as UTF-8 and try again").into()
    })
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
        Event::Text { text } => format!("= {}", cli::characters(text.chars().count())),
        Event::Citation { citation, verified, level, .. } => {
            let mark = match level {
                Level::Verbatim => "✓ verbatim",
                Level::Calculated => "✓ calculated",
                _ if *verified => "✓ same_passage",
                _ => "? unproven",
            };
            format!("{mark} {citation}")
        }
        Event::Checkpoint { node, .. } => format!("◦ {node}"),
        Event::Done { outcome } => format!("■ {}", outcome.name()),
    }
}
