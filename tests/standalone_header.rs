//! Headers through real compilers: one small header for each way to fail, by g++ and clang++.
#![cfg(target_os = "linux")]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "standalone_header/bench.rs"]
mod bench;
#[path = "standalone_header/faults.rs"]
mod faults;
#[path = "standalone_header/suggestions.rs"]
mod suggestions;
