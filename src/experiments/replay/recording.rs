//! What a cassette says of itself: whether it holds together, how it came out of the base's, and
//! whether head replays to it.

use std::collections::BTreeSet;

use super::acceptance::{self, Change};
use super::walk::{Shown, told_from};
use super::{Before, Replay, Transition, Trials, grade, is_judged, outcome};
use crate::model::cassette::Cassette;
use crate::model::inquiry::Next;
use crate::model::pins::{Input, Pins};
use crate::model::trial::{Grading, Trial};
use crate::model::verdict::Outcome;
use crate::want;

impl Replay {
    /// Whether a cassette that changed says otherwise than two agreeing gradings of head.
    pub(super) fn contradiction(
        &self,
        seen: &Trials,
        pins: &Pins,
        cassette: &Cassette,
        today: &Grading,
    ) -> Next<Trial, Option<Shown>> {
        let Some(said) = cassette.verdicts.get(&self.grader) else {
            return Next::Done(None);
        };
        if !self.must_replay(cassette) || !is_judged(Some(said)) || said == outcome(today) {
            return Next::Done(None);
        }
        let again = want!(seen, grade(pins, 1));
        let recorded = cassette.hashes_for(&self.grader);
        let now = pins.hashes(today.judgement.system);
        let same_machine = recorded.toolchain == now.toolchain && recorded.system == now.system;
        let transition = if !is_judged(Some(outcome(again))) {
            Transition::Unjudged
        } else if outcome(again) != outcome(today) {
            Transition::Nondeterministic
        } else if same_machine {
            Transition::Tampered
        } else {
            Transition::ToolchainDrift
        };
        let (before, after) = (said.clone(), outcome(today));
        let after = if transition == Transition::Nondeterministic {
            told_from(said, after, Some(outcome(again)))
        } else if transition == Transition::Unjudged {
            outcome(again)
        } else {
            after
        };
        let note = "two gradings were needed to hold head against its cassette, and the second one has no verdict";
        let moved = recorded.moved(&now, &pins.grader);
        Next::Done(Some(Shown {
            transition,
            before,
            after: after.clone(),
            moved,
            inherited: false,
            note: (transition == Transition::Unjudged).then_some(note),
        }))
    }

    /// Whether the cassette says something that the base's does not, nor ever did: then it has to
    /// replay to itself.
    fn must_replay(&self, cassette: &Cassette) -> bool {
        match &self.before {
            Before::Alone => false,
            Before::Nothing => true,
            Before::Base(base) => {
                acceptance::change(&base.cassette, cassette) != Change::None
                    && !acceptance::was_before(&base.cassette, cassette)
            }
        }
    }

    /// What is wrong with how head's cassette came out of the base's, if anything is.
    pub(super) fn unfounded(
        &self,
        change: Change,
        before: &Outcome,
        after: &Outcome,
    ) -> Option<Shown> {
        let (transition, note) = match change {
            Change::Unfounded => (
                Transition::Tampered,
                "a hash or verdict changed since the base, with neither an acceptance nor a new completion",
            ),
            Change::StaleAccept => (
                Transition::StaleAccept,
                "an acceptance was added that was given for another state than the base's",
            ),
            Change::None | Change::NewOutput | Change::Accepted | Change::Reverted => return None,
        };
        Some(Shown {
            transition,
            before: before.clone(),
            after: after.clone(),
            moved: BTreeSet::new(),
            inherited: false,
            note: Some(note),
        })
    }

    /// Why the recording contradicts itself, if it does.
    pub(super) fn tampered(&self, pins: &Pins, cassette: &Cassette) -> Option<String> {
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

    /// Whether the cassette says of head what head replays to, the machine apart.
    pub(super) fn explains(&self, pins: &Pins, cassette: &Cassette, today: &Grading) -> bool {
        let recorded = cassette.hashes_for(&self.grader);
        let moved = recorded.moved(&pins.hashes(today.judgement.system), &pins.grader);
        let machine_only = moved
            .iter()
            .all(|input| matches!(input, Input::Toolchain | Input::System));
        machine_only && cassette.verdicts.get(&self.grader) == Some(outcome(today))
    }
}
