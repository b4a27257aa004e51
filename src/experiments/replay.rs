//! `replay`: was it the case, the grader, the toolchain, or the model?
//!
//! **Pins** the recorded completion.
//! **Moves** time: from the moment of recording to today.
//! **Names** the input behind a changed verdict: case, grader, engine, toolchain or system; or
//! that nothing is, and the verdict flips by itself.
//! **Cannot see** a fault that no case reaches, nor drift in an input that no verdict depends on.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use crate::model::cassette::Cassette;
use crate::model::class::{Class, Level};
use crate::model::edge::{Axis, Edge};
use crate::model::inquiry::{Inquiry, Next, Seen};
use crate::model::pins::{Hashes, Input, Pins};
use crate::model::row::{At, PathStep, Row};
use crate::model::trial::{Grading, Trial};
use crate::model::verdict::{Outcome, Status};
use crate::want;

use super::ExperimentKind;

/// The entry in the table of experiments.
pub const KIND: ExperimentKind = ExperimentKind {
    name: "replay",
    classes: CLASSES,
};

/// The transitions of a replay, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transition {
    /// The recording does not hold together.
    Tampered,
    /// No verdict, or none to compare with.
    Unjudged,
    /// Same inputs, another verdict.
    Nondeterministic,
    /// The grader moved, and a verdict with it.
    GraderDrift,
    /// The machine moved, and a verdict with it.
    ToolchainDrift,
    /// The case moved.
    CaseDrift,
    /// Nothing to compare with yet.
    New,
    /// Every verdict is proven unchanged.
    Stable,
}

impl Transition {
    /// Its entry in the class table.
    #[must_use]
    pub fn class(self) -> &'static Class {
        match self {
            Self::Stable => &CLASSES[0],
            Self::CaseDrift => &CLASSES[1],
            Self::GraderDrift => &CLASSES[2],
            Self::ToolchainDrift => &CLASSES[3],
            Self::Nondeterministic => &CLASSES[4],
            Self::Tampered => &CLASSES[5],
            Self::New => &CLASSES[6],
            Self::Unjudged => &CLASSES[7],
        }
    }
}

/// Every class of a replay row.
pub const CLASSES: &[Class] = &[
    Class {
        name: "STABLE",
        level: Level::Ok,
        meaning: "Nothing moved, or something moved and the verdict is proven unchanged; `moved` says what.",
        next: "Nothing to do.",
    },
    Class {
        name: "CASE_DRIFT",
        level: Level::Review,
        meaning: "The prompt, the fixture or the contract was edited since the recording, so verdicts before and after are not comparable.",
        next: "Review the diff of the case, then record the completion again or `driftgate accept` it.",
    },
    Class {
        name: "GRADER_DRIFT",
        level: Level::Fail,
        meaning: "Same case, same completion, another verdict: the grader (or our engine behind it) moved.",
        next: "Undo the grader's change, or review the flipped cases and `driftgate accept --reason` it.",
    },
    Class {
        name: "TOOLCHAIN_DRIFT",
        level: Level::Review,
        meaning: "Same case, grader and completion, another verdict: the compiler, a library or a system header moved.",
        next: "Compare the compilers; pin the toolchain, or `driftgate accept --reason` the new verdict.",
    },
    Class {
        name: "NONDETERMINISTIC",
        level: Level::Fail,
        meaning: "Identical inputs, and the verdict differs between runs.",
        next: "Find what the case depends on besides its inputs (time, addresses, threads, randomness) and pin it.",
    },
    Class {
        name: "TAMPERED",
        level: Level::Fail,
        meaning: "The recording does not hold together: the completion's bytes do not match their hash, or a status and its class contradict each other.",
        next: "Restore the cassette and its output from version control, or record them again.",
    },
    Class {
        name: "NEW",
        level: Level::Ok,
        meaning: "There is no earlier verdict to compare with.",
        next: "Nothing to do; `driftgate accept` stores the verdict.",
    },
    Class {
        name: "UNJUDGED",
        level: Level::Incomplete,
        meaning: "The completion could not be graded here, or there is none recorded.",
        next: "Read why; `driftgate doctor` says what this machine can do.",
    },
];

/// What a replay knows of the classes of a grader.
#[derive(Clone, Copy, Debug)]
pub struct KnownClasses {
    /// The grader's class table; `None` if its classes are an open set.
    pub table: Option<&'static [Class]>,
}

