//! Where the files of a suite come from: a place that is read by `/`-separated paths from its
//! root, and that nothing read from it can leave.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::OFlags;

use crate::error::InputError;

/// The most bytes of a fixture, a prompt or a completion.
pub const DATA_LIMIT: u64 = 64 << 20;
/// The most bytes of a file that is parsed: a case, a cassette, a configuration.
pub const TEXT_LIMIT: u64 = 8 << 20;

const DEPTH_LIMIT: usize = 32;
const ENTRIES_LIMIT: usize = 500_000;

/// A place that holds a suite. The same loader reads a checkout and, later, a revision.
pub trait Tree: Sync {
    /// The content of the file at `path`, `None` if nothing is there.
    ///
    /// # Errors
    /// The path leaves the root, is no regular file, holds more than `limit` bytes, or cannot
    /// be read.
    fn read_up_to(&self, path: &str, limit: u64) -> Result<Option<Vec<u8>>, InputError>;

    /// The files under `folder` at any depth, hidden ones left out, sorted, as paths from the
    /// root. An absent folder holds none.
    ///
    /// # Errors
    /// The folder is something else, cannot be read, leaves the root, is too deep or holds too
    /// many files.
    fn list(&self, folder: &str) -> Result<Vec<String>, InputError>;

    /// Like [`Tree::read_up_to`], for a file of data.
    ///
    /// # Errors
    /// As [`Tree::read_up_to`].
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, InputError> {
        self.read_up_to(path, DATA_LIMIT)
    }

    /// Like [`Tree::read_up_to`], for a file that is parsed.
    ///
    /// # Errors
    /// As [`Tree::read_up_to`].
    fn read_text(&self, path: &str) -> Result<Option<Vec<u8>>, InputError> {
        self.read_up_to(path, TEXT_LIMIT)
    }
}

/// `path` without empty and `.` segments, if it can only lie inside a root.
///
/// # Errors
/// What is wrong with it, as the end of a sentence that begins with the path.
pub fn inside(path: &str) -> Result<String, &'static str> {
    if path.contains('\0') {
        return Err("contains a NUL");
    }
    if path.starts_with('/') {
        return Err("is absolute; paths are relative and stay inside the root");
    }
    let mut kept = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => return Err("leaves its folder through `..`"),
            _ => kept.push(segment),
        }
    }
    if kept.is_empty() {
        return Err("names no file");
    }
    Ok(kept.join("/"))
}

/// A folder on disk, usually a checkout.
#[derive(Debug)]
pub struct WorkingTree {
    root: PathBuf,
    canonical: PathBuf,
    /// Where each folder really is: a suite of thousands of files has few folders, and
    /// resolving each file on its own would cost more than reading it.
    folders: Mutex<HashMap<PathBuf, Place>>,
}

/// Where a path leads.
#[derive(Clone, Debug)]
enum Place {
    Inside(PathBuf),
    Outside,
    Nowhere,
}

/// A listing under way.
#[derive(Default)]
struct Walk {
    /// The folders it is in, as they really are.
    above: Vec<PathBuf>,
    entries: usize,
    found: Vec<String>,
}

