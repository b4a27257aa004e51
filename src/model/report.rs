//! The one value that every output and the exit code render.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::class::Level;
use super::digest::Digest;
use super::row::Row;

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Everything was judged and nothing fails.
    Pass,
    /// Some row fails.
    Fail,
    /// Something, or everything, could not be judged.
    Incomplete,
}

impl Outcome {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Incomplete => "incomplete",
        }
    }

    /// The outcome of rows with these levels: fail if any fails, else incomplete if any is or
    /// there are none, else pass.
    #[must_use]
    pub fn of(levels: impl IntoIterator<Item = Level>) -> Self {
        match levels.into_iter().max() {
            Some(Level::Fail) => Self::Fail,
            Some(Level::Incomplete) | None => Self::Incomplete,
            Some(Level::Ok | Level::Review) => Self::Pass,
        }
    }
}

/// One lane of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The grader's id or the experiment's name.
    pub name: String,
    /// All rows, sorted by id and grader.
    pub rows: Vec<Row>,
    /// What is not per row.
    pub extra: Map<String, Value>,
}

impl Experiment {
    /// An experiment of these rows, which it sorts.
    #[must_use]
    pub fn new(name: &str, mut rows: Vec<Row>) -> Self {
        rows.sort_by(|a, b| (&a.id, &a.grader).cmp(&(&b.id, &b.grader)));
        Self {
            name: name.to_owned(),
            rows,
            extra: Map::new(),
        }
    }

    /// Derived from the rows' levels alone.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        Outcome::of(self.rows.iter().map(|row| row.level))
    }

    /// How many rows each class has.
    #[must_use]
    pub fn summary(&self) -> BTreeMap<&str, usize> {
        let mut summary = BTreeMap::new();
        for row in &self.rows {
            *summary.entry(row.class.as_str()).or_default() += 1;
        }
        summary
    }
}

/// The isolation that candidates ran under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    /// `full`, `partial` or `off`.
    pub level: String,
    /// What is missing, or why.
    pub why: String,
}

/// The compiler of a run; both null where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolchainNote {
    /// One line for people.
    pub version: Option<String>,
    /// Its identity.
    pub hash: Option<Digest>,
}

/// A report.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The command that made it.
    pub command: String,
    /// The revision compared with.
    pub base: Option<String>,
    /// The revision judged, with `-dirty` if the tree differs from it.
    pub head: Option<String>,
    /// The compiler.
    pub toolchain: ToolchainNote,
    /// The isolation.
    pub sandbox: Sandbox,
    /// The lanes, in the order they are declared.
    pub experiments: Vec<Experiment>,
    /// What was noticed and belongs to no row, a sentence each.
    pub notes: Vec<String>,
}

impl Report {
    /// Derived from the levels of all rows: nothing else decides it.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        Outcome::of(self.rows().map(|row| row.level))
    }

    /// How many rows have `level`.
    #[must_use]
    pub fn count(&self, level: Level) -> usize {
        self.rows().filter(|row| row.level == level).count()
    }

    /// All rows of all lanes.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.experiments
            .iter()
            .flat_map(|experiment| &experiment.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_follows_from_levels_alone() {
        use Level::{Fail, Incomplete, Ok, Review};
        assert_eq!(Outcome::of([]), Outcome::Incomplete);
        assert_eq!(Outcome::of([Ok, Review]), Outcome::Pass);
        assert_eq!(Outcome::of([Ok, Incomplete, Review]), Outcome::Incomplete);
        assert_eq!(Outcome::of([Incomplete, Fail, Ok]), Outcome::Fail);
    }
}
