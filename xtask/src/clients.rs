//! `cargo xtask clients`: real MCP clients against the server, over every transport: list, call, structured result, error,
//! progress, resources, prompts.
//!
//! What cannot be had here (no Python, no Node, no registry) is skipped, and said so.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::packages::{self, Node, Optional};
use crate::programs::{Library, Programs, Server};
use crate::root;
use crate::tally::Tally;

/// The Python clients.
const PYTHON: &str = "mcp==2.3.*\nfastmcp==4.1.*\n";
/// Node packages; `node` brings the Node that the others need.
const NODE: [(&str, &str); 4] = [
    ("node", "24"),
    ("@modelcontextprotocol/inspector", "2.12"),
    ("@modelcontextprotocol/conformance", "0.2.0-alpha.12"),
    ("gpt-tokenizer", "3"),
];

/// Runs every client that can be had.
pub fn run() -> Result<()> {
    let programs = Programs::build()?;
    let library = Library::build(&programs.regreader())?;
    let mut tally = Tally::default();
    match python() {
        Ok(python) => python_clients(&mut tally, &python, &programs, &library)?,
        Err(reason) => tally.skipped("Python mcp and fastmcp", &format!("{reason:#}")),
    }
    match node() {
        Ok(node) => inspector(&mut tally, &node, &programs, &library)?,
        Err(reason) => tally.skipped("MCP Inspector", &format!("{reason:#}")),
    }
    tally.finish("clients")
}

/// The Python that has the clients.
pub fn python() -> Result<std::path::PathBuf> {
    packages::python("python", PYTHON)
}

/// The Node packages: Inspector, conformance suite, tokenizer.
pub fn node() -> Result<Node> {
    packages::node("node", &NODE, Optional::Wanted)
}

/// Each Python client over each transport.
fn python_clients(tally: &mut Tally, python: &Path, programs: &Programs, library: &Library) -> Result<()> {
    let (program, data) = (programs.regreader().display().to_string(), library.data());
    let server = Server::regreader(&programs.regreader(), &data)?;
    let (http, sse) = (server.http(), server.sse());
    let targets: [Vec<&str>; 3] =
        [vec!["stdio", &program, "--data-dir", &data, "serve"], vec!["http", &http], vec!["sse", &sse]];
    for (client, script) in [("python mcp", "python_mcp.py"), ("python fastmcp", "python_fastmcp.py")] {
        for target in &targets {
            let path = root().join("xtask/clients").join(script);
            let mut command = Command::new(python);
            command.arg(path).args(target);
            let said = said(&mut command).and_then(|(ended_well, said)| {
                let line = said.lines().rev().find_map(|line| line.strip_prefix("ok: "));
                match line {
                    Some(line) if ended_well => Ok(line.to_owned()),
                    _ => bail!("{said}"),
                }
            });
            tally.take(&format!("{client} over {}", target[0]), said);
        }
    }
    Ok(())
}

/// The Inspector's command line over each transport.
fn inspector(tally: &mut Tally, node: &Node, programs: &Programs, library: &Library) -> Result<()> {
    let (program, data) = (programs.regreader().display().to_string(), library.data());
    let server = Server::regreader(&programs.regreader(), &data)?;
    let (http, sse) = (server.http(), server.sse());
    let targets: [(&str, Vec<&str>); 3] = [
        ("stdio", vec![&program, "--data-dir", &data, "serve"]),
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
    for (transport, target) in &targets {
        for (what, arguments, expected) in &calls {
            let mut command = node.run(&node.script("mcp-inspector"));
            command.arg("--cli").args(target).args(*arguments);
            // Its own settings folder: what somebody has saved must not matter.
            command.env("HOME", node.folder.join("home")).stdin(Stdio::null());
            // A tool's error may also be an exit code; what counts is what it says.
            let checked = said(&mut command).and_then(|(ended_well, said)| {
                let says_so = said.contains(expected) && (*what != "error" || said.contains("isError"));
                if says_so && (ended_well || *what == "error") {
                    return Ok(String::new());
                }
                bail!("`{expected}` is not in:\n{said}")
            });
            tally.take(&format!("inspector over {transport}: {what}"), checked);
        }
    }
    Ok(())
}

/// Runs a command: whether it ended well, and all that it said.
pub fn said(command: &mut Command) -> Result<(bool, String)> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().context(program)?;
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Ok((output.status.success(), said))
}
