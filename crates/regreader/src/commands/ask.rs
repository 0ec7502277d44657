//! `ask`: one question, one answer with citations.

use std::io::Read as _;
use std::process::ExitCode;

use regreader_agent::offline::{self, OfflineOptions};
use regreader_agent::{Event, Outcome, ToolClient, ToolFailure};
use regreader_tools::Toolbox;
use serde_json::{Value, json};

use super::Session;
use crate::cli::tools::AskArgs;
use crate::failure::{NOTHING, Refusal};

/// Questions longer than this are something else.
const MAX_QUESTION_BYTES: u64 = 64 << 10;

/// Runs `ask`. Exit code 1 when there is no answer.
pub fn run(session: &Session, args: &AskArgs) -> anyhow::Result<ExitCode> {
    let question = read_question(&args.question)?;
    let toolbox = session.toolbox()?;
    let options = OfflineOptions { regulations: args.reg_id.clone() };
    let mut report = |event: Event| {
        if args.verbose {
            eprintln!("{}", describe(&event));
        }
    };
    let answer = offline::answer(&InProcess(&toolbox), &question, &options, &mut report)?;
    session.record_question(&question, &answer)?;
    if session.output.json {
        let mut value = serde_json::to_value(&answer)?;
        value["sources"] = json!(answer.sources());
        value["text"] = json!(answer.to_text());
        session.output.json(&value)?;
    } else {
        session.output.line(answer.to_text().trim_end())?;
    }
    Ok(if answer.outcome == Outcome::Answered { ExitCode::SUCCESS } else { ExitCode::from(NOTHING) })
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

fn read_question(argument: &str) -> anyhow::Result<String> {
    let mut question = argument.to_owned();
    if argument == "-" {
        question.clear();
        std::io::stdin().take(MAX_QUESTION_BYTES).read_to_string(&mut question)?;
    }
    if question.trim().is_empty() {
        return Err(
            Refusal::usage("the question is empty", "regreader ask \"110kV 母线失压怎么处理？\"").into()
        );
    }
    Ok(question.trim().to_owned())
}

fn describe(event: &Event) -> String {
    match event {
        Event::Thinking { text } => format!("· {text}"),
        Event::ToolCall { tool, arguments } => format!("→ {tool} {arguments}"),
        Event::ToolResult { tool, ok, summary } => {
            format!("{} {tool}: {summary}", if *ok { "←" } else { "✗" })
        }
    }
}
