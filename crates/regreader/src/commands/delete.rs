//! `delete`: a regulation out of the library, with its indexes left to notice.

use std::process::ExitCode;

use regreader_messages::cli;
use regreader_model::RegId;
use serde_json::json;

use super::Session;
use crate::cli::DeleteArgs;
use crate::failure::NOTHING;
use crate::output::confirm;

/// Runs `delete`. Asks first, unless `--force` is given.
pub fn run(session: &Session, args: &DeleteArgs) -> anyhow::Result<ExitCode> {
    let reg_id: RegId = session.reg_id(&args.reg_id)?;
    let library = session.library()?;
    // A broken regulation can be deleted too, so only its absence is an error here.
    let title = match library.info(&reg_id) {
        Ok(info) => info.title,
        Err(regreader_store::StoreError::Domain(error)) => return Err(error.into()),
        Err(problem) => problem.to_string(),
    };
    if !args.force && !confirm(&cli::delete_asked(&reg_id, title))? {
        eprintln!("error: {}", cli::not_deleted(&reg_id));
        eprintln!("hint: {}", cli::DELETE_FORCE);
        return Ok(ExitCode::from(NOTHING));
    }
    let deleted = library.delete(&reg_id)?;
    for warning in &deleted.warnings {
        eprintln!("warning: {warning}");
    }
    if session.output.json {
        session.output.json(&json!({ "deleted": reg_id }))?;
    } else {
        session.output.line(cli::deleted(&reg_id))?;
    }
    Ok(ExitCode::SUCCESS)
}
