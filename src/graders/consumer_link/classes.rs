//! The classes of `consumer_link`.

use crate::graders::program::fail;
use crate::model::class::{Class, Level};

/// It works for a stranger.
pub(super) const PASS: Class = Class {
    name: "pass",
    level: Level::Ok,
    meaning: "The consumer compiled, linked, ran and printed as expected, at every level and mode.",
    next: "Nothing to do.",
};
/// No header.
pub(super) const HEADER_MISSING: Class = fail(
    "header_missing",
    "The public header, or a header that it includes, is not among what the library publishes.",
    "Publish the header that the evidence names, or stop including it from public headers.",
);
/// A header that says too little.
pub(super) const MISSING_DECLARATION: Class = fail(
    "missing_declaration",
    "The public header is there and does not declare, or does not include, what the consumer needs.",
    "Declare the name in the public header, or include there what declares it.",
);
/// A promise not kept.
pub(super) const LINK_UNDEFINED: Class = fail(
    "link_undefined",
    "Something is declared in public and the library does not provide its symbol.",
    "Read in the evidence why: absent, local, hidden, other signature, vtable, template instance or a system library.",
);
/// Two of what must be one.
pub(super) const ODR_OR_DUPLICATE: Class = fail(
    "odr_or_duplicate",
    "Two units define the same symbol, or disagree about an inline function or a class.",
    "Make it `inline`, define it once, or let no macro decide what a public header defines.",
);
/// Another result.
pub(super) const BEHAVIOR_MISMATCH: Class = fail(
    "behavior_mismatch",
    "The consumer linked and ran, and its exit or its output is not what was expected.",
    "Read the difference in the evidence, and whether it is there at every level.",
);
/// No end.
pub(super) const HANG: Class = fail(
    "hang",
    "The consumer used up its CPU time or did not end in time.",
    "Look for a loop or a lock in the library; if the consumer is slow by nature, raise its `timeout_s`.",
);
/// No library.
pub(super) const CANDIDATE_BUILD_ERROR: Class = fail(
    "candidate_build_error",
    "The library's own sources or its public header do not compile, or make nothing that can be linked.",
    "Read the diagnostics in the evidence.",
);
/// No consumer.
pub(super) const CONSUMER_ERROR: Class = fail(
    "consumer_error",
    "The consumer does not compile or link for a reason that is not the library's.",
    "Mend the consumer.",
);
/// No stranger.
pub(super) const INVALID_CONSUMER: Class = Class {
    name: "invalid_consumer",
    level: Level::Incomplete,
    meaning: "The consumer includes what nobody publishes, or declares in a namespace of the library, so it is no stranger.",
    next: "Let the consumer use what is published, and declare nothing in the library's name.",
};
/// Not here, whatever the candidate.
pub(super) const ENVIRONMENT: Class = Class {
    name: "environment",
    level: Level::Incomplete,
    meaning: "This machine cannot build the library or the consumer whatever the change: no compiler or archiver, or a header or library that they need is absent.",
    next: "Install what the evidence names, or run on a machine that has it.",
};
/// Not now, whatever the candidate.
pub(super) const MACHINE: Class = Class {
    name: "machine",
    level: Level::Incomplete,
    meaning: "The machine got in the way: a process did not start, was lost or killed, or waited for the CPU until its wall limit.",
    next: "Run it again with less load; `driftgate doctor` says what this machine can do.",
};

/// Every class this grader can give.
pub(super) const CLASSES: &[Class] = &[
    PASS,
    HEADER_MISSING,
    MISSING_DECLARATION,
    LINK_UNDEFINED,
    ODR_OR_DUPLICATE,
    BEHAVIOR_MISMATCH,
    HANG,
    CANDIDATE_BUILD_ERROR,
    CONSUMER_ERROR,
    INVALID_CONSUMER,
    ENVIRONMENT,
    MACHINE,
];
