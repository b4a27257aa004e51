//! `replay`: was it the case, the grader, the toolchain, or the model?
//!
//! **Pins** everything at the base, as recorded.
//! **Moves** one axis a step, from the recorded verdict to today's: the machine, the grader, the
//! case, the completion.
//! **Names** the input behind a changed verdict, or that nothing moved and the verdict flips by
//! itself. Without a base there is one step, and a case that moved is not comparable.
//! **Cannot see** a fault that no case reaches, nor drift in an input that no verdict depends on.

pub mod acceptance;
pub mod base;
pub mod classes;
mod recording;
mod rows;
pub mod walk;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::cassette::Cassette;
use crate::model::class::{Class, Level};
use crate::model::edge::Axis;
use crate::model::inquiry::{Inquiry, Next, Seen};
use crate::model::pins::{Input, Pins};
use crate::model::row::{At, Row};
use crate::model::trial::{Grading, Trial};
use crate::model::verdict::{Outcome, Status};
use crate::want;

use super::ExperimentKind;
use acceptance::Change;
use base::Base;
pub use classes::{CLASSES, Transition};
use rows::{Finding, unjudged_today};
use walk::{Point, Shown, Walk};

/// The entry in the table of experiments.
pub const KIND: ExperimentKind = ExperimentKind {
    name: "replay",
    classes: CLASSES,
};

type Trials = Seen<Trial, Arc<Grading>>;

/// A (case, grader) that the base has and head has not.
pub struct Gone(Row);

impl Gone {
    /// Notes that `grader` judged the case `id`, defined in the file `path`, at the base.
    #[must_use]
    pub fn new(id: &str, path: &str, grader: &str) -> Self {
        let why = "the base judges this and head does not";
        let mut row = Row::new(id, Transition::Removed.class(), why);
        row.grader = Some(grader.to_owned());
        row.at = Some(At {
            path: path.to_owned(),
            line: 1,
        });
        Self(row)
    }
}

impl Inquiry for Gone {
    type Ask = Trial;
    type Answer = Arc<Grading>;
    type Done = Row;

    fn next(&self, _: &Trials) -> Next<Trial, Row> {
        Next::Done(self.0.clone())
    }
}

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
        let fits = |class: &Class| {
            class.name == outcome.class && Level::of_status(outcome.status) == class.level
        };
        table.iter().any(fits)
    }
}

/// What the recording is compared with.
pub enum Before {
    /// There is no base: the cassette alone.
    Alone,
    /// There is a base, and it has no verdict of this grader on this case.
    Nothing,
    /// The base has one.
    Base(Box<Base>),
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
    /// The file that a change of the grader is in, from the root, if it has one.
    pub grader_path: Option<String>,
    /// The recording.
    pub cassette: Option<Arc<Cassette>>,
    /// The recording's file, from the root.
    pub cassette_path: String,
    /// The classes the grader can give.
    pub known: KnownClasses,
    /// What it is compared with.
    pub before: Before,
    /// The command that shows it again, without the case.
    pub command: String,
}

impl Inquiry for Replay {
    type Ask = Trial;
    type Answer = Arc<Grading>;
    type Done = Row;

    fn next(&self, seen: &Trials) -> Next<Trial, Row> {
        let (Some(pins), Some(cassette)) = (&self.head, &self.cassette) else {
            return Next::Done(self.not_recorded());
        };
        if let Some(why) = self.tampered(pins, cassette) {
            return Next::Done(self.broken(cassette, why));
        }
        match &self.before {
            Before::Base(base) => {
                let change = acceptance::change(&base.cassette, cassette);
                let recorded = base.cassette.verdicts.get(&self.grader);
                match recorded.filter(|recorded| is_judged(Some(recorded))) {
                    Some(recorded) => {
                        let before = (&**base, recorded, change);
                        self.compare_with_base(seen, pins, cassette, before)
                    }
                    None => self.compare_with_nothing(seen, pins, cassette, (recorded, change)),
                }
            }
            Before::Nothing => {
                let recorded = cassette.verdicts.get(&self.grader);
                let recorded = recorded.filter(|recorded| !is_judged(Some(recorded)));
                self.compare_with_nothing(seen, pins, cassette, (recorded, Change::NewOutput))
            }
            Before::Alone => self.compare_with_cassette(seen, pins, cassette),
        }
    }
}

