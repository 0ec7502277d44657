//! The `claude` agent driving the `claude` program: here a stand-in that says line by line what it is told to; the real
//! one is run by `cargo xtask interop`.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};

use crate::agents::bench::Bench;

const QUESTION: &str = "110kV 母线失压怎么处理？";
const WORDS: &str = "【处置措施】\n1. 拉开失压母线上的全部开关 [来源: 安规2024 P24 6.2.1]\n2. 动作时间 987 秒 [来源: 安规2024 P24]\n";

/// A program that notes its arguments, its files and its input, prints these lines and ends so.
fn stand_in(bench: &Bench, lines: &[Value], ending: &str) -> PathBuf {
    let folder = bench.folder.path();
    let said: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(folder.join("lines.jsonl"), said.join("\n") + "\n").unwrap();
    let here = folder.display();
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > {here}/arguments\ncat > {here}/question\npwd > {here}/folder\n\
         while [ $# -gt 0 ]; do case \"$1\" in\n\
         --mcp-config) cp \"$2\" {here}/servers; stat -c %a \"$2\" > {here}/mode 2>/dev/null;;\n\
         --system-prompt-file) cp \"$2\" {here}/role;;\nesac; shift; done\n\
         cat {here}/lines.jsonl\n{ending}\n"
    );
    let program = folder.join("claude");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

fn ask(bench: &Bench, program: &str, more: &[&str]) -> Output {
    let mut command = bench.command(more);
    command.args(["ask", "--agent", "claude", "--jsonl", QUESTION]);
    command.env("REGREADER_CLAUDE_PROGRAM", program).output().unwrap()
}

fn exchange(ending: Value) -> Vec<Value> {
    let page = json!({ "source": "[来源: 安规2024 P24]", "content_markdown": "拉开失压母线上的全部开关" });
    vec![
        json!({ "type": "system", "subtype": "init", "model": "claude-stand-in",
            "mcp_servers": [{ "name": "regreader", "status": "connected" }] }),
        json!({ "type": "assistant", "message": { "id": "m1", "content": [
            { "type": "text", "text": "先读原文。" },
            { "type": "tool_use", "id": "t1", "name": "mcp__regreader__read_page_range",
              "input": { "reg_id": "angui_2024", "start_page": 24, "end_page": 24 } },
        ] } }),
        json!({ "type": "user", "message": { "content": [
            { "type": "tool_result", "tool_use_id": "t1", "content": [{ "type": "text", "text": page.to_string() }] },
        ] } }),
        ending,
    ]
}

fn success() -> Value {
    json!({ "type": "result", "subtype": "success", "is_error": false, "result": WORDS, "num_turns": 2,
        "total_cost_usd": 0.02, "usage": { "input_tokens": 900, "output_tokens": 60 } })
}

