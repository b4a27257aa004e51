//! The one comment of a pull request.

use super::check_run::Context;
use super::records::encoded;
use crate::model::report::Report;

/// What the comment of the check `name` starts with: an HTML comment that is not shown. No text
/// of a report makes one, and no two names have the same.
#[must_use]
pub fn marker(name: &str) -> String {
    format!(
        "<!-- driftgate/comment/{} -->",
        encoded(name).replace('-', "%2D")
    )
}

/// `report` as a comment: starts with the marker, shorter than 65,536 characters.
#[must_use]
pub fn comment(report: &Report, context: &Context<'_>) -> String {
    let marker = marker(context.name);
    format!("{marker}\ndriftgate: {}\n", report.outcome().as_str())
}
