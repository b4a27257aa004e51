//! One process as data: what to start, on what content, and what to keep of it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::digest::{Digest, Hasher};
use super::source_tree::SourceTree;

/// Bytes that a step is given.
#[derive(Clone, Debug)]
pub enum Content {
    /// The bytes themselves.
    Bytes(Arc<[u8]>),
    /// An output of an earlier step, by its digest.
    Output(Digest),
}

impl Content {
    /// The digest of the bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        match self {
            Self::Bytes(bytes) => Digest::of(bytes),
            Self::Output(digest) => *digest,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Bytes(text.as_bytes().into())
    }
}

/// What a step starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// A tool of the machine: its path and leading arguments.
    Tool(Vec<String>),
    /// An input of the step, by its path in the scratch tree; it is made executable.
    Input(String),
    /// Nothing: the answer holds the content of this input as standard output. This is how a
    /// grader reads what an earlier step made.
    Show(String),
}

/// A tree of files that a step sees under one folder of its scratch tree, and cannot change.
#[derive(Clone, Debug)]
pub struct Mount {
    /// The files.
    pub tree: Arc<SourceTree>,
    /// What the step can come to depend on, as part of its identity: the digest of the whole
    /// tree, or of the part of it that the step can reach.
    pub reach: Digest,
}

/// Who is being run: decides environment, limits and sandbox (security.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// A compiler or linker.
    Compile,
    /// A binary built from a candidate.
    Candidate,
    /// A team's own tool.
    Harness,
}

impl Profile {
    /// The word used in identities and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::Candidate => "candidate",
            Self::Harness => "harness",
        }
    }
}

/// What a process may use. Not part of a step's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// CPU time of the process and everything it started.
    pub cpu: Duration,
    /// Elapsed time.
    pub wall: Duration,
    /// Bytes kept of each of stdout and stderr.
    pub output: usize,
    /// Whether writing more than that ends the process (else the rest is dropped).
    pub flood_ends: bool,
}

/// Files in the scratch tree in which a compiler and a linker list what they read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadLists {
    /// Makefile-style dependency lists.
    pub files: Vec<String>,
}

/// Everything that defines a step.
#[derive(Clone, Debug)]
pub struct StepSpec {
    /// What to start.
    pub program: Program,
    /// Its arguments.
    pub args: Vec<String>,
    /// Files in the scratch tree before it starts: path to content.
    pub inputs: BTreeMap<String, Content>,
    /// Trees that are there too, by the folder they stand under.
    pub mounts: BTreeMap<String, Mount>,
    /// Which of the inputs are made executable, besides the program.
    pub executable: BTreeSet<String>,
    /// Environment beyond the closed base.
    pub env: BTreeMap<String, String>,
    /// Standard input.
    pub stdin: Content,
    /// Files to keep afterwards, if they exist.
    pub outputs: BTreeSet<String>,
    /// Lists of what was read outside the scratch tree, to be hashed.
    pub reads: ReadLists,
    /// Who is being run.
    pub profile: Profile,
    /// The identity of the tools involved; `None` where only inputs matter.
    pub tools: Option<Digest>,
    /// Which repetition this is, from 0.
    pub nth: u32,
    /// What it may use; no part of the identity.
    pub limits: Limits,
}

impl StepSpec {
    /// The first run of a program that is given nothing and of which nothing is kept but what it
    /// prints.
    #[must_use]
    pub fn bare(program: Program, profile: Profile, limits: Limits) -> Self {
        Self {
            program,
            args: Vec::new(),
            inputs: BTreeMap::new(),
            mounts: BTreeMap::new(),
            executable: BTreeSet::new(),
            env: BTreeMap::new(),
            stdin: Content::from(""),
            outputs: BTreeSet::new(),
            reads: ReadLists::default(),
            profile,
            tools: None,
            nth: 0,
            limits,
        }
    }
}

/// A step with its identity. Compared by identity alone.
#[derive(Clone, Debug)]
pub struct Step {
    key: Digest,
    spec: Arc<StepSpec>,
}

impl Step {
    /// Computes the identity of `spec`: everything but the limits.
    #[must_use]
    pub fn new(spec: StepSpec) -> Self {
        let mut hasher = Hasher::default();
        hasher.part(b"driftgate/step/1");
        match &spec.program {
            Program::Tool(argv) => {
                hasher.part(b"tool");
                list(&mut hasher, argv.iter().map(String::as_bytes));
            }
            Program::Input(path) => {
                hasher.part(b"input");
                hasher.part(path.as_bytes());
            }
            Program::Show(path) => {
                hasher.part(b"show");
                hasher.part(path.as_bytes());
            }
        }
        list(&mut hasher, spec.args.iter().map(String::as_bytes));
        hasher.part(&(spec.inputs.len() as u64).to_le_bytes());
        for (path, content) in &spec.inputs {
            hasher.part(path.as_bytes());
            hasher.part(content.digest().to_string().as_bytes());
        }
        hasher.part(&(spec.mounts.len() as u64).to_le_bytes());
        for (path, mount) in &spec.mounts {
            hasher.part(path.as_bytes());
            hasher.part(mount.reach.to_string().as_bytes());
        }
        list(&mut hasher, spec.executable.iter().map(String::as_bytes));
        list(
            &mut hasher,
            spec.env
                .iter()
                .flat_map(|(k, v)| [k.as_bytes(), v.as_bytes()]),
        );
        hasher.part(spec.stdin.digest().to_string().as_bytes());
        list(&mut hasher, spec.outputs.iter().map(String::as_bytes));
        list(&mut hasher, spec.reads.files.iter().map(String::as_bytes));
        hasher.part(spec.profile.as_str().as_bytes());
        hasher.part(
            spec.tools
                .map(|tools| tools.to_string())
                .unwrap_or_default()
                .as_bytes(),
        );
        hasher.part(&spec.nth.to_le_bytes());
        Self {
            key: hasher.finish(),
            spec: Arc::new(spec),
        }
    }

    /// The identity.
    #[must_use]
    pub fn key(&self) -> Digest {
        self.key
    }

    /// Whether a process is started for it: showing bytes takes none.
    #[must_use]
    pub fn starts_a_process(&self) -> bool {
        !matches!(self.spec().program, Program::Show(_))
    }

    /// What defines it.
    #[must_use]
    pub fn spec(&self) -> &StepSpec {
        &self.spec
    }
}

/// Adds a list with its length, so that neighbouring lists do not run together.
fn list<'a>(hasher: &mut Hasher, items: impl Iterator<Item = &'a [u8]>) {
    let items: Vec<_> = items.collect();
    hasher.part(&(items.len() as u64).to_le_bytes());
    for item in items {
        hasher.part(item);
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Step {}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}
