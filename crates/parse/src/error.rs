//! Why a file could not be opened.

use std::fmt;

use regreader_messages::{Both, Language, Word, errors, interface};
use regreader_model::SourceFormat;

/// A file that cannot be read at all. Damage to a part of it is a diagnostic instead.
#[derive(Debug)]
pub enum ParseError {
    /// Zero bytes.
    Empty,
    /// Nothing we read.
    UnknownFormat,
    /// Damaged beyond reading.
    Malformed {
        /// What it looked like.
        format: SourceFormat,
        /// What is broken.
        reason: Both,
    },
    /// Locked, and the password is missing or wrong.
    Encrypted,
    /// Opened, but there is nothing inside.
    NoPages,
    /// A limit that protects the machine was passed.
    LimitExceeded {
        /// What was limited, for example pages or bytes; shown to a person.
        what: Word,
        /// The limit.
        limit: u64,
    },
}

impl ParseError {
    /// What is wrong, in a language: it may become a finding, which is stored in both.
    pub fn said(&self, language: Language) -> String {
        let word = match self {
            Self::Empty => errors::NO_BYTES,
            Self::UnknownFormat => errors::UNKNOWN_FORMAT,
            Self::Encrypted => errors::ENCRYPTED,
            Self::NoPages => errors::NO_PAGES_IN_FILE,
            Self::Malformed { format, reason } => {
                return errors::malformed(language, format.name(), reason.said(language));
            }
            Self::LimitExceeded { what, limit } => {
                return errors::over_limit(language, language.say(*what), limit);
            }
        };
        language.say(word).to_owned()
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said(interface()))
    }
}

impl std::error::Error for ParseError {}
