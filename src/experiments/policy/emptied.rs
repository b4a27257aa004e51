//! A change that leaves nothing to judge: then nothing is shown to be right either.

use crate::experiments::quarantine;
use crate::model::class::Level;
use crate::model::report::Experiment;
use crate::model::row::Row;

use super::super::replay::Transition;
use super::KIND;

/// What is said of a row that stands for what was not judged.
const WHY: &str = "; nothing else is left to judge";

/// Raises what a person would only look at to incomplete, where no row of `lanes` is a verdict.
pub fn hold(lanes: &mut [Experiment]) {
    let is_verdict = |lane: &Experiment| {
        let of_suite = lane.name != KIND.name && lane.name != quarantine::KIND.name;
        of_suite && lane.rows.iter().any(|row| !is_gone(row))
    };
    if lanes.iter().any(is_verdict) {
        return;
    }
    let rows = lanes.iter_mut().flat_map(|lane| &mut lane.rows);
    for row in rows.filter(|row| row.level == Level::Review) {
        row.level = Level::Incomplete;
        row.why.push_str(WHY);
    }
}

fn is_gone(row: &Row) -> bool {
    row.class == Transition::Removed.class().name
}