impl WorkingTree {
    /// The tree whose root is `root`.
    ///
    /// # Errors
    /// `root` is no folder or cannot be read.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, InputError> {
        let root = root.into();
        let shown = root.display().to_string();
        let canonical = fs::canonicalize(&root).map_err(|error| unreadable(&shown, &error))?;
        if !canonical.is_dir() {
            return Err(InputError::new(shown, "expected a folder"));
        }
        Ok(Self {
            root,
            canonical,
            folders: Mutex::default(),
        })
    }

    /// The root as it was given.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn resolve(&self, path: &Path) -> io::Result<Place> {
        match fs::canonicalize(path) {
            Ok(real) if real.starts_with(&self.canonical) => Ok(Place::Inside(real)),
            Ok(_) => Ok(Place::Outside),
            Err(error) if is_absence(&error) => Ok(Place::Nowhere),
            Err(error) => Err(error),
        }
    }

    fn resolve_folder(&self, folder: &Path) -> io::Result<Place> {
        let lock = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = lock().get(folder) {
            return Ok(place.clone());
        }
        let place = self.resolve(folder)?;
        // An absent folder may be made later (a cassette is written); a real one stays.
        if !matches!(place, Place::Nowhere) {
            lock().insert(folder.to_owned(), place.clone());
        }
        Ok(place)
    }

    fn open_file(&self, path: &str) -> Result<Option<File>, InputError> {
        let inner = inside(path).map_err(|problem| InputError::new(path, problem))?;
        let full = self.canonical.join(&inner);
        let (Some(folder), Some(name)) = (full.parent(), full.file_name()) else {
            return Err(InputError::new(path, "names no file"));
        };
        let folder = match self
            .resolve_folder(folder)
            .map_err(|e| unreadable(path, &e))?
        {
            Place::Inside(folder) => folder,
            Place::Outside => return Err(leaves(path)),
            Place::Nowhere => return Ok(None),
        };
        match open_without_following(&folder.join(name)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) if is_symlink(&folder.join(name)) => {
                self.follow(path, &folder.join(name), &error)
            }
            Err(error) if is_special(&error) => Err(irregular(path)),
            Err(error) => Err(unreadable(path, &error)),
        }
    }

    fn follow(
        &self,
        path: &str,
        link: &Path,
        refusal: &io::Error,
    ) -> Result<Option<File>, InputError> {
        match self
            .resolve(link)
            .map_err(|error| unreadable(path, &error))?
        {
            Place::Inside(real) => match open_without_following(&real) {
                Ok(file) => Ok(Some(file)),
                Err(error) if is_special(&error) => Err(irregular(path)),
                Err(error) => Err(unreadable(path, &error)),
            },
            Place::Outside => Err(leaves(path)),
            Place::Nowhere => Err(InputError::new(path, "is a symlink to nothing")
                .hint(format!("remove the link or restore its target ({refusal})"))),
        }
    }

    fn walk(&self, folder: &str, walk: &mut Walk) -> Result<(), InputError> {
        if walk.above.len() > DEPTH_LIMIT {
            return Err(InputError::new(
                folder,
                format!("folders are nested more than {DEPTH_LIMIT} deep"),
            ));
        }
        let full = self.canonical.join(folder);
        let real = match self
            .resolve_folder(&full)
            .map_err(|e| unreadable(folder, &e))?
        {
            Place::Inside(real) => real,
            Place::Outside => return Err(leaves(folder)),
            Place::Nowhere => return Ok(()),
        };
        if walk.above.contains(&real) {
            return Err(InputError::new(
                folder,
                "is a symlink to a folder that contains it",
            ));
        }
        walk.above.push(real.clone());
        for entry in fs::read_dir(real).map_err(|error| unreadable(folder, &error))? {
            let entry = entry.map_err(|error| unreadable(folder, &error))?;
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let Some(name) = name.to_str() else {
                let shown = below(folder, &name.to_string_lossy());
                return Err(InputError::new(shown, "the file's name is not UTF-8"));
            };
            let path = below(folder, name);
            let kind = entry
                .file_type()
                .map_err(|error| unreadable(&path, &error))?;
            let is_folder = kind.is_dir()
                || (kind.is_symlink() && fs::metadata(entry.path()).is_ok_and(|m| m.is_dir()));
            walk.entries += 1;
            if walk.entries > ENTRIES_LIMIT {
                return Err(InputError::new(
                    folder,
                    format!("more than {ENTRIES_LIMIT} entries"),
                ));
            }
            if is_folder {
                self.walk(&path, walk)?;
            } else {
                walk.found.push(path);
            }
        }
        walk.above.pop();
        Ok(())
    }
}

impl Tree for WorkingTree {
    fn read_up_to(&self, path: &str, limit: u64) -> Result<Option<Vec<u8>>, InputError> {
        let Some(file) = self.open_file(path)? else {
            return Ok(None);
        };
        let facts = file.metadata().map_err(|error| unreadable(path, &error))?;
        if !facts.is_file() {
            return Err(irregular(path));
        }
        let too_large = || {
            InputError::new(path, format!("the file is larger than {} MiB", limit >> 20))
                .hint("nothing of this size is expected here")
        };
        if facts.len() > limit {
            return Err(too_large());
        }
        // One byte of room more than it holds, so that the end is seen without growing.
        let mut bytes = Vec::with_capacity(usize::try_from(facts.len()).unwrap_or(0) + 1);
        let mut capped = file.take(limit + 1);
        capped
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(path, &error))?;
        if bytes.len() as u64 > limit {
            return Err(too_large());
        }
        Ok(Some(bytes))
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, InputError> {
        // No name is the name of the root.
        let inner = match folder {
            "" => String::new(),
            _ => inside(folder).map_err(|problem| InputError::new(folder, problem))?,
        };
        let mut walk = Walk::default();
        self.walk(&inner, &mut walk)?;
        walk.found.sort();
        Ok(walk.found)
    }
}

