//! Question sets, metrics and reports.
//!
//! A question names what answers it: pages, tables and clauses of a library ([`Question`]), or articles of a collection
//! of statutes ([`ArticleQuestion`]). Both are read from JSON lines in the forms that [`questions`] knows. [`library`]
//! and [`articles`] put them to the index, [`answers`] to an agent, [`editions`] to the tools on editions; what comes back is
//! judged by [`Judged`], summed up in [`Scores`] and written as a [`Report`] that can be kept and compared with a later one.
//!
//! This crate measures what the index and the agents give and must not change it. It reads no document and opens no
//! library: whoever calls it brings them.
//!
//! ```
//! use regreader_eval::{Judged, Scores, questions};
//!
//! let line = r#"{"id": 1, "question": "母线失压怎么处理？", "reg_ids": ["angui_2024"], "pages": {"angui_2024": [23]}}"#;
//! let question = &questions::read_text("set.jsonl", line).unwrap()[0];
//! // What a search gave: the page that is needed stands second.
//! let ranking = [("angui_2024".parse().unwrap(), 7), ("angui_2024".parse().unwrap(), 23)];
//! let judged = Judged::new(&question.needs, &ranking, |need, (reg_id, page)| need.is_met_by(reg_id, *page));
//! let scores = Scores::of([&judged]);
//! assert_eq!((scores.recall_1, scores.recall_3), (0.0, 1.0));
//! ```

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
