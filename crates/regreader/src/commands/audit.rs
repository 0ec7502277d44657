//! `audit`: what was done with the library.

use std::process::ExitCode;

use super::Session;
use crate::cli::AuditArgs;
use regreader_messages::cli;

/// Runs `audit`.
pub fn run(session: &Session, args: &AuditArgs) -> anyhow::Result<ExitCode> {
    let page = session.library()?.audit().tail(args.limit as usize)?;
    if page.unreadable > 0 {
        eprintln!("warning: {}", cli::unreadable_lines(page.unreadable));
    }
    if session.output.json {
        session.output.json(&page.records)?;
        return Ok(ExitCode::SUCCESS);
    }
    for record in &page.records {
        session.output.line(serde_json::to_string(record)?)?;
    }
    Ok(ExitCode::SUCCESS)
}
