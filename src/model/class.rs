//! Class tables: the one source of `explain`, the docs and the fail policy.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::verdict::Status;

/// What a row means for the build, mildest first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing to do.
    Ok,
    /// A person should look; does not fail the build.
    Review,
    /// Something could not be judged.
    Incomplete,
    /// Fails the build.
    Fail,
}

impl Level {
    /// The word used in every file and output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Review => "review",
            Self::Incomplete => "incomplete",
            Self::Fail => "fail",
        }
    }

    /// The status of a verdict whose class has this level.
    #[must_use]
    pub fn status(self) -> Status {
        match self {
            Self::Ok | Self::Review => Status::Pass,
            Self::Fail => Status::Fail,
            Self::Incomplete => Status::Unjudged,
        }
    }

    /// The level of a grader row whose class is not the expected one.
    #[must_use]
    pub fn of_status(status: Status) -> Self {
        match status {
            Status::Pass => Self::Ok,
            Status::Fail => Self::Fail,
            Status::Unjudged => Self::Incomplete,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One class of a grader or experiment.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// The name in reports, e.g. `GRADER_DRIFT` or `stdout_differs`.
    pub name: &'static str,
    /// The level of a row of this class unless policy or evidence moves it.
    pub level: Level,
    /// What it means, as a sentence.
    pub meaning: &'static str,
    /// What to do about it, as a sentence.
    pub next: &'static str,
}

/// The entry of `table` with this name.
#[must_use]
pub fn find(table: &'static [Class], name: &str) -> Option<&'static Class> {
    table.iter().find(|class| class.name == name)
}
