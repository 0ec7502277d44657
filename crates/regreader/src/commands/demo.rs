//! `demo`: the main job on the built-in sample library, from nothing, with no network and no language model.

use std::process::ExitCode;

use regreader_agent::offline::{self, OfflineOptions};
use regreader_model::RegId;
use regreader_store::{Library, OpenOptions};
use serde_json::json;

use super::Session;
use super::ask::InProcess;
use super::tool::show;
use crate::cli::DemoArgs;
use crate::engine;
use crate::pipeline::{self, KnownInfo, ReadOptions, SourceFile};

/// The sample regulations, invented for this project and saying so on their first page.
const SAMPLES: &[(&str, &[u8])] = &[
    ("angui_2023.pdf", include_bytes!("../../../../samples/pdf/angui_2023.pdf")),
    ("angui_2024.pdf", include_bytes!("../../../../samples/pdf/angui_2024.pdf")),
    ("wengui_2024.pdf", include_bytes!("../../../../samples/pdf/wengui_2024.pdf")),
];
const METADATA: &str = include_str!("../../../../samples/metadata.json");

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

    let found = toolbox.call("smart_search", json!({ "query": SEARCH, "limit": 3 }))?;
    let table = toolbox.call("get_table_by_id", json!({ "reg_id": TABLE.0, "table_id": TABLE.1 }))?;
    let answer = offline::answer(&InProcess(&toolbox), QUESTION, &OfflineOptions::default(), &mut |_| {})?;
    if session.output.json {
        session.output.json(&json!({ "pages": pages, "search": found, "table": table, "answer": answer }))?;
        return Ok(ExitCode::SUCCESS);
    }
    heading(session, &format!("regreader search \"{SEARCH}\""))?;
    show::print(&session.output, "smart_search", &found)?;
    heading(session, &format!("regreader get-table -r {} {}", TABLE.0, TABLE.1))?;
    show::print(&session.output, "get_table_by_id", &table)?;
    heading(session, &format!("regreader ask \"{QUESTION}\""))?;
    session.output.line(answer.to_text().trim_end())?;
    if args.keep.is_some() {
        session.output.line(format!("\nregreader --data-dir {} search …", folder.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn ingest(session: &Session, library: &Library) -> anyhow::Result<usize> {
    let known: Vec<KnownInfo> = serde_json::from_str(METADATA)?;
    let mut pages = 0;
    for (name, bytes) in SAMPLES {
        let file = SourceFile::built_in(name, bytes);
        let reg_id: RegId = name.trim_end_matches(".pdf").parse()?;
        let info =
            known.iter().find(|info| info.reg_id.as_ref() == Some(&reg_id)).cloned().unwrap_or_default();
        let regulation = pipeline::read(&file, &reg_id, &info, &ReadOptions::default())?;
        pipeline::store(library, &file, &regulation)?;
        pages += regulation.pages.len();
        if !session.quiet {
            eprintln!(
                "✓ {reg_id}: {} 页, {} 章节, {} 表（跨页 {}）",
                regulation.pages.len(),
                regulation.structure.all_nodes.len(),
                regulation.tables.tables.len(),
                regulation.tables.tables.values().filter(|table| table.is_cross_page()).count(),
            );
        }
    }
    Ok(pages)
}

fn heading(session: &Session, text: &str) -> anyhow::Result<()> {
    session.output.line(format!("\n$ {}", session.output.bold(text)))
}
