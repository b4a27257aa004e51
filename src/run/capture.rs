//! One output stream of a child: drained without ever waiting, the first bytes kept.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread, read, retry_on_intr};

/// Bytes read at once: what a pipe holds.
const CHUNK: usize = 64 << 10;

/// A stream being captured.
pub(super) struct Capture {
    pipe: Option<OwnedFd>,
    kept: Vec<u8>,
    limit: usize,
    dropped: bool,
}

impl Capture {
    /// Captures up to `limit` bytes of `pipe`.
    pub(super) fn new(pipe: Option<OwnedFd>, limit: usize) -> rustix::io::Result<Self> {
        if let Some(pipe) = &pipe {
            ioctl_fionbio(pipe, true)?;
        }
        Ok(Self {
            pipe,
            kept: Vec::new(),
            limit,
            dropped: false,
        })
    }

    /// The pipe, until its end was read.
    pub(super) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Whether more came than is kept.
    pub(super) fn dropped(&self) -> bool {
        self.dropped
    }

    /// What is kept.
    pub(super) fn into_kept(self) -> Vec<u8> {
        self.kept
    }

    /// Reads once what is there.
    pub(super) fn drain(&mut self) {
        self.read_up_to(CHUNK);
    }

    /// Reads exactly what lies in the pipe now, and lets go of it. Whoever else holds its other
    /// end can neither delay this nor add to it for long.
    pub(super) fn finish(&mut self) {
        let mut left = self
            .pipe
            .as_ref()
            .and_then(|pipe| ioctl_fionread(pipe).ok())
            .map_or(0, |bytes| usize::try_from(bytes).unwrap_or(0));
        while left > 0 {
            match self.read_up_to(left.min(CHUNK)) {
                0 => break,
                count => left = left.saturating_sub(count),
            }
        }
        self.pipe = None;
    }

    /// Reads at most `most` bytes once; the count, 0 at the end or if nothing is there.
    fn read_up_to(&mut self, most: usize) -> usize {
        let Some(pipe) = &self.pipe else { return 0 };
        let mut buffer = [0; CHUNK];
        match retry_on_intr(|| read(pipe, &mut buffer[..most.min(CHUNK)])) {
            Ok(0) => {
                self.pipe = None;
                0
            }
            Ok(count) => {
                let room = self.limit - self.kept.len();
                self.kept.extend_from_slice(&buffer[..count.min(room)]);
                self.dropped |= count > room;
                count
            }
            Err(Errno::AGAIN) => 0,
            Err(_) => {
                self.pipe = None;
                0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn finishing_reads_what_is_there_though_the_other_end_is_open() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let mut capture = Capture::new(Some(reader.into()), 4).unwrap();
        writer.write_all(b"abcdef").unwrap();
        capture.finish();
        assert!(capture.dropped());
        assert_eq!(capture.into_kept(), b"abcd");
        assert!(writer.write_all(b"g").is_err(), "the pipe is let go of");
    }

    #[test]
    fn exactly_the_limit_drops_nothing() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let mut capture = Capture::new(Some(reader.into()), 3).unwrap();
        writer.write_all(b"abc").unwrap();
        drop(writer);
        capture.drain();
        capture.drain();
        assert!(capture.pipe().is_none());
        assert!(!capture.dropped());
    }
}
