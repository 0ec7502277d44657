//! The protocol as it stands on the wire: descriptions, structured results, progress, cancellation, resources, prompts,
//! completions; stdio carries nothing but messages.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::mcp::support::{Pipe, Server, initialize};

#[test]
fn every_tool_is_described_typed_and_marked_as_reading_only() {
    let mut pipe = Pipe::open();
    let tools = pipe.request("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for name in [
        "list_regulations",
        "get_toc",
        "smart_search",
        "read_page_range",
        "search_tables",
        "get_table_by_id",
        "lookup_annotation",
        "search_annotations",
        "resolve_reference",
        "get_block_with_context",
        "get_chapter_structure",
        "read_chapter_content",
        "get_page_chapter_info",
        "find_similar_content",
        "compare_sections",
        "get_tool_guide",
        "search_context",
        "verify_citation",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert_eq!(tool["annotations"]["idempotentHint"], true);
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
            assert!(!tool[schema].to_string().contains("\"format\":\"uint"), "{tool}");
        }
    }
    assert!(pipe.close().success());
}

#[test]
fn a_result_is_structured_and_the_same_as_text() {
    let mut pipe = Pipe::open();
    let answer = pipe.call("get_toc", &json!({ "reg_id": "angui_2024" }));
    let result = &answer["result"];
    assert_eq!(result["isError"], false);
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
    let server = Server::start(&[]);
    let over_http = server
        .session()
        .request("tools/call", &json!({ "name": "get_toc", "arguments": { "reg_id": "angui_2024" } }));
    assert_eq!(&over_http["result"], result);
    let refused = pipe.call("get_toc", &json!({ "reg_id": "nowhere" }));
    let result = &refused["result"];
    assert_eq!(result["isError"], true, "{refused}");
    assert!(result.get("structuredContent").is_none(), "an error need not fit the output schema");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("规程不存在: nowhere") && text.contains("下一步: "), "{text}");
}

#[test]
fn lines_that_are_no_messages_are_refused_or_passed_over() {
    let mut pipe = Pipe::open();
    pipe.send_line("no JSON at all");
    pipe.send_line("");
    pipe.send_line(r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}"#);
    pipe.send_line(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(5 << 20)));
    pipe.send_line(r#"{"hello":1}"#);
    let refused = pipe.receive();
    assert_eq!((&refused["error"]["code"], &refused["id"]), (&json!(-32600), &Value::Null), "{refused}");
    let (answer, heard) = pipe.request_hearing("ping", &json!({}));
    assert_eq!((answer["result"].clone(), heard), (json!({}), Vec::new()), "{answer}");
    assert!(pipe.close().success());
}

#[test]
fn whoever_asks_for_progress_hears_of_it() {
    let mut pipe = Pipe::open();
    let params = json!({
        "name": "smart_search", "arguments": { "query": "母线失压" }, "_meta": { "progressToken": "t1" },
    });
    let (answer, heard) = pipe.request_hearing("tools/call", &params);
    assert_eq!(answer["result"]["isError"], false);
    let told: Vec<f64> = heard
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .filter(|message| message["params"]["progressToken"] == "t1")
        .map(|message| message["params"]["progress"].as_f64().unwrap())
        .collect();
    assert!(!told.is_empty(), "{heard:?}");
    assert!(told.is_sorted_by(|a, b| a < b), "{told:?}");
}

#[test]
fn a_long_call_tells_its_steps() {
    let mut pipe = Pipe::open();
    let mut steps = |tool: &str, arguments: Value| -> Vec<(f64, Option<f64>, String)> {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": 7 } });
        let (answer, heard) = pipe.request_hearing("tools/call", &params);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        let told = heard.iter().filter(|message| message["method"] == "notifications/progress");
        let told = told.map(|message| &message["params"]).map(|told| {
            let words = told["message"].as_str().unwrap_or_default().to_owned();
            (told["progress"].as_f64().unwrap(), told["total"].as_f64(), words)
        });
        told.collect()
    };
    let compared = steps(
        "compare_sections",
        json!({ "reg_id": "angui_2023", "section_a": "2", "reg_id_b": "angui_2024" }),
    );
    for step in ["读取甲方条文", "读取乙方条文", "对齐并比较"] {
        assert!(
            compared.iter().any(|(_, total, words)| words == step && *total == Some(3.0)),
            "{compared:?}"
        );
    }
    assert!(compared.is_sorted_by(|a, b| a.0 < b.0), "progress only grows: {compared:?}");
    assert!(compared.iter().all(|(done, total, _)| total.is_none_or(|total| *done <= total)), "{compared:?}");
    assert_eq!(compared.last().unwrap().2, "完成");
}

#[test]
fn a_cancelled_call_leaves_the_connection_in_order() {
    let mut pipe = Pipe::open();
    let call = json!({
        "jsonrpc": "2.0", "id": "gone", "method": "tools/call",
        "params": { "name": "compare_sections", "arguments": { "reg_id": "angui_2023", "section_a": "2", "reg_id_b": "angui_2024" } },
    });
    pipe.send(&call);
    pipe.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "gone" } }),
    );
    let answer = pipe.call("get_toc", &json!({ "reg_id": "angui_2024" }));
    assert_eq!(answer["result"]["isError"], false);
}