impl KnownClasses {
    /// Whether `outcome` is one the grader could have given.
    fn admits(self, outcome: &Outcome) -> bool {
        let Some(table) = self.table else { return true };
        table.iter().any(|class| {
            class.name == outcome.class && Level::of_status(outcome.status) == class.level
        })
    }
}

/// One (cassette, grader).
pub struct Replay {
    /// What is graded today; `None` if there is no recorded completion.
    pub head: Option<Pins>,
    /// The case's id.
    pub case: String,
    /// The case's file, from the root.
    pub case_path: String,
    /// The grader's id.
    pub grader: String,
    /// The grader's file, from the root, if it has one.
    pub grader_path: Option<String>,
    /// The recording.
    pub cassette: Option<Arc<Cassette>>,
    /// The recording's file, from the root.
    pub cassette_path: String,
    /// The classes the grader can give.
    pub known: KnownClasses,
}

/// Two verdicts and what moved between them.
struct Comparison<'a> {
    before: Option<&'a Outcome>,
    after: &'a Outcome,
    /// The second grading of today, made when the first differs from the recorded verdict.
    again: Option<&'a Outcome>,
    moved: BTreeSet<Input>,
}

impl Comparison<'_> {
    /// The transition between the two, as a total function.
    fn transition(&self) -> Transition {
        let Some(before) = self
            .before
            .filter(|before| before.status != Status::Unjudged)
        else {
            return if self.after.status == Status::Unjudged {
                Transition::Unjudged
            } else {
                Transition::New
            };
        };
        if self.after.status == Status::Unjudged {
            return Transition::Unjudged;
        }
        let differs = before != self.after;
        match self.again.filter(|_| differs) {
            Some(again) if again.status == Status::Unjudged => return Transition::Unjudged,
            Some(again) if again != self.after => return Transition::Nondeterministic,
            Some(_) | None => {}
        }
        let moved = |inputs: &[Input]| inputs.iter().any(|input| self.moved.contains(input));
        if moved(&[Input::Case, Input::Completion]) {
            Transition::CaseDrift
        } else if !differs {
            Transition::Stable
        } else if moved(&[Input::Grader, Input::Engine]) {
            Transition::GraderDrift
        } else if moved(&[Input::Toolchain, Input::System]) {
            Transition::ToolchainDrift
        } else {
            Transition::Nondeterministic
        }
    }

    /// Whether status stays and only the class differs: that keeps its name and is reviewed.
    fn only_class_differs(&self) -> bool {
        let same = |one: &Outcome, other: &Outcome| one.status == other.status;
        self.before.is_some_and(|before| same(before, self.after))
            && self.again.is_none_or(|again| same(again, self.after))
    }
}

impl Inquiry for Replay {
    type Ask = Trial;
    type Answer = Arc<Grading>;
    type Done = Row;

    fn next(&self, seen: &Seen<Trial, Arc<Grading>>) -> Next<Trial, Row> {
        let (Some(pins), Some(cassette)) = (&self.head, &self.cassette) else {
            return Next::Done(self.not_recorded());
        };
        if let Some(why) = self.tampered(pins, cassette) {
            return Next::Done(self.broken(cassette, why));
        }
        let first = want!(
            seen,
            Trial::Grade {
                pins: pins.clone(),
                nth: 0
            }
        );
        let today = &first.judgement.verdict.outcome;
        let before = cassette.verdicts.get(&self.grader);
        let judged = |outcome: &Outcome| outcome.status != Status::Unjudged;
        let suspicious =
            judged(today) && before.is_some_and(|before| judged(before) && before != today);
        let second = if suspicious {
            Some(want!(
                seen,
                Trial::Grade {
                    pins: pins.clone(),
                    nth: 1
                }
            ))
        } else {
            None
        };
        Next::Done(self.row(pins, cassette, first, second))
    }
}

impl Replay {
    fn start_row(&self, transition: Transition, why: impl Into<String>) -> Row {
        let mut row = Row::new(&self.case, transition.class(), why);
        row.grader = Some(self.grader.clone());
        row.repro = format!("driftgate replay --case {}", self.case);
        row.at = Some(At {
            path: self.case_path.clone(),
            line: 1,
        });
        row
    }

    fn not_recorded(&self) -> Row {
        let mut row = self.start_row(
            Transition::Unjudged,
            "no completion is recorded for this case",
        );
        row.next = "Record one: `driftgate record --from DIR`.".to_owned();
        row
    }

