//! What each step is kept from: of all that this machine can do, what its profile asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::super::environment;
use super::super::protocol::{Calls, Confinement};
use super::super::reads;
use super::super::scratch::StepFolder;
use super::Grants;
use super::places::{Places, need_root};
use crate::model::isolation::Isolation;
use crate::model::step::{Profile, StepSpec};

/// The sandbox of a run.
#[derive(Debug)]
pub(in crate::run) struct Sandbox {
    isolation: Isolation,
    places: Places,
    /// Where the compiler looks for headers and libraries.
    toolchain: RwLock<Vec<PathBuf>>,
    /// What was worked out for steps of one kind: finding it takes longer than a process.
    known: Mutex<BTreeMap<Kind, Arc<Beyond>>>,
}

/// What steps must have in common for the same to be theirs: profile, program and the folders
/// named in their arguments.
type Kind = (Profile, Option<String>, Vec<PathBuf>);

/// What may be read besides the system and the step's own.
#[derive(Debug)]
struct Beyond {
    paths: Vec<PathBuf>,
    /// Whether some of it is for root only.
    need_root: bool,
}

/// A step that is to be confined.
pub(in crate::run) struct Asked<'a> {
    /// The step.
    pub(in crate::run) spec: &'a StepSpec,
    /// What it starts.
    pub(in crate::run) argv: &'a [String],
    /// Its scratch folder.
    pub(in crate::run) folder: &'a StepFolder,
    /// The file on its standard input.
    pub(in crate::run) stdin: Option<&'a Path>,
    /// The shared trees that it sees.
    pub(in crate::run) mounts: Vec<PathBuf>,
    /// What tools are granted.
    pub(in crate::run) grants: &'a Grants,
}

impl Sandbox {
    /// A sandbox of what `isolation` found, for tools on `search_path`, that gives away none of
    /// the folders `kept` and no home.
    pub(in crate::run) fn new(isolation: Isolation, search_path: &str, kept: &[PathBuf]) -> Self {
        let home = environment::var_os("HOME").map(PathBuf::from);
        let home = home.filter(|home| home.is_absolute());
        let kept: Vec<_> = kept.iter().cloned().chain(home).collect();
        Self {
            isolation,
            places: Places::new(search_path, &kept),
            toolchain: RwLock::default(),
            known: Mutex::default(),
        }
    }

    /// What there is.
    pub(in crate::run) fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    /// From now on compilers and what they make may read `folders` too, where the compiler says
    /// it finds headers and libraries.
    pub(in crate::run) fn set_toolchain(&self, folders: &[PathBuf]) {
        *self
            .toolchain
            .write()
            .unwrap_or_else(PoisonError::into_inner) = folders.to_vec();
        self.known().clear();
    }

    /// What the process of a step is kept from.
    pub(in crate::run) fn confine(&self, asked: &Asked<'_>) -> Confinement {
        let (spec, grants) = (asked.spec, asked.grants);
        let beyond = self.beyond(asked);
        let calls = match (spec.profile, grants.loopback) {
            (Profile::Candidate, _) => Calls::Candidate,
            (Profile::Harness, true) => Calls::Networked,
            (Profile::Compile, _) | (Profile::Harness, false) => Calls::Tool,
        };
        let tool = spec.profile != Profile::Candidate;
        Confinement {
            drop_identity: self.isolation.identity.holds(),
            search_all: tool && beyond.need_root,
            alone: self.isolation.scope.holds() || self.isolation.identity.holds(),
            scoped: self.isolation.scope.holds(),
            landlock: self.isolation.files.holds(),
            calls: self.isolation.calls.holds().then_some(calls),
            read: [
                self.places.system(),
                &beyond.paths,
                &asked.mounts,
                asked.stdin.map(Path::to_owned).as_slice(),
            ]
            .concat(),
            own: asked.folder.own(),
        }
    }

    /// What a step may read besides, worked out once for each kind of step.
    fn beyond(&self, asked: &Asked<'_>) -> Arc<Beyond> {
        let profile = asked.spec.profile;
        let named = match profile {
            Profile::Candidate | Profile::Harness => Vec::new(),
            Profile::Compile => reads::folders_in(&asked.spec.args),
        };
        let program = match profile {
            Profile::Candidate => None,
            Profile::Compile | Profile::Harness => asked.argv.first().cloned(),
        };
        let kind = (profile, program, named);
        if let Some(known) = self.known().get(&kind) {
            return Arc::clone(known);
        }
        let found = Arc::new(self.find(&kind, asked.grants));
        self.known().insert(kind, Arc::clone(&found));
        found
    }

    fn find(&self, (profile, program, named): &Kind, grants: &Grants) -> Beyond {
        let mut folders = self
            .toolchain
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        folders.extend(named.iter().cloned());
        let mut tools = Vec::new();
        match profile {
            Profile::Candidate => {}
            // What a compiler can read, its diagnostics can show.
            Profile::Compile => tools = self.places.homes(&programs(program.as_ref(), STARTED)),
            Profile::Harness => {
                tools = self.places.homes(&programs(program.as_ref(), &["python3"]));
                tools.extend(self.places.program_folders().iter().cloned());
                tools.extend(grants.read.iter().cloned());
            }
        }
        // Flags and compilers are named by whoever changes the suite. They find what a system
        // keeps for everybody; what people keep must have been granted.
        let allowed = [tools.as_slice(), &grants.read].concat();
        let folders = self.places.harmless(&folders, &allowed);
        let paths: BTreeSet<PathBuf> = tools.into_iter().chain(folders).collect();
        let paths: Vec<PathBuf> = paths.into_iter().collect();
        Beyond {
            need_root: need_root(&paths),
            paths: self.places.without_known(paths),
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, BTreeMap<Kind, Arc<Beyond>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What compilers start: assemblers and linkers.
const STARTED: &[&str] = &["as", "ld", "ld.bfd", "ld.gold", "ld.lld", "ld.mold", "mold"];

/// The programs of this machine that a tool is, is read by or starts.
fn programs(tool: Option<&String>, others: &[&str]) -> Vec<PathBuf> {
    let named = tool
        .map(String::as_str)
        .into_iter()
        .chain(others.iter().copied());
    // One with a relative path lies in the step's own tree.
    let elsewhere = named.filter(|name| name.starts_with('/') || !name.contains('/'));
    elsewhere.filter_map(environment::find_program).collect()
}
