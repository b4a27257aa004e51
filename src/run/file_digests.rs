//! Digests of files outside the suite, each computed once while the file stays what it is.

use std::collections::HashMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use rustix::fs::OFlags;

use crate::model::digest::{Digest, Hasher};

/// What tells that a file is still the same. Never the modification time alone: that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FileState {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileState {
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// The digests known so far, shared by all threads of a run.
#[derive(Debug, Default)]
pub struct FileDigests {
    known: RwLock<HashMap<FileState, Digest>>,
}

impl FileDigests {
    /// The digest of the regular file at `path`; links are followed.
    ///
    /// # Errors
    /// If it cannot be read, is not a regular file, or changes while it is read.
    pub fn digest(&self, path: &Path) -> io::Result<Digest> {
        // Without waiting: a pipe in the place of a file must not hold us.
        let flags = OFlags::NONBLOCK.bits().cast_signed();
        let mut file = OpenOptions::new()
            .read(true)
            .custom_flags(flags)
            .open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(
                ErrorKind::InvalidInput,
                "not a regular file",
            ));
        }
        let state = FileState::of(&metadata);
        let known = self
            .known
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&state)
            .copied();
        if let Some(digest) = known {
            return Ok(digest);
        }
        let digest = of_stream(&mut file)?;
        if FileState::of(&file.metadata()?) != state {
            return Err(io::Error::other("the file changed while it was read"));
        }
        self.known
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(state, digest);
        Ok(digest)
    }
}

/// The digest of all that is left of `file`.
pub(super) fn of_stream(file: &mut File) -> io::Result<Digest> {
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 128 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finish()),
            Ok(count) => hasher.bytes(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_changed_file_has_a_new_digest_though_its_time_was_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let digests = FileDigests::default();
        fs::write(&path, "one").unwrap();
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(digests.digest(&path).unwrap(), Digest::of(b"one"));
        assert_eq!(digests.digest(&path).unwrap(), Digest::of(b"one"));
        // File times are as coarse as a kernel tick.
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(&path, "two").unwrap();
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(modified)
            .unwrap();
        assert_eq!(digests.digest(&path).unwrap(), Digest::of(b"two"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_no_regular_file_has_no_digest() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let digests = FileDigests::default();
        assert!(digests.digest(&pipe).is_err());
        assert!(digests.digest(folder.path()).is_err());
        assert!(digests.digest(Path::new("/dev/zero")).is_err());
    }
}
