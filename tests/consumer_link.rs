//! `consumer_link` with real compilers and linkers: minimal libraries, each with one fault.
#![cfg(target_os = "linux")]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[path = "consumer_link/bench.rs"]
mod bench;
#[path = "consumer_link/compiling.rs"]
mod compiling;
#[path = "consumer_link/linking.rs"]
mod linking;
#[path = "consumer_link/odr.rs"]
mod odr;
#[path = "consumer_link/running.rs"]
mod running;
