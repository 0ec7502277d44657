//! Conversations with a scripted server, in both wire formats: what goes out, what comes back, and what happens when
//! the server misbehaves.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use std::time::Duration;

use regreader_llm::{
    Cancel, ChatModel, ChatRequest, ChatResponse, Client, Delta, LlmConfig, LlmError, Message, Part, Role,
    Secret, StopReason, Streaming, ToolChoice, ToolDefinition, Wire,
};
use regreader_scripted_model::{Call, Fault, Script, ScriptedModel, Step};
use serde_json::{Value, json};

const KEY: &str = "sk-test-0123456789";

fn config(server: &ScriptedModel, wire: Wire) -> LlmConfig {
    let mut config = LlmConfig::new("test-model", server.url()).key(KEY);
    config.wire = Some(wire);
    config.backoff = Duration::ZERO;
    config.proxy = Secret::new("off");
    config
}

fn request() -> ChatRequest {
    ChatRequest {
        system: "你是规程助理。".to_owned(),
        messages: vec![Message::user("母线失压怎么处理？")],
        tools: vec![ToolDefinition {
            name: "smart_search".to_owned(),
            description: "检索".to_owned(),
            schema: json!({ "type": "object", "properties": { "query": { "type": "string" } } }),
        }],
        max_output_tokens: 500,
        ..ChatRequest::default()
    }
}

/// Talks once; gives the response and everything that was heard on the way.
fn talk(config: LlmConfig, request: &ChatRequest) -> (Result<ChatResponse, LlmError>, Vec<Delta>) {
    let client = Client::new(config).unwrap();
    let mut heard = Vec::new();
    let result = client.chat(request, &Cancel::new(), &mut |delta| heard.push(delta));
    (result, heard)
}

const WIRES: [Wire; 2] = [Wire::Anthropic, Wire::OpenAi];

#[test]
fn thinking_text_and_parallel_calls_arrive_in_both_formats_streamed_or_not() {
    for wire in WIRES {
        for streaming in [Streaming::On, Streaming::Off] {
            let step = Step {
                thinking: Some("先选规程，再检索。".to_owned()),
                text: Some("我先检索两部规程。".to_owned()),
                ..Step::calls([
                    ("smart_search", json!({ "query": "母线失压", "reg_id": "angui_2024" })),
                    ("smart_search", json!({ "query": "稳定限额" })),
                ])
            };
            let server = ScriptedModel::with([step]).unwrap();
            let mut config = config(&server, wire);
            config.streaming = streaming;
            let (response, heard) = talk(config, &request());
            let response = response.unwrap();
            assert_eq!(response.stop, StopReason::Tools);
            assert_eq!(response.text(), "我先检索两部规程。");
            let calls: Vec<&Value> = response.tool_calls().map(|call| &call.arguments).collect();
            assert_eq!(
                calls,
                [&json!({ "query": "母线失压", "reg_id": "angui_2024" }), &json!({ "query": "稳定限额" })]
            );
            let ids: Vec<&str> = response.tool_calls().map(|call| call.id.as_str()).collect();
            assert_ne!(ids[0], ids[1]);
            assert!(
                matches!(&response.parts[0], Part::Thinking { text, .. } if text == "先选规程，再检索。")
            );
            assert_eq!(response.usage.output_tokens, 20);
            assert_eq!(response.usage.input_tokens, 100, "{wire:?}: without what the cache gave");
            assert_eq!(response.usage.cache_read_tokens, 11);
            let said: String = heard
                .iter()
                .filter_map(|delta| if let Delta::Text(text) = delta { Some(text.as_str()) } else { None })
                .collect();
            assert_eq!(said, if streaming == Streaming::On { "我先检索两部规程。" } else { "" });
        }
    }
}

