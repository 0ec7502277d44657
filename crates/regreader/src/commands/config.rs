//! `config`: what the settings are and where they come from.

use std::process::ExitCode;

use serde_json::{Map, json};

use super::Session;
use crate::cli::{ConfigArgs, ConfigCommand};
use crate::failure::Refusal;
use crate::grid::columns;
use crate::settings::{DEFINITIONS, shown, user_file};

/// Runs `config`.
pub fn run(session: &Session, args: &ConfigArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        ConfigCommand::Show { origin } => show(session, *origin)?,
        ConfigCommand::Explain { name } => explain(session, name)?,
        ConfigCommand::Path => {
            let user = user_file().map(|path| path.display().to_string());
            if session.output.json {
                session.output.json(&json!({ "project": "regreader.toml", "user": user }))?;
            } else {
                session.output.line("regreader.toml (working folder)")?;
                session.output.line(user.unwrap_or_else(|| "(no home folder)".to_owned()))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show(session: &Session, with_origin: bool) -> anyhow::Result<()> {
    let values = DEFINITIONS.iter().filter_map(|definition| {
        let (text, origin) = session.layers.text(definition.name)?;
        Some((definition.name, shown(Some(definition), &text), origin.to_string()))
    });
    if session.output.json {
        let object: Map<_, _> = values
            .map(|(name, value, origin)| {
                let value =
                    if with_origin { json!({ "value": value, "origin": origin }) } else { json!(value) };
                (name.to_owned(), value)
            })
            .collect();
        return session.output.json(&object);
    }
    let rows: Vec<Vec<String>> = values
        .map(|(name, value, origin)| {
            let mut row = vec![name.to_owned(), format!("= {value}")];
            if with_origin {
                row.push(format!("({origin})"));
            }
            row
        })
        .collect();
    for line in columns(&rows) {
        session.output.line(line)?;
    }
    Ok(())
}

fn explain(session: &Session, name: &str) -> anyhow::Result<()> {
    let Some(definition) = DEFINITIONS.iter().find(|definition| definition.name == name) else {
        return Err(Refusal::usage(
            format!("unknown setting `{name}`"),
            "`regreader config show` lists all settings",
        )
        .into());
    };
    let (text, origin) =
        session.layers.text(name).map(|(text, origin)| (text, origin.to_string())).unwrap_or_default();
    let value = shown(Some(definition), &text);
    if session.output.json {
        return session.output.json(&json!({
            "name": definition.name,
            "value": value,
            "origin": origin,
            "default": definition.default,
            "choices": definition.choices,
            "variable": definition.variable(),
            "doc": definition.doc.trim(),
        }));
    }
    session.output.line(format!("{} = {value} ({origin})", session.output.bold(name)))?;
    session.output.line(definition.doc.trim())?;
    if !definition.choices.is_empty() {
        session.output.line(format!("one of: {}", definition.choices.join(", ")))?;
    }
    session.output.line(format!("environment: {}", definition.variable()))
}
