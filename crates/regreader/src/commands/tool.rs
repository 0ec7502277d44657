//! The commands that are tools: arguments into a request, the request to the toolbox, the result onto the terminal.

mod request;
pub mod show;

use std::process::ExitCode;

use serde_json::{Value, json};

use super::Session;
use crate::cli::Command;
use crate::failure::NOTHING;

/// Runs a command that is a tool.
pub fn run(session: &Session, command: Command) -> anyhow::Result<ExitCode> {
    let (tool, arguments) = request::of(session, command)?;
    let tools = session.tools_for(tool)?;
    let result = tools.run(tool, arguments)?;
    if session.output.json {
        session.output.json(&result)?;
    } else {
        show::print(&session.output, tool, &result)?;
    }
    if !is_empty(tool, &result) {
        return Ok(ExitCode::SUCCESS);
    }
    // Nothing is found in nothing: that is another trouble than a wrong word.
    let library = tools.run("list_regulations", json!({}))?;
    if library["regulations"].as_array().is_some_and(Vec::is_empty) {
        eprintln!("hint: 规程库是空的；用 regreader ingest --file 文件 导入，或运行 regreader demo 查看示例");
    }
    Ok(ExitCode::from(NOTHING))
}

/// Whether a search found nothing.
fn is_empty(tool: &str, result: &Value) -> bool {
    let key = match tool {
        "smart_search" | "find_similar_content" => "hits",
        "search_tables" => "tables",
        "search_annotations" => "annotations",
        _ => return false,
    };
    result[key].as_array().is_some_and(Vec::is_empty)
}
