//! What each step is kept from: of all that this machine can do, what its profile asks for.

use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

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
    }

    /// What the process of a step is kept from.
    pub(in crate::run) fn confine(&self, asked: &Asked<'_>) -> Confinement {
        let (spec, grants) = (asked.spec, asked.grants);
        let mut folders = self
            .toolchain
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut tools = Vec::new();
        match spec.profile {
            Profile::Candidate => {}
            Profile::Compile => {
                tools = self.places.tools(&programs(asked.argv.first(), None));
                folders.extend(reads::folders_in(&spec.args));
            }
            Profile::Harness => {
                tools = self
                    .places
                    .tools(&programs(asked.argv.first(), Some("python3")));
                tools.extend(grants.read.iter().cloned());
            }
        }
        // Flags and compilers are named by whoever changes the suite. They find what a system
        // keeps for everybody; what people keep must have been granted.
        let allowed = [tools.as_slice(), &grants.read].concat();
        let folders = self.places.harmless(&folders, &allowed);
        let calls = match (spec.profile, grants.loopback) {
            (Profile::Candidate, _) => Calls::Candidate,
            (Profile::Harness, true) => Calls::Networked,
            (Profile::Compile, _) | (Profile::Harness, false) => Calls::Tool,
        };
        let beyond = [tools, folders].concat();
        let tool = spec.profile != Profile::Candidate;
        Confinement {
            drop_identity: self.isolation.identity.holds(),
            search_all: tool && need_root(&beyond),
            alone: self.isolation.scope.holds() || self.isolation.identity.holds(),
            landlock: self.isolation.files.holds(),
            calls: self.isolation.calls.holds().then_some(calls),
            read: [
                self.places.system(),
                &beyond,
                &asked.mounts,
                asked.stdin.map(Path::to_owned).as_slice(),
            ]
            .concat(),
            own: vec![asked.folder.work(), asked.folder.home(), asked.folder.tmp()],
        }
    }
}

/// The programs of this machine that a tool is, or may be read by.
fn programs(tool: Option<&String>, interpreter: Option<&str>) -> Vec<PathBuf> {
    let named = tool.map(String::as_str).into_iter().chain(interpreter);
    // One with a relative path lies in the step's own tree.
    let elsewhere = named.filter(|name| name.starts_with('/') || !name.contains('/'));
    elsewhere.filter_map(environment::find_program).collect()
}
