//! `chat` and `sessions`: a conversation that survives everything.

use std::fs;
use std::io::Write as _;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use regreader_scripted_model::{Fault, ScriptedModel, Step};
use serde_json::{Value, json};

use crate::agents::bench::{Bench, Served, submit};

const QUESTION: &str = "110kV 母线失压怎么处理？";

fn talk(mut command: std::process::Command, lines: &str) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn sessions(bench: &Bench) -> Vec<Value> {
    let output = bench.command(&["--json", "sessions", "list"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_conversation_without_a_model_is_kept_listed_exported_and_deleted() {
    let bench = Bench::new();
    let lines =
        format!("{QUESTION}\n/sources\n/open 1\n/regulations\n/nonsense\n/export talk.md\n/reset\n/quit\n");
    let output = talk(bench.command(&["chat"]), &lines);
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(shown.contains("【处置措施】") && shown.contains("1. [来源: 安规2024"), "{shown}");
    assert!(shown.contains("wengui_2024  28 页"), "{shown}");
    assert!(said.contains("· smart_search") && said.contains("不认识 /nonsense"), "{said}");
    let exported = fs::read_to_string(bench.folder.path().join("talk.md")).unwrap();
    assert!(
        exported.contains(&format!("## {QUESTION}")) && exported.contains("[来源: 安规2024 P"),
        "{exported}"
    );
    let listed = sessions(&bench);
    assert_eq!(
        (listed.len(), &listed[0]["questions"], &listed[0]["title"]),
        (1, &json!(1), &json!(QUESTION))
    );
    let id = listed[0]["id"].as_str().unwrap();
    let output = bench.command(&["sessions", "show", id]).output().unwrap();
    assert!(text(&output.stdout).contains(QUESTION));
    assert!(bench.command(&["sessions", "delete", "last"]).output().unwrap().status.success());
    assert!(sessions(&bench).is_empty());
    let output = bench.command(&["sessions", "show", id]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_conversation_over_mcp_is_the_same_conversation() {
    let bench = Bench::new();
    let server = Served::start(bench.command(&["serve", "--transport", "http", "--port", "0"]));
    // Nothing of the library is at hand here: only the server has it.
    let far = tempfile::tempdir().unwrap();
    let mut command = bench.command(&["--mcp", &server.url, "chat"]);
    command.env("REGREADER_DATA_DIR", far.path().join("data"));
    let output = talk(command, &format!("{QUESTION}\n/sources\n/open 1\n/regulations\n/quit\n"));
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(shown.contains("【处置措施】") && shown.contains("1. [来源: 安规2024"), "{shown}\n{said}");
    assert!(shown.contains("wengui_2024  28 页") && shown.contains("拉开失压母线上的全部开关"), "{shown}");
    let near = talk(bench.command(&["chat"]), &format!("{QUESTION}\n/quit\n"));
    let answer = text(&near.stdout);
    assert!(shown.starts_with(answer.trim_end()), "{answer}\n---\n{shown}");
    assert!(far.path().join("data/sessions").is_dir(), "the conversation is kept where the person is");
}

#[test]
fn a_second_question_knows_the_first() {
    let bench = Bench::new();
    let model = ScriptedModel::with([
        Step::call("read_page_range", json!({ "reg_id": "angui_2024", "start_page": 24, "end_page": 24 })),
        Step::text("【处置措施】\n1. 拉开失压母线上的全部开关 [来源: 安规2024 P24 6.2.1]\n"),
        Step::call("read_page_range", json!({ "reg_id": "angui_2024", "start_page": 24, "end_page": 24 })),
        Step::text("【处置措施】\n1. 220 千伏、双母线全停的处置时限为 60 分钟 [来源: 安规2024 P24 表6-2]\n"),
    ])
    .unwrap();
    let command = bench.with_model(&model, "anthropic", &["chat", "--agent", "claude"]);
    let output = talk(command, &format!("{QUESTION}\n那 220 千伏双母线全停呢？\n"));
    let shown = text(&output.stdout);
    assert!(shown.contains("60 分钟"), "{shown}\n{}", text(&output.stderr));
    assert_eq!(shown.matches("拉开失压母线上的全部开关").count(), 1, "nothing is shown twice: {shown}");
    let last = &model.asked()[2].body["messages"];
    assert!(last[0].to_string().contains(QUESTION) && last[1].to_string().contains("拉开失压母线"), "{last}");
    assert!(
        last[2].to_string().contains("工作记忆") && last[2].to_string().contains("双母线全停"),
        "what was read is remembered: {last}"
    );
}

#[test]
fn a_kill_in_the_middle_loses_nothing_that_was_finished() {
    let bench = Bench::new();
    // The graph has located and read; the model then never answers.
    let route = Step::call(
        "choose_route",
        json!({ "kind": "regulation", "regulations": ["angui_2024"], "queries": ["110kV 母线失压"] }),
    );
    let silent = ScriptedModel::with([route, Step::fault(Fault::Stall)]).unwrap();
    let mut command = bench.with_model(&silent, "openai", &["chat", "--agent", "graph"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{QUESTION}\n").as_bytes()).unwrap();
    let deadline = Instant::now() + Duration::from_mins(1);
    while silent.asked().len() < 2 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = sessions(&bench);
    assert_eq!((before.len(), &before[0]["unfinished"]), (1, &json!(true)));
    let id = before[0]["id"].as_str().unwrap();
    let output = bench.command(&["--json", "sessions", "show", id]).output().unwrap();
    let records: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let checkpoints: Vec<&str> =
        records.iter().filter(|r| r["event"] == "checkpoint").map(|r| r["node"].as_str().unwrap()).collect();
    assert_eq!(checkpoints, ["locate", "read", "trace", "answer"]);

    let answers =
        ScriptedModel::with([submit(&[("拉开失压母线上的全部开关", "angui_2024", 24, "6.2.1")], &[])])
            .unwrap();
    let command = bench.with_model(&answers, "openai", &["chat", "--agent", "graph", "--resume"]);
    let output = talk(command, "");
    let shown = text(&output.stdout);
    assert!(shown.contains("拉开失压母线上的全部开关"), "{shown}\n{}", text(&output.stderr));
    assert_eq!(answers.asked().len(), 1, "it went on at the answer: nothing was routed or read again");
    assert!(!text(&output.stderr).contains("smart_search"));
    let after = sessions(&bench);
    assert_eq!((after.len(), &after[0]["unfinished"], &after[0]["questions"]), (1, &json!(false), &json!(1)));
}

#[test]
fn a_model_that_fails_ends_the_turn_and_not_the_conversation() {
    let bench = Bench::new();
    let refused = Step::fault(Fault::Status { status: 401, retry_after: None, message: None });
    let model = ScriptedModel::with([refused]).unwrap();
    let command = bench.with_model(&model, "openai", &["chat", "--agent", "typed"]);
    let output = talk(command, &format!("{QUESTION}\n/agent offline\n{QUESTION}\n"));
    assert!(output.status.success());
    assert!(text(&output.stderr).contains("401") && text(&output.stdout).contains("【处置措施】"));
    assert_eq!(sessions(&bench)[0]["unfinished"], json!(false));
}
