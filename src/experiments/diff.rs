//! `diff`: two reports, and what lies behind every verdict that is not the same in both.
//!
//! **Pins** nothing: both reports are finished.
//! **Moves** whatever moved between them.
//! **Names** the input behind a difference, by the hashes in the rows. Where several moved, one
//! of them gives the name and all are listed; which of them did it only a replay against a base
//! can tell.
//! **Cannot see** what the rows do not hold: two verdicts without hashes are not attributed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::json;

use crate::model::class::Level;
use crate::model::edge::Axis;
use crate::model::pins::Input;
use crate::model::report::{Experiment, Report, Sandbox};
use crate::model::row::{PathStep, Row};
use crate::model::verdict::{Outcome, Status};

use super::ExperimentKind;
use super::replay::{CLASSES, Transition};

/// The entry in the table of experiments.
pub const KIND: ExperimentKind = ExperimentKind {
    name: "diff",
    classes: CLASSES,
};

/// The report on what lies between `before` and `after`.
#[must_use]
pub fn report(before: &Report, after: &Report) -> Report {
    let mut notes = Vec::new();
    if before.toolchain.hash != after.toolchain.hash {
        let name = |report: &Report| {
            let version = report.toolchain.version.clone();
            version.unwrap_or_else(|| "none".to_owned())
        };
        notes.push(format!(
            "the compiler before: {}; after: {}",
            name(before),
            name(after)
        ));
    }
    let without = before.rows().chain(after.rows());
    let without = without.filter(|row| !is_about_a_verdict(row)).count();
    if without > 0 {
        notes.push(format!(
            "left out: {without} that are about no verdict, such as rows of policy and quarantine"
        ));
    }
    Report {
        command: KIND.name.to_owned(),
        base: before.head.clone(),
        head: after.head.clone(),
        toolchain: after.toolchain.clone(),
        sandbox: Sandbox {
            level: "off".to_owned(),
            why: "nothing was run".to_owned(),
        },
        experiments: vec![Experiment::new(KIND.name, rows(before, after))],
        notes,
    }
}

/// What a row is compared under: lane, id, grader.
type Key<'a> = (&'a str, &'a str, Option<&'a str>);

/// Whether a row says anything of a verdict, be it that there is none.
fn is_about_a_verdict(row: &Row) -> bool {
    row.grader.is_some()
        || row.after.is_some()
        || row.hashes.is_some()
        || row.evidence.contains_key("verdict")
}

/// The rows of a report that stand for something judged there.
fn judged_rows(report: &Report) -> BTreeMap<Key<'_>, &Row> {
    let lanes = report.experiments.iter();
    let rows = lanes.flat_map(|lane| lane.rows.iter().map(|row| (lane.name.as_str(), row)));
    // A row that says that something is gone does not stand for it.
    rows.filter(|(_, row)| is_about_a_verdict(row) && row.class != Transition::Removed.class().name)
        .map(|(lane, row)| ((lane, row.id.as_str(), row.grader.as_deref()), row))
        .collect()
}

fn rows(before: &Report, after: &Report) -> Vec<Row> {
    let (before, after) = (judged_rows(before), judged_rows(after));
    let keys: BTreeSet<Key<'_>> = before.keys().chain(after.keys()).copied().collect();
    let mut lanes_of = BTreeMap::<_, usize>::new();
    for (_, id, grader) in &keys {
        *lanes_of.entry((*id, *grader)).or_default() += 1;
    }
    let mut rows = Vec::new();
    for key in keys {
        let (lane, id, grader) = key;
        let mut row = match (before.get(&key), after.get(&key)) {
            (None, None) => continue,
            (Some(old), None) => removed(old),
            (None, Some(new)) => compare(None, new),
            (Some(old), Some(new)) => compare(Some(old), new),
        };
        // The rows of a lane differ in id and grader, and here all lanes become one.
        row.id = match lanes_of.get(&(id, grader)) {
            Some(1) | None => id.to_owned(),
            Some(_) => format!("{lane}/{id}"),
        };
        row.grader = grader.map(str::to_owned);
        row.evidence.insert("lane".to_owned(), json!(lane));
        rows.push(row);
    }
    rows
}

/// A verdict as far as a row tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    status: Status,
    /// `None` where the row holds the status alone.
    class: Option<String>,
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.class {
            Some(class) => write!(f, "{} ({class})", self.status),
            None => write!(f, "{}", self.status),
        }
    }
}

impl Said {
    /// The verdict in `row`: in a replay `after` belongs to a step, the evidence to today.
    fn by(row: &Row) -> Option<Self> {
        let verdict = row.evidence.get("verdict").cloned();
        let verdict = verdict.and_then(|value| serde_json::from_value::<Outcome>(value).ok());
        let said = match (verdict, row.after) {
            (Some(Outcome { status, class }), _) => Self {
                status,
                class: Some(class),
            },
            (None, Some(status)) => Self {
                status,
                class: None,
            },
            (None, None) => return None,
        };
        Some(said)
    }

    fn is_judged(&self) -> bool {
        self.status != Status::Unjudged
    }

    /// A class that only one of two rows holds tells nothing.
    fn is_same(&self, other: &Self) -> bool {
        let classes = self.class.as_ref().zip(other.class.as_ref());
        self.status == other.status && classes.is_none_or(|(one, other)| one == other)
    }
}

