//! The classes of a public header.

use crate::graders::program::fail;
use crate::model::class::{Class, Level};

/// Every class this grader can give.
pub const CLASSES: &[Class] = &[
    Class {
        name: "clean",
        level: Level::Ok,
        meaning: "The header compiles alone in a unit, also when it is included twice.",
        next: "Nothing to do; advice in the evidence names what it gets by chance.",
    },
    fail(
        "missing_declaration",
        "The header uses a name that it does not include: it compiles only behind an include of somebody else, which a probe has shown.",
        "Add the include that the evidence suggests, or another that declares the name.",
    ),
    fail(
        "header_missing",
        "The header, or a file that it includes, is not found, in the include folders or on the system.",
        "Publish the file, include it by the path that a user of the library has, or install the library it belongs to; a private header has no place in a public one.",
    ),
    fail(
        "not_reincludable",
        "The header compiles once and not twice in one unit.",
        "Add `#pragma once` or an include guard; if it is made to be included again and again, list it as an X-macro.",
    ),
    fail(
        "other_compile_error",
        "The header does not compile alone, and nothing in front of it repairs that.",
        "Read the diagnostics in the evidence; look also at the flags, for it may need a later standard or a macro.",
    ),
    Class {
        name: "known_dirty",
        level: Level::Review,
        meaning: "The header fails, and failed in the same way before the change.",
        next: "Repair it when you are at it; nothing that is clean may become so.",
    },
    Class {
        name: "incomplete",
        level: Level::Incomplete,
        meaning: "It could not be found out: no compiler, flags that nothing compiles with, or a machine that got in the way.",
        next: "Read the detail; `driftgate doctor` says what this machine can do.",
    },
];
