//! A word to everything in a sandbox, in one call: stop, go on, end.
//!
//! A thread inside the sandbox may signal what is inside, and nothing else. So when it signals
//! everybody, the kernel reaches exactly the processes of the step, all at once: however many
//! there are, whatever sessions they moved to, and however fast they fork. Looking for them one
//! by one loses against a crowd that leaves the looker a thousandth of the machine.

use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

#[cfg(target_os = "linux")]
use nix::sys::signal::{Signal, kill};

/// How long an answer is waited for. A crowd may keep the thread from running for a while.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is said to everything inside.
#[derive(Clone, Copy, Debug)]
pub(super) enum Word {
    /// Stop where you are.
    Stop,
    /// Go on.
    Continue,
    /// End.
    Kill,
}

/// The way to the thread.
pub(in crate::run) struct Warden {
    ask: Sender<Word>,
    finished: Receiver<bool>,
}

impl Warden {
    /// A way to a thread that [`serve`]s.
    pub(super) fn new(ask: Sender<Word>, finished: Receiver<bool>) -> Self {
        Self { ask, finished }
    }

    /// Stops every process in the sandbox, if that is known to reach nobody else. Tells whether
    /// it did.
    pub(in crate::run) fn stop_everything(&self) -> bool {
        self.say(Word::Stop)
    }

    /// Lets them go on.
    pub(in crate::run) fn let_go_on(&self) {
        self.say(Word::Continue);
    }

    /// Kills them. Tells whether it did.
    pub(in crate::run) fn kill_everything(&self) -> bool {
        self.say(Word::Kill)
    }

    fn say(&self, word: Word) -> bool {
        // An answer that came too late is none to this.
        while self.finished.try_recv().is_ok() {}
        self.ask.send(word).is_ok() && self.finished.recv_timeout(PATIENCE) == Ok(true)
    }
}

/// Passes on every word, until nobody can say any more. Does nothing unless this thread is
/// `alone`.
#[cfg(target_os = "linux")]
pub(super) fn serve(alone: bool, asked: &Receiver<Word>, done: &Sender<bool>) {
    while let Ok(word) = asked.recv() {
        let signal = match word {
            Word::Stop => Signal::SIGSTOP,
            Word::Continue => Signal::SIGCONT,
            Word::Kill => Signal::SIGKILL,
        };
        let shut_in = alone && is_shut_in();
        if shut_in {
            // An error means that nobody is there.
            let _ = kill(nix::unistd::Pid::from_raw(-1), signal);
        }
        if done.send(shut_in).is_err() {
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
