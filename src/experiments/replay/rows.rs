//! From what a replay found to the row a person reads.

use std::collections::BTreeSet;

use serde_json::json;

use super::classes::is_explainable;
use super::walk::{Shown, Walk};
use super::{Replay, Transition};
use crate::model::cassette::Cassette;
use crate::model::class::Level;
use crate::model::pins::{Input, Pins};
use crate::model::row::{At, Row};
use crate::model::trial::Grading;
use crate::model::verdict::Outcome;

/// A row in the making: the transitions found, and today's grading.
pub(super) struct Finding<'a> {
    pub(super) shown: Vec<Shown>,
    pub(super) walk: Walk,
    pub(super) start: &'static str,
    pub(super) moved: BTreeSet<Input>,
    pub(super) inherited: bool,
    pub(super) today: &'a Grading,
    pub(super) gradings: Vec<&'a Grading>,
}

impl Replay {
    /// The row of a finding.
    pub(super) fn row(&self, pins: &Pins, finding: Finding<'_>) -> Row {
        let Finding {
            shown,
            walk,
            start,
            moved,
            inherited,
            today,
            gradings,
        } = finding;
        let verdict = &today.judgement.verdict;
        let (transition, why) = match shown.first() {
            Some(first) => (first.transition, sentence(first, &verdict.detail)),
            None => (Transition::Stable, still(&verdict.outcome, &moved)),
        };
        let mut row = self.start_row(transition, why).graded(pins, today);
        let (before, after) = match shown.first() {
            Some(first) => (&first.before, &first.after),
            None => (&verdict.outcome, &verdict.outcome),
        };
        // A milder thing of a stronger name does not hide a worse one behind it.
        if let Some(level) = shown.iter().map(Shown::level).max() {
            row.level = level;
        }
        if matches!(transition, Transition::Tampered | Transition::StaleAccept) {
            row.at = Some(At {
                path: self.cassette_path.clone(),
                line: 1,
            });
        }
        if transition == Transition::GraderDrift
            && let Some(path) = &self.grader_path
        {
            row.at = Some(At {
                path: path.clone(),
                line: 1,
            });
        }
        row.before = Some(before.status);
        row.after = Some(after.status);
        let also: BTreeSet<Transition> =
            shown.iter().skip(1).map(|shown| shown.transition).collect();
        row.also = also
            .into_iter()
            .filter(|also| *also != transition)
            .map(|also| also.class().name.to_owned())
            .collect();
        row.path = walk.path(start);
        row.inherited = inherited;
        row.executed = gradings.iter().any(|grading| grading.executed);
        if before != after {
            row.evidence.insert("before".to_owned(), json!(before));
            add_old_differences(&mut row, &gradings, before);
        }
        row.moved = moved;
        row
    }

    pub(super) fn start_row(&self, transition: Transition, why: impl Into<String>) -> Row {
        let mut row = Row::new(&self.case, transition.class(), why);
        row.grader = Some(self.grader.clone());
        row.repro = format!("{} --case {}", self.command, self.case);
        row.at = Some(At {
            path: self.case_path.clone(),
            line: 1,
        });
        row
    }

    /// Gives the row another class, with that class's level and next action.
    pub(super) fn rename(&self, row: &mut Row, transition: Transition, why: String) {
        let fresh = self.start_row(transition, why);
        row.class = fresh.class;
        row.level = fresh.level;
        row.why = fresh.why;
        row.next = fresh.next;
    }

    pub(super) fn not_recorded(&self) -> Row {
        let mut row = self.start_row(
            Transition::Unjudged,
            "no completion is recorded for this case",
        );
        row.next = "Record one: `driftgate record --from DIR`.".to_owned();
        row
    }

    pub(super) fn broken(&self, cassette: &Cassette, why: String) -> Row {
        let mut row = self.start_row(Transition::Tampered, why);
        row.before = cassette
            .verdicts
            .get(&self.grader)
            .map(|outcome| outcome.status);
        row.at = Some(At {
            path: self.cassette_path.clone(),
            line: 1,
        });
        row
    }

