//! The `.driftgate/` folder of a root: one run at a time, nothing of it in git, and nothing left
//! in the temporary folder by a run that was killed.

use std::cell::Cell;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::environment;
use super::scratch::{self, RunScratch};
use crate::error::{Error, InputError};
use crate::whole_file::{self, Staged};

/// The name of the folder.
pub const NAME: &str = ".driftgate";

/// Longest content that is read of a file in it that should hold a line.
const MAX_LINE: u64 = 64 << 10;

/// The same of the line about who holds the lock.
const MAX_HOLDER: u64 = 128;

/// What helps when the folder cannot be used.
const WRITABLE: &str = "make the folder writable for this user, or run on a copy of the tree";

/// The folder, locked until this is dropped.
#[derive(Debug)]
pub struct Workspace {
    folder: PathBuf,
    /// Held for its lock.
    _lock: File,
}

impl Workspace {
    /// Opens the workspace of `root`, made if it does not exist, and locks it for a run of
    /// `command`. Removes what a killed run left in the temporary folder.
    ///
    /// # Errors
    /// `Error::Input` if another run holds it, it cannot be written, or it is a link.
    pub fn open(root: &Path, command: &str) -> Result<Self, Error> {
        let folder = root.join(NAME);
        make(&folder).map_err(|error| unusable(&folder, &error))?;
        let lock = lock(&folder.join("lock"), command)?;
        whole_file::sweep(&folder);
        let ignore = folder.join(".gitignore");
        write_if_absent(&ignore, b"*\n").map_err(|error| unusable(&ignore, &error))?;
        let workspace = Self {
            folder,
            _lock: lock,
        };
        workspace.remove_stale();
        Ok(workspace)
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// A scratch root for this run. It is noted before it is there, so that the next run can
    /// remove it at whatever moment this one is killed.
    ///
    /// # Errors
    /// If the note or the root cannot be written.
    pub fn scratch(&self) -> Result<RunScratch, Error> {
        let note = self.note();
        // What could not be written if not the note.
        let unnoted = Cell::new(None);
        let made = RunScratch::announced(|root| {
            let line = [root.as_os_str().as_bytes(), b"\n"].concat();
            let noted = Staged::new(&self.folder, &line).and_then(|staged| staged.place(&note));
            noted.map_err(|error| {
                let kind = error.kind();
                unnoted.set(Some(error));
                kind.into()
            })
        });
        made.map_err(|error| match unnoted.take() {
            Some(error) => unusable(&note, &error),
            None => no_scratch(&error),
        })
    }

    /// Removes the scratch root of a run that was killed, if the note names one.
    fn remove_stale(&self) {
        if let Ok(mut line) = read_line(&self.note()) {
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            let root = PathBuf::from(std::ffi::OsString::from_vec(line));
            if is_our_scratch(&root) {
                scratch::remove_of_the_dead(&[root]);
            }
        }
        let _ = fs::remove_file(self.note());
    }

    fn note(&self) -> PathBuf {
        self.folder.join("scratch")
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // The note stays while the folder it names does: this may be dropped first.
        let stays = read_line(&self.note()).is_ok_and(|line| {
            is_our_scratch(Path::new(std::ffi::OsStr::from_bytes(
                line.trim_ascii_end(),
            )))
        });
        if !stays {
            let _ = fs::remove_file(self.note());
        }
    }
}

/// The error that `path` in the folder cannot be used. A full disk is nobody's mistake.
pub(super) fn unusable(path: &Path, error: &io::Error) -> Error {
    let problem = format!("cannot be used: {error}");
    if error.kind() == ErrorKind::StorageFull {
        return Error::Incomplete(format!("{}: {problem}", path.display()));
    }
    InputError::new(path.display().to_string(), problem)
        .hint(WRITABLE)
        .into()
}

/// The error that there is no place for temporary files. A full disk is nobody's mistake.
fn no_scratch(error: &io::Error) -> Error {
    let folder = environment::temp_dir();
    let problem = format!("cannot hold temporary files: {error}");
    if error.kind() == ErrorKind::StorageFull {
        return Error::Incomplete(format!("{}: {problem}", folder.display()));
    }
    InputError::new(folder.display().to_string(), problem)
        .field("TMPDIR")
        .hint("set TMPDIR to a folder that this user can write")
        .into()
}

/// Makes the folder, unless there is a real one.
fn make(folder: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o755).create(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if fs::symlink_metadata(folder)?.is_dir() {
                return Ok(());
            }
            Err(io::Error::new(
                ErrorKind::NotADirectory,
                "it is a link or a file, not a folder",
            ))
        }
        result => result,
    }
}

/// Takes the lock and writes our process number and `command` into it. The system drops it with
/// the process, however that ends, so none is ever left behind.
fn lock(path: &Path, command: &str) -> Result<File, Error> {
    let unusable = |error: io::Error| unusable(path, &error);
    let mut file = without_links()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .and_then(|file| {
            if file.metadata()?.is_file() {
                return Ok(file);
            }
            Err(io::Error::new(ErrorKind::InvalidInput, "it is not a file"))
        })
        .map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(held(path, &mut file)),
        Err(TryLockError::Error(error)) => return Err(unusable(error)),
    }
    file.set_len(0)
        .and_then(|()| writeln!(file, "{} driftgate {command}", std::process::id()))
        .map_err(unusable)?;
    Ok(file)
}

