//! A server that is told to end while it works. The call in flight waits for an embedding server of the test's own, so that
//! the test decides how long it runs.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use serde_json::{Value, json};

use super::support::{Response, Server, program};

/// A query with this word waits until the test lets it go on.
const HELD: &str = "停在这里";

/// An embedding server. `arrived` hears of the query that is held; when it comes again, it is answered.
struct Embedding {
    url: String,
    arrived: Receiver<Sender<()>>,
}

impl Embedding {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (tell, arrived) = mpsc::channel();
        thread::spawn(move || {
            let has_held = Arc::new(AtomicBool::new(false));
            for stream in listener.incoming().map_while(Result::ok) {
                let (tell, has_held) = (tell.clone(), Arc::clone(&has_held));
                thread::spawn(move || answer(stream, &tell, &has_held));
            }
        });
        Self { url, arrived }
    }
}

/// Answers one request: a vector for every text.
fn answer(mut stream: TcpStream, tell: &Sender<Sender<()>>, has_held: &AtomicBool) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let asked: Value = serde_json::from_slice(&body).ok()?;
    let texts = asked["input"].as_array().cloned().unwrap_or_default();
    let is_query = texts.iter().any(|text| text.as_str().is_some_and(|text| text.contains(HELD)));
    if is_query && !has_held.swap(true, Ordering::SeqCst) {
        let (go, held) = mpsc::channel();
        tell.send(go).ok()?;
        // Ends too when the test drops its end.
        let _ = held.recv();
    }
    let vectors: Vec<Value> =
        (0..texts.len()).map(|at| json!({ "index": at, "embedding": [1.0, 0.5] })).collect();
    let body = json!({ "data": vectors }).to_string();
    let size = body.len();
    write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {size}\r\n\r\n{body}").ok()
}

/// A server over one regulation, whose searches ask `embedding`.
fn server(folder: &Path, embedding: &Embedding, grace: &str) -> Server {
    let settings = [
        ("embedding_backend", "http"),
        ("embedding_url", embedding.url.as_str()),
        ("embedding_model", "m"),
        ("embedding_dimension", "2"),
        ("mcp_grace", grace),
    ];
    fs::write(folder.join("a.md"), "# 示例规程\n\n## 1. 总则\n\n1.1 母线失压时，应立即汇报值班调度员。\n")
        .unwrap();
    let mut ingest = program(folder, &["ingest", "a.md"]);
    for (name, value) in settings {
        ingest.env(format!("REGREADER_{}", name.to_uppercase()), value);
    }
    let stored = ingest.output().unwrap();
    assert!(stored.status.success(), "{}", String::from_utf8_lossy(&stored.stderr));
    Server::start_in(folder, &settings)
}

/// Sends a search that is held, waits until it runs, and gives what will be its answer.
fn held_search<'s>(
    scope: &'s thread::Scope<'s, '_>,
    server: &'s Server,
    embedding: &Embedding,
) -> (thread::ScopedJoinHandle<'s, Response>, Sender<()>) {
    let (tell, session) = mpsc::channel();
    let answer = scope.spawn(move || {
        let session = server.session();
        tell.send(()).unwrap();
        let query = json!({ "query": format!("{HELD}：母线失压") });
        session.post("tools/call", &json!({ "name": "smart_search", "arguments": query }))
    });
    session.recv().unwrap();
    let go = embedding.arrived.recv().unwrap();
    (answer, go)
}

/// An open stream of the older transport.
fn stream(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    write!(stream, "GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut first = [0; 16];
    stream.read_exact(&mut first).unwrap();
    stream
}

/// Whether somebody who comes now is turned away: at the door, or with 503. Waits for the moment when the server has heard
/// the signal; a request that is still answered was sent before that.
fn refuses_newcomers(server: &Server) {
    loop {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", server.port)) else { return };
        let _ = write!(stream, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        if !answer.starts_with("HTTP/1.1 200") {
            assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 503"), "{answer}");
            return;
        }
    }
}

#[test]
fn a_call_in_flight_ends_properly_and_new_ones_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let embedding = Embedding::start();
    let server = server(folder.path(), &embedding, "600");
    let mut open = stream(&server);
    thread::scope(|scope| {
        let (answer, go) = held_search(scope, &server, &embedding);
        server.tell_to_end();
        // The call cannot end yet, so this is answered, if at all, while it runs.
        refuses_newcomers(&server);
        go.send(()).unwrap();
        let answer = answer.join().unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.body.contains("应立即汇报值班调度员"), "{answer:?}");
    });
    assert!(server.wait().success());
    // The stream ends; it is not left hanging.
    open.read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn a_call_that_outlasts_the_grace_time_is_ended_with_an_error_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let embedding = Embedding::start();
    let server = server(folder.path(), &embedding, "0");
    let mut open = stream(&server);
    thread::scope(|scope| {
        let (answer, _held) = held_search(scope, &server, &embedding);
        server.tell_to_end();
        let answer = answer.join().unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(
            answer.body.contains("ShutdownError") && answer.body.contains("服务器正在关闭"),
            "{answer:?}"
        );
    });
    assert!(server.wait().success());
    open.read_to_end(&mut Vec::new()).unwrap();
}