/// What a pair of judged rows with these inputs between them shows: a total function.
fn transition(same: bool, moved: &BTreeSet<Input>) -> Transition {
    let has = |inputs: &[Input]| inputs.iter().any(|input| moved.contains(input));
    let case = has(&[Input::Case]);
    let completion = has(&[Input::Completion]);
    if same {
        return match (completion, case) {
            (true, _) => Transition::Rerecorded,
            (false, true) => Transition::CaseDrift,
            (false, false) => Transition::Stable,
        };
    }
    if case {
        Transition::CaseDrift
    } else if completion {
        Transition::ModelDrift
    } else if has(&[Input::Grader, Input::Engine]) {
        Transition::GraderDrift
    } else if has(&[Input::Toolchain, Input::System]) {
        Transition::ToolchainDrift
    } else {
        Transition::Nondeterministic
    }
}

fn start(transition: Transition, row: &Row, why: String) -> Row {
    let mut fresh = Row::new(&row.id, transition.class(), why);
    fresh.at.clone_from(&row.at);
    fresh.repro.clone_from(&row.repro);
    fresh
}

fn removed(old: &Row) -> Row {
    let said = Said::by(old);
    let verdict = said
        .as_ref()
        .map_or("without a verdict".to_owned(), Said::to_string);
    let why = format!("it is in the report before ({verdict}) and not in the one after");
    let mut row = start(Transition::Removed, old, why);
    row.before = said.map(|said| said.status);
    row
}

/// The row of something the report after has.
fn compare(old: Option<&Row>, new: &Row) -> Row {
    let before = old.and_then(Said::by);
    let Some(after) = Said::by(new).filter(Said::is_judged) else {
        let why = format!("no verdict in the report after: {}", new.why);
        let mut row = start(Transition::Unjudged, new, why);
        row.before = before.map(|before| before.status);
        row.after = Said::by(new).map(|after| after.status);
        return carried(row, new);
    };
    let old = old.zip(before.clone().filter(Said::is_judged));
    let Some((old, before)) = old else {
        let why = match &before {
            Some(before) => format!("{before} in the report before; now {after}"),
            None => format!("no earlier verdict; now {after}"),
        };
        let mut row = start(Transition::New, new, why);
        row.before = before.map(|before| before.status);
        row.after = Some(after.status);
        return carried(row, new);
    };
    between((old, &before), (new, &after))
}

/// The row of two verdicts.
fn between((old, before): (&Row, &Said), (new, after): (&Row, &Said)) -> Row {
    let same = before.is_same(after);
    let moved = match (&old.hashes, &new.hashes) {
        (Some(old), Some(new)) => Some(old.differing(new)),
        (None, None) | (Some(_), None) | (None, Some(_)) => None,
    };
    let (transition, moved) = match moved {
        Some(moved) => (transition(same, &moved), moved),
        None if same => (Transition::Stable, BTreeSet::new()),
        None => (Transition::Unjudged, BTreeSet::new()),
    };
    let why = sentence(transition, (before, after), &moved);
    let mut row = carried(start(transition, new, why), new);
    // Where only the class differs, the name stays and a person looks.
    if !same && before.status == after.status && row.level == Level::Fail {
        row.level = Level::Review;
    }
    if transition == Transition::Rerecorded && moved.contains(&Input::Case) {
        row.also = vec![Transition::CaseDrift.class().name.to_owned()];
    }
    row.before = Some(before.status);
    row.after = Some(after.status);
    row.path = path(before, after, &moved);
    if !same {
        let outcome = |said: &Said| json!({"status": said.status, "class": said.class});
        row.evidence.insert("before".to_owned(), outcome(before));
    }
    if !moved.is_empty() {
        let hashes = json!(old.hashes);
        row.evidence.insert("hashes_before".to_owned(), hashes);
    }
    row.moved = moved;
    row
}

/// `row` with the hashes and the evidence of the report after, but for what that compared with.
fn carried(mut row: Row, new: &Row) -> Row {
    row.hashes = new.hashes;
    row.evidence.clone_from(&new.evidence);
    for own in ["before", "reason"] {
        row.evidence.remove(own);
    }
    let said = json!({"class": new.class, "why": new.why});
    row.evidence.insert("row".to_owned(), said);
    row
}

fn path(before: &Said, after: &Said, moved: &BTreeSet<Input>) -> Vec<PathStep> {
    let step = |axis: &str, said: &Said| PathStep {
        axis: axis.to_owned(),
        status: said.status,
        class: said.class.clone().unwrap_or_default(),
    };
    let mut path = vec![step("before", before)];
    if !moved.is_empty() || !before.is_same(after) {
        path.push(step(Axis::single(moved).as_str(), after));
    }
    path
}

fn sentence(
    transition: Transition,
    (before, after): (&Said, &Said),
    moved: &BTreeSet<Input>,
) -> String {
    let names: Vec<_> = moved.iter().map(|input| input.as_str()).collect();
    let moved = names.join(", ");
    let change = if before.is_same(after) {
        format!("still {after}")
    } else {
        format!("{before} became {after}")
    };
    match transition {
        Transition::Stable if moved.is_empty() => change,
        Transition::Stable => format!("{change}, though {moved} moved"),
        Transition::CaseDrift if before.is_same(after) => {
            format!("the case was edited ({moved} moved): {change}")
        }
        Transition::CaseDrift => {
            format!("the case was edited ({moved} moved), so these are not comparable: {change}")
        }
        Transition::ModelDrift | Transition::Rerecorded => {
            format!("the completion is another one ({moved} moved): {change}")
        }
        Transition::GraderDrift => format!("same case, same completion, {moved} moved: {change}"),
        Transition::ToolchainDrift => {
            format!("same case, completion and grader, {moved} moved: {change}")
        }
        Transition::Nondeterministic => {
            format!("every hash is the same in both reports: {change}")
        }
        Transition::Unjudged => format!(
            "{change}, and a report does not say by which inputs, so nothing can be blamed for it"
        ),
        Transition::Tampered | Transition::StaleAccept | Transition::New | Transition::Removed => {
            change
        }
    }
}

#[cfg(test)]
mod tests;
