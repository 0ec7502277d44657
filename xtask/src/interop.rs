//! `cargo xtask interop`: the programs under `interop/`, each of a real agent framework, against our server and a
//! scripted model on loopback.
//!
//! The frameworks come from the package registry into a cache outside the repository. What is asserted is what the
//! model was told: that our tool was called through the framework, and that its result holds the words of the page.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::root;

/// A framework: its folder, and a module that is there once it is installed.
const FRAMEWORKS: [(&str, &str); 3] =
    [("claude-agent-sdk", "claude_agent_sdk"), ("pydantic-ai", "pydantic_ai"), ("langgraph", "langgraph")];
const QUESTION: &str = "110kV 母线失压怎么处理？";
/// Words of page 24 that only the tool can have given.
const QUOTED: &str = "拉开失压母线上的全部开关";

/// Runs every framework over stdio and over HTTP.
pub fn run() -> Result<()> {
    let programs = build()?;
    let cache = cache()?;
    let library = cache.join("library");
    if library.exists() {
        fs::remove_dir_all(&library)?;
    }
    let program = programs.join("regreader");
    quiet(Command::new(&program).args(["--quiet", "demo", "--keep"]).arg(&library))
        .context("the sample library")?;
    let server = Server::start(&program, &library)?;
    let mut failed = 0;
    for (name, module) in FRAMEWORKS {
        let python = match python(&cache, name, module) {
            Ok(python) => python,
            Err(reason) => {
                println!("skipped: {name}: {reason:#}");
                continue;
            }
        };
        let library = library.display().to_string();
        let program_path = program.display().to_string();
        for target in [vec!["stdio", &program_path, &library], vec!["http", &server.url]] {
            match check(&programs, &cache, &python, name, &target) {
                Ok(()) => println!("ok: {name} over {}", target[0]),
                Err(error) => {
                    failed += 1;
                    println!("FAILED: {name} over {}: {error:#}", target[0]);
                }
            }
        }
    }
    if failed > 0 {
        bail!("{failed} of the frameworks did not come through");
    }
    Ok(())
}

/// One program over one transport.
fn check(programs: &Path, cache: &Path, python: &Path, name: &str, target: &[&str]) -> Result<()> {
    let log = cache.join(format!("{name}-{}.jsonl", target[0]));
    let script = cache.join("script.json");
    fs::write(&script, script_for().to_string())?;
    let mut model = Command::new(programs.join("scripted-model"))
        .arg(&script)
        .arg(&log)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut address = String::new();
    BufReader::new(model.stdout.take().context("no stdout")?).read_line(&mut address)?;
    let address = address.trim();
    let home = cache.join("home");
    fs::create_dir_all(&home)?;
    let output = Command::new(python)
        .arg(root().join("interop").join(name).join("ask.py"))
        .args(target)
        .arg(QUESTION)
        .env("MODEL_URL", format!("{address}/v1"))
        .env("ANTHROPIC_BASE_URL", address)
        .env("ANTHROPIC_API_KEY", "sk-ant-scripted")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("CLAUDE_CONFIG_DIR", home.join(format!("claude-{}", target[0])))
        .env("NO_PROXY", "127.0.0.1,localhost")
        .output();
    // Closing its input ends the scripted model, which then writes down what it was asked.
    drop(model.stdin.take());
    model.wait()?;
    let output = output?;
    let said = String::from_utf8_lossy(&output.stdout);
    if !said.contains("安规2024 P24") {
        bail!("no answer:\n{said}\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let asked = fs::read_to_string(&log)?;
    let asked: Vec<Value> = asked.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let offered =
        asked.iter().any(|request| request["body"]["tools"].to_string().contains("read_page_range"));
    let told =
        asked.iter().any(|request| tool_results(&request["body"]).any(|result| result.contains(QUOTED)));
    if !offered || !told {
        bail!("the tool was {}, its result {}", yes(offered, "offered"), yes(told, "came back"));
    }
    Ok(())
}

/// What the tools gave, as the model was told, in either wire format.
fn tool_results(body: &Value) -> impl Iterator<Item = String> {
    let messages = body["messages"].as_array().into_iter().flatten();
    let results = messages.flat_map(|message| {
        if message["role"] == "tool" {
            return vec![message["content"].clone()];
        }
        let blocks = message["content"].as_array().into_iter().flatten();
        blocks.filter(|block| block["type"] == "tool_result").map(|block| block["content"].clone()).collect()
    });
    results.map(|content| content.to_string())
}

/// The model reads a page and then answers; anything else that a framework asks on the side gets one word.
fn script_for() -> Value {
    let when = json!({ "offers": "read_page_range" });
    let read = json!({ "reg_id": "angui_2024", "start_page": 24, "end_page": 24 });
    json!({
        "steps": [
            { "when": when, "tool_calls": [{ "name": "read_page_range", "arguments": read }] },
            { "when": when, "text": format!("{QUOTED} [来源: 安规2024 P24 6.2.1]") },
        ],
        "fallback": "好",
    })
}

fn yes(did: bool, what: &str) -> String {
    if did { what.to_owned() } else { format!("not {what}") }
}

/// `regreader serve` over HTTP; ends with this value.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(program: &Path, library: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .arg("--data-dir")
            .arg(library)
            .args(["serve", "--transport", "http", "--port", "0"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut lines = BufReader::new(child.stderr.take().context("no stderr")?).lines();
        let url = loop {
            let line = lines.next().context("the server ended")??;
            if let Some(url) = line.strip_prefix("listening on ") {
                break url.trim().to_owned();
            }
        };
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { child, url })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder of the programs, freshly built.
fn build() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let packages = ["--package", "regreader", "--package", "regreader-scripted-model", "--bins"];
    let status = Command::new(cargo).arg("build").args(packages).current_dir(root()).status()?;
    if !status.success() {
        bail!("cargo build failed");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("debug"))
}

/// A folder outside the repository that stays between runs.
fn cache() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    let folder = base.join("regreader").join("interop");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A Python with the framework in it.
fn python(cache: &Path, name: &str, module: &str) -> Result<PathBuf> {
    let folder = cache.join(name);
    let python = folder.join("bin/python");
    let import = format!("import {module}");
    if quiet(Command::new(&python).args(["-c", &import])).is_err() {
        let modern = "import sys; sys.exit(sys.version_info < (3, 10))";
        let base = ["python3.13", "python3.12", "python3.11", "python3"]
            .into_iter()
            .find(|name| quiet(Command::new(name).args(["-c", modern])).is_ok())
            .context("there is no Python 3.10 or newer")?;
        quiet(Command::new(base).args(["-m", "venv"]).arg(&folder))?;
        let list = root().join("interop").join(name).join("requirements.txt");
        quiet(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(list))?;
    }
    Ok(python)
}

/// Runs a command; its words are shown only when it fails.
fn quiet(command: &mut Command) -> Result<()> {
    let output = command.output()?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("{}", words.lines().rev().take(5).collect::<Vec<_>>().join(" | "));
    }
    Ok(())
}
