//! The comparison with a base: the walk from its recorded verdict to head's, one axis a step.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::acceptance::Change;
use super::rows::{Finding, explain, unjudged_today};
use super::walk::{Point, Shown, Walk};
use super::{Replay, Trials, grade, is_judged, outcome};
use crate::model::cassette::Cassette;
use crate::model::edge::Axis;
use crate::model::inquiry::{Next, NonEmpty};
use crate::model::pins::{Input, Pins};
use crate::model::row::Row;
use crate::model::trial::{Grading, Trial};
use crate::model::verdict::Outcome;

/// The base's side of a replay.
pub struct Base {
    /// The base's recording.
    pub cassette: Arc<Cassette>,
    /// Base case, base completion, base grader.
    pub recorded: Pins,
    /// Base case, base completion, head grader.
    pub regraded: Pins,
    /// Head case, base completion, head grader.
    pub recased: Pins,
}

/// A stop of the walk: what is graded there, and the step that leads there.
struct Stop<'a> {
    pins: &'a Pins,
    axis: Axis,
    moved: BTreeSet<Input>,
}

impl Replay {
    /// The walk from the base's recorded verdict to head's.
    pub(super) fn compare_with_base(
        &self,
        seen: &Trials,
        pins: &Pins,
        cassette: &Cassette,
        (base, recorded, change): (&Base, &Outcome, Change),
    ) -> Next<Trial, Row> {
        let stops = base.stops(pins);
        let gradings = match answers(seen, stops.iter().map(|stop| grade(stop.pins, 0))) {
            Next::Ask(asks) => return Next::Ask(asks),
            Next::Done(gradings) => gradings,
        };
        let points = base.points(&self.grader, &stops, &gradings);
        let points = match confirmed(seen, recorded, &stops, points) {
            Next::Ask(asks) => return Next::Ask(asks),
            Next::Done(points) => points,
        };
        let (Some(first), Some(last)) = (gradings.first(), gradings.last()) else {
            return Next::Done(self.not_recorded());
        };
        let unjudged = match points.last() {
            Some(point) if point.is_judged() => None,
            _ => Some(match is_judged(Some(outcome(last))) {
                true => &**seen.get(&grade(pins, 1)).unwrap_or(last),
                false => &***last,
            }),
        };
        let twice = stops
            .iter()
            .zip(&points)
            .filter(|(_, point)| point.again.is_some());
        let twice = twice.filter_map(|(stop, _)| seen.get(&grade(stop.pins, 1)));
        let all = gradings.iter().copied().chain(twice);
        let all = all.map(|grading| &**grading).collect();
        let walk = Walk::new(recorded.clone(), base.stale(&self.grader, first), points);
        let mut shown = walk.shown();
        shown.extend(self.unfounded(change, recorded, outcome(last)));
        match unjudged {
            Some(unjudged) => shown.push(unjudged_today(recorded, unjudged)),
            None => match self.contradiction(seen, pins, cassette, last) {
                Next::Ask(asks) => return Next::Ask(asks),
                Next::Done(found) => shown.extend(found),
            },
        }
        Shown::sort(&mut shown);
        let mut row = self.row(
            pins,
            Finding {
                shown,
                moved: walk.moved(),
                start: "recorded",
                inherited: walk.inherited(),
                walk,
                today: unjudged.unwrap_or(last),
                gradings: all,
            },
        );
        if change == Change::Accepted && self.explains(pins, cassette, last) {
            explain(&mut row, cassette);
        }
        Next::Done(row)
    }
}

/// The answers to `trials`, or the request for those that are missing.
fn answers(seen: &Trials, trials: impl Iterator<Item = Trial>) -> Next<Trial, Vec<&Arc<Grading>>> {
    let trials: Vec<Trial> = trials.collect();
    let missing: BTreeSet<&Trial> = trials
        .iter()
        .filter(|trial| !seen.contains_key(*trial))
        .collect();
    match NonEmpty::from_vec(missing.into_iter().cloned().collect()) {
        Some(asks) => Next::Ask(asks),
        None => Next::Done(trials.iter().filter_map(|trial| seen.get(trial)).collect()),
    }
}

