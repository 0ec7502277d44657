//! `demo`: the main job on the built-in sample library, from nothing, with no network and no language model.

use std::process::ExitCode;

use super::Session;
use crate::cli::DemoArgs;

/// Runs `demo`.
pub fn run(session: &Session, args: &DemoArgs) -> anyhow::Result<ExitCode> {
    let _ = (session, args);
    Ok(ExitCode::SUCCESS)
}
