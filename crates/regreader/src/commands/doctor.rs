//! `doctor`: is everything in the library what it was when it was stored?

use std::path::PathBuf;
use std::process::ExitCode;

use regreader_messages::{Word, cli};
use regreader_model::RegId;
use regreader_search::IndexHealth;
use regreader_store::{Library, Problem, Remedy};
use serde_json::{Value, json};

use super::Session;
use crate::cli::DoctorArgs;
use crate::engine;
use crate::failure::LIBRARY;
use crate::pipeline::is_outdated;

/// Runs `doctor`. Exit code 0 when nothing is wrong, or nothing is any more.
pub fn run(session: &Session, args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    let library = session.library()?;
    let ids = match &args.reg_id {
        Some(name) => vec![session.reg_id(name)?],
        None => library.ids()?,
    };
    let mut actions = Vec::new();
    let mut problems = Vec::new();
    let mut health = IndexHealth::default();
    for reg_id in &ids {
        if args.repair {
            let report = library.repair(reg_id)?;
            report.warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
            actions.extend(report.actions);
            problems.extend(report.remaining);
        } else {
            problems.extend(library.verify(reg_id)?);
        }
    }
    if args.reg_id.is_none() {
        problems.extend(library.verify_library()?);
        health = engine::check_indexes(&session.settings, &library)?;
        if args.repair {
            actions.extend(engine::mend_indexes(&session.settings, library.clone(), &health)?);
            health = engine::check_indexes(&session.settings, &library)?;
        }
    }
    let outdated = outdated(&library, &ids);
    print(session, &library, ids.len(), &actions, &problems, &health, &outdated)?;
    // An index that is behind is brought in step by the next search; one that is damaged is not what it was.
    let clean = health.damaged.is_empty()
        && problems.iter().all(|problem| matches!(problem.remedy, Remedy::Look | Remedy::Wait));
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::from(LIBRARY) })
}

fn print(
    session: &Session,
    library: &Library,
    checked: usize,
    actions: &[String],
    problems: &[Problem],
    health: &IndexHealth,
    outdated: &[(RegId, PathBuf)],
) -> anyhow::Result<()> {
    let out = &session.output;
    if out.json {
        let problems: Vec<Value> = problems.iter().map(as_json).collect();
        return out.json(&json!({
            "checked": checked, "repaired": actions, "problems": problems, "index": health,
            "outdated": outdated.iter().map(|(reg_id, source)| json!({ "reg_id": reg_id, "source": source })).collect::<Vec<_>>(),
        }));
    }
    for action in actions {
        out.line(format!("✓ {action}"))?;
    }
    for problem in problems {
        let whose = problem.reg_id.as_ref().map_or("library", RegId::as_str);
        out.line(format!("✗ {whose}: {}: {}", problem.path.display(), problem.message))?;
        out.line(format!("  {}", out.dim(&remedy(problem.remedy).to_string())))?;
    }
    for damage in &health.damaged {
        out.line(format!("✗ index: {}: {}", damage.part, damage.reason))?;
        out.line(format!("  {}", out.dim(&cli::REBUILD_INDEX.to_string())))?;
    }
    if health.older {
        out.line(format!("- index: {}", cli::INDEX_OLDER))?;
    }
    for reg_id in &health.stale {
        out.line(format!("- index: {}", cli::index_stale(reg_id)))?;
    }
    for reg_id in &health.surplus {
        out.line(format!("- index: {}", cli::index_surplus(reg_id)))?;
    }
    for (reg_id, source) in outdated {
        out.line(format!("- {}", cli::read_by_older(reg_id)))?;
        let again = cli::read_again(reg_id, source.display());
        out.line(format!("  {}", out.dim(&again)))?;
    }
    if problems.is_empty() && health.damaged.is_empty() {
        out.line(cli::sound(checked, library.root().display()))?;
    }
    Ok(())
}

/// Regulations that an older version of this program read, with the source that can be read again. They are whole; reading
/// them again keeps more, such as the boxes of lines that quotations are marked by.
fn outdated(library: &Library, ids: &[RegId]) -> Vec<(RegId, PathBuf)> {
    let readers = ids.iter().filter_map(|reg_id| library.reader(reg_id).ok());
    readers
        .filter(|reader| is_outdated(reader.info()))
        .filter_map(|reader| Some((reader.reg_id().clone(), reader.source_path()?)))
        .collect()
}

fn as_json(problem: &Problem) -> Value {
    json!({
        "reg_id": problem.reg_id,
        "path": problem.path,
        "kind": format!("{:?}", problem.kind),
        "message": problem.message,
        "remedy": remedy(problem.remedy).to_string(),
    })
}

fn remedy(remedy: Remedy) -> Word {
    match remedy {
        Remedy::Repair => cli::REMEDY_REPAIR,
        Remedy::IngestSource => cli::REMEDY_INGEST_SOURCE,
        Remedy::Ingest => cli::REMEDY_INGEST,
        Remedy::Look => cli::REMEDY_LOOK,
        Remedy::Wait => cli::REMEDY_WAIT,
    }
}
