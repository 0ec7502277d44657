//! The sample library on a Qdrant server and on a cluster that loses a node: the same ten best hits for every sample
//! question as from the embedded indexes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

#[path = "../../index/tests/server/mod.rs"]
mod server;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use regreader_embed::StaticModel;
use regreader_index::{
    EngineOptions, KeywordBackend, QdrantOptions, RefreshReport, SearchEngine, SearchRequest, VectorBackend,
};
use regreader_store::{Library, OpenOptions};
use serde_json::Value;
use server::Node;

/// The sample library in a folder of its own, and the questions to it.
struct Sample {
    folder: tempfile::TempDir,
    questions: Vec<String>,
}

/// What is compared: regulation, page and block of each hit, best first.
type Hits = Vec<(String, u32, Option<String>)>;

impl Sample {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let demo = Command::new(env!("CARGO_BIN_EXE_regreader"))
            .args(["demo", "--quiet", "--keep"])
            .arg(folder.path().join("library"))
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .output()
            .unwrap();
        assert!(demo.status.success(), "{}", String::from_utf8_lossy(&demo.stderr));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/questions.jsonl");
        let text = std::fs::read_to_string(path).unwrap();
        let question = |line: &str| {
            serde_json::from_str::<Value>(line).unwrap()["question"].as_str().unwrap().to_owned()
        };
        let questions: Vec<String> = text.lines().map(question).collect();
        assert!(questions.len() > 90);
        Self { folder, questions }
    }

    /// An engine with indexes of its own, not yet built.
    fn engine(&self, name: &str, options: EngineOptions) -> SearchEngine {
        let library = Library::open(self.folder.path().join("library"), OpenOptions::new()).unwrap();
        let embedder = Some(StaticModel::builtin().unwrap() as Arc<_>);
        SearchEngine::open(library, &self.folder.path().join(name), options, embedder).unwrap()
    }

    fn embedded(&self) -> Vec<Hits> {
        let engine = self.engine("embedded", EngineOptions::default());
        refresh(&engine);
        self.questions.iter().map(|question| ask(&engine, question)).collect()
    }

    /// Questions to which an engine gives other hits than these.
    fn differing(&self, engine: &SearchEngine, expected: &[Hits]) -> Vec<&str> {
        let pairs = self.questions.iter().zip(expected);
        pairs
            .filter(|(question, hits)| ask(engine, question) != **hits)
            .map(|(one, _)| one.as_str())
            .collect()
    }
}

fn on_server(nodes: &[Node]) -> EngineOptions {
    EngineOptions {
        keyword_backend: KeywordBackend::Qdrant,
        vector_backend: VectorBackend::Qdrant,
        qdrant: Some(QdrantOptions::new(nodes.iter().map(Node::url).collect())),
        ..EngineOptions::default()
    }
}

fn refresh(engine: &SearchEngine) -> RefreshReport {
    engine.refresh(&mut |_| {}).unwrap()
}

fn ask(engine: &SearchEngine, question: &str) -> Hits {
    let found = engine.search(&SearchRequest::new(question)).unwrap();
    let hits = found.hits.into_iter();
    hits.map(|hit| {
        (hit.reg_id.to_string(), hit.page_num.get(), hit.block_id.map(|id| id.as_str().to_owned()))
    })
    .collect()
}

#[test]
fn a_server_finds_what_the_embedded_engine_finds() {
    let binary = match server::binary() {
        Ok(binary) => binary,
        Err(reason) => return eprintln!("skipped: no Qdrant server: {reason}"),
    };
    let sample = Sample::new();
    let expected = sample.embedded();
    let nodes = [Node::alone(&binary)];
    let engine = sample.engine("server", on_server(&nodes));
    refresh(&engine);
    assert_eq!(sample.differing(&engine, &expected), [""; 0]);
}

/// One node of three dies while the library is put in, comes back, and another dies while questions are asked.
#[test]
fn a_cluster_that_loses_a_node_finds_the_same() {
    let binary = match server::binary() {
        Ok(binary) => binary,
        Err(reason) => return eprintln!("skipped: no Qdrant server: {reason}"),
    };
    let sample = Sample::new();
    let expected = sample.embedded();
    let mut nodes = Node::cluster(&binary, 3);
    let engine = sample.engine("cluster", on_server(&nodes));

    let (done, report) = (AtomicBool::new(false), std::sync::Mutex::new(RefreshReport::default()));
    thread::scope(|scope| {
        scope.spawn(|| {
            *report.lock().unwrap() = refresh(&engine);
            done.store(true, Ordering::SeqCst);
        });
        server::until("points are written", || nodes[0].points() > 0 || done.load(Ordering::SeqCst));
        nodes[2].kill();
    });
    assert_eq!(report.lock().unwrap().indexed.len(), 3);
    assert_eq!(sample.differing(&engine, &expected), [""; 0], "a node died while the library was put in");
    nodes[2].start();

    let (killed, after) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            for (question, hits) in sample.questions.iter().zip(&expected).cycle() {
                let late = killed.load(Ordering::SeqCst);
                assert_eq!(ask(&engine, question), *hits, "{question}");
                if after.fetch_add(usize::from(late), Ordering::SeqCst) + usize::from(late) >= 40 {
                    break;
                }
            }
        });
        nodes[1].kill();
        killed.store(true, Ordering::SeqCst);
    });
    let again = sample.engine("again", on_server(&nodes));
    assert_eq!(refresh(&again).indexed.len(), 3, "an engine elsewhere keeps its own texts");
    assert_eq!(sample.differing(&again, &expected), [""; 0]);
}
