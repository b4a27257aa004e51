//! One run on one checkout: its folder, its workers, its compiler, its store.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context as _;

use crate::error::Error;
use crate::model::isolation::Isolation;
use crate::model::toolchain::Compiler;

use super::driver::{Driven, Finish, Progress, Task, drive};
use super::environment;
use super::executor::Executor;
use super::interrupt;
use super::memory::{Keeping, Memory};
use super::sandbox::Grants;
use super::scheduler::{Queue, Scheduler};
use super::scratch::RunScratch;
use super::times::Times;
use super::toolchain;
use super::unfinished::Circumstances;
use super::workspace::{Workspace, unusable};

/// A checkout that is taken: no other run may work in it, and there is a scratch folder.
pub struct Claim {
    scratch: RunScratch,
    workspace: Workspace,
}

impl Claim {
    /// Takes the checkout at `root` for a run of `command`.
    ///
    /// # Errors
    /// When it is taken or cannot be written.
    pub fn take(root: &Path, command: &str) -> Result<Self, Error> {
        interrupt::install().context("cannot listen for signals")?;
        let workspace = Workspace::open(root, command)?;
        let scratch = workspace.scratch()?;
        Ok(Self { scratch, workspace })
    }

    /// A folder of the run's own, removed with it.
    #[must_use]
    pub fn scratch(&self) -> &Path {
        self.scratch.path()
    }
}

/// What a run is given.
pub struct Setup<'a> {
    /// The compiler as configured: a program with leading arguments.
    pub compiler: &'a str,
    /// The sets of selecting flags whose toolchain identity is needed.
    pub flag_sets: BTreeSet<Vec<String>>,
    /// How many processes run at once.
    pub jobs: usize,
    /// Whether steps run in a sandbox, as far as there is one.
    pub sandboxed: bool,
    /// What the team's own tools are granted.
    pub grants: Grants,
    /// The checkout, which no step may read.
    pub root: &'a Path,
    /// What of other runs is used.
    pub keeping: Keeping,
}

/// A run. Dropping it removes everything it started and made, but what it was asked to keep.
pub struct Session {
    executor: Executor,
    memory: Memory,
    compiler: Compiler,
    times: Times,
    jobs: usize,
    /// Held last: no other run may start before ours has cleaned up.
    workspace: Workspace,
}

impl Session {
    /// Prepares to run processes, and probes the compiler.
    ///
    /// # Errors
    /// When the checkout cannot be written, or we were asked to stop.
    pub fn open(claim: Claim, setup: &Setup<'_>) -> Result<Self, Error> {
        let Claim { scratch, workspace } = claim;
        let kept = setup.keeping.folder(workspace.path());
        let unusable = |error| unusable(&kept, &error);
        let mut memory = Memory::open(workspace.path(), setup.keeping).map_err(unusable)?;
        let blobs = memory.blobs().to_owned();
        let mut executor = Executor::new(scratch, blobs, environment::search_path())
            .and_then(Executor::adopting_orphans)
            .context("cannot prepare to start processes")?;
        executor = executor.granting(setup.grants.clone());
        if setup.sandboxed {
            executor = executor.sandboxed(&[setup.root.to_owned()]);
        }
        let compiler = toolchain::probe(&executor, setup.compiler, &setup.flag_sets);
        let now = circumstances(&executor, &compiler);
        memory.settle(now, &executor).map_err(unusable)?;
        let times = Times::load(&workspace.path().join("times.json"));
        if let Some(signal) = interrupt::received() {
            return Err(Error::Interrupted(signal));
        }
        Ok(Self {
            executor,
            memory,
            compiler,
            times,
            jobs: setup.jobs,
            workspace,
        })
    }

    /// The compiler, or why there is none.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// What steps are kept from; `None` if nobody asked for that.
    pub fn isolation(&self) -> Option<&Isolation> {
        self.executor.isolation()
    }

    /// What earlier runs left, and what is used of it.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// How long rows took last time.
    #[must_use]
    pub fn times(&self) -> &Times {
        &self.times
    }

    /// The same, to note new ones.
    pub fn times_mut(&mut self) -> &mut Times {
        &mut self.times
    }

    /// The folder of the run's checkout that is ours.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Works out every task and passes each result to `finish` as soon as it is there.
    ///
    /// # Errors
    /// When we were asked to stop, by a fault of ours, or when `finish` fails.
    pub fn drive<D>(
        &self,
        tasks: Vec<Task<D>>,
        progress: &dyn Progress,
        finish: &mut Finish<'_, D>,
    ) -> Result<(), Error> {
        let queue = Queue::default();
        let driven = std::thread::scope(|scope| {
            let scheduler = Scheduler::start(scope, &self.executor, &queue, self.jobs);
            drive(
                tasks,
                &self.compiler,
                &scheduler,
                &self.memory,
                (progress, finish),
            )
        })?;
        match driven {
            Driven::All => Ok(()),
            Driven::Interrupted => Err(Error::Interrupted(interrupt::received().unwrap_or(2))),
        }
    }
}

/// What all steps of a run are made with, apart from what is part of each.
fn circumstances(executor: &Executor, compiler: &Compiler) -> Circumstances {
    let isolation = executor.isolation().map(serde_json::to_string);
    let compiler = compiler.as_ref().map(|toolchain| toolchain.digest);
    let found = [
        ("the isolation", format!("{isolation:?}")),
        ("the user", rustix::process::geteuid().as_raw().to_string()),
        ("the search path", environment::search_path()),
        ("the compiler", format!("{compiler:?}")),
    ];
    found.map(|(name, state)| (name.to_owned(), state)).into()
}