    pub(super) fn unjudged(&self, pins: &Pins, recorded: Option<&Outcome>, today: &Grading) -> Row {
        let outcome = &today.judgement.verdict.outcome;
        let mut row = self.row(
            pins,
            Finding {
                shown: vec![unjudged_today(recorded.unwrap_or(outcome), today)],
                walk: Walk::new(outcome.clone(), BTreeSet::new(), Vec::new()),
                start: "head",
                moved: BTreeSet::new(),
                inherited: false,
                today,
                gradings: vec![today],
            },
        );
        row.before = recorded.map(|outcome| outcome.status);
        row
    }
}

/// Adds the differences that `before` stood on and today's verdict no longer sees, `KEY_before`
/// each: what a grader forgives is what a reviewer has to look at.
fn add_old_differences(row: &mut Row, gradings: &[&Grading], before: &Outcome) {
    let mut verdicts = gradings.iter().map(|grading| &grading.judgement.verdict);
    let Some(old) = verdicts.find(|verdict| verdict.outcome == *before) else {
        return;
    };
    for (key, value) in &old.evidence {
        if value.get("diff").is_some() && !row.evidence.contains_key(key) {
            row.evidence.insert(format!("{key}_before"), value.clone());
        }
    }
}

/// That head has no verdict.
pub(super) fn unjudged_today(recorded: &Outcome, today: &Grading) -> Shown {
    Shown {
        transition: Transition::Unjudged,
        before: recorded.clone(),
        after: today.judgement.verdict.outcome.clone(),
        moved: BTreeSet::new(),
        inherited: false,
        note: None,
    }
}

/// Marks a drift behind which a reviewed reason stands.
pub(super) fn explain(row: &mut Row, cassette: &Cassette) {
    if !is_explainable(&row.class) {
        return;
    }
    row.explained = true;
    row.level = row.level.min(Level::Review);
    if let Some(entry) = cassette.accepted.last() {
        row.why = format!("accepted: {} ({})", entry.reason, row.why);
        row.evidence
            .insert("reason".to_owned(), json!(entry.reason));
    }
    row.next = "Review the reason and the flipped verdict.".to_owned();
}

fn listed(inputs: &BTreeSet<Input>) -> String {
    inputs
        .iter()
        .map(|input| input.as_str())
        .collect::<Vec<_>>()
        .join(", ")
}

fn still(outcome: &Outcome, moved: &BTreeSet<Input>) -> String {
    if moved.is_empty() {
        format!("still {outcome}")
    } else {
        format!("still {outcome}, though {} moved", listed(moved))
    }
}

/// One sentence on how a transition shows.
fn sentence(shown: &Shown, detail: &str) -> String {
    let Shown {
        transition,
        before,
        after,
        moved,
        inherited,
        note,
    } = shown;
    let moved = listed(moved);
    if let Some(note) = note {
        return (*note).to_owned();
    }
    if *inherited {
        return format!(
            "the base itself no longer gives its recorded verdict ({moved} moved without an acceptance): recorded {before}, now {after}"
        );
    }
    let change = if before == after {
        format!("still {after}")
    } else {
        format!("{before} became {after}: {detail}")
    };
    match transition {
        Transition::GraderDrift | Transition::ToolchainDrift => {
            format!("same case, same completion, {moved} moved: {change}")
        }
        Transition::CaseDrift => format!("the case was edited: {change}"),
        Transition::ModelDrift | Transition::Rerecorded => {
            format!("the completion was recorded again: {change}")
        }
        Transition::Nondeterministic => {
            format!("gradings of the same inputs disagree: {before}, then {after}: {detail}")
        }
        Transition::Tampered => {
            format!(
                "the cassette says {before}, and two gradings of head agree on {after}: {detail}"
            )
        }
        Transition::Unjudged => format!("{}: {detail}", after.class),
        Transition::StaleAccept | Transition::New | Transition::Stable | Transition::Removed => {
            change
        }
    }
}
