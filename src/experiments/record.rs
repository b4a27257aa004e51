//! `record`: what a new completion comes to under every grader of its case.
//!
//! **Pins** the tree. **Moves** nothing. **Names** whether a recording was made. **Cannot see**
//! drift: it makes the baseline.

use std::sync::Arc;

use crate::model::class::{Class, Level};
use crate::model::inquiry::{Inquiry, Next, NonEmpty, Seen};
use crate::model::pins::Pins;
use crate::model::trial::{Grading, Trial};

use super::ExperimentKind;

/// The entry in the table of experiments.
pub const KIND: ExperimentKind = ExperimentKind {
    name: "record",
    classes: CLASSES,
};

/// Every class of a record row.
pub const CLASSES: &[Class] = &[
    Class {
        name: "RECORDED",
        level: Level::Ok,
        meaning: "The completion was stored with its hashes and verdicts.",
        next: "Commit the cassette and its output.",
    },
    Class {
        name: "UNCHANGED",
        level: Level::Ok,
        meaning: "The cassette already holds these bytes and was left alone.",
        next: "`driftgate accept --reason` takes new verdicts for the same bytes.",
    },
];

/// A completion was recorded.
pub const RECORDED: &Class = &CLASSES[0];
/// A cassette was left alone.
pub const UNCHANGED: &Class = &CLASSES[1];

/// One completion under each of its graders.
pub struct Recording {
    /// What is graded, one entry a grader.
    pub pins: Vec<Pins>,
}

impl Inquiry for Recording {
    type Ask = Trial;
    type Answer = Arc<Grading>;
    type Done = Vec<(Pins, Arc<Grading>)>;

    fn next(&self, seen: &Seen<Trial, Arc<Grading>>) -> Next<Trial, Self::Done> {
        let trials = self.pins.iter().map(|pins| Trial::Grade {
            pins: pins.clone(),
            nth: 0,
        });
        let missing = trials
            .clone()
            .filter(|trial| !seen.contains_key(trial))
            .collect();
        if let Some(asks) = NonEmpty::from_vec(missing) {
            return Next::Ask(asks);
        }
        let answers = trials.filter_map(|trial| seen.get(&trial).cloned());
        Next::Done(self.pins.iter().cloned().zip(answers).collect())
    }
}
