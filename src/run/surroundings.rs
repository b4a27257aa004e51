//! What a step gets around it, by its profile: program path, environment, limits and sandbox. All
//! of it is put into the request for its supervisor.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::blobs::Blobs;
use super::environment::BASE_PATH;
use super::mounted_trees::MountedTrees;
use super::protocol::Request;
use super::sandbox::Grants;
use super::sandbox::plan::{Asked, Sandbox};
use super::scratch::StepFolder;
use super::usage::THREADS;
use super::work_tree::{self, WorkTree};
use crate::model::isolation::Isolation;
use crate::model::step::{Content, Profile, Program, StepSpec};

/// Bytes that a step may leave on the disk.
const DISK: u64 = 2 << 30;

/// The same for a team's own tools, which may build whole trees.
const TOOL_DISK: u64 = 16 << 30;

/// What all steps of a run have around them.
#[derive(Debug)]
pub(super) struct Surroundings {
    search_path: String,
    sandbox: Option<Sandbox>,
    grants: Grants,
    threads: u64,
    beside: u64,
}

/// Where a step was put.
pub(super) struct Placed<'a> {
    /// Its scratch folder.
    pub(super) folder: &'a StepFolder,
    /// The part of it that was filled.
    pub(super) work: &'a WorkTree,
    /// The scratch root of the run.
    pub(super) run: &'a Path,
    /// The trees that steps share.
    pub(super) trees: &'a MountedTrees,
}

impl Surroundings {
    /// With tools on `search_path`, and no sandbox.
    pub(super) fn new(search_path: String) -> Self {
        Self {
            search_path,
            sandbox: None,
            grants: Grants::default(),
            threads: THREADS,
            beside: std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64),
        }
    }

    /// From now on steps are in a sandbox of what `isolation` found.
    pub(super) fn confine(&mut self, isolation: Isolation, kept: &[PathBuf]) {
        self.sandbox = Some(Sandbox::new(isolation, &self.search_path, kept));
    }

    /// From now on a team's own tools have `grants`.
    pub(super) fn grant(&mut self, grants: Grants) {
        self.grants = grants;
    }

    /// From now on a step has at most so many threads at one time.
    pub(super) fn limit_threads(&mut self, most: u64) {
        self.threads = most;
    }

    /// The sandbox, if there is one.
    pub(super) fn sandbox(&self) -> Option<&Sandbox> {
        self.sandbox.as_ref()
    }

    /// What the supervisor of `spec` is asked for.
    pub(super) fn request(
        &self,
        spec: &StepSpec,
        placed: &Placed<'_>,
        blobs: &Blobs,
    ) -> io::Result<Request> {
        let Placed { folder, work, .. } = placed;
        let mut argv = match &spec.program {
            Program::Tool(argv) => argv.clone(),
            Program::Input(path) => {
                work.make_executable(path)?;
                // Relative, so that the program's own name is the same in every scratch tree.
                vec![format!("./{path}")]
            }
            Program::Show(_) => Vec::new(),
        };
        argv.extend_from_slice(&spec.args);
        let stdin = match &spec.stdin {
            Content::Bytes(bytes) if bytes.is_empty() => None,
            content @ (Content::Bytes(_) | Content::Output(_)) => {
                // A copy also of a blob: an open file can be opened again for writing.
                let place = folder.path().join("stdin");
                work_tree::write(&place, content, blobs)?;
                // Whatever our umask: the step may belong to another user, who opens it.
                fs::set_permissions(&place, Permissions::from_mode(0o444))?;
                Some(place)
            }
        };
        let mounts = spec.mounts.values();
        let mounts = mounts.map(|mount| placed.trees.place(&mount.tree));
        let confine = self.sandbox.as_ref().map(|sandbox| {
            sandbox.confine(&Asked {
                spec,
                argv: &argv,
                folder,
                stdin: stdin.as_deref(),
                mounts: mounts.collect(),
                grants: &self.grants,
            })
        });
        Ok(Request {
            confine,
            argv,
            env: self.environment(spec, folder)?,
            cwd: work.path().to_owned(),
            own: folder.own(),
            disk: match spec.profile {
                Profile::Compile | Profile::Candidate => DISK,
                Profile::Harness => TOOL_DISK,
            },
            threads: self.threads,
            beside: self.beside,
            stdin,
            cpu: spec.limits.cpu,
            wall: spec.limits.wall,
            output: spec.limits.output,
            flood_ends: spec.limits.flood_ends,
            remove: vec![folder.path().to_owned(), placed.run.to_owned()],
        })
    }

    /// The whole environment of a step's process.
    fn environment(
        &self,
        spec: &StepSpec,
        folder: &StepFolder,
    ) -> io::Result<BTreeMap<String, String>> {
        let text = |path: PathBuf| {
            path.into_os_string().into_string().map_err(|path| {
                io::Error::other(format!("the scratch path {} is not UTF-8", path.display()))
            })
        };
        let path = match spec.profile {
            Profile::Compile | Profile::Harness => self.search_path.clone(),
            Profile::Candidate => BASE_PATH.to_owned(),
        };
        let mut environment = BTreeMap::from([
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), text(folder.home())?),
            ("TMPDIR".to_owned(), text(folder.tmp())?),
            ("LC_ALL".to_owned(), "C".to_owned()),
            ("TZ".to_owned(), "UTC".to_owned()),
        ]);
        if spec.profile == Profile::Harness {
            environment.extend(self.grants.env.clone());
        }
        environment.extend(spec.env.clone());
        Ok(environment)
    }
}
