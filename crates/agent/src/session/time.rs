//! The clock of the sessions.

use std::time::{SystemTime, UNIX_EPOCH};

use regreader_model::rfc3339;

/// Now, as RFC 3339 in UTC.
pub fn now() -> String {
    rfc3339(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}
