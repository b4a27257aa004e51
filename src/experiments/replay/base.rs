//! The comparison with a base: the walk from its recorded verdict to head's, one axis a step.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::acceptance::Change;
use super::rows::{Finding, explain};
use super::walk::{Point, Walk};
use super::{Replay, Transition, Trials, grade, is_judged, outcome};
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

/// The gradings along the walk.
struct Stops<'a> {
    /// Of [`Base::recorded`].
    at_base: &'a Grading,
    /// Of [`Base::regraded`].
    regraded: &'a Grading,
    /// Of [`Base::recased`].
    recased: &'a Grading,
    /// Of head.
    today: &'a Grading,
}

/// Second gradings, where they were made.
struct Again<'a> {
    at_base: Option<&'a Grading>,
    recased: Option<&'a Grading>,
    today: Option<&'a Grading>,
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
        let stops = match base.stops(seen, pins) {
            Next::Ask(asks) => return Next::Ask(asks),
            Next::Done(stops) => stops,
        };
        let again = match base.again(seen, pins, recorded, &stops) {
            Next::Ask(asks) => return Next::Ask(asks),
            Next::Done(again) => again,
        };
        let today = [Some(stops.today), again.today].into_iter().flatten();
        if let Some(unjudged) = today
            .clone()
            .find(|grading| !is_judged(Some(outcome(grading))))
        {
            return Next::Done(self.unjudged(pins, Some(recorded), unjudged));
        }
        let changed = !matches!(change, Change::None | Change::Reverted);
        let contradiction = match self.contradiction(seen, pins, cassette, stops.today, changed) {
            Next::Ask(asks) => return Next::Ask(asks),
            Next::Done(found) => found,
        };
        let stale = base.stale(&self.grader, stops.at_base);
        let at_base = outcome(stops.at_base);
        let inherited = is_judged(Some(at_base)) && at_base != recorded && !stale.is_empty();
        let walk = base.walk(&self.grader, pins, (recorded, inherited), &stops, &again);
        let mut shown = walk.shown();
        shown.extend(contradiction);
        shown.sort_by_key(|shown| shown.transition);
        let mut row = self.row(
            pins,
            Finding {
                shown,
                moved: walk.moved(),
                start: if inherited { "base" } else { "recorded" },
                walk,
                inherited,
                today: stops.today,
                gradings: vec![stops.at_base, stops.regraded, stops.recased, stops.today],
            },
        );
        if inherited && row.class == Transition::Stable.class().name {
            self.blame_the_past(&mut row, &stale, recorded, at_base);
        }
        if change == Change::Accepted && self.explains(pins, cassette, stops.today) {
            explain(&mut row, cassette);
        }
        Next::Done(row)
    }
}

impl Base {
    /// The first grading of every stop. Stops whose inputs hash the same are one trial.
    fn stops<'a>(&self, seen: &'a Trials, head: &Pins) -> Next<Trial, Stops<'a>> {
        let trials =
            [&self.recorded, &self.regraded, &self.recased, head].map(|pins| grade(pins, 0));
        let [Some(at_base), Some(regraded), Some(recased), Some(today)] =
            [0, 1, 2, 3].map(|stop: usize| seen.get(&trials[stop]))
        else {
            let missing = trials.iter().filter(|trial| !seen.contains_key(*trial));
            let missing: BTreeSet<Trial> = missing.cloned().collect();
            return match NonEmpty::from_vec(missing.into_iter().collect()) {
                Some(asks) => Next::Ask(asks),
                None => Next::Ask(NonEmpty::one(grade(head, 0))),
            };
        };
        Next::Done(Stops {
            at_base,
            regraded,
            recased,
            today,
        })
    }

    /// Second gradings where a first one alone would not prove anything: of the base when the
    /// machine changed its verdict, and of both sides of a new completion when they differ.
    fn again<'a>(
        &self,
        seen: &'a Trials,
        head: &Pins,
        recorded: &Outcome,
        stops: &Stops<'_>,
    ) -> Next<Trial, Again<'a>> {
        let judged = |grading| is_judged(Some(outcome(grading)));
        let by_machine = judged(stops.at_base) && outcome(stops.at_base) != recorded;
        let by_model = self.completion_moved(head).is_some()
            && judged(stops.recased)
            && outcome(stops.recased) != outcome(stops.today);
        let wanted = |wanted: bool, pins: &Pins| wanted.then(|| grade(pins, 1));
        let asks = [
            wanted(by_machine, &self.recorded),
            wanted(by_model, &self.recased),
            wanted(by_model, head),
        ];
        let missing = asks
            .iter()
            .flatten()
            .filter(|trial| !seen.contains_key(*trial));
        let missing: BTreeSet<Trial> = missing.cloned().collect();
        if let Some(asks) = NonEmpty::from_vec(missing.into_iter().collect()) {
            return Next::Ask(asks);
        }
        let second = |ask: &Option<Trial>| Some(&**seen.get(ask.as_ref()?)?);
        Next::Done(Again {
            at_base: second(&asks[0]),
            recased: second(&asks[1]),
            today: second(&asks[2]),
        })
    }

    /// The walk, from the recorded verdict or, where that says nothing about the base's own
    /// files any more, from what they come to today.
    fn walk(
        &self,
        grader: &str,
        head: &Pins,
        (recorded, inherited): (&Outcome, bool),
        stops: &Stops<'_>,
        again: &Again<'_>,
    ) -> Walk {
        let step = |axis, moved: BTreeSet<Input>, first: &Grading, second: Option<&Grading>| {
            let second = second.map(outcome);
            // A second grading without a verdict leaves the first one unproven.
            let unproven = second.filter(|second| !is_judged(Some(second)));
            Point {
                outcome: unproven.unwrap_or_else(|| outcome(first)).clone(),
                again: second.cloned(),
                axis,
                moved,
            }
        };
        let one = |moved: Option<Input>| moved.into_iter().collect();
        let machine = step(
            Axis::Machine,
            self.machine_moved(grader, stops.at_base),
            stops.at_base,
            again.at_base,
        );
        let later = [
            step(Axis::Grader, one(self.grader_moved()), stops.regraded, None),
            step(
                Axis::Case,
                one(self.case_moved()),
                stops.recased,
                again.recased,
            ),
            step(
                Axis::Completion,
                one(self.completion_moved(head)),
                stops.today,
                again.today,
            ),
        ];
        if inherited {
            Walk::new(outcome(stops.at_base).clone(), later.into())
        } else {
            Walk::new(
                recorded.clone(),
                std::iter::once(machine).chain(later).collect(),
            )
        }
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
