//! What each weight of the ranking brings: questions on a kept library with all weights, and with each one left out.
//!
//! ```text
//! regreader eval QUESTIONS.jsonl --corpus DIR --keep LIBRARY
//! cargo run -p regreader-eval --example leave_one_out -- LIBRARY QUESTIONS.jsonl [--answers]
//! ```
//!
//! A weight that adds is set to 0; one that is a share of the best (`near`, `gain` …) is set so that it never holds. With
//! `--answers` the offline agent's answers under the shipped weights are judged too.

use std::path::Path;
use std::sync::Arc;

use regreader_agent::offline::{self, OfflineOptions};
use regreader_embed::{Embedder, StaticModel};
use regreader_eval::library::{self, Within};
use regreader_eval::questions::{self, Question};
use regreader_eval::{Scores, Tally};
use regreader_model::RegId;
use regreader_search::{EngineOptions, RankingWeights, SearchEngine};
use regreader_store::{Library, ListEntry, OpenOptions};
use regreader_tools::{Toolbox, ToolboxOptions};
use serde_json::{Value, json};

/// Weights that are a share of the best one's score, or a factor: out of the way, they are at this value.
const SHARES: [(&str, f64); 9] = [
    ("definition", 1.0),
    ("headings_only", 1.0),
    ("table_near", 9.0),
    ("near", 9.0),
    ("gain", 9.0),
    ("gain_near", 9.0),
    ("referred", 9.0),
    ("older_edition", 1e9),
    ("row_step", 0.0),
];

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, file, rest @ ..] = args.as_slice() else {
        return Err("usage: leave_one_out LIBRARY QUESTIONS.jsonl [--answers]".into());
    };
    let folder = Path::new(folder);
    let library = Library::open(folder, OpenOptions::default())?;
    let ids = ids(&library)?;
    let set = questions::read_by_file(Path::new(file), |stem| {
        ids.iter().find(|(known, _)| known == stem).map(|(_, id)| id.clone())
    })?;
    let shipped = serde_json::to_value(RankingWeights::default())?;
    println!("| | hit@1 | hit@3 | hit@5 | needed chosen | no other |\n|---|---|---|---|---|---|");
    let engine = measure("shipped", &library, folder, &set, &shipped)?;
    if rest.iter().any(|arg| arg == "--answers") {
        answers(&library, engine, &set)?;
        return Ok(());
    }
    for (path, name) in names(&shipped) {
        let mut weights = shipped.clone();
        let value = SHARES.iter().find(|(share, _)| *share == name).map_or(0.0, |(_, value)| *value);
        if let Some(weight) = weights.pointer_mut(&path) {
            *weight = json!(value);
        }
        measure(&format!("without {}", path.trim_start_matches('/')), &library, folder, &set, &weights)?;
    }
    Ok(())
}

/// Every weight: where it stands, and its own name.
fn names(weights: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in weights.as_object().into_iter().flatten() {
        match value.as_object() {
            Some(inner) => {
                found.extend(inner.keys().map(|inner| (format!("/{name}/{inner}"), inner.clone())));
            }
            None => found.push((format!("/{name}"), name.clone())),
        }
    }
    found
}

fn measure(
    name: &str,
    library: &Library,
    folder: &Path,
    set: &[Question],
    weights: &Value,
) -> Result<Arc<SearchEngine>, Failed> {
    let options =
        EngineOptions { ranking: serde_json::from_value(weights.clone())?, ..EngineOptions::default() };
    let embedder: Arc<dyn Embedder> = StaticModel::builtin()?;
    let engine = SearchEngine::open(library.clone(), &folder.join("index"), options, Some(embedder))?;
    engine.refresh(&mut |_| {})?;
    let scores = Scores::of(&library::by_page(&engine, set, Within::Chosen)?);
    let chosen = library::selection(&engine, set)?;
    println!(
        "| {name} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} |",
        scores.hit_1, scores.hit_3, scores.hit_5, chosen.complete, chosen.exact
    );
    Ok(Arc::new(engine))
}

fn answers(library: &Library, engine: Arc<SearchEngine>, set: &[Question]) -> Result<(), Failed> {
    let toolbox = Toolbox::new(library.clone(), engine, ToolboxOptions::default());
    let mut tally = Tally::default();
    for question in set {
        let answer = offline::answer(&toolbox, &question.question, &OfflineOptions::default(), &mut |_| {})?;
        tally.count(question, &answer);
    }
    println!("{}", serde_json::to_string_pretty(&tally.into_scores())?);
    Ok(())
}

/// The file stem of each document and the regulation that it became.
fn ids(library: &Library) -> Result<Vec<(String, RegId)>, Failed> {
    let entries = library.list()?.into_iter().filter_map(|entry| match entry {
        ListEntry::Regulation(info) => Some(info),
        ListEntry::Broken { .. } => None,
    });
    let stem = |file: &str| Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok(entries.map(|info| (stem(&info.source_file).unwrap_or_default(), info.reg_id)).collect())
}
