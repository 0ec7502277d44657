//! Editions in the tools as people and agents meet them: what is not in force stands apart, references go to the edition that
//! they mean, and a day reaches every tool.

use std::io::Write as _;
use std::process::Stdio;
use std::sync::Arc;

use regreader_agent::{DatedTools, ToolClient, ToolFailure};
use regreader_assemble::{AssembleOptions, assemble};
use regreader_model::RegulationInfo;
use regreader_parse::ParseOptions;
use regreader_search::{EngineOptions, SearchEngine};
use regreader_store::{Library, ListEntry, OpenOptions};
use regreader_tools::{TOOLS, Toolbox, ToolboxOptions};
use serde_json::{Value, json};

use crate::agents::bench::Bench;

const OLD_DAY: &str = "2023-06-01";

fn toolbox(bench: &Bench) -> Toolbox {
    let library = Library::open(bench.data(), OpenOptions::new()).unwrap();
    let index = bench.folder.path().join("index");
    let engine = SearchEngine::open(library.clone(), &index, EngineOptions::default(), None).unwrap();
    engine.refresh(&mut |_| {}).unwrap();
    Toolbox::new(library, Arc::new(engine), ToolboxOptions::default())
}

/// The regulations of a list of hits or tables, each once.
fn regulations(list: &Value) -> Vec<&str> {
    let mut found: Vec<&str> =
        list.as_array().unwrap().iter().map(|one| one["reg_id"].as_str().unwrap()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn what_is_not_in_force_on_the_day_stands_apart_with_its_warning() {
    let bench = Bench::new();
    let toolbox = toolbox(&bench);
    let client: &dyn ToolClient = &toolbox;
    for (tool, key, query) in [
        ("smart_search", "hits", "每几年进行一次全部检验"),
        ("search_tables", "tables", "天中直流双极闭锁切机量"),
    ] {
        let found = client.call_json(tool, json!({ "query": query })).unwrap();
        assert!(!regulations(&found[key]).contains(&"angui_2023"), "{tool}: {found}");
        assert!(regulations(&found[key]).contains(&"angui_2024"), "{tool}: {found}");
        let apart = found["superseded"].as_array().unwrap();
        let group = apart.iter().find(|group| group["edition"]["reg_id"] == "angui_2023").unwrap();
        assert_eq!(regulations(&group[key]), ["angui_2023"], "a group holds its own edition only");
        let warning = group["warning"].as_str().unwrap();
        assert!(warning.contains("安规2023") && warning.contains("已不是现行版本"), "{warning}");

        let then = client.call_json(tool, json!({ "query": query, "as_of": OLD_DAY })).unwrap();
        assert_eq!(regulations(&then[key]), ["angui_2023"], "{tool} on {OLD_DAY}: {then}");
        for group in then["superseded"].as_array().into_iter().flatten() {
            assert!(group["warning"].as_str().unwrap().contains("尚未生效"), "{group}");
        }

        // Asked for by name it is given, and said to be out of force.
        let named = client.call_json(tool, json!({ "query": query, "reg_id": "angui_2023" })).unwrap();
        assert_eq!(regulations(&named[key]), ["angui_2023"]);
        assert!(named["notices"].to_string().contains("已不是现行版本"), "{named}");
    }
}

#[test]
fn a_dated_reference_goes_to_its_edition_and_an_undated_one_to_the_one_in_force() {
    let bench = Bench::new();
    let toolbox = toolbox(&bench);
    let client: &dyn ToolClient = &toolbox;
    let leads = |text: &str, as_of: Option<&str>| {
        let asked = json!({ "reg_id": "wengui_2024", "reference_text": text, "as_of": as_of });
        let found = client.call_json("resolve_reference", asked).unwrap();
        let notice = found["edition_notice"].as_str().unwrap_or_default().to_owned();
        (found["location"]["reg_id"].as_str().unwrap().to_owned(), notice)
    };
    let undated = "《华中示范电网直调安全自动装置调度运行管理规定》第5.2.1条";
    let dated = "《2023年华中示范电网直调安全自动装置调度运行管理规定》第5.2.1条";
    assert_eq!(leads(undated, None), ("angui_2024".to_owned(), String::new()));
    assert_eq!(leads("安规第5.2.1条", None).0, "angui_2024");
    assert_eq!(leads(undated, Some(OLD_DAY)), ("angui_2023".to_owned(), String::new()));
    assert_eq!(leads("安规第5.2.1条", Some(OLD_DAY)).0, "angui_2023");
    let (edition, notice) = leads(dated, None);
    assert_eq!(edition, "angui_2023");
    assert!(notice.contains("已不是现行版本"), "{notice}");
    let (edition, notice) = leads("安规2024第5.2.1条", Some(OLD_DAY));
    assert_eq!(edition, "angui_2024");
    assert!(notice.contains("尚未生效"), "{notice}");
}

#[test]
fn an_answer_from_an_edition_that_is_not_in_force_says_so_first() {
    let bench = Bench::new();
    let question = "新投装置首次检验以后，每几年做一次全部检验？";
    let ask = |more: &[&str]| {
        let output =
            bench.command(&[&["ask", "--agent", "offline", question], more].concat()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let old = ask(&["-r", "angui_2023"]);
    assert!(old.starts_with("注意：安规2023") && old.contains("每 5 年"), "{old}");
    assert!(old.lines().next().unwrap().contains("已不是现行版本"), "{old}");
    let new = ask(&[]);
    assert!(new.contains("每 6 年") && !new.contains("不是现行版本"), "{new}");
    let then = ask(&["--as-of", OLD_DAY]);
    assert!(
        then.contains("每 5 年") && !then.contains("每 6 年") && !then.contains("不是现行版本"),
        "{then}"
    );
}

#[test]
fn an_edition_that_cannot_be_searched_leaves_the_answer_to_the_one_before_it() {
    let bench = Bench::new();
    let library = Library::open(bench.data(), OpenOptions::new()).unwrap();
    let known = library.list().unwrap().into_iter().find_map(|entry| match entry {
        ListEntry::Regulation(info) if info.reg_id.as_str() == "angui_2024" => Some(info),
        _ => None,
    });
    let picture = "![封面](cover.png)\n";
    let parsed = regreader_parse::parse(picture.as_bytes(), "scan.md", &ParseOptions::default()).unwrap();
    let options = AssembleOptions::new("angui_2024".parse().unwrap(), "scan.md".to_owned());
    let mut scan = assemble(parsed.document, parsed.diagnostics, &options);
    scan.info = RegulationInfo { total_pages: scan.info.total_pages, ..known.unwrap() };
    library.replace(&scan, None).unwrap();
    let question = "新投装置首次检验以后，每几年做一次全部检验？";
    let output = bench.command(&["ask", "--agent", "offline", question]).output().unwrap();
    let answer = String::from_utf8(output.stdout).unwrap();
    let first = answer.lines().next().unwrap();
    assert!(first.starts_with("注意：安规2023") && first.contains("没有可检索的文字"), "{answer}");
    assert!(answer.contains("每 5 年"), "{answer}");
}

#[test]
fn a_conversation_answers_by_the_editions_of_its_day() {
    let bench = Bench::new();
    let mut chat = bench
        .command(&["chat", "--agent", "offline", "--as-of", OLD_DAY])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let question = "新投装置首次检验以后，每几年做一次全部检验？";
    let lines = format!("{question}\n/as-of 2024-06-01\n{question}\n/as-of never\n");
    chat.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = chat.wait_with_output().unwrap();
    let (said, errors) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let (then, now) = (said.find("每 5 年").unwrap(), said.find("每 6 年").unwrap());
    assert!(then < now, "{said}");
    assert!(errors.contains("/as-of YYYY-MM-DD"), "{errors}");
}

#[test]
fn a_day_reaches_every_tool_that_searches_or_reads() {
    struct Echo;
    impl ToolClient for Echo {
        fn call_json(&self, _: &str, arguments: Value) -> Result<Value, ToolFailure> {
            Ok(arguments)
        }
    }
    // These compare two editions, prove a statement, or read no regulation.
    let undated = ["compare_sections", "list_changes", "verify_citation", "get_tool_guide", "search_context"];
    let dated = DatedTools::new(&Echo, Some(OLD_DAY.to_owned()));
    for tool in TOOLS {
        let takes_a_day = tool.input_schema()["properties"].get("as_of").is_some();
        assert_eq!(takes_a_day, !undated.contains(&tool.name), "{}", tool.name);
        let given = dated.call_json(tool.name, json!({})).unwrap().get("as_of").is_some();
        assert_eq!(given, takes_a_day, "{}", tool.name);
    }
}
