//! Arguments of the commands that ask an agent.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

/// The day that decides which editions are in force.
#[derive(Debug, Args)]
pub struct DayArgs {
    /// Day for which editions count as in force; today when not given.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub as_of: Option<String>,
}

/// What every command that asks an agent takes.
#[derive(Debug, Clone, Args)]
pub struct AgentArgs {
    /// Only these regulations; chosen by the question when not given.
    #[arg(long = "reg-id", short = 'r', value_name = "REG_ID")]
    pub reg_id: Vec<String>,
    /// Which agent answers: offline, claude, typed (pydantic), graph (langgraph).
    #[arg(long, short, value_name = "AGENT")]
    pub agent: Option<String>,
    /// Language model.
    #[arg(long, short, value_name = "MODEL")]
    pub model: Option<String>,
}

/// `ask`
#[derive(Debug, Args)]
pub struct AskArgs {
    /// The question; read from standard input when it is `-` or missing.
    pub question: Option<String>,
    /// File that holds the question.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "question")]
    pub file: Option<PathBuf>,
    /// How it is answered.
    #[command(flatten)]
    pub agent: AgentArgs,
    /// Quote the clauses that answer whole, instead of the passages in them that do.
    #[arg(long)]
    pub full: bool,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
    /// Print each step as a line of JSON, the answer last.
    #[arg(long)]
    pub jsonl: bool,
}

/// `chat`
#[derive(Debug, Args)]
pub struct ChatArgs {
    /// How it is answered.
    #[command(flatten)]
    pub agent: AgentArgs,
    /// Go on with an earlier conversation; the last one when no name is given.
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "last")]
    pub resume: Option<String>,
    /// Editions in force on which day.
    #[command(flatten)]
    pub day: DayArgs,
}

/// `sessions`
#[derive(Debug, Args)]
pub struct SessionsArgs {
    /// What to do with them.
    #[command(subcommand)]
    pub command: SessionsCommand,
}

/// What to do with conversations. `last` names the newest.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List them
    List,
    /// Show one
    Show {
        /// Id of the conversation, or `last` for the newest.
        session: String,
    },
    /// Write one to a Markdown file, with its citations
    Export {
        /// Id of the conversation, or `last` for the newest.
        session: String,
        /// File to write.
        #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: PathBuf,
    },
    /// Delete one
    Delete {
        /// Id of the conversation, or `last` for the newest.
        session: String,
    },
}

/// `enrich-metadata`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct EnrichArgs {
    /// Regulations; all when none is named.
    #[arg(value_name = "REG_ID")]
    pub reg_id: Vec<String>,
    /// All regulations.
    #[arg(long, short, conflicts_with = "reg_id")]
    pub all: bool,
    /// Also replace what is there already.
    #[arg(long)]
    pub force: bool,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Derive it from the document also when a language model is set.
    #[arg(long)]
    pub no_llm: bool,
}
