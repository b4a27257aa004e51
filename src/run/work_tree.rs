//! The folder a step runs in: filled with its inputs before, and looked into afterwards, when
//! nothing in it can be trusted.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::OFlags;

use super::blobs::Blobs;
use crate::model::step::Content;

/// Mode of a plain input.
const PLAIN: u32 = 0o644;

/// Mode of the program among the inputs.
const EXECUTABLE: u32 = 0o755;

/// The current folder of one step's process.
#[derive(Debug)]
pub(super) struct WorkTree {
    root: PathBuf,
}

impl WorkTree {
    /// The tree at `root`.
    pub(super) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Its folder.
    pub(super) fn path(&self) -> &Path {
        &self.root
    }

    /// Puts an input at `path`, with the folders above it.
    fn put(&self, path: &str, content: &Content, blobs: &Blobs) -> io::Result<()> {
        let relative = checked(path)?;
        if let Some(parent) = relative.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(self.root.join(parent))?;
        }
        write(&self.root.join(relative), content, blobs)
    }

    /// Puts every one of `inputs` in its place.
    pub(super) fn fill(
        &self,
        inputs: &BTreeMap<String, Content>,
        blobs: &Blobs,
    ) -> Result<(), String> {
        let mut inputs = inputs.iter();
        inputs.try_for_each(|(path, content)| {
            let put = self.put(path, content, blobs);
            put.map_err(|error| format!("cannot put the input {path} in place: {error}"))
        })
    }

    /// Makes the input at `path` executable.
    pub(super) fn make_executable(&self, path: &str) -> io::Result<()> {
        let place = self.root.join(checked(path)?);
        fs::set_permissions(place, Permissions::from_mode(EXECUTABLE))
    }

    /// The regular file at `path`, if there is one and no link on the way to it.
    pub(super) fn file(&self, path: &str) -> Option<(PathBuf, Metadata)> {
        let mut place = self.root.clone();
        let mut components = checked(path).ok()?.components().peekable();
        while let Some(component) = components.next() {
            place.push(component);
            let metadata = fs::symlink_metadata(&place).ok()?;
            if components.peek().is_none() {
                return metadata.is_file().then_some((place, metadata));
            }
            if !metadata.is_dir() {
                return None;
            }
        }
        None
    }

    /// The content of the regular file at `path`, unless it is longer than `most`.
    pub(super) fn read(&self, path: &str, most: u64) -> Option<Vec<u8>> {
        let (place, metadata) = self.file(path)?;
        if metadata.len() > most {
            return None;
        }
        let mut bytes = Vec::new();
        let file = open(&place).ok()?;
        file.take(most).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

/// Writes `content` to a new file at `place`.
pub(super) fn write(place: &Path, content: &Content, blobs: &Blobs) -> io::Result<()> {
    match content {
        Content::Bytes(bytes) => {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true).mode(PLAIN);
            options.open(place)?.write_all(bytes)
        }
        Content::Output(digest) => {
            blobs.copy_to(digest, place)?;
            fs::set_permissions(place, Permissions::from_mode(PLAIN))
        }
    }
}

/// Opens the file at `place` for reading, following no link and waiting for nothing.
pub(super) fn open(place: &Path) -> io::Result<File> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.cast_signed())
        .open(place)
}

/// `path`, if it stays inside the tree it is relative to.
fn checked(path: &str) -> io::Result<&Path> {
    let relative = Path::new(path);
    let inside = relative.components().all(|component| match component {
        Component::Normal(_) => true,
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            false
        }
    });
    if inside && !path.is_empty() && !path.contains('\0') {
        return Ok(relative);
    }
    Err(io::Error::new(
        ErrorKind::InvalidInput,
        format!("`{path}` is no path inside a tree"),
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn paths_that_leave_the_tree_are_refused() {
        for bad in ["", "/a", "..", "a/../b", "./a", "a\0b", "../x"] {
            assert!(checked(bad).is_err(), "{bad:?}");
        }
        for good in ["a", "a/b.txt", "..a", "a b"] {
            assert!(checked(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn links_and_folders_are_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let tree = WorkTree::new(folder.path().to_owned());
        fs::create_dir(folder.path().join("real")).unwrap();
        fs::write(folder.path().join("real/file"), "text").unwrap();
        symlink("real", folder.path().join("linked")).unwrap();
        symlink("real/file", folder.path().join("link")).unwrap();
        assert_eq!(tree.read("real/file", 4).unwrap(), b"text");
        assert_eq!(tree.read("real/file", 3), None);
        for no_file in [
            "real",
            "linked/file",
            "link",
            "missing",
            "real/file/x",
            "../x",
        ] {
            assert!(tree.file(no_file).is_none(), "{no_file}");
        }
    }
}
