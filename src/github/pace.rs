//! How fast we write: GitHub allows 80 requests a minute that create content.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use crate::run::clock;

/// The most requests that write in any minute, with room for others that use the same token.
const A_MINUTE: usize = 60;
const MINUTE: Duration = Duration::from_secs(60);

/// The passing of time, so that a test need not wait for it.
pub trait Time {
    /// The time since some fixed moment.
    fn now(&self) -> Duration;
    /// Waits.
    fn sleep(&self, wait: Duration) -> Pin<Box<dyn Future<Output = ()> + '_>>;
    /// Waits for a request that should be over before.
    fn limit(&self, most: Duration) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        self.sleep(most)
    }
}

/// The machine's time. Must be used within a runtime.
pub struct RealTime(Instant);

impl Default for RealTime {
    fn default() -> Self {
        Self(clock::now_monotonic())
    }
}

impl Time for RealTime {
    fn now(&self) -> Duration {
        clock::now_monotonic().duration_since(self.0)
    }

    fn sleep(&self, wait: Duration) -> Pin<Box<dyn Future<Output = ()> + '_>> {
        Box::pin(tokio::time::sleep(wait))
    }
}

/// When the last requests that write were made.
#[derive(Debug, Default)]
pub struct Pace(RefCell<VecDeque<Duration>>);

impl Pace {
    /// How long to wait at `now` until one more request may write.
    #[must_use]
    pub fn wait(&self, now: Duration) -> Duration {
        let written = self.0.borrow();
        match written.front() {
            Some(first) if written.len() == A_MINUTE => (*first + MINUTE).saturating_sub(now),
            Some(_) | None => Duration::ZERO,
        }
    }

    /// Counts one that writes at `now`.
    pub fn count(&self, now: Duration) {
        let mut written = self.0.borrow_mut();
        if written.len() == A_MINUTE {
            written.pop_front();
        }
        written.push_back(now);
    }
}
