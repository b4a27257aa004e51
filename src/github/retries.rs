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
/// The most that requests without a usable answer may take, with the waits above, in all a run.
const LOST: Duration = Duration::from_secs(60);
/// The most that one request may take: GitHub itself gives one up after 10 s.
const LONGEST: Duration = Duration::from_secs(20);
/// The least that one request is given while there is as much.
const SHORTEST: Duration = Duration::from_secs(5);
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
    /// No answer came in time.
    Silence,
    /// An answer with this status, these headers and this message.
    Answer(u16, &'a HeaderMap, &'a str),
}

/// What one request met so far.
#[derive(Debug, Default)]
pub struct Met {
    /// How often a limit.
    limits: u32,
    /// Whether no answer in time.
    silence: bool,
}

/// What is left to wait in this run.
#[derive(Debug)]
pub struct Patience {
    outages: usize,
    limits: Duration,
    lost: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            outages: 0,
            limits: LIMITS,
            lost: LOST,
        }
    }
}

impl Patience {
    /// How long the next request may take; zero where none is worth it any more. Each that gets no
    /// answer leaves less for the next, so that there are several, whatever one of them meets.
    #[must_use]
    pub fn allowance(&self) -> Duration {
        (self.lost / 3).clamp(SHORTEST, LONGEST).min(self.lost)
    }

    /// How long limits were waited for.
    #[must_use]
    pub fn waited_for_limits(&self) -> Duration {
        LIMITS.saturating_sub(self.limits)
    }

    /// How long to wait before a request that met `fault` after `took`, and `met` before, is made
    /// again; `None` if it is not.
    pub fn wait(&mut self, fault: Fault<'_>, took: Duration, met: &mut Met) -> Option<Duration> {
        match fault {
            Fault::Transport | Fault::Answer(500 | 502..=504, ..) => {
                self.lost = self.lost.saturating_sub(took);
                let wait = OUTAGE.get(self.outages).copied();
                self.outages += 1;
                self.lost = self.lost.checked_sub(wait?)?;
                wait
            }
            Fault::Silence => {
                self.lost = self.lost.saturating_sub(took);
                let is_first = !std::mem::replace(&mut met.silence, true);
                // It was waited for already.
                (is_first && !self.lost.is_zero()).then_some(Duration::ZERO)
            }
            Fault::Answer(status, headers, message) if is_limit(status, headers, message) => {
                let guess = MINUTE * 2_u32.saturating_pow(met.limits);
                let wait = told(headers).unwrap_or(guess);
                met.limits += 1;
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
        let fault = Fault::Answer(status, &headers, message);
        let wait = Patience::default().wait(fault, Duration::ZERO, &mut Met::default());
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
        let (mut patience, mut met) = (Patience::default(), Met::default());
        let none = HeaderMap::new();
        let limit = Fault::Answer(429, &none, "");
        let waits = (0..5).map(|_| patience.wait(limit, Duration::ZERO, &mut met));
        let waits: Vec<_> = waits.map(|wait| wait.map(|wait| wait.as_secs())).collect();
        assert_eq!(waits, [Some(60), Some(120), None, None, None]);
    }

    #[test]
    fn a_hang_costs_a_minute_in_all_and_one_request_not_all_of_it() {
        let mut patience = Patience::default();
        let mut met = Met::default();
        let mut hang = |met: &mut Met| {
            let took = patience.allowance();
            (took.as_secs(), patience.wait(Fault::Silence, took, met))
        };
        assert_eq!(hang(&mut met), (20, Some(Duration::ZERO)));
        assert_eq!(hang(&mut met), (13, None));
        let further: Vec<u64> = (0..6).map(|_| hang(&mut Met::default()).0).collect();
        assert_eq!(further, [8, 5, 5, 5, 1, 0]);
        assert_eq!(patience.allowance(), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn no_run_waits_long(faults in proptest::collection::vec(
            (prop_oneof![Just(0_u16), Just(1), Just(403), Just(429), Just(500), Just(502), Just(503)], 0_u64..4000), 0..200
        )) {
            let mut patience = Patience::default();
            let (mut outage, mut limit) = (Duration::ZERO, Duration::ZERO);
            for (status, seconds) in faults {
                let headers = headers(&[("retry-after", &seconds.to_string())]);
                let fault = match status {
                    0 => Fault::Transport,
                    1 => Fault::Silence,
                    _ => Fault::Answer(status, &headers, ""),
                };
                let took = patience.allowance();
                let wait = patience.wait(fault, took, &mut Met::default()).unwrap_or_default();
                match status {
                    403 | 429 => limit += wait,
                    _ => outage += took + wait,
                }
            }
            prop_assert!(outage <= LOST && limit <= LIMITS);
        }
    }
}
