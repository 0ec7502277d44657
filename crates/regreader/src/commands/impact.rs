//! `impact`: every place that concerns a device. `equipment`: the list that gives devices their other names.

use std::fs;
use std::process::ExitCode;

use anyhow::Context;
use regreader_changes::EntityCatalog;
use regreader_changes::describe::{Language, place_label};
use regreader_changes::mention::Reason;
use regreader_tools::EQUIPMENT_FILE;
use regreader_tools::results::{ImpactList, ImpactView};
use serde_json::json;

use super::Session;
use crate::cli::editions::{EquipmentArgs, ImpactArgs};
use crate::failure::{NOTHING, Refusal};

/// Runs `impact`. The whole list is printed, however long.
pub fn run(session: &Session, args: &ImpactArgs) -> anyhow::Result<ExitCode> {
    let tools = session.tools_for("trace_impact")?;
    let mut cursor: Option<String> = None;
    let mut mentions: Vec<ImpactView> = Vec::new();
    let mut list: ImpactList = loop {
        let arguments = json!({
            "entity": args.entity,
            "depth": args.depth,
            "reg_ids": args.reg_id,
            "as_of": args.as_of,
            "limit": 200,
            "cursor": cursor,
        });
        let mut list: ImpactList = serde_json::from_value(tools.run("trace_impact", arguments)?)?;
        mentions.append(&mut list.mentions);
        cursor.clone_from(&list.next);
        if cursor.is_none() {
            break list;
        }
    };
    list.mentions = mentions;
    list.truncated = false;
    if session.output.json {
        session.output.json(&list)?;
    } else {
        print(session, &list)?;
    }
    Ok(if list.total == 0 { ExitCode::from(NOTHING) } else { ExitCode::SUCCESS })
}

fn print(session: &Session, list: &ImpactList) -> anyhow::Result<()> {
    let out = &session.output;
    let language = Language::of(&list.entity);
    for regulation in &list.regulations {
        let status = match language {
            Language::Chinese => regulation.status.status.label(),
            Language::English => regulation.status.status.label_en(),
        };
        out.line(
            out.bold(&format!("{} {} ({status}) {}", regulation.reg_id, regulation.title, regulation.count)),
        )?;
        let own = |view: &&ImpactView| view.impact.mention.place.reg_id == regulation.reg_id;
        for view in list.mentions.iter().filter(own) {
            let mention = &view.impact.mention;
            let via = view.impact.via.as_deref().map_or_else(String::new, |via| format!(" ← {via}"));
            out.line(format!(
                "  P{} {} [{}{via}] {}",
                mention.place.page,
                place_label(&mention.place, language),
                reason(mention.reason, language),
                mention.text.replace('\n', " ")
            ))?;
        }
    }
    let total = match language {
        Language::Chinese => format!(
            "共 {} 处（{}，以 {} 为准）",
            list.total,
            if list.complete { "完整" } else { "不完整" },
            list.as_of
        ),
        Language::English => {
            format!(
                "{} places ({}, as of {})",
                list.total,
                if list.complete { "complete" } else { "incomplete" },
                list.as_of
            )
        }
    };
    out.line(total)?;
    for (reg_id, pages) in &list.unreadable_pages {
        let pages: Vec<String> = pages.iter().map(ToString::to_string).collect();
        let text = language.choose("无法读取的页", "pages that could not be read");
        eprintln!("warning: {reg_id} {text}: {}", pages.join(", "));
    }
    for reg_id in &list.unreadable_regulations {
        eprintln!("warning: {} {reg_id}", language.choose("无法读取的规程", "could not be opened:"));
    }
    Ok(())
}

fn reason(reason: Reason, language: Language) -> &'static str {
    let (chinese, english) = match reason {
        Reason::Named => ("指名", "named"),
        Reason::Heading => ("标题", "heading"),
        Reason::Caption => ("表题", "caption"),
        Reason::RowKey => ("行键", "row key"),
        Reason::ColumnHeader => ("列名", "column header"),
        Reason::Cell => ("单元格", "cell"),
        Reason::Note => ("注释", "note"),
        Reason::NoteOfTable => ("该表的注释", "note of the table"),
        Reason::RefersTo => ("引用", "refers to it"),
    };
    match language {
        Language::Chinese => chinese,
        Language::English => english,
    }
}

/// Runs `equipment`.
pub fn equipment(session: &Session, args: &EquipmentArgs) -> anyhow::Result<ExitCode> {
    let library = session.library()?;
    let kept = library.root().join(EQUIPMENT_FILE);
    let source = args.file.as_deref().unwrap_or(&kept);
    if args.file.is_none() && !kept.exists() {
        return Err(Refusal::usage(
            "there is no equipment list yet".to_owned(),
            "import one: regreader equipment FILE.csv (name,kind,alias,alias…)",
        )
        .into());
    }
    let text = fs::read_to_string(source).with_context(|| format!("{}", source.display()))?;
    let mut catalog = EntityCatalog::default();
    let read = catalog.import_csv(&text).map_err(|reason| {
        Refusal::usage(format!("{}: {reason}", source.display()), "write name,kind,alias,alias… on each line")
    })?;
    if args.file.is_some() {
        // Written beside and renamed, so that a reader sees the old list or the new one.
        let staged = kept.with_extension("csv.new");
        fs::write(&staged, &text).with_context(|| format!("{}", staged.display()))?;
        fs::rename(&staged, &kept).with_context(|| format!("{}", kept.display()))?;
        eprintln!("{read} → {}", kept.display());
        return Ok(ExitCode::SUCCESS);
    }
    if session.output.json {
        let entities: Vec<_> = catalog
            .iter()
            .map(|entity| json!({ "name": entity.name, "kind": entity.kind, "spellings": entity.keys }))
            .collect();
        session.output.json(&entities)?;
    } else {
        for entity in catalog.iter() {
            session.output.line(format!("{} ({}) {}", entity.name, entity.kind, entity.keys.join("、")))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
