//! `sessions`: conversations that were kept.

use std::fs;
use std::process::ExitCode;

use anyhow::Context as _;
use regreader_agent::Sessions;

use super::Session;
use crate::cli::agents::{SessionsArgs, SessionsCommand};
use crate::grid::columns;
use regreader_messages::cli;

/// Runs `sessions`.
pub fn run(session: &Session, args: &SessionsArgs) -> anyhow::Result<ExitCode> {
    let sessions = kept(session);
    match &args.command {
        SessionsCommand::List => {
            let list = sessions.list()?;
            if session.output.json {
                session.output.json(&list)?;
                return Ok(ExitCode::SUCCESS);
            }
            let rows: Vec<Vec<String>> = list
                .into_iter()
                .map(|info| {
                    let state = if info.unfinished { cli::UNFINISHED.to_string() } else { String::new() };
                    vec![info.id, info.begun, cli::questions(info.questions), state, info.title]
                })
                .collect();
            for line in columns(&rows) {
                session.output.line(line)?;
            }
        }
        SessionsCommand::Show { session: id } => {
            let kept = sessions.read(id)?;
            if session.output.json {
                session.output.json(&kept.records())?;
            } else {
                session.output.line(kept.to_markdown().trim_end())?;
            }
        }
        SessionsCommand::Export { session: id, output } => {
            let kept = sessions.read(id)?;
            fs::write(output, kept.to_markdown()).with_context(|| output.display().to_string())?;
            session.output.line(format!("✓ {} → {}", kept.id, output.display()))?;
        }
        SessionsCommand::Delete { session: id } => {
            let kept = sessions.read(id)?;
            sessions.delete(&kept.id)?;
            session.output.line(cli::session_deleted(&kept.id))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The sessions of the library.
pub fn kept(session: &Session) -> Sessions {
    Sessions::new(session.settings.data_dir.join("sessions"))
}
