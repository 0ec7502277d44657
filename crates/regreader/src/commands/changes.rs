//! `changes`: what changed from one edition to another, on the terminal or as a document.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use regreader_changes::describe::{Language, summary};
use regreader_changes::export::{Heading, docx, html, xlsx};
use regreader_changes::{ChangeKind, ChangeRecord, Changes};
use regreader_tools::results::ChangeList;
use serde_json::json;

use super::Session;
use super::reach::Tools;
use crate::cli::editions::ChangesArgs;
use crate::failure::Refusal;

/// A longer watch list is refused.
const MAX_WATCHED: usize = 10_000;

/// Runs `changes`.
pub fn run(session: &Session, args: &ChangesArgs) -> anyhow::Result<ExitCode> {
    let tools = session.tools_for("list_changes")?;
    let found = match &args.watch {
        None => gather(&tools, args, args.chapter.as_deref(), &args.entity)?,
        Some(file) => watched(&tools, args, file)?,
    };
    if args.html || args.xlsx || args.docx {
        return document(args, &found);
    }
    if session.output.json {
        session.output.json(&json!({
            "old": found.list.old,
            "new": found.list.new,
            "changes": found.changes.changes,
            "counts": found.changes.counts,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    print(session, &found)?;
    Ok(ExitCode::SUCCESS)
}

/// All that was asked for, with what is known about the editions.
struct Found {
    list: ChangeList,
    changes: Changes,
}

/// Calls the tool until nothing is left.
fn gather(
    tools: &Tools,
    args: &ChangesArgs,
    chapter: Option<&str>,
    entities: &[String],
) -> anyhow::Result<Found> {
    let mut records: Vec<ChangeRecord> = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let arguments = json!({
            "old": args.old,
            "new": args.new,
            "kinds": args.kind,
            "chapter": chapter,
            "entities": entities,
            "limit": 200,
            "cursor": cursor,
        });
        let mut list: ChangeList = serde_json::from_value(tools.run("list_changes", arguments)?)?;
        records.append(&mut list.changes);
        cursor.clone_from(&list.next);
        if cursor.is_none() {
            let mut changes = Changes::new(records);
            changes.counts.clone_from(&list.counts);
            return Ok(Found { list, changes });
        }
    }
}

/// What a watch list asks for: each change once, whichever of its lines asks for it.
fn watched(tools: &Tools, args: &ChangesArgs, file: &Path) -> anyhow::Result<Found> {
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
    let mut records = all.changes.changes;
    for part in parts {
        for record in part.changes.changes {
            if !records.contains(&record) {
                records.push(record);
            }
        }
    }
    all.changes = Changes::new(records);
    Ok(all)
}

fn document(args: &ChangesArgs, found: &Found) -> anyhow::Result<ExitCode> {
    let heading = Heading::new(&found.list.old.name, &found.list.new.name);
    let bytes = if args.html {
        html(&found.changes, &heading).into_bytes()
    } else if args.xlsx {
        xlsx(&found.changes, &heading)?
    } else {
        docx(&found.changes, &heading)?
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

fn print(session: &Session, found: &Found) -> anyhow::Result<()> {
    let out = &session.output;
    let language = Language::of(&found.list.new.title);
    out.line(out.bold(&format!("{} → {}", found.list.old.name, found.list.new.name)))?;
    for kind in ChangeKind::ALL {
        let records: Vec<&ChangeRecord> =
            found.changes.changes.iter().filter(|record| record.kind == kind).collect();
        if records.is_empty() {
            continue;
        }
        out.line(out.bold(&format!("{} ({})", kind.label(language), records.len())))?;
        for record in records {
            out.line(format!("  {}", summary(record, language)))?;
        }
    }
    let format = found.changes.counts.get(ChangeKind::Format.name()).copied().unwrap_or(0);
    let listed = found.changes.changes.iter().any(|record| record.kind == ChangeKind::Format);
    if format > 0 && !listed {
        let text = match language {
            Language::Chinese => format!("另有 {format} 处仅格式不同（--kind format 列出）"),
            Language::English => format!("{format} more differ in format only (--kind format lists them)"),
        };
        eprintln!("{}", out.dim(&text));
    }
    if found.changes.changes.is_empty() {
        eprintln!("{}", language.choose("没有改动", "nothing changed"));
    }
    Ok(())
}
