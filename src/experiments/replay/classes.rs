//! The transitions of a replay and what they mean.

use crate::model::class::{Class, Level};

/// The transitions of a replay, strongest first: a row's class is the first that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transition {
    /// The recording does not hold together.
    Tampered,
    /// A reason stands beside a change it was not given for.
    StaleAccept,
    /// No verdict, or none to compare with.
    Unjudged,
    /// Same inputs, another verdict.
    Nondeterministic,
    /// The grader moved, and a verdict with it.
    GraderDrift,
    /// The machine moved, and a verdict with it.
    ToolchainDrift,
    /// The completion was replaced, and the verdict changed.
    ModelDrift,
    /// The case moved.
    CaseDrift,
    /// The completion was replaced, and the verdict did not change.
    Rerecorded,
    /// Nothing to compare with yet.
    New,
    /// Every verdict is proven unchanged.
    Stable,
    /// In the baseline, gone now. Stands alone.
    Removed,
}

impl Transition {
    /// Its entry in the class table.
    #[must_use]
    pub fn class(self) -> &'static Class {
        match self {
            Self::Stable => &CLASSES[0],
            Self::CaseDrift => &CLASSES[1],
            Self::GraderDrift => &CLASSES[2],
            Self::ToolchainDrift => &CLASSES[3],
            Self::ModelDrift => &CLASSES[4],
            Self::Nondeterministic => &CLASSES[5],
            Self::Tampered => &CLASSES[6],
            Self::StaleAccept => &CLASSES[7],
            Self::New => &CLASSES[8],
            Self::Rerecorded => &CLASSES[9],
            Self::Removed => &CLASSES[10],
            Self::Unjudged => &CLASSES[11],
        }
    }
}

/// Whether a reviewed reason may stand behind a row of the class `name`.
#[must_use]
pub fn is_explainable(name: &str) -> bool {
    [
        Transition::GraderDrift,
        Transition::ToolchainDrift,
        Transition::CaseDrift,
    ]
    .into_iter()
    .any(|transition| transition.class().name == name)
}

/// Every class of a replay row.
pub const CLASSES: &[Class] = &[
    Class {
        name: "STABLE",
        level: Level::Ok,
        meaning: "Nothing moved, or something moved and the verdict is proven unchanged; `moved` says what.",
        next: "Nothing to do.",
    },
    Class {
        name: "CASE_DRIFT",
        level: Level::Review,
        meaning: "The prompt, the fixture or the contract was edited, so the completion is judged by another case than the one it was recorded for.",
        next: "Review the diff of the case, then record the completion again or `driftgate accept` it.",
    },
    Class {
        name: "GRADER_DRIFT",
        level: Level::Fail,
        meaning: "Same case, same completion, another verdict: the grader (or our engine behind it) moved.",
        next: "Undo the grader's change, or review the flipped cases and `driftgate accept --reason` it.",
    },
    Class {
        name: "TOOLCHAIN_DRIFT",
        level: Level::Review,
        meaning: "Same case, grader and completion, another verdict: the compiler, a library or a system header moved.",
        next: "Compare the compilers; pin the toolchain, or `driftgate accept --reason` the new verdict.",
    },
    Class {
        name: "MODEL_DRIFT",
        level: Level::Review,
        meaning: "The completion was recorded again and its verdict is another one.",
        next: "Read the new completion; nothing but the model's answer changed the verdict.",
    },
    Class {
        name: "NONDETERMINISTIC",
        level: Level::Fail,
        meaning: "Identical inputs, and the verdict differs between runs.",
        next: "Find what the case depends on besides its inputs (time, addresses, threads, randomness) and pin it.",
    },
    Class {
        name: "TAMPERED",
        level: Level::Fail,
        meaning: "The recording does not hold together: bytes that do not match their hash, a verdict no grader gives, or a hash or verdict that changed with neither an acceptance nor a new completion behind it.",
        next: "Restore the cassette and its output from version control, or record them again.",
    },
    Class {
        name: "STALE_ACCEPT",
        level: Level::Fail,
        meaning: "An acceptance was given for another state than the one it is compared with.",
        next: "Run `driftgate accept --reason` again with the same --base: it takes the base's state as what it replaces.",
    },
    Class {
        name: "NEW",
        level: Level::Ok,
        meaning: "There is no earlier verdict to compare with.",
        next: "Nothing to do; `driftgate accept` stores the verdict.",
    },
    Class {
        name: "RERECORDED",
        level: Level::Ok,
        meaning: "The completion was recorded again and its verdict is the same.",
        next: "Nothing to do.",
    },
    Class {
        name: "REMOVED",
        level: Level::Review,
        meaning: "It is in the baseline and gone now. Deleting what is red is one way to go green.",
        next: "Make sure that it was meant to go.",
    },
    Class {
        name: "UNJUDGED",
        level: Level::Incomplete,
        meaning: "The completion could not be graded here, or there is none recorded.",
        next: "Read why; `driftgate doctor` says what this machine can do.",
    },
];
