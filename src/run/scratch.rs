//! The scratch tree of one run: a private folder under the system's temporary folder, with a
//! fresh folder for every step, removed whatever a candidate left in it.

use std::collections::VecDeque;
use std::fs::{self, DirBuilder, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::geteuid;

use super::environment;

/// How the folder of every run is called, before six random characters.
pub(super) const PREFIX: &str = "driftgate-";

/// The scratch root of one run; removed when dropped.
#[derive(Debug)]
pub struct RunScratch {
    root: PathBuf,
    next: AtomicU64,
}

impl RunScratch {
    /// A fresh folder that nobody else can look into.
    ///
    /// # Errors
    /// If the temporary folder does not exist or cannot be written.
    pub fn new() -> io::Result<Self> {
        Self::announced(|_| Ok(()))
    }

    /// The same, whose path `announce` is told before there is a folder: whoever writes it down
    /// knows of the folder at whatever moment we are killed.
    ///
    /// # Errors
    /// As [`Self::new`], and what `announce` fails with.
    pub fn announced(announce: impl Fn(&Path) -> io::Result<()>) -> io::Result<Self> {
        // Without symbolic links, so that paths in dependency lists can be compared with it.
        let within = fs::canonicalize(environment::temp_dir())?;
        let made = tempfile::Builder::new()
            .prefix(PREFIX)
            .make_in(within, |path| {
                announce(path)?;
                DirBuilder::new().mode(passage()).create(path)
            })?;
        // Kept: what is in it may take more than a plain removal.
        let root = made.into_temp_path().keep().map_err(|error| error.error)?;
        Ok(Self {
            root,
            next: AtomicU64::new(0),
        })
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// A fresh numbered folder for one step.
    ///
    /// # Errors
    /// If it cannot be made, e.g. on a full disk.
    pub fn step(&self) -> io::Result<StepFolder> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let folder = StepFolder {
            root: self.root.join(number.to_string()),
        };
        let mut builder = DirBuilder::new();
        builder.mode(passage()).create(&folder.root)?;
        builder.mode(0o700);
        for path in folder.own() {
            builder.create(path)?;
        }
        Ok(folder)
    }
}

/// The mode of a folder on the way to a step's own. Where we are root, steps belong to users of
/// their own, who must get through.
fn passage() -> u32 {
    if geteuid().is_root() { 0o711 } else { 0o700 }
}

impl Drop for RunScratch {
    fn drop(&mut self) {
        let _ = remove_tree(&self.root);
    }
}

/// The scratch folder of one step; removed when dropped.
#[derive(Debug)]
pub struct StepFolder {
    root: PathBuf,
}

impl StepFolder {
    /// The folder itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// What is the process's own: its current folder, its `HOME` and its `TMPDIR`.
    #[must_use]
    pub fn own(&self) -> Vec<PathBuf> {
        vec![self.work(), self.home(), self.tmp()]
    }

    /// The current folder of the process, with the step's inputs.
    #[must_use]
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// Its `HOME`.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Its `TMPDIR`.
    #[must_use]
    pub fn tmp(&self) -> PathBuf {
        self.root.join("tmp")
    }
}

impl Drop for StepFolder {
    fn drop(&mut self) {
        let _ = remove_tree(&self.root);
    }
}

/// Removes the folders of a dead driftgate. Other supervisors of the same run may still be
/// killing what writes there, so one attempt is not always enough.
pub(super) fn remove_of_the_dead(folders: &[impl AsRef<Path>]) {
    for folder in folders {
        for _ in 0..20 {
            if remove_tree(folder.as_ref()).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Removes the folder at `root` with everything in it, also where modes forbid it and however
/// deep it is nested. Follows no symbolic link. What wrote there must be dead.
///
/// # Errors
/// The first one that remained; a `root` that does not exist is none.
pub(super) fn remove_tree(root: &Path) -> io::Result<()> {
    match fs::remove_dir_all(root) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound && !exists(root) => Ok(()),
        // Some folder may not be read, or there are more levels than we may open descriptors.
        Err(_) => remove_flattened(root),
    }
}

/// Removes the tree by moving every folder in it up to `root`: constant depth, so neither the
/// stack, nor the number of descriptors, nor the length of a path can run out.
fn remove_flattened(root: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(root)?.is_dir() {
        return Err(io::Error::from(ErrorKind::NotADirectory));
    }
    open_up(root)?;
    let mut folders = VecDeque::from([root.to_owned()]);
    let mut moved = 0u64;
    while let Some(folder) = folders.pop_front() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if !fs::symlink_metadata(&path)?.is_dir() {
                fs::remove_file(&path)?;
                continue;
            }
            open_up(&path)?;
            if folder == root {
                folders.push_back(path);
                continue;
            }
            let up = loop {
                moved += 1;
                let up = root.join(format!("removed-{moved}"));
                if !exists(&up) {
                    break up;
                }
            };
            fs::rename(&path, &up)?;
            folders.push_back(up);
        }
        if folder != root {
            fs::remove_dir(&folder)?;
        }
    }
    fs::remove_dir(root)
}

fn open_up(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_run_has_a_private_folder_that_goes_with_it() {
        let scratch = RunScratch::new().unwrap();
        let root = scratch.path().to_owned();
        let mode = fs::metadata(&root).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, passage());
        assert!(
            root.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with(PREFIX)
        );
        let (one, other) = (scratch.step().unwrap(), scratch.step().unwrap());
        assert_ne!(one.path(), other.path());
        assert!(one.work().is_dir() && one.home().is_dir() && one.tmp().is_dir());
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists());
        drop((other, scratch));
        assert!(!root.exists());
    }

    #[test]
    fn symbolic_links_are_removed_and_not_followed() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("kept"), "").unwrap();
        for remove in [remove_tree, remove_flattened] {
            let inside = tempfile::tempdir().unwrap();
            let root = inside.path().join("root");
            fs::create_dir_all(root.join("a/b")).unwrap();
            symlink(outside.path(), root.join("a/b/link")).unwrap();
            symlink(outside.path(), root.join("link")).unwrap();
            symlink("/nowhere", root.join("a/broken")).unwrap();
            remove(&root).unwrap();
            assert!(!root.exists());
            assert!(outside.path().join("kept").exists());
        }
    }

    #[test]
    fn a_link_in_place_of_the_folder_is_refused() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("kept"), "").unwrap();
        let inside = tempfile::tempdir().unwrap();
        let root = inside.path().join("root");
        symlink(outside.path(), &root).unwrap();
        assert!(remove_flattened(&root).is_err());
        let _ = remove_tree(&root);
        assert!(outside.path().join("kept").exists());
    }

    #[test]
    fn folders_nested_deeper_than_any_path_are_removed() {
        for remove in [remove_tree, remove_flattened] {
            let inside = tempfile::tempdir().unwrap();
            let root = inside.path().join("root");
            fs::create_dir(&root).unwrap();
            // Built from the inside out: a chain is moved into the next folder again and again.
            let (chain, outer) = (root.join("a-chain-of-folders"), root.join("outer"));
            fs::create_dir(&chain).unwrap();
            for _ in 0..500 {
                fs::create_dir(&outer).unwrap();
                fs::rename(&chain, outer.join("a-chain-of-folders")).unwrap();
                fs::rename(&outer, &chain).unwrap();
            }
            fs::create_dir(root.join("removed-1")).unwrap();
            remove(&root).unwrap();
            assert!(!root.exists());
        }
    }
}
