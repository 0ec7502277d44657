//! The agents: a question in, an answer with checked citations out.
//!
//! An agent reaches the documents only by calling tools through a [`ToolClient`]; it never sees the store or the index.
//! While it works it reports [`Event`]s; what it returns is an [`Answer`]: statements, each with its citation and
//! whether the citation was verified against the page.
//!
//! [`offline`] needs no language model and no network. It follows the reading protocol itself (choose regulations,
//! locate, read, follow notes and references) and answers by quoting.
//!
//! This crate knows no terminal, no files and no index.

mod answer;
mod client;
mod event;
pub mod offline;

pub use answer::{Answer, Outcome, Statement};
pub use client::{ToolClient, ToolFailure};
pub use event::Event;
