//! What `/proc` tells of the living descendants of this process.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::param::page_size;
use rustix::process::Pid;

use super::kib_of;

/// A descendant of ours.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Member {
    pid: Pid,
    cpu: Duration,
    threads: u64,
    resident: u64,
}

impl Member {
    /// Which it is, and the CPU time it has used.
    pub(super) fn usage(&self) -> (Pid, Duration) {
        (self.pid, self.cpu)
    }

    /// How many threads it has.
    pub(super) fn threads(&self) -> u64 {
        self.threads
    }

    /// Its bytes in memory, those that it shares too.
    pub(super) fn resident(&self) -> u64 {
        self.resident
    }
}

/// How urgently a thread is served; Linux keeps that of every thread apart.
struct Urgency {
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

/// Threads of the whole machine, whoever's and wherever. Some sandboxes show a zero.
pub(super) fn threads_of_machine() -> Option<u64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let (_, all) = text.split_ascii_whitespace().nth(3)?.split_once('/')?;
    all.parse().ok().filter(|all| *all > 0)
}

/// Whether all descendants together have more than `most` threads: looks at no more of them than
/// it takes to know.
pub(super) fn has_more_threads_than(most: u64) -> bool {
    let own = rustix::process::getpid();
    if !Path::new("/proc/thread-self/children").exists() {
        return scan(own).len() as u64 > most;
    }
    let mut found = HashSet::new();
    let mut open = vec![own];
    let mut count = 0;
    while let Some(pid) = open.pop() {
        if pid != own {
            count += threads(pid).len() as u64;
        }
        open.extend(
            children(pid)
                .into_iter()
                .filter(|child| found.insert(*child)),
        );
        if count + open.len() as u64 > most {
            return true;
        }
    }
    false
}

/// The longest time any thread of the tree was ready but not running; `None` if some thread
/// asked to be served after others (idle and batch scheduling, `nice` beyond the `yields` that it
/// was started with).
pub(super) fn longest_delay(yields: i64) -> Option<Duration> {
    let own = urgency(Path::new("/proc/thread-self"))?;
    let threads: Vec<_> = pids().into_iter().flat_map(threads).collect();
    if threads
        .iter()
        .filter_map(|thread| urgency(thread))
        .any(|thread| thread.nice > own.nice + yields || thread.policy != own.policy)
    {
        return None;
    }
    threads
        .iter()
        .filter_map(|thread| schedstat(thread, WAIT))
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

fn threads(pid: Pid) -> Vec<PathBuf> {
    let tasks = fs::read_dir(process(pid).join("task"));
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
        let Some(parent) = stat(&process(pid)).and_then(|fields| number(fields.get(1)?)) else {
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

fn process(pid: Pid) -> PathBuf {
    PathBuf::from(format!("/proc/{}", pid.as_raw_pid()))
}

/// The fields of `stat` of a process or thread from the third on (state), after the command
/// name, which may hold anything (proc_pid_stat(5), whose field numbers are 3 more).
fn stat(task: &Path) -> Option<Vec<String>> {
    let bytes = fs::read(task.join("stat")).ok()?;
    let end = bytes.iter().rposition(|byte| *byte == b')')?;
    let text = String::from_utf8_lossy(&bytes[end + 1..]);
    Some(text.split_ascii_whitespace().map(str::to_owned).collect())
}

fn urgency(task: &Path) -> Option<Urgency> {
    let fields = stat(task)?;
    let field = |index: usize| fields.get(index)?.parse::<i64>().ok();
    Some(Urgency {
        nice: field(16)?,
        policy: field(38)?,
    })
}

fn member(pid: Pid) -> Option<Member> {
    let fields = stat(&process(pid))?;
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
        threads: u64::try_from(field(17)?).unwrap_or(0),
        resident: u64::try_from(field(21)?).unwrap_or(0) * page_size() as u64,
    })
}

/// The bytes in memory of all descendants, a page that several share in parts for each. Of one
/// that we may not ask, all that it shares.
pub(super) fn proportional() -> u64 {
    let part = |member: Member| {
        let text = fs::read_to_string(process(member.pid).join("smaps_rollup")).ok();
        let kib = text.and_then(|text| kib_of(&text, "Pss:"));
        kib.map_or(member.resident, |kib| kib * 1024)
    };
    members().into_iter().map(part).sum()
}

/// The bytes of the page tables of all descendants.
pub(super) fn page_tables() -> u64 {
    let of = |pid| {
        let text = fs::read_to_string(process(pid).join("status")).unwrap_or_default();
        kib_of(&text, "VmPTE:").unwrap_or(0) * 1024
    };
    pids().into_iter().map(of).sum()
}

/// Whether some descendant maps a file that has no name any more, or does not let us see what it
/// holds.
pub(super) fn hides_files() -> bool {
    let shows = |pid| {
        let maps = fs::read_to_string(process(pid).join("maps"));
        maps.is_ok_and(|maps| !maps.lines().any(|line| line.ends_with(" (deleted)")))
    };
    !pids().into_iter().all(shows)
}

/// Calls `each` with every file that a descendant holds open, as far as we may ask.
pub(super) fn visit_open_files(mut each: impl FnMut(&fs::Metadata)) {
    for pid in pids() {
        let open = fs::read_dir(process(pid).join("fd"));
        for entry in open.into_iter().flatten().flatten() {
            if let Ok(facts) = fs::metadata(entry.path()) {
                each(&facts);
            }
        }
    }
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
