//! Moments as text. Pure: whoever has a clock brings the seconds.

use time::UtcDateTime;

use crate::CivilDate;

/// Seconds since 1970 as RFC 3339 in UTC: `2026-11-15T08:30:00Z`.
///
/// ```
/// assert_eq!(regreader_model::rfc3339(951_782_400), "2000-02-29T00:00:00Z");
/// ```
pub fn rfc3339(seconds: u64) -> String {
    let moment =
        i64::try_from(seconds).ok().and_then(|seconds| UtcDateTime::from_unix_timestamp(seconds).ok());
    let moment = moment.unwrap_or(UtcDateTime::UNIX_EPOCH);
    let ((hour, minute, second), date) = (moment.as_hms(), moment.date());
    format!("{}T{hour:02}:{minute:02}:{second:02}Z", CivilDate::from(date))
}

#[cfg(test)]
mod tests {
    use super::rfc3339;

    #[test]
    fn dates_agree_with_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_704_067_199, "2023-12-31T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (1_735_689_600, "2025-01-01T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(seconds), text);
        }
    }
}
