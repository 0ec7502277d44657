//! The time of day as text: the one clock of the program. Nothing that is hashed ever asks it.

use std::time::{SystemTime, UNIX_EPOCH};

use regreader_model::rfc3339;

/// Now, as RFC 3339 in UTC to the second.
pub fn now() -> String {
    rfc3339(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
}
