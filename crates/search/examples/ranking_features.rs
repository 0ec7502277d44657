//! What the ranking knows about the candidates of each question, one JSON line a question, for `training/ranking/fit.py`.
//!
//! ```text
//! cargo run -p regreader-search --example ranking_features -- LIBRARY QUESTIONS.jsonl > features.jsonl
//! ```
//!
//! LIBRARY is a data folder; its indexes are built beside it when they are not there.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use regreader_embed::{Embedder, StaticModel};
use regreader_search::{EngineOptions, SearchEngine, SearchRequest};
use regreader_store::{Library, OpenOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(folder), Some(questions)) = (args.next(), args.next()) else {
        return Err("usage: ranking_features LIBRARY QUESTIONS.jsonl".into());
    };
    let folder = Path::new(&folder);
    let library = Library::open(folder, OpenOptions::default())?;
    let embedder: Arc<dyn Embedder> = StaticModel::builtin()?;
    let index = folder.join("ranking-index");
    let engine = SearchEngine::open(library, &index, EngineOptions::default(), Some(embedder))?;
    engine.refresh(&mut |_| {})?;
    let mut out = std::io::stdout().lock();
    let (mut spent, mut asked) = (0.0, 0_u32);
    for line in fs::read_to_string(&questions)?.lines().filter(|line| !line.trim().is_empty()) {
        let mut question: serde_json::Value = serde_json::from_str(line)?;
        let text = question["question"].as_str().unwrap_or_default().to_owned();
        let began = Instant::now();
        engine.search(&SearchRequest::new(text.clone()))?;
        spent += began.elapsed().as_secs_f64();
        let found = engine.search(&SearchRequest::new(text).limit(200))?;
        asked += 1;
        let hits = found.hits.iter().zip(&found.passages).map(|(hit, passage)| {
            serde_json::json!({
                "reg_id": hit.reg_id, "page": hit.page_num, "block": hit.block_id, "score": hit.score,
                "ranked": !passage.blocks.is_empty(), "signals": passage.signals,
            })
        });
        question["hits"] = hits.collect();
        writeln!(out, "{question}")?;
    }
    eprintln!("{asked} questions, {:.2} ms each", 1000.0 * spent / f64::from(asked.max(1)));
    Ok(())
}
