//! The outputs of steps, each kept once under its digest.

use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::file_digests;
use super::work_tree::{self, WorkTree};
use crate::model::digest::Digest;
use crate::whole_file;

/// Longest output that is kept. A longer one counts as not made: hashing a sparse file of a
/// terabyte would hold up the run.
const MAX_OUTPUT: u64 = 2 << 30;

/// A folder of files named by their SHA-256 digests.
#[derive(Debug)]
pub(super) struct Blobs {
    folder: PathBuf,
    next: AtomicU64,
}

impl Blobs {
    /// The blobs in `folder`, which is made if it does not exist.
    pub(super) fn new(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        whole_file::sweep(&folder);
        Ok(Self {
            folder,
            next: AtomicU64::new(0),
        })
    }

    /// The content of a blob.
    pub(super) fn read(&self, digest: &Digest) -> io::Result<Vec<u8>> {
        let bytes = fs::read(self.place(digest))?;
        if Digest::of(&bytes) == *digest {
            return Ok(bytes);
        }
        Err(io::Error::new(
            ErrorKind::InvalidData,
            format!("the output {digest} is damaged"),
        ))
    }

    /// Copies a blob to `place`.
    pub(super) fn copy_to(&self, digest: &Digest, place: &Path) -> io::Result<()> {
        fs::copy(self.place(digest), place).map(|_| ())
    }

    /// Takes the regular file at `path` out of `tree`; `None` if there is none. Nothing may
    /// write to the tree any more.
    pub(super) fn take(&self, tree: &WorkTree, path: &str) -> io::Result<Option<Digest>> {
        let Some((place, metadata)) = tree.file(path) else {
            return Ok(None);
        };
        if metadata.len() > MAX_OUTPUT {
            return Ok(None);
        }
        // A second name of the file may lie anywhere, also in the user's checkout: neither our
        // mode nor a later write through that name may pass from one to the other.
        let shared = metadata.nlink() > 1;
        if !shared && metadata.mode() & 0o777 != 0o644 {
            fs::set_permissions(&place, Permissions::from_mode(0o644))?;
        }
        // Where we are root it belongs to the user that the step had.
        let own = rustix::process::geteuid().as_raw();
        if !shared && metadata.uid() != own {
            std::os::unix::fs::lchown(
                &place,
                Some(own),
                Some(rustix::process::getegid().as_raw()),
            )?;
        }
        if shared {
            let copy = self.fresh();
            fs::copy(&place, &copy)?;
            fs::set_permissions(&copy, Permissions::from_mode(0o644))?;
            return self.adopt(&copy).map(Some);
        }
        let digest = file_digests::of_stream(&mut work_tree::open(&place)?)?;
        match fs::rename(&place, self.place(&digest)) {
            Ok(()) => Ok(Some(digest)),
            Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                let copy = self.fresh();
                fs::copy(&place, &copy)?;
                self.adopt(&copy).map(Some)
            }
            Err(error) => Err(error),
        }
    }

    /// Renames a file of our own, already in the folder, to its digest.
    fn adopt(&self, copy: &Path) -> io::Result<Digest> {
        let digest = file_digests::of_stream(&mut work_tree::open(copy)?)?;
        fs::rename(copy, self.place(&digest))?;
        Ok(digest)
    }

    fn place(&self, digest: &Digest) -> PathBuf {
        self.folder.join(digest.to_string())
    }

    fn fresh(&self) -> PathBuf {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.folder.join(format!("{}{number}", whole_file::PREFIX))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_output_is_taken_once_and_links_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let tree = WorkTree::new(folder.path().to_owned());
        let blobs = Blobs::new(folder.path().join("blobs")).unwrap();
        fs::write(folder.path().join("out"), "text").unwrap();
        fs::set_permissions(folder.path().join("out"), Permissions::from_mode(0o000)).unwrap();
        symlink("/etc/passwd", folder.path().join("link")).unwrap();
        let digest = blobs.take(&tree, "out").unwrap().unwrap();
        assert_eq!(digest, Digest::of(b"text"));
        assert_eq!(blobs.read(&digest).unwrap(), b"text");
        assert_eq!(blobs.take(&tree, "out").unwrap(), None);
        assert_eq!(blobs.take(&tree, "link").unwrap(), None);
    }

    #[test]
    fn a_file_with_a_second_name_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let tree = WorkTree::new(folder.path().to_owned());
        let blobs = Blobs::new(folder.path().join("blobs")).unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "text").unwrap();
        fs::set_permissions(&other, Permissions::from_mode(0o600)).unwrap();
        fs::hard_link(&other, folder.path().join("out")).unwrap();
        let digest = blobs.take(&tree, "out").unwrap().unwrap();
        fs::write(&other, "changed").unwrap();
        assert_eq!(fs::metadata(&other).unwrap().mode() & 0o777, 0o600);
        assert_eq!(blobs.read(&digest).unwrap(), b"text");
    }

    #[test]
    fn a_damaged_blob_is_not_given_out() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = Blobs::new(folder.path().to_owned()).unwrap();
        let digest = Digest::of(b"text");
        fs::write(folder.path().join(digest.to_string()), "tExt").unwrap();
        assert_eq!(
            blobs.read(&digest).unwrap_err().kind(),
            ErrorKind::InvalidData
        );
    }
}
