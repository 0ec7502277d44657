//! The program as a person meets it: what is printed where, and which exit code comes back.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A library in a temporary folder, and a way to run the program on it.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, binary: &str) -> Command {
        let mut command = Command::new(binary);
        command.current_dir(self.folder.path());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("REGREADER_DATA_DIR", self.data()).env("HOME", self.folder.path());
        command.env("REGREADER_LIBREOFFICE", "off");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_regreader")).args(arguments).output().unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[&["--json"], arguments].concat());
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// A library with one small regulation in it, written as Markdown.
    fn with_sample() -> Self {
        let bench = Self::new();
        fs::write(bench.folder.path().join("demo.md"), SAMPLE).unwrap();
        let output = bench.run(&["ingest", "--file", "demo.md", "--reg-id", "demo"]);
        assert!(output.status.success(), "{}", stderr(&output));
        bench
    }
}

const SAMPLE: &str = "# 示例规程\n\n## 1. 总则\n\n本规程为软件示例。\n\n## 2. 运行\n\n2.1 母线失压时，应立即汇报值班调度员。\n\n\
                      2.2 限额见表2-1。\n\n表2-1 限额\n\n| 台数 | 限额（万千瓦） |\n|---|---|\n| 1 | 100 |\n| 2 | 200 |\n\n注1：台数指运行机组。\n";

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut queue = vec![folder.to_owned()];
    while let Some(next) = queue.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                queue.push(path);
            } else {
                files.push((path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn an_empty_library_lists_nothing_and_says_how_to_fill_it() {
    let bench = Bench::new();
    let output = bench.run(&["list"]);
    assert!(output.status.success());
    assert_eq!(stdout(&output), "");
    assert!(stderr(&output).contains("hint:"), "{}", stderr(&output));
    assert_eq!(bench.json(&["list"])["regulations"], serde_json::json!([]));
}

#[test]
fn a_search_that_finds_nothing_says_when_there_is_nothing_to_search() {
    let empty = Bench::new().run(&["search", "母线失压"]);
    assert_eq!(empty.status.code(), Some(3));
    assert!(stderr(&empty).contains("hint: 规程库是空的"), "{}", stderr(&empty));
    let filled = Bench::with_sample().run(&["search", "母线失压", "--types", "picture"]);
    assert_eq!(filled.status.code(), Some(1), "{}", stdout(&filled));
    assert!(!stderr(&filled).contains("规程库是空的"), "{}", stderr(&filled));
    let set = Bench::new().run(&["eval", "nowhere.jsonl"]);
    assert_eq!(set.status.code(), Some(2));
    assert!(stderr(&set).contains("hint: ") && stderr(&set).contains("samples"), "{}", stderr(&set));
}

#[test]
fn both_names_are_the_same_program() {
    let bench = Bench::with_sample();
    let by_old_name = bench.command(env!("CARGO_BIN_EXE_gridcode")).args(["list"]).output().unwrap();
    assert_eq!(stdout(&by_old_name), stdout(&bench.run(&["list"])));
    assert!(stdout(&by_old_name).contains("demo"));
}

#[test]
fn ingesting_the_same_file_again_changes_no_byte() {
    let bench = Bench::with_sample();
    let before = snapshot(&bench.data().join("regulations/demo"));
    let again = bench.run(&["ingest", "demo.md", "--reg-id", "demo"]);
    assert!(stdout(&again).contains("1 unchanged"), "{}", stdout(&again));
    let forced = bench.run(&["ingest", "demo.md", "--reg-id", "demo", "--force"]);
    assert!(forced.status.success(), "{}", stderr(&forced));
    assert!(snapshot(&bench.data().join("regulations/demo")) == before, "a byte changed");
}

#[test]
fn a_dry_run_writes_nothing() {
    let bench = Bench::new();
    fs::write(bench.folder.path().join("demo.md"), SAMPLE).unwrap();
    let output = bench.run(&["ingest", "demo.md", "--dry-run"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(!bench.data().join("regulations/demo").exists());
}

#[test]
fn one_bad_file_fails_the_run_but_not_the_others() {
    let bench = Bench::new();
    let folder = bench.folder.path().join("documents");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("good.md"), SAMPLE).unwrap();
    fs::write(folder.join("empty.pdf"), b"").unwrap();
    let output = bench.run(&["ingest", "--dir", "documents"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("empty.pdf"), "{}", stderr(&output));
    assert!(bench.data().join("regulations/good/info.json").exists());
    assert!(!bench.data().join("regulations/empty").exists());
}

#[test]
fn one_reg_id_for_several_files_is_a_usage_error() {
    let bench = Bench::new();
    fs::write(bench.folder.path().join("a.md"), SAMPLE).unwrap();
    fs::write(bench.folder.path().join("b.md"), SAMPLE).unwrap();
    let output = bench.run(&["ingest", "a.md", "b.md", "--reg-id", "x"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("hint:"));
}

#[test]
fn asking_for_what_is_not_there_says_so_in_the_old_words() {
    let bench = Bench::with_sample();
    let output = bench.run(&["inspect", "nowhere"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).starts_with("error: 规程不存在: nowhere\n"), "{}", stderr(&output));
    let path = bench.run(&["inspect", "../demo"]);
    assert_eq!(path.status.code(), Some(2));
}

#[test]
fn delete_asks_unless_forced() {
    let bench = Bench::with_sample();
    let refused = bench.run(&["delete", "demo"]);
    assert_eq!(refused.status.code(), Some(1), "no terminal, no yes: {}", stderr(&refused));
    assert!(bench.data().join("regulations/demo").exists());
    assert!(bench.run(&["delete", "demo", "--force"]).status.success());
    assert!(!bench.data().join("regulations/demo").exists());
    let events = bench.json(&["audit"]).to_string();
    assert!(events.contains("demo"), "{events}");
}

#[test]
fn a_torn_info_is_that_regulations_trouble_alone() {
    let bench = Bench::with_sample();
    fs::write(bench.folder.path().join("other.md"), format!("{SAMPLE}\n2.3 另有规定。\n")).unwrap();
    assert!(bench.run(&["ingest", "other.md"]).status.success());
    fs::write(bench.data().join("regulations/demo/info.json"), b"{\"reg_id\": \"demo\", \"ti").unwrap();
    let output = bench.run(&["list"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).contains("other") && stdout(&output).contains("损坏"), "{}", stdout(&output));
    assert!(bench.run(&["inspect", "other"]).status.success());
}

#[test]
fn settings_come_from_the_strongest_layer_and_say_which() {
    let bench = Bench::new();
    fs::write(bench.folder.path().join("regreader.toml"), "search_top_k = 7\nrrf_k = 11\n").unwrap();
    let shown = bench.json(&["config", "show", "--origin", "--set", "rrf_k=12"]);
    assert_eq!(shown["search_top_k"]["value"], "7");
    assert_eq!(shown["search_top_k"]["origin"], "file regreader.toml");
    assert_eq!(shown["rrf_k"]["origin"], "flag");
    assert_eq!(shown["data_dir"]["origin"], "environment REGREADER_DATA_DIR");
    let legacy = bench
        .command(env!("CARGO_BIN_EXE_regreader"))
        .env("GRIDCODE_MCP_PORT", "9999")
        .args(["--json", "config", "explain", "mcp_port"])
        .output()
        .unwrap();
    assert!(stdout(&legacy).contains("9999"), "{}", stdout(&legacy));
    fs::write(bench.folder.path().join("regreader.toml"), "serch_top_k = 7\n").unwrap();
    let output = bench.run(&["list"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `search_top_k`?"), "{}", stderr(&output));
}

#[test]
fn a_regulation_is_carried_to_another_library_whole() {
    let here = Bench::with_sample();
    let bundle = here.folder.path().join("demo.bundle");
    let bundle = bundle.to_str().unwrap();
    assert!(here.run(&["export", "demo", "--output", bundle]).status.success());
    let there = Bench::new();
    let imported = there.run(&["import", bundle]);
    assert!(imported.status.success(), "{}", stderr(&imported));
    let part = |bench: &Bench| snapshot(&bench.data().join("regulations/demo"));
    assert!(part(&here) == part(&there), "the copies differ");
    assert!(there.run(&["doctor"]).status.success());
}

#[test]
fn doctor_finds_an_altered_page() {
    let bench = Bench::with_sample();
    assert!(bench.run(&["doctor"]).status.success());
    let page = bench.data().join("regulations/demo/pages/0001.json");
    let altered = fs::read_to_string(&page).unwrap().replace("200", "900");
    fs::write(&page, altered).unwrap();
    let output = bench.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).contains("0001.json"), "{}", stdout(&output));
}

#[test]
fn doctor_says_which_index_is_behind_and_brings_it_in_step() {
    let bench = Bench::with_sample();
    assert!(bench.run(&["search", "母线失压"]).status.success());
    fs::write(bench.folder.path().join("demo.md"), SAMPLE.replace("母线失压", "线路跳闸")).unwrap();
    assert!(bench.run(&["ingest", "demo.md", "--reg-id", "demo"]).status.success());
    let found = bench.json(&["doctor"]);
    assert_eq!(found["problems"], serde_json::json!([]));
    assert_eq!(found["index"]["stale"], serde_json::json!(["demo"]), "{found}");
    let mended = bench.json(&["doctor", "--repair"]);
    assert!(!mended["repaired"].as_array().unwrap().is_empty(), "{mended}");
    assert_eq!(mended["index"]["stale"], serde_json::json!([]), "once is enough: {mended}");
}

#[test]
fn a_question_is_answered_with_a_verified_citation_or_refused() {
    let bench = Bench::with_sample();
    let answer = bench.json(&["ask", "母线失压应向谁汇报？"]);
    assert_eq!(answer["outcome"], "answered");
    assert!(answer["text"].as_str().unwrap().contains("【来源】"), "{answer}");
    assert!(answer["measures"][0]["verified"].as_bool().unwrap(), "{answer}");
    let table = bench.run(&["get-table", "-r", "demo", "表2-1"]);
    assert!(stdout(&table).contains("200") && stdout(&table).contains("注1"), "{}", stdout(&table));
    let nothing = bench.run(&["ask", "食堂几点开饭？"]);
    assert_eq!(nothing.status.code(), Some(1));
    assert!(stdout(&nothing).contains("未找到相关规定"), "{}", stdout(&nothing));
    assert_eq!(bench.run(&["ask", "你好，讲个笑话"]).status.code(), Some(1));
}

#[test]
fn help_version_and_completions_need_no_library() {
    let bench = Bench::new();
    fs::write(bench.folder.path().join("regreader.toml"), "broken = [").unwrap();
    for arguments in [&["--help"][..], &["version"], &["completions", "bash"], &["--version"]] {
        let output = bench.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        assert!(!output.stdout.is_empty());
    }
    assert_eq!(bench.run(&["no-such-command"]).status.code(), Some(2));
}

#[test]
fn an_engine_that_is_not_built_in_and_a_font_that_is_not_there_are_refused_with_a_hint() {
    let bench = Bench::new();
    fs::write(bench.folder.path().join("demo.md"), SAMPLE).unwrap();
    if !cfg!(feature = "pdfium") {
        let output = bench.run(&["--set", "pdf_engine=pdfium", "ingest", "demo.md"]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains("--features pdfium"), "{}", stderr(&output));
    }
    let output = bench.run(&["--set", "fallback_font=nowhere.ttf", "ingest", "demo.md"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("nowhere.ttf"), "{}", stderr(&output));
    fs::write(bench.folder.path().join("page.pdf"), "404 not found").unwrap();
    let output = bench.run(&["ingest", "page.pdf"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("page.pdf") && stderr(&output).contains("%PDF"), "{}", stderr(&output));
}

/// A setting of the fuller program is understood, and the way to it is said.
#[test]
fn a_vector_index_of_another_build_is_refused_with_a_hint() {
    let bench = Bench::with_sample();
    let output = bench.run(&["--set", "vector_index_backend=lancedb", "search", "母线失压"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("lancedb"), "{}", stderr(&output));
    assert!(stderr(&output).contains("regreader-full"), "{}", stderr(&output));
    let output = bench.run(&["--set", "vector_index_backend=pinecone", "search", "母线失压"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("lancedb"), "{}", stderr(&output));
}

#[test]
fn files_of_one_name_do_not_overwrite_each_other() {
    let bench = Bench::new();
    fs::write(bench.folder.path().join("bank.md"), SAMPLE).unwrap();
    fs::write(bench.folder.path().join("bank.txt"), "第一条 题库说明。\n").unwrap();
    let first = bench.json(&["ingest", "bank.md", "bank.txt"]);
    assert_eq!((&first["stored"], &first["failed"]), (&Value::from(2), &Value::from(0)));
    let ids: Vec<&str> =
        first["files"].as_array().unwrap().iter().map(|file| file["reg_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["bank", "bank_txt"]);
    let again = bench.json(&["ingest", "bank.md", "bank.txt"]);
    assert_eq!(again["unchanged"], 2, "and each is found again");
}
