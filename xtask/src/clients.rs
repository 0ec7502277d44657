//! `cargo xtask clients`: real MCP clients against the server, over every transport; `cargo xtask conformance`: the protocol's
//! own suite against fixtures.
//!
//! The clients come from the package registries into a cache outside the repository. What cannot be had here (no
//! Python, no Node, no network) is skipped, and said so.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::root;

/// Python packages, as pip names them.
const PYTHON: [&str; 2] = ["mcp==2.3.*", "fastmcp==4.1.*"];
/// Node packages; `node` brings the Node that the others need.
const NODE: [&str; 4] = [
    "node@24",
    "@modelcontextprotocol/inspector@2.12",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "gpt-tokenizer@3",
];
/// Protocol versions that the conformance suite is run at.
const VERSIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Runs every client that can be had.
pub fn run() -> Result<()> {
    // As the tests build it: with the features of the whole workspace nothing is compiled a second time.
    let program =
        build(&["--workspace", "--tests"])?.join(format!("regreader{}", std::env::consts::EXE_SUFFIX));
    let cache = cache()?;
    let library = tempfile::tempdir()?;
    let data = library.path().join("data").display().to_string();
    let demo = Command::new(&program).args(["demo", "--quiet", "--keep", &data]).output()?;
    if !demo.status.success() {
        bail!("the sample library was not built:\n{}", String::from_utf8_lossy(&demo.stderr));
    }
    let mut failures = 0;
    match python(&cache) {
        Ok(python) => failures += python_clients(&python, &program, &data)?,
        Err(reason) => println!("skipped: Python clients: {reason}"),
    }
    match node(&cache) {
        Ok(node) => {
            failures += inspector(&node, &program, &data)?;
        }
        Err(reason) => println!("skipped: MCP Inspector: {reason}"),
    }
    if failures > 0 {
        bail!("{failures} client checks failed");
    }
    Ok(())
}

/// Runs the conformance suite.
pub fn run_conformance() -> Result<()> {
    match node(&cache()?) {
        Ok(node) => match conformance(&node)? {
            0 => Ok(()),
            failures => bail!("{failures} conformance runs failed"),
        },
        Err(reason) => {
            println!("skipped: conformance suite: {reason}");
            Ok(())
        }
    }
}

