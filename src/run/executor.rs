//! Runs one step from a value to a value: scratch folder, closed environment, supervisor,
//! outputs and reads. Whatever goes wrong here is an observation too, never a panic.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::blobs::Blobs;
use super::file_digests::FileDigests;
use super::mounted_trees::MountedTrees;
use super::orphans::{Supervisors, has_ended};
use super::protocol::{Reply, Request, STOP};
use super::reads::{self, Reads};
use super::reply;
use super::sandbox::Grants;
use super::sandbox::plan::Sandbox;
use super::scratch::RunScratch;
use super::surroundings::{Placed, Surroundings};
use super::work_tree::WorkTree;
use super::{clock, sandbox, shown_input, supervisor};
use crate::model::digest::Digest;
use crate::model::isolation::Isolation;
use crate::model::observation::{Ended, Observation};
use crate::model::step::{Profile, Program, Step, StepSpec};

/// A compile that fails with less than this left under the scratch tree says nothing of the unit:
/// the tools clean up behind themselves, so what is left then was left before.
const ROOM: u64 = 16 << 20;

/// Runs steps, from as many threads as call it.
#[derive(Debug)]
pub struct Executor {
    scratch: RunScratch,
    blobs: Blobs,
    trees: MountedTrees,
    surroundings: Surroundings,
    supervisor: PathBuf,
    search_folders: RwLock<Vec<PathBuf>>,
    file_digests: Arc<FileDigests>,
    supervisors: Supervisors,
    running: Mutex<Running>,
}

/// The lifelines of the steps that run now.
#[derive(Debug, Default)]
struct Running {
    cancelled: bool,
    next: u64,
    lifelines: HashMap<u64, ChildStdin>,
}

impl Running {
    /// Asks the supervisor of `number` to stop.
    fn stop(&mut self, number: u64) {
        if let Some(mut lifeline) = self.lifelines.remove(&number) {
            let _ = lifeline.write_all(STOP);
        }
    }
}

impl Executor {
    /// An executor that works in `scratch`, keeps outputs in the folder `blobs` and looks for
    /// compilers on `search_path` (`environment::search_path`). Supervisors are started from
    /// the binary that runs now, also if it is rebuilt meanwhile.
    ///
    /// # Errors
    /// If `blobs` cannot be made or our own binary cannot be found.
    pub fn new(scratch: RunScratch, blobs: PathBuf, search_path: String) -> io::Result<Self> {
        Ok(Self {
            trees: MountedTrees::new(scratch.path().join("trees")),
            scratch,
            blobs: Blobs::new(blobs)?,
            surroundings: Surroundings::new(search_path),
            supervisor: own_binary()?,
            search_folders: RwLock::default(),
            file_digests: Arc::default(),
            supervisors: Supervisors::default(),
            running: Mutex::default(),
        })
    }

    /// The same, with supervisors started from the driftgate binary at `path` (absolute).
    #[must_use]
    pub fn with_supervisor(mut self, path: PathBuf) -> Self {
        self.supervisor = path;
        self
    }

    /// The same, with every step in a sandbox as far as this machine has one, which is tried
    /// here. `kept` are the folders that no step may read unless it is given one: the checkout
    /// above all.
    #[must_use]
    pub fn sandboxed(mut self, kept: &[PathBuf]) -> Self {
        let isolation = sandbox::trial::probe(&self.supervisor, &self.scratch);
        let mut kept = kept.to_vec();
        kept.push(self.scratch.path().to_owned());
        self.surroundings.confine(isolation, &kept);
        self
    }

    /// The same, with what a team grants its own tools.
    #[must_use]
    pub fn granting(mut self, grants: Grants) -> Self {
        self.surroundings.grant(grants);
        self
    }

    /// The same, with at most `most` threads a step at one time.
    #[must_use]
    pub fn with_threads(mut self, most: u64) -> Self {
        self.surroundings.limit_threads(most);
        self
    }

    /// What steps are kept from; `None` if they are not.
    #[must_use]
    pub fn isolation(&self) -> Option<&Isolation> {
        self.surroundings.sandbox().map(Sandbox::isolation)
    }

