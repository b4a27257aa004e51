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
    /// Waits until one more request may write, and counts it.
    pub async fn take(&self, time: &dyn Time) {
        let last_but = {
            let written = self.0.borrow();
            (written.len() == A_MINUTE).then(|| written[0])
        };
        if let Some(then) = last_but {
            time.sleep((then + MINUTE).saturating_sub(time.now())).await;
            self.0.borrow_mut().pop_front();
        }
        self.0.borrow_mut().push_back(time.now());
    }
}
