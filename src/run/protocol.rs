//! What the executor and a supervisor say to each other: one request line down, then silence or
//! a word to stop; one reply up, a JSON line followed by the raw bytes it counts. Then the next
//! request, if the reply said that it may come.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::observation::Ended;
use crate::model::step::Limits;

/// The argument that makes our own binary a supervisor.
pub(super) const ARGUMENT: &str = "__supervise";

/// The argument that makes it try what a sandbox can do here.
pub(super) const TRIAL: &str = "__try_sandbox";

/// Sent down the lifeline to stop a step while driftgate lives on. A lifeline that closes
/// without it means that driftgate died.
pub(super) const STOP: &[u8] = b"stop\n";

/// Longest request line.
pub(super) const MAX_REQUEST: usize = 64 << 20;

/// Longest header line of a reply.
const MAX_HEADER: usize = 1 << 20;

/// A process to start and supervise.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// Program and arguments.
    pub(super) argv: Vec<String>,
    /// Its whole environment.
    pub(super) env: BTreeMap<String, String>,
    /// Its current folder.
    pub(super) cwd: PathBuf,
    /// The file on its standard input; `/dev/null` if absent.
    pub(super) stdin: Option<PathBuf>,
    /// CPU time of the whole tree.
    pub(super) cpu: Duration,
    /// Elapsed time.
    pub(super) wall: Duration,
    /// Bytes kept of each stream.
    pub(super) output: usize,
    /// Whether more than that ends it.
    pub(super) flood_ends: bool,
    /// Its own folders, whose size counts.
    pub(super) own: Vec<PathBuf>,
    /// Bytes that may lie in them.
    pub(super) disk: u64,
    /// Threads that it may have at one time.
    pub(super) threads: u64,
    /// How many steps may run beside it.
    pub(super) beside: u64,
    /// What it is kept from; nothing if absent.
    pub(super) confine: Option<Confinement>,
    /// Folders to remove if driftgate dies: the step's, then the run's.
    pub(super) remove: Vec<PathBuf>,
}

/// What the sandbox of one process is made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Confinement {
    /// Whether it gets a user of its own, without capabilities: only where we are root.
    pub(super) drop_identity: bool,
    /// Whether it may look where its user may not, as far as `read` goes: for tools of root's.
    pub(super) search_all: bool,
    /// Whether it can signal nobody outside, as a trial found.
    pub(super) alone: bool,
    /// Whether the kernel confines signals.
    pub(super) scoped: bool,
    /// Whether files, network and signals are confined.
    pub(super) landlock: bool,
    /// Which system calls are refused; none if absent.
    pub(super) calls: Option<Calls>,
    /// Files and trees it may read and execute.
    pub(super) read: Vec<PathBuf>,
    /// Folders of its own: it may do anything in them.
    pub(super) own: Vec<PathBuf>,
}

/// Whose system calls are filtered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Calls {
    /// A candidate's.
    Candidate,
    /// A tool's.
    Tool,
    /// Those of a tool that may use the network.
    Networked,
}

impl Request {
    /// The limits as one value.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            cpu: self.cpu,
            wall: self.wall,
            output: self.output,
            flood_ends: self.flood_ends,
        }
    }

    /// The request as one line.
    pub(super) fn line(&self) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }
}

/// The first line of a reply.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    ended: Ended,
    stdout: usize,
    stderr: usize,
    truncated: bool,
    cpu: Duration,
    wall: Duration,
    leftovers: u32,
    #[serde(default)]
    again: bool,
}

/// What became of the process.
#[derive(Debug, PartialEq, Eq)]
pub struct Reply {
    pub(super) ended: Ended,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    pub(super) truncated: bool,
    pub(super) cpu: Duration,
    pub(super) wall: Duration,
    pub(super) leftovers: u32,
    /// Whether the supervisor waits for another request.
    pub(super) again: bool,
}

impl Reply {
    /// A reply about a process that never ran.
    pub(super) fn without_run(ended: Ended) -> Self {
        Self {
            ended,
            stdout: Vec::new(),
            stderr: Vec::new(),
            truncated: false,
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            leftovers: 0,
            again: false,
        }
    }

    /// The longest reply that a supervisor with this output limit can send.
    pub(super) fn longest(output: usize) -> usize {
        output.saturating_mul(2).saturating_add(MAX_HEADER)
    }

    /// Writes the reply.
    ///
    /// # Errors
    /// When `to` cannot be written.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let header = Header {
            ended: self.ended.clone(),
            stdout: self.stdout.len(),
            stderr: self.stderr.len(),
            truncated: self.truncated,
            cpu: self.cpu,
            wall: self.wall,
            leftovers: self.leftovers,
            again: self.again,
        };
        let mut line = serde_json::to_vec(&header)?;
        line.push(b'\n');
        to.write_all(&line)?;
        to.write_all(&self.stdout)?;
        to.write_all(&self.stderr)?;
        to.flush()
    }

    /// Reads a whole reply back; `None` unless it is complete to the byte.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes
            .iter()
            .take(MAX_HEADER)
            .position(|byte| *byte == b'\n')?;
        let header: Header = serde_json::from_slice(&bytes[..end]).ok()?;
        let body = &bytes[end + 1..];
        if header.stdout.checked_add(header.stderr)? != body.len() {
            return None;
        }
        let (stdout, stderr) = body.split_at(header.stdout);
        Some(Self {
            ended: header.ended,
            stdout: stdout.to_vec(),
            stderr: stderr.to_vec(),
            truncated: header.truncated,
            cpu: header.cpu,
            wall: header.wall,
            leftovers: header.leftovers,
            again: header.again,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_reply_reads_back_and_a_cut_one_is_refused(
            stdout: Vec<u8>, stderr: Vec<u8>, code: i32, cut in 0usize..400,
        ) {
            let mut reply = Reply::without_run(Ended::Exit(code));
            (reply.stdout, reply.stderr) = (stdout, stderr);
            let mut bytes = Vec::new();
            reply.write(&mut bytes).unwrap();
            let read = Reply::parse(&bytes).unwrap();
            prop_assert_eq!(&read.stdout, &reply.stdout);
            prop_assert_eq!(&read.stderr, &reply.stderr);
            prop_assert_eq!(&read.ended, &reply.ended);
            if cut < bytes.len() {
                prop_assert!(Reply::parse(&bytes[..cut]).is_none());
            }
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            let _ = Reply::parse(&bytes);
        }
    }
}