    /// The same, which also ends what a supervisor held that was killed. Only for a process that
    /// starts nothing but supervisors: every other child of it is taken for such an orphan.
    ///
    /// # Errors
    /// If orphans cannot become ours.
    pub fn adopting_orphans(mut self) -> io::Result<Self> {
        self.supervisors.adopt()?;
        Ok(self)
    }

    /// The scratch root of the run.
    #[must_use]
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// From now on the place of these folders does not matter to `Observation::reads`, only the
    /// paths below them: the search folders of the toolchain.
    pub fn set_search_folders(&self, folders: Vec<PathBuf>) {
        if let Some(sandbox) = self.surroundings.sandbox() {
            sandbox.set_toolchain(&folders);
        }
        *self
            .search_folders
            .write()
            .unwrap_or_else(PoisonError::into_inner) = folders;
    }

    /// Where headers and libraries of the toolchain are searched.
    #[must_use]
    pub fn search_folders(&self) -> Vec<PathBuf> {
        let folders = self.search_folders.read();
        folders.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The digests of files outside the suite, shared with whoever hashes some too.
    #[must_use]
    pub fn file_digests(&self) -> &Arc<FileDigests> {
        &self.file_digests
    }

    /// The content of an output of an earlier step.
    ///
    /// # Errors
    /// If it was never made, cannot be read, or is damaged.
    pub fn output(&self, digest: &Digest) -> io::Result<Vec<u8>> {
        self.blobs.read(digest)
    }

    /// Ends every running step and answers every later one with `Interrupted`.
    pub fn cancel(&self) {
        let mut running = self.running();
        running.cancelled = true;
        let numbers: Vec<_> = running.lifelines.keys().copied().collect();
        for number in numbers {
            running.stop(number);
        }
    }

    /// Runs `step` to its end. Outputs and reads are there only if the process ended by itself
    /// or by a signal: what a step that we cut short left behind is not its result.
    #[must_use]
    pub fn run(&self, step: &Step) -> Observation {
        if self.running().cancelled {
            return Observation::without_run(Ended::Interrupted);
        }
        let observation = self
            .attempt(step.spec())
            .unwrap_or_else(Observation::without_run);
        match observation.ended {
            // A step that lost its supervisor to the cancellation.
            Ended::NotStarted(_) | Ended::Lost(_) if self.running().cancelled => {
                Observation::without_run(Ended::Interrupted)
            }
            Ended::Exit(_)
            | Ended::Signal(_)
            | Ended::CpuLimit
            | Ended::WallLimit { .. }
            | Ended::OutputLimit
            | Ended::ResourceLimit(_)
            | Ended::NotStarted(_)
            | Ended::Lost(_)
            | Ended::Interrupted => observation,
        }
    }

    /// Runs `spec`; an error is how it ended without running.
    fn attempt(&self, spec: &StepSpec) -> Result<Observation, Ended> {
        if let Program::Show(path) = &spec.program {
            return shown_input::show(spec, path, &self.blobs);
        }
        let not_started = |what: &'static str| {
            move |error: io::Error| Ended::NotStarted(format!("cannot {what}: {error}"))
        };
        let folder = self
            .scratch
            .step()
            .map_err(not_started("make a scratch folder"))?;
        let work = WorkTree::new(folder.work());
        let filled = work.fill(&spec.inputs, &self.blobs);
        filled.map_err(Ended::NotStarted)?;
        let mounted = self.trees.mount_all(&spec.mounts, work.path());
        mounted.map_err(not_started("put a tree in place"))?;
        for path in &spec.executable {
            let made = work.make_executable(path);
            made.map_err(not_started("make an input executable"))?;
        }
        let placed = Placed {
            folder: &folder,
            work: &work,
            run: self.scratch.path(),
            trees: &self.trees,
        };
        let request = self.surroundings.request(spec, &placed, &self.blobs);
        let request = request.map_err(not_started("prepare a step"))?;
        let reply = self.supervise(&request)?;
        let mut observation = Observation {
            ended: reply.ended,
            stdout: reply.stdout,
            stderr: reply.stderr,
            truncated: reply.truncated,
            outputs: BTreeMap::new(),
            reads: None,
            cpu: reply.cpu,
            wall: reply.wall,
            leftovers: reply.leftovers,
        };
        if spec.profile == Profile::Compile && !observation.succeeded() && self.is_full() {
            return Err(Ended::Lost(
                "the disk of the scratch tree is full".to_owned(),
            ));
        }
        if let Ended::Exit(_) | Ended::Signal(_) = observation.ended {
            self.collect(spec, &work, &mut observation)
                .map_err(|error| Ended::Lost(format!("cannot keep the outputs: {error}")))?;
        }
        Ok(observation)
    }

