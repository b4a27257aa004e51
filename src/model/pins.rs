//! What a grading depends on: the things an experiment pins, and the digests of them.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::case::Case;
use super::digest::Digest;
use super::grader::GraderSpec;

/// What the model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// The digest of the bytes.
    pub digest: Digest,
}

impl Completion {
    /// A completion of these bytes.
    #[must_use]
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        Self {
            digest: Digest::of(&bytes),
            bytes,
        }
    }
}

/// Everything one grading depends on. Compared by digests.
#[derive(Clone, Debug)]
pub struct Pins {
    /// The case.
    pub case: Arc<Case>,
    /// The completion.
    pub completion: Arc<Completion>,
    /// The grader.
    pub grader: Arc<GraderSpec>,
    identity: Arc<(String, PinnedDigests)>,
}

/// The digests that are known before anything runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PinnedDigests {
    prompt: Digest,
    fixture: Digest,
    contract: Digest,
    grader: Digest,
    output: Digest,
    toolchain: Option<Digest>,
}

impl Pins {
    /// Pins `case`, `completion` and `grader` on a machine whose toolchain, used with the
    /// case's flags, has the identity `toolchain` (`None`: there is no compiler).
    #[must_use]
    pub fn new(
        case: Arc<Case>,
        completion: Arc<Completion>,
        grader: Arc<GraderSpec>,
        toolchain: Option<Digest>,
    ) -> Self {
        let digests = PinnedDigests {
            prompt: case.prompt,
            fixture: case.fixture_digest(),
            contract: case.contract_digest(),
            grader: grader.digest(),
            output: completion.digest,
            toolchain,
        };
        let identity = Arc::new((format!("{}\0{}", case.id, grader.id), digests));
        Self {
            case,
            completion,
            grader,
            identity,
        }
    }

    /// The digests of everything pinned, with `system` as it was observed by a grading.
    #[must_use]
    pub fn hashes(&self, system: Option<Digest>) -> Hashes {
        let PinnedDigests {
            prompt,
            fixture,
            contract,
            grader,
            output,
            toolchain,
        } = self.identity.1;
        Hashes {
            prompt,
            fixture,
            contract,
            grader: Some(grader),
            output,
            toolchain,
            system,
        }
    }
}

impl PartialEq for Pins {
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl Eq for Pins {}

impl PartialOrd for Pins {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pins {
    fn cmp(&self, other: &Self) -> Ordering {
        self.identity.cmp(&other.identity)
    }
}

/// The digests behind one verdict, recorded or of today.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hashes {
    /// The prompt file.
    pub prompt: Digest,
    /// Fixture and files.
    pub fixture: Digest,
    /// The observable part of the case.
    pub contract: Digest,
    /// The grader; `None` if it was not among the recorded ones.
    pub grader: Option<Digest>,
    /// The completion.
    pub output: Digest,
    /// The toolchain; `None` if there was no compiler.
    pub toolchain: Option<Digest>,
    /// Every file outside the suite that compile and link read; `None` if no list was written.
    pub system: Option<Digest>,
}

/// An input that can move between two verdicts.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    /// Prompt, fixture or contract.
    Case,
    /// A grader's settings or declared inputs.
    Grader,
    /// Our own code of a built-in grader.
    Engine,
    /// Compiler, assembler, linker, standard library.
    Toolchain,
    /// Any other file outside the suite that was read.
    System,
    /// What the model wrote.
    Completion,
}

impl Input {
    /// The word used in `moved`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Case => "case",
            Self::Grader => "grader",
            Self::Engine => "engine",
            Self::Toolchain => "toolchain",
            Self::System => "system",
            Self::Completion => "completion",
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Hashes {
    /// The inputs that differ between these and `later`, where `grader` is the grader of
    /// `later` (it knows its own earlier revisions).
    #[must_use]
    pub fn moved(&self, later: &Self, grader: &GraderSpec) -> BTreeSet<Input> {
        let mut moved = self.differing(later);
        // A grader that was not recorded has no state it could have moved from.
        if moved.remove(&Input::Grader)
            && let Some(recorded) = self.grader
        {
            let engine = grader.is_earlier_engine(recorded);
            moved.insert(if engine { Input::Engine } else { Input::Grader });
        }
        moved
    }

    /// The inputs that differ between these and `later`, as far as digests alone tell: our own
    /// code of a grader counts as the grader, and null to a value has moved.
    #[must_use]
    pub fn differing(&self, later: &Self) -> BTreeSet<Input> {
        let mut moved = BTreeSet::new();
        let case = |hashes: &Self| (hashes.prompt, hashes.fixture, hashes.contract);
        if case(self) != case(later) {
            moved.insert(Input::Case);
        }
        if self.grader != later.grader {
            moved.insert(Input::Grader);
        }
        if self.toolchain != later.toolchain {
            moved.insert(Input::Toolchain);
        }
        if self.system != later.system {
            moved.insert(Input::System);
        }
        if self.output != later.output {
            moved.insert(Input::Completion);
        }
        moved
    }
}
