//! As much HTTP as a test needs: one request on a connection, one response, the connection closes.

use std::io::{self, Read, Write};
use std::net::TcpStream;

const MAX_HEAD: usize = 64 << 10;
const MAX_BODY: usize = 64 << 20;

/// A request.
#[derive(Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// A header by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Reads a request.
pub fn read(stream: &mut TcpStream) -> io::Result<Request> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        let count = stream.read(&mut buffer)?;
        if count == 0 || bytes.len() > MAX_HEAD {
            return Err(io::Error::other("no request"));
        }
        bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
    };
    let mut body = bytes.split_off(head_end + 4);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
    let (method, path) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut request = Request { method, path, headers, body: Vec::new() };
    let length: usize = request.header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
    while body.len() < length.min(MAX_BODY) {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        body.extend_from_slice(buffer.get(..count).unwrap_or_default());
    }
    request.body = body;
    Ok(request)
}

/// Writes a response in one piece.
pub fn respond(
    stream: &mut TcpStream,
    status: u16,
    content_type: &str,
    extra: &[(&str, String)],
    body: &[u8],
) -> io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n",
        body.len()
    );
    for (name, value) in extra {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// Begins a streamed response.
pub fn begin_stream(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 Scripted\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n")
}

/// Sends a piece of it.
pub fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes())?;
    stream.write_all(bytes)?;
    stream.write_all(b"\r\n")?;
    stream.flush()
}

/// Ends it properly; without this the other side sees it cut.
pub fn end_stream(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(b"0\r\n\r\n")?;
    stream.flush()
}
