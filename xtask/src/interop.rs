//! `cargo xtask interop`: the programs under `interop/`, each of a real agent framework, against our server and a scripted
//! model on loopback; and the `claude` program, driven by our own agent.
//!
//! The frameworks come from the package registry into a cache outside the repository. What is asserted is what the model
//! was told: that our tool was called through the framework, and that its result holds the words of the page.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::packages;
use crate::programs::{Library, Programs, Server};
use crate::root;
use crate::tally::Tally;

/// The frameworks, by their folder.
const FRAMEWORKS: [&str; 3] = ["claude-agent-sdk", "pydantic-ai", "langgraph"];
const QUESTION: &str = "110kV 母线失压怎么处理？";
/// Words of page 24 that only the tool can have given.
const QUOTED: &str = "拉开失压母线上的全部开关";
const CITED: &str = "安规2024 P24";

/// Runs every framework over stdio and over HTTP.
pub fn run() -> Result<()> {
    let programs = Programs::build()?;
    let library = Library::build(&programs.regreader())?;
    let server = Server::regreader(&programs.regreader(), &library.data())?;
    let mut tally = Tally::default();
    for name in FRAMEWORKS {
        let python = match python(name) {
            Ok(python) => python,
            Err(reason) => {
                tally.skipped(name, &format!("{reason:#}"));
                continue;
            }
        };
        let (program, data, url) = (programs.regreader(), library.data(), server.http());
        let program = program.display().to_string();
        for target in [vec!["stdio", &program, &data], vec!["http", &url]] {
            let asked = Asked { programs: &programs, folder: library.folder(), name, transport: target[0] };
            let script = root().join("interop").join(name).join("ask.py");
            let mut command = Command::new(&python);
            command.arg(script).args(&target).arg(QUESTION);
            tally.take(&format!("{name} over {}", target[0]), asked.check(command));
        }
        if name == "claude-agent-sdk" {
            claude_program(&mut tally, &python, &programs, &library, &server);
        }
    }
    tally.finish("interop")
}

/// The Python of a framework.
fn python(name: &str) -> Result<PathBuf> {
    let list = fs::read_to_string(root().join("interop").join(name).join("requirements.txt"))?;
    packages::python(&format!("interop-{name}"), &list)
}

/// Our `claude` agent, which drives the program that the SDK brings, over a server of its own and over ours.
fn claude_program(tally: &mut Tally, python: &Path, programs: &Programs, library: &Library, server: &Server) {
    let claude = match bundled(python) {
        Ok(claude) => claude,
        Err(reason) => return tally.skipped("the claude program", &format!("{reason:#}")),
    };
    for transport in ["stdio", "http"] {
        let name = "regreader-claude";
        let asked = Asked { programs, folder: library.folder(), name, transport };
        let mut command = Command::new(programs.regreader());
        command.args(["--data-dir", &library.data(), "--set"]);
        command.arg(format!("claude_program={}", claude.display()));
        if transport == "http" {
            command.args(["--mcp", &server.http()]);
        }
        command.args(["ask", "--agent", "claude", "--jsonl", QUESTION]);
        let checked = asked.check(command).and_then(|_| {
            let events = fs::read_to_string(asked.file("said"))?;
            let answer = events.lines().last().context("no event")?;
            let answer: Value = serde_json::from_str(answer)?;
            let verified = answer["measures"][0]["verified"] == true && answer["outcome"] == "answered";
            let called = events.lines().any(|line| {
                line.contains("\"event\":\"tool_call\"") && line.contains("\"tool\":\"read_page_range\"")
            });
            if !verified || !called {
                bail!("no checked answer, or no event of the call:\n{events}");
            }
            Ok("called, answered, verified".to_owned())
        });
        tally.take(&format!("regreader ask --agent claude, driving claude, over {transport}"), checked);
    }
}

/// The program that the SDK carries.
fn bundled(python: &Path) -> Result<PathBuf> {
    let find = "import claude_agent_sdk, pathlib; \
                print(pathlib.Path(claude_agent_sdk.__file__).parent / '_bundled' / 'claude')";
    let output = Command::new(python).args(["-c", find]).output()?;
    let path = PathBuf::from(String::from_utf8(output.stdout)?.trim());
    if !path.is_file() {
        bail!("claude-agent-sdk brings no claude for this platform");
    }
    Ok(path)
}

/// One question to one program over one transport, with a scripted model behind it.
struct Asked<'a> {
    programs: &'a Programs,
    folder: &'a Path,
    name: &'a str,
    transport: &'a str,
}

impl Asked<'_> {
    fn file(&self, kind: &str) -> PathBuf {
        self.folder.join(format!("{}-{}.{kind}", self.name, self.transport))
    }

    /// Runs the program; what it says must hold the answer, and what the model was told must hold our tool's result.
    fn check(&self, mut command: Command) -> Result<String> {
        let (script, log) = (self.file("script"), self.file("asked"));
        fs::write(&script, script_for().to_string())?;
        let mut model = Model::start(&self.programs.scripted_model(), &script, &log)?;
        let home = self.file("home");
        fs::create_dir_all(&home)?;
        let output = command
            .env("MODEL_URL", format!("{}/v1", model.address))
            .env("ANTHROPIC_BASE_URL", &model.address)
            .env("ANTHROPIC_API_KEY", "sk-ant-scripted")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("CLAUDE_CONFIG_DIR", home)
            .env("NO_PROXY", "127.0.0.1,localhost")
            .stdin(Stdio::null())
            .output();
        model.end()?;
        let output = output?;
        let said = String::from_utf8_lossy(&output.stdout);
        fs::write(self.file("said"), said.as_bytes())?;
        if !said.contains(CITED) {
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
        Ok("read_page_range was called, its words came back".to_owned())
    }
}

/// The scripted model as a program.
struct Model {
    child: Child,
    address: String,
}

impl Model {
    fn start(program: &Path, script: &Path, log: &Path) -> Result<Self> {
        let mut child = Command::new(program)
            .arg(script)
            .arg(log)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| program.display().to_string())?;
        let mut address = String::new();
        BufReader::new(child.stdout.take().context("no stdout")?).read_line(&mut address)?;
        Ok(Self { child, address: address.trim().to_owned() })
    }

    /// Closing its input ends it; it then writes down what it was asked.
    fn end(&mut self) -> Result<()> {
        drop(self.child.stdin.take());
        self.child.wait()?;
        Ok(())
    }
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
            { "when": when, "text": format!("【处置措施】\n1. {QUOTED} [来源: {CITED} 6.2.1]\n") },
        ],
        "fallback": "好",
    })
}

fn yes(did: bool, what: &str) -> String {
    if did { what.to_owned() } else { format!("not {what}") }
}
