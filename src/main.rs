//! Parses, calls, returns the exit code.

fn main() {}
