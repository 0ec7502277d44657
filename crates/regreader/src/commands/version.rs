//! `version`.

use std::process::ExitCode;

use serde_json::json;

use crate::output::Output;
use crate::pipeline::PIPELINE;

/// Runs `version`.
pub fn run(output: &Output) -> anyhow::Result<ExitCode> {
    let version = env!("CARGO_PKG_VERSION");
    if output.json {
        output.json(&json!({ "name": "regreader", "version": version, "pipeline": PIPELINE }))?;
    } else {
        output.line(format!("regreader {version} (pipeline {PIPELINE})"))?;
    }
    Ok(ExitCode::SUCCESS)
}