    /// Why the recording contradicts itself, if it does.
    fn tampered(&self, pins: &Pins, cassette: &Cassette) -> Option<String> {
        if pins.completion.digest != cassette.hashes.output {
            return Some(format!(
                "{} does not hash to the recorded output hash {}",
                cassette.output,
                cassette.hashes.output.short()
            ));
        }
        let outcome = cassette.verdicts.get(&self.grader)?;
        (!self.known.admits(outcome)).then(|| {
            format!(
                "the recorded verdict {outcome} is none that {} can give",
                self.grader
            )
        })
    }

    fn broken(&self, cassette: &Cassette, why: String) -> Row {
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

    fn row(
        &self,
        pins: &Pins,
        cassette: &Cassette,
        first: &Grading,
        second: Option<&Arc<Grading>>,
    ) -> Row {
        let verdict = &first.judgement.verdict;
        let recorded = cassette.hashes_for(&self.grader);
        let today = pins.hashes(first.judgement.system);
        let before = cassette.verdicts.get(&self.grader);
        let comparison = Comparison {
            before,
            after: &verdict.outcome,
            again: second.map(|second| &second.judgement.verdict.outcome),
            moved: recorded.moved(&today, &pins.grader),
        };
        let transition = comparison.transition();
        let why = why(transition, &comparison, &verdict.detail);
        let mut row = self.start_row(transition, why);
        if comparison.only_class_differs() && row.level == Level::Fail {
            row.level = Level::Review;
        }
        if transition == Transition::GraderDrift
            && let Some(path) = &self.grader_path
        {
            row.at = Some(At {
                path: path.clone(),
                line: 1,
            });
        }
        row.before = before.map(|outcome| outcome.status);
        row.after = Some(verdict.outcome.status);
        row.path = path(&recorded, &today, pins, before, &verdict.outcome);
        row.executed = first.executed || second.is_some_and(|second| second.executed);
        row.seconds = first.seconds + second.map_or(0.0, |second| second.seconds);
        row.hashes = Some(today);
        row.evidence.clone_from(&verdict.evidence);
        row.evidence
            .insert("verdict".to_owned(), json!(verdict.outcome));
        if let Some(before) = before {
            row.evidence.insert("recorded".to_owned(), json!(before));
        }
        if let Some(again) = comparison.again {
            row.evidence.insert("again".to_owned(), json!(again));
        }
        row.moved = comparison.moved;
        row
    }
}

/// The way from the recorded verdict to today's. Without a base it is one edge.
fn path(
    recorded: &Hashes,
    today: &Hashes,
    pins: &Pins,
    before: Option<&Outcome>,
    after: &Outcome,
) -> Vec<PathStep> {
    let moved = recorded.moved(today, &pins.grader);
    let axis = Axis::single(&moved);
    let axis = Edge::new(axis, moved).map_or(Axis::Unresolved, |edge| edge.axis());
    let step = |axis: &str, outcome: &Outcome| PathStep {
        axis: axis.to_owned(),
        status: outcome.status,
        class: outcome.class.clone(),
    };
    let recorded = before.map(|before| step("recorded", before));
    recorded
        .into_iter()
        .chain([step(axis.as_str(), after)])
        .collect()
}

/// One sentence on how the transition shows.
fn why(transition: Transition, comparison: &Comparison<'_>, detail: &str) -> String {
    let after = comparison.after;
    let before = comparison
        .before
        .map(ToString::to_string)
        .unwrap_or_default();
    let moved: Vec<_> = comparison
        .moved
        .iter()
        .map(|input| input.as_str())
        .collect();
    let moved = moved.join(", ");
    match transition {
        Transition::Stable if moved.is_empty() => format!("still {after}"),
        Transition::Stable => format!("still {after}, though {moved} moved"),
        Transition::CaseDrift => {
            format!(
                "the case was edited since the recording ({moved} moved): {before}, now {after}: {detail}"
            )
        }
        Transition::GraderDrift | Transition::ToolchainDrift => {
            format!("same case, same completion, {moved} moved: {before} became {after}: {detail}")
        }
        Transition::Nondeterministic => {
            let again = comparison.again.unwrap_or(after);
            format!("recorded {before}, then graded twice alike: {after}, {again}: {detail}")
        }
        Transition::New if before.is_empty() => format!("no recorded verdict; today {after}"),
        Transition::New => format!("recorded {before}; today {after}"),
        Transition::Unjudged => format!("{}: {detail}", after.class),
        Transition::Tampered => detail.to_owned(),
    }
}

#[cfg(test)]
mod tests;
