//! The end of everything in a sandbox, in one call.
//!
//! A thread inside the sandbox may signal what is inside, and nothing else. So when it signals
//! everybody, the kernel ends exactly the processes of the step, all at once: however many there
//! are, whatever sessions they moved to, and however fast they fork. Looking for them one by one
//! loses against a crowd that leaves the killer a thousandth of the machine.

use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

#[cfg(target_os = "linux")]
use nix::sys::signal::{Signal, kill};

/// How long an answer is waited for. A crowd may keep the thread from running for a while.
const PATIENCE: Duration = Duration::from_secs(10);

/// The way to the thread.
pub(in crate::run) struct Warden {
    ask: Sender<()>,
    finished: Receiver<()>,
}

impl Warden {
    /// A way to a thread that [`serve`]s.
    pub(super) fn new(ask: Sender<()>, finished: Receiver<()>) -> Self {
        Self { ask, finished }
    }

    /// Kills every process in the sandbox, if that is known to reach nobody else.
    pub(in crate::run) fn kill_everything(&self) {
        if self.ask.send(()).is_ok() {
            let _ = self.finished.recv_timeout(PATIENCE);
        }
    }
}

/// Ends everything as often as it is asked to, until nobody can ask any more. Does nothing unless
/// this thread is `alone`.
#[cfg(target_os = "linux")]
pub(super) fn serve(alone: bool, asked: &Receiver<()>, done: &Sender<()>) {
    while asked.recv().is_ok() {
        if alone && is_shut_in() {
            let _ = kill(nix::unistd::Pid::from_raw(-1), Signal::SIGKILL);
        }
        if done.send(()).is_err() {
            return;
        }
    }
}

/// Whether this thread cannot signal the one that started us, which belongs to the user that we
/// did. Asked each time besides, for a mistake would end all that the user runs.
#[cfg(target_os = "linux")]
fn is_shut_in() -> bool {
    use rustix::io::Errno;
    use rustix::process::{getppid, test_kill_process};
    getppid().is_some_and(|parent| test_kill_process(parent) == Err(Errno::PERM))
}
