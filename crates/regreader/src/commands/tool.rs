//! The commands that are tools: arguments into a request, the request to the toolbox, the result onto the terminal.

mod request;
pub mod show;
pub mod wording;

use std::process::ExitCode;

use serde_json::{Value, json};

use super::Session;
use super::reach::Tools;
use crate::cli::Command;
use crate::failure::{LIBRARY, NOTHING, empty_library_hint};

/// Runs a command that is a tool.
pub fn run(session: &Session, command: Command) -> anyhow::Result<ExitCode> {
    let (tool, arguments) = request::of(session, command)?;
    let tools = session.tools_for(tool)?;
    session.log(|| format!("{tool} {arguments}"));
    let result = if tool == request::WHOLE_CONTENTS {
        whole_contents(&tools, arguments)?
    } else {
        tools.run(tool, arguments)?
    };
    // Nothing is found in nothing: that is another trouble than a wrong word.
    let found_nothing = is_empty(tool, &result);
    let no_library = found_nothing && {
        let library = tools.run("list_regulations", json!({}))?;
        library["regulations"].as_array().is_some_and(Vec::is_empty)
    };
    if session.output.json {
        session.output.json(&result)?;
    } else if !no_library {
        show::print(&session.output, tool, &result)?;
    }
    if tool == "verify_citation" && result["verdict"] != "supported" {
        return Ok(ExitCode::from(NOTHING));
    }
    if no_library {
        session.output.hint(empty_library_hint(&session.library_name()));
        return Ok(ExitCode::from(LIBRARY));
    }
    Ok(if found_nothing { ExitCode::from(NOTHING) } else { ExitCode::SUCCESS })
}

/// The whole chapter tree, however many parts it comes in.
fn whole_contents(tools: &Tools, mut arguments: Value) -> anyhow::Result<Value> {
    let mut whole = tools.run("get_chapter_structure", arguments.clone())?;
    while let Some(next) = whole["next"].as_str().map(str::to_owned) {
        arguments["cursor"] = json!(next);
        let mut part = tools.run("get_chapter_structure", arguments.clone())?;
        if let (Some(nodes), Some(more)) = (whole["nodes"].as_array_mut(), part["nodes"].as_array_mut()) {
            nodes.append(more);
        }
        whole["next"] = part["next"].take();
    }
    whole["truncated"] = json!(false);
    Ok(whole)
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
