//! The processes below a supervisor: their end, their CPU time, and how all of them are ended.
//! On Linux the supervisor is the subreaper of what it starts, so every process that a step
//! leaves behind becomes its child, whatever session or group it moved to.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, kill_process, kill_process_group,
    wait, waitid, waitpid,
};

use super::clock;

/// Between two looks while processes are being ended.
const PAUSE: Duration = Duration::from_millis(2);

/// Passes over the tree that stop what they find before it is killed. Processes that each leave
/// for a group of their own and fork faster than that are killed in part and looked at again;
/// what bounds them is a limit on their number, which is the sandbox's.
const STOP_PASSES: u32 = 16;

/// A child with all its descendants.
pub(super) struct ProcessTree {
    child: Pid,
    status: Option<WaitStatus>,
    /// How many processes that outlived the child we have reaped after SIGKILL.
    killed: u32,
}

impl ProcessTree {
    /// The tree below `child`, a process that we have just started in a group of its own.
    pub(super) fn new(child: Pid) -> Self {
        Self {
            child,
            status: None,
            killed: 0,
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
                Ok(Some((_, status))) => {
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
    pub(super) fn cpu(&self) -> Duration {
        reaped_cpu() + live::members().iter().map(|member| member.cpu).sum()
    }

    /// Whether the machine, and not the tree itself, is why it did not get on: some thread of it
    /// was ready to run but had to wait for more than half of `elapsed`, while all of the tree
    /// ran for less than half of it (so it was not waiting for its own kin), and no process of
    /// it had made itself less urgent than we are.
    pub(super) fn starved(&self, elapsed: Duration) -> bool {
        self.cpu() * 2 < elapsed && live::longest_delay().is_some_and(|delay| delay * 2 > elapsed)
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
        let deadline = clock::now_monotonic() + limit;
        while !self.reap() {
            Self::kill_the_rest(deadline);
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

/// What `/proc` tells of the living.
#[cfg(target_os = "linux")]
mod live {
    use std::collections::{HashMap, HashSet};
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    use rustix::process::Pid;

    /// A descendant of ours.
    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct Member {
        pub(super) pid: Pid,
        pub(super) cpu: Duration,
        nice: i64,
        policy: i64,
    }

    /// All descendants.
    pub(super) fn members() -> Vec<Member> {
        pids().into_iter().filter_map(member).collect()
    }

    /// The numbers of all descendants.
    pub(super) fn pids() -> Vec<Pid> {
        let mut found = Vec::new();
        visit(|pid| found.push(pid));
        found
    }

    /// Calls `each` once with every descendant, and with a parent before its children are read.
    pub(super) fn visit(mut each: impl FnMut(Pid)) {
        let own = rustix::process::getpid();
        if !Path::new("/proc/thread-self/children").exists() {
            scan(own).into_iter().for_each(each);
            return;
        }
        let mut found = HashSet::new();
        let mut open = vec![own];
        while let Some(pid) = open.pop() {
            for child in children(pid) {
                if found.insert(child) {
                    each(child);
                    open.push(child);
                }
            }
        }
    }

    /// The longest time any thread of the tree was ready but not running; `None` if some process
    /// asked to be served after others (`nice`, idle and batch scheduling).
    pub(super) fn longest_delay() -> Option<Duration> {
        let own = member(rustix::process::getpid())?;
        let members = members();
        if members
            .iter()
            .any(|member| member.nice > own.nice || member.policy != own.policy)
        {
            return None;
        }
        members
            .iter()
            .flat_map(|member| threads(member.pid))
            .filter_map(|thread| schedstat(&thread, WAIT))
            .max()
    }

    /// The field of `schedstat` for nanoseconds on a CPU.
    const RUN: usize = 0;

    /// The field of `schedstat` for nanoseconds ready to run, and waiting for a CPU.
    const WAIT: usize = 1;

    /// A field of a thread's `schedstat`, which kernels may lack.
    fn schedstat(thread: &Path, field: usize) -> Option<Duration> {
        let text = fs::read_to_string(thread.join("schedstat")).ok()?;
        let nanos = text.split_ascii_whitespace().nth(field)?.parse().ok()?;
        Some(Duration::from_nanos(nanos))
    }

    fn threads(pid: Pid) -> Vec<std::path::PathBuf> {
        let tasks = fs::read_dir(format!("/proc/{}/task", pid.as_raw_pid()));
        tasks.map_or_else(
            |_| Vec::new(),
            |tasks| tasks.filter_map(|task| Some(task.ok()?.path())).collect(),
        )
    }

    /// The children of every thread of `pid`.
    fn children(pid: Pid) -> Vec<Pid> {
        threads(pid)
            .iter()
            .filter_map(|thread| fs::read_to_string(thread.join("children")).ok())
            .flat_map(|text| {
                text.split_ascii_whitespace()
                    .filter_map(number)
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// The descendants of `root` by the parents of all processes, for kernels without `children`.
    fn scan(root: Pid) -> Vec<Pid> {
        let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(number) else {
                continue;
            };
            let Some(parent) = stat(pid).and_then(|fields| number(fields.get(1)?)) else {
                continue;
            };
            children.entry(parent).or_default().push(pid);
        }
        let mut found = Vec::new();
        let mut open = vec![root];
        while let Some(pid) = open.pop() {
            let below = children.remove(&pid).unwrap_or_default();
            open.extend(&below);
            found.extend(below);
        }
        found
    }

    fn number(text: &str) -> Option<Pid> {
        Pid::from_raw(text.parse().ok().filter(|pid| *pid > 0)?)
    }

    /// The fields of `/proc/<pid>/stat` from the third on (state), after the command name, which
    /// may hold anything.
    fn stat(pid: Pid) -> Option<Vec<String>> {
        let bytes = fs::read(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
        let end = bytes.iter().rposition(|byte| *byte == b')')?;
        let text = String::from_utf8_lossy(&bytes[end + 1..]);
        Some(text.split_ascii_whitespace().map(str::to_owned).collect())
    }

    /// Reads `pid` (proc_pid_stat(5), whose field numbers are 3 more than these).
    fn member(pid: Pid) -> Option<Member> {
        let fields = stat(pid)?;
        let field = |index: usize| fields.get(index)?.parse::<i64>().ok();
        let per_second = rustix::param::clock_ticks_per_second().max(1);
        let time = |ticks: i64| {
            let ticks = u64::try_from(ticks).ok()?;
            Some(Duration::from_millis(
                ticks.saturating_mul(1000) / per_second,
            ))
        };
        // `stat` rounds down to ticks of 10 ms, with which a crowd of short processes could hide
        // most of what it uses; `schedstat` does not, but forgets threads that have ended.
        let exact = threads(pid)
            .iter()
            .filter_map(|thread| schedstat(thread, RUN))
            .sum();
        let own = time(field(11)? + field(12)?)?.max(exact);
        let reaped = time(field(13)? + field(14)?)?;
        Some(Member {
            pid,
            cpu: own + reaped,
            nice: field(16)?,
            policy: field(38)?,
        })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn both_ways_to_find_descendants_agree() {
            let parent = rustix::process::getppid().unwrap();
            let own = rustix::process::getpid();
            assert!(scan(parent).contains(&own));
            assert!(children(parent).contains(&own));
        }

        #[test]
        fn our_own_cpu_time_is_read() {
            let before = member(rustix::process::getpid()).unwrap();
            let start = crate::run::clock::now_monotonic();
            let mut count = 0u64;
            while start.elapsed() < Duration::from_millis(80) {
                count = std::hint::black_box(count + 1);
            }
            let after = member(rustix::process::getpid()).unwrap();
            assert!(after.cpu > before.cpu);
        }
    }
}

/// Elsewhere only the process group is known: nothing here is listed, and limits of CPU are left
/// to RLIMIT_CPU.
#[cfg(not(target_os = "linux"))]
mod live {
    use std::time::Duration;

    use rustix::process::Pid;

    pub(super) struct Member {
        pub(super) cpu: Duration,
    }

    pub(super) fn members() -> Vec<Member> {
        Vec::new()
    }

    pub(super) fn pids() -> Vec<Pid> {
        Vec::new()
    }

    pub(super) fn visit(_each: impl FnMut(Pid)) {}

    pub(super) fn longest_delay() -> Option<Duration> {
        None
    }
}
