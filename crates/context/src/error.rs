//! The one error type of the crate. Anything about a single document is a warning, never an error.

use std::path::PathBuf;

/// Why a search, a lint or a manifest update could not be done at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// The project folder, or its context folder, cannot be listed.
    #[error("cannot read {}: {source}", path.display())]
    RootUnreadable {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No keyword was given, or only blank ones.
    #[error("no keyword given")]
    NoKeywords,
    /// More keywords, or a longer one, than a search takes.
    #[error(
        "too many keywords, or a keyword too long: at most {max_count} of at most {max_chars} characters"
    )]
    KeywordsTooLarge {
        /// How many keywords a search takes.
        max_count: usize,
        /// How many characters a keyword may have.
        max_chars: usize,
    },
    /// The manifest is there but is not a JSON object; it is left as it is.
    #[error("{} is not a context manifest: {reason}", path.display())]
    ManifestInvalid {
        /// The manifest file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The manifest could not be read or written.
    #[error("cannot update {}: {source}", path.display())]
    ManifestIo {
        /// The manifest file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
