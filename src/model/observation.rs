//! The facts of one finished process. Judgement comes later, elsewhere.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::step::Limits;

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// By itself, with this code.
    Exit(i32),
    /// By a signal that we did not send.
    Signal(i32),
    /// We ended it: it and what it started used up the CPU limit.
    CpuLimit,
    /// We ended it at the wall limit.
    WallLimit {
        /// Whether it was ready to run but waited for the machine most of that time.
        starved: bool,
    },
    /// We ended it: it wrote more than the output limit.
    OutputLimit,
    /// We ended it: it and what it started took more of this than any step may.
    ResourceLimit(Resource),
    /// It never started, and why.
    NotStarted(String),
    /// It started, but its end was lost (supervisor gone, unreadable reply), and why.
    Lost(String),
    /// We were asked to stop.
    Interrupted,
}

/// What a machine has only so much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Memory.
    Memory,
    /// Space on the disk.
    Disk,
    /// Processes and threads.
    Processes,
}

impl Resource {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Disk => "disk space",
            Self::Processes => "processes",
        }
    }
}

/// What is known of a step after it ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// How it ended.
    pub ended: Ended,
    /// The first bytes of standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// The first bytes of standard error, up to the limit.
    pub stderr: Vec<u8>,
    /// Whether bytes of either were dropped.
    pub truncated: bool,
    /// The outputs that exist, by digest.
    pub outputs: BTreeMap<String, Digest>,
    /// The digest of everything outside the scratch tree that was read; `None` if no list was
    /// written.
    pub reads: Option<Digest>,
    /// CPU time used by it and what it started.
    pub cpu: Duration,
    /// Elapsed time.
    pub wall: Duration,
    /// How many processes it left running (killed since).
    pub leftovers: u32,
}

impl Observation {
    /// An observation of a step that did not run.
    #[must_use]
    pub fn without_run(ended: Ended) -> Self {
        Self {
            ended,
            stdout: Vec::new(),
            stderr: Vec::new(),
            truncated: false,
            outputs: BTreeMap::new(),
            reads: None,
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            leftovers: 0,
        }
    }

    /// Whether it ended by itself with code 0.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.ended == Ended::Exit(0)
    }

    /// Whether this answers the same step under `limits`: it fits them, or it was cut by limits
    /// at least as generous. `cut_by` are the limits it ran under.
    #[must_use]
    pub fn answers(&self, cut_by: &Limits, limits: &Limits) -> bool {
        let kept = self.stdout.len().max(self.stderr.len());
        match self.ended {
            Ended::Exit(_) | Ended::Signal(_) => {
                self.cpu <= limits.cpu
                    && self.wall <= limits.wall
                    && kept <= limits.output
                    && (!self.truncated || cut_by.output >= limits.output)
            }
            Ended::CpuLimit => cut_by.cpu >= limits.cpu,
            Ended::WallLimit { starved } => !starved && cut_by.wall >= limits.wall,
            Ended::OutputLimit => cut_by.output >= limits.output && limits.flood_ends,
            // These limits are the machine's, and no step's.
            Ended::ResourceLimit(_)
            | Ended::NotStarted(_)
            | Ended::Lost(_)
            | Ended::Interrupted => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(cpu: u64) -> Limits {
        Limits {
            cpu: Duration::from_secs(cpu),
            wall: Duration::from_secs(3 * cpu),
            output: 100,
            flood_ends: true,
        }
    }

    #[test]
    fn a_finished_process_answers_any_limit_it_fits() {
        let mut seen = Observation::without_run(Ended::Exit(0));
        seen.cpu = Duration::from_secs(5);
        assert!(seen.answers(&limits(10), &limits(5)));
        assert!(!seen.answers(&limits(10), &limits(4)));
    }

    #[test]
    fn a_process_cut_by_a_limit_answers_any_limit_up_to_it() {
        let seen = Observation::without_run(Ended::CpuLimit);
        assert!(seen.answers(&limits(10), &limits(10)));
        assert!(seen.answers(&limits(10), &limits(2)));
        assert!(!seen.answers(&limits(10), &limits(11)));
    }

    #[test]
    fn what_was_not_observed_answers_nothing() {
        for ended in [
            Ended::Interrupted,
            Ended::Lost(String::new()),
            Ended::NotStarted(String::new()),
            Ended::WallLimit { starved: true },
        ] {
            assert!(!Observation::without_run(ended).answers(&limits(10), &limits(1)));
        }
    }
}
