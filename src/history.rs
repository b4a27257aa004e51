//! What a run leaves for later ones, and no verdict reads: its line in the ledger, and how long rows
//! took.

use crate::cli::{Cli, Command};
use crate::model::report::Report;
use crate::plan;
use crate::report::ledger::line;
use crate::run::session::Session;
use crate::run::{clock, ledger};

/// Adds the run to the ledger, if its command is an experiment. Returns what a person should know
/// of it: that it cannot be written is no matter of the verdict.
#[must_use]
pub fn add(cli: &Cli, session: &Session, report: &Report) -> Option<String> {
    if !matches!(cli.command, Command::Check | Command::Replay) {
        return None;
    }
    let selected = !cli.options.case.is_empty();
    let line = line(report, &clock::timestamp(), selected);
    match ledger::add(session.workspace().path(), &line) {
        Err(error) => Some(format!("note: the ledger is not written: {error}")),
        Ok(0) => None,
        Ok(torn) => Some(format!(
            "note: the ledger ended with {torn} bytes of a torn line, which were taken out"
        )),
    }
}

/// Notes how long the rows of `report` took.
pub fn note_times(session: &mut Session, report: &Report) {
    let times = session.times_mut();
    for experiment in &report.experiments {
        for row in experiment.rows.iter().filter(|row| row.executed) {
            let grader = row.grader.as_deref().unwrap_or("");
            let lane = if experiment.name == grader {
                "grade"
            } else {
                &experiment.name
            };
            times.set(plan::label(lane, &row.id, grader), row.seconds);
        }
    }
    times.store();
}
