//! `accept`: what an existing recording comes to today, for a person who has reviewed it.
//!
//! **Pins** the tree. **Moves** nothing. **Names** whether a cassette took today's verdicts.
//! **Cannot see** whether the change was meant: that is what the reason is for.

use std::sync::Arc;

use crate::model::cassette::Cassette;
use crate::model::class::{Class, Level};
use crate::model::inquiry::{Inquiry, Next, NonEmpty, Seen};
use crate::model::pins::Pins;
use crate::model::trial::{Grading, Trial};

use super::ExperimentKind;

/// The entry in the table of experiments.
pub const KIND: ExperimentKind = ExperimentKind {
    name: "accept",
    classes: CLASSES,
};

/// Every class of an accept row.
pub const CLASSES: &[Class] = &[
    Class {
        name: "ACCEPTED",
        level: Level::Ok,
        meaning: "The cassette took today's hashes and verdicts, and the reason stands beside what it said before.",
        next: "Commit the cassette.",
    },
    Class {
        name: "KEPT",
        level: Level::Ok,
        meaning: "Neither the case nor a grader moved and no verdict differs, so the cassette was left alone.",
        next: "Nothing to do.",
    },
    Class {
        name: "REFUSED",
        level: Level::Fail,
        meaning: "The cassette was left alone: its completion is not the recorded one, or two gradings disagree.",
        next: "Record the completion again, or find what makes the verdict flip.",
    },
    Class {
        name: "NOT_JUDGED",
        level: Level::Incomplete,
        meaning: "The cassette was left alone because the completion could not be graded here.",
        next: "Run it on a machine that can grade the case.",
    },
];

/// A cassette took today's state.
pub const ACCEPTED: &Class = &CLASSES[0];
/// A cassette was left alone.
pub const KEPT: &Class = &CLASSES[1];
/// A cassette must not be rewritten.
pub const REFUSED: &Class = &CLASSES[2];
/// There is nothing to take.
pub const NOT_JUDGED: &Class = &CLASSES[3];

/// One recording under each grader of its case. Where a verdict differs from the recorded one it
/// is graded again.
pub struct Acceptance {
    /// What is graded, one entry a grader.
    pub pins: Vec<Pins>,
    /// What it said until now.
    pub cassette: Arc<Cassette>,
}

/// What one grader said.
pub struct Regraded {
    /// What was graded.
    pub pins: Pins,
    /// What it came to.
    pub first: Arc<Grading>,
    /// What it came to the second time, where there was one.
    pub second: Option<Arc<Grading>>,
}

impl Inquiry for Acceptance {
    type Ask = Trial;
    type Answer = Arc<Grading>;
    type Done = Vec<Regraded>;

    fn next(&self, seen: &Seen<Trial, Arc<Grading>>) -> Next<Trial, Vec<Regraded>> {
        let trial = |pins: &Pins, nth| Trial::Grade {
            pins: pins.clone(),
            nth,
        };
        let mut missing = Vec::new();
        let mut regraded = Vec::new();
        for pins in &self.pins {
            let Some(first) = seen.get(&trial(pins, 0)) else {
                missing.push(trial(pins, 0));
                continue;
            };
            let recorded = self.cassette.verdicts.get(&pins.grader.id);
            let differs = recorded.is_some_and(|said| *said != first.judgement.verdict.outcome);
            let second = seen.get(&trial(pins, 1)).filter(|_| differs);
            if differs && second.is_none() {
                missing.push(trial(pins, 1));
            }
            regraded.push(Regraded {
                pins: pins.clone(),
                first: Arc::clone(first),
                second: second.cloned(),
            });
        }
        match NonEmpty::from_vec(missing) {
            Some(asks) => Next::Ask(asks),
            None => Next::Done(regraded),
        }
    }
}
