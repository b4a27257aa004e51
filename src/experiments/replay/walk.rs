//! The walk from the recorded verdict to today's, one axis a step, and what each step shows.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::model::class::Level;
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

    /// Whether there is a verdict.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.outcome.status != Status::Unjudged
    }

    /// Adds a second grading. One without a verdict leaves the first one unproven.
    pub fn confirm(&mut self, again: &Outcome) {
        if again.status == Status::Unjudged {
            self.outcome = again.clone();
        }
        self.again = Some(again.clone());
    }
}

/// Of two gradings the one that tells most from `before`: another status before another class,
/// and the first grading before the second.
#[must_use]
pub fn told_from<'a>(
    before: &Outcome,
    first: &'a Outcome,
    second: Option<&'a Outcome>,
) -> &'a Outcome {
    let gradings = || std::iter::once(first).chain(second);
    gradings()
        .find(|outcome| outcome.status != before.status)
        .or_else(|| gradings().find(|outcome| *outcome != before))
        .unwrap_or(first)
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
    /// Whether it was there before the base.
    pub inherited: bool,
    /// What there is to say besides; for what no step of a walk shows.
    pub note: Option<&'static str>,
}

impl Shown {
    /// What it means for the build. Where only the class differs the name stays and a person
    /// looks; what head did not cause never fails it.
    #[must_use]
    pub fn level(&self) -> Level {
        let level = self.transition.class().level;
        let is_drift = !matches!(
            self.transition,
            Transition::Tampered | Transition::StaleAccept | Transition::Unjudged
        );
        let only_class = self.before.status == self.after.status && self.before != self.after;
        if is_drift && (only_class || self.inherited) {
            level.min(Level::Review)
        } else {
            level
        }
    }

    /// Strongest first, and of one name the strictest.
    pub fn sort(shown: &mut [Self]) {
        shown.sort_by_key(|shown| (shown.transition, Reverse(shown.level())));
    }
}

/// A walk over judged verdicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    start: Outcome,
    /// What had moved before the walk began, so that its first step proves nothing.
    stale: BTreeSet<Input>,
    points: Vec<Point>,
    /// What moved after the last verdict.
    rest: BTreeSet<Input>,
}

impl Walk {
    /// A walk from `start` along `points`. A point without a verdict leaves it; its step and the
    /// next become one step in which both axes move. `stale` is what moved between the inputs
    /// behind `start` and those that the first step starts from.
    #[must_use]
    pub fn new(start: Outcome, stale: BTreeSet<Input>, points: Vec<Point>) -> Self {
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
            if point.is_judged() {
                kept.push(point);
            } else {
                carried = Some((point.axis, point.moved));
            }
        }
        Self {
            start,
            stale,
            points: kept,
            rest: carried.map(|(_, moved)| moved).unwrap_or_default(),
        }
    }

    /// Whether the first step only shows what moved before it: then the walk starts after it.
    #[must_use]
    pub fn inherited(&self) -> bool {
        !self.stale.is_empty()
            && self
                .points
                .first()
                .is_some_and(|first| first.outcome != self.start && !first.disagrees())
    }

    /// Everything the walk shows, strongest first.
    #[must_use]
    pub fn shown(&self) -> Vec<Shown> {
        let mut shown = Vec::new();
        let inherited = self.inherited();
        let mut differs = false;
        for (before, point) in self.steps().skip(usize::from(inherited)) {
            differs |= before.outcome != point.outcome;
            shown.extend(step(&before, point));
        }
        if inherited && let Some((before, point)) = self.steps().next() {
            let mut point = point.clone();
            let by_head = point.moved.contains(&Input::Case);
            point
                .moved
                .retain(|input| Axis::of(*input) != Axis::Machine);
            point.moved.extend(&self.stale);
            shown.extend(step(&before, &point).into_iter().filter_map(|shown| {
                let fact = by_head && shown.transition == Transition::CaseDrift;
                (fact || !differs).then_some(Shown {
                    inherited: true,
                    ..shown
                })
            }));
        }
        if self.rest.contains(&Input::Case) {
            let last = self.points.last().map_or(&self.start, |last| &last.outcome);
            shown.push(Shown {
                transition: Transition::CaseDrift,
                before: last.clone(),
                after: last.clone(),
                moved: self.rest.clone(),
                inherited: false,
                note: None,
            });
        }
        Shown::sort(&mut shown);
        shown
    }

    /// Every point with the one before it.
    fn steps(&self) -> impl Iterator<Item = (Point, &Point)> {
        let start = Point {
            outcome: self.start.clone(),
            again: None,
            axis: Axis::None,
            moved: BTreeSet::new(),
        };
        let before = std::iter::once(start).chain(self.points.iter().cloned());
        before.zip(&self.points)
    }

    /// The inputs that moved since the recording.
    #[must_use]
    pub fn moved(&self) -> BTreeSet<Input> {
        let walked = self.points.iter().flat_map(|point| &point.moved);
        walked
            .chain(&self.stale)
            .chain(&self.rest)
            .copied()
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
        let skipped = usize::from(self.inherited());
        let first = match skipped {
            0 => None,
            _ => self.points.first(),
        };
        let mut before = first.map_or(&self.start, |first| &first.outcome);
        let start = if first.is_some() { "base" } else { start };
        let mut path = vec![step(start, before)];
        for point in self.points.iter().skip(skipped) {
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

/// What one step shows.
fn step(before: &Point, point: &Point) -> Vec<Shown> {
    let shown = transitions(before, point).into_iter();
    let shown = shown.map(|transition| {
        let after = if transition == Transition::Nondeterministic {
            told_from(&before.outcome, &point.outcome, point.again.as_ref())
        } else {
            &point.outcome
        };
        Shown {
            transition,
            before: before.outcome.clone(),
            after: after.clone(),
            moved: point.moved.clone(),
            inherited: false,
            note: None,
        }
    });
    shown.collect()
}

/// The names of a step, as a total function of the point before it and the point after.
fn transitions(before: &Point, point: &Point) -> Vec<Transition> {
    let moved = |inputs: &[Input]| inputs.iter().any(|input| point.moved.contains(input));
    let differs = before.outcome != point.outcome;
    let mut shown = Vec::new();
    if point.disagrees() {
        shown.push(Transition::Nondeterministic);
    }
    // Gradings that disagree prove nothing of a machine, a case or a completion. Head's own edit
    // of the grader is never excused by them.
    let unproven = point.disagrees() || moved(&[Input::Completion]) && before.disagrees();
    if differs && (!unproven || moved(&[Input::Grader])) {
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
    } else if !differs && !point.disagrees() && moved(&[Input::Completion]) {
        shown.push(Transition::Rerecorded);
    }
    if moved(&[Input::Case]) && !shown.contains(&Transition::CaseDrift) {
        shown.push(Transition::CaseDrift);
    }
    shown
}
