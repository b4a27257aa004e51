//! The summary of a job: the most that GitHub shows of a run.

use super::check_run::Context;
use crate::model::report::Report;

/// `report` as a job's summary: Markdown, under 1 MiB.
#[must_use]
pub fn job_summary(report: &Report, context: &Context<'_>) -> String {
    let _ = context;
    format!("driftgate: {}\n", report.outcome().as_str())
}