    /// Whether there is hardly any room left for scratch trees.
    fn is_full(&self) -> bool {
        rustix::fs::statvfs(self.scratch.path())
            .is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < ROOM)
    }

    /// Has `request` supervised.
    fn supervise(&self, request: &Request) -> Result<Reply, Ended> {
        let start_failed =
            |error: io::Error| Ended::NotStarted(format!("cannot start a supervisor: {error}"));
        let line = request.line().map_err(start_failed)?;
        let child = self.supervisors.take(&self.supervisor, request.disk);
        let mut child = child.map_err(start_failed)?;
        let reply = self.converse(&mut child, request, &line);
        match &reply {
            Ok(reply) if reply.again && child.stdin.is_some() => {
                self.supervisors.keep(child, request.disk);
            }
            // It replies last of all.
            Ok(_) => self.supervisors.wait(&mut child),
            Err(_) => {
                self.give_up(&mut child);
                self.supervisors.kill_orphans(supervisor::KILL_LIMIT);
            }
        }
        reply
    }

    /// Sends `line` to a supervisor and reads its reply.
    fn converse(&self, child: &mut Child, request: &Request, line: &[u8]) -> Result<Reply, Ended> {
        let (Some(lifeline), Some(mut replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Ended::NotStarted("a supervisor has no pipes".to_owned()));
        };
        let number = self.ask(lifeline, line)?;
        let reply = reply::read(&mut replies, request, Pid::from_child(child));
        match &reply {
            Ok(_) => {
                // Gone if it was told to stop meanwhile.
                child.stdin = self.running().lifelines.remove(&number);
                child.stdout = Some(replies);
            }
            Err(_) => self.running().stop(number),
        }
        reply
    }

    /// Sends the request line and keeps the lifeline under a number, for a cancellation.
    fn ask(&self, mut lifeline: ChildStdin, line: &[u8]) -> Result<u64, Ended> {
        // Before it is listed: writing may wait for the supervisor.
        if self.running().cancelled {
            return Err(Ended::Interrupted);
        }
        lifeline
            .write_all(line)
            .map_err(|error| Ended::NotStarted(format!("a supervisor does not listen: {error}")))?;
        let mut running = self.running();
        let number = running.next;
        running.next += 1;
        running.lifelines.insert(number, lifeline);
        if running.cancelled {
            running.stop(number);
        }
        Ok(number)
    }

    /// Moves the outputs to the blobs and digests what was read.
    fn collect(
        &self,
        spec: &StepSpec,
        work: &WorkTree,
        observation: &mut Observation,
    ) -> io::Result<()> {
        let mut search_folders = self.search_folders();
        search_folders.extend(reads::folders_in(&spec.args));
        let reads = Reads {
            work,
            scratch: self.scratch.path(),
            search_folders,
        };
        // First: a list may be an output too, and then it moves.
        observation.reads = reads.digest(&spec.reads.files, &self.file_digests);
        for path in &spec.outputs {
            if let Some(digest) = self.blobs.take(work, path)? {
                observation.outputs.insert(path.clone(), digest);
            }
        }
        Ok(())
    }

    /// Ends a supervisor that gave no reply. It was told to stop, or never asked; it is waited for
    /// before it is killed, because it ends what it holds better than we can.
    fn give_up(&self, child: &mut Child) {
        let asked_at = clock::now_monotonic();
        let pid = Pid::from_child(child);
        while !has_ended(pid) && asked_at.elapsed() < reply::PATIENCE {
            // What it supervises may have stopped it.
            let _ = kill_process(pid, Signal::CONT);
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = child.kill();
        self.supervisors.wait(child);
    }

    fn running(&self) -> std::sync::MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The path of the binary that runs now.
///
/// # Errors
/// If the system does not tell.
pub(super) fn own_binary() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") {
        // The kernel's own link to what we run; it needs no name to be left.
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    std::env::current_exe()
}
