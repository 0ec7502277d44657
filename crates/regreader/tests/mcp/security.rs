//! The HTTP face against those it is not meant for.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use regreader_mcp::Client;
use serde_json::{Value, json};

use crate::mcp::support::{Server, home, initialize, program};

fn hello() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize() })
}

const ROUTES: [(&str, &str); 5] = [
    ("POST", "/mcp"),
    ("GET", "/sse"),
    ("POST", "/message?sessionId=x"),
    ("GET", "/healthz"),
    ("GET", "/metrics"),
];

#[test]
fn a_foreign_host_is_turned_away_on_every_route() {
    let server = Server::start(&[]);
    for (method, path) in ROUTES {
        for host in ["evil.example", "localhost.evil.example:80", "10.0.0.1", ""] {
            let answer = server.request(method, path, &[("Host", host)], "{}");
            assert!(answer.status == 403 || answer.status == 400, "{path} {host}: {}", answer.status);
        }
    }
    let none = server.send(b"GET /healthz HTTP/1.0\r\n\r\n");
    assert_eq!(none.status, 403);
    let absolute = server
        .send(b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_eq!(absolute.status, 403);
    assert_eq!(server.request("GET", "/healthz", &[("Host", "localhost")], "").status, 200);
}

#[test]
fn a_foreign_origin_is_turned_away_on_every_route() {
    let server = Server::start(&[("mcp_allowed_origins", "https://portal.example")]);
    for (method, path) in ROUTES {
        for origin in ["https://evil.example", "null", "http://localhost.evil.example"] {
            assert_eq!(
                server.request(method, path, &[("Origin", origin)], "{}").status,
                403,
                "{path} {origin}"
            );
        }
    }
    for origin in ["http://localhost:6274", "https://portal.example"] {
        assert_eq!(server.post(&[("Origin", origin)], &hello()).status, 200, "{origin}");
    }
    let both = [("Origin", "http://localhost"), ("Origin", "https://evil.example")];
    assert_eq!(server.post(&both, &hello()).status, 403);
}

#[test]
fn off_loopback_no_token_no_server() {
    let output = program(home(), &["serve", "--transport", "http", "--host", "0.0.0.0", "--port", "0"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("needs a token") && errors.contains("hint:"), "{errors}");
}

#[test]
fn with_a_token_nothing_but_health_is_given_without_it() {
    let server = Server::start(&[("mcp_token", "a-long-random-word")]);
    for (method, path) in ROUTES {
        let expected = if path == "/healthz" { 200 } else { 401 };
        for headers in
            [&[][..], &[("Authorization", "Bearer wrong")], &[("Authorization", "Basic a-long-random-word")]]
        {
            assert_eq!(server.request(method, path, headers, "{}").status, expected, "{path} {headers:?}");
        }
    }
    let right = [("Authorization", "Bearer a-long-random-word")];
    assert_eq!(server.request("GET", "/metrics", &right, "").status, 200);
    assert!(Client::connect_http(&server.url(), Some("wrong")).is_err());
    let client = Client::connect_http(&server.url(), Some("a-long-random-word")).unwrap();
    assert_eq!(client.call("list_regulations", json!({})).unwrap()["truncated"], false);
}

#[test]
fn a_body_past_the_limit_is_refused_however_it_is_sent() {
    let server = Server::start(&[("mcp_max_body_kib", "64")]);
    let huge = json!({ "jsonrpc": "2.0", "id": 1, "method": "x", "params": { "pad": "母".repeat(40_000) } });
    assert_eq!(server.post(&[], &huge).status, 413);
    let mut chunked =
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
            .to_vec();
    for _ in 0..40 {
        chunked.extend_from_slice(b"1000\r\n");
        chunked.extend_from_slice(&[b'x'; 0x1000]);
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    assert_eq!(server.send(&chunked).status, 413);
    assert_eq!(server.request("GET", "/healthz", &[], "").status, 200);
}

#[test]
fn whoever_asks_too_often_is_told_to_wait() {
    let server = Server::start(&[("mcp_rate_limit", "5")]);
    let answers: Vec<_> = (0..30).map(|_| server.request("GET", "/healthz", &[], "")).collect();
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
    assert!(!refused.is_empty() && answers[0].status == 200);
    assert_eq!(refused[0].header("retry-after"), Some("1"));
}

#[test]
fn sessions_are_bounded_and_can_be_closed() {
    let server = Server::start(&[("mcp_max_sessions", "3")]);
    let opened: Vec<_> = (0..3).map(|_| server.post(&[], &hello())).collect();
    assert!(opened.iter().all(|answer| answer.status == 200));
    assert_eq!(server.post(&[], &hello()).status, 503);
    let id = opened[0].header("mcp-session-id").unwrap();
    let closed = server.request("DELETE", "/mcp", &[("Mcp-Session-Id", id)], "");
    assert!((200..300).contains(&closed.status), "{closed:?}");
    assert_eq!(server.post(&[], &hello()).status, 200);
    let unknown = server
        .post(&[("Mcp-Session-Id", "guess")], &json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }));
    assert_eq!(unknown.status, 404);
}

#[test]
fn calls_and_refusals_are_counted() {
    let server = Server::start(&[]);
    let client = server.client();
    client.call("list_regulations", json!({})).unwrap();
    client.call("get_toc", json!({ "reg_id": "nowhere" })).unwrap_err();
    server.request("GET", "/healthz", &[("Host", "evil.example")], "");
    let page = server.request("GET", "/metrics", &[], "").body;
    for line in [
        "regreader_tool_calls_total{tool=\"list_regulations\",outcome=\"ok\"} 1",
        "regreader_tool_calls_total{tool=\"get_toc\",outcome=\"RegulationNotFoundError\"} 1",
        "regreader_tool_duration_seconds_count{tool=\"get_toc\"} 1",
        "regreader_http_refused_total{reason=\"host\"} 1",
        "regreader_mcp_sessions 1",
    ] {
        assert!(page.lines().any(|one| one == line), "{line}\n{page}");
    }
}

#[test]
fn garbage_on_the_wire_harms_nobody() {
    let server = Server::start(&[]);
    let long = vec![b'A'; 100_000];
    for garbage in [&b"\x00\x01\x02\x03\r\n\r\n"[..], b"GET\r\n\r\n", b"POST /mcp HTTP/9.9\r\n\r\n", &long] {
        let _ = server.send(garbage);
    }
    for body in ["", "[]", "null", "{", "{\"jsonrpc\":\"2.0\"}", "\u{0}", "[[[[[[[[[[[["] {
        let headers =
            [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        let answer = server.request("POST", "/mcp", &headers, body);
        assert!((400..500).contains(&answer.status), "{body:?}: {answer:?}");
    }
    // Deeper than any parser should follow.
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}{}}}",
        "[".repeat(50_000),
        "]".repeat(50_000)
    );
    let answer = server.request(
        "POST",
        "/mcp",
        &[("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")],
        &deep,
    );
    assert!((400..500).contains(&answer.status), "{answer:?}");
    assert_eq!(server.client().call("list_regulations", json!({})).unwrap()["truncated"], false);
}

