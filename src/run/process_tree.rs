//! The processes below a supervisor: their end, their CPU time, and how all of them are ended.
//! On Linux the supervisor is the subreaper of what it starts, so every process that a step
//! leaves behind becomes its child, whatever session or group it moved to.

use std::collections::{HashMap, HashSet};
use std::fs::Metadata;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, kill_process, kill_process_group,
    wait, waitid, waitpid,
};

use super::clock;
use super::sandbox::YIELD;
use super::sandbox::warden::Warden;

/// Between two looks while processes are being ended.
const PAUSE: Duration = Duration::from_millis(2);

/// Passes over the tree that stop what they find before it is killed. Processes that each leave
/// for a group of their own and fork faster than that are killed in part and looked at again;
/// what bounds them is a limit on their number, which is the sandbox's.
const STOP_PASSES: u32 = 16;

/// So many processes that vanished between two looks make a crowd: what a tree of its kind has
/// used cannot be told.
const CROWD: u32 = 16;

/// A child with all its descendants.
pub(super) struct ProcessTree {
    child: Pid,
    /// Who ends everything at once, if the tree is in a sandbox.
    warden: Option<Warden>,
    status: Option<WaitStatus>,
    /// How many processes that outlived the child we have reaped after SIGKILL.
    killed: u32,
    /// Who lived at the last look and was not reaped by us since, with the CPU time used by then.
    last: HashMap<Pid, Duration>,
    vanished: Vanished,
    /// CPU time of everything that was waited for before.
    before: Duration,
    /// Threads of the machine when they were last no crowd of ours.
    others: Option<u64>,
    /// Threads and bytes of memory at the last look.
    threads: u64,
    resident: u64,
}

/// What was there at one look and not at the next, and never came to us: reaped by a parent, or
/// by the kernel because the parent wants to hear of no child.
#[derive(Clone, Copy, Default)]
struct Vanished {
    count: u32,
    /// What they had used when last seen: in the sums too, if a parent waited for them.
    cpu: Duration,
}

impl ProcessTree {
    /// The tree below `child`, a process that we have just started in a group of its own, in
    /// the sandbox of `warden` if there is one.
    pub(super) fn new(child: Pid, warden: Option<Warden>) -> Self {
        Self {
            child,
            warden,
            status: None,
            killed: 0,
            last: HashMap::new(),
            vanished: Vanished::default(),
            before: reaped_cpu(),
            others: live::threads_of_machine(),
            threads: 0,
            resident: 0,
        }
    }

    /// How the child ended, once it was reaped.
    pub(super) fn status(&self) -> Option<WaitStatus> {
        self.status
    }

    /// How many processes outlived the child and had to be killed.
    pub(super) fn killed(&self) -> u32 {
        self.killed
    }

