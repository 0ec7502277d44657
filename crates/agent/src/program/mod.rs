//! The `claude` agent by way of the `claude` program, the engine of the Claude Agent SDK: it talks to the model and to our
//! MCP server by itself; we give it the role and the question, follow what it does, and check what it says.
//!
//! The program gets our server and nothing else: no tools of its own, no settings of the machine. What it may know about
//! the server stands in a file that only the user can read, because it may hold a token.

mod stream;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use regreader_llm::Secret;
use regreader_messages::{agents, answers};

use crate::agent::{Agent, AgentError};
use crate::answer::answer_language;
use crate::check::{check, settled, unread};
use crate::draft::statements;
use crate::free::refusal;
use crate::library::Library;
use crate::prompt::{fence, role_of_program};
use crate::{Conversation, Event, Outcome, Reply};
use stream::{Ended, Stream};

/// Longest line that is read: a tool's whole result is one.
const MAX_LINE: u64 = 16 << 20;
/// How much of what it complains about is kept.
const MAX_COMPLAINT: u64 = 4 << 10;
/// How often the person's wish to stop is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// The program, and how it reaches our server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its name or path.
    pub command: PathBuf,
    /// Our server as an entry of its MCP configuration, in JSON.
    pub server: Secret,
    /// The model it is to use; its own choice when none.
    pub model: Option<String>,
    /// So long it may say nothing.
    pub silence: Duration,
}

/// What is wrong with the program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// It is not there.
    #[error("{}", agents::no_program(.0))]
    NotInstalled(String),
    /// It is there and did not do its work.
    #[error("{}", agents::program_failed(.0))]
    Failed(String),
}

/// Name of our server in the program's configuration.
const SERVER: &str = "regreader";

/// Answers a question.
pub fn run(
    agent: &Agent<'_>,
    program: &Program,
    library: &Library,
    question: &str,
    conversation: &mut Conversation,
    report: &mut dyn FnMut(Event),
) -> Result<Reply, AgentError> {
    let folder = tempfile::tempdir().map_err(|error| failed(&error.to_string()))?;
    let command =
        command(agent, program, library, folder.path()).map_err(|error| failed(&error.to_string()))?;
    let mut running = Running::start(program, command, &opening(agent, question, conversation))?;
    let mut stream = Stream::default();
    let mut stopped = None;
    while let Some(line) = running.next(agent, program)? {
        for event in stream.read(&line, &mut conversation.memory) {
            report(event);
        }
        stopped = spent(agent, &stream);
        if let Some(reason) = &stopped {
            report(Event::Notice { text: agents::stopped_by(reason) });
            running.kill();
            break;
        }
        if stream.ended.is_some() {
            break;
        }
    }
    let text = match stream.ended.take() {
        Some(Ended::Said(text)) => text,
        Some(Ended::Stopped(reason)) => {
            stopped = Some(reason);
            stream.text.clone()
        }
        Some(Ended::Failed(reason)) => return Err(failed(&reason)),
        None if stopped.is_some() => String::new(),
        None => return Err(failed(&running.complaint())),
    };
    let reply = checked_reply(agent, library, question, &text, stream, stopped)?;
    report(Event::Text { text: reply.answer.to_text() });
    Ok(reply)
}

/// What it said, taken apart and checked.
fn checked_reply(
    agent: &Agent<'_>,
    library: &Library,
    question: &str,
    text: &str,
    stream: Stream,
    stopped: Option<String>,
) -> Result<Reply, AgentError> {
    let mut checked = Vec::new();
    for draft in statements(text).iter().filter(|draft| !draft.places.is_empty()) {
        checked.push(check(agent.client, library, draft)?);
    }
    if stream.calls == 0 {
        checked = unread(checked);
    }
    let (outcome, message) = match (checked.is_empty(), text.trim().is_empty()) {
        (false, _) => (Outcome::Answered, None),
        (true, true) => {
            let language = answer_language(question);
            match &stopped {
                Some(reason) => {
                    (Outcome::Stopped, Some(format!("{reason}。{}", language.say(answers::STOPPED))))
                }
                None => (Outcome::Unfit, Some(language.say(answers::UNFIT).to_owned())),
            }
        }
        (true, false) => {
            let (outcome, message) = refusal(question, text, stream.calls > 0);
            (outcome, Some(message))
        }
    };
    let (answer, removed) = settled(question, outcome, message, checked);
    Ok(Reply {
        answer,
        agent: agent.kind,
        model: stream.model,
        removed,
        turns: stream.turns,
        tool_calls: stream.calls,
        usage: stream.usage,
        cost: stream.cost,
        stopped,
    })
}

/// Which budget is spent.
fn spent(agent: &Agent<'_>, stream: &Stream) -> Option<String> {
    let budgets = &agent.options.budgets;
    if stream.calls > budgets.tool_calls {
        return Some(agents::calls_spent(budgets.tool_calls));
    }
    (stream.usage.total() > budgets.tokens).then(|| agents::tokens_spent(budgets.tokens))
}

