//! The sample library, built once, and servers over it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::OnceLock;

use regreader_mcp::{Client, ClientError};
use regreader_tools::ToolFailure;
use serde_json::{Value, json};

/// Words that stand in a file beside the library and may never be seen by a client.
pub const SECRET: &str = "canary-7c1f-nobody-may-read-this";

/// A folder with the sample library in `data`, a secret beside it and a little development context.
pub fn home() -> &'static Path {
    static HOME: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = HOME.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let built = program(folder.path(), &["demo", "--quiet", "--keep", "data"]).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        fs::write(folder.path().join("secret.txt"), SECRET).unwrap();
        let context = folder.path().join(".the_conn/context/global");
        fs::create_dir_all(&context).unwrap();
        fs::write(context.join("Auth_Design.md"), "---\ntitle: 登录设计\ntags: [auth]\n---\n# 登录\n")
            .unwrap();
        folder
    });
    folder.path()
}

/// The program, run in a folder with nothing but the settings given.
pub fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regreader"));
    command.current_dir(folder).args(arguments);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("REGREADER_DATA_DIR", folder.join("data")).env("HOME", folder);
    command
}

/// Runs a command against a server.
pub fn run(arguments: &[&str]) -> Output {
    program(home(), arguments).output().unwrap()
}

/// A client over stdio, whose server runs in the sample folder.
pub fn over_stdio(settings: &[&str]) -> Client {
    let folder = home().display().to_string();
    let data = home().join("data").display().to_string();
    // A shell changes the folder: a client starts its server wherever it likes.
    let mut line = format!("cd '{folder}' && exec '{}' --data-dir '{data}'", env!("CARGO_BIN_EXE_regreader"));
    for setting in settings {
        line.push_str(&format!(" --set {setting}"));
    }
    line.push_str(" serve --transport stdio");
    Client::spawn("sh", &["-c", &line]).unwrap()
}

/// A server over HTTP. Ends with this value.
pub struct Server {
    child: Child,
    pub port: u16,
    /// As the server names it.
    pub address: String,
}

impl Server {
    pub fn start(settings: &[(&str, &str)]) -> Self {
        Self::start_in(home(), settings)
    }

    pub fn start_in(folder: &Path, settings: &[(&str, &str)]) -> Self {
        let mut command = program(folder, &["serve", "--transport", "http", "--port", "0"]);
        for (name, value) in settings {
            command.env(format!("REGREADER_{}", name.to_uppercase()), value);
        }
        Self::start_with(command)
    }

    /// Whatever the command says about how to serve.
    pub fn start_with(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        errors.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").expect(&line).to_owned();
        let port = address.rsplit(':').next().and_then(|rest| rest.split('/').next()).expect(&line);
        let port = port.parse().unwrap();
        // Whatever else it says must not fill the pipe.
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut errors, &mut std::io::sink());
        });
        Self { child, port, address }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    pub fn client(&self) -> Client {
        Client::connect_http(&self.url(), None).unwrap()
    }

    /// Asks it to end, and waits.
    pub fn terminate(self) -> std::process::ExitStatus {
        self.tell_to_end();
        self.wait()
    }

    /// Asks it to end (SIGTERM).
    pub fn tell_to_end(&self) {
        let told = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(told.success());
    }

    /// Waits until it has ended.
    pub fn wait(mut self) -> std::process::ExitStatus {
        self.child.wait().unwrap()
    }

    /// One request on a connection of its own; the status, the headers and the body.
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        self.send(text.as_bytes())
    }

    /// Raw bytes on a connection of their own.
    pub fn send(&self, bytes: &[u8]) -> Response {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        // The server may answer and close before it has read all.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Response::parse(&answer)
    }

    /// The wire itself, after the handshake.
    pub fn session(&self) -> HttpSession<'_> {
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize() });
        let answer = self.post(&[], &hello);
        let id = answer.header("mcp-session-id").expect(&answer.headers).to_owned();
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post(&[("Mcp-Session-Id", &id)], &ready).status, 202);
        HttpSession { server: self, id, next: 0 }
    }

    /// One JSON-RPC message to `/mcp`.
    pub fn post(&self, headers: &[(&str, &str)], message: &Value) -> Response {
        let mut all =
            vec![("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
        all.extend(headers);
        self.request("POST", "/mcp", &all, &message.to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Requests of one session over HTTP.
pub struct HttpSession<'a> {
    server: &'a Server,
    id: String,
    next: u64,
}

impl HttpSession<'_> {
    /// Sends a request and gives the response as it came.
    pub fn post(&self, method: &str, params: &Value) -> Response {
        let message = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        self.server.post(&[("Mcp-Session-Id", &self.id)], &message)
    }

    /// Sends a request and waits for its answer; what comes before it is dropped.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let answer = self.post(method, params);
        let data = answer.body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line));
        let mut messages = data.filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok());
        messages.find(|message| message["id"] == json!(self.next)).unwrap_or_else(|| panic!("{answer:?}"))
    }
}

/// An HTTP response.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub headers: String,
    pub body: String,
}

impl Response {
    fn parse(bytes: &[u8]) -> Self {
        let split = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(bytes.len());
        let headers = String::from_utf8_lossy(&bytes[..split]).to_lowercase();
        let rest = bytes.get(split + 4..).unwrap_or_default();
        let body =
            if headers.contains("transfer-encoding: chunked") { unchunked(rest) } else { rest.to_vec() };
        let status = headers.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Self { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let size =
            std::str::from_utf8(&rest[..end]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        let Some(size) = size.filter(|size| *size > 0) else { break };
        let chunk = rest.get(end + 2..end + 2 + size).unwrap_or_default();
        body.extend_from_slice(chunk);
        rest = rest.get(end + 2 + size + 2..).unwrap_or_default();
    }
    body
}

/// The wire itself over stdio: lines of JSON.
pub struct Pipe {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Pipe {
    /// A server after the handshake.
    pub fn open() -> Self {
        let mut child = program(home(), &["serve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut pipe = Self { child, input, output, next: 0 };
        let hello = pipe.request("initialize", &initialize());
        assert_eq!(hello["result"]["serverInfo"]["name"], "regreader", "{hello}");
        pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        pipe
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// Whatever it is.
    pub fn send_line(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
        self.input.flush().unwrap();
    }

    /// The next message; every line must be one.
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a request and waits for its answer; what comes before it is dropped.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.request_hearing(method, params).0
    }

    /// The same, with what came before the answer.
    pub fn request_hearing(&mut self, method: &str, params: &Value) -> (Value, Vec<Value>) {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut heard = Vec::new();
        loop {
            let message = self.receive();
            if message["id"] == json!(id) {
                return (message, heard);
            }
            heard.push(message);
        }
    }

    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Closes the pipe and waits for the server to end by itself.
    pub fn close(mut self) -> std::process::ExitStatus {
        drop(self.input);
        self.child.wait().unwrap()
    }
}

pub fn initialize() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    })
}

/// What a tool refused with.
pub fn refused(result: Result<Value, ClientError>) -> (String, String, String) {
    match result {
        Err(ClientError::Tool(ToolFailure { name, message, hint })) => {
            (name, message, hint.unwrap_or_default())
        }
        other => panic!("not refused: {other:?}"),
    }
}

/// A truth file of the samples.
pub fn truth(reg_id: &str) -> Value {
    let path = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join(format!("../../samples/truth/{reg_id}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}