#[test]
fn pages_are_resources() {
    let mut pipe = Pipe::open();
    let templates = pipe.request("resources/templates/list", &json!({}));
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "regreader://{reg_id}/page/{n}");
    let mut listed = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let answer = pipe.request("resources/list", &params);
        let page = answer["result"]["resources"].as_array().unwrap();
        listed.extend(page.iter().map(|one| one["uri"].as_str().unwrap().to_owned()));
        cursor = answer["result"]["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert!(listed.contains(&"regreader://wengui_2024/page/28".to_owned()), "{listed:?}");
    let read = pipe.request("resources/read", &json!({ "uri": "regreader://wengui_2024/page/8" }));
    let page = &read["result"]["contents"][0];
    assert_eq!(page["mimeType"], "text/markdown");
    assert!(page["text"].as_str().unwrap().contains("表3-1"), "{page}");
    for absent in [
        "regreader://wengui_2024/page/99",
        "regreader://nowhere/page/1",
        "file:///etc/passwd",
        "regreader://../page/1",
    ] {
        let answer = pipe.request("resources/read", &json!({ "uri": absent }));
        assert_eq!(answer["error"]["code"], -32002, "{absent}: {answer}");
    }
    let foreign = pipe.request("resources/list", &json!({ "cursor": "nonsense" }));
    assert!(foreign["error"]["code"].is_number(), "{foreign}");
}

#[test]
fn a10_the_answering_protocol_is_a_prompt_that_lists_the_library() {
    let mut pipe = Pipe::open();
    the_answering_protocol(&mut |method, params| pipe.request(method, params));
    let server = Server::start(&[]);
    let mut session = server.session();
    the_answering_protocol(&mut |method, params| session.request(method, params));
}

fn the_answering_protocol(request: &mut dyn FnMut(&str, &Value) -> Value) {
    let prompts = request("prompts/list", &json!({}));
    assert_eq!(prompts["result"]["prompts"][0]["name"], "answer_question");
    let params =
        json!({ "name": "answer_question", "arguments": { "question": "110kV 母线失压怎么处理？" } });
    let prompt = request("prompts/get", &params);
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    for words in [
        "- **angui_2024**: 2024年华中示范电网",
        "关键词: ",
        "适用范围: ",
        "## 0. 规程选择原则",
        "## 1. 目录优先",
        "## 2. 表格完整性",
        "## 3. 引用追踪",
        "## 4. 输出格式",
        "## 5. 拒绝",
        "未找到相关规定",
        "110kV 母线失压怎么处理？",
    ] {
        assert!(text.contains(words), "{words}");
    }
    let missing = request("prompts/get", &json!({ "name": "answer_question" }));
    assert_eq!(missing["error"]["code"], -32602);
    assert_eq!(
        request("prompts/get", &json!({ "name": "none" }))["error"]["data"]["error"],
        "UnknownPromptError"
    );
}

#[test]
fn ids_and_sections_are_completed() {
    let mut pipe = Pipe::open();
    let mut complete = |name: &str, value: &str, context: Value| {
        let params = json!({
            "ref": { "type": "ref/prompt", "name": "explain_section" },
            "argument": { "name": name, "value": value }, "context": { "arguments": context },
        });
        pipe.request("completion/complete", &params)["result"]["completion"]["values"].clone()
    };
    assert_eq!(complete("reg_id", "we", json!({})), json!(["wengui_2024"]));
    assert_eq!(complete("reg_id", "稳规", json!({})), json!(["wengui_2024"]));
    assert_eq!(
        complete("section_number", "2.2.", json!({ "reg_id": "wengui_2024" })),
        json!(["2.2.1", "2.2.2", "2.2.3"])
    );
    assert_eq!(complete("n", "28", json!({ "reg_id": "wengui_2024" })), json!(["28"]));
    assert_eq!(complete("section_number", "2", json!({ "reg_id": "../x" })), json!([]));
}

#[test]
fn the_older_sse_transport_works() {
    let server = Server::start(&[]);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    write!(stream, "GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    let mut event = || lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).unwrap();
    let endpoint = event();
    assert!(endpoint.starts_with("/message?sessionId="), "{endpoint}");
    let post = |message: Value| {
        let answer =
            server.request("POST", &endpoint, &[("Content-Type", "application/json")], &message.to_string());
        assert_eq!(answer.status, 202, "{answer:?}");
    };
    post(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize() }));
    let hello: Value = serde_json::from_str(&event()).unwrap();
    assert_eq!(hello["result"]["serverInfo"]["name"], "regreader");
    post(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    post(
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "list_regulations" } }),
    );
    let listed: Value = serde_json::from_str(&event()).unwrap();
    assert_eq!(listed["result"]["structuredContent"]["regulations"].as_array().unwrap().len(), 3);
    let nowhere = server.request("POST", "/message?sessionId=abc", &[], "{}");
    assert_eq!(nowhere.status, 404);
}