/// The command, with role and server in files of a folder that is the user's own.
fn command(agent: &Agent<'_>, program: &Program, library: &Library, folder: &Path) -> io::Result<Command> {
    let (servers, role) = (folder.join("servers.json"), folder.join("role.md"));
    write_private(&servers, &format!("{{\"mcpServers\":{{\"{SERVER}\":{}}}}}", program.server.reveal()))?;
    fs::write(&role, role_of_program(library))?;
    let tools: Vec<String> =
        agent.tools.iter().map(|tool| format!("{}{}", stream::PREFIX, tool.name)).collect();
    let mut command = Command::new(&program.command);
    command.args(["--print", "--verbose", "--output-format", "stream-json", "--no-session-persistence"]);
    // Only our server and its tools: none of its own, none of the machine's.
    command.args(["--strict-mcp-config", "--setting-sources=", "--tools", ""]);
    command.arg("--mcp-config").arg(&servers);
    command.arg("--allowedTools").arg(tools.join(","));
    command.arg("--system-prompt-file").arg(&role);
    command.arg("--max-turns").arg(agent.options.budgets.turns.to_string());
    if let Some(model) = &program.model {
        command.args(["--model", model]);
    }
    // An empty folder: notes for programmers that lie about here are none of its business.
    let work = folder.join("work");
    fs::create_dir(&work)?;
    command.current_dir(work);
    Ok(command)
}

fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

/// The question, with the conversation before it and what was read on the way.
fn opening(agent: &Agent<'_>, question: &str, conversation: &Conversation) -> String {
    let mut text = String::new();
    if !conversation.history.is_empty() {
        text.push_str("（此前的对话）\n");
        for turn in &conversation.history {
            text.push_str(&format!("{}: {}\n", if turn.from_user { "用户" } else { "助理" }, turn.text));
        }
        text.push('\n');
    }
    if !conversation.memory.chunks.is_empty() {
        let read: Vec<String> = conversation
            .memory
            .chunks
            .iter()
            .map(|chunk| format!("{}\n{}", chunk.source, chunk.text))
            .collect();
        text.push_str(&format!("（先前读到的内容）\n{}\n\n", fence("working_memory", &read.join("\n\n"))));
    }
    if !agent.options.regulations.is_empty() {
        text.push_str(&format!("（只查阅规程 {}）\n", agent.options.regulations.join("、")));
    }
    text.push_str(question);
    text
}

fn failed(reason: &str) -> AgentError {
    AgentError::Program(ProgramError::Failed(reason.trim().to_owned()))
}

/// The program under way. It ends with this value.
struct Running {
    child: Child,
    lines: Receiver<String>,
    complaint: Option<thread::JoinHandle<String>>,
    heard: Instant,
}

impl Running {
    fn start(program: &Program, mut command: Command, question: &str) -> Result<Self, AgentError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                AgentError::Program(ProgramError::NotInstalled(program.command.display().to_string()))
            }
            _ => failed(&format!("{}: {error}", program.command.display())),
        })?;
        // The question is small enough for the pipe; a program that does not read it fails on its own.
        if let Some(mut input) = child.stdin.take() {
            let question = question.to_owned();
            thread::spawn(move || {
                let _ = input.write_all(question.as_bytes());
            });
        }
        let (send, lines) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                let mut output = BufReader::new(output);
                loop {
                    let mut line = Vec::new();
                    match output.by_ref().take(MAX_LINE).read_until(b'\n', &mut line) {
                        Ok(1..) if send.send(String::from_utf8_lossy(&line).into_owned()).is_ok() => {}
                        _ => return,
                    }
                }
            });
        }
        let complaint = child.stderr.take().map(|mut errors| {
            thread::spawn(move || {
                let mut kept = String::new();
                let _ = errors.by_ref().take(MAX_COMPLAINT).read_to_string(&mut kept);
                // The rest is read too: a full pipe would hold the program up.
                let _ = io::copy(&mut errors, &mut io::sink());
                kept
            })
        });
        Ok(Self { child, lines, complaint, heard: Instant::now() })
    }

    /// The next line; none when it has ended.
    fn next(&mut self, agent: &Agent<'_>, program: &Program) -> Result<Option<String>, AgentError> {
        loop {
            if agent.cancel.is_cancelled() {
                self.kill();
                return Err(AgentError::Interrupted);
            }
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => {
                    self.heard = Instant::now();
                    return Ok(Some(line));
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if self.heard.elapsed() > program.silence => {
                    self.kill();
                    return Err(failed(&agents::program_silent(program.silence.as_secs())));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
    }

    /// Why it ended without a result, in its own words where it has any.
    fn complaint(&mut self) -> String {
        self.kill();
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let said = self.complaint.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let last: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).rev().take(3).collect();
        if last.is_empty() { status } else { last.into_iter().rev().collect::<Vec<_>>().join(" ") }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
    }
}
