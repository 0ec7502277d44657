//! `list`: what is in the library.

use std::process::ExitCode;

use regreader_messages::cli;
use regreader_store::ListEntry;
use regreader_tools::{ListRegulations, Tool};
use serde_json::{Value, json};

use super::Session;
use crate::failure::{LIBRARY, empty_library_hint};
use crate::grid::columns;

/// Runs `list`. A broken regulation is shown as such and makes the exit code tell, but hides no other.
pub fn run(session: &Session) -> anyhow::Result<ExitCode> {
    if !session.settings.mcp_url.is_empty() {
        return far(session);
    }
    let entries = session.library()?.list()?;
    let broken = entries.iter().any(|entry| matches!(entry, ListEntry::Broken { .. }));
    if session.output.json {
        let values: Vec<Value> = entries.iter().map(as_json).collect();
        session.output.json(&json!({ "library": session.library_name(), "regulations": values }))?;
    } else if entries.is_empty() {
        session.output.hint(empty_library_hint(&session.library_name()));
    } else {
        print_table(session, &entries)?;
        session.output.note(cli::library(session.library_name()));
    }
    Ok(if broken { ExitCode::from(LIBRARY) } else { ExitCode::SUCCESS })
}

/// The same from a server.
fn far(session: &Session) -> anyhow::Result<ExitCode> {
    let listed = session.tools()?.call(&ListRegulations::default())?;
    if session.output.json {
        session.output.json(&listed)?;
    } else {
        ListRegulations::render(&listed, &session.output)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(entry: &ListEntry) -> Value {
    match entry {
        ListEntry::Regulation(info) => json!(info),
        ListEntry::Broken { reg_id, problem } => json!({ "reg_id": reg_id, "error": problem.to_string() }),
    }
}

fn print_table(session: &Session, entries: &[ListEntry]) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for entry in entries {
        rows.push(match entry {
            ListEntry::Regulation(info) => vec![
                info.reg_id.to_string(),
                cli::page_count(info.total_pages, info.pages_approximate),
                info.aliases.first().cloned().unwrap_or_default(),
                info.title.clone(),
            ],
            ListEntry::Broken { reg_id, problem } => {
                vec![reg_id.to_string(), cli::BROKEN.to_string(), String::new(), problem.to_string()]
            }
        });
    }
    for line in columns(&rows) {
        session.output.line(line)?;
    }
    Ok(())
}
