//! What a grader says of a candidate.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::class::Class;

/// The three answers a grader has.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The candidate meets the case.
    Pass,
    /// The candidate provably does not.
    Fail,
    /// The harness could not tell. Never a pass, never a fail, never a kill.
    Unjudged,
}

impl Status {
    /// The word used in every file and output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unjudged => "unjudged",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Status and class: the part of a verdict that is stored and compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Pass, fail or unjudged.
    pub status: Status,
    /// How, e.g. `stdout_differs`.
    pub class: String,
}

impl Outcome {
    /// An outcome of `status` and `class`.
    #[must_use]
    pub fn new(status: Status, class: &str) -> Self {
        Self {
            status,
            class: class.to_owned(),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.status, self.class)
    }
}

/// A grader's answer with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The part that is compared.
    pub outcome: Outcome,
    /// One sentence for a person.
    pub detail: String,
    /// Whatever proves it, as JSON for the report.
    pub evidence: Map<String, Value>,
}

impl Verdict {
    /// A verdict without evidence.
    #[must_use]
    pub fn new(status: Status, class: &str, detail: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::new(status, class),
            detail: detail.into(),
            evidence: Map::new(),
        }
    }

    /// A verdict of `class`, with the status that its level stands for.
    #[must_use]
    pub fn of(class: &Class, detail: impl Into<String>) -> Self {
        Self::new(class.level.status(), class.name, detail)
    }

    /// The same verdict with one more piece of evidence.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.evidence.insert(name.to_owned(), value.into());
        self
    }
}
