//! The agents: a question in, an answer with checked citations out.
//!
//! An agent reaches the documents only by calling tools through a [`ToolClient`]; it never sees the store or the index.
//! While it works it reports [`Event`]s; what it returns is a [`Reply`]: an [`Answer`] of statements, each with its
//! citation and how well one passage of that place proves it, and what was taken out because nothing does.
//!
//! | agent | how it reasons |
//! |---|---|
//! | [`offline`] | no language model: follows the reading protocol itself and answers by quoting |
//! | `claude` | a model with the tools and the protocol as its role; free text, taken apart into statements. By way of the Messages API, or of the `claude` program with our MCP server |
//! | `typed` | the same, but the answer is a value that must fit a schema |
//! | `graph` | a state graph (route, locate, read, trace, answer, verify) with a checkpoint after every node |
//!
//! [`Agent::ask`] runs any of them. [`Sessions`] keeps conversations on disk. [`enrich`] describes a regulation for the
//! library list. This crate knows no terminal, no store and no index.
//!
//! Every agent ends the same way, whoever wrote the draft: each statement goes to `verify_citation`, and what no passage of
//! the cited page carries is taken out. So a model may be wrong, but a wrong sentence does not arrive with a page number.
//!
//! ```
//! use regreader_agent::offline::{OfflineOptions, answer};
//! use regreader_agent::{Outcome, ToolClient, ToolFailure};
//! use serde_json::{Value, json};
//!
//! /// A library without regulations, wherever it runs.
//! struct Empty;
//!
//! impl ToolClient for Empty {
//!     fn call_json(&self, tool: &str, _: Value) -> Result<Value, ToolFailure> {
//!         assert_eq!(tool, "list_regulations");
//!         Ok(json!({ "regulations": [], "as_of": "2026-01-01", "truncated": false }))
//!     }
//! }
//!
//! let reply = answer(&Empty, "110kV 母线失压怎么处理？", &OfflineOptions::default(), &mut |_| {}).unwrap();
//! assert_eq!(reply.outcome, Outcome::EmptyLibrary);
//! assert_eq!(reply.to_text().trim(), "规程库中没有任何规程，无从查起。");
//! ```

mod agent;
mod answer;
mod check;
mod citation;
mod client;
mod dialogue;
mod draft;
mod editions;
pub mod enrich;
mod event;
mod free;
mod graph;
mod library;
mod memory;
pub mod offline;
mod program;
pub mod prompt;
mod session;
mod structured;
mod typed;

/// Word lists of this crate.
const WORDS: &str = include_str!("words.txt");

pub use agent::{Agent, AgentError, AgentKind, AgentOptions, Budgets, Removed, Reply};
pub use answer::{Answer, Operand, Outcome, RelatedPassage, Statement, StatementProof};
pub use client::DatedTools;
pub use event::Event;
pub use memory::{Chunk, Conversation, Memory, Turn};
pub use program::{Program, ProgramError};
pub use regreader_tools::{CheckLevel as Level, ToolClient, ToolFailure};
pub use session::{Record, Session, SessionError, SessionInfo, Sessions};
