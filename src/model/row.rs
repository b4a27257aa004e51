//! One line of a report: what became of one (id, grader).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::class::{Class, Level};
use super::pins::{Hashes, Input};
use super::verdict::Status;

/// A place in a committed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct At {
    /// Path from the root.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
}

/// One verdict on the way from the recorded one to today's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathStep {
    /// What moved to get here.
    pub axis: String,
    /// The status found.
    pub status: Status,
    /// The class found.
    pub class: String,
}

/// A row of a report. The JSON report writes it as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was judged: case, consumer, header, mutant, ...
    pub id: String,
    /// The grader that judged it, where one did.
    pub grader: Option<String>,
    /// The transition or class.
    pub class: String,
    /// What it means for the build.
    pub level: Level,
    /// The status before, where there was one.
    pub before: Option<Status>,
    /// The status now, where there is one.
    pub after: Option<Status>,
    /// The inputs that moved.
    pub moved: BTreeSet<Input>,
    /// Other transitions of the same row, weaker than `class`.
    pub also: Vec<String>,
    /// The verdicts on the way, one axis a step.
    pub path: Vec<PathStep>,
    /// The digests of today.
    pub hashes: Option<Hashes>,
    /// Whether a reviewed reason stands behind the change.
    pub explained: bool,
    /// Whether the change was there before the base.
    pub inherited: bool,
    /// Whether the case is tolerated for a while.
    pub quarantined: bool,
    /// Whether any process ran for it.
    pub executed: bool,
    /// Wall seconds of the processes behind it.
    pub seconds: f64,
    /// Where a person should look.
    pub at: Option<At>,
    /// One sentence.
    pub why: String,
    /// One action; empty where there is nothing to do.
    pub next: String,
    /// The command that shows it again.
    pub repro: String,
    /// Whatever proves it.
    pub evidence: Map<String, Value>,
}

impl Row {
    /// A row of `class` with that class's level and next action, and nothing else filled in.
    #[must_use]
    pub fn new(id: impl Into<String>, class: &Class, why: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            grader: None,
            class: class.name.to_owned(),
            level: class.level,
            before: None,
            after: None,
            moved: BTreeSet::new(),
            also: Vec::new(),
            path: Vec::new(),
            hashes: None,
            explained: false,
            inherited: false,
            quarantined: false,
            executed: false,
            seconds: 0.0,
            at: None,
            why: why.into(),
            next: if class.level == Level::Ok {
                String::new()
            } else {
                class.next.to_owned()
            },
            repro: String::new(),
            evidence: Map::new(),
        }
    }
}
