//! What must hold of every input, however it is made: one module a family of parsers. The fuzzers
//! look for an input that breaks it; `tests/corpus.rs` of the main package runs what is committed.
//!
//! That nothing panics or overflows goes without saying: each check is called with any bytes.

pub mod diagnostics;
pub mod diff;
mod parts;
pub mod report;
pub mod suite;
