//! `enrich-metadata`: description, subject words and scope of regulations, by a language model or without one.

use std::process::ExitCode;

use regreader_agent::enrich::{self, Metadata};
use regreader_llm::{Cancel, ChatModel};
use regreader_messages::cli;
use regreader_model::RegId;
use regreader_tools::ListRegulations;
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
    let wanted: Vec<RegId> = if args.all || args.reg_id.is_empty() {
        all(&tools)?
    } else {
        tools.reg_ids(&args.reg_id)?.iter().map(|id| id.parse()).collect::<Result<_, _>>()?
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
        let kept = kept(&tools, reg_id, args.force)?;
        if !args.dry_run && kept.len() < FIELDS.len() {
            session.library()?.update_info(reg_id, |info| {
                if !kept.contains(&"description") {
                    info.description = Some(metadata.description.clone());
                }
                if !kept.contains(&"keywords") && !metadata.keywords.is_empty() {
                    info.keywords.clone_from(&metadata.keywords);
                }
                if !kept.contains(&"scope") {
                    info.scope = Some(metadata.scope.clone());
                }
            })?;
        }
        if !session.quiet {
            if let (Some(_), false) = (model, metadata.by_model) {
                eprintln!("warning: {}", cli::enrich_unfit(reg_id));
            } else if model.is_none() && !args.no_llm {
                eprintln!("note: {}", cli::enrich_no_model(reg_id));
            }
            if !kept.is_empty() {
                eprintln!("note: {}", cli::enrich_kept(reg_id, kept.join("、")));
            }
        }
        let written = !args.dry_run && kept.len() < FIELDS.len();
        if !session.output.json {
            show(session, reg_id, &metadata, &kept, written)?;
        }
        proposals.push(json!({ "reg_id": reg_id, "metadata": metadata, "kept": kept, "written": written }));
    }
    if session.output.json {
        session.output.json(&proposals)?;
    }
    Ok(if failed { ExitCode::from(LIBRARY) } else { ExitCode::SUCCESS })
}

/// What is described of a regulation.
const FIELDS: [&str; 3] = ["description", "keywords", "scope"];

/// What a regulation has already. Nobody can tell a person's words from a program's, so all of them stay.
fn kept(tools: &Tools, reg_id: &RegId, force: bool) -> anyhow::Result<Vec<&'static str>> {
    if force {
        return Ok(Vec::new());
    }
    let listed = tools.call(&ListRegulations::default())?.regulations;
    let Some(entry) = listed.into_iter().find(|entry| entry.reg_id == reg_id.as_str()) else {
        return Ok(Vec::new());
    };
    let has = |text: Option<String>| text.is_some_and(|text| !text.trim().is_empty());
    let set = [has(entry.description), !entry.keywords.is_empty(), has(entry.scope)];
    Ok(FIELDS.into_iter().zip(set).filter_map(|(field, is_set)| is_set.then_some(field)).collect())
}

/// Every regulation; of a server, as many as it lists at once.
fn all(tools: &Tools) -> anyhow::Result<Vec<RegId>> {
    if let Tools::Here(toolbox) = tools {
        return Ok(toolbox.library().ids()?);
    }
    let listed = tools.call(&ListRegulations::default())?.regulations;
    let readable = listed.iter().filter(|entry| entry.problem.is_none());
    Ok(readable.filter_map(|entry| entry.reg_id.parse().ok()).collect())
}

fn show(
    session: &Session,
    reg_id: &RegId,
    metadata: &Metadata,
    kept: &[&str],
    written: bool,
) -> anyhow::Result<()> {
    let head = if written { cli::enriched(reg_id) } else { cli::not_written(reg_id) };
    session.output.line(head)?;
    let lines = [
        ("description", cli::description(&metadata.description)),
        ("keywords", cli::keywords(metadata.keywords.join(", "))),
        ("scope", cli::scope(&metadata.scope)),
    ];
    let shown = lines.into_iter().filter(|(field, _)| !kept.contains(field));
    shown.map(|(_, line)| line).try_for_each(|line| session.output.line(line))
}