    /// Reaps whatever has ended. Returns whether nothing is left to wait for. The end of the
    /// child is the end of its group too: a group is killed in one go, however fast it forks,
    /// and while the child is not reaped the number of the group cannot be anybody else's.
    pub(super) fn reap(&mut self) -> bool {
        let peek = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if self.status.is_none() && matches!(waitid(WaitId::Pid(self.child), peek), Ok(Some(_))) {
            self.kill_group();
            if let Ok(Some((_, status))) = waitpid(Some(self.child), WaitOptions::NOHANG) {
                self.status = Some(status);
            }
        }
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.child => {
                    // It ended after the look above.
                    self.kill_group();
                    self.status = Some(status);
                }
                Ok(Some((pid, status))) => {
                    self.last.remove(&pid);
                    let killed = self.status.is_some()
                        && status.terminating_signal() == Some(Signal::KILL.as_raw());
                    self.killed = self.killed.saturating_add(killed.into());
                }
                Err(Errno::INTR) => {}
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    /// CPU time of the tree: of everything reaped by us or within the tree, and of what lives. A
    /// process whose parent ignores SIGCHLD is reaped by the kernel and in no sum once it ended.
    pub(super) fn cpu(&mut self) -> Duration {
        let members = live::members();
        self.threads = members.iter().map(live::Member::threads).sum();
        self.resident = members.iter().map(live::Member::resident).sum();
        let now: HashMap<Pid, Duration> = members.iter().map(live::Member::usage).collect();
        for (pid, cpu) in &self.last {
            if !now.contains_key(pid) {
                self.vanished.count = self.vanished.count.saturating_add(1);
                self.vanished.cpu += *cpu;
            }
        }
        let living: Duration = now.values().sum();
        self.last = now;
        reaped_cpu().saturating_sub(self.before) + living
    }

    /// Whether it has more than `most` threads and grew fast: found out before anything that
    /// takes time, for a crowd leaves us hardly any. The machine's number is one short look; if
    /// that has grown, all is stopped first and then counted at leisure. A crowd stays stopped.
    pub(super) fn is_crowd(&mut self, most: u64) -> bool {
        let (Some(now), Some(before)) = (live::threads_of_machine(), self.others) else {
            return false;
        };
        if now <= before.saturating_add(most) {
            return false;
        }
        self.others = Some(now);
        let stopped = self
            .warden
            .as_ref()
            .filter(|warden| warden.stop_everything());
        let crowd = live::has_more_threads_than(most);
        if let Some(warden) = stopped.filter(|_| !crowd) {
            warden.let_go_on();
        }
        crowd
    }

    /// Its threads, when its CPU time was last asked for.
    pub(super) fn threads(&self) -> u64 {
        self.threads
    }

    /// The bytes in memory of each of its processes in sum, at the same time.
    pub(super) fn resident(&self) -> u64 {
        self.resident
    }

    /// Its bytes in memory, those of several processes counted once: takes a while.
    #[expect(clippy::unused_self, reason = "there is one tree a process")]
    pub(super) fn proportional(&self) -> u64 {
        live::proportional()
    }

    /// The bytes of its page tables: takes a while.
    #[expect(clippy::unused_self, reason = "there is one tree a process")]
    pub(super) fn page_tables(&self) -> u64 {
        live::page_tables()
    }

    /// Whether some of its processes maps a file that has no name any more, or does not let us see
    /// what it holds.
    #[expect(clippy::unused_self, reason = "there is one tree a process")]
    pub(super) fn hides_files(&self) -> bool {
        live::hides_files()
    }

    /// Calls `each` with every file that its processes hold open and we may know of.
    #[expect(clippy::unused_self, reason = "there is one tree a process")]
    pub(super) fn visit_open_files(&self, each: impl FnMut(&Metadata)) {
        live::visit_open_files(each);
    }

    /// Whether the machine, and not the tree itself, is why it did not get on: some thread of it
    /// was ready to run but had to wait for more than half of `elapsed`, while all of the tree
    /// ran for less than half of it (so it was not waiting for its own kin), and no thread of
    /// it had made itself less urgent than it was to be.
    ///
    /// A tree can hide what it uses from every sum, in processes that nobody waits for. So what
    /// vanished counts in full here, and a tree that is a coming and going is never starved: it
    /// can do with fewer processes, and must not be able to choose this end.
    pub(super) fn starved(&mut self, elapsed: Duration) -> bool {
        let used = self.cpu() + self.vanished.cpu;
        self.vanished.count < CROWD
            && used * 2 < elapsed
            && live::longest_delay(self.yields()).is_some_and(|delay| delay * 2 > elapsed)
    }

    /// By how much its threads were made less urgent than we are.
    fn yields(&self) -> i64 {
        self.warden.as_ref().map_or(0, |_| YIELD.into())
    }

    /// Ends everything: SIGTERM, up to `grace` to comply, then as [`Self::kill`].
    pub(super) fn terminate(&mut self, grace: Duration, limit: Duration) {
        if cfg!(target_os = "linux") {
            // Once each: some programs take a second signal as an order to drop everything.
            for pid in live::pids() {
                let _ = kill_process(pid, Signal::TERM);
            }
        } else {
            let _ = kill_process_group(self.child, Signal::TERM);
        }
        let deadline = clock::now_monotonic() + grace;
        while !self.reap() && clock::now_monotonic() < deadline {
            std::thread::sleep(PAUSE);
        }
        self.kill(limit);
    }

    /// Kills everything until nothing is left to wait for, at most for `limit` (a process in an
    /// uninterruptible wait cannot be killed).
    pub(super) fn kill(&mut self, limit: Duration) {
        if self.status.is_none() {
            self.kill_group();
        }
        let start = clock::now_monotonic();
        let deadline = start + limit;
        while !self.reap() {
            let killed = self.warden.as_ref().is_some_and(Warden::kill_everything);
            // What was killed takes a while to be gone; looking for it takes longer.
            if !killed || clock::now_monotonic() > start + limit / 2 {
                Self::kill_the_rest(deadline);
            }
            if self.reap() || clock::now_monotonic() >= deadline {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Stops everything, so that nothing can fork away, then kills it. A process with a signal
    /// pending cannot fork, so what is below a stopped one is known for good; only what lost its
    /// parent meanwhile turns up in a later pass.
    fn kill_the_rest(deadline: Instant) {
        let mut stopped = HashSet::new();
        for _ in 0..STOP_PASSES {
            let before = stopped.len();
            live::visit(|pid| {
                if stopped.insert(pid) {
                    let _ = kill_process(pid, Signal::STOP);
                }
            });
            if stopped.len() == before || clock::now_monotonic() >= deadline {
                break;
            }
        }
        for pid in stopped {
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    fn kill_group(&self) {
        let _ = kill_process_group(self.child, Signal::KILL);
    }
}

/// CPU time of everything that was waited for, by us or by what we waited for.
fn reaped_cpu() -> Duration {
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(Duration::ZERO, |usage| {
        let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    })
}

/// The number of KiB that `facts`, lines of a name and a number, give for `name`.
pub(super) fn kib_of(facts: &str, name: &str) -> Option<u64> {
    let line = facts.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// Threads of the whole machine, whoever's and wherever; `None` where that is not told.
pub(super) fn threads_of_machine() -> Option<u64> {
    live::threads_of_machine()
}

#[cfg(target_os = "linux")]
mod live;

/// Elsewhere only the process group is known: nothing here is listed, and limits of CPU are left
/// to RLIMIT_CPU.
#[cfg(not(target_os = "linux"))]
mod live {
    use std::time::Duration;

    use rustix::process::Pid;

    pub(super) enum Member {}

    impl Member {
        pub(super) fn usage(&self) -> (Pid, Duration) {
            match *self {}
        }

        pub(super) fn threads(&self) -> u64 {
            match *self {}
        }

        pub(super) fn resident(&self) -> u64 {
            match *self {}
        }
    }

    pub(super) fn members() -> Vec<Member> {
        Vec::new()
    }

    pub(super) fn threads_of_machine() -> Option<u64> {
        None
    }

    pub(super) fn has_more_threads_than(_most: u64) -> bool {
        false
    }

    pub(super) fn pids() -> Vec<Pid> {
        Vec::new()
    }

    pub(super) fn proportional() -> u64 {
        0
    }

    pub(super) fn page_tables() -> u64 {
        0
    }

    pub(super) fn hides_files() -> bool {
        false
    }

    pub(super) fn visit_open_files(_each: impl FnMut(&std::fs::Metadata)) {}

    pub(super) fn visit(_each: impl FnMut(Pid)) {}

    pub(super) fn longest_delay(_yields: i64) -> Option<Duration> {
        None
    }
}