#[test]
fn what_the_program_does_is_shown_and_what_it_says_is_checked() {
    let bench = Bench::new();
    let program = stand_in(&bench, &exchange(success()), "exit 0");
    let output = ask(&bench, program.to_str().unwrap(), &["--set", "mcp_token=not-for-the-pipe"]);
    let shown = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Value> = shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["thinking", "tool_call", "tool_result", "text", "citation", "done", "answer"],
        "{shown}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!((&events[1]["tool"], &events[2]["ok"]), (&json!("read_page_range"), &json!(true)));
    let answer = events.last().unwrap();
    assert_eq!((&answer["agent"], &answer["model"]), (&json!("claude"), &json!("claude-stand-in")));
    assert_eq!(
        answer["measures"].as_array().unwrap().len(),
        1,
        "an invented number does not stand: {answer}"
    );
    assert_eq!(answer["measures"][0]["verified"], true);
    assert!(answer["removed"][0]["text"].as_str().unwrap().contains("987"));
    assert_eq!(
        (&answer["turns"], &answer["tool_calls"], &answer["cost"]),
        (&json!(2), &json!(1), &json!(0.02))
    );

    let read = |name: &str| fs::read_to_string(bench.folder.path().join(name)).unwrap();
    assert_eq!(read("question"), QUESTION);
    let arguments = read("arguments");
    for wanted in ["--strict-mcp-config", "--setting-sources=", "stream-json", "mcp__regreader__smart_search"]
    {
        assert!(arguments.contains(wanted), "{wanted}: {arguments}");
    }
    assert!(!arguments.contains("not-for-the-pipe"), "settings go by a file that others cannot read");
    assert_eq!(read("mode").trim(), "600");
    assert!(read("role").contains("- **angui_2024**: ") && read("role").contains("规程选择原则"));
    let servers: Value = serde_json::from_str(&read("servers")).unwrap();
    let server = &servers["mcpServers"]["regreader"];
    // What is configured is a server that works, from the folder where the program starts it.
    let arguments: Vec<&str> =
        server["args"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let client = regreader_mcp::Client::spawn(server["command"].as_str().unwrap(), &arguments).unwrap();
    assert_eq!(
        client.call("list_regulations", json!({})).unwrap()["regulations"].as_array().unwrap().len(),
        3
    );
    assert_eq!(server["env"]["REGREADER_MCP_TOKEN"], "not-for-the-pipe");
    assert!(!std::path::Path::new(read("folder").trim()).exists(), "nothing of it stays");
}

#[test]
fn a_remote_server_is_handed_on_with_its_token() {
    let bench = Bench::new();
    let program = stand_in(&bench, &exchange(success()), "exit 0");
    let mut server = bench.command(&["serve", "--transport", "http", "--port", "0"]);
    server.env("REGREADER_MCP_TOKEN", "a-long-random-word");
    let server = crate::agents::bench::Served::start(server);
    let output = ask(
        &bench,
        program.to_str().unwrap(),
        &["--mcp", &server.url, "--set", "mcp_token=a-long-random-word"],
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let servers = fs::read_to_string(bench.folder.path().join("servers")).unwrap();
    let servers: Value = serde_json::from_str(&servers).unwrap();
    let entry = &servers["mcpServers"]["regreader"];
    assert_eq!((&entry["type"], &entry["url"]), (&json!("http"), &json!(server.url)));
    assert_eq!(entry["headers"]["Authorization"], "Bearer a-long-random-word");
}

#[test]
fn a_program_that_is_not_there_or_fails_is_said_clearly() {
    let bench = Bench::new();
    let missing = ask(&bench, "/nowhere/claude", &[]);
    let said = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert_eq!(missing.status.code(), Some(2), "{said}");
    assert!(said.contains("找不到 claude 程序: /nowhere/claude") && said.contains("hint: "), "{said}");

    let failed =
        json!({ "type": "result", "subtype": "success", "is_error": true, "result": "Invalid API key" });
    let program = stand_in(&bench, &exchange(failed), "exit 1");
    let output = ask(&bench, program.to_str().unwrap(), &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("Invalid API key"), "{said}");

    // Ends in the middle, with words on stderr.
    let program = stand_in(&bench, &exchange(success())[..2], "echo 'out of memory' >&2; exit 9");
    let output = ask(&bench, program.to_str().unwrap(), &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("out of memory"), "{said}");

    // Never says anything more: given up after the silence that the settings allow.
    let program = stand_in(&bench, &exchange(success())[..1], "exec sleep 600");
    let output = ask(&bench, program.to_str().unwrap(), &["--set", "llm_timeout_s=1"]);
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_program_that_calls_without_end_is_stopped() {
    let bench = Bench::new();
    let call = |number: usize| {
        json!({ "type": "assistant", "message": { "id": format!("m{number}"), "content": [
            { "type": "tool_use", "id": format!("t{number}"), "name": "mcp__regreader__get_toc", "input": {} },
        ] } })
    };
    let lines: Vec<Value> = (0..50).map(call).collect();
    let program = stand_in(&bench, &lines, "exec sleep 600");
    let output = ask(&bench, program.to_str().unwrap(), &["--set", "agent_max_tool_calls=10"]);
    let answer: Value =
        serde_json::from_str(String::from_utf8_lossy(&output.stdout).lines().last().unwrap()).unwrap();
    assert_eq!((&answer["outcome"], &answer["tool_calls"]), (&json!("stopped"), &json!(11)), "{answer}");
    assert!(answer["stopped"].as_str().unwrap().contains("10 次"));
}
