//! Reading a document in a process of its own, so that one that eats memory or never ends cannot take the others of a
//! batch along, nor the program.
//!
//! `ingest` starts this program again with the hidden command `read-document`. The child bounds its own memory before it
//! opens the file, tells on its stdout how many pages are done, and ends with the regulation or with an error; the parent
//! bounds the time. What the two say to each other is a line with a mark and a number, and behind some marks so many
//! bytes of JSON.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, thread};

use anyhow::Context as _;
use regreader_messages::errors;
use regreader_model::{PageNumber, RegId, Regulation};
use regreader_parse::Progress;
use serde::{Deserialize, Serialize};

use super::{KnownInfo, SourceFile};
use crate::failure::{self, Refusal};
use crate::settings::{DEFINITIONS, Layers, Settings};

/// Longest message of a child: the pages of the largest document that the limits let through.
const MAX_MESSAGE: u64 = 1 << 30;

/// What a child says.
enum Said {
    Progress(Progress),
    Done(Box<Regulation>),
    Failed(Failure),
}

/// An error on its way from a child.
#[derive(Debug, Serialize, Deserialize)]
struct Failure {
    code: u8,
    message: String,
    hint: Option<String>,
}

/// How a document is read apart.
pub struct Apart<'a> {
    /// The settings that the child resolves to the same values.
    pub layers: &'a Layers,
    /// The settings themselves.
    pub settings: &'a Settings,
    /// Password of an encrypted file.
    pub password: Option<&'a str>,
    /// Told after each page.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

impl Apart<'_> {
    /// Whether documents are read apart with these settings.
    pub fn is_wanted(settings: &Settings) -> bool {
        settings.max_document_mib > 0
    }

    /// Reads a file into a regulation, as [`super::read`] does.
    pub fn read(&self, file: &SourceFile, reg_id: &RegId, known: &KnownInfo) -> anyhow::Result<Regulation> {
        let shown = || file.path.display().to_string();
        let mut child = self.start(file, reg_id).with_context(shown)?;
        let mut regulation = self.listen(&mut child).with_context(shown)?;
        known.apply(&mut regulation.info);
        Ok(regulation)
    }

    fn start(&self, file: &SourceFile, reg_id: &RegId) -> anyhow::Result<Child> {
        let mut command = Command::new(env::current_exe()?);
        command.arg("read-document").arg(&file.path).arg(reg_id.as_str()).arg(&file.hash);
        for definition in DEFINITIONS {
            if let Some((value, _)) = self.layers.text(definition.name) {
                command.env(definition.variable(), value);
            }
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A child that died already says so by its status.
            let _ = stdin.write_all(self.password.unwrap_or_default().as_bytes());
        }
        Ok(child)
    }

    fn listen(&self, child: &mut Child) -> anyhow::Result<Regulation> {
        let minutes = self.settings.max_document_minutes.max(1);
        let time = Duration::from_secs(minutes.saturating_mul(60));
        let mut deadline = Instant::now() + time;
        let stdout = child.stdout.take().context("no stdout")?;
        let (sender, messages) = mpsc::channel();
        let reading = thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Ok(Some(said)) = hear(&mut stdout) {
                if sender.send(said).is_err() {
                    return;
                }
            }
        });
        let heard = loop {
            match messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Said::Progress(progress)) => {
                    // Pages that are read from their picture have a limit each; a long scan may take hours.
                    if progress.recognized.is_some() {
                        deadline = Instant::now() + time;
                    }
                    (self.progress)(progress);
                }
                Ok(Said::Done(regulation)) => break Ok(*regulation),
                Ok(Said::Failed(failure)) => {
                    break Err(Refusal { code: failure.code, message: failure.message, hint: failure.hint });
                }
                Err(RecvTimeoutError::Timeout) => break Err(too_long(minutes)),
                Err(RecvTimeoutError::Disconnected) => {
                    let status = child.wait()?;
                    break Err(died(status, self.settings.max_document_mib));
                }
            }
        };
        // It has said everything, or will not be listened to any more.
        let _ = child.kill();
        let _ = child.wait();
        let _ = reading.join();
        Ok(heard?)
    }
}

