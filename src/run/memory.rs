//! What a run knows of steps before it runs them: from the store, if it keeps one, else from an
//! earlier run that was interrupted and is continued.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::executor::Executor;
use super::store::Store;
use super::unfinished::{Before, Circumstances, Unfinished};
use crate::model::observation::Observation;
use crate::model::step::Step;

/// What of other runs is used.
#[derive(Clone, Copy, Debug)]
pub struct Keeping {
    /// Whether observations are kept for all later runs.
    pub store: bool,
    /// Whether to continue a run that was interrupted.
    pub resume: bool,
}

impl Keeping {
    /// The folder in `workspace` where observations are.
    #[must_use]
    pub fn folder(self, workspace: &Path) -> PathBuf {
        workspace.join(if self.store { "store" } else { "unfinished" })
    }
}

/// The observations of a run's steps, and where they outlive it.
pub struct Memory {
    place: Place,
    resume: bool,
    reused: Cell<usize>,
    run: Cell<usize>,
}

enum Place {
    Store(Store),
    Unfinished(Unfinished),
}

impl Memory {
    /// Opens the memory in `workspace`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn open(workspace: &Path, keeping: Keeping) -> io::Result<Self> {
        let folder = keeping.folder(workspace);
        let place = if keeping.store {
            Place::Store(Store::open(&folder, &folder.join("blobs"))?)
        } else {
            Place::Unfinished(Unfinished::open(folder, keeping.resume)?)
        };
        Ok(Self {
            place,
            resume: keeping.resume,
            reused: Cell::new(0),
            run: Cell::new(0),
        })
    }

    /// Where the outputs of steps are.
    #[must_use]
    pub fn blobs(&self) -> &Path {
        match &self.place {
            Place::Store(store) => store.blobs(),
            Place::Unfinished(unfinished) => unfinished.blobs(),
        }
    }

    /// Forgets what does not hold any more, now that it is known what `executor` runs steps with:
    /// `now` says what that is.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn settle(&mut self, now: Circumstances, executor: &Executor) -> io::Result<()> {
        match &mut self.place {
            Place::Store(_) => Ok(()),
            Place::Unfinished(unfinished) => {
                let digests = Arc::clone(executor.file_digests());
                unfinished.settle(now, &executor.search_folders(), digests)
            }
        }
    }

    /// What is known of `step`.
    #[must_use]
    pub fn get(&self, step: &Step) -> Option<Arc<Observation>> {
        let known = match &self.place {
            Place::Store(store) => store.get(step),
            Place::Unfinished(unfinished) => unfinished.get(step),
        };
        let counter = if known.is_some() {
            &self.reused
        } else {
            &self.run
        };
        counter.set(counter.get() + 1);
        known
    }

    /// Keeps what was observed of `step`, where it tells something.
    pub fn put(&self, step: &Step, observation: &Observation) {
        match &self.place {
            Place::Store(store) => store.put(step, observation),
            Place::Unfinished(unfinished) => unfinished.put(step, observation),
        }
    }

    /// What a person should know before anything runs, if there is something.
    #[must_use]
    pub fn beginning(&self) -> Option<String> {
        match self.before()? {
            Before::Nothing => self
                .resume
                .then(|| "--resume: no interrupted run is there to continue".to_owned()),
            Before::Steps(steps) => {
                Some(format!("continuing a run that had finished {steps} steps"))
            }
            Before::Forgotten(steps) => Some(format!(
                "starting anew; {steps} finished steps of an interrupted run are forgotten (--resume reuses them)"
            )),
            Before::Moved(what) => Some(format!(
                "--resume: starting anew, because {what} is not what it was in the interrupted run"
            )),
        }
    }

    /// What a report should say of steps that were not run, if it was asked to reuse some.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        if !self.resume {
            return None;
        }
        let (reused, all) = (self.reused.get(), self.reused.get() + self.run.get());
        match self.before() {
            None => Some(format!(
                "resumed: {reused} of {all} steps were in the store and were not run again"
            )),
            Some(Before::Steps(_)) => Some(format!(
                "resumed: {reused} of {all} steps were finished by an interrupted run and were not run again"
            )),
            Some(Before::Nothing | Before::Forgotten(_) | Before::Moved(_)) => self.beginning(),
        }
    }

    /// The run is complete: there is nothing to continue.
    pub fn complete(&self) {
        match &self.place {
            Place::Store(_) => {}
            Place::Unfinished(unfinished) => unfinished.complete(),
        }
    }

    /// What an interrupted run left; `None` if there is a store instead.
    fn before(&self) -> Option<&Before> {
        match &self.place {
            Place::Store(_) => None,
            Place::Unfinished(unfinished) => Some(unfinished.found()),
        }
    }
}
