//! The scripted model as a program, for tests in other languages.
//!
//! `scripted-model SCRIPT.json [LOG.jsonl]` prints its address on the first line of standard output and runs until its
//! standard input closes; then it writes what it was asked to the log, one JSON object on a line. A script that is a
//! recording (one JSON object on a line, each with `raw`) is played back in order.

use std::fs;
use std::io::{Read, Write};
use std::process::ExitCode;

use regreader_scripted_model::{Script, ScriptedModel, Step};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: scripted-model SCRIPT.json [LOG.jsonl]")?;
    let model = ScriptedModel::start(read(&fs::read_to_string(path)?)?)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", model.url())?;
    out.flush()?;
    std::io::stdin().lock().read_to_end(&mut Vec::new())?;
    if let Some(log) = arguments.next() {
        let lines: Result<Vec<String>, _> = model.asked().iter().map(serde_json::to_string).collect();
        fs::write(log, lines?.join("\n") + "\n")?;
    }
    Ok(())
}

fn read(text: &str) -> Result<Script, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| {
        let steps: Result<Vec<Step>, _> =
            text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str).collect();
        steps.map(|steps| Script { steps, fallback: None }).map_err(|_| error)
    })
}
