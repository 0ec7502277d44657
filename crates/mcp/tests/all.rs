//! The server over HTTP on loopback and the client that speaks to it, without the program around them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::sync::{Arc, mpsc};
use std::thread;

use regreader_assemble::{AssembleOptions, assemble};
use regreader_mcp::http::{HttpOptions, serve};
use regreader_mcp::{Client, Fixed, Limits, McpServer};
use regreader_search::{EngineOptions, SearchEngine};
use regreader_store::{Library, OpenOptions};
use regreader_tools::{GetTable, ListRegulations, SmartSearch, ToolClient, Toolbox, ToolboxOptions};
use serde_json::json;

/// A regulation in Markdown, read as any document is.
const REGULATION: &str = "\
# 稳定运行规定

## 2.1 天中直流

超过表2-1的限额时，应在 5 分钟内调整到位。

表2-1 天中直流限额

| 开机台数 | 限额（万千瓦） |
|---|---|
| 1 | 185 |
| 2 | 240 |
";

/// A library of one regulation, in a folder that lives as long as it is held.
fn toolbox() -> (tempfile::TempDir, Toolbox) {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(folder.path().join("library"), OpenOptions::new()).unwrap();
    let parsed =
        regreader_parse::parse(REGULATION.as_bytes(), "规程.md", &regreader_parse::ParseOptions::default())
            .unwrap();
    let options = AssembleOptions::new("wengui_2024".parse().unwrap(), "规程.md");
    library.replace(&assemble(parsed.document, parsed.diagnostics, &options), None).unwrap();
    let index = folder.path().join("index");
    let engine = SearchEngine::open(library.clone(), &index, EngineOptions::default(), None).unwrap();
    engine.refresh(&mut |_| {}).unwrap();
    (folder, Toolbox::new(library, Arc::new(engine), ToolboxOptions::default()))
}

/// A server over the small library, and its address. It serves until the tests end.
fn server(token: Option<&str>) -> String {
    let (folder, tools) = toolbox();
    let server = McpServer::new(Fixed(tools), Limits::default());
    let options = HttpOptions { port: 0, token: token.map(str::to_owned), ..HttpOptions::default() };
    let (ready, address) = mpsc::channel();
    thread::spawn(move || {
        let _folder = folder;
        serve(&server, &options, |address| ready.send(address).unwrap()).unwrap();
    });
    format!("http://{}", address.recv().unwrap())
}

#[test]
fn tools_give_the_same_over_the_wire() {
    let address = server(None);
    let client = Client::connect_http(&address, None).unwrap();
    let far: &dyn ToolClient = &client;
    let (_folder, tools) = toolbox();
    let near: &dyn ToolClient = &tools;
    let table = GetTable::new("wengui_2024", "表2-1");
    assert_eq!(far.call(&table).unwrap().rows.len(), near.call(&table).unwrap().rows.len());
    assert_eq!(far.call(&ListRegulations::default()).unwrap().regulations.len(), 1);
    let question = SmartSearch::new("天中直流超过限额怎么调整", None, 5);
    let (far, near) = (far.call(&question).unwrap(), near.call(&question).unwrap());
    assert_eq!(far.hits[0].reg_id, near.hits[0].reg_id);
}

#[test]
fn an_error_of_a_tool_keeps_its_name_and_hint() {
    let client = Client::connect_http(&server(None), None).unwrap();
    let client: &dyn ToolClient = &client;
    let missing = client.call(&GetTable::new("wengui_2024", "表9-9")).unwrap_err();
    assert_eq!(missing.name, "TableNotFoundError");
    assert!(missing.hint.is_some());
    let unknown = client.call_json("no_such_tool", json!({})).unwrap_err();
    assert!(unknown.message.contains("no_such_tool"), "{unknown:?}");
}

#[test]
fn a_token_is_asked_for_where_one_is_set() {
    let address = server(Some("open sesame"));
    assert!(Client::connect_http(&address, None).is_err());
    assert!(Client::connect_http(&address, Some("guess")).is_err());
    let client = Client::connect_http(&address, Some("open sesame")).unwrap();
    let listed = (&client as &dyn ToolClient).call(&ListRegulations::default()).unwrap();
    assert_eq!(listed.regulations.len(), 1);
}
