//! A sample library, made once; a scripted model; a way to run the program on both.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

use regreader_scripted_model::{ScriptedModel, Step};
use serde_json::{Value, json};

/// The sample library: read once for all tests of this file.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = LIBRARY.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("library");
        let mut command = Command::new(env!("CARGO_BIN_EXE_regreader"));
        command.args(["--quiet", "demo", "--keep"]).arg(&path).env_clear();
        let output = command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (folder, path)
    });
    path
}

/// A copy of the sample library that a test may write to.
pub struct Bench {
    pub folder: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(library(), &folder.path().join("data"));
        Self { folder }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The program on this library, without a model.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_regreader"));
        command.current_dir(self.folder.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.folder.path());
        command.env("REGREADER_DATA_DIR", self.data()).env("REGREADER_LIBREOFFICE", "off");
        command.args(arguments).stdin(Stdio::null());
        command
    }

    /// The program with a model.
    pub fn with_model(&self, model: &ScriptedModel, wire: &str, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        command.env("REGREADER_LLM_BASE_URL", model.url()).env("REGREADER_LLM_API_KEY", KEY);
        command.env("REGREADER_LLM_PROVIDER", wire).env("REGREADER_LLM_PROXY", "off");
        command.env("REGREADER_LLM_RETRY_MS", "0").env("REGREADER_LLM_MODEL_NAME", "scripted");
        command
    }

    /// Asks a question.
    pub fn ask(&self, agent: &str, steps: Vec<Step>, question: &str, more: &[&str]) -> Asked {
        let wire = if agent == "typed" { "openai" } else { "anthropic" };
        let model = ScriptedModel::with(steps).unwrap();
        let arguments = [&["ask", "--agent", agent, "--jsonl", question], more].concat();
        let output = self.with_model(&model, wire, &arguments).output().unwrap();
        Asked::new(output, model)
    }
}

/// A server over HTTP. Ends with this value.
pub struct Served {
    child: Child,
    pub url: String,
}

impl Served {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        let url = line.strip_prefix("listening on ").expect(&line).to_owned();
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub const KEY: &str = "sk-e2e-0123456789abcdef";

/// What came of a question.
pub struct Asked {
    pub code: i32,
    pub events: Vec<Value>,
    pub answer: Value,
    pub stderr: String,
    pub model: ScriptedModel,
}

impl Asked {
    fn new(output: Output, model: ScriptedModel) -> Self {
        let stdout = String::from_utf8(output.stdout).unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!stdout.contains(KEY) && !stderr.contains(KEY), "the key is printed");
        let events: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let answer = events.last().filter(|event| event["event"] == "answer").cloned().unwrap_or(Value::Null);
        Self { code: output.status.code().unwrap(), events, answer, stderr, model }
    }

    /// Tools that were called, in order, each with one telling argument.
    pub fn calls(&self) -> Vec<String> {
        let calls = self.events.iter().filter(|event| event["event"] == "tool_call");
        calls.map(|event| event["tool"].as_str().unwrap().to_owned()).collect()
    }

    /// Events of a kind.
    pub fn all(&self, kind: &str) -> Vec<&Value> {
        self.events.iter().filter(|event| event["event"] == kind).collect()
    }

    /// Statements of the answer: text, citation, verified.
    pub fn statements(&self) -> Vec<(&str, &str, bool)> {
        let list = |key: &str| self.answer[key].as_array().cloned().unwrap_or_default().len();
        let mut all = Vec::new();
        for key in ["measures", "cautions"] {
            for at in 0..list(key) {
                let one = &self.answer[key][at];
                all.push((
                    one["text"].as_str().unwrap(),
                    one["citation"].as_str().unwrap(),
                    one["verified"] == true,
                ));
            }
        }
        all
    }

    /// Every statement is verified, and these are the citations.
    #[track_caller]
    pub fn assert_answered(&self, citations: &[&str]) {
        assert_eq!(self.answer["outcome"], "answered", "{}\n{}", self.answer, self.stderr);
        assert_eq!(self.code, 0);
        assert!(self.statements().iter().all(|(_, _, verified)| *verified), "{:?}", self.statements());
        assert_eq!(self.answer["sources"], json!(citations));
        assert_eq!(self.model.steps_left(), 0, "the model had more to say");
    }
}

/// The steps that give a final answer, in the way of each agent.
pub fn submit(measures: &[(&str, &str, u32, &str)], cautions: &[(&str, &str, u32, &str)]) -> Step {
    let list = |statements: &[(&str, &str, u32, &str)]| -> Vec<Value> {
        let value = |(text, reg_id, page, target): &(&str, &str, u32, &str)| json!({ "text": text, "citations": [{ "reg_id": reg_id, "page_num": page, "target": target }] });
        statements.iter().map(value).collect()
    };
    Step::call(
        "submit_answer",
        json!({ "outcome": "answered", "measures": list(measures), "cautions": list(cautions) }),
    )
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
