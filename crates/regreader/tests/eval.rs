//! `regreader eval` as a person runs it: a set on the library, a collection of articles, a comparison with an earlier run.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regreader"));
    command
        .current_dir(folder)
        .env_clear()
        .env("HOME", folder)
        .env("REGREADER_DATA_DIR", folder.join("data"));
    command.args(arguments).output().unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

const REGULATION: &str = "# 示例规程\n\n## 1. 母线\n\n1.1 母线失压时，应立即汇报值班调度员。\n\n## 2. 电压\n\n\
                          2.1 电压越限时，应投入电抗器。\n";
const QUESTIONS: &str = concat!(
    "{\"id\":\"a\",\"kind\":\"single\",\"question\":\"母线失压怎么办？\",\"reg_ids\":[\"demo\"],",
    "\"pages\":{\"demo\":[1]},\"clauses\":[\"demo:1.1\"],\"answer_contains\":[\"汇报值班调度员\"]}\n",
    "{\"id\":\"b\",\"kind\":\"unanswerable\",\"question\":\"食堂几点开门？\",\"refusal\":true}\n",
);

#[test]
fn a_set_on_the_library_is_measured_kept_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("demo.md"), REGULATION).unwrap();
    fs::write(folder.join("set.jsonl"), QUESTIONS).unwrap();
    assert!(run(folder, &["ingest", "--file", "demo.md", "--reg-id", "demo"]).status.success());

    let report = json(folder, &["eval", "set.jsonl", "--answers", "--save", "run.json", "--json"]);
    assert_eq!(report["fused"]["questions"], 1, "only the answerable question needs a page: {report}");
    for leg in ["keyword", "vector", "fused"] {
        for figure in ["recall@1", "recall@5", "recall@10", "recall@100", "mrr@10"] {
            assert_eq!(report[leg][figure], 1.0, "{leg} {figure}");
        }
    }
    assert_eq!(report["clauses"]["on_page"], 1);
    assert_eq!(report["answers"]["evidence_cited"], 1.0);
    assert_eq!(report["answers"]["refused"], 1.0);

    let same = run(folder, &["eval", "set.jsonl", "--answers", "--baseline", "run.json"]);
    assert!(same.status.success());
    let better = fs::read_to_string(folder.join("run.json"))
        .unwrap()
        .replace("\"verified\": 1.0", "\"verified\": 1.5");
    fs::write(folder.join("better.json"), better).unwrap();
    let fallen = run(folder, &["eval", "set.jsonl", "--answers", "--baseline", "better.json"]);
    assert_eq!(fallen.status.code(), Some(1));
    let said = String::from_utf8_lossy(&fallen.stderr).into_owned();
    assert!(said.contains("answers.verified was 1.5000, is 1.0000"), "{said}");
}

#[test]
fn a_collection_of_articles_is_searched_in_each_way() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let article = |number: &str, text: &str| {
        format!("{{\"doc\":\"d\",\"law\":\"示例法\",\"article\":\"{number}\",\"text\":\"{text}\"}}\n")
    };
    let articles = article("第一条", "用人单位应当按月支付工资。") + &article("第二条", "船舶进港应当申报。");
    fs::write(folder.join("articles.jsonl"), articles).unwrap();
    let question =
        "{\"id\":3,\"question\":\"工资多久支付一次？\",\"gold\":[{\"doc\":\"d\",\"article\":\"第一条\"}]}\n";
    fs::write(folder.join("other.jsonl"), question).unwrap();
    let report = json(folder, &["eval", "stard", "--corpus", ".", "--questions", "other.jsonl", "--json"]);
    assert_eq!((report["unit"].as_str(), report["searched"].as_u64()), (Some("article"), Some(2)));
    for leg in ["keyword", "vector", "rrf", "fused"] {
        assert_eq!(report[leg]["recall@1"], 1.0, "{leg}: {report}");
    }
}

#[test]
fn a_set_without_its_documents_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["eval", "stard"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--corpus"));
    let output = run(folder.path(), &["eval", "financebench", "--corpus", "."]);
    assert_eq!(output.status.code(), Some(3));
}
