//! Digests of files outside the suite, each computed once while the file stays what it is.

use std::collections::HashMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::model::digest::{Digest, Hasher};

/// What tells that a file is still the same. Never the modification time alone: that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

    /// That of the file at `path`, links followed; `None` if nothing can be seen there.
    fn at(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().as_ref().map(Self::of)
    }

    /// That of the folder at `path` as far as what is in it goes: which names there are.
    fn of_names(path: &Path) -> Option<Self> {
        let state = Self::at(path)?;
        Some(Self {
            changed: state.modified,
            ..state
        })
    }
}

/// The digests known so far, shared by all threads of a run.
#[derive(Debug, Default)]
pub struct FileDigests {
    known: RwLock<HashMap<FileState, Digest>>,
    read: Mutex<Read>,
}

/// The files that were asked for.
#[derive(Debug, Default)]
struct Read {
    all: HashMap<PathBuf, FileState>,
    /// Those that nobody was told of yet.
    new: Vec<Seen>,
}

/// A file or folder as it was seen, to tell later whether it is still the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Where.
    pub path: PathBuf,
    /// How it was; `None` if nothing was there.
    state: Option<FileState>,
    /// The digest of a file's content.
    content: Option<Digest>,
}

impl Seen {
    /// The folder at `path` as it is now.
    #[must_use]
    pub fn folder(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            state: FileState::of_names(path),
            content: None,
        }
    }

    /// Whether it is still the same: the names in a folder, the content of a file.
    #[must_use]
    pub fn holds(&self) -> bool {
        let Some(content) = self.content else {
            return FileState::of_names(&self.path) == self.state;
        };
        FileState::at(&self.path) == self.state
            || FileDigests::default()
                .digest(&self.path)
                .is_ok_and(|now| now == content)
    }
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
            self.note(path, state, digest);
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
        self.note(path, state, digest);
        Ok(digest)
    }

    fn note(&self, path: &Path, state: FileState, digest: Digest) {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.all.get(path) != Some(&state) {
            read.all.insert(path.to_owned(), state);
            read.new.push(Seen {
                path: path.to_owned(),
                state: Some(state),
                content: Some(digest),
            });
        }
    }

    /// The files that were asked for since this was called last.
    #[must_use]
    pub fn newly_read(&self) -> Vec<Seen> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut read.new)
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
    fn a_file_holds_while_its_content_does_and_is_told_of_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let digests = FileDigests::default();
        fs::write(&path, "one").unwrap();
        let absent = Seen::folder(&folder.path().join("absent"));
        for _ in 0..2 {
            digests.digest(&path).unwrap();
        }
        let seen = digests.newly_read();
        assert!(seen.len() == 1 && digests.newly_read().is_empty());
        let [file, place] = [seen[0].clone(), Seen::folder(folder.path())];
        assert!(file.holds() && place.holds() && absent.holds());
        fs::write(folder.path().join("absent"), "one").unwrap();
        fs::rename(folder.path().join("absent"), &path).unwrap();
        assert!(file.holds(), "another file with the same content");
        fs::write(&path, "two").unwrap();
        assert!(!file.holds());
        fs::remove_file(&path).unwrap();
        assert!(!file.holds());
        fs::create_dir(folder.path().join("absent")).unwrap();
        assert!(!absent.holds() && !place.holds());
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
