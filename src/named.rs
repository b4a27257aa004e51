//! Files that a person names on the command line: what may be read from one, and which may be
//! written over.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, InputError};

/// What of a root a report must not replace.
const COMMITTED: [&str; 4] = ["goldens", "mutants", "driftgate.yml", "quarantine.yaml"];

/// The bytes of the file at `path`, which may be a pipe, unless they are more than `limit`: a
/// device can have bytes without end.
///
/// # Errors
/// It cannot be read, or is too large.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_open(File::open(path)?, limit)
}

/// The bytes of an open file, unless they are more than `limit`.
///
/// # Errors
/// It cannot be read, or is too large.
pub fn read_open(file: File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|size| size > limit) {
        let text = format!("is larger than {} MiB", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

/// Refuses a report file that cannot be written before anything is spent.
///
/// # Errors
/// It is a folder, or in one that does not exist.
pub fn check_report(path: &Path) -> Result<(), Error> {
    let problem = if path.is_dir() {
        "is a folder"
    } else if folder_of(path).is_dir() {
        return Ok(());
    } else {
        "its folder does not exist"
    };
    let error = InputError::new(path.display().to_string(), problem).field("--report");
    Err(error.hint("Name a file in a folder that exists.").into())
}

/// Refuses a report file that is one of the files people commit to the suite at `root`.
///
/// # Errors
/// It is one.
pub fn spare_suite(path: &Path, root: &Path) -> Result<(), Error> {
    let there = place(path);
    let named = COMMITTED
        .iter()
        .find(|name| there.starts_with(place(&root.join(name))));
    let Some(name) = named else {
        return Ok(());
    };
    let problem = format!("would replace what the suite keeps in {name}");
    let error = InputError::new(path.display().to_string(), problem).field("--report");
    Err(error.hint("Name a file elsewhere.").into())
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Where `path` leads, whether or not something is there.
fn place(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let folder = folder_of(path);
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        path.file_name()
            .map_or(folder.clone(), |name| folder.join(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_end_is_refused() {
        assert_eq!(read(Path::new("/dev/null"), 1).unwrap(), b"");
        let error = read(Path::new("/dev/zero"), 2 << 20).unwrap_err();
        assert_eq!(error.to_string(), "is larger than 2 MiB");
    }

    #[test]
    fn what_people_commit_is_spared_however_it_is_named() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        std::fs::create_dir_all(root.join("goldens/cases")).unwrap();
        std::fs::write(root.join("driftgate.yml"), "").unwrap();
        std::os::unix::fs::symlink("driftgate.yml", root.join("link")).unwrap();
        for path in [
            "goldens/new.json",
            "goldens/cases/../cases/a.json",
            "driftgate.yml",
            "link",
            "quarantine.yaml",
        ] {
            assert!(spare_suite(&root.join(path), root).is_err(), "{path}");
        }
        for path in ["report.json", "goldens.json", "../driftgate.yml"] {
            assert!(spare_suite(&root.join(path), root).is_ok(), "{path}");
        }
    }
}