/// The points, with a second grading wherever one alone would prove nothing.
fn confirmed(
    seen: &Trials,
    recorded: &Outcome,
    stops: &[Stop<'_>],
    mut points: Vec<Point>,
) -> Next<Trial, Vec<Point>> {
    loop {
        let mut wanted = unproven(recorded, &points);
        wanted.retain(|at| points.get(*at).is_some_and(|point| point.again.is_none()));
        if wanted.is_empty() {
            return Next::Done(points);
        }
        let pins = wanted.iter().filter_map(|at| stops.get(*at));
        let again = match answers(seen, pins.map(|stop| grade(stop.pins, 1))) {
            Next::Ask(asks) => return Next::Ask(asks),
            Next::Done(again) => again,
        };
        for (at, again) in wanted.into_iter().zip(again) {
            if let Some(point) = points.get_mut(at) {
                point.confirm(outcome(again));
            }
        }
    }
}

/// Where one grading proves nothing: at the base, when the machine changed its verdict, and on
/// both sides of a new completion, when they differ; the base first, for whether it has a verdict
/// decides what the completion is compared with.
fn unproven(recorded: &Outcome, points: &[Point]) -> BTreeSet<usize> {
    if points.first().is_some_and(|first| {
        first.is_judged() && first.again.is_none() && first.outcome != *recorded
    }) {
        return BTreeSet::from([0]);
    }
    let mut wanted = BTreeSet::new();
    let judged = |(_, point): &(usize, &Point)| point.is_judged();
    if let Some((last, earlier)) = points.split_last()
        && last.is_judged()
        && last.moved.contains(&Input::Completion)
    {
        let before = earlier.iter().enumerate().rev().find(judged);
        if before.map_or(recorded, |(_, point)| &point.outcome) != &last.outcome {
            wanted.extend(before.map(|(at, _)| at));
            wanted.insert(earlier.len());
        }
    }
    wanted
}

impl Base {
    /// Where the walk stops. Stops whose inputs hash the same are one.
    fn stops<'a>(&'a self, head: &'a Pins) -> Vec<Stop<'a>> {
        let mut stops = vec![Stop {
            pins: &self.recorded,
            axis: Axis::Machine,
            moved: BTreeSet::new(),
        }];
        for (pins, axis, moved) in [
            (&self.regraded, Axis::Grader, self.grader_moved()),
            (&self.recased, Axis::Case, self.case_moved()),
            (head, Axis::Completion, self.completion_moved(head)),
        ] {
            if let Some(moved) = moved {
                stops.push(Stop {
                    pins,
                    axis,
                    moved: BTreeSet::from([moved]),
                });
            }
        }
        stops
    }

    /// What the first gradings came to.
    fn points(&self, grader: &str, stops: &[Stop<'_>], gradings: &[&Arc<Grading>]) -> Vec<Point> {
        let points = stops.iter().zip(gradings).map(|(stop, grading)| Point {
            outcome: outcome(grading).clone(),
            again: None,
            axis: stop.axis,
            moved: match stop.axis {
                Axis::Machine => self.machine_moved(grader, grading),
                Axis::None | Axis::Grader | Axis::Case | Axis::Completion | Axis::Unresolved => {
                    stop.moved.clone()
                }
            },
        });
        points.collect()
    }

    /// What moved between the recording at the base and the base's own files, the machine apart:
    /// the recorded verdict is then no evidence about them.
    fn stale(&self, grader: &str, at_base: &Grading) -> BTreeSet<Input> {
        let mut moved = self.moved_since_recording(grader, at_base);
        moved.retain(|input| Axis::of(*input) != Axis::Machine);
        moved
    }

    fn machine_moved(&self, grader: &str, at_base: &Grading) -> BTreeSet<Input> {
        let mut moved = self.moved_since_recording(grader, at_base);
        moved.retain(|input| Axis::of(*input) == Axis::Machine);
        if !is_judged(Some(outcome(at_base))) {
            // What could not be graded read nothing; that is no move.
            moved.remove(&Input::System);
        }
        moved
    }

    fn moved_since_recording(&self, grader: &str, at_base: &Grading) -> BTreeSet<Input> {
        let now = self.recorded.hashes(at_base.judgement.system);
        self.cassette
            .hashes_for(grader)
            .moved(&now, &self.recorded.grader)
    }

    fn grader_moved(&self) -> Option<Input> {
        let same = self.recorded.grader.digest() == self.regraded.grader.digest();
        (!same).then_some(Input::Grader)
    }

    fn case_moved(&self) -> Option<Input> {
        let digests = |pins: &Pins| {
            let case = &pins.case;
            (case.prompt, case.fixture_digest(), case.contract_digest())
        };
        (digests(&self.regraded) != digests(&self.recased)).then_some(Input::Case)
    }

    fn completion_moved(&self, head: &Pins) -> Option<Input> {
        let same = self.recased.completion.digest == head.completion.digest;
        (!same).then_some(Input::Completion)
    }
}
