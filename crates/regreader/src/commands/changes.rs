//! `changes`: what changed from one edition to another, on the terminal or as a document.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use regreader_changes::export::{Heading, docx, html, xlsx};
use regreader_changes::{ChangeRecord, Changes};
use regreader_tools::{ChangeList, ListChanges, Tool};
use serde_json::json;

use super::Session;
use super::reach::Tools;
use crate::cli::editions::ChangesArgs;
use crate::failure::Refusal;

/// A longer watch list is refused.
const MAX_WATCHED: usize = 10_000;

/// Runs `changes`.
pub fn run(session: &Session, args: &ChangesArgs) -> anyhow::Result<ExitCode> {
    let tools = session.tools_for(ListChanges::NAME)?;
    let found = match &args.watch {
        None => gather(&tools, args, args.chapter.as_deref(), &args.entity)?,
        Some(file) => watched(&tools, args, file)?,
    };
    if args.html || args.xlsx || args.docx {
        return document(args, found);
    }
    if session.output.json {
        session.output.json(&json!({
            "old": found.old,
            "new": found.new,
            "changes": found.changes,
            "counts": found.counts,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    ListChanges::render(&found, &session.output)?;
    Ok(ExitCode::SUCCESS)
}

/// Calls the tool until nothing is left.
fn gather(
    tools: &Tools,
    args: &ChangesArgs,
    chapter: Option<&str>,
    entities: &[String],
) -> anyhow::Result<ChangeList> {
    let mut request = ListChanges {
        kinds: serde_json::from_value(json!(args.kind))?,
        chapter: chapter.map(str::to_owned),
        entities: entities.to_vec(),
        ..ListChanges::between(&args.old, &args.new)
    };
    let mut records: Vec<ChangeRecord> = Vec::new();
    loop {
        let mut list = tools.call(&request)?;
        records.append(&mut list.changes);
        request.cursor = list.next.take();
        if request.cursor.is_none() {
            return Ok(ChangeList { changes: records, truncated: false, ..list });
        }
    }
}

/// What a watch list asks for: each change once, whichever of its lines asks for it.
fn watched(tools: &Tools, args: &ChangesArgs, file: &Path) -> anyhow::Result<ChangeList> {
    let text = fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    if lines.is_empty() || lines.len() > MAX_WATCHED {
        let reason = format!("{} has {} lines to watch", file.display(), lines.len());
        return Err(Refusal::usage(reason, "write one name a line, or `chapter: 6`").into());
    }
    let chapter = |line: &&&str| {
        line.starts_with("chapter:") || line.starts_with("chapter：") || line.starts_with("章节：")
    };
    let names: Vec<String> =
        lines.iter().filter(|line| !chapter(line)).map(|line| (*line).to_owned()).collect();
    let mut parts = Vec::new();
    if !names.is_empty() {
        parts.push(gather(tools, args, None, &names)?);
    }
    for line in lines.iter().filter(chapter) {
        let name = line.split_once([':', '：']).map_or("", |(_, name)| name.trim());
        parts.push(gather(tools, args, Some(name), &[])?);
    }
    let mut parts = parts.into_iter();
    let Some(mut all) = parts.next() else {
        return Err(
            Refusal::usage(format!("{} asks for nothing", file.display()), "write one name a line").into()
        );
    };
    for part in parts {
        for record in part.changes {
            if !all.changes.contains(&record) {
                all.changes.push(record);
            }
        }
    }
    let sorted = Changes::new(all.changes);
    Ok(ChangeList { changes: sorted.changes, counts: sorted.counts, ..all })
}

fn document(args: &ChangesArgs, found: ChangeList) -> anyhow::Result<ExitCode> {
    let heading = Heading::new(&found.old.name, &found.new.name);
    let changes = Changes { counts: found.counts, ..Changes::new(found.changes) };
    let bytes = if args.html {
        html(&changes, &heading).into_bytes()
    } else if args.xlsx {
        xlsx(&changes, &heading)?
    } else {
        docx(&changes, &heading)?
    };
    match &args.output {
        Some(file) => {
            fs::write(file, bytes).with_context(|| format!("{}", file.display()))?;
            eprintln!("{}", file.display());
        }
        None if !args.html && std::io::stdout().is_terminal() => {
            return Err(Refusal::usage(
                "a document is not for the terminal".to_owned(),
                "name a file with --output FILE, or send standard output elsewhere",
            )
            .into());
        }
        None => std::io::stdout().lock().write_all(&bytes)?,
    }
    Ok(ExitCode::SUCCESS)
}