#[test]
fn told_to_end_it_ends_and_closes_open_streams() {
    let server = Server::start(&[]);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    write!(stream, "GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut first = [0; 16];
    stream.read_exact(&mut first).unwrap();
    assert!(server.terminate().success());
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
}

#[test]
fn a_named_token_opens_the_door_and_is_named_in_the_audit_log() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens.json");
    let set = format!("tokens_file={}", file.display());
    let tokens = |arguments: &[&str]| {
        let output = program(home(), &[&["--set", &set, "tokens"], arguments].concat()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let secret = tokens(&["add", "调度台"]);
    let listed = tokens(&["list"]);
    assert!(listed.contains("调度台") && listed.contains("reader") && !listed.contains(&secret), "{listed}");
    let server = Server::start(&[("tokens_file", &file.display().to_string())]);
    assert_eq!(server.post(&[], &hello()).status, 401);
    assert!(Client::connect_http(&server.url(), Some("rr_wrong")).is_err());
    let client = Client::connect_http(&server.url(), Some(&secret)).unwrap();
    client.call("get_toc", json!({ "reg_id": "angui_2024" })).unwrap();
    let log = program(home(), &["--json", "audit", "--limit", "200"]).output().unwrap();
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    assert!(log.contains("mcp 调度台 ("), "who asked is in the log: {log}");
    assert!(!log.contains(&secret));
    tokens(&["remove", "调度台"]);
    let bearer = format!("Bearer {secret}");
    assert_eq!(server.post(&[("Authorization", &bearer)], &hello()).status, 401, "from the next request on");
}

#[test]
fn a_browser_is_answered_for_the_allowed_origins_only() {
    let server = Server::start(&[
        ("mcp_allowed_origins", "https://portal.example"),
        ("mcp_token", "a-long-random-word"),
    ]);
    let ask = |origin: &str| {
        let headers = [
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "authorization, content-type, mcp-session-id"),
        ];
        server.request("OPTIONS", "/mcp", &headers, "")
    };
    let answer = ask("https://portal.example");
    assert_eq!(answer.status, 204, "{answer:?}");
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://portal.example"));
    assert!(answer.header("access-control-allow-headers").unwrap().contains("mcp-session-id"));
    assert!(answer.header("access-control-allow-methods").unwrap().contains("post"));
    for origin in ["https://evil.example", "null", "https://portal.example.evil.example"] {
        let answer = ask(origin);
        assert_eq!(answer.status, 403, "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{origin}");
    }
    let headers = [("Origin", "https://portal.example"), ("Authorization", "Bearer a-long-random-word")];
    let answer = server.post(&headers, &hello());
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://portal.example"));
    assert_eq!(answer.header("access-control-expose-headers"), Some("mcp-session-id"));
    let without = server.post(&[("Origin", "https://portal.example")], &hello());
    assert_eq!(without.status, 401, "asking first is no way around the token");
}

#[test]
fn a_body_that_is_no_json_is_a_parse_error() {
    let server = Server::start(&[]);
    let headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    for body in ["{", "", "{\"jsonrpc\":\"2.0\",", "nonsense", "\u{0}"] {
        let answer = server.request("POST", "/mcp", &headers, body);
        assert_eq!(answer.status, 400, "{body:?}");
        let error: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(error["error"]["code"], -32700, "{body:?}: {error}");
    }
}

#[test]
fn half_open_connections_do_not_hide_that_the_server_lives() {
    let server = Server::start(&[("mcp_max_connections", "8"), ("mcp_rate_limit", "0")]);
    let held: Vec<TcpStream> = (0..8)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
            stream.write_all(b"POST /mcp HTTP/1.1\r\n").unwrap();
            stream
        })
        .collect();
    for _ in 0..5 {
        assert_eq!(server.request("GET", "/healthz", &[], "").status, 200);
    }
    assert_eq!(server.post(&[], &hello()).status, 503, "a spare place answers nothing else");
    drop(held);
}
