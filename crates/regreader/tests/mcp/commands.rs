//! The program's own ways to the server: `--mcp`, `--print-config`, a library that changes under a running server.

use std::fs;

use serde_json::{Value, json};

use crate::mcp::support::{Server, home, program, run};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_same_commands_give_the_same_from_far_as_from_near() {
    let server = Server::start(&[]);
    let url = server.url();
    let commands: &[&[&str]] = &[
        &["search", "母线失压"],
        &["toc", "angui_2024"],
        &["get-table", "-r", "wengui_2024", "表3-1"],
        &["read-pages", "-r", "angui_2024", "-s", "23", "-e", "24"],
        &["resolve-reference", "-r", "angui_2024", "见第六章"],
        &["resolve-reference", "-r", "wengui_2024", "见附录D"],
        &["compare-sections", "-r", "angui_2023", "2.1.4", "--reg-b", "angui_2024"],
        &["search-annotations", "-r", "wengui_2024"],
        &["toc", "nowhere"],
        &["toc", "../secret"],
        &["mcp-tools"],
        &["ask", "110kV 母线失压怎么处理？"],
    ];
    for command in commands {
        let near = run(command);
        let far = run(&[&["--mcp", url.as_str()][..], *command].concat());
        assert_eq!(text(&far.stdout), text(&near.stdout), "{command:?}");
        assert_eq!(text(&far.stderr), text(&near.stderr), "{command:?}");
        assert_eq!(far.status.code(), near.status.code(), "{command:?}");
    }
    let listed = run(&["--mcp", &url, "list"]);
    assert!(text(&listed.stdout).contains("wengui_2024"));
}

#[test]
fn ask_over_mcp_has_its_parts_and_refuses_what_it_should() {
    let server = Server::start(&[]);
    let ask = |question: &str| run(&["--mcp", &server.url(), "ask", question]);
    let answer = text(&ask("110kV 母线失压怎么处理？").stdout);
    for part in ["【处置措施】", "【来源】", "[来源: 安规2024 P"] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    let chat = ask("今天天气怎么样，讲个笑话吧");
    assert_eq!(chat.status.code(), Some(1), "{}", text(&chat.stdout));
    let nothing = ask("核电站乏燃料后处理的临界安全系数是多少？");
    assert!(text(&nothing.stdout).contains("未找到相关规定"), "{}", text(&nothing.stdout));
}

#[test]
fn a_server_that_is_not_there_is_said_with_a_hint() {
    let output = run(&["--mcp", "http://127.0.0.1:9/mcp", "toc", "angui_2024"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("hint:"), "{}", text(&output.stderr));
}

#[test]
fn a_running_server_sees_what_was_ingested_and_deleted_since() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), "# 甲规程\n\n## 1. 总则\n\n1.1 母线失压时应立即汇报。\n").unwrap();
    fs::write(folder.path().join("b.md"), "# 乙规程\n\n## 1. 总则\n\n1.1 变压器过热时应立即停运。\n")
        .unwrap();
    let ingest = |name: &str| {
        let output = program(folder.path(), &["ingest", "--file", &format!("{name}.md"), "--reg-id", name])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    ingest("a");
    let server = Server::start_in(folder.path(), &[]);
    let client = server.client();
    let found = |query: &str| -> usize {
        let found = client.call("smart_search", json!({ "query": query, "reg_id": "all" })).unwrap();
        let hits = found["hits"].as_array().unwrap();
        hits.iter().filter(|hit| hit["snippet"].as_str().unwrap().contains("过热")).count()
    };
    assert_eq!(found("变压器过热"), 0);
    ingest("b");
    // The library is looked at at most once a second.
    let seen = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        found("变压器过热") > 0
    });
    assert!(seen, "the new regulation was never found");
    let deleted = program(folder.path(), &["delete", "b", "--force"]).output().unwrap();
    assert!(deleted.status.success());
    let gone = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        found("变压器过热") == 0
    });
    assert!(gone, "the deleted regulation was still found");
}

#[test]
fn every_call_leaves_a_line_in_the_audit_log() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), "# 甲规程\n\n## 1. 总则\n\n1.1 母线失压时应立即汇报。\n").unwrap();
    program(folder.path(), &["ingest", "--file", "a.md", "--reg-id", "a"]).output().unwrap();
    let server = Server::start_in(folder.path(), &[]);
    let client = server.client();
    client.call("smart_search", json!({ "query": "母线 api_key=hunter2hunter2" })).unwrap();
    client.call("get_toc", json!({ "reg_id": "nowhere" })).unwrap_err();
    let log = program(folder.path(), &["--json", "audit"]).output().unwrap();
    let log = text(&log.stdout);
    assert!(log.contains("smart_search") && log.contains("mcp local (regreader@127.0.0.1)"), "{log}");
    assert!(log.contains("RegulationNotFoundError") && !log.contains("hunter2"), "{log}");
}

#[test]
fn a_configuration_is_printed_for_each_client() {
    for client in ["claude-desktop", "cursor", "cherry-studio"] {
        let output = run(&["serve", "--print-config", client]);
        let config: Value = serde_json::from_slice(&output.stdout).unwrap();
        let entry = &config["mcpServers"]["regreader"];
        let program = entry["command"].as_str().unwrap();
        let arguments: Vec<&str> =
            entry["args"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        // What is printed works from any folder: this test runs in another than the library.
        let listed = regreader_mcp::Client::spawn(program, &arguments)
            .unwrap()
            .call("list_regulations", json!({}))
            .unwrap();
        assert_eq!(listed["regulations"].as_array().unwrap().len(), 3);
        let output = run(&["serve", "--transport", "http", "--port", "9", "--print-config", client]);
        let config: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(config["mcpServers"]["regreader"]["url"], "http://127.0.0.1:9/mcp");
    }
    let code = text(&run(&["serve", "--print-config", "claude-code"]).stdout);
    assert!(code.starts_with("claude mcp add-json regreader '{\"command\":"), "{code}");
    let secret = program(home(), &["serve", "-t", "http", "--print-config", "cursor"])
        .env("REGREADER_MCP_TOKEN", "do-not-print-me")
        .output()
        .unwrap();
    assert!(
        text(&secret.stdout).contains("${REGREADER_MCP_TOKEN}")
            && !text(&secret.stdout).contains("do-not-print-me")
    );
}
