//! The sample library on a Qdrant server: the same ten best hits for every sample question as from the embedded indexes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

#[path = "../../index/tests/server/mod.rs"]
mod server;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use regreader_embed::StaticModel;
use regreader_index::{
    EngineOptions, KeywordBackend, QdrantOptions, SearchEngine, SearchRequest, VectorBackend,
};
use regreader_store::{Library, OpenOptions};
use serde_json::Value;

fn questions() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/questions.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let question =
        |line: &str| serde_json::from_str::<Value>(line).unwrap()["question"].as_str().unwrap().to_owned();
    text.lines().map(question).collect()
}

#[test]
fn a_server_finds_what_the_embedded_engine_finds() {
    let binary = match server::binary() {
        Ok(binary) => binary,
        Err(reason) => return eprintln!("skipped: no Qdrant server: {reason}"),
    };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("library");
    let demo = Command::new(env!("CARGO_BIN_EXE_regreader"))
        .args(["demo", "--quiet", "--keep"])
        .arg(&data)
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .output()
        .unwrap();
    assert!(demo.status.success(), "{}", String::from_utf8_lossy(&demo.stderr));
    let node = server::Node::alone(&binary);
    let open = |name: &str, options: EngineOptions| {
        let library = Library::open(&data, OpenOptions::new()).unwrap();
        let embedder = Some(StaticModel::builtin().unwrap() as Arc<_>);
        let engine = SearchEngine::open(library, &folder.path().join(name), options, embedder).unwrap();
        engine.refresh(&mut |_| {}).unwrap();
        engine
    };
    let embedded = open("embedded", EngineOptions::default());
    let on_server = open(
        "server",
        EngineOptions {
            keyword_backend: KeywordBackend::Qdrant,
            vector_backend: VectorBackend::Qdrant,
            qdrant: Some(QdrantOptions::new(vec![node.url()])),
            ..EngineOptions::default()
        },
    );
    let questions = questions();
    assert!(questions.len() > 90);
    let mut differing = Vec::new();
    for question in &questions {
        let ask = |engine: &SearchEngine| {
            let found = engine.search(&SearchRequest::new(question)).unwrap();
            let hits = found.hits.into_iter();
            hits.map(|hit| (hit.reg_id, hit.page_num, hit.block_id)).collect::<Vec<_>>()
        };
        if ask(&embedded) != ask(&on_server) {
            differing.push(question);
        }
    }
    assert!(differing.is_empty(), "{} of {}: {differing:#?}", differing.len(), questions.len());
}