fn is_judged(outcome: Option<&Outcome>) -> bool {
    outcome.is_some_and(|outcome| outcome.status != Status::Unjudged)
}

fn outcome(grading: &Grading) -> &Outcome {
    &grading.judgement.verdict.outcome
}

fn grade(pins: &Pins, nth: u32) -> Trial {
    Trial::Grade {
        pins: pins.clone(),
        nth,
    }
}

impl Replay {
    /// Without a base: one step, in which a moved case makes verdicts not comparable.
    fn compare_with_cassette(
        &self,
        seen: &Trials,
        pins: &Pins,
        cassette: &Cassette,
    ) -> Next<Trial, Row> {
        let Some(recorded) = cassette
            .verdicts
            .get(&self.grader)
            .filter(|outcome| is_judged(Some(outcome)))
        else {
            let recorded = cassette.verdicts.get(&self.grader);
            return self.compare_with_nothing(seen, pins, cassette, (recorded, Change::None));
        };
        let today = want!(seen, grade(pins, 0));
        if !is_judged(Some(outcome(today))) {
            return Next::Done(self.unjudged(pins, Some(recorded), today));
        }
        let again = match outcome(today) == recorded {
            true => None,
            false => Some(want!(seen, grade(pins, 1))),
        };
        if let Some(again) = again.filter(|again| !is_judged(Some(outcome(again)))) {
            return Next::Done(self.unjudged(pins, Some(recorded), again));
        }
        let moved = cassette
            .hashes_for(&self.grader)
            .moved(&pins.hashes(today.judgement.system), &pins.grader);
        // Where the case moved nothing else can be told, and gradings that disagree prove nothing.
        let mut decides = moved.clone();
        let disagree = again.is_some_and(|again| outcome(again) != outcome(today));
        if disagree || moved.contains(&Input::Case) {
            decides.retain(|input| *input == Input::Case);
        }
        let point = Point {
            outcome: outcome(today).clone(),
            again: again.map(|again| outcome(again).clone()),
            axis: Axis::single(&moved),
            moved: decides,
        };
        let walk = Walk::new(recorded.clone(), BTreeSet::new(), vec![point]);
        let gradings = [Some(today), again]
            .into_iter()
            .flatten()
            .map(|grading| &**grading);
        Next::Done(self.row(
            pins,
            Finding {
                shown: walk.shown(),
                walk,
                start: "recorded",
                moved,
                inherited: false,
                today,
                gradings: gradings.collect(),
            },
        ))
    }

    /// No earlier verdict. A cassette that is new or changed must still replay to itself.
    fn compare_with_nothing(
        &self,
        seen: &Trials,
        pins: &Pins,
        cassette: &Cassette,
        (recorded, change): (Option<&Outcome>, Change),
    ) -> Next<Trial, Row> {
        let today = want!(seen, grade(pins, 0));
        let before = recorded.unwrap_or(outcome(today));
        let mut finding = Finding {
            shown: Vec::new(),
            walk: Walk::new(outcome(today).clone(), BTreeSet::new(), Vec::new()),
            start: "head",
            moved: BTreeSet::new(),
            inherited: false,
            today,
            gradings: vec![today],
        };
        finding
            .shown
            .extend(self.unfounded(change, before, outcome(today)));
        if !is_judged(Some(outcome(today))) {
            if finding.shown.is_empty() {
                return Next::Done(self.unjudged(pins, recorded, today));
            }
            finding.shown.push(unjudged_today(before, today));
            return Next::Done(self.row(pins, finding));
        }
        match self.contradiction(seen, pins, cassette, today) {
            Next::Ask(asks) => return Next::Ask(asks),
            Next::Done(shown) => finding.shown.extend(shown),
        }
        Shown::sort(&mut finding.shown);
        if finding.shown.is_empty() {
            let mut row = self.row(pins, finding);
            self.rename(
                &mut row,
                Transition::New,
                match recorded {
                    Some(recorded) => format!("recorded {recorded}; today {}", outcome(today)),
                    None => format!("no earlier verdict; today {}", outcome(today)),
                },
            );
            row.before = recorded.map(|outcome| outcome.status);
            return Next::Done(row);
        }
        Next::Done(self.row(pins, finding))
    }
}

#[cfg(test)]
mod tests;
