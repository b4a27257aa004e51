//! A compiler that gave up rather than refused a source.

use crate::diagnostics::compiler_text::{self, Diagnostic};
use crate::model::observation::{Ended, Observation};

use super::units::OUT_OF_LIMITS;

/// What stopped a compiler that ended by itself before it was done, if it says so.
pub(super) fn broken(made: &Observation) -> Option<&'static str> {
    if made.succeeded() {
        return None;
    }
    let said = compiler_text::parse(&made.stderr);
    if said.iter().any(Diagnostic::says_out_of_time) {
        Some(OUT_OF_LIMITS)
    } else if said.iter().any(Diagnostic::says_crashed) || clang_crashed(made) {
        Some("the compiler crashed on it twice")
    } else if said.iter().any(Diagnostic::blames_machine) {
        Some("the compiler ran out of memory on it twice")
    } else {
        None
    }
}

/// Whether clang crashed. It ends with 1 if it refuses a source, whatever that prints.
fn clang_crashed(made: &Observation) -> bool {
    let Ended::Exit(code) = made.ended else {
        return false;
    };
    let mut lines = made.stderr.split(|byte| *byte == b'\n');
    let says_so = |line: &[u8]| line.starts_with(b"PLEASE submit a bug report");
    code == 254 || (code > 1 && lines.any(says_so))
}
