//! `reindex`: the indexes, made anew from the pages.

use std::process::ExitCode;

use regreader_messages::cli;
use serde_json::json;

use super::Session;
use crate::engine;

/// Runs `reindex`. The present indexes are searched until the new ones are complete.
pub fn run(session: &Session) -> anyhow::Result<ExitCode> {
    let folder = session.settings.index_path();
    let report = engine::rebuild(&session.settings, session.library()?, session.quiet)?;
    let count = report.indexed.len();
    if session.output.json {
        session.output.json(&json!({ "regulations": count, "index": folder }))?;
    } else {
        session.output.line(cli::reindexed(count, folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
