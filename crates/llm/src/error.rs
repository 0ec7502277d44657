//! How a call fails.

use std::time::Duration;

use regreader_messages::errors;

/// A call that failed. No variant can hold a key: texts of the server are scrubbed before they get here.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LlmError {
    /// The caller ended it.
    #[error("{}", errors::STOPPED)]
    Cancelled,
    /// The server cannot be reached.
    #[error("{}", errors::connect_failed(reason))]
    Connect {
        /// What went wrong with the connection, as the transport reports it.
        reason: String,
    },
    /// The server said no.
    #[error("{}", errors::status(status, message))]
    Status {
        /// HTTP status.
        status: u16,
        /// What it said.
        message: String,
        /// When it wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// The stream broke off before the response was complete.
    #[error("{}", errors::response_cut(reason))]
    Cut {
        /// What broke the stream, for example that it ended before `message_stop`.
        reason: String,
    },
    /// Nothing came for too long.
    #[error("{}", errors::silent(.after.as_secs()))]
    Silent {
        /// How long.
        after: Duration,
    },
    /// A response that is none.
    #[error("{}", errors::bad_response(reason))]
    BadResponse {
        /// What is wrong with the response.
        reason: String,
    },
    /// The configuration cannot work.
    #[error("{}", errors::bad_model(reason))]
    Config {
        /// What is wrong with the configuration.
        reason: String,
    },
}

impl LlmError {
    /// Whether the same request may well succeed a little later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 408 | 409 | 425 | 429 | 500..=599),
            Self::Connect { .. } | Self::Cut { .. } | Self::Silent { .. } => true,
            Self::Cancelled | Self::BadResponse { .. } | Self::Config { .. } => false,
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Status { status: 401 | 403, .. } => errors::HINT_KEY,
            Self::Status { status: 404, .. } => errors::HINT_MODEL,
            Self::Status { status: 429, .. } => errors::HINT_LIMITED,
            Self::Status { status: 500.., .. } | Self::Cut { .. } | Self::Silent { .. } => {
                errors::HINT_UNAVAILABLE
            }
            Self::Connect { .. } => errors::HINT_CONNECT,
            _ => return None,
        };
        Some(hint.into())
    }
}
