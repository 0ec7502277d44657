//! `import-legacy` and `export-legacy`: the file layout of the earlier Python system.

use std::path::PathBuf;
use std::process::ExitCode;

use regreader_messages::{cli, errors};
use regreader_model::RegId;
use regreader_store::legacy;
use serde_json::json;

use super::Session;
use crate::cli::LegacyArgs;
use crate::failure::Refusal;

/// Runs `import-legacy`.
pub fn import(session: &Session, args: &LegacyArgs) -> anyhow::Result<ExitCode> {
    let root = folder(session, args);
    let ids = legacy::list(&root)?;
    if ids.is_empty() {
        return Err(Refusal::library(errors::no_legacy(root.display()), errors::HINT_LEGACY).into());
    }
    let library = session.library()?;
    for reg_id in &ids {
        let stored = legacy::import(&library, &root, reg_id)?;
        for warning in &stored.warnings {
            eprintln!("warning: {warning}");
        }
        if !session.output.json {
            session.output.line(cli::imported(reg_id, stored.info.total_pages, stored.change.name()))?;
        }
    }
    finish(session, "imported", &ids)
}

/// Runs `export-legacy`.
pub fn export(session: &Session, args: &LegacyArgs) -> anyhow::Result<ExitCode> {
    let root = folder(session, args);
    let library = session.library()?;
    let ids = library.ids()?;
    for reg_id in &ids {
        legacy::export(&library, reg_id, &root)?;
        if !session.output.json {
            session.output.line(format!("✓ {reg_id} → {}", root.display()))?;
        }
    }
    finish(session, "exported", &ids)
}

/// The folder named, or the parent of `pages_dir`.
fn folder(session: &Session, args: &LegacyArgs) -> PathBuf {
    args.dir.clone().unwrap_or_else(|| {
        let pages = &session.settings.pages_dir;
        pages.parent().unwrap_or(pages).to_owned()
    })
}

fn finish(session: &Session, what: &str, ids: &[RegId]) -> anyhow::Result<ExitCode> {
    if session.output.json {
        session.output.json(&json!({ what: ids }))?;
    }
    Ok(ExitCode::SUCCESS)
}
