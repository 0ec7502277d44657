//! `impact`: every place that concerns a device. `equipment`: the list that gives devices their other names.

use std::fs;
use std::process::ExitCode;

use anyhow::Context;
use regreader_changes::EntityCatalog;
use regreader_tools::{EQUIPMENT_FILE, ImpactList, ImpactView, Tool, TraceImpact};
use serde_json::json;

use super::Session;
use crate::cli::editions::{EquipmentArgs, ImpactArgs};
use crate::failure::{NOTHING, Refusal};

/// Runs `impact`. The whole list is printed, however long.
pub fn run(session: &Session, args: &ImpactArgs) -> anyhow::Result<ExitCode> {
    let tools = session.tools_for(TraceImpact::NAME)?;
    let mut request = TraceImpact {
        entity: args.entity.clone(),
        depth: args.depth,
        reg_ids: args.reg_id.clone(),
        as_of: args.as_of.clone(),
        limit: 200,
        cursor: None,
    };
    let mut mentions: Vec<ImpactView> = Vec::new();
    let list = loop {
        let mut list = tools.call(&request)?;
        mentions.append(&mut list.mentions);
        request.cursor = list.next.take();
        if request.cursor.is_none() {
            break ImpactList { mentions, truncated: false, ..list };
        }
    };
    if session.output.json {
        session.output.json(&list)?;
    } else {
        TraceImpact::render(&list, &session.output)?;
    }
    Ok(if list.total == 0 { ExitCode::from(NOTHING) } else { ExitCode::SUCCESS })
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
