//! The parsers of other tools' output against what the tools print: real compilers, real linkers,
//! real objects, from inputs of a few lines.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test starts processes and fails by panicking"
)]

#[path = "diagnostics/compilers.rs"]
mod compilers;
#[path = "diagnostics/linkers.rs"]
mod linkers;
#[path = "diagnostics/objects.rs"]
mod objects;
#[path = "diagnostics/std_headers.rs"]
mod std_headers;
#[path = "diagnostics/tools.rs"]
mod tools;
