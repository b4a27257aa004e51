//! What a supervisor hears on its standard input: requests, a word to stop, and that driftgate is
//! gone.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::{read, retry_on_intr};

use super::protocol::{MAX_REQUEST, Request, STOP};

/// What was said while a step runs.
pub(super) enum Said {
    /// The step is to stop.
    Stop,
    /// Nothing any more: driftgate is gone.
    Nothing,
}

/// The request; `None` if the lifeline closed before a whole line came, or if it says to stop: the
/// word came after the reply.
///
/// # Errors
/// If it cannot be read, is too long, or is no request.
pub(super) fn request() -> io::Result<Option<Request>> {
    let stdin = io::stdin();
    let mut line = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    while !line.ends_with(b"\n") {
        // Only one line is ever sent before the reply, but for a word to stop, which then makes
        // the line one that does not parse or that is cut off below.
        match retry_on_intr(|| read(stdin.as_fd(), &mut buffer))? {
            0 => return Ok(None),
            count => line.extend_from_slice(&buffer[..count]),
        }
        if line.len() > MAX_REQUEST {
            return Err(io::Error::other("the request is too long"));
        }
    }
    if line == STOP {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&line)?))
}

/// What is said by a lifeline that has something to say.
pub(super) fn hear(lifeline: BorrowedFd<'_>) -> Said {
    let mut word = [0; 16];
    match retry_on_intr(|| read(lifeline, &mut word)) {
        Ok(0) | Err(_) => Said::Nothing,
        Ok(_) => Said::Stop,
    }
}