#[test]
fn the_conversation_goes_back_as_each_format_wants_it() {
    for wire in WIRES {
        let first = Step {
            thinking: Some("想。".to_owned()),
            ..Step::call("smart_search", json!({ "query": "a" }))
        };
        let server = ScriptedModel::with([first, Step::text("好。")]).unwrap();
        let client = Client::new(config(&server, wire)).unwrap();
        let mut request = request();
        let response = client.chat(&request, &Cancel::new(), &mut |_| {}).unwrap();
        let id = response.tool_calls().next().unwrap().id.clone();
        request.messages.push(Message { role: Role::Assistant, parts: response.parts });
        let result = Part::ToolResult { id: id.clone(), content: "没有命中".to_owned(), is_error: true };
        request.messages.push(Message { role: Role::User, parts: vec![result] });
        request.tool_choice = ToolChoice::None;
        let response = client.chat(&request, &Cancel::new(), &mut |_| {}).unwrap();
        assert_eq!((response.text().as_str(), response.stop), ("好。", StopReason::End));
        let asked = server.asked();
        let body = &asked[1].body;
        match wire {
            Wire::Anthropic => {
                assert_eq!(asked[1].path, "/v1/messages");
                assert_eq!(body["messages"][1]["content"][0]["type"], "thinking");
                assert_eq!(
                    body["messages"][1]["content"][0]["signature"], "c2lnbmVk",
                    "a thought goes back sealed"
                );
                assert_eq!(body["messages"][2]["content"][0]["tool_use_id"], json!(id));
                assert_eq!(body["messages"][2]["content"][0]["is_error"], true);
                assert_eq!(body["tool_choice"]["type"], "none");
                for marked in [&body["system"][0], &body["tools"][0], &body["messages"][2]["content"][0]] {
                    assert_eq!(marked["cache_control"]["type"], "ephemeral", "{marked}");
                }
            }
            Wire::OpenAi => {
                assert_eq!(asked[1].path, "/v1/chat/completions");
                assert_eq!(body["messages"][0]["role"], "system");
                assert_eq!(body["messages"][2]["tool_calls"][0]["id"], json!(id));
                assert_eq!(
                    body["messages"][3],
                    json!({ "role": "tool", "tool_call_id": id, "content": "错误: 没有命中" })
                );
                assert_eq!(body["tool_choice"], "none");
                assert_eq!(body["stream_options"]["include_usage"], true);
            }
        }
    }
}

#[test]
fn what_may_pass_is_tried_again_and_what_cannot_is_not() {
    let refusal = |status| Step::fault(Fault::Status { status, retry_after: Some(0), message: None });
    for wire in WIRES {
        let faults = [
            vec![refusal(429)],
            vec![refusal(529)],
            vec![refusal(500), refusal(503)],
            vec![Step::call("smart_search", json!({ "query": "一个相当长的检索内容" })).but(Fault::Cut)],
            vec![Step::text("说到一半就断了的一句话").but(Fault::Cut)],
            vec![Step::text("说到一半出错的一句话").but(Fault::StreamError)],
            vec![Step::fault(Fault::Hangup)],
        ];
        for fault in faults {
            let tries = fault.len() + 1;
            let server = ScriptedModel::with(fault.into_iter().chain([Step::text("好。")])).unwrap();
            let (response, heard) = talk(config(&server, wire), &request());
            assert_eq!(response.unwrap().text(), "好。");
            assert_eq!(server.asked().len(), tries);
            let after = heard.iter().rposition(|delta| matches!(delta, Delta::Restart { .. })).unwrap();
            let said: String = heard[after..]
                .iter()
                .filter_map(|d| if let Delta::Text(t) = d { Some(t.as_str()) } else { None })
                .collect();
            assert_eq!(said, "好。", "what came before the restart is void");
        }
        let server = ScriptedModel::with([refusal(401), Step::text("好。")]).unwrap();
        let (response, _) = talk(config(&server, wire), &request());
        assert!(matches!(response, Err(LlmError::Status { status: 401, .. })));
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn a_server_that_never_recovers_is_given_up() {
    let step = Step {
        repeat: true,
        ..Step::fault(Fault::Status { status: 529, retry_after: Some(0), message: None })
    };
    let server = ScriptedModel::with([step]).unwrap();
    let (response, _) = talk(config(&server, Wire::Anthropic), &request());
    assert!(matches!(response, Err(LlmError::Status { status: 529, .. })));
    assert_eq!(server.asked().len(), 4);
    let step = Step::fault(Fault::Status { status: 429, retry_after: Some(86_400), message: None });
    let server = ScriptedModel::with([step]).unwrap();
    let (response, _) = talk(config(&server, Wire::OpenAi), &request());
    assert!(matches!(response, Err(LlmError::Status { status: 429, .. })), "a day is not waited for");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_model_that_streams_calls_badly_is_asked_in_one_piece_from_then_on() {
    for wire in WIRES {
        let call = Step::call("smart_search", json!({ "query": "母线" })).but(Fault::GarbledStream);
        let server = ScriptedModel::with([call.clone(), call, Step::text("好。")]).unwrap();
        let client = Client::new(config(&server, wire)).unwrap();
        let response = client.chat(&request(), &Cancel::new(), &mut |_| {}).unwrap();
        assert_eq!(response.tool_calls().next().unwrap().arguments, json!({ "query": "母线" }));
        client.chat(&request(), &Cancel::new(), &mut |_| {}).unwrap();
        let streamed: Vec<bool> = server.asked().iter().map(|asked| asked.body["stream"] == true).collect();
        assert_eq!(streamed, [true, false, false]);
    }
}

#[test]
fn arguments_that_are_no_object_are_kept_for_the_caller_to_complain_about() {
    for raw in ["{\"query\": ", "[1]", "null", "not json"] {
        let mut step = Step::call("smart_search", json!({}));
        step.tool_calls =
            vec![Call { name: "smart_search".to_owned(), arguments: Value::Null, raw: Some(raw.to_owned()) }];
        let server = ScriptedModel::with([step]).unwrap();
        let mut config = config(&server, Wire::OpenAi);
        config.streaming = Streaming::On;
        let (response, _) = talk(config, &request());
        let response = response.unwrap();
        let call = response.tool_calls().next().unwrap();
        assert_eq!((call.arguments.clone(), call.malformed.as_deref()), (json!({}), Some(raw)));
    }
}

#[test]
fn calls_that_a_local_model_writes_into_its_text_are_calls() {
    let text = "<think>要检索</think>\n<tool_call>\n{\"name\": \"smart_search\", \"arguments\": {\"query\": \"母线\"}}\n</tool_call>";
    let server = ScriptedModel::with([Step::text(text)]).unwrap();
    let (response, _) = talk(config(&server, Wire::OpenAi), &request());
    let response = response.unwrap();
    let call = response.tool_calls().next().unwrap();
    assert_eq!((call.name.as_str(), &call.arguments), ("smart_search", &json!({ "query": "母线" })));
    assert_eq!((response.text().as_str(), response.stop), ("", StopReason::Tools));
}

#[test]
fn no_key_reaches_an_error_or_a_recording_and_a_recording_can_be_played_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("traffic.jsonl");
    let message = format!("invalid key {KEY} for header gateway-pass-1");
    let refusal = Step::fault(Fault::Status { status: 403, retry_after: None, message: Some(message) });
    let server = ScriptedModel::with([refusal, Step::text("好，看这里。")]).unwrap();
    let mut config = config(&server, Wire::Anthropic);
    config.headers.push(("X-Gateway".to_owned(), Secret::new("gateway-pass-1")));
    config.record = Some(file.clone());
    // As an earlier version left it.
    std::fs::write(&file, "").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let mut asking = request();
    asking.messages = vec![Message::user(format!("我的密钥是 {KEY}"))];
    let client = Client::new(config.clone()).unwrap();
    let error = client.chat(&asking, &Cancel::new(), &mut |_| {}).unwrap_err();
    assert!(
        error.to_string().contains("***") && !format!("{error:?}{error}").contains("0123456789"),
        "{error}"
    );
    assert!(!format!("{error}").contains("gateway-pass"));
    client.chat(&asking, &Cancel::new(), &mut |_| {}).unwrap();
    assert_eq!(
        server.asked()[0].headers.iter().find(|(name, _)| name == "x-gateway").unwrap().1,
        "gateway-pass-1"
    );

    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "nobody else may read it");
    }
    let recorded = std::fs::read_to_string(&file).unwrap();
    assert_eq!(recorded.lines().count(), 2);
    assert!(!recorded.contains("0123456789") && !recorded.contains("gateway-pass"), "{recorded}");
    let steps: Vec<Step> = recorded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let again = ScriptedModel::start(Script { steps: steps[1..].to_vec(), fallback: None }).unwrap();
    config.base_url = again.url();
    config.record = None;
    let (response, _) = talk(config, &request());
    assert_eq!(response.unwrap().text(), "好，看这里。");
}

