//! Uploads: read into the library by a process of its own, within bounds on memory and time.

use std::io::{BufRead, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use regreader_web::{Failure, FailureKind, IngestEvent, IngestReport, Upload};
use serde_json::Value;

/// Longest result that is taken from the process.
const MAX_RESULT: u64 = 1 << 20;

/// Runs `command`, which is `ingest --json --progress-json` for the upload, and tells `report` of every page.
pub fn ingest(
    mut command: Command,
    upload: &Upload,
    time: Duration,
    report: &mut dyn FnMut(IngestEvent),
) -> Result<IngestReport, Failure> {
    command
        .arg("--file")
        .arg(&upload.path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let broken = |error: std::io::Error| Failure::new(FailureKind::Broken, error.kind().to_string());
    let mut process = Ended(command.spawn().map_err(broken)?);
    let (Some(stdout), Some(stderr)) = (process.0.stdout.take(), process.0.stderr.take()) else {
        return Err(Failure::new(FailureKind::Broken, "no pipe"));
    };
    let (send, lines) = mpsc::channel::<String>();
    let listening = std::thread::Builder::new().name("ingest".to_owned());
    let listener = listening.spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    listener.map_err(broken)?;
    let result = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = stdout.take(MAX_RESULT).read_to_string(&mut text);
        text
    });
    let end = Instant::now() + time;
    let mut last_words = String::new();
    loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => match serde_json::from_str::<Value>(&line) {
                Ok(step) if step["done"].is_u64() => report(IngestEvent {
                    done: step["done"].as_u64().unwrap_or(0) as u32,
                    total: step["total"].as_u64().unwrap_or(0) as u32,
                }),
                _ => line.trim_start_matches("error: ").clone_into(&mut last_words),
            },
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                return Err(Failure {
                    kind: FailureKind::Invalid,
                    message: format!("reading took longer than {} s", time.as_secs()),
                    hint: Some("regreader ingest has no such bound".to_owned()),
                });
            }
        }
    }
    let status = process.0.wait().map_err(broken)?;
    let summary: Value =
        result.join().ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let file = &summary["files"][0];
    match (status.success(), file["reg_id"].as_str()) {
        (true, Some(reg_id)) => Ok(IngestReport {
            reg_id: reg_id.to_owned(),
            change: file["status"].as_str().unwrap_or("new").to_owned(),
            pages: file["pages"].as_u64().unwrap_or(0) as u32,
        }),
        _ => {
            // Killed for memory, it says nothing.
            let said = file["error"]
                .as_str()
                .unwrap_or(&last_words)
                .replace(&upload.path.display().to_string(), &upload.name);
            let said = if said.is_empty() {
                "the file could not be read within its bounds".to_owned()
            } else {
                said
            };
            Err(Failure::new(FailureKind::Invalid, said))
        }
    }
}

/// A process that is ended with this value.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run(script: &str, time: Duration) -> (Vec<u32>, Result<IngestReport, Failure>) {
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]);
        let upload = Upload { path: "/tmp/up/a.pdf".into(), name: "a.pdf".to_owned(), by: "web".to_owned() };
        let mut pages = Vec::new();
        let result = ingest(command, &upload, time, &mut |event| pages.push(event.done));
        (pages, result)
    }

    #[test]
    fn pages_are_counted_and_the_result_is_told() {
        let script = r#"echo '{"done":1,"total":2}' >&2; echo '{"done":2,"total":2}' >&2;
            echo '{"files":[{"reg_id":"a","status":"new","pages":2}]}'"#;
        let (pages, result) = run(script, Duration::from_mins(1));
        assert_eq!(pages, [1, 2]);
        assert_eq!(
            result.unwrap(),
            IngestReport { reg_id: "a".to_owned(), change: "new".to_owned(), pages: 2 }
        );
    }

    #[test]
    fn a_failure_says_why_without_paths_and_silence_ends() {
        let (_, result) = run(r#"echo "error: $2: not a document" >&2; exit 3"#, Duration::from_mins(1));
        assert_eq!(result.unwrap_err().message, "a.pdf: not a document");
        let (_, killed) = run("kill -9 $$", Duration::from_mins(1));
        assert!(killed.unwrap_err().message.contains("bounds"));
        let (_, late) = run("exec sleep 1000", Duration::ZERO);
        assert!(late.unwrap_err().message.contains("longer than"));
    }
}
