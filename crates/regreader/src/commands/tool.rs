//! The commands that are tools: what was typed to the tool, the result onto the terminal.

pub mod wording;

use std::process::ExitCode;

use regreader_tools::{
    ChapterStructure, FindSimilar, GetChapterStructure, GetToc, ListRegulations, ReadPageRange, Sheet as _,
    SmartSearch, Tool,
};
use serde_json::json;

use super::Session;
use super::reach::Tools;
use crate::cli::tools::ToolCommand;
use crate::failure::{LIBRARY, NOTHING, empty_library_hint};

/// Runs a command that is a tool.
pub fn run(session: &Session, command: ToolCommand) -> anyhow::Result<ExitCode> {
    let ToolCommand { tool, mut arguments } = command;
    let tools = session.tools_for(tool.name)?;
    // What a person may leave out and a program may not.
    let left_out = match tool.name {
        SmartSearch::NAME => Some(("limit", json!(session.settings.search_top_k))),
        ReadPageRange::NAME => Some(("end_page", arguments["start_page"].clone())),
        FindSimilar::NAME => Some(("reg_id", json!("all"))),
        _ => None,
    };
    if let Some((field, value)) = left_out {
        arguments.entry(field).or_insert(value);
    }
    session.log(|| format!("{} {}", tool.name, json!(arguments)));
    // The tool cuts long contents for the sake of models; a person who wants all of them gets all.
    if tool.name == GetToc::NAME && arguments.get("expand_section").is_some_and(|chapter| chapter == "") {
        return whole_contents(session, &tools, arguments["reg_id"].as_str().unwrap_or_default());
    }
    let result = tools.run(tool.name, arguments.into())?;
    // Nothing is found in nothing: that is another trouble than a wrong word.
    let found_nothing = tool.found_nothing(&result);
    let no_library = found_nothing && tools.call(&ListRegulations::default())?.regulations.is_empty();
    if session.output.json {
        session.output.json(&result)?;
    } else if !no_library {
        // Before anything is read: the edition may not be in force.
        if let Some(notice) = result["edition_notice"].as_str() {
            session.output.warning(notice);
        }
        tool.render(&result, &session.output)?;
    }
    if no_library {
        session.output.hint(empty_library_hint(&session.library_name()));
        return Ok(ExitCode::from(LIBRARY));
    }
    Ok(if found_nothing { ExitCode::from(NOTHING) } else { ExitCode::SUCCESS })
}

/// Shows the whole chapter tree, however many parts it comes in.
fn whole_contents(session: &Session, tools: &Tools, reg_id: &str) -> anyhow::Result<ExitCode> {
    let mut request = GetChapterStructure { reg_id: reg_id.to_owned(), ..GetChapterStructure::default() };
    let mut nodes = Vec::new();
    let whole = loop {
        let mut part = tools.call(&request)?;
        nodes.append(&mut part.nodes);
        request.cursor = part.next.take();
        if request.cursor.is_none() {
            break ChapterStructure { nodes, truncated: false, ..part };
        }
    };
    if session.output.json {
        session.output.json(&whole)?;
    } else {
        GetChapterStructure::render(&whole, &session.output)?;
    }
    Ok(ExitCode::SUCCESS)
}
