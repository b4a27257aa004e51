//! The real binary on small suites, as a stranger would use it.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test starts processes, waits for them, and fails by panicking"
)]

#[path = "main/bad_suite.rs"]
mod bad_suite;
#[path = "main/drift.rs"]
mod drift;
#[path = "main/hostile_candidate.rs"]
mod hostile_candidate;
#[path = "main/machine.rs"]
mod machine;
#[path = "main/outputs.rs"]
mod outputs;
#[path = "main/published.rs"]
mod published;
#[expect(dead_code, reason = "shared with tests that need more of it")]
#[path = "main/suite.rs"]
mod suite;
