//! Files written whole or not at all.

use std::fs::{self, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;
use tempfile::NamedTempFile;

/// How a file is called until it takes its place. Hidden, so that it is never taken for a case or
/// a cassette.
pub const PREFIX: &str = ".driftgate-new-";

/// Bytes in a file of their own that waits to take its place; removed if it never does.
#[derive(Debug)]
pub struct Staged {
    file: NamedTempFile,
}

impl Staged {
    /// Writes `bytes` to a new file in `folder`.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn new(folder: &Path, bytes: &[u8]) -> io::Result<Self> {
        let mut file = new_locked(folder)?;
        file.write_all(bytes)?;
        Ok(Self { file })
    }

    /// Waits until the bytes are on the disk, so that not even a loss of power leaves a file
    /// without them.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn sync(&self) -> io::Result<()> {
        self.file.as_file().sync_all()
    }

    /// Takes the place at `path`, on the same disk, of whatever file or link is there. Whoever
    /// reads it finds the old bytes or the new ones and nothing between.
    ///
    /// # Errors
    /// When `path` is a folder, or its folder cannot be written.
    pub fn place(self, path: &Path) -> io::Result<()> {
        self.file.persist(path)?;
        Ok(())
    }

    /// Takes the place at `path`, on the same disk, if nothing is there.
    ///
    /// # Errors
    /// When something is, or the folder of `path` cannot be written.
    pub fn place_new(self, path: &Path) -> io::Result<()> {
        self.file.persist_noclobber(path)?;
        Ok(())
    }
}

/// A new file in `folder`, locked: the lock tells [`sweep`] that somebody is still at it.
fn new_locked(folder: &Path) -> io::Result<NamedTempFile> {
    loop {
        let file = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(folder)?;
        let is_ours = match file.as_file().try_lock() {
            // A sweep may have come before the lock.
            Ok(()) => file.as_file().metadata()?.nlink() > 0,
            Err(TryLockError::WouldBlock) => false,
            // Where nothing can be locked, nothing is swept either.
            Err(TryLockError::Error(_)) => true,
        };
        if is_ours {
            return Ok(file);
        }
    }
}

/// Removes what a killed driftgate left in `folder` on the way to its place. What another one is
/// writing at this moment stays.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            // What cannot be removed lies there hidden and does no harm.
            let _ = remove_abandoned(&entry.path());
        }
    }
}

/// Removes the file at `path`, unless somebody holds its lock or it is none.
fn remove_abandoned(path: &Path) -> io::Result<()> {
    // A link is not ours, and a pipe must not hold us.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    if file.metadata()?.is_file() && file.try_lock().is_ok() {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Writes `bytes` to a new file beside `path` and renames it into place.
///
/// # Errors
/// When the folder cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let staged = Staged::new(folder_of(path), bytes)?;
    staged.sync()?;
    staged.place(path)
}

/// Writes `bytes` to wherever `path` leads: whole, as [`write()`] does, where that is a file or
/// nothing yet. A device or a pipe is written to: to replace it would destroy it.
///
/// # Errors
/// When it or its folder cannot be written.
pub fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match fs::metadata(path) {
        Ok(there) if there.is_file() => path.canonicalize()?,
        Ok(_) => return OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Err(_) => path.to_owned(),
    };
    sweep(folder_of(&target));
    write(&target, bytes)
}

/// The folder of the file `path`.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    folder
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileTypeExt as _;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn what_is_no_file_is_written_to_and_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "old").unwrap();
        for (link, target) in [("to-file", "file"), ("new", "none")] {
            std::os::unix::fs::symlink(target, path(link)).unwrap();
        }
        write_through(&path("to-file"), b"new").unwrap();
        assert_eq!(fs::read(path("file")).unwrap(), b"new");
        assert!(fs::symlink_metadata(path("to-file")).unwrap().is_symlink());
        write_through(&path("new"), b"new").unwrap();
        assert_eq!(fs::read(path("new")).unwrap(), b"new");
        let _socket = UnixListener::bind(path("socket")).unwrap();
        assert!(write_through(&path("socket"), b"x").is_err());
        let kind = fs::metadata(path("socket")).unwrap().file_type();
        assert!(kind.is_socket());
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write(&path, b"one").unwrap();
        assert!(write(&path.join("b"), b"two").is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        write(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_was_abandoned_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(format!("{PREFIX}{name}"));
        fs::write(path("dead"), "half").unwrap();
        fs::create_dir(path("folder")).unwrap();
        fs::write(folder.path().join(".driftgate-mine"), "").unwrap();
        std::os::unix::fs::symlink("none", path("link")).unwrap();
        let alive = Staged::new(folder.path(), b"whole").unwrap();
        sweep(folder.path());
        assert!(!path("dead").exists());
        assert!(path("folder").exists() && fs::symlink_metadata(path("link")).is_ok());
        assert!(folder.path().join(".driftgate-mine").exists());
        alive.place(&folder.path().join("a")).unwrap();
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"whole");
    }

    #[test]
    fn a_report_takes_what_a_killed_run_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(format!("{PREFIX}dead")), "half").unwrap();
        write_through(&folder.path().join("report.json"), b"{}").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
