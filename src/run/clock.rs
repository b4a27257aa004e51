//! The clock: the only file that reads it.

use std::time::Instant;

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};

/// Now, for measuring and for deadlines.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the monotonic clock"
)]
pub fn now_monotonic() -> Instant {
    Instant::now()
}

/// Today in UTC.
#[must_use]
pub fn today() -> NaiveDate {
    now().date_naive()
}

/// Now as RFC 3339 in UTC, to the second, with `Z`.
#[must_use]
pub fn timestamp() -> String {
    now().to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the wall clock"
)]
fn now() -> DateTime<Utc> {
    Utc::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_utc_to_the_second() {
        let text = timestamp();
        assert_eq!(text.len(), "2026-01-31T12:34:56Z".len());
        assert!(text.ends_with('Z'));
        assert!(DateTime::parse_from_rfc3339(&text).is_ok());
    }
}