/// A server in the background; ends with this value.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts a program that says `listening on http://…` on stderr.
    fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let errors = child.stderr.take().context("no stderr")?;
        let mut lines = BufReader::new(errors).lines();
        let line = lines.next().context("the server said nothing")??;
        std::thread::spawn(move || lines.for_each(drop));
        let address = line.strip_prefix("listening on ").with_context(|| line.clone())?;
        let address = address.rsplit_once('/').map_or(address, |(address, _)| address).to_owned();
        Ok(Self { child, address })
    }

    fn regreader(program: &Path, data: &str) -> Result<Self> {
        Self::start(Command::new(program).args([
            "--data-dir",
            data,
            "serve",
            "--transport",
            "http",
            "--port",
            "0",
        ]))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Each Python client over each transport.
fn python_clients(python: &Path, program: &Path, data: &str) -> Result<usize> {
    let server = Server::regreader(program, data)?;
    let (http, sse) = (format!("{}/mcp", server.address), format!("{}/sse", server.address));
    let program = program.display().to_string();
    let targets: [Vec<&str>; 3] =
        [vec!["stdio", &program, "--data-dir", data, "serve"], vec!["http", &http], vec!["sse", &sse]];
    let mut failures = 0;
    for script in ["python_mcp.py", "python_fastmcp.py"] {
        for target in &targets {
            let path = root().join("xtask/clients").join(script);
            failures += check(
                &format!("{script} over {}", target[0]),
                Command::new(python).arg(path).args(target),
                |_| true,
            )?;
        }
    }
    Ok(failures)
}

/// The Inspector's command line over each transport.
fn inspector(node: &Path, program: &Path, data: &str) -> Result<usize> {
    let server = Server::regreader(program, data)?;
    let (http, sse) = (format!("{}/mcp", server.address), format!("{}/sse", server.address));
    let program = program.display().to_string();
    let targets: [(&str, Vec<&str>); 3] = [
        ("stdio", vec![&program, "--data-dir", data, "serve"]),
        ("http", vec![&http, "--transport", "http"]),
        ("sse", vec![&sse, "--transport", "sse"]),
    ];
    let search = ["--method", "tools/call", "--tool-name", "smart_search", "--tool-arg", "query=母线失压"];
    let refused = ["--method", "tools/call", "--tool-name", "get_toc", "--tool-arg", "reg_id=nowhere"];
    let calls: [(&str, &[&str], &str); 7] = [
        ("list", &["--method", "tools/list"], "verify_citation"),
        ("call, structured", &search, "structuredContent"),
        ("error", &refused, "规程不存在: nowhere"),
        ("resources", &["--method", "resources/list"], "regreader://angui_2023/page/1"),
        ("resource", &["--method", "resources/read", "--uri", "regreader://wengui_2024/page/8"], "表3-1"),
        ("prompts", &["--method", "prompts/list"], "answer_question"),
        ("prompt", &["--method", "prompts/get", "--prompt-name", "protocol"], "规程选择原则"),
    ];
    let mut failures = 0;
    for (transport, target) in &targets {
        for (what, arguments, expected) in &calls {
            let mut command = Command::new(bin(node, "node"));
            command.arg(bin(node, "mcp-inspector")).arg("--cli").args(target).args(*arguments);
            // Its own settings folder: what somebody has saved must not matter.
            command.env("HOME", node.join("home")).stdin(Stdio::null());
            // An error of the tool may also be an exit code; what counts is what it says.
            failures += check(&format!("inspector over {transport}: {what}"), &mut command, |said| {
                said.contains(expected)
            })?;
        }
    }
    Ok(failures)
}

/// The conformance suite against the fixtures, at each protocol version.
fn conformance(node: &Path) -> Result<usize> {
    let example = ["--package", "regreader-mcp", "--example", "conformance_fixture"];
    let fixture =
        build(&example)?.join(format!("examples/conformance_fixture{}", std::env::consts::EXE_SUFFIX));
    let server = Server::start(&mut Command::new(fixture))?;
    let url = format!("{}/mcp", server.address.replace("127.0.0.1", "localhost"));
    let expected = root().join("xtask/clients/expected_failures.yaml");
    let mut failures = 0;
    for version in VERSIONS {
        let mut command = Command::new(bin(node, "node"));
        command.arg(node.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"));
        command
            .args(["server", "--url", &url, "--requirements", version, "--expected-failures"])
            .arg(&expected);
        command.arg("--output-dir").arg(node.join("results")).current_dir(node);
        failures += check(&format!("conformance {version}"), &mut command, |_| true)?;
    }
    Ok(failures)
}

/// Runs a command; it must end well (or say what is expected) and is shown in full when it does not.
fn check(name: &str, command: &mut Command, says: impl Fn(&str) -> bool) -> Result<usize> {
    let output = command.output().with_context(|| name.to_owned())?;
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let expected_error = name.ends_with(": error");
    if (output.status.success() || expected_error) && says(&said) {
        let last = said
            .lines()
            .rev()
            .find(|line| line.starts_with("ok: ") || line.contains("passed"))
            .unwrap_or("ok");
        println!("{name}: {}", last.trim());
        return Ok(0);
    }
    println!("FAILED {name}: {}\n{said}", output.status);
    Ok(1)
}

/// Builds part of the workspace and gives the folder of its output.
pub fn build(arguments: &[&str]) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).arg("build").args(arguments).current_dir(root()).status()?;
    if !status.success() {
        bail!("cargo build {} failed", arguments.join(" "));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("debug"))
}

/// Where clients are kept between runs.
pub fn cache() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    let folder = base.join("regreader-clients");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A Python with the clients in it.
pub fn python(cache: &Path) -> Result<PathBuf> {
    let folder = cache.join("python");
    let python = folder.join("bin/python");
    let has_all = || quiet(Command::new(&python).args(["-c", "import mcp.client.client, fastmcp"])).is_ok();
    if !has_all() {
        let names = ["python3.13", "python3.12", "python3.11", "python3"];
        let modern = "import sys; sys.exit(sys.version_info < (3, 10))";
        let base = names
            .iter()
            .find(|name| quiet(Command::new(name).args(["-c", modern])).is_ok())
            .context("there is no Python 3.10 or newer")?;
        quiet(Command::new(base).args(["-m", "venv"]).arg(&folder))?;
        quiet(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(PYTHON))?;
    }
    Ok(python)
}

/// A folder with the Node packages in it.
pub fn node(cache: &Path) -> Result<PathBuf> {
    let folder = cache.join("node");
    fs::create_dir_all(&folder)?;
    let ready = folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    if !ready.exists() || !bin(&folder, "mcp-inspector").exists() {
        quiet(Command::new("npm").args(["init", "--yes"]).current_dir(&folder))?;
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund"]).args(NODE).current_dir(&folder);
        quiet(&mut install)?;
    }
    quiet(Command::new(bin(&folder, "node")).arg("--version"))?;
    Ok(folder)
}

fn bin(folder: &Path, name: &str) -> PathBuf {
    folder.join("node_modules/.bin").join(name)
}

/// Runs a command for its effect; its words are the reason when it fails.
fn quiet(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {program}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    bail!("{program}: {}", said.lines().last().unwrap_or("failed"))
}
