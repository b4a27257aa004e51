//! The classes that every grader of programs shares: what stops a candidate before anything is
//! compared.

use crate::model::class::{Class, Level};

/// A class of a candidate that fails.
pub const fn fail(name: &'static str, meaning: &'static str, next: &'static str) -> Class {
    Class {
        name,
        level: Level::Fail,
        meaning,
        next,
    }
}

/// A crash.
pub const SIGNAL: Class = fail(
    "signal",
    "The program was ended by a signal: a crash, a trap or an abort.",
    "Run it under a sanitizer or a debugger; an abort is often a failed assertion.",
);
/// No end in time.
pub const HANG: Class = fail(
    "hang",
    "The program used up its CPU time or did not end in time.",
    "Look for a loop that does not end; if the case is slow by nature, raise `timeout_s`.",
);
/// No end of output.
pub const OUTPUT_FLOOD: Class = fail(
    "output_flood",
    "The program wrote more than the limit and was stopped.",
    "Look for a loop that prints without end.",
);
/// No end of memory.
pub const MEMORY_FLOOD: Class = fail(
    "memory_flood",
    "The program and what it started took more memory than any may (4 GiB, or three quarters of the machine's), and was stopped.",
    "Look for something that grows without end.",
);
/// No end of files.
pub const DISK_FLOOD: Class = fail(
    "disk_flood",
    "The program wrote more files, or larger ones, than any may (2 GiB in all), and was stopped.",
    "Look for a loop that writes without end.",
);
/// No end of processes.
pub const PROCESS_FLOOD: Class = fail(
    "process_flood",
    "The program started more processes and threads than any may (256 at one time), and was stopped.",
    "Look for a `fork` or a thread in a loop that does not end.",
);
/// No object.
pub const COMPILE_ERROR: Class = fail(
    "compile_error",
    "The unit does not compile, and the fixture and the flags are not the reason.",
    "Read the diagnostics in the evidence.",
);
/// No end of compiling.
pub const COMPILE_HANG: Class = fail(
    "compile_hang",
    "The compiler used up its limits on this unit, twice, and not on a trivial one.",
    "Look for unbounded template recursion or constant evaluation.",
);
/// An object, were it not for the case's own strictness.
pub const WARNING_AS_ERROR: Class = fail(
    "warning_as_error",
    "The unit compiles, but with a warning that the case's flags make an error.",
    "Read the diagnostics; a patch that prints the right bytes but warns is not a pass.",
);
/// An object and no program.
pub const LINK_ERROR: Class = fail(
    "link_error",
    "The unit compiles and does not become a program that starts.",
    "Look for something declared and never defined, or defined twice.",
);
/// No unit.
pub const BAD_PATCH: Class = fail(
    "bad_patch",
    "The completion is to be a unified diff, and is none, does not apply exactly, or touches more than the case's fixture and files.",
    "Read the detail; it names the patch's line and what was expected there.",
);
/// Not here, whatever the candidate.
pub const ENVIRONMENT: Class = Class {
    name: "environment",
    level: Level::Incomplete,
    meaning: "This machine cannot build the case whatever the completion: no compiler, or a header or library that the fixture or the flags need is absent.",
    next: "Install what the evidence names, or run on a machine that has it.",
};
/// Not now, whatever the candidate.
pub const MACHINE: Class = Class {
    name: "machine",
    level: Level::Incomplete,
    meaning: "The machine got in the way: a process did not start, was lost, or waited for the CPU until its wall limit.",
    next: "Run it again with less load; `driftgate doctor` says what this machine can do.",
};
