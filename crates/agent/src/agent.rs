//! One face for all agents.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};

use regreader_llm::{Cancel, ChatModel, LlmError, ToolDefinition, Usage};
use regreader_messages::{agents, answers};
use regreader_question::Lexicon;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::answer_language;
use crate::check::cite;
use crate::library::Library;
use crate::offline::{self, OfflineOptions};
use crate::{
    Answer, Conversation, Event, Outcome, Program, ProgramError, ToolClient, ToolFailure, editions, free,
    graph, program, typed,
};

/// Which agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// No language model.
    Offline,
    /// A model with the tools; free text.
    Claude,
    /// The answer is a value that fits a schema.
    Typed,
    /// A state graph.
    Graph,
}

impl AgentKind {
    /// Every agent.
    pub const ALL: [Self; 4] = [Self::Offline, Self::Claude, Self::Typed, Self::Graph];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Offline => "offline",
            Self::Claude => "claude",
            Self::Typed => "typed",
            Self::Graph => "graph",
        }
    }
}

impl fmt::Display for AgentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AgentKind {
    type Err = String;

    /// Names, and the names of the frameworks whose part an agent plays.
    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "offline" => Ok(Self::Offline),
            "claude" => Ok(Self::Claude),
            "typed" | "pydantic" => Ok(Self::Typed),
            "graph" | "langgraph" => Ok(Self::Graph),
            _ => Err(format!(
                "no agent is called `{name}`: offline, claude, typed (pydantic), graph (langgraph)"
            )),
        }
    }
}

/// How far an agent may go for one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budgets {
    /// Calls of the model.
    pub turns: u32,
    /// Calls of tools.
    pub tool_calls: u32,
    /// Tokens in and out, over all turns.
    pub tokens: u64,
    /// Answers that do not fit the schema.
    pub retries: u32,
    /// Rounds of mending statements that do not stand.
    pub repairs: u32,
}

impl Default for Budgets {
    fn default() -> Self {
        Self { turns: 20, tool_calls: 40, tokens: 1_000_000, retries: 3, repairs: 1 }
    }
}

/// What to answer within.
#[derive(Debug, Clone)]
pub struct AgentOptions {
    /// Only these regulations; none lets the agent choose.
    pub regulations: Vec<String>,
    /// The offline agent offers as an answer what is at least this probable; none for the fitted threshold.
    pub threshold: Option<f64>,
    /// The offline agent quotes clauses whole instead of the passages that answer.
    pub full: bool,
    /// Weights of the offline agent instead of those of this build.
    pub weights: Option<offline::Weights>,
    /// The words that the offline agent reads questions with.
    pub lexicon: Lexicon,
    /// How far to go.
    pub budgets: Budgets,
    /// Tokens the model may think in one turn; 0 for none.
    pub thinking_tokens: u32,
    /// Tokens the model may write in one turn.
    pub max_output_tokens: u32,
    /// Tokens that fit into the model's context.
    pub context_tokens: u64,
    /// The `claude` program, when the agent `claude` is to drive it instead of calling a model itself.
    pub program: Option<Program>,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            regulations: Vec::new(),
            threshold: None,
            full: false,
            weights: None,
            lexicon: Lexicon::default(),
            budgets: Budgets::default(),
            thinking_tokens: 0,
            max_output_tokens: 4_096,
            context_tokens: 128_000,
            program: None,
        }
    }
}

/// An agent, ready to be asked.
pub struct Agent<'a> {
    /// Kind of agent that answers.
    pub kind: AgentKind,
    /// The way to the documents.
    pub client: &'a dyn ToolClient,
    /// The model; the offline agent needs none.
    pub model: Option<&'a dyn ChatModel>,
    /// The tools a model may call.
    pub tools: &'a [ToolDefinition],
    /// Ends a turn.
    pub cancel: Cancel,
    /// What to answer within.
    pub options: AgentOptions,
}

/// A statement that was taken out of the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    /// What it said.
    pub text: String,
    /// What it cited.
    pub citation: String,
    /// Why it does not stand.
    pub reason: String,
}

/// An answer, and how it came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
    /// The agent.
    pub agent: AgentKind,
    /// The model, when there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What was taken out because it does not stand where it says.
    #[serde(default)]
    pub removed: Vec<Removed>,
    /// Calls of the model.
    #[serde(default)]
    pub turns: u32,
    /// Calls of tools.
    #[serde(default)]
    pub tool_calls: u32,
    /// Tokens that were used.
    #[serde(default)]
    pub usage: Usage,
    /// What it cost, where prices are set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Which budget ended the work, when one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// Why there is no answer at all.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The tools are broken.
    #[error(transparent)]
    Tool(#[from] ToolFailure),
    /// The model cannot be used.
    #[error(transparent)]
    Model(LlmError),
    /// The person ended the turn.
    #[error("{}", agents::STOPPED)]
    Interrupted,
    /// The `claude` program cannot be used.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The agent needs a model and has none.
    #[error("{}", agents::no_model(.0))]
    NoModel(AgentKind),
}

