//! What can go wrong with a library, said with the path it went wrong at.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use regreader_messages::errors;
use regreader_model::{DomainError, RegId};

use crate::bundle::BundleError;

/// An error of the library on disk. The text is for a person and names the path; [`StoreError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// What was asked for is not in the library.
    #[error(transparent)]
    Domain(#[from] DomainError),
    /// The system refused.
    #[error("{}", errors::io_failed(path.display(), source))]
    Io {
        /// File or folder that could not be read or written.
        path: PathBuf,
        /// Error that the operating system reported.
        source: io::Error,
    },
    /// A file is torn, altered or missing.
    #[error("{}", errors::corrupt(path.display(), reason))]
    Corrupt {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The regulation was replaced while it was being read, where the system offers no way to go on with the old
    /// edition. Begin again; [`crate::Library::read`] does so by itself.
    #[error("{}", errors::replaced(reg_id))]
    Replaced {
        /// Which regulation.
        reg_id: RegId,
    },
    /// Another process is writing.
    #[error("{}", errors::locked(holder_text(holder.as_ref()), path.display(), waited.as_secs()))]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// What the holder wrote about itself.
        holder: Option<String>,
        /// How long we waited.
        waited: Duration,
    },
    /// The folder cannot be written to.
    #[error("{}", errors::read_only(path.display()))]
    ReadOnly {
        /// File or folder to which access was refused.
        path: PathBuf,
    },
    /// The disk is full, or a quota is used up.
    #[error("{}", errors::no_space(path.display()))]
    NoSpace {
        /// File or folder that was being written.
        path: PathBuf,
    },
    /// What was given cannot be stored.
    #[error("{}", errors::refused(reg_id, reason))]
    Refused {
        /// Which regulation.
        reg_id: RegId,
        /// Why it cannot be stored, for a person.
        reason: String,
    },
    /// A bundle that is not one, or not whole, or hostile. Nothing of it was taken into the library.
    #[error("{}", errors::bad_bundle(.0))]
    Bundle(#[from] BundleError),
}

fn holder_text(holder: Option<&String>) -> String {
    holder.map(|who| format!(" ({who})")).unwrap_or_default()
}

impl StoreError {
    /// What to do next, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Domain(error) => return error.hint(),
            Self::Corrupt { .. } => errors::HINT_CORRUPT,
            Self::Replaced { .. } => errors::HINT_AGAIN,
            Self::Locked { .. } => errors::HINT_LOCKED,
            Self::ReadOnly { .. } => errors::HINT_READ_ONLY,
            Self::NoSpace { .. } => errors::HINT_NO_SPACE,
            Self::Bundle(_) => errors::HINT_BUNDLE,
            Self::Io { .. } | Self::Refused { .. } => return None,
        };
        Some(hint.into())
    }

    /// The same without the paths of this machine, for those who reach the library over a network. A damaged file is
    /// named by its place in the library.
    pub fn without_path(&self) -> String {
        let last = |path: &Path| {
            let parts: Vec<_> = path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect();
            parts.into_iter().rev().collect::<Vec<_>>().join("/")
        };
        match self {
            Self::Io { source, .. } => errors::io_failed_there(source.kind()),
            Self::Corrupt { path, reason } => errors::corrupt(last(path), reason),
            Self::Locked { waited, .. } => errors::locked_there(waited.as_secs()),
            Self::ReadOnly { .. } => errors::READ_ONLY.into(),
            Self::NoSpace { .. } => errors::NO_SPACE.into(),
            other => other.to_string(),
        }
    }

    /// An error met while reading.
    pub(crate) fn reading(path: impl AsRef<Path>, source: io::Error) -> Self {
        Self::Io { path: path.as_ref().to_owned(), source }
    }

    /// An error met while writing, told apart by what a person can do about it.
    pub(crate) fn writing(path: impl AsRef<Path>, source: io::Error) -> Self {
        let path = path.as_ref().to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoSpace { path },
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => Self::ReadOnly { path },
            _ => Self::Io { path, source },
        }
    }

    pub(crate) fn corrupt(path: impl AsRef<Path>, reason: impl Into<String>) -> Self {
        Self::Corrupt { path: path.as_ref().to_owned(), reason: reason.into() }
    }

    pub(crate) fn refused(reg_id: &RegId, reason: impl Into<String>) -> Self {
        Self::Refused { reg_id: reg_id.clone(), reason: reason.into() }
    }

    pub(crate) fn not_found(reg_id: &RegId) -> Self {
        Self::Domain(DomainError::RegulationNotFound { reg_id: reg_id.clone() })
    }
}