fn too_long(minutes: u64) -> Refusal {
    Refusal::library(errors::read_too_long(minutes), errors::HINT_DOCUMENT_TIME)
}

fn died(status: ExitStatus, most_mib: u64) -> Refusal {
    Refusal::library(errors::read_too_large(most_mib, status), errors::HINT_DOCUMENT_MEMORY)
}

/// The next thing that a child says; none when it says nothing any more.
fn hear(from: &mut impl BufRead) -> anyhow::Result<Option<Said>> {
    let mut line = String::new();
    if from.by_ref().take(100).read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let mark = words.next().unwrap_or_default();
    let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).context("a number");
    Ok(Some(match mark {
        "p" => Said::Progress(Progress {
            done: number()? as usize,
            total: number()? as usize,
            // Page 0: no page was recognised.
            recognized: u32::try_from(number()?).ok().and_then(PageNumber::new),
        }),
        "r" => Said::Done(Box::new(json(from, number()?)?)),
        "e" => Said::Failed(json(from, number()?)?),
        _ => anyhow::bail!("not a message"),
    }))
}

fn json<T: serde::de::DeserializeOwned>(from: &mut impl BufRead, length: u64) -> anyhow::Result<T> {
    anyhow::ensure!(length <= MAX_MESSAGE, "too long");
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

/// How the child reads a file: with a password, if there is one, telling how far it has come.
pub type ReadFile<'a> =
    &'a dyn Fn(&SourceFile, Option<&str>, &(dyn Fn(Progress) + Sync)) -> anyhow::Result<Regulation>;

/// The child: reads a file within bounds and says on stdout what came of it.
pub fn serve(settings: &Settings, path: &Path, hash: &str, read: ReadFile<'_>) -> anyhow::Result<()> {
    bound_memory(settings.max_document_mib);
    let mut password = String::new();
    io::stdin().lock().take(1 << 16).read_to_string(&mut password)?;
    let password = (!password.is_empty()).then_some(password);
    let out = Mutex::new(io::stdout());
    let say = |line: &str, body: &[u8]| -> io::Result<()> {
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(out, "{line}")?;
        out.write_all(body)?;
        out.flush()
    };
    let progress = |told: Progress| {
        let page = told.recognized.map_or(0, PageNumber::get);
        // A parent that has gone needs no progress.
        let _ = say(&format!("p {} {} {page}", told.done, told.total), &[]);
    };
    let read = || {
        let file = SourceFile::read(path, settings.max_file_mib)?;
        // The parent stores the bytes that it read; these must be the same.
        anyhow::ensure!(file.hash == hash, "the file changed while it was being read");
        read(&file, password.as_deref(), &progress)
    };
    match read() {
        Ok(regulation) => {
            let body = serde_json::to_vec(&regulation)?;
            say(&format!("r {}", body.len()), &body)?;
        }
        Err(error) => {
            let (code, hint) = failure::classify(&error);
            // The parent says which file it is.
            let name = path.display().to_string();
            let causes: Vec<String> =
                error.chain().map(ToString::to_string).filter(|cause| *cause != name).collect();
            let body = serde_json::to_vec(&Failure { code, message: causes.join(": "), hint })?;
            say(&format!("e {}", body.len()), &body)?;
        }
    }
    Ok(())
}

/// Keeps this process from holding more than so much. An allocation beyond it ends the process, and the parent says why.
#[cfg(unix)]
pub fn bound_memory(mib: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let most = mib.saturating_mul(1 << 20);
    let hard = getrlimit(Resource::Data).maximum;
    let limit = Rlimit { current: Some(hard.map_or(most, |hard| hard.min(most))), maximum: hard };
    // A system without the limit reads documents without it.
    let _ = setrlimit(Resource::Data, limit);
}

/// The same where the system has no such bound.
#[cfg(not(unix))]
pub fn bound_memory(_: u64) {}
