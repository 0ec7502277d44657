//! What can go wrong while measuring.

use std::path::PathBuf;

use regreader_agent::ToolFailure;
use regreader_search::IndexError;

/// What can go wrong while measuring.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// File concerned.
        path: PathBuf,
        /// The system's own error.
        source: std::io::Error,
    },
    /// A line is not of the expected form.
    #[error("{}, line {line}: {problem}", path.display())]
    Line {
        /// Of which file.
        path: PathBuf,
        /// Which, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// There is nothing to measure.
    #[error("{}: no questions", path.display())]
    NoQuestions {
        /// Of which file.
        path: PathBuf,
    },
    /// A saved report cannot be used.
    #[error("{}: not a report of `regreader eval`: {problem}", path.display())]
    Baseline {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A name that no regulation can have.
    #[error("`{0}` cannot be the name of a regulation")]
    Name(String),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The tools failed.
    #[error("{0}")]
    Tools(String),
}

impl From<ToolFailure> for EvalError {
    fn from(failure: ToolFailure) -> Self {
        Self::Tools(failure.message)
    }
}
