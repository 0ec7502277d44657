//! `enrich-metadata`: description, subject words and scope of regulations, by a language model or without one.

use std::process::ExitCode;

use regreader_agent::enrich::{self, Metadata};
use regreader_llm::{Cancel, ChatModel};
use regreader_model::RegId;
use serde_json::json;

use super::Session;
use super::reach::Tools;
use crate::assistant;
use crate::cli::agents::EnrichArgs;
use crate::failure::{LIBRARY, NOTHING, Refusal};

/// Runs `enrich-metadata`. One regulation that fails does not stop the others.
///
/// With `--mcp` the regulations of a server are read. A server only reads, so what is proposed can be shown, not written.
pub fn run(session: &Session, args: &EnrichArgs) -> anyhow::Result<ExitCode> {
    if !session.settings.mcp_url.is_empty() && !args.dry_run {
        return Err(Refusal::usage(
            "a server's metadata cannot be written from here",
            "show what would be written with --dry-run, or run enrich-metadata on the server's machine",
        )
        .into());
    }
    let tools = session.tools()?;
    let wanted: Vec<RegId> = if args.all {
        all(&tools)?
    } else {
        args.reg_id.iter().map(|id| id.parse()).collect::<Result<_, _>>()?
    };
    if wanted.is_empty() {
        eprintln!("the library is empty");
        return Ok(ExitCode::from(NOTHING));
    }
    let model = if args.no_llm { None } else { assistant::model(&session.settings)? };
    let model = model.as_ref().map(|model| model as &dyn ChatModel);
    let mut proposals = Vec::new();
    let mut failed = false;
    for (number, reg_id) in wanted.iter().enumerate() {
        if wanted.len() > 1 && !session.quiet {
            eprintln!("[{}/{}] {reg_id}", number + 1, wanted.len());
        }
        let proposed = enrich::propose(&tools, model, reg_id.as_str(), &Cancel::new());
        let metadata = match proposed {
            Ok(metadata) => metadata,
            Err(error) if wanted.len() == 1 => return Err(error.into()),
            Err(error) => {
                eprintln!("✗ {reg_id}: {error}");
                failed = true;
                continue;
            }
        };
        if !args.dry_run {
            session.library()?.update_info(reg_id, |info| {
                info.description = Some(metadata.description.clone());
                info.keywords.clone_from(&metadata.keywords);
                info.scope = Some(metadata.scope.clone());
            })?;
        }
        if !session.output.json {
            show(session, reg_id, &metadata, args.dry_run)?;
        }
        proposals.push(json!({ "reg_id": reg_id, "metadata": metadata, "written": !args.dry_run }));
    }
    if session.output.json {
        session.output.json(&proposals)?;
    }
    Ok(if failed { ExitCode::from(LIBRARY) } else { ExitCode::SUCCESS })
}

/// Every regulation; of a server, as many as it lists at once.
fn all(tools: &Tools) -> anyhow::Result<Vec<RegId>> {
    if let Tools::Here(toolbox) = tools {
        return Ok(toolbox.library().ids()?);
    }
    let listed = tools.run("list_regulations", json!({}))?;
    let readable =
        listed["regulations"].as_array().into_iter().flatten().filter(|entry| entry["problem"].is_null());
    Ok(readable.filter_map(|entry| entry["reg_id"].as_str()?.parse().ok()).collect())
}

fn show(session: &Session, reg_id: &RegId, metadata: &Metadata, dry_run: bool) -> anyhow::Result<()> {
    if dry_run {
        session.output.line(format!("{reg_id}（未写入）"))?;
    } else {
        session.output.line(format!("✓ {reg_id} 元数据已更新"))?;
    }
    session.output.line(format!("  简介: {}", metadata.description))?;
    session.output.line(format!("  关键词: {}", metadata.keywords.join(", ")))?;
    session.output.line(format!("  适用范围: {}", metadata.scope))
}
