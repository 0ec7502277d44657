//! `cargo xtask bench mcp`: the server beside a FastMCP server with the same payload, a load of 64 clients, and what each
//! tool costs a language model in tokens.

mod beside;
mod tokens;
mod wire;

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Parser;
use serde_json::{Value, json};

use crate::programs::{Library, cargo, target};
use crate::{clients, root};
use wire::{Pipe, Session, call};

const CLIENTS: usize = 64;

/// `bench mcp`
#[derive(Parser)]
struct Options {
    /// Seconds that the load lasts.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The release program to measure; built when none is given.
    #[arg(long, value_name = "PROGRAM")]
    binary: Option<PathBuf>,
    /// An earlier program: only the start and single calls are measured, of both in turn.
    #[arg(long, value_name = "PROGRAM")]
    beside: Option<PathBuf>,
}

/// Runs everything.
pub fn run(rest: &[String]) -> Result<()> {
    let options = Options::parse_from(std::iter::once("bench mcp").chain(rest.iter().map(String::as_str)));
    let program = match options.binary {
        Some(program) => program,
        None => {
            cargo(&["build", "--release", "--package", "regreader", "--bin", "regreader"])?;
            target().join("release").join(format!("regreader{}", std::env::consts::EXE_SUFFIX))
        }
    };
    if let Some(earlier) = options.beside {
        return beside::compare(&earlier, &program);
    }
    let library = Library::build(&program)?;
    match clients::python() {
        Ok(python) => beside_fastmcp(&program, &python, &library.data(), library.folder())?,
        Err(reason) => println!("skipped: FastMCP: {reason:#}"),
    }
    load(&program, &library.data(), Duration::from_secs(options.seconds))?;
    tokens::report(&program, &library.data(), library.folder())
}

/// A server on a port of its own; ends with this value.
struct Running {
    child: Child,
    address: String,
}

