//! A library that version 0.1 wrote (README.md beside this file says how): it opens as it is, nothing of it is lost, and what it
//! lacks is said and can be had.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const LIBRARY: &[u8] = include_bytes!("library-0.1.tar.gz");
const BUNDLE: &[u8] = include_bytes!("bundle-0.1.tar.gz");
const QUESTION: &str = "青云断面潮流越限后多少分钟内恢复？";
const ANSWER: &str = "越限后应在15分钟内恢复";

/// A copy of the library in a folder of its own.
struct Old {
    folder: tempfile::TempDir,
}

impl Old {
    fn library() -> Self {
        let folder = tempfile::tempdir().unwrap();
        tar::Archive::new(flate2::read::GzDecoder::new(LIBRARY)).unpack(folder.path()).unwrap();
        let old = Self { folder };
        assert!(old.data().join("regulations/tiaodu/info.json").is_file());
        old
    }

    fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("library")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let output = Command::new(env!("CARGO_BIN_EXE_regreader"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("REGREADER_DATA_DIR", self.data())
            .env("HOME", self.folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output
    }

    fn text(&self, arguments: &[&str]) -> String {
        String::from_utf8(self.run(arguments).stdout).unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_slice(&self.run(&[&["--json"], arguments].concat()).stdout).unwrap()
    }

    fn info(&self) -> Value {
        self.json(&["list"])["regulations"][0].clone()
    }

    /// The statement that answers the question, with where it says it stands.
    fn answer(&self) -> (String, String) {
        let answer = self.json(&["ask", QUESTION]);
        let first = &answer["measures"][0];
        assert_eq!(first["verified"], true, "{answer}");
        assert_eq!(first["page_num"], 2, "{answer}");
        let text = |name: &str| first[name].as_str().unwrap().to_owned();
        (text("text"), text("citation"))
    }

    /// The cells of the table over two pages, each row with its page.
    fn rows(&self) -> Vec<(u64, Vec<String>)> {
        let table = self.json(&["get-table", "-r", "tiaodu", "表2-1"]);
        let cells = |row: &Value| {
            let cells = row["cells"].as_array().unwrap().iter();
            cells.map(|cell| cell.as_str().unwrap().to_owned()).collect()
        };
        let rows = table["rows"].as_array().unwrap().iter();
        rows.map(|row| (row["page_num"].as_u64().unwrap(), cells(row))).collect()
    }

    /// Every file of the regulations, the conversations and the audit log.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        for part in ["regulations", "sessions"] {
            collect(&self.data().join(part), &mut files);
        }
        files.sort();
        files
    }
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
}

fn limits() -> Vec<(u64, Vec<String>)> {
    let row = |number: u64| {
        let cells = [format!("青云{number}线"), (600 + 20 * number).to_string(), "青云断面".to_owned()];
        (if number < 5 { 2 } else { 3 }, cells.to_vec())
    };
    (1..8).map(row).collect()
}

#[test]
fn a_library_of_0_1_is_read_searched_and_asked_as_it_is() {
    let old = Old::library();
    let before = old.files();
    assert!(before.len() > 10);

    let info = old.info();
    assert_eq!(info["reg_id"], "tiaodu");
    assert_eq!(info["title"], "青云电网调度运行规程（试行）", "the title that was given by hand");
    assert_eq!(info["aliases"][0], "青云调规");
    assert_eq!(info["total_pages"], 3);

    let hits = old.json(&["search", "青云断面越限"]);
    assert_eq!(hits["hits"][0]["page_num"], 2, "{hits}");
    assert!(hits["hits"][0]["snippet"].as_str().unwrap().contains("15分钟"), "{hits}");

    let (statement, citation) = old.answer();
    assert!(statement.contains(ANSWER), "{statement}");
    assert_eq!(citation, "[来源: 青云调规 P2 2.1]");

    let pages = old.text(&["read-pages", "-r", "tiaodu", "-s", "2", "-e", "3"]);
    assert!(pages.contains("任何单位不得擅自改变控制限值") && pages.contains("每年复核一次"), "{pages}");
    assert_eq!(old.rows(), limits());
    let place = old.text(&["resolve-reference", "-r", "tiaodu", "按第3.1条"]);
    assert!(place.contains("每年复核一次"), "{place}");
    assert!(old.text(&["toc", "tiaodu"]).contains("2 断面控制"));

    assert_eq!(old.files(), before, "reading changes nothing in it");
}

#[test]
fn doctor_finds_a_library_of_0_1_whole_and_says_what_it_lacks() {
    let old = Old::library();
    let report = old.json(&["doctor"]);
    assert_eq!(report["problems"], serde_json::json!([]));
    assert_eq!(report["outdated"][0]["reg_id"], "tiaodu", "{report}");
    assert_eq!(report["index"]["damaged"], serde_json::json!([]), "an old index is not a damaged one");
    assert_eq!(report["index"]["older"], true);
    let said = old.text(&["doctor"]);
    assert!(said.contains("ingest --force --reg-id tiaodu"), "{said}");
}

#[test]
fn what_0_1_read_is_read_again_from_the_stored_file_and_keeps_what_people_gave_it() {
    let old = Old::library();
    let answer = old.answer();
    assert_eq!(old.json(&["doctor"])["index"]["older"], false, "the question has built the indexes anew");
    let source = old.json(&["doctor"])["outdated"][0]["source"].as_str().unwrap().to_owned();
    // 0.1 did not note whether a title was given or read, so a given one is given again.
    let title = "青云电网调度运行规程（试行）";
    old.run(&["ingest", "--force", "--reg-id", "tiaodu", "--title", title, "--file", &source]);

    let report = old.json(&["doctor"]);
    assert_eq!(report["outdated"], serde_json::json!([]), "{report}");
    assert_eq!(report["problems"], serde_json::json!([]), "{report}");
    let info = old.info();
    assert_eq!(info["title"], title);
    assert_eq!(info["aliases"][0], "青云调规");
    assert_eq!(old.answer(), answer);
    assert_eq!(old.rows(), limits());
    let page = fs::read_to_string(old.data().join("regulations/tiaodu/pages/0002.json")).unwrap();
    assert!(page.contains("\"lines\""), "boxes of lines, which 0.1 did not store");
}

#[test]
fn conversations_and_audit_of_0_1_stay() {
    let old = Old::library();
    let sessions = old.json(&["sessions", "list"]);
    assert_eq!(sessions.as_array().unwrap().len(), 1, "{sessions}");
    let audit = old.data().join("audit");
    let mut before = Vec::new();
    collect(&audit, &mut before);
    old.answer();
    for (path, bytes) in before {
        assert!(fs::read(&path).unwrap().starts_with(&bytes), "{} is only added to", path.display());
    }
}

#[test]
fn a_bundle_of_0_1_is_imported() {
    let new = Old::empty();
    let bundle = new.folder.path().join("bundle.tar.gz");
    fs::write(&bundle, BUNDLE).unwrap();
    new.run(&["import", bundle.to_str().unwrap()]);
    assert_eq!(new.rows(), limits());
    assert!(new.answer().0.contains(ANSWER));
}
