//! A recorded completion with the hashes and verdicts of the moment it was recorded.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::digest::Digest;
use super::pins::Hashes;
use super::verdict::Outcome;

/// The hashes in a cassette.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CassetteHashes {
    /// The prompt file.
    pub prompt: Digest,
    /// Fixture and files.
    pub fixture: Digest,
    /// The observable part of the case.
    pub contract: Digest,
    /// Each grader.
    pub grader: BTreeMap<String, Digest>,
    /// The completion.
    pub output: Digest,
    /// The toolchain.
    pub toolchain: Digest,
    /// Files outside the suite that compile and link read; null if no list was written.
    #[serde(default)]
    pub system: Option<Digest>,
}

/// The state an acceptance replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptedFrom {
    /// The hashes before.
    pub hashes: CassetteHashes,
    /// The verdicts before.
    pub verdicts: BTreeMap<String, Outcome>,
}

/// One reviewed change of hashes or verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Acceptance {
    /// Why it was accepted.
    pub reason: String,
    /// When, RFC 3339.
    pub at: String,
    /// What it replaced.
    pub from: AcceptedFrom,
}

/// A cassette. The file format is this struct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cassette {
    /// The case it was recorded for.
    pub case: String,
    /// The file with the completion's bytes, from `goldens/`.
    pub output: String,
    /// When it was recorded, RFC 3339.
    pub recorded_at: String,
    /// The hashes of that moment.
    pub hashes: CassetteHashes,
    /// The toolchain as text; never compared.
    #[serde(default)]
    pub toolchain: String,
    /// The verdict of each grader.
    pub verdicts: BTreeMap<String, Outcome>,
    /// How the completion was made; never compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Value>,
    /// Reviewed changes, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Acceptance>,
    /// Inputs that moved under an acceptance: the completion never saw them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
}

impl Cassette {
    /// The recorded hashes as far as `grader` is concerned.
    #[must_use]
    pub fn hashes_for(&self, grader: &str) -> Hashes {
        Hashes {
            prompt: self.hashes.prompt,
            fixture: self.hashes.fixture,
            contract: self.hashes.contract,
            grader: self.hashes.grader.get(grader).copied(),
            output: self.hashes.output,
            toolchain: Some(self.hashes.toolchain),
            system: self.hashes.system,
        }
    }
}
