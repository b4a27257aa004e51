//! Our supervisors, and the end of what a dead one held.
//!
//! A candidate can kill its own supervisor: both belong to one user. What that one held becomes
//! ours then, if we are a subreaper too. All other children of ours are supervisors, so every
//! child that is none is such an orphan, and ends here. A process that has children of another
//! kind, as tests have, must not adopt any.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid};

use super::{clock, spawn};

/// Between two looks while orphans are being killed.
const PAUSE: Duration = Duration::from_millis(2);

/// The supervisors that were started and not yet waited for.
#[derive(Debug, Default)]
pub(super) struct Supervisors {
    started: Mutex<HashSet<Pid>>,
    /// Those that wait for another step, with the disk limit of the steps they are for: what a
    /// process has lowered for itself it cannot raise again.
    idle: Mutex<Vec<(u64, Child)>>,
    adopts: bool,
}

impl Supervisors {
    /// From now on orphans come to us, and every child of ours that is no supervisor is one.
    ///
    /// # Errors
    /// If they cannot.
    pub(super) fn adopt(&mut self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        self.adopts = true;
        Ok(())
    }

    /// One for a step that may fill `disk` bytes: one that has done with another such step, or
    /// else a new one from the binary `program`, whose start takes longer than most steps.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(super) fn take(&self, program: &Path, disk: u64) -> io::Result<Child> {
        loop {
            let Some(mut child) = self.idle_for(disk) else {
                return self.start(program);
            };
            if !has_ended(Pid::from_child(&child)) {
                return Ok(child);
            }
            self.wait(&mut child);
        }
    }

    /// Keeps one with both its pipes for another step that may fill `disk` bytes.
    pub(super) fn keep(&self, child: Child, disk: u64) {
        self.idle().push((disk, child));
    }

    fn idle_for(&self, disk: u64) -> Option<Child> {
        let mut idle = self.idle();
        let place = idle.iter().rposition(|(for_disk, _)| *for_disk == disk)?;
        Some(idle.remove(place).1)
    }

    fn start(&self, program: &Path) -> io::Result<Child> {
        // Held over the start: until it is listed it looks like an orphan.
        let mut started = self.started();
        let child = spawn::supervisor(program)?;
        started.insert(Pid::from_child(&child));
        Ok(child)
    }

    /// Waits for the end of one.
    pub(super) fn wait(&self, child: &mut Child) {
        let pid = Pid::from_child(child);
        let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), ended));
        // Its number is free for another one as soon as it is reaped.
        let mut started = self.started();
        let _ = child.wait();
        started.remove(&pid);
    }

    /// Kills what dead supervisors held, at most for `limit`.
    pub(super) fn kill_orphans(&self, limit: Duration) {
        if !self.adopts {
            return;
        }
        let deadline = clock::now_monotonic() + limit;
        let started = self.started();
        loop {
            let children = children_of_all();
            let own = children.get(&rustix::process::getpid());
            let orphans: Vec<Pid> = own
                .into_iter()
                .flatten()
                .copied()
                .filter(|child| !started.contains(child))
                .collect();
            if orphans.is_empty() || clock::now_monotonic() >= deadline {
                return;
            }
            let all = with_descendants(&orphans, &children);
            // All are stopped first, so that none forks while others are killed.
            for signal in [Signal::STOP, Signal::KILL] {
                for pid in &all {
                    let _ = kill_process(*pid, signal);
                }
            }
            for orphan in orphans {
                let _ = rustix::process::waitpid(Some(orphan), WaitOptions::NOHANG);
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<(u64, Child)>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn started(&self) -> MutexGuard<'_, HashSet<Pid>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Supervisors {
    fn drop(&mut self) {
        let idle = std::mem::take(&mut *self.idle());
        for (_, mut child) in idle {
            // It ends with its lifeline.
            drop(child.stdin.take());
            self.wait(&mut child);
        }
    }
}

/// Whether our child `pid` has ended; it stays to be reaped.
pub(super) fn has_ended(pid: Pid) -> bool {
    let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(pid), peek), Ok(None))
}

/// `roots` and everything below them.
fn with_descendants(roots: &[Pid], children: &HashMap<Pid, Vec<Pid>>) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut open = roots.to_vec();
    while let Some(pid) = open.pop() {
        found.push(pid);
        open.extend(children.get(&pid).into_iter().flatten());
    }
    found
}

/// The children of every process; empty where there is no `/proc`.
fn children_of_all() -> HashMap<Pid, Vec<Pid>> {
    let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry.file_name().to_str().and_then(number);
        if let Some((pid, parent)) = pid.and_then(|pid| Some((pid, parent_of(pid)?))) {
            children.entry(parent).or_default().push(pid);
        }
    }
    children
}

fn parent_of(pid: Pid) -> Option<Pid> {
    let bytes = std::fs::read(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    // Behind the command name, which may hold anything: state, parent, ...
    let end = bytes.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(bytes.get(end + 1..)?).ok()?;
    number(rest.split_ascii_whitespace().nth(1)?)
}

fn number(text: &str) -> Option<Pid> {
    Pid::from_raw(text.parse().ok().filter(|pid| *pid > 0)?)
}
