//! One line of a report: what became of one (id, grader).

use std::collections::BTreeSet;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::canonical;
use super::class::{Class, Level};
use super::pins::{Hashes, Input, Pins};
use super::tree_pins::TreePins;
use super::trial::Grading;
use super::verdict::Status;

/// A place in a committed file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct At {
    /// Path from the root.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
}

/// One verdict on the way from the recorded one to today's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathStep {
    /// What moved to get here.
    pub axis: String,
    /// The status found.
    pub status: Status,
    /// The class found.
    pub class: String,
}

/// A row of a report. The JSON report writes it as it stands; what a row of a written report
/// does not say is what [`Row::new`] fills in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    #[serde(default)]
    pub moved: BTreeSet<Input>,
    /// Other transitions of the same row, weaker than `class`.
    #[serde(default)]
    pub also: Vec<String>,
    /// The verdicts on the way, one axis a step.
    #[serde(default)]
    pub path: Vec<PathStep>,
    /// The digests of today; an empty object where nothing was graded.
    #[serde(default, deserialize_with = "hashes_or_empty")]
    #[schemars(schema_with = "hashes_or_empty_schema")]
    pub hashes: Option<Hashes>,
    /// Whether a reviewed reason stands behind the change.
    #[serde(default)]
    pub explained: bool,
    /// Whether the change was there before the base.
    #[serde(default)]
    pub inherited: bool,
    /// Whether the case is tolerated for a while.
    #[serde(default)]
    pub quarantined: bool,
    /// Whether any process ran for it.
    #[serde(default)]
    pub executed: bool,
    /// Wall seconds of the processes behind it.
    #[serde(default)]
    pub seconds: f64,
    /// Where a person should look.
    pub at: Option<At>,
    /// One sentence.
    #[serde(default)]
    pub why: String,
    /// One action; empty where there is nothing to do.
    #[serde(default)]
    pub next: String,
    /// The command that shows it again.
    #[serde(default)]
    pub repro: String,
    /// Whatever proves it.
    #[serde(default)]
    pub evidence: Map<String, Value>,
}

/// Digests, or an empty object or null for none.
fn hashes_or_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Hashes>, D::Error> {
    let Some(given) = Option::<Map<String, Value>>::deserialize(deserializer)? else {
        return Ok(None);
    };
    if given.is_empty() {
        return Ok(None);
    }
    let hashes = Hashes::deserialize(Value::Object(given));
    hashes.map(Some).map_err(serde::de::Error::custom)
}

fn hashes_or_empty_schema(generator: &mut SchemaGenerator) -> Schema {
    let hashes = generator.subschema_for::<Hashes>();
    json_schema!({"anyOf": [hashes, {"type": "object", "maxProperties": 0}, {"type": "null"}]})
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

    /// The same row with what `grading` of `pins` found and took: grader, status, digests, times
    /// and evidence.
    #[must_use]
    pub fn graded(self, pins: &Pins, grading: &Grading) -> Self {
        let hashes = pins.hashes(grading.judgement.system);
        self.found(&pins.grader.id, hashes, grading)
    }

    /// As [`Row::graded`], of a part of the tree.
    #[must_use]
    pub fn graded_tree(self, pins: &TreePins, grading: &Grading) -> Self {
        let hashes = pins.hashes(grading.judgement.system);
        self.found(&pins.grader.id, hashes, grading)
    }

    fn found(mut self, grader: &str, hashes: Hashes, grading: &Grading) -> Self {
        let verdict = &grading.judgement.verdict;
        self.grader = Some(grader.to_owned());
        self.after = Some(verdict.outcome.status);
        self.executed = grading.executed;
        self.seconds = grading.seconds;
        self.hashes = Some(hashes);
        self.evidence.clone_from(&verdict.evidence);
        self.evidence
            .insert("verdict".to_owned(), canonical::value(&verdict.outcome));
        self
    }
}
