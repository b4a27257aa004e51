//! What later steps of a workflow can ask for.

use crate::model::report::Report;

/// The outputs of the action: names, and values of one line each.
#[must_use]
pub fn outputs(report: &Report) -> Vec<(String, String)> {
    vec![("outcome".to_owned(), report.outcome().as_str().to_owned())]
}
