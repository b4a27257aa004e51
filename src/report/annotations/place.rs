//! The line that a finding is shown on: a changed one that explains it, else its own.

use crate::model::changed_lines::ChangedLines;
use crate::model::row::At;
use crate::report::style::one_line;
use crate::suite::config;

use super::Finding;
use super::words::PATH;

/// Lanes whose rows point at a line, where others point at a file.
const EXACT: [&str; 3] = ["consumer_link", "quarantine", "standalone_header"];

/// The last line that a file can have for GitHub, which counts in 32 bits with a sign.
const MOST_LINES: u32 = i32::MAX.unsigned_abs();

/// Path from the repository's root, and line.
pub(super) fn of(finding: &Finding<'_>, changed: &ChangedLines) -> (String, u32) {
    let at = finding.first().at.as_ref();
    let Some(at) = at.filter(|at| is_in_repository(&at.path)) else {
        return nowhere(changed);
    };
    let points_at_line = at.line > 1 || EXACT.contains(&finding.lane);
    let line = match points_at_line {
        true => at.line,
        false => changed_line(at, changed),
    };
    (changed.in_repository(&at.path), line.clamp(1, MOST_LINES))
}

/// Whether GitHub can have such a file: it takes no annotation of a request with another one.
fn is_in_repository(path: &str) -> bool {
    let shown = one_line(path).chars().count();
    let odd = |segment: &str| matches!(segment, "" | "." | "..");
    (1..=PATH).contains(&shown) && !path.split('/').any(odd)
}

/// The line of `at` if the change touched it, else the first of the file that it did.
fn changed_line(at: &At, changed: &ChangedLines) -> u32 {
    match changed.touches(&at.path, at.line) {
        Some(true) | None => at.line,
        Some(false) => changed.first_line(&at.path).unwrap_or(at.line),
    }
}

/// Where to show what has no place: the file that every suite has.
pub(super) fn nowhere(changed: &ChangedLines) -> (String, u32) {
    (changed.in_repository(config::FILE), 1)
}
