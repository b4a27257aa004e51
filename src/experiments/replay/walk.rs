//! The walk from the recorded verdict to today's, one axis a step, and what each step shows.

use std::collections::BTreeSet;

use crate::model::edge::{Axis, Edge};
use crate::model::pins::Input;
use crate::model::row::PathStep;
use crate::model::verdict::{Outcome, Status};

use super::classes::Transition;

/// A verdict on the walk, and what moved to get there from the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The verdict.
    pub outcome: Outcome,
    /// The second grading of the same pins, where one was made.
    pub again: Option<Outcome>,
    /// The axis of the step that leads here.
    pub axis: Axis,
    /// What moved along it.
    pub moved: BTreeSet<Input>,
}

impl Point {
    /// Whether two gradings of the same pins came out differently.
    fn disagrees(&self) -> bool {
        self.again
            .as_ref()
            .is_some_and(|again| *again != self.outcome)
    }
}

/// One thing the walk shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its name.
    pub transition: Transition,
    /// The verdict before the step.
    pub before: Outcome,
    /// The verdict after it.
    pub after: Outcome,
    /// What moved along it.
    pub moved: BTreeSet<Input>,
}

/// A walk over judged verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    start: Outcome,
    points: Vec<Point>,
}

impl Walk {
    /// A walk from `start` along `points`. A point without a verdict leaves it; its step and the
    /// next become one step in which both axes move.
    #[must_use]
    pub fn new(start: Outcome, points: Vec<Point>) -> Self {
        let mut kept: Vec<Point> = Vec::new();
        let mut carried: Option<(Axis, BTreeSet<Input>)> = None;
        for mut point in points {
            if let Some((axis, moved)) = carried.take() {
                if !moved.is_empty() {
                    point.axis = if point.moved.is_empty() {
                        axis
                    } else {
                        Axis::Unresolved
                    };
                }
                point.moved.extend(moved);
            }
            if point.outcome.status == Status::Unjudged {
                carried = Some((point.axis, point.moved));
            } else {
                kept.push(point);
            }
        }
        Self {
            start,
            points: kept,
        }
    }

    /// Everything the walk shows, strongest first.
    #[must_use]
    pub fn shown(&self) -> Vec<Shown> {
        let mut shown = Vec::new();
        let mut before = &self.start;
        for point in &self.points {
            for transition in transitions(before, point) {
                shown.push(Shown {
                    transition,
                    before: before.clone(),
                    after: point.outcome.clone(),
                    moved: point.moved.clone(),
                });
            }
            before = &point.outcome;
        }
        shown.sort_by_key(|shown| shown.transition);
        shown
    }

    /// The inputs that moved anywhere on the walk.
    #[must_use]
    pub fn moved(&self) -> BTreeSet<Input> {
        self.points
            .iter()
            .flat_map(|point| point.moved.iter().copied())
            .collect()
    }

    /// The steps for the report. A step along which nothing moved and nothing changed is none.
    #[must_use]
    pub fn path(&self, start: &str) -> Vec<PathStep> {
        let step = |axis: &str, outcome: &Outcome| PathStep {
            axis: axis.to_owned(),
            status: outcome.status,
            class: outcome.class.clone(),
        };
        let mut path = vec![step(start, &self.start)];
        let mut before = &self.start;
        for point in &self.points {
            if !point.moved.is_empty() || *before != point.outcome {
                // The edge's own constructor has the last word on what it moves.
                let edge = Edge::new(point.axis, point.moved.clone());
                let axis = edge.map_or(Axis::Unresolved, |edge| edge.axis());
                path.push(step(axis.as_str(), &point.outcome));
            }
            before = &point.outcome;
        }
        path
    }
}

/// What one step shows, as a total function of the verdict before it and the point after.
fn transitions(before: &Outcome, point: &Point) -> Vec<Transition> {
    let moved = |inputs: &[Input]| inputs.iter().any(|input| point.moved.contains(input));
    let differs = *before != point.outcome;
    let mut shown = Vec::new();
    if point.disagrees() {
        shown.push(Transition::Nondeterministic);
    } else if differs {
        shown.push(if moved(&[Input::Grader, Input::Engine]) {
            Transition::GraderDrift
        } else if moved(&[Input::Toolchain, Input::System]) {
            Transition::ToolchainDrift
        } else if moved(&[Input::Completion]) {
            Transition::ModelDrift
        } else if moved(&[Input::Case]) {
            Transition::CaseDrift
        } else {
            Transition::Nondeterministic
        });
    } else if moved(&[Input::Completion]) {
        shown.push(Transition::Rerecorded);
    }
    if moved(&[Input::Case]) && !shown.contains(&Transition::CaseDrift) {
        shown.push(Transition::CaseDrift);
    }
    shown
}
