//! The summary of a job: the most that GitHub shows of a run.

use super::check_run::Context;
use super::markdown::{Page, Room};
use crate::model::report::Report;

/// `report` as a job's summary: Markdown, under 1 MiB. Of a longer one GitHub shows nothing.
#[must_use]
pub fn job_summary(report: &Report, context: &Context<'_>) -> String {
    Page::of(report, context, &Room::JOB).text()
}
