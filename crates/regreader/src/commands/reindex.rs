//! `reindex`: the indexes, made anew from the pages.

use std::fs;
use std::io;
use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;

use super::Session;

/// Runs `reindex`.
pub fn run(session: &Session) -> anyhow::Result<ExitCode> {
    let folder = session.settings.index_path();
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(error).with_context(|| folder.display().to_string());
        }
        _ => {}
    }
    let count = session.library()?.ids()?.len();
    // What lies in the folder went with it; what lies on a server does not.
    if [&session.settings.keyword_index_backend, &session.settings.vector_index_backend]
        .contains(&&"qdrant".to_owned())
    {
        crate::engine::rebuild(&session.settings, session.library()?)?;
    }
    session.toolbox()?;
    if session.output.json {
        session.output.json(&json!({ "regulations": count, "index": folder }))?;
    } else {
        session.output.line(format!("✓ 已重建 {count} 部规程的索引 ({})", folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
