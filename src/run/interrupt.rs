//! The wish to stop: what SIGINT and SIGTERM mean to a run.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The first signal received, 0 before.
static RECEIVED: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// From now on the first SIGINT or SIGTERM is remembered, and a second one ends the process at
/// once with 128 + signal (the supervisors see it end and clean up behind it).
///
/// # Errors
/// If a handler cannot be set.
pub fn install() -> anyhow::Result<()> {
    let received = RECEIVED.get_or_init(Arc::default);
    let again = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Handlers run in the order of registration: the shutdown looks at the flag before the
        // same signal sets it, so it acts on the second signal only.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&again))?;
        flag::register(signal, Arc::clone(&again))?;
        flag::register_usize(signal, Arc::clone(received), usize::try_from(signal)?)?;
    }
    Ok(())
}

/// The signal that asked us to stop, if any did.
#[must_use]
pub fn received() -> Option<i32> {
    let signal = RECEIVED.get()?.load(Ordering::SeqCst);
    i32::try_from(signal).ok().filter(|signal| *signal != 0)
}
