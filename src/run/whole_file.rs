//! Files written whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes `bytes` to a new file beside `path` and renames it into place, so that whoever reads
/// `path` finds the old bytes or the new ones and nothing between.
///
/// # Errors
/// When the folder cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut file = tempfile::Builder::new()
        .prefix(".driftgate-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder.unwrap_or_else(|| Path::new(".")))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Writes `bytes` to wherever `path` leads: whole, as [`write()`] does, where that is a file or
/// nothing yet. A device or a pipe is written to: to replace it would destroy it.
///
/// # Errors
/// When it or its folder cannot be written.
pub fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(there) if there.is_file() => write(&path.canonicalize()?, bytes),
        Ok(_) => OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Err(_) => write(path, bytes),
    }
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
}
