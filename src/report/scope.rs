//! What a change can reach, in a sentence a lane.

use std::collections::BTreeSet;

use crate::model::report::{Experiment, Report};
use crate::model::row::Row;
use crate::model::scope::{Reaches, Reason, Scope};

/// What a reviewer should know of a row that the change cannot reach.
pub(super) const UNREACHED: &str = "nothing in this change reaches it: look at the toolchain, the machine, chance or an earlier change";

/// The most files that are named, and the most ids of each.
const MOST_REASONS: usize = 3;
const MOST_IDS: usize = 3;

/// What `scope`, that of `lane`, says: `shown` makes the text of a path, of an id or of what a
/// file is, none of which is ours.
pub(super) fn sentence(lane: &str, scope: &Scope, shown: &dyn Fn(&str) -> String) -> String {
    let reaches = format!("{} of {} {}", scope.affected, scope.of, noun(lane));
    let named = scope.reasons.iter().take(MOST_REASONS);
    let mut reasons: Vec<_> = named.map(|it| reason(it, shown)).collect();
    let left = scope.reasons.len().saturating_sub(MOST_REASONS);
    let left = left.saturating_add(scope.more);
    if left > 0 {
        reasons.push(format!("and {left} more files"));
    }
    let reasons = match reasons.is_empty() {
        true => String::new(),
        false => format!(": {}", reasons.join(", ")),
    };
    let runs = [
        (scope.executed, "executed"),
        (scope.stored, "from the store"),
        (scope.without_run(), "without a run"),
    ];
    let runs = runs.iter().filter(|(count, _)| *count > 0);
    let runs: Vec<_> = runs
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let runs = match runs.is_empty() {
        true => String::new(),
        false => format!("; {}", runs.join(", ")),
    };
    format!("the change reaches {reaches}{reasons}{runs}")
}

/// What the ids of a lane are.
fn noun(lane: &str) -> &'static str {
    match lane {
        "replay" => "cases",
        "consumer_link" => "consumers",
        "standalone_header" => "headers",
        _ => "ids",
    }
}

/// `path (id)`, or what the file is where it reaches several.
fn reason(reason: &Reason, shown: &dyn Fn(&str) -> String) -> String {
    let path = shown(&reason.path);
    let what = shown(&reason.what);
    let reaches = match &reason.reaches {
        Reaches::All(_) => format!("{what}: all"),
        Reaches::Ids(ids) => {
            let named = ids.iter().take(MOST_IDS).map(|id| shown(id));
            let named = named.collect::<Vec<_>>().join(", ");
            let left = ids
                .len()
                .saturating_sub(MOST_IDS)
                .saturating_add(reason.more);
            match (ids.len(), left) {
                (0 | 1, 0) => named,
                (_, 0) => format!("{what}: {named}"),
                (_, left) => format!("{what}: {named} and {left} more"),
            }
        }
    };
    format!("{path} ({reaches})")
}

/// The rows to act on that nothing in the change reaches.
pub(super) struct Unreached<'a>(BTreeSet<(&'a str, Option<&'a str>)>);

impl<'a> Unreached<'a> {
    /// Those of `report`. No two lanes that have a scope judge an id by the same grader.
    pub(super) fn of(report: &'a Report) -> Self {
        let rows = report.experiments.iter().flat_map(Self::of_lane);
        Self(rows.map(key).collect())
    }

    fn of_lane(lane: &Experiment) -> Vec<&Row> {
        let scope = Scope::of(lane);
        let rows = lane.rows.iter();
        rows.filter(|row| scope.as_ref().is_some_and(|it| it.leaves_out(row)))
            .collect()
    }

    /// Whether `row` is one of them.
    pub(super) fn has(&self, row: &Row) -> bool {
        self.0.contains(&key(row))
    }
}

fn key(row: &Row) -> (&str, Option<&str>) {
    (&row.id, row.grader.as_deref())
}

#[cfg(test)]
mod tests;
