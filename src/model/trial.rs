//! What an experiment asks for, and what it gets.

use super::digest::Digest;
use super::pins::Pins;
use super::tree_pins::TreePins;
use super::verdict::Verdict;

/// A question of an experiment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trial {
    /// Grade what is pinned, for the `nth` time (from 0).
    Grade {
        /// Everything the grading depends on.
        pins: Pins,
        /// Which repetition.
        nth: u32,
    },
    /// Grade a part of the checked-out tree.
    GradeTree {
        /// Everything the grading depends on.
        pins: TreePins,
        /// Which repetition.
        nth: u32,
    },
}

/// What a grader found, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Grading {
    /// The grader's answer.
    pub judgement: Judgement,
    /// Whether any process ran for it (else every observation came from the store).
    pub executed: bool,
    /// Wall seconds of its processes, whenever they ran.
    pub seconds: f64,
}

/// The result of a grader's inquiry.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The digest of every file outside the suite that was read on the way.
    pub system: Option<Digest>,
}

impl Judgement {
    /// A verdict that read nothing outside the suite.
    #[must_use]
    pub fn of(verdict: Verdict) -> Self {
        Self {
            verdict,
            system: None,
        }
    }
}
