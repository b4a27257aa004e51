//! What a tool's words are good for: a label for people and, where no candidate had a say in them,
//! the name of a file that is not there.

use crate::graders::compare::printable;
use crate::model::observation::Observation;

pub(super) fn said(observation: &Observation) -> String {
    first_error(&observation.stderr)
        .map(|line| format!(": {line}"))
        .unwrap_or_default()
}

/// Whether a preprocessor stopped at a file that is not there. Only asked of a unit that holds
/// nothing of the candidate's, so its words can be believed; a fixture that stops for another
/// reason (`#error` until the completion defines something) waits for a good completion.
pub(super) fn names_missing_file(stderr: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stderr);
    let missing = |line: &str| {
        line.contains("error: ")
            && (line.contains("No such file or directory") || line.contains("file not found"))
    };
    text.lines().any(missing)
}

/// The first line that looks like an error, else the first that is not empty; at most 300
/// characters. A label for people, never a reason for a class.
pub(super) fn first_error(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines
        .clone()
        .find(|line| line.contains("error") || line.contains("undefined"));
    error
        .or_else(|| lines.next())
        .map(|line| printable(line.as_bytes()).chars().take(300).collect())
}
