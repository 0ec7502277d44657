//! What can go wrong with an index.

use std::io;
use std::path::{Path, PathBuf};

use regreader_messages::errors;
use regreader_model::DomainError;
use regreader_store::StoreError;

/// An error of the index. The store is the truth, so most of these mend themselves by rebuilding.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// What was asked for is not in the library, or the question makes no sense.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The library could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refused.
    #[error("{}", errors::index_io(path.display(), source))]
    Io {
        /// File or folder concerned.
        path: PathBuf,
        /// The system's own error.
        source: io::Error,
    },
    /// An index that is torn or from another version.
    #[error("{}", errors::index_corrupt(path.display(), reason))]
    Corrupt {
        /// File or folder concerned.
        path: PathBuf,
        /// Cause, for a person.
        reason: String,
    },
    /// The index was built with another embedding.
    #[error("{}", errors::other_model(built_with, built_dimension, model, dimension))]
    ModelMismatch {
        /// Model of the index.
        built_with: String,
        /// Its dimension.
        built_dimension: usize,
        /// Model asked for.
        model: String,
        /// Its dimension.
        dimension: usize,
    },
    /// The embedding failed.
    #[error("{}", errors::embedding(.0))]
    Embedding(String),
    /// A backend that stands in a crate this program was built without.
    #[error("{}", errors::not_in_this_build(backend))]
    NotInThisBuild {
        /// Backend concerned.
        backend: &'static str,
    },
    /// The library has changed, and the indexes do not hold all of it yet.
    #[error("{}", errors::behind(count))]
    Behind {
        /// How many regulations are missing or of another edition.
        count: usize,
    },
    /// A backend's own error.
    #[error("{backend}: {message}")]
    Backend {
        /// Which backend.
        backend: &'static str,
        /// What it said.
        message: String,
    },
}

impl IndexError {
    /// The system refused something at this place.
    pub fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    /// An index that cannot be used, and why.
    pub fn corrupt(path: &Path, reason: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_owned(), reason: reason.into() }
    }

    pub(crate) fn unknown_choice(name: &'static str, value: &str, known: &[&str]) -> Self {
        let shown: String = value.chars().take(40).collect();
        let reason = errors::no_choice(format_args!("{shown:?}"), known.join(", "));
        DomainError::InvalidArgument { name, reason }.into()
    }

    /// A backend on a server, asked for without saying where the server is.
    pub(crate) fn needs_server(backend: &'static str) -> Self {
        Self::Backend { backend, message: errors::NO_SERVER.into() }
    }

    /// What a backend said of itself.
    pub fn backend(backend: &'static str, error: impl std::fmt::Display) -> Self {
        Self::Backend { backend, message: error.to_string() }
    }

    /// The same without the paths of this machine, for those who reach the library over a network.
    pub fn without_path(&self) -> String {
        match self {
            Self::Store(error) => error.without_path(),
            Self::Io { source, .. } => errors::index_io_there(source.kind()),
            Self::Corrupt { .. } => errors::INDEX_CORRUPT.into(),
            // What a library says about its files may name them.
            Self::Backend { backend, .. } if self.is_damage() => errors::index_unreadable(backend),
            other => other.to_string(),
        }
    }

    /// Whether building the index anew may mend this: it is torn, or a backend that keeps files failed on them.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Corrupt { .. } => true,
            Self::Backend { backend, .. } => matches!(*backend, "tantivy" | "fts5" | "bm25" | "flat"),
            _ => false,
        }
    }

    /// Whether the system refused because nothing can be written there.
    pub fn cannot_write(&self) -> bool {
        matches!(self, Self::Io { source, .. } if crate::storage::disk::cannot_write(source))
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Domain(error) => return error.hint(),
            Self::Store(error) => return error.hint(),
            Self::Corrupt { .. } | Self::ModelMismatch { .. } => errors::HINT_REINDEX,
            Self::Behind { .. } => errors::HINT_BEHIND,
            Self::Io { .. } if self.cannot_write() => errors::HINT_INDEX_DIR,
            Self::NotInThisBuild { .. } => errors::HINT_BUILD,
            Self::Backend { backend: "qdrant", .. } => errors::HINT_QDRANT,
            _ => return None,
        };
        Some(hint.into())
    }
}
