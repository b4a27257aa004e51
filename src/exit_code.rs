//! The exit codes, in one place. They derive from the outcome or the kind of error alone.

use std::process::ExitCode;

use crate::error::Error;
use crate::model::report::Outcome;

/// Outcome pass.
pub const PASS: u8 = 0;
/// Outcome fail.
pub const FAIL: u8 = 1;
/// Usage, configuration or input error.
pub const INPUT: u8 = 2;
/// Outcome incomplete: something could not be judged.
pub const INCOMPLETE: u8 = 3;
/// A bug of ours.
pub const INTERNAL: u8 = 70;

/// The code of a finished run.
#[must_use]
pub fn of_outcome(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Pass => PASS,
        Outcome::Fail => FAIL,
        Outcome::Incomplete => INCOMPLETE,
    }
}

/// The code of a run that stopped.
#[must_use]
pub fn of_error(error: &Error) -> u8 {
    match error {
        Error::Input(_) => INPUT,
        Error::Incomplete(_) => INCOMPLETE,
        Error::Interrupted(signal) | Error::InterruptedPublishing(signal) => {
            u8::try_from(128 + signal).unwrap_or(INTERNAL)
        }
        Error::Internal(_) => INTERNAL,
    }
}

/// The code of a command's result.
#[must_use]
pub fn of_result(result: &Result<Outcome, Error>) -> ExitCode {
    ExitCode::from(match result {
        Ok(outcome) => of_outcome(*outcome),
        Err(error) => of_error(error),
    })
}
