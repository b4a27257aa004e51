//! One supervised process: our own binary, started again, that starts one child, watches it
//! against its limits, and lets nothing of it outlive the step - or driftgate.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(target_os = "linux")]
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::process::{Pid, Resource as Limit, Rlimit, WaitStatus, getrlimit, setrlimit};

use super::capture::Capture;
use super::lifeline::{self, Said};
use super::process_tree::ProcessTree;
use super::protocol::{ARGUMENT, Reply, Request, TRIAL};
use super::usage::{self, Limited, Usage};
use super::{clock, inheritance, sandbox, scratch, spawn};
use crate::exit_code;
use crate::model::observation::{Ended, Resource};

/// Between two looks at CPU and wall time.
const TICK: Duration = Duration::from_millis(25);

/// Between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_millis(100);

/// How long killing is tried.
pub(super) const KILL_LIMIT: Duration = Duration::from_secs(10);

/// Where a child's end cannot be polled for, how often it is looked for.
const BLIND_TICK: Duration = Duration::from_millis(3);

/// What our own binary does if `argument`, the first one after the program, asks for something
/// that only we ask for: to supervise, or to try the sandbox.
#[must_use]
pub fn asked_for(argument: Option<&std::ffi::OsStr>) -> Option<fn() -> ExitCode> {
    match argument?.to_str()? {
        ARGUMENT => Some(main),
        TRIAL => Some(sandbox::trial::main),
        _ => None,
    }
}

/// Runs as a supervisor: reads a request, supervises, writes the reply, and again while nothing
/// of the last step is left. Must be the first thing a process does: it closes every descriptor
/// but the standard three.
fn main() -> ExitCode {
    inheritance::close_descriptors();
    // What runs below must not reach through /proc into our memory or our end of the reply.
    #[cfg(target_os = "linux")]
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let mut ready = inheritance::hold_signals();
    loop {
        let reply = match ready.and_then(|()| lifeline::request()) {
            Ok(Some(request)) => supervise(&Arc::new(request)),
            // The lifeline closed before anything was asked.
            Ok(None) => return ExitCode::SUCCESS,
            Err(error) => {
                Reply::without_run(Ended::NotStarted(format!("the supervisor failed: {error}")))
            }
        };
        if reply.write(&mut io::stdout().lock()).is_err() {
            return ExitCode::from(exit_code::INTERNAL);
        }
        if !reply.again {
            return ExitCode::SUCCESS;
        }
        ready = Ok(());
    }
}

/// Why a step was ended by us.
#[derive(Clone, Copy)]
enum Cause {
    Cpu,
    Wall {
        starved: bool,
    },
    Output,
    Resource(Resource),
    /// We were asked to stop.
    Stop,
    /// driftgate is gone.
    Orphaned,
}

impl Cause {
    fn ended(self) -> Ended {
        match self {
            Self::Cpu => Ended::CpuLimit,
            Self::Wall { starved } => Ended::WallLimit { starved },
            Self::Output => Ended::OutputLimit,
            Self::Resource(resource) => Ended::ResourceLimit(resource),
            Self::Stop | Self::Orphaned => Ended::Interrupted,
        }
    }
}

/// Starts and watches the child of `request` to its end.
fn supervise(request: &Arc<Request>) -> Reply {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::set_child_subreaper(Some(rustix::process::getpid())) {
        let why = format!("cannot become a subreaper: {error}");
        return Reply::without_run(Ended::NotStarted(why));
    }
    let started = start(request);
    let watched = match started {
        Ok(watched) => watched,
        Err(error) => {
            let program = request.argv.first().map_or("", String::as_str);
            let why = format!("cannot start {program}: {error}");
            return Reply::without_run(Ended::NotStarted(why));
        }
    };
    watched.run(request)
}

