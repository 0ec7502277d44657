//! `chat`: a conversation, kept on disk as it goes.
//!
//! On a terminal the line is edited with history; otherwise questions are read line by line. Every event is appended to
//! the session before the next happens, so a kill loses nothing that was finished. Ctrl-C ends the turn.

mod slash;
mod view;

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

use reedline::{DefaultPrompt, DefaultPromptSegment, FileBackedHistory, Reedline, Signal};
use regreader_agent::{AgentError, Conversation, DatedTools, Event, Record, Reply, Session as Kept};
use regreader_messages::cli;
use serde_json::Value;

use super::Session;
use super::reach::Tools;
use super::sessions::kept;
use crate::assistant::Assistant;
use crate::cli::agents::{AgentArgs, ChatArgs};
use slash::Next;
use view::View;

/// Lines of input history.
const HISTORY: usize = 1_000;

/// Runs `chat`.
pub fn run(session: &Session, args: &ChatArgs) -> anyhow::Result<ExitCode> {
    let mut assistant = Assistant::new(&session.settings, &session.layers, &args.agent)?;
    assistant.busy.store(false, Ordering::SeqCst);
    assistant.end_on_interrupt();
    let tools = session.tools()?;
    assistant.limit_to(tools.reg_ids(&args.agent.reg_id)?);
    let sessions = kept(session);
    let kept = match &args.resume {
        Some(id) => sessions.open(id)?,
        None => sessions.begin()?,
    };
    let mut chat = Chat {
        session,
        args: args.agent.clone(),
        as_of: args.day.as_of.clone(),
        assistant,
        tools,
        conversation: kept.conversation(),
        last: last_reply(&kept),
        kept,
    };
    if !session.quiet {
        let model = chat
            .assistant
            .model
            .as_ref()
            .map_or(String::new(), |model| format!(" · {}", regreader_llm::ChatModel::name(model)));
        eprintln!("{}", cli::chat_begins(&chat.kept.id, format!("{}{model}", chat.assistant.kind)));
    }
    if let Some((question, agent, checkpoint)) = chat.kept.unfinished() {
        eprintln!("{}", cli::chat_resumes(&question));
        let checkpoint = checkpoint.filter(|_| agent == chat.assistant.kind);
        chat.turn(&question, &Turn::Resumed(checkpoint))?;
    }
    let mut input = Input::new(session)?;
    while let Some(line) = input.next()? {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if let Some(command) = line.strip_prefix('/') {
            match slash::run(&mut chat, command) {
                Ok(Next::Go) => {}
                Ok(Next::Leave) => break,
                // A command that fails is no reason to end the conversation.
                Err(error) => eprintln!("error: {error:#}"),
            }
            continue;
        }
        chat.turn(line, &Turn::New)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A conversation under way.
pub struct Chat<'a> {
    session: &'a Session,
    args: AgentArgs,
    /// Day whose editions answer; today without one.
    as_of: Option<String>,
    assistant: Assistant,
    tools: Tools,
    conversation: Conversation,
    last: Option<Reply>,
    kept: Kept,
}

/// How a turn begins.
enum Turn {
    /// With a new question.
    New,
    /// With a question that was asked before, from its last checkpoint.
    Resumed(Option<Value>),
}

impl Chat<'_> {
    /// Asks one question, or goes on with one that was asked before.
    fn turn(&mut self, question: &str, turn: &Turn) -> anyhow::Result<()> {
        self.assistant.cancel.reset();
        self.assistant.busy.store(true, Ordering::SeqCst);
        let kept = &mut self.kept;
        if matches!(turn, Turn::New) {
            kept.ask(question, self.assistant.kind)?;
        }
        let mut view = View::new(&self.session.output);
        let mut report = |event: Event| {
            view.show(&event);
            // A full disk must not end the conversation; what is not kept is said.
            if let Err(error) = kept.append(Record::Event { event }) {
                eprintln!("warning: {error}");
            }
        };
        let dated = DatedTools::new(&self.tools, self.as_of.clone());
        let agent = self.assistant.agent(&dated);
        let result = match turn {
            Turn::Resumed(checkpoint) => {
                agent.resume(question, checkpoint.as_ref(), &mut self.conversation, &mut report)
            }
            Turn::New => agent.ask(question, &mut self.conversation, &mut report),
        };
        view.finish();
        self.assistant.busy.store(false, Ordering::SeqCst);
        match result {
            Ok(reply) => {
                self.kept.answer(&reply, &self.conversation.memory)?;
                self.session.record_question(reply.agent, question, &reply.answer)?;
                for removed in &reply.removed {
                    eprintln!("note: {}", cli::struck(&removed.reason, &removed.text));
                }
                if reply.model.is_some() && !self.session.quiet {
                    eprintln!("{}", self.session.output.dim(&super::ask::spent(&reply)));
                }
                self.last = Some(reply);
            }
            Err(error) => {
                self.kept.append(Record::Failed { reason: error.to_string() })?;
                match error {
                    AgentError::Interrupted => eprintln!("{}", cli::INTERRUPTED),
                    other => {
                        crate::failure::report(&other.into());
                    }
                }
            }
        }
        Ok(())
    }
}

fn last_reply(kept: &Kept) -> Option<Reply> {
    kept.records().iter().rev().find_map(|record| match record {
        Record::Answer { reply, .. } => Some((**reply).clone()),
        _ => None,
    })
}

/// Where questions come from.
enum Input {
    Terminal { editor: Box<Reedline>, prompt: DefaultPrompt },
    Lines(std::io::Lines<std::io::StdinLock<'static>>),
}

impl Input {
    fn new(session: &Session) -> anyhow::Result<Self> {
        if !std::io::stdin().is_terminal() {
            return Ok(Self::Lines(std::io::stdin().lock().lines()));
        }
        let file = session.settings.data_dir.join("sessions").join("history.txt");
        let history = FileBackedHistory::with_file(HISTORY, file)?;
        let prompt = DefaultPrompt::new(DefaultPromptSegment::Empty, DefaultPromptSegment::Empty);
        Ok(Self::Terminal { editor: Box::new(Reedline::create().with_history(Box::new(history))), prompt })
    }

    /// The next line; none at the end.
    fn next(&mut self) -> anyhow::Result<Option<String>> {
        match self {
            Self::Lines(lines) => Ok(lines.next().transpose()?),
            Self::Terminal { editor, prompt } => loop {
                match editor.read_line(prompt)? {
                    Signal::Success(line) => return Ok(Some(line)),
                    Signal::CtrlD => return Ok(None),
                    // An empty prompt is there again.
                    _ => {}
                }
            },
        }
    }
}