impl From<LlmError> for AgentError {
    fn from(error: LlmError) -> Self {
        match error {
            LlmError::Cancelled => Self::Interrupted,
            other => Self::Model(other),
        }
    }
}

/// Counts the calls that go through it.
struct Counted<'a> {
    client: &'a dyn ToolClient,
    calls: AtomicU32,
}

impl ToolClient for Counted<'_> {
    fn call_json(&self, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.client.call_json(tool, arguments)
    }
}

impl Agent<'_> {
    /// Answers a question within a conversation, which remembers it.
    pub fn ask(
        &self,
        question: &str,
        conversation: &mut Conversation,
        report: &mut dyn FnMut(Event),
    ) -> Result<Reply, AgentError> {
        self.resume(question, None, conversation, report)
    }

    /// Goes on with a question that was interrupted, from a checkpoint when there is one.
    pub fn resume(
        &self,
        question: &str,
        checkpoint: Option<&Value>,
        conversation: &mut Conversation,
        report: &mut dyn FnMut(Event),
    ) -> Result<Reply, AgentError> {
        if self.cancel.is_cancelled() {
            return Err(AgentError::Interrupted);
        }
        let program = self.options.program.as_ref().filter(|_| self.kind == AgentKind::Claude);
        let mut reply = match (self.kind, self.model, program) {
            (AgentKind::Offline, ..) => self.offline(question, conversation, report)?,
            (_, _, Some(program)) => {
                let library = Library::load(self.client, &self.options.regulations)?;
                if library.entries.is_empty() {
                    return Ok(self.empty_library(question, report));
                }
                program::run(self, program, &library, question, conversation, report)?
            }
            (kind, None, None) => return Err(AgentError::NoModel(kind)),
            (kind, Some(model), None) => {
                let library = Library::load(self.client, &self.options.regulations)?;
                if library.entries.is_empty() {
                    return Ok(self.empty_library(question, report));
                }
                match kind {
                    AgentKind::Claude => free::run(self, model, &library, question, conversation, report)?,
                    AgentKind::Graph => {
                        graph::run(self, model, &library, question, checkpoint, conversation, report)?
                    }
                    _ => typed::run(self, model, &library, question, conversation, report)?,
                }
            }
        };
        editions::say_first(self.client, &mut reply.answer)?;
        if self.kind != AgentKind::Claude {
            report(Event::Text { text: reply.answer.to_text() });
        }
        for statement in reply.answer.statements() {
            cite(report, statement);
        }
        report(Event::Done { outcome: reply.answer.outcome });
        conversation.say(true, question);
        conversation.say(false, reply.answer.to_text());
        Ok(reply)
    }

    fn offline(
        &self,
        question: &str,
        conversation: &Conversation,
        report: &mut dyn FnMut(Event),
    ) -> Result<Reply, AgentError> {
        let options = OfflineOptions {
            regulations: self.options.regulations.clone(),
            threshold: self.options.threshold,
            full: self.options.full,
            weights: self.options.weights.clone(),
            lexicon: self.options.lexicon.clone(),
        };
        let earlier =
            conversation.history.iter().filter(|turn| turn.from_user).map(|turn| turn.text.as_str());
        let counted = Counted { client: self.client, calls: AtomicU32::new(0) };
        let answer = offline::answer_next(&counted, earlier, question, &options, report)?;
        let tool_calls = counted.calls.into_inner();
        Ok(Reply { tool_calls, ..self.reply_without_model(answer) })
    }

    /// No model is asked about a library that holds nothing.
    fn empty_library(&self, question: &str, report: &mut dyn FnMut(Event)) -> Reply {
        let message = answer_language(question).say(answers::EMPTY_LIBRARY);
        let reply = self.reply_without_model(Answer::refusal(question, Outcome::EmptyLibrary, message));
        report(Event::Text { text: reply.answer.to_text() });
        report(Event::Done { outcome: reply.answer.outcome });
        reply
    }

    fn reply_without_model(&self, answer: Answer) -> Reply {
        Reply {
            answer,
            agent: self.kind,
            model: None,
            removed: Vec::new(),
            turns: 0,
            tool_calls: 0,
            usage: Usage::default(),
            cost: None,
            stopped: None,
        }
    }
}
