//! driftgate killed with SIGKILL at random moments: what it leaves, and that it is continued.
//!
//! `DRIFTGATE_CRASHES` says at how many moments each command is killed, `DRIFTGATE_SEED` repeats a
//! choice of moments.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test starts processes, waits for them, prints its seed, and fails by panicking"
)]

#[path = "crash/killed.rs"]
mod killed;
#[path = "crash/moments.rs"]
mod moments;
#[path = "crash/recordings.rs"]
mod recordings;
#[path = "crash/resumed.rs"]
mod resumed;
#[expect(dead_code, reason = "shared with tests that need more of it")]
#[path = "main/suite.rs"]
mod suite;
