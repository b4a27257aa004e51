//! `grade`: the graders on what stands in the tree, each row held against the class expected of
//! it.
//!
//! **Pins** the tree. **Moves** nothing. **Names** the grader's own class. **Cannot see** drift:
//! there is no before.

pub mod decision;
pub mod tree;

use std::sync::Arc;

use serde_json::json;

use crate::graders::GraderKind;
use crate::model::class::{self, Class, Level};
use crate::model::inquiry::{Inquiry, Next, Seen};
use crate::model::pins::Pins;
use crate::model::row::{At, Row};
use crate::model::trial::{Grading, Trial};
use crate::want;

/// One candidate under one grader.
pub struct Graded {
    /// What is graded.
    pub pins: Pins,
    /// The kind of the grader.
    pub kind: &'static GraderKind,
    /// The class that is as it should be; `None`: any that passes.
    pub expect_class: Option<String>,
}

/// A class that a table does not list: an open string of a grader.
const OPEN: Class = Class {
    name: "",
    level: Level::Fail,
    meaning: "A class of the grader's own.",
    next: "Read the detail.",
};

impl Inquiry for Graded {
    type Ask = Trial;
    type Answer = Arc<Grading>;
    type Done = Row;

    fn next(&self, seen: &Seen<Trial, Arc<Grading>>) -> Next<Trial, Row> {
        let grading = want!(
            seen,
            Trial::Grade {
                pins: self.pins.clone(),
                nth: 0
            }
        );
        let verdict = &grading.judgement.verdict;
        let outcome = &verdict.outcome;
        let entry = class::find(self.kind.classes, &outcome.class).unwrap_or(&OPEN);
        let row = Row::new(&self.pins.case.id, entry, &verdict.detail);
        let mut row = row.graded(&self.pins, grading);
        row.class.clone_from(&outcome.class);
        let level = Level::of_status(outcome.status);
        row.level = match &self.expect_class {
            None => level,
            Some(expected) if *expected == outcome.class => Level::Ok,
            Some(_) => level.max(Level::Incomplete),
        };
        if row.level == Level::Ok {
            row.next.clear();
        }
        row.at = Some(At {
            path: self.pins.case.path.clone(),
            line: 1,
        });
        row.repro = format!("driftgate grade --case {}", self.pins.case.id);
        if let Some(expected) = &self.expect_class {
            let name = "expect_class".to_owned();
            row.evidence.insert(name, json!(expected));
        }
        Next::Done(row)
    }
}