/// Starts the child with its limits.
fn start(request: &Arc<Request>) -> io::Result<Watched> {
    let limits = usage::limit(request);
    // The limit is ours for the moment of the start, so that the child has it from the first
    // instruction on. It is a backstop only: the soft limit ends a single process.
    let own = getrlimit(Limit::Cpu);
    let seconds = request.cpu.as_secs() + u64::from(request.cpu.subsec_nanos() > 0);
    let within = |wanted: u64| Some(own.maximum.map_or(wanted, |most| most.min(wanted)));
    let soft = within(seconds.saturating_add(1));
    let _ = setrlimit(
        Limit::Cpu,
        Rlimit {
            current: soft,
            maximum: own.maximum,
        },
    );
    let started_at = clock::now_monotonic();
    let child = match &request.confine {
        Some(confine) => {
            let request = Arc::clone(request);
            sandbox::inside(confine, move || spawn::child(&request))
                .map(|(child, warden)| (child, Some(warden)))
        }
        None => spawn::child(request).map(|child| (child, None)),
    };
    let _ = setrlimit(Limit::Cpu, own);
    let (mut child, warden) = child?;

    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = id.ok_or_else(|| io::Error::other("the child has no number"))?;
    #[cfg(target_os = "linux")]
    let _ = rustix::process::prlimit(
        Some(pid),
        Limit::Cpu,
        Rlimit {
            current: soft,
            maximum: within(seconds.saturating_add(2)),
        },
    );
    let mut tree = ProcessTree::new(pid, warden);
    let stdout = Capture::new(child.stdout.take().map(OwnedFd::from), request.output);
    let stderr = Capture::new(child.stderr.take().map(OwnedFd::from), request.output);
    match (stdout, stderr, end_of(pid)) {
        (Ok(stdout), Ok(stderr), Ok(end)) => Ok(Watched {
            tree,
            usage: Usage::new(request),
            stdout,
            stderr,
            end,
            started_at,
            worn: limits == Limited::Lower,
        }),
        (Err(error), _, _) | (_, Err(error), _) | (_, _, Err(error)) => {
            tree.kill(KILL_LIMIT);
            Err(error.into())
        }
    }
}

