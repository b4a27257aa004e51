//! Faults that people reported in public, each as an input of a few lines, and the class a stranger's
//! build must give it: with both compilers, and where the linker speaks, with all four.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test starts processes, waits for them, and fails by panicking"
)]

#[path = "public_reports/consumers.rs"]
mod consumers;
#[path = "public_reports/headers.rs"]
mod headers;
#[path = "public_reports/linkers.rs"]
mod linkers;
#[path = "public_reports/stranger.rs"]
mod stranger;
#[expect(dead_code, reason = "shared with tests that need more of it")]
#[path = "main/suite.rs"]
mod suite;
