//! The server over HTTP on loopback and the client that speaks to it, without the program around them.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::sync::mpsc;
use std::thread;

use regreader_mcp::http::{HttpOptions, serve};
use regreader_mcp::{Client, Fixed, Limits, McpServer};
use regreader_tools::{GetTable, ListRegulations, SmartSearch, ToolClient};
use serde_json::json;

#[path = "../../tools/tests/support/mod.rs"]
mod support;

/// A server over the small library, and its address. It serves until the tests end.
fn server(token: Option<&str>) -> String {
    let (folder, toolbox) = support::toolbox();
    let server = McpServer::new(Fixed(toolbox), Limits::default());
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
    let (_folder, toolbox) = support::toolbox();
    let near: &dyn ToolClient = &toolbox;
    let table = GetTable::new("wengui_2024", "表2-1");
    assert_eq!(far.call(&table).unwrap().rows.len(), near.call(&table).unwrap().rows.len());
    assert_eq!(far.call(&ListRegulations::default()).unwrap().regulations.len(), 2);
    let question = SmartSearch::new("母线失压怎么处理", None, 5);
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
    assert_eq!(listed.regulations.len(), 2);
}
