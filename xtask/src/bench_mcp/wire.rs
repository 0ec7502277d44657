//! JSON-RPC over a pipe and over a kept connection, with as little around it as possible: the same for every server.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

fn hello() -> Value {
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" } });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

/// A tool call with arguments.
pub fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

/// A server on a pipe.
pub struct Pipe {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Pipe {
    /// Starts it and waits until it has answered the handshake.
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let input = child.stdin.take().context("no stdin")?;
        let output = BufReader::new(child.stdout.take().context("no stdout")?);
        let mut pipe = Self { child, input, output };
        pipe.request(&hello())?;
        writeln!(pipe.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(pipe)
    }

    /// Sends a request and reads up to its answer.
    pub fn request(&mut self, message: &Value) -> Result<String> {
        self.input.write_all(format!("{message}\n").as_bytes())?;
        self.input.flush()?;
        let id = format!("\"id\":{}", message["id"]);
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the server closed the pipe");
            }
            if line.contains(&id) {
                return Ok(line);
            }
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A session over one kept HTTP connection.
pub struct Session {
    stream: BufReader<TcpStream>,
    address: String,
    id: Option<String>,
}

impl Session {
    /// Connects and shakes hands.
    pub fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let mut session = Self { stream: BufReader::new(stream), address: address.to_owned(), id: None };
        let (headers, _) = session.post(&hello())?;
        let id = headers.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
        });
        session.id = id;
        session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(session)
    }

    /// Sends a request; the body of the answer.
    pub fn request(&mut self, message: &Value) -> Result<String> {
        Ok(self.post(message)?.1)
    }

    fn post(&mut self, message: &Value) -> Result<(String, String)> {
        let body = message.to_string();
        let mut text = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        if let Some(id) = &self.id {
            text.push_str(&format!("Mcp-Session-Id: {id}\r\n"));
        }
        text.push_str("\r\n");
        text.push_str(&body);
        self.stream.get_mut().write_all(text.as_bytes())?;
        self.answer()
    }

    fn answer(&mut self) -> Result<(String, String)> {
        let mut headers = String::new();
        loop {
            let before = headers.len();
            if self.stream.read_line(&mut headers)? == 0 {
                bail!("the server closed the connection");
            }
            if headers[before..].trim().is_empty() {
                break;
            }
        }
        let lower = headers.to_lowercase();
        let status = lower.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut body = Vec::new();
        if lower.contains("transfer-encoding: chunked") {
            loop {
                let mut size = String::new();
                self.stream.read_line(&mut size)?;
                let size = usize::from_str_radix(size.trim(), 16)?;
                let start = body.len();
                body.resize(start + size, 0);
                self.stream.read_exact(&mut body[start..])?;
                self.stream.read_line(&mut String::new())?;
                if size == 0 {
                    break;
                }
            }
        } else if let Some(length) = lower.lines().find_map(|line| line.strip_prefix("content-length: ")) {
            body.resize(length.trim().parse()?, 0);
            self.stream.read_exact(&mut body)?;
        }
        let body = String::from_utf8(body)?;
        if !status.starts_with('2') {
            bail!("HTTP {status}: {body}");
        }
        Ok((headers, body))
    }
}
