//! How a tool says no.

use regreader_messages::tools;
use regreader_model::{DomainError, hide_passwords};
use regreader_search::IndexError;
use regreader_store::StoreError;
use serde::{Deserialize, Serialize};

use crate::toolbox::shorten;

/// Longer messages tell nothing more.
const MAX_MESSAGE_CHARS: usize = 1_000;

/// A tool that could not do what was asked. Over MCP it is a tool error with a next-step hint, never a result that looks
/// like success.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// What was asked for is not there, or the arguments make no sense.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The library could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The index could not be used.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The indexes cannot be opened.
    #[error("{message}")]
    Unavailable {
        /// What is wrong, for a person.
        message: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// No tool has this name.
    #[error("{}", tools::no_tool(name))]
    UnknownTool {
        /// What was asked for.
        name: String,
    },
    /// A result that is longer than any caller can use.
    #[error("{}", tools::too_long(bytes / 1000))]
    ResultTooLarge {
        /// How long it would have been.
        bytes: usize,
    },
    /// Arguments that do not fit the schema.
    #[error("{}", tools::bad_arguments(reason))]
    InvalidArguments {
        /// Cause, for a person.
        reason: String,
    },
}

/// A tool that said no, or could not be reached: the error as data, for everyone who calls from outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct ToolFailure {
    /// Stable name (`RegulationNotFoundError`).
    #[serde(rename = "error")]
    pub name: String,
    /// For a person.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl ToolFailure {
    /// Whether what was asked for is simply not there, as opposed to something being broken.
    pub fn is_not_found(&self) -> bool {
        self.name.ends_with("NotFoundError") || self.name == "ReferenceResolutionError"
    }
}

impl ToolError {
    /// Stable name, as in the earlier system.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Domain(error)
            | Self::Store(StoreError::Domain(error))
            | Self::Index(IndexError::Domain(error) | IndexError::Store(StoreError::Domain(error))) => {
                error.name()
            }
            Self::Store(_) | Self::Index(IndexError::Store(_)) => "StorageError",
            Self::Index(IndexError::Behind { .. }) => "IndexingError",
            Self::Index(_) | Self::Unavailable { .. } => "IndexError",
            Self::ResultTooLarge { .. } => "ResultTooLargeError",
            Self::UnknownTool { .. } => "UnknownToolError",
            Self::InvalidArguments { .. } => "InvalidArgumentError",
        }
    }

    /// What to do next.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Domain(error) => error.hint(),
            Self::Store(error) => error.hint(),
            Self::Index(error) => error.hint(),
            Self::Unavailable { hint, .. } => hint.clone(),
            Self::ResultTooLarge { .. } => Some(tools::NARROW.to_string()),
            Self::UnknownTool { .. } => Some(tools::SEE_TOOLS.to_string()),
            Self::InvalidArguments { .. } => Some(tools::SEE_ARGUMENTS.to_string()),
        }
    }

    /// What is wrong, for whoever is not on this machine: without the paths of its files.
    fn message(&self) -> String {
        match self {
            Self::Store(error) | Self::Index(IndexError::Store(error)) => error.without_path(),
            Self::Index(error) => error.without_path(),
            other => other.to_string(),
        }
    }

    /// The error as data.
    pub fn report(&self) -> ToolFailure {
        // What was asked for may be repeated in the message, and may be anything at all.
        let message = hide_passwords(&shorten(&self.message(), MAX_MESSAGE_CHARS));
        ToolFailure { name: self.name().to_owned(), message, hint: self.hint() }
    }
}
