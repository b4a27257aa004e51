//! When a request is made again, and after how long. Pure: headers and counts in, a wait out.

use std::time::Duration;

use chrono::DateTime;
use http::HeaderMap;

/// The waits after answers of 5xx and after lost connections: 15 s in all a run.
const OUTAGE: [Duration; 4] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
];
/// The first wait after a limit that does not say for how long; each further one is doubled.
/// From GitHub's page on rate limits.
const MINUTE: Duration = Duration::from_secs(60);
/// The most that is waited for limits, in all a run.
const LIMITS: Duration = Duration::from_secs(300);

/// Why a request was not answered as wished.
#[derive(Clone, Copy, Debug)]
pub enum Fault<'a> {
    /// The connection could not be made or was lost.
    Transport,
    /// An answer with this status, these headers and this message.
    Answer(u16, &'a HeaderMap, &'a str),
}

/// What is left to wait in this run.
#[derive(Debug)]
pub struct Patience {
    outages: usize,
    limits: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            outages: 0,
            limits: LIMITS,
        }
    }
}

impl Patience {
    /// How long to wait before a request that met `fault` is made again, having been made again
    /// `limited` times for limits; `None` if it is not.
    pub fn wait(&mut self, fault: Fault<'_>, limited: u32) -> Option<Duration> {
        match fault {
            Fault::Transport | Fault::Answer(500 | 502..=504, ..) => {
                let wait = OUTAGE.get(self.outages).copied();
                self.outages += 1;
                wait
            }
            Fault::Answer(status, headers, message) if is_limit(status, headers, message) => {
                let wait = told(headers).unwrap_or(MINUTE * 2_u32.saturating_pow(limited));
                // One that cannot be waited for to its end is not waited for at all.
                self.limits = self.limits.checked_sub(wait)?;
                Some(wait)
            }
            Fault::Answer(..) => None,
        }
    }
}

/// Whether an answer is about how often we asked, and not about what we may.
#[must_use]
pub fn is_limit(status: u16, headers: &HeaderMap, message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let worded = message.contains("rate limit") || message.contains("abuse detection");
    let counted = headers.contains_key("retry-after") || remaining(headers) == Some(0);
    status == 429 || (status == 403 && (counted || worded))
}

fn remaining(headers: &HeaderMap) -> Option<u64> {
    number(headers, "x-ratelimit-remaining")
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

/// How long the answer says to wait: `retry-after`, else until the limit's reset by the clock of
/// the answer itself, so that a wrong clock of ours does no harm.
fn told(headers: &HeaderMap) -> Option<Duration> {
    if let Some(seconds) = number(headers, "retry-after") {
        return Some(Duration::from_secs(seconds.max(1)));
    }
    if remaining(headers)? != 0 {
        return None;
    }
    let reset = number(headers, "x-ratelimit-reset")?;
    let now = DateTime::parse_from_rfc2822(headers.get("date")?.to_str().ok()?).ok()?;
    let now = u64::try_from(now.timestamp()).ok()?;
    // The second after: the clock of the answer is cut to whole ones.
    Some(Duration::from_secs(reset.saturating_sub(now) + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (http::HeaderName::from_static(name), value.parse().unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    fn first(status: u16, pairs: &[(&'static str, &str)], message: &str) -> Option<u64> {
        let headers = headers(pairs);
        let wait = Patience::default().wait(Fault::Answer(status, &headers, message), 0);
        wait.map(|wait| wait.as_secs())
    }

    #[test]
    fn the_answer_says_how_long_before_we_guess() {
        let spent = ("x-ratelimit-remaining", "0");
        let date = ("date", "Mon, 02 Nov 2026 10:00:00 GMT");
        let reset = ("x-ratelimit-reset", "1793613630");
        assert_eq!(first(403, &[("retry-after", "7"), spent], ""), Some(7));
        assert_eq!(first(429, &[spent, date, reset], ""), Some(31));
        assert_eq!(
            first(403, &[], "You have exceeded a secondary rate limit."),
            Some(60)
        );
        assert_eq!(
            first(429, &[spent, reset], ""),
            Some(60),
            "no clock to read it by"
        );
        assert_eq!(
            first(403, &[("retry-after", "3600")], ""),
            None,
            "longer than we wait"
        );
    }

    #[test]
    fn what_is_forbidden_stays_forbidden() {
        let left = [("x-ratelimit-remaining", "4999")];
        assert_eq!(
            first(403, &left, "Resource not accessible by integration"),
            None
        );
        for status in [400, 401, 404, 406, 410, 422, 501] {
            assert_eq!(first(status, &[], ""), None, "{status}");
        }
    }

    #[test]
    fn a_limit_without_a_time_is_waited_for_twice_as_long_each_time_and_not_for_ever() {
        let mut patience = Patience::default();
        let none = HeaderMap::new();
        let waits = (0..5).map(|n| patience.wait(Fault::Answer(429, &none, ""), n));
        let waits: Vec<_> = waits.map(|wait| wait.map(|wait| wait.as_secs())).collect();
        assert_eq!(waits, [Some(60), Some(120), None, None, None]);
    }

    proptest! {
        #[test]
        fn no_run_waits_long(faults in proptest::collection::vec(
            (prop_oneof![Just(0_u16), Just(403), Just(429), Just(500), Just(502), Just(503)], 0_u64..4000), 0..200
        )) {
            let mut patience = Patience::default();
            let (mut outage, mut limit) = (Duration::ZERO, Duration::ZERO);
            for (status, seconds) in faults {
                let headers = headers(&[("retry-after", &seconds.to_string())]);
                let fault = match status {
                    0 => Fault::Transport,
                    _ => Fault::Answer(status, &headers, ""),
                };
                let wait = patience.wait(fault, 0).unwrap_or_default();
                *(if matches!(status, 403 | 429) { &mut limit } else { &mut outage }) += wait;
            }
            prop_assert!(outage <= Duration::from_secs(30) && limit <= LIMITS);
        }
    }
}