/// Opens for reading; never waits for the other end of a fifo, never follows a last symlink.
fn open_without_following(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

fn is_symlink(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.file_type().is_symlink())
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// What opening a socket or a device without a driver says.
fn is_special(error: &io::Error) -> bool {
    matches!(
        rustix::io::Errno::from_io_error(error),
        Some(rustix::io::Errno::NXIO | rustix::io::Errno::NODEV)
    )
}

fn irregular(path: &str) -> InputError {
    InputError::new(path, "is not a regular file")
}

fn leaves(path: &str) -> InputError {
    InputError::new(path, "leaves the root through a symlink")
        .hint("copy the file into the root; a suite reads nothing outside it")
}

fn unreadable(path: &str, error: &io::Error) -> InputError {
    InputError::new(path, format!("cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree() -> (tempfile::TempDir, WorkingTree) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("root/in/deep")).unwrap();
        fs::write(dir.path().join("root/in/a.txt"), "a").unwrap();
        fs::write(dir.path().join("root/in/deep/b.txt"), "b").unwrap();
        fs::write(dir.path().join("root/in/.hidden"), "h").unwrap();
        fs::create_dir(dir.path().join("out")).unwrap();
        fs::write(dir.path().join("out/secret"), "s").unwrap();
        let tree = WorkingTree::open(dir.path().join("root")).unwrap();
        (dir, tree)
    }

    fn said(result: Result<Option<Vec<u8>>, InputError>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_file_is_read_and_an_absent_one_is_none() {
        let (_dir, tree) = tree();
        assert_eq!(tree.read("in/a.txt").unwrap(), Some(b"a".to_vec()));
        assert_eq!(tree.read("./in//a.txt").unwrap(), Some(b"a".to_vec()));
        for absent in ["in/none", "none/a", "in/a.txt/b"] {
            assert_eq!(tree.read(absent).unwrap(), None, "{absent}");
        }
    }

    #[test]
    fn no_path_leaves_the_root() {
        let (_dir, tree) = tree();
        for path in [
            "../out/secret",
            "in/../../out/secret",
            "/etc/passwd",
            "in\0x",
            "",
            ".",
        ] {
            assert!(tree.read(path).is_err(), "{path:?}");
        }
        assert_eq!(
            said(tree.read("in/../a")),
            "in/../a: leaves its folder through `..`"
        );
    }

    #[test]
    fn a_symlink_is_followed_inside_the_root_and_refused_outside() {
        let (dir, tree) = tree();
        let root = dir.path().join("root");
        symlink("a.txt", root.join("in/link")).unwrap();
        symlink(root.join("in"), root.join("folder")).unwrap();
        symlink(dir.path().join("out/secret"), root.join("in/leak")).unwrap();
        symlink("../out", root.join("leaks")).unwrap();
        symlink("nothing", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        assert_eq!(tree.read("in/link").unwrap(), Some(b"a".to_vec()));
        assert_eq!(tree.read("folder/deep/b.txt").unwrap(), Some(b"b".to_vec()));
        let refusal = "leaves the root through a symlink\n    copy the file into the root; a suite \
                       reads nothing outside it";
        assert_eq!(said(tree.read("in/leak")), format!("in/leak: {refusal}"));
        assert_eq!(
            said(tree.read("leaks/secret")),
            format!("leaks/secret: {refusal}")
        );
        assert_eq!(
            tree.list("leaks").unwrap_err().to_string(),
            format!("leaks: {refusal}")
        );
        assert!(said(tree.read("dangling")).starts_with("dangling: is a symlink to nothing"));
        assert!(said(tree.read("loop")).starts_with("loop: cannot be read"));
    }

    #[test]
    fn only_regular_files_are_read_and_a_fifo_does_not_hang() {
        let (dir, tree) = tree();
        let fifo = dir.path().join("root/fifo");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        symlink("fifo", dir.path().join("root/to_fifo")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("root/sock")).unwrap();
        for path in ["fifo", "to_fifo", "sock", "in"] {
            assert_eq!(
                said(tree.read(path)),
                format!("{path}: is not a regular file")
            );
        }
    }

    #[test]
    fn a_file_over_the_limit_is_refused() {
        let (dir, tree) = tree();
        let file = File::create(dir.path().join("root/large")).unwrap();
        file.set_len(TEXT_LIMIT).unwrap();
        assert_eq!(
            tree.read_text("large").unwrap().unwrap().len() as u64,
            TEXT_LIMIT
        );
        file.set_len(TEXT_LIMIT + 1).unwrap();
        assert_eq!(
            said(tree.read_text("large")),
            "large: the file is larger than 8 MiB\n    nothing of this size is expected here"
        );
        assert!(tree.read("large").unwrap().is_some());
    }

    #[test]
    fn a_listing_is_sorted_recursive_and_without_hidden_files() {
        let (_dir, tree) = tree();
        assert_eq!(tree.list("in").unwrap(), ["in/a.txt", "in/deep/b.txt"]);
        assert_eq!(tree.list("").unwrap(), ["in/a.txt", "in/deep/b.txt"]);
        assert!(tree.list("none").unwrap().is_empty());
        assert!(tree.list("in/a.txt").is_err());
    }

    #[test]
    fn a_folder_that_holds_itself_ends_the_listing_with_an_error() {
        let (dir, tree) = tree();
        symlink(".", dir.path().join("root/in/again")).unwrap();
        assert_eq!(
            tree.list("in").unwrap_err().to_string(),
            "in/again: is a symlink to a folder that contains it"
        );
    }
}
