//! Trees that many steps see: each is written once a run and linked into their scratch trees.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::model::digest::Digest;
use crate::model::source_tree::SourceTree;
use crate::model::step::Mount;

/// Where a tree was written, or why it could not be.
type Written = OnceLock<Result<PathBuf, String>>;

/// The trees of a run, by their digests.
#[derive(Debug)]
pub(super) struct MountedTrees {
    folder: PathBuf,
    written: Mutex<HashMap<Digest, Arc<Written>>>,
}

impl MountedTrees {
    /// Writes trees below `folder`, which is made when it is needed.
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            written: Mutex::default(),
        }
    }

    /// Makes every tree of `mounts` visible below `work`.
    pub(super) fn mount_all(
        &self,
        mounts: &BTreeMap<String, Mount>,
        work: &Path,
    ) -> io::Result<()> {
        let mut mounts = mounts.iter();
        mounts.try_for_each(|(path, mount)| self.mount(&mount.tree, &work.join(path)))
    }

    /// Where `tree` lies once it was mounted anywhere.
    pub(super) fn place(&self, tree: &SourceTree) -> PathBuf {
        self.folder.join(tree.digest().to_string())
    }

    /// Makes `tree` visible at `place`.
    fn mount(&self, tree: &SourceTree, place: &Path) -> io::Result<()> {
        let digest = tree.digest();
        let cell = {
            let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(written.entry(digest).or_default())
        };
        // Outside of the lock: a second step waits for this tree, not for every one.
        let written = cell.get_or_init(|| {
            let place = self.place(tree);
            match write(tree, &place) {
                Ok(()) => Ok(place),
                Err(error) => Err(error.to_string()),
            }
        });
        let written = written
            .as_ref()
            .map_err(|why| io::Error::other(why.clone()))?;
        if let Some(parent) = place.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(parent)?;
        }
        symlink(written, place)
    }
}

/// Writes every file of `tree` below `place`. Nobody may write there afterwards.
fn write(tree: &SourceTree, place: &Path) -> io::Result<()> {
    let mut folders = BTreeSet::from([place.to_owned()]);
    fs::create_dir_all(place)?;
    if let Some(all) = place.parent() {
        fs::set_permissions(all, Permissions::from_mode(0o711))?;
    }
    for (path, text) in tree.files() {
        let file = place.join(path);
        if let Some(parent) = file.parent()
            && !folders.contains(parent)
        {
            fs::create_dir_all(parent)?;
            let new = parent.ancestors().take_while(|folder| *folder != place);
            folders.extend(new.map(Path::to_owned));
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut written = options.open(&file)?;
        written.write_all(&text.bytes)?;
        // Whatever our umask: steps may belong to other users.
        written.set_permissions(Permissions::from_mode(0o444))?;
    }
    for folder in folders {
        fs::set_permissions(folder, Permissions::from_mode(0o555))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::source_tree::SourceText;

    #[test]
    fn a_tree_is_written_once_and_seen_by_all() {
        let folder = tempfile::tempdir().unwrap();
        let trees = MountedTrees::new(folder.path().join("trees"));
        let files = ["a.h", "b/c.h"].map(|path| {
            let text = SourceText::new(path.as_bytes());
            (path.to_owned(), text)
        });
        let tree = SourceTree::new(BTreeMap::from(files));
        for step in ["one", "two/deep"] {
            let place = folder.path().join(step);
            trees.mount(&tree, &place).unwrap();
            assert_eq!(fs::read(place.join("b/c.h")).unwrap(), b"b/c.h");
        }
        assert_eq!(
            fs::read_dir(folder.path().join("trees")).unwrap().count(),
            1
        );
        assert!(trees.mount(&tree, &folder.path().join("one")).is_err());
    }
}
