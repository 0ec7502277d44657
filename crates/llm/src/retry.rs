//! When to try again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::{LlmConfig, LlmError};

/// The pause before the next try, or none when it is no use.
pub fn pause(config: &LlmConfig, error: &LlmError, tried: u32) -> Option<Duration> {
    if !error.is_transient() || tried >= config.attempts {
        return None;
    }
    if let LlmError::Status { retry_after: Some(asked), .. } = error {
        // A server that wants an hour is not waited for; the error says how long it wanted.
        return (*asked <= config.max_pause).then_some(*asked);
    }
    let doubled = config.backoff.saturating_mul(1 << (tried - 1).min(16));
    // A spread of a quarter, so that many clients do not come back at the same moment.
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.subsec_nanos());
    let spread = doubled.mul_f64(f64::from(nanos % 1_000) / 4_000.0);
    Some((doubled + spread).min(config.max_pause))
}

/// What a `retry-after` header asks for: milliseconds in `retry-after-ms`, else seconds.
pub fn retry_after(headers: &[(String, String)]) -> Option<Duration> {
    let number = |name: &str| {
        let (_, value) = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        value.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0 && *n < 1e9)
    };
    number("retry-after-ms")
        .map(|ms| Duration::from_secs_f64(ms / 1e3))
        .or_else(|| number("retry-after").map(Duration::from_secs_f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, retry_after: Option<u64>) -> LlmError {
        LlmError::Status { status, message: String::new(), retry_after: retry_after.map(Duration::from_secs) }
    }

    #[test]
    fn only_what_may_pass_is_tried_again_and_not_for_ever() {
        let config = LlmConfig::new("m", "http://h");
        assert_eq!(pause(&config, &refused(400, None), 1), None);
        assert_eq!(pause(&config, &refused(401, None), 1), None);
        assert_eq!(pause(&config, &refused(429, Some(7)), 1), Some(Duration::from_secs(7)));
        assert_eq!(pause(&config, &refused(429, Some(3_600)), 1), None, "an hour is not waited");
        assert_eq!(pause(&config, &refused(529, None), config.attempts), None);
        let first = pause(&config, &refused(529, None), 1).unwrap();
        let third = pause(&config, &refused(529, None), 3).unwrap();
        assert!(first >= config.backoff && third >= config.backoff * 4 && third <= config.max_pause);
    }

    #[test]
    fn the_header_is_read_in_both_forms() {
        let header = |name: &str, value: &str| vec![(name.to_owned(), value.to_owned())];
        assert_eq!(retry_after(&header("Retry-After", "2")), Some(Duration::from_secs(2)));
        assert_eq!(retry_after(&header("retry-after-ms", "250")), Some(Duration::from_millis(250)));
        assert_eq!(retry_after(&header("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")), None);
        assert_eq!(retry_after(&header("retry-after", "-1")), None);
    }
}
