//! A grading that reads top to bottom: a phase ends in its result, in asks, or in the verdict.

use std::sync::Arc;

use crate::diagnostics::compiler_text::{self, Diagnostic};
use crate::graders::build::{self, Steps};
use crate::graders::program::may_be_the_machine;
use crate::model::digest::Digest;
use crate::model::inquiry::{NonEmpty, unanswered};
use crate::model::observation::{Ended, Observation};
use crate::model::step::{Profile, Step};
use crate::model::verdict::Verdict;

/// Why a phase does not go on.
pub(super) enum Stop {
    /// It must know more.
    Ask(NonEmpty<Step>),
    /// It has found the verdict.
    Done(Box<Verdict>),
}

impl Stop {
    pub(super) fn done(verdict: Verdict) -> Self {
        Self::Done(Box::new(verdict))
    }
}

/// The result of a phase, or why there is none.
pub(super) type Flow<T> = Result<T, Stop>;

/// What is known so far, and what was read to know it.
pub(super) struct Known<'a> {
    seen: &'a Steps,
    reads: Vec<Digest>,
}

impl<'a> Known<'a> {
    pub(super) fn new(seen: &'a Steps) -> Self {
        Self {
            seen,
            reads: Vec::new(),
        }
    }

    /// The answers to all of `steps`, which are asked together. What may be the machine's doing is
    /// tried once more.
    pub(super) fn all(&mut self, steps: &[Step]) -> Flow<Vec<&'a Arc<Observation>>> {
        self.answers(steps)?;
        let last: Vec<Step> = steps
            .iter()
            .map(|step| match self.seen.get(step) {
                Some(first) if !is_settled(step, first) => again(step),
                Some(_) | None => step.clone(),
            })
            .collect();
        let answers = self.answers(&last)?;
        self.reads
            .extend(answers.iter().filter_map(|answer| answer.reads));
        Ok(answers)
    }

    /// The answer to `step`.
    pub(super) fn one(&mut self, step: &Step) -> Flow<&'a Arc<Observation>> {
        self.all(std::slice::from_ref(step))
            .map(|mut answers| answers.remove(0))
    }

    /// Goes on once all of `steps` are answered: what is asked together runs together.
    pub(super) fn ask(&self, steps: &[Step]) -> Flow<()> {
        self.answers(steps).map(drop)
    }

    fn answers(&self, steps: &[Step]) -> Flow<Vec<&'a Arc<Observation>>> {
        match unanswered(self.seen, steps.iter().cloned()) {
            Some(asks) => Err(Stop::Ask(asks)),
            None => Ok(steps
                .iter()
                .filter_map(|step| self.seen.get(step))
                .collect()),
        }
    }

    /// The digest of everything outside the suite that was read.
    pub(super) fn system(&self) -> Option<Digest> {
        let texts: Vec<String> = self.reads.iter().map(Digest::to_string).collect();
        let parts = texts.iter().map(String::as_bytes);
        (!texts.is_empty()).then(|| Digest::of_parts(parts))
    }
}

/// Whether the first attempt decides by itself.
fn is_settled(step: &Step, first: &Observation) -> bool {
    match step.spec().profile {
        Profile::Candidate => !may_be_the_machine(&first.ended),
        Profile::Compile | Profile::Harness => build::settled(first) && !blames_machine(first),
    }
}

/// Whether a driver that ended by itself says that the machine stopped what it drives. It ends like
/// this where the compiler proper is killed, which is no word on the source.
fn blames_machine(answer: &Observation) -> bool {
    matches!(answer.ended, Ended::Exit(code) if code != 0)
        && compiler_text::parse(&answer.stderr)
            .iter()
            .any(Diagnostic::blames_machine)
}

/// What became of a compile. Its text can make it sick, which no source is better off for.
pub(super) fn compiled(answer: &Observation) -> Made {
    let made = made(&answer.ended);
    if matches!(made, Made::Refused) && blames_machine(answer) {
        return Made::Sick("was killed");
    }
    made
}

/// The second attempt.
fn again(step: &Step) -> Step {
    let mut spec = step.spec().clone();
    spec.nth += 1;
    Step::new(spec)
}

/// What became of a tool's process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Made {
    /// It did what it was asked for.
    Yes,
    /// It ran to its end and refused.
    Refused,
    /// It used up its limits or died, twice: on this input, or always.
    Sick(&'static str),
    /// The machine did not let it finish.
    Machine,
}

/// How `ended` leaves a tool.
pub(super) fn made(ended: &Ended) -> Made {
    match ended {
        Ended::Exit(0) => Made::Yes,
        Ended::Exit(_) => Made::Refused,
        Ended::CpuLimit | Ended::WallLimit { starved: false } | Ended::ResourceLimit(_) => {
            Made::Sick("used up its limits")
        }
        Ended::Signal(_) => Made::Sick("was killed"),
        Ended::WallLimit { starved: true }
        | Ended::OutputLimit
        | Ended::NotStarted(_)
        | Ended::Lost(_)
        | Ended::Interrupted => Made::Machine,
    }
}