/// A descriptor that is readable once `pid` has ended, where there is such a thing.
#[cfg(target_os = "linux")]
fn end_of(pid: Pid) -> rustix::io::Result<Option<OwnedFd>> {
    use rustix::process::{PidfdFlags, pidfd_open};
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(end) => Ok(Some(end)),
        // Kernels before 5.3, and containers that forbid the call.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(not(target_os = "linux"))]
fn end_of(_pid: Pid) -> rustix::io::Result<Option<OwnedFd>> {
    Ok(None)
}

/// A running child.
struct Watched {
    tree: ProcessTree,
    usage: Usage,
    stdout: Capture,
    stderr: Capture,
    end: Option<OwnedFd>,
    started_at: Instant,
    /// Whether a new supervisor would give its child more than this one may.
    worn: bool,
}

impl Watched {
    /// Watches the child to its end, ends what it left, and tells what happened.
    fn run(mut self, request: &Request) -> Reply {
        let cause = self.watch(request);
        let wall = self.started_at.elapsed();
        if let Some(Cause::Resource(_)) = cause {
            // Whoever takes too much is given no time to take more.
            self.tree.kill(KILL_LIMIT);
        }
        // What lies in the pipes now is the output; whoever still holds them has no say in it.
        self.stdout.finish();
        self.stderr.finish();
        // Before the rest is killed: what it burns while dying is not the child's.
        let cpu = self.tree.cpu();
        match cause {
            None | Some(Cause::Resource(_)) => self.tree.kill(KILL_LIMIT),
            Some(_) => self.tree.terminate(GRACE, KILL_LIMIT),
        }
        if matches!(cause, Some(Cause::Orphaned)) {
            scratch::remove_of_the_dead(&request.remove);
        }
        let stopped = matches!(cause, Some(Cause::Stop | Cause::Orphaned));
        let again = !stopped && !self.worn && self.tree.reap();
        let truncated = self.stdout.dropped() || self.stderr.dropped();
        let ended = match cause {
            Some(cause) => cause.ended(),
            None if truncated && request.flood_ends => Ended::OutputLimit,
            // Also one that ended between two looks.
            None if self.usage.disk_exceeded(&self.tree) => Ended::ResourceLimit(Resource::Disk),
            None => ended(self.tree.status(), cpu, request.cpu),
        };
        Reply {
            leftovers: if cause.is_none() {
                self.tree.killed()
            } else {
                0
            },
            ended,
            stdout: self.stdout.into_kept(),
            stderr: self.stderr.into_kept(),
            truncated,
            cpu,
            wall,
            again,
        }
    }

    /// Waits until the child ends (`None`) or must be ended.
    fn watch(&mut self, request: &Request) -> Option<Cause> {
        let stdin = io::stdin();
        let limits = request.limits();
        let mut next_tick = self.started_at + TICK;
        loop {
            let now = clock::now_monotonic();
            let elapsed = now - self.started_at;
            if now >= next_tick || elapsed >= limits.wall {
                next_tick = now + TICK;
                if self.tree.is_crowd(request.threads) {
                    return Some(Cause::Resource(Resource::Processes));
                }
                if self.tree.cpu() >= limits.cpu {
                    return Some(Cause::Cpu);
                }
                if let Some(resource) = self.usage.exceeded(&self.tree) {
                    return Some(Cause::Resource(resource));
                }
                if elapsed >= limits.wall {
                    return Some(Cause::Wall {
                        starved: self.tree.starved(elapsed),
                    });
                }
            }
            let left = limits.wall.saturating_sub(elapsed);
            let lifeline = self.wait(stdin.as_fd(), (next_tick - now).min(left));
            self.tree.reap();
            if self.tree.status().is_some() {
                return None;
            }
            if limits.flood_ends && (self.stdout.dropped() || self.stderr.dropped()) {
                return Some(Cause::Output);
            }
            if lifeline.is_some() {
                return lifeline;
            }
        }
    }

    /// Waits for anything to happen, at most for `most`, and drains the streams. Tells what the
    /// lifeline said.
    fn wait(&mut self, lifeline: BorrowedFd<'_>, most: Duration) -> Option<Cause> {
        let most = if self.end.is_some() {
            most
        } else {
            most.min(BLIND_TICK)
        };
        let timeout = Timespec {
            tv_sec: i64::try_from(most.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: most.subsec_nanos().into(),
        };
        let mut descriptors = vec![PollFd::from_borrowed_fd(lifeline, PollFlags::IN)];
        let pipes = [self.stdout.pipe(), self.stderr.pipe()];
        let end = self.end.as_ref().map(AsFd::as_fd);
        for descriptor in pipes.into_iter().chain([end]).flatten() {
            descriptors.push(PollFd::from_borrowed_fd(descriptor, PollFlags::IN));
        }
        if poll(&mut descriptors, Some(&timeout)).is_err() {
            // A signal; the caller looks around and comes back.
            return None;
        }
        let spoke = !descriptors[0].revents().is_empty();
        self.stdout.drain();
        self.stderr.drain();
        spoke.then(|| match lifeline::hear(lifeline) {
            Said::Stop => Cause::Stop,
            Said::Nothing => Cause::Orphaned,
        })
    }
}

/// How a child that we did not end came to its end.
fn ended(status: Option<WaitStatus>, cpu: Duration, limit: Duration) -> Ended {
    let Some(status) = status else {
        return Ended::Lost("the child's status was lost".to_owned());
    };
    // Also one that ended by itself between two looks: it did not fit the limit, and must not
    // seem to on a machine where the look came later. RLIMIT_CPU comes later still.
    if cpu > limit {
        return Ended::CpuLimit;
    }
    if let Some(code) = status.exit_status() {
        return Ended::Exit(code);
    }
    match status.terminating_signal() {
        Some(signal) => Ended::Signal(signal),
        None => Ended::Lost("the child's status is neither an exit nor a signal".to_owned()),
    }
}
