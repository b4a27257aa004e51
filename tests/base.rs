//! The real binary against a base: real git repositories, real branches, a real compiler.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test starts processes, waits for them, and fails by panicking"
)]

#[path = "base/accepting.rs"]
mod accepting;
#[path = "base/checkout.rs"]
mod checkout;
#[path = "base/detours.rs"]
mod detours;
#[path = "base/edits.rs"]
mod edits;
#[path = "base/machine.rs"]
mod machine;
#[path = "base/policy.rs"]
mod policy;
#[path = "base/published.rs"]
mod published;
#[path = "base/refused.rs"]
mod refused;
#[path = "base/repo.rs"]
mod repo;
#[path = "base/revisions.rs"]
mod revisions;
#[path = "base/scope.rs"]
mod scope;
#[expect(dead_code, reason = "shared with tests that need more of it")]
#[path = "main/suite.rs"]
mod suite;
