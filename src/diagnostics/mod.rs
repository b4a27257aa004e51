//! Parsers of what other tools write: pure functions over any bytes, which end and never panic.

pub mod unified_diff;
