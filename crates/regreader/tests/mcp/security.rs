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
