//! `edition`: which editions are in force on a day, and the events that a person records.

use std::process::ExitCode;

use regreader_model::{CivilDate, EditionEvent, EventEvidence, EventKind, RegId};
use regreader_store::now;
use regreader_text::script::language_of;
use regreader_tools::{ListRegulations, Tool};
use serde_json::json;

use super::Session;
use crate::cli::editions::{EditionArgs, EditionCommand};
use crate::failure::Refusal;

/// Runs `edition`.
pub fn run(session: &Session, args: &EditionArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        EditionCommand::Status { reg_id, as_of } => status(session, reg_id, as_of.as_deref()),
        EditionCommand::Set { reg_id, kind, date, subject, by, scope, note } => {
            let date = date.as_deref().map(day).transpose()?;
            let event = EditionEvent {
                kind: event_kind(kind)?,
                date,
                subject: subject.clone(),
                by: by.clone(),
                scope: scope.clone(),
                evidence: EventEvidence::Person { note: note.clone().unwrap_or_default() },
                recorded_at: now(),
            };
            change(session, reg_id, |events| events.push(event))
        }
        EditionCommand::Unset { reg_id, kind } => {
            let kind = event_kind(kind)?;
            let by_hand = |event: &EditionEvent| matches!(event.evidence, EventEvidence::Person { .. });
            change(session, reg_id, |events| events.retain(|event| event.kind != kind || !by_hand(event)))
        }
    }
}

fn day(text: &str) -> anyhow::Result<CivilDate> {
    text.parse().map_err(|error: regreader_model::InvalidDate| {
        Refusal::usage(error.to_string(), "write a day of the calendar as 2024-01-31").into()
    })
}

fn event_kind(name: &str) -> anyhow::Result<EventKind> {
    let known = EventKind::ALL.into_iter().find(|kind| kind.name() == name);
    known.ok_or_else(|| {
        Refusal::usage(format!("no event is called `{name}`"), "see regreader edition set --help").into()
    })
}

fn change(
    session: &Session,
    reg_id: &str,
    change: impl FnOnce(&mut Vec<EditionEvent>),
) -> anyhow::Result<ExitCode> {
    let reg_id: RegId = reg_id.parse().map_err(regreader_model::DomainError::from)?;
    let updated = session.library()?.update_info(&reg_id, |info| change(&mut info.events))?;
    for warning in &updated.warnings {
        eprintln!("warning: {warning}");
    }
    if session.output.json {
        session.output.json(&updated.info.events)?;
    } else {
        for event in &updated.info.events {
            session.output.line(event_line(event))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn event_line(event: &EditionEvent) -> String {
    let date = event.date.map_or_else(|| "—".to_owned(), |date| date.to_string());
    let mut line = format!("  {date} {}", event.kind.name());
    for part in [&event.subject, &event.scope, &event.by].into_iter().flatten() {
        line.push_str(&format!(" {part}"));
    }
    match &event.evidence {
        EventEvidence::Page { page_num, text } => line.push_str(&format!(" [P{page_num} {text}]")),
        EventEvidence::Person { note } => line.push_str(&format!(" [{}{note}]", event.recorded_at)),
        EventEvidence::Metadata => {}
    }
    line
}

fn status(session: &Session, reg_ids: &[String], as_of: Option<&str>) -> anyhow::Result<ExitCode> {
    let request = ListRegulations { as_of: as_of.map(str::to_owned) };
    let listed = session.tools_for(ListRegulations::NAME)?.call(&request)?;
    let mut entries = listed.regulations;
    entries.retain(|entry| reg_ids.is_empty() || reg_ids.contains(&entry.reg_id));
    if let Some(missing) = reg_ids.iter().find(|id| !entries.iter().any(|entry| entry.reg_id == **id)) {
        let reg_id: RegId = missing.parse().map_err(regreader_model::DomainError::from)?;
        return Err(regreader_tools::ToolError::from(regreader_model::DomainError::RegulationNotFound {
            reg_id,
        })
        .into());
    }
    if session.output.json {
        session.output.json(&json!({ "as_of": listed.as_of, "regulations": entries }))?;
        return Ok(ExitCode::SUCCESS);
    }
    for entry in entries {
        let Some(status) = &entry.status else { continue };
        let label = language_of(&entry.title).say(status.status.label());
        let dates: Vec<String> =
            [("from", &status.effective), ("until", &status.ended), ("by", &status.replaced_by)]
                .into_iter()
                .filter_map(|(word, value)| Some(format!("{word} {}", value.as_ref()?)))
                .collect();
        session.output.line(format!("{} {} {label} {}", entry.reg_id, entry.title, dates.join(", ")))?;
        entry.events.iter().try_for_each(|event| session.output.line(event_line(event)))?;
    }
    Ok(ExitCode::SUCCESS)
}
