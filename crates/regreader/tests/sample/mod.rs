//! The sample library, and the ten best hits for each of its questions.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use regreader_embed::StaticModel;
use regreader_search::{EngineOptions, RefreshReport, SearchEngine, SearchRequest};
use regreader_store::{Library, OpenOptions};
use serde_json::Value;

/// The sample library in a folder of its own, and the questions to it.
pub struct Sample {
    pub folder: tempfile::TempDir,
    pub questions: Vec<String>,
}

/// What is compared: regulation, page and block of each hit, best first.
pub type Hits = Vec<(String, u32, Option<String>)>;

impl Sample {
    /// Makes the library with a program that has `demo`.
    pub fn new(program: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let demo = Command::new(program)
            .args(["demo", "--quiet", "--keep"])
            .arg(folder.path().join("library"))
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .output()
            .unwrap();
        assert!(demo.status.success(), "{}", String::from_utf8_lossy(&demo.stderr));
        let path =
            Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../samples/questions.jsonl");
        let text = std::fs::read_to_string(path).unwrap();
        let question = |line: &str| {
            serde_json::from_str::<Value>(line).unwrap()["question"].as_str().unwrap().to_owned()
        };
        let questions: Vec<String> = text.lines().map(question).collect();
        assert!(questions.len() > 90);
        Self { folder, questions }
    }

    /// An engine with indexes of its own, not yet built.
    pub fn engine(&self, name: &str, options: EngineOptions) -> SearchEngine {
        let library = Library::open(self.folder.path().join("library"), OpenOptions::new()).unwrap();
        let embedder = Some(StaticModel::builtin().unwrap() as Arc<_>);
        SearchEngine::open(library, &self.folder.path().join(name), options, embedder).unwrap()
    }

    /// What the embedded indexes find.
    pub fn embedded(&self) -> Vec<Hits> {
        let engine = self.engine("embedded", EngineOptions::default());
        refresh(&engine);
        self.questions.iter().map(|question| ask(&engine, question)).collect()
    }

    /// Share of these hits that an engine finds too, over all questions.
    pub fn shared_with(&self, engine: &SearchEngine, expected: &[Hits]) -> f64 {
        let pairs = self.questions.iter().zip(expected);
        let (mut shared, mut all) = (0, 0);
        for (question, hits) in pairs {
            let found = ask(engine, question);
            shared += hits.iter().filter(|hit| found.contains(hit)).count();
            all += hits.len();
        }
        f64::from(shared as u32) / f64::from(all.max(1) as u32)
    }

    /// Questions to which an engine gives other hits than these.
    pub fn differing(&self, engine: &SearchEngine, expected: &[Hits]) -> Vec<&str> {
        let pairs = self.questions.iter().zip(expected);
        pairs
            .filter(|(question, hits)| ask(engine, question) != **hits)
            .map(|(one, _)| one.as_str())
            .collect()
    }
}

pub fn refresh(engine: &SearchEngine) -> RefreshReport {
    engine.refresh(&mut |_| {}).unwrap()
}

pub fn ask(engine: &SearchEngine, question: &str) -> Hits {
    let found = engine.search(&SearchRequest::new(question)).unwrap();
    let hits = found.hits.into_iter();
    hits.map(|hit| {
        (hit.reg_id.to_string(), hit.page_num.get(), hit.block_id.map(|id| id.as_str().to_owned()))
    })
    .collect()
}
