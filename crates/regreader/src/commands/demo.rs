//! `demo`: the main job on the built-in sample library, from nothing, with no network and no language model.

use std::process::ExitCode;

use regreader_agent::offline::{self, OfflineOptions};
use regreader_messages::cli;
use regreader_store::{Library, OpenOptions};
use regreader_tools::{GetTable, SmartSearch, Tool};
use serde_json::json;

use super::Session;
use crate::cli::DemoArgs;
use crate::engine;
use crate::samples::Samples;

const SEARCH: &str = "母线失压";
const TABLE: (&str, &str) = ("wengui_2024", "表3-1");
const QUESTION: &str = "110kV 母线失压怎么处理？";

/// Runs `demo`. The library goes into a temporary folder unless `--keep` names one.
pub fn run(session: &Session, args: &DemoArgs) -> anyhow::Result<ExitCode> {
    let temporary = tempfile::tempdir()?;
    let folder = args.keep.clone().unwrap_or_else(|| temporary.path().join("library"));
    let library = Library::open(&folder, OpenOptions::new().actor("demo"))?;
    let pages = ingest(session, &library)?;
    let mut settings = session.settings.clone();
    settings.data_dir.clone_from(&folder);
    settings.index_dir = std::path::PathBuf::new();
    let toolbox = engine::open(&settings, library, true)?;

    let found = SmartSearch::new(SEARCH, None, 3).run(&toolbox)?;
    let table = GetTable::new(TABLE.0, TABLE.1).run(&toolbox)?;
    let answer = offline::answer(&toolbox, QUESTION, &OfflineOptions::default(), &mut |_| {})?;
    if session.output.json {
        session.output.json(&json!({ "pages": pages, "search": found, "table": table, "answer": answer }))?;
        return Ok(ExitCode::SUCCESS);
    }
    heading(session, &format!("regreader search \"{SEARCH}\""))?;
    SmartSearch::render(&found, &session.output)?;
    heading(session, &format!("regreader get-table -r {} {}", TABLE.0, TABLE.1))?;
    GetTable::render(&table, &session.output)?;
    heading(session, &format!("regreader ask \"{QUESTION}\""))?;
    crate::markdown::print(&session.output, answer.to_text().trim_end())?;
    if args.keep.is_some() {
        session.output.line(format!("\nregreader --data-dir {} search …", folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn ingest(session: &Session, library: &Library) -> anyhow::Result<usize> {
    let mut pages = 0;
    Samples::Chinese.ingest(library, &mut |regulation| {
        pages += regulation.pages.len();
        if !session.quiet {
            let line = cli::ingested_demo(
                &regulation.info.reg_id,
                regulation.pages.len(),
                regulation.structure.all_nodes.len(),
                regulation.tables.tables.len(),
                regulation.tables.tables.values().filter(|table| table.is_cross_page()).count(),
            );
            eprintln!("{line}");
        }
    })?;
    Ok(pages)
}

fn heading(session: &Session, text: &str) -> anyhow::Result<()> {
    session.output.line(format!("\n$ {}", session.output.bold(text)))
}
