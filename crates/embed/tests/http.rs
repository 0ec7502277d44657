//! The HTTP embedder against a server of our own on loopback: order, retries, and answers that must not be believed.

#![allow(clippy::unwrap_used, reason = "a test server that fails should fail the test")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use regreader_embed::{EmbedError, Embedder as _, HttpEmbedder, HttpOptions};
use serde_json::{Value, json};

/// Answers one connection after the other with the given (status, body); returns what it was asked.
struct Server {
    address: String,
    asked: JoinHandle<Vec<(String, Value)>>,
}

fn serve(answers: Vec<(u16, String)>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = thread::spawn(move || {
        answers
            .into_iter()
            .map(|(status, body)| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let (mut head, mut length) = (String::new(), 0);
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line).unwrap();
                    if line == "\r\n" {
                        break;
                    }
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    head.push_str(&line);
                }
                let mut sent = vec![0; length];
                reader.read_exact(&mut sent).unwrap();
                let size = body.len();
                write!(
                    stream,
                    "HTTP/1.1 {status} X\r\ncontent-length: {size}\r\nconnection: close\r\n\r\n{body}"
                )
                .unwrap();
                (head, serde_json::from_slice(&sent).unwrap())
            })
            .collect()
    });
    Server { address, asked }
}

fn options(server: &Server) -> HttpOptions {
    HttpOptions { backoff: Duration::ZERO, ..HttpOptions::new(&server.address, "bge-m3") }
}

fn answer(vectors: &[(usize, [f32; 2])]) -> (u16, String) {
    let data: Vec<Value> =
        vectors.iter().map(|(index, v)| json!({ "index": index, "embedding": v })).collect();
    (200, json!({ "data": data }).to_string())
}

fn reason(error: &EmbedError) -> String {
    error.to_string()
}

#[test]
fn asks_in_batches_and_puts_the_vectors_in_order() {
    let server = serve(vec![
        answer(&[(0, [1.0, 0.0])]),
        answer(&[(1, [0.0, 2.0]), (0, [3.0, 4.0])]),
        answer(&[(0, [1.0, 0.0])]),
        answer(&[(0, [0.0, 1.0])]),
    ]);
    let settings = HttpOptions {
        batch: 2,
        api_key: Some("secret-key".to_owned()),
        query_prefix: "query: ".to_owned(),
        ..options(&server)
    };
    let embedder = HttpEmbedder::connect(settings).unwrap();
    assert_eq!((embedder.model(), embedder.dimension()), ("bge-m3", 2));
    let vectors = embedder.embed_documents(&["甲", "乙", "丙"]).unwrap();
    assert_eq!(vectors, [vec![0.6, 0.8], vec![0.0, 1.0], vec![1.0, 0.0]]);
    assert_eq!(embedder.embed_query("甲").unwrap(), [0.0, 1.0]);
    let asked = server.asked.join().unwrap();
    assert!(asked[1].0.starts_with("POST /v1/embeddings"));
    assert!(asked[1].0.contains("Bearer secret-key"));
    assert_eq!(asked[1].1["input"], json!(["甲", "乙"]));
    assert_eq!(asked[3].1["input"], json!(["query: 甲"]));
}

#[test]
fn a_server_that_is_busy_is_asked_again_and_one_that_refuses_is_not() {
    let server = serve(vec![(503, "starting".to_owned()), answer(&[(0, [1.0, 0.0])])]);
    assert!(HttpEmbedder::connect(options(&server)).is_ok());

    let server = serve(vec![(401, "no such key".to_owned())]);
    let settings = HttpOptions { api_key: Some("secret-key".to_owned()), ..options(&server) };
    let error = reason(&HttpEmbedder::connect(settings).err().unwrap());
    assert!(error.contains("401") && error.contains("no such key"), "{error}");
    assert!(!error.contains("secret-key"));
}

#[test]
fn nothing_that_is_not_a_vector_gets_through() {
    let cases = [
        ("{}", "data"),
        ("<html>", "JSON"),
        (r#"{"data": []}"#, "0 vectors for 1"),
        (r#"{"data": [{"index": 7, "embedding": [1.0]}]}"#, "out of range"),
        (r#"{"data": [{"index": 0, "embedding": [1.0, null]}]}"#, "finite"),
        (r#"{"data": [{"index": 0, "embedding": [1e300]}]}"#, "finite"),
        (r#"{"data": [{"index": 0, "embedding": []}]}"#, "without numbers"),
    ];
    for (body, expected) in cases {
        let server = serve(vec![(200, body.to_owned())]);
        let error = reason(&HttpEmbedder::connect(options(&server)).err().unwrap());
        assert!(error.contains(expected), "{body}: {error}");
    }
    let server = serve(vec![(200, " ".repeat(5000))]);
    let settings = HttpOptions { max_response: 1000, ..options(&server) };
    assert!(HttpEmbedder::connect(settings).is_err());
}

#[test]
fn a_vector_of_another_length_is_an_error_and_so_is_nobody_there() {
    let server =
        serve(vec![answer(&[(0, [1.0, 0.0])]), (200, r#"{"data": [{"embedding": [1.0]}]}"#.to_owned())]);
    let embedder = HttpEmbedder::connect(options(&server)).unwrap();
    assert!(reason(&embedder.embed_query("甲").unwrap_err()).contains("1 dimensions instead of 2"));

    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = HttpOptions {
        retries: 1,
        backoff: Duration::ZERO,
        ..HttpOptions::new(format!("http://{gone}/v1"), "m")
    };
    assert!(matches!(HttpEmbedder::connect(settings), Err(EmbedError::Backend { .. })));
}

/// A server that is down must not keep anyone from opening the library and searching by words.
#[test]
fn with_a_known_dimension_nothing_is_asked_before_it_is_needed() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = HttpOptions {
        dimension: Some(2),
        document_prefix: "passage: ".to_owned(),
        retries: 0,
        ..HttpOptions::new(format!("http://{gone}/v1"), "bge-m3")
    };
    let embedder = HttpEmbedder::connect(settings).unwrap();
    assert_eq!(embedder.dimension(), 2);
    assert!(embedder.model().starts_with("bge-m3-"), "passages with a prefix are other vectors");
    assert!(embedder.embed_query("甲").is_err());
}
