//! Question sets, metrics and reports.
//!
//! A question names what answers it: pages, tables and clauses of a library ([`Question`]), or articles of a collection
//! of statutes ([`ArticleQuestion`]). Both are read from JSON lines in the forms that [`questions`] knows. [`library`]
//! and [`articles`] put them to the index, [`answers`] to an agent, [`editions`] to the tools on editions; what comes back is judged by [`Judged`], summed up
//! in [`Scores`] and written as a [`Report`] that can be kept and compared with a later one.
//!
//! This crate measures what the index and the agents give and must not change it. It reads no document and opens no
//! library: whoever calls it brings them.

pub mod answers;
pub mod articles;
pub mod editions;
mod error;
mod floor;
pub mod library;
mod metrics;
pub mod questions;
mod report;

pub use answers::{AnswerScores, Tally, Verdict};
pub use editions::{EditionQuestion, EditionScores};
pub use error::EvalError;
pub use floor::PageFloor;
pub use metrics::{Judged, Scores};
pub use questions::{ArticleQuestion, Need, Question};
pub use report::{ClauseScores, Legs, Regression, Report};
