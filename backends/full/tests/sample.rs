//! The sample library in the fuller program: the same ten best hits for every sample question as with the flat index.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

#[path = "../../../crates/regreader/tests/sample/mod.rs"]
mod sample;

use std::process::{Command, Output};

use regreader_search::{EngineOptions, VectorBackend};
use sample::{Sample, refresh};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_regreader-full");

#[test]
fn lancedb_finds_what_flat_finds() {
    let sample = Sample::new(PROGRAM);
    let expected = sample.embedded();
    let lancedb = &regreader_lancedb::BACKEND;
    let options =
        || EngineOptions { vector_backend: VectorBackend::Added(lancedb), ..EngineOptions::default() };
    let engine = sample.engine("lancedb", options());
    assert_eq!(refresh(&engine).indexed.len(), 3);
    assert_eq!(sample.differing(&engine, &expected), [""; 0]);
    let again = sample.engine("lancedb", options());
    assert!(refresh(&again).indexed.is_empty(), "still there");
    assert_eq!(sample.differing(&again, &expected), [""; 0], "opened again");
}

/// By the setting, from the command line; a torn index is built anew.
#[test]
fn the_setting_chooses_it() {
    let folder = tempfile::tempdir().unwrap();
    let run = |backend: &str, arguments: &[&str]| -> Output {
        Command::new(PROGRAM)
            .args(["--set", &format!("vector_index_backend={backend}")])
            .args(arguments)
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .env("REGREADER_DATA_DIR", folder.path().join("data"))
            .output()
            .unwrap()
    };
    let text = "# 示例规程\n\n## 1. 总则\n\n1.1 母线失压时，应立即汇报值班调度员。\n\n1.2 黑启动电源应保持热备用。\n";
    std::fs::write(folder.path().join("demo.md"), text).unwrap();
    let ingest = run("flat", &["ingest", "demo.md", "--reg-id", "demo"]);
    assert!(ingest.status.success(), "{}", String::from_utf8_lossy(&ingest.stderr));
    let search = |backend: &str| -> Vec<Value> {
        let output = run(backend, &["--json", "search", "母线没有电压怎么办"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        found["hits"].as_array().unwrap().iter().map(|hit| hit["block_id"].clone()).collect()
    };
    let expected = search("flat");
    assert!(!expected.is_empty());
    assert_eq!(search("lancedb"), expected);
    let parts = std::fs::read_dir(folder.path().join("data/index")).unwrap();
    let mut torn = 0;
    for part in parts.flatten().flat_map(|entry| std::fs::read_dir(entry.path()).into_iter().flatten()) {
        let part = part.unwrap().path();
        if part.file_name().unwrap().to_string_lossy().starts_with("lancedb-") {
            std::fs::write(part.join("manifest.json"), "{").unwrap();
            torn += 1;
        }
    }
    assert!(torn > 0, "no index found");
    assert_eq!(search("lancedb"), expected, "built anew");
}