impl Running {
    /// Starts a command for a port and waits until the port answers.
    fn start(make: impl FnOnce(&str) -> Command) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string();
        let child = make(&port).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let address = format!("127.0.0.1:{port}");
        let running = Self { child, address };
        let deadline = Instant::now() + Duration::from_mins(1);
        while Session::open(&running.address).is_err() {
            anyhow::ensure!(Instant::now() < deadline, "the server on {} does not answer", running.address);
            thread::sleep(Duration::from_millis(50));
        }
        Ok(running)
    }

    fn regreader(program: &Path, data: &str) -> Result<Self> {
        Self::start(|port| {
            let mut command = Command::new(program);
            command.args(["--data-dir", data, "serve", "--transport", "http", "--port", port]);
            // One machine plays all clients here.
            command.args(["--set", "mcp_rate_limit=0"]);
            command
        })
    }

    /// Memory in use, in MiB.
    fn memory(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse::<f64>().unwrap_or(0.0) / 1024.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Times of many calls, in milliseconds.
struct Times(Vec<f64>);

impl Times {
    fn of(count: usize, mut call: impl FnMut() -> Result<()>) -> Result<Self> {
        // The first calls open files and fill caches, for every server alike.
        for _ in 0..count / 10 {
            call()?;
        }
        let mut times = Vec::with_capacity(count);
        for _ in 0..count {
            let start = Instant::now();
            call()?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        Ok(Self::sorted(times))
    }

    fn sorted(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Self(times)
    }

    fn quantile(&self, share: f64) -> f64 {
        let index = ((self.0.len() as f64 * share) as usize).min(self.0.len().saturating_sub(1));
        self.0.get(index).copied().unwrap_or(f64::NAN)
    }
}

fn beside_fastmcp(program: &Path, python: &Path, data: &str, folder: &Path) -> Result<()> {
    let ours = || {
        let mut command = Command::new(program);
        command.args(["--data-dir", data, "serve"]);
        command
    };
    println!("milliseconds\n| | payload, bytes | RegReader p50 | p99 | FastMCP p50 | p99 | ratio of p50 |");
    println!("|---|---|---|---|---|---|---|");
    let row = |name: &str, bytes: u64, ours: &Times, theirs: &Times| {
        println!(
            "| {name} | {bytes} | {:.3} | {:.3} | {:.2} | {:.2} | {:.1} |",
            ours.quantile(0.5),
            ours.quantile(0.99),
            theirs.quantile(0.5),
            theirs.quantile(0.99),
            theirs.quantile(0.5) / ours.quantile(0.5)
        );
    };
    let payload = folder.join("payload.json");
    let theirs = |rest: &[&str]| {
        let mut command = Command::new(python);
        command.arg(root().join("xtask/clients/fastmcp_server.py")).arg(&payload).args(rest);
        command
    };
    fs::write(&payload, "{}")?;
    let started = |make: &dyn Fn() -> Command, count| Times::of(count, || Pipe::start(&mut make()).map(drop));
    row("start to handshake", 0, &started(&ours, 50)?, &started(&|| theirs(&["stdio"]), 10)?);
    for (tool, arguments) in small_and_large() {
        let request = call(tool, &arguments);
        let mut pipe = Pipe::start(&mut ours())?;
        let answer: Value = serde_json::from_str(&pipe.request(&request)?)?;
        fs::write(&payload, answer["result"]["structuredContent"].to_string())?;
        let bytes = fs::metadata(&payload)?.len();
        let mut other = Pipe::start(&mut theirs(&["stdio"]))?;
        row(
            &format!("{tool} over stdio"),
            bytes,
            &Times::of(3000, || pipe.request(&request).map(drop))?,
            &Times::of(500, || other.request(&request).map(drop))?,
        );
        drop((pipe, other));
        let near = Running::regreader(program, data)?;
        let far = Running::start(|port| theirs(&["http", port]))?;
        // Each connection is opened when it is used: an idle one is closed after a few seconds.
        let over = |server: &Running, count| {
            let mut session = Session::open(&server.address)?;
            Times::of(count, || session.request(&request).map(drop))
        };
        row(&format!("{tool} over HTTP"), bytes, &over(&near, 3000)?, &over(&far, 500)?);
    }
    Ok(())
}

/// Calls whose results are a line, a table and a whole table of contents.
fn small_and_large() -> [(&'static str, Value); 3] {
    [
        ("lookup_annotation", json!({ "reg_id": "wengui_2024", "annotation_id": "注1", "page_hint": 17 })),
        ("get_table_by_id", json!({ "reg_id": "wengui_2024", "table_id": "表3-1" })),
        ("get_toc", json!({ "reg_id": "angui_2024" })),
    ]
}

/// A mix of what agents call.
fn mix() -> Vec<Value> {
    vec![
        call("smart_search", &json!({ "query": "母线失压怎么处理" })),
        call("get_toc", &json!({ "reg_id": "angui_2024" })),
        call("read_page_range", &json!({ "reg_id": "wengui_2024", "start_page": 8, "end_page": 10 })),
        call("search_tables", &json!({ "query": "天中直流 限额" })),
        call("get_table_by_id", &json!({ "reg_id": "wengui_2024", "table_id": "表3-1" })),
        call(
            "lookup_annotation",
            &json!({ "reg_id": "wengui_2024", "annotation_id": "注1", "page_hint": 17 }),
        ),
        call("resolve_reference", &json!({ "reg_id": "angui_2024", "reference_text": "见第六章" })),
        call(
            "verify_citation",
            &json!({ "reg_id": "angui_2024", "page_num": 24, "statement": "110kV 母线失压" }),
        ),
    ]
}

fn load(program: &Path, data: &str, duration: Duration) -> Result<()> {
    let server = Running::regreader(program, data)?;
    let errors = AtomicU64::new(0);
    let start = Instant::now();
    let end = start + duration;
    let (times, memory) = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (errors, address) = (&errors, &server.address);
                scope.spawn(move || one_client(number, address, end, errors))
            })
            .collect();
        let mut memory = Vec::new();
        for part in 1..=6 {
            thread::sleep((start + duration * part / 6).saturating_duration_since(Instant::now()));
            memory.push(server.memory());
        }
        let times: Vec<f64> =
            clients.into_iter().flat_map(|client| client.join().unwrap_or_default()).collect();
        (Times::sorted(times), memory)
    });
    let count = times.0.len();
    println!("\n{CLIENTS} clients, {} s, {} kinds of call", duration.as_secs(), mix().len());
    println!(
        "calls {count} ({:.0}/s), errors {}",
        count as f64 / duration.as_secs_f64(),
        errors.load(Ordering::Relaxed)
    );
    println!(
        "p50 {:.1} ms, p99 {:.1} ms, longest {:.1} ms",
        times.quantile(0.5),
        times.quantile(0.99),
        times.quantile(1.0)
    );
    println!(
        "memory at each sixth, MiB: {}",
        memory.iter().map(|mib| format!("{mib:.0}")).collect::<Vec<_>>().join(" ")
    );
    Ok(())
}

fn one_client(number: usize, address: &str, end: Instant, errors: &AtomicU64) -> Vec<f64> {
    let mut times = Vec::new();
    let Ok(mut session) = Session::open(address) else {
        errors.fetch_add(1, Ordering::Relaxed);
        return times;
    };
    let calls = mix();
    for turn in number.. {
        if Instant::now() >= end {
            break;
        }
        let start = Instant::now();
        let answer = session.request(&calls[turn % calls.len()]);
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if !answer.is_ok_and(|body| body.contains("\"isError\":false")) {
            errors.fetch_add(1, Ordering::Relaxed);
        }
    }
    times
}
