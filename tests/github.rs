//! The real binary as a job of GitHub runs it, against a GitHub of our own that accepts what the
//! real one's description of its API does, and under a runner of our own.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test starts processes, waits for them, and fails by panicking"
)]

#[path = "github/events.rs"]
mod events;
#[path = "github/fake.rs"]
mod fake;
#[path = "github/faults.rs"]
mod faults;
#[path = "github/hostile.rs"]
mod hostile;
#[path = "github/job.rs"]
mod job;
#[path = "github/openapi.rs"]
mod openapi;
#[path = "github/places.rs"]
mod places;
#[path = "github/proxy.rs"]
mod proxy;
#[path = "github/publish.rs"]
mod publish;
#[expect(dead_code, reason = "shared with tests that need more of it")]
#[path = "base/repo.rs"]
mod repo;
#[path = "github/reviews.rs"]
mod reviews;
#[path = "github/runner.rs"]
mod runner;
#[path = "github/server.rs"]
mod server;
#[path = "github/stopped.rs"]
mod stopped;
#[path = "github/suggestions.rs"]
mod suggestions;
#[expect(dead_code, reason = "shared with tests that need more of it")]
#[path = "main/suite.rs"]
mod suite;
#[path = "github/waiting.rs"]
mod waiting;