/// The error that another run holds the lock.
fn held(path: &Path, file: &mut File) -> Error {
    let mut text = String::new();
    let read = file
        .rewind()
        .and_then(|()| file.take(MAX_HOLDER).read_to_string(&mut text));
    let (number, command) = text.trim_end().split_once(' ').unwrap_or((&text, ""));
    let (holder, end) = match (read, number.trim().parse::<u32>()) {
        (Ok(_), Ok(pid)) => {
            let command = command.escape_debug();
            (
                format!("process {pid}, `{command}`"),
                format!("end it with `kill {pid}`"),
            )
        }
        (Ok(_) | Err(_), _) => ("another process".to_owned(), "end it".to_owned()),
    };
    let problem = format!("another driftgate run ({holder}) works in this checkout");
    let hint = format!(
        "wait for it, or {end}; two runs in one checkout would mix their results. The lock goes with its process, however that ends: there is no need to delete the file."
    );
    InputError::new(path.display().to_string(), problem)
        .hint(hint)
        .into()
}

/// Options to read a file that is not a link, without waiting for anything.
fn without_links() -> OpenOptions {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    options
}

/// The first bytes of the file at `path`, unless it is a link, without waiting for anything.
pub(super) fn read_line(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    without_links()
        .open(path)?
        .take(MAX_LINE)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes the file at `path` whole, unless something is there already.
fn write_if_absent(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Staged::new(path.parent().unwrap_or(path), bytes)?.place(path)
        }
        Err(error) => Err(error),
    }
}

/// Whether `path` is what `RunScratch` makes: a real folder of ours with our name, directly in a
/// temporary folder. The note that names it lies in the checkout, where anyone may have put it.
fn is_our_scratch(path: &Path) -> bool {
    let named = path
        .file_name()
        .is_some_and(|name| name.as_bytes().starts_with(scratch::PREFIX.as_bytes()));
    let temporary = [environment::temp_dir(), "/tmp".into(), "/var/tmp".into()];
    let placed = path.parent().is_some_and(|parent| {
        temporary.iter().any(|folder| {
            parent == folder || fs::canonicalize(folder).is_ok_and(|folder| folder == parent)
        })
    });
    let ours = fs::symlink_metadata(path).is_ok_and(|metadata| {
        metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw()
    });
    named && placed && ours
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn problem(root: &Path) -> String {
        match Workspace::open(root, "check") {
            Err(Error::Input(errors)) => errors[0].to_string(),
            Ok(_) | Err(_) => panic!("it opened, or failed as something else"),
        }
    }

    #[test]
    fn a_second_run_is_told_which_process_holds_the_first() {
        let root = tempfile::tempdir().unwrap();
        let first = Workspace::open(root.path(), "check").unwrap();
        let problem = problem(root.path());
        let pid = std::process::id();
        for word in [
            ".driftgate/lock",
            &format!("process {pid}, `driftgate check`"),
            &format!("kill {pid}"),
        ] {
            assert!(problem.contains(word), "{problem}");
        }
        drop(first);
        Workspace::open(root.path(), "check").unwrap();
    }

    #[test]
    fn git_is_told_to_ignore_it_and_a_file_of_the_user_stays() {
        let root = tempfile::tempdir().unwrap();
        drop(Workspace::open(root.path(), "check").unwrap());
        let ignore = root.path().join(".driftgate/.gitignore");
        assert_eq!(fs::read(&ignore).unwrap(), b"*\n");
        fs::write(&ignore, "mine").unwrap();
        drop(Workspace::open(root.path(), "check").unwrap());
        assert_eq!(fs::read(&ignore).unwrap(), b"mine");
    }

    #[test]
    fn a_root_that_cannot_be_written_is_named_with_the_reason() {
        let root = tempfile::tempdir().unwrap();
        let problem = problem(&root.path().join("missing"));
        assert!(
            problem.contains("missing/.driftgate: cannot be used: No such file"),
            "{problem}"
        );
        assert!(problem.contains(WRITABLE), "{problem}");
    }

    #[test]
    fn links_and_files_in_its_place_are_refused() {
        let elsewhere = tempfile::tempdir().unwrap();
        let root = tempfile::tempdir().unwrap();
        symlink(elsewhere.path(), root.path().join(NAME)).unwrap();
        assert!(problem(root.path()).contains("it is a link"));
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);

        fs::remove_file(root.path().join(NAME)).unwrap();
        fs::create_dir(root.path().join(NAME)).unwrap();
        let victim = elsewhere.path().join("victim");
        fs::write(&victim, "text").unwrap();
        symlink(&victim, root.path().join(".driftgate/lock")).unwrap();
        assert!(problem(root.path()).contains("cannot be used"));
        assert_eq!(fs::read(&victim).unwrap(), b"text");
    }

    #[test]
    fn the_scratch_folder_of_a_killed_run_is_removed_at_the_next_start() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path(), "check").unwrap();
        let scratch = workspace.scratch().unwrap();
        fs::write(scratch.path().join("file"), "").unwrap();
        let left = scratch.path().to_owned();
        std::mem::forget(scratch);
        drop(workspace);
        assert!(left.exists());
        drop(Workspace::open(root.path(), "check").unwrap());
        assert!(!left.exists());
    }

    #[test]
    fn a_note_that_names_anything_else_removes_nothing() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(NAME)).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let named_well = elsewhere.path().join("driftgate-abcdef");
        fs::create_dir(&named_well).unwrap();
        let link = environment::temp_dir().join(format!("driftgate-link-{}", std::process::id()));
        symlink(&named_well, &link).unwrap();
        for path in [
            elsewhere.path(),
            &named_well,
            &link,
            Path::new("/"),
            Path::new(""),
        ] {
            fs::write(
                root.path().join(".driftgate/scratch"),
                path.as_os_str().as_bytes(),
            )
            .unwrap();
            drop(Workspace::open(root.path(), "check").unwrap());
            assert!(named_well.is_dir(), "{}", path.display());
        }
        fs::remove_file(&link).unwrap();
    }
}
