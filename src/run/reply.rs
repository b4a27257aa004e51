//! Waiting for a supervisor's reply: not for longer than it can honestly take, and not put off by
//! a candidate that stops it.

use std::io::{self, Read as _};
use std::process::ChildStdout;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process};

use super::protocol::{Reply, Request};
use super::{clock, supervisor as supervising};
use crate::model::observation::Ended;

/// How much longer than its step a supervisor may take before it is given up. A candidate that
/// stops it must not hold up the run.
pub(super) const PATIENCE: Duration =
    Duration::from_secs(20).saturating_add(supervising::KILL_LIMIT);

/// How long a candidate that stops its supervisor gains by it, and how long once its time is up:
/// it may go on stopping it.
const WAKE: Duration = Duration::from_millis(250);
const WAKE_LATE: Duration = Duration::from_millis(5);

/// Reads a reply to its end, and not for longer than `supervisor` can honestly take.
pub(super) fn read(
    from: &mut ChildStdout,
    request: &Request,
    supervisor: Pid,
) -> Result<Reply, Ended> {
    let lost = |why: &str| Ended::Lost(format!("the supervisor {why}"));
    let asked_at = clock::now_monotonic();
    let most = request.wall.saturating_add(PATIENCE);
    let longest = Reply::longest(request.output);
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let elapsed = asked_at.elapsed();
        let left = most.saturating_sub(elapsed);
        let slice = left.min(if elapsed > request.wall {
            WAKE_LATE
        } else {
            WAKE
        });
        let timeout = Timespec {
            tv_sec: i64::try_from(slice.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: slice.subsec_nanos().into(),
        };
        let mut descriptors = [PollFd::new(&*from, PollFlags::IN)];
        match poll(&mut descriptors, Some(&timeout)) {
            Ok(0) if left.is_zero() => return Err(lost("did not reply in time")),
            Ok(0) => {
                // What it supervises may have stopped it.
                let _ = kill_process(supervisor, Signal::CONT);
                continue;
            }
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(lost(&format!("cannot be waited for: {error}"))),
        }
        match from.read(&mut buffer) {
            Ok(0) => return Err(lost("died")),
            Ok(count) => {
                bytes.extend_from_slice(&buffer[..count]);
                if let Some(reply) = Reply::parse(&bytes) {
                    return Ok(reply);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(lost(&format!("cannot be read: {error}"))),
        }
        if bytes.len() > longest {
            return Err(lost("replied too much"));
        }
    }
}
