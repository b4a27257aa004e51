//! What a candidate tries against the machine that judges it, and what must still work for an
//! honest one. Every test runs as whoever runs the tests, and as another user where that is root.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test starts processes, waits for them, and fails by panicking"
)]

#[path = "hostile/compiling.rs"]
mod compiling;
#[path = "hostile/cost.rs"]
mod cost;
#[path = "hostile/crowds.rs"]
mod crowds;
#[path = "hostile/floods.rs"]
mod floods;
#[path = "hostile/honest.rs"]
mod honest;
#[path = "hostile/host.rs"]
mod host;
#[path = "hostile/kernel.rs"]
mod kernel;
#[path = "hostile/reach.rs"]
mod reach;
#[path = "hostile/secrets.rs"]
mod secrets;
#[expect(dead_code, reason = "shared with tests that need more of it")]
#[path = "main/suite.rs"]
mod suite;
