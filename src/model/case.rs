//! A golden case: one prompt, one fixture, one expected observable.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::canonical;
use super::digest::{Digest, Hasher};

/// How fixture and completion become one program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Assemble {
    /// Fixture, newline, completion, as one translation unit.
    #[default]
    Append,
    /// The one line of the fixture that holds the marker is replaced by the completion.
    Insert,
    /// The completion is the unit; `files` lie beside it.
    Replace,
    /// The completion is a unified diff of fixture and `files`; the patched fixture is the unit.
    Patch,
}

/// The text that marks the line of a fixture that `insert` replaces.
pub const MARKER: &str = "DRIFTGATE_COMPLETION";

/// What the program must do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Expect {
    /// The exit code.
    pub exit_code: i32,
    /// The bytes on standard output; not compared if absent.
    pub stdout: Option<String>,
    /// Whether standard error must be empty.
    pub stderr_empty: bool,
}

/// A file of the suite with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path from the root of the suite, `/`-separated.
    pub path: String,
    /// Where it lies beside the unit when it is compiled.
    pub beside: String,
    /// Its content.
    pub bytes: Arc<[u8]>,
    /// The digest of the content.
    pub digest: Digest,
}

/// A case, loaded and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its id.
    pub id: String,
    /// The file that defines it, from the root.
    pub path: String,
    /// The prompt file, from the root.
    pub prompt_path: String,
    /// The digest of the prompt file.
    pub prompt: Digest,
    /// The fixture.
    pub fixture: SourceFile,
    /// Files copied beside the fixture.
    pub files: Vec<SourceFile>,
    /// How the unit is made.
    pub assemble: Assemble,
    /// Compiler and linker flags.
    pub flags: Vec<String>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// Its standard input.
    pub stdin: String,
    /// What it must do.
    pub expect: Expect,
    /// The graders that judge completions of this case.
    pub graders: Vec<String>,
    /// CPU seconds; the wall cap is three times that.
    pub timeout_s: u32,
    /// Free labels.
    pub tags: Vec<String>,
}

impl Case {
    /// The digest of fixture and `files`. Without `files` it is the digest of the fixture's bytes.
    #[must_use]
    pub fn fixture_digest(&self) -> Digest {
        if self.files.is_empty() {
            return self.fixture.digest;
        }
        let mut hasher = Hasher::default();
        hasher.part(self.fixture.digest.to_string().as_bytes());
        let mut files: Vec<_> = self
            .files
            .iter()
            .map(|file| (&file.beside, file.digest))
            .collect();
        files.sort();
        for (beside, digest) in files {
            hasher.part(beside.as_bytes());
            hasher.part(digest.to_string().as_bytes());
        }
        hasher.finish()
    }

    /// The digest of the observable part in canonical form: reformatting or reordering the
    /// file does not change it.
    #[must_use]
    pub fn contract_digest(&self) -> Digest {
        canonical::digest(&json!({
            "compile_flags": self.flags,
            "stdin": self.stdin,
            "args": self.args,
            "expect": canonical::value(&self.expect),
            "timeout_s": self.timeout_s,
            "assemble": canonical::value(&self.assemble),
        }))
    }

    /// The CPU limit of the program.
    #[must_use]
    pub fn cpu_limit(&self) -> Duration {
        Duration::from_secs(u64::from(self.timeout_s))
    }
}
