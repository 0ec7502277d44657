//! `export` and `import`: regulations in one file, for carrying into an isolated network.

use std::fs::File;
use std::process::ExitCode;

use anyhow::Context as _;
use regreader_messages::cli;
use regreader_model::RegId;
use regreader_store::bundle::{self, Conflict, ImportOptions, Selection};
use serde_json::json;

use super::Session;
use crate::cli::{ExportArgs, ImportArgs};

/// Runs `export`.
pub fn export(session: &Session, args: &ExportArgs) -> anyhow::Result<ExitCode> {
    let selection = if args.reg_id.is_empty() {
        Selection::All
    } else {
        Selection::Only(
            args.reg_id.iter().map(|name| session.reg_id(name)).collect::<Result<Vec<RegId>, _>>()?,
        )
    };
    let report = bundle::export_to_file(&session.library()?, &selection, &args.output)?;
    warn(&report.warnings);
    let ids: Vec<&RegId> = report.catalog.regulations.iter().map(|regulation| &regulation.reg_id).collect();
    if session.output.json {
        let value = json!({ "file": args.output, "regulations": ids, "bytes": report.bytes, "blake3": report.blake3 });
        session.output.json(&value)?;
    } else {
        let count = ids.len();
        session.output.line(cli::bundled(count, args.output.display(), report.bytes))?;
        session.output.line(format!("blake3 {}", report.blake3))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `import`. Without `--force` a regulation that is there already stops the import before anything is changed.
pub fn import(session: &Session, args: &ImportArgs) -> anyhow::Result<ExitCode> {
    let file = File::open(&args.file).with_context(|| args.file.display().to_string())?;
    let conflict = if args.force { Conflict::Replace } else { Conflict::Fail };
    let options = ImportOptions { conflict, ..ImportOptions::default() };
    let report = bundle::import(&session.library()?, file, &options)?;
    warn(&report.warnings);
    if session.output.json {
        let regulations: Vec<_> = report
            .regulations
            .iter()
            .map(|(reg_id, change)| json!({ "reg_id": reg_id, "change": change.map(regreader_store::Change::name) }))
            .collect();
        session.output.json(&json!({ "regulations": regulations, "blake3": report.blake3 }))?;
    } else {
        for (reg_id, change) in &report.regulations {
            session
                .output
                .line(format!("✓ {reg_id} ({})", change.map_or("skipped", |change| change.name())))?;
        }
        session.output.line(format!("blake3 {}", report.blake3))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn warn(warnings: &[String]) {
    for warning in warnings {
        eprintln!("warning: {warning}");
    }
}