#[test]
fn a_call_ends_when_it_is_cancelled_or_nothing_comes() {
    // A listener that accepts and never says anything.
    let mute = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut config = LlmConfig::new("m", format!("http://{}", mute.local_addr().unwrap()));
    config.proxy = Secret::new("off");
    config.silence = Duration::from_millis(60);
    config.attempts = 1;
    let client = Client::new(config.clone()).unwrap();
    assert!(matches!(client.chat(&request(), &Cancel::new(), &mut |_| {}), Err(LlmError::Silent { .. })));
    config.silence = Duration::from_mins(10);
    let client = Client::new(config).unwrap();
    let cancel = Cancel::new();
    cancel.cancel();
    assert_eq!(client.chat(&request(), &cancel, &mut |_| {}), Err(LlmError::Cancelled));
}

#[test]
fn a_server_that_answers_nonsense_is_an_error_and_no_panic() {
    for (status, kind, body) in [
        (200, "application/json", "[]"),
        (200, "application/json", "not json"),
        (200, "text/event-stream", "data: nonsense\n\n"),
        (200, "text/event-stream", ""),
        (302, "text/html", "<html>"),
    ] {
        for wire in WIRES {
            let raw =
                json!({ "raw": { "status": status, "content_type": kind, "body": body }, "repeat": true });
            let server = ScriptedModel::with([serde_json::from_value(raw).unwrap()]).unwrap();
            let (response, _) = talk(config(&server, wire), &request());
            assert!(response.is_err(), "{kind} {body}: {response:?}");
        }
    }
}
