//! The ledger: a line a run, appended and never rewritten.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

/// The folder, in that of a checkout's runs.
const FOLDER: &str = "ledger";
/// The file of runs in it.
const FILE: &str = "runs.jsonl";
/// The most bytes that are read back from the end, for the tail that a crash tore.
const MOST_TAIL: u64 = 1 << 20;

/// Adds `line`, which has its end, to the runs in the folder `workspace`. Written at once, so that
/// a crash tears at most the line itself. Returns the bytes of such a torn line, which are taken out.
///
/// # Errors
/// When the file cannot be written, or is a link or no file.
pub fn add(workspace: &Path, line: &str) -> io::Result<u64> {
    let folder = workspace.join(FOLDER);
    match fs::create_dir(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ if !fs::symlink_metadata(&folder)?.is_dir() => {
            return Err(io::Error::other("its folder is none"));
        }
        _ => {}
    }
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .custom_flags(i32::try_from(flags).unwrap_or_default())
        .open(folder.join(FILE))?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let torn = mend(&mut file)?;
    file.write_all(line.as_bytes())?;
    Ok(torn)
}

/// Takes out what stands behind the last end of a line, and says how many bytes that were.
fn mend(file: &mut File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let start = length.saturating_sub(MOST_TAIL);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    Read::by_ref(file).take(MOST_TAIL).read_to_end(&mut tail)?;
    let whole = tail.iter().rposition(|byte| *byte == b'\n');
    let torn = match whole {
        Some(end) => tail.len() - end - 1,
        None if start == 0 => tail.len(),
        None => return Err(io::Error::other("its last line is longer than any of ours")),
    };
    let torn = torn as u64;
    if torn > 0 {
        file.set_len(length - torn)?;
    }
    Ok(torn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_follow_each_other_and_a_torn_one_is_taken_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger/runs.jsonl");
        let torn = |line: &str| add(folder.path(), line).unwrap();
        assert_eq!((torn("one\n"), torn("two\n")), (0, 0));
        fs::write(&path, "one\ntwo\nthr").unwrap();
        assert_eq!(torn("four\n"), 3);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\nfour\n");
        fs::write(&path, "on").unwrap();
        assert_eq!(torn("two\n"), 2);
        assert_eq!(fs::read_to_string(&path).unwrap(), "two\n");
    }

    #[test]
    fn what_is_no_ledger_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        let ledger = folder.path().join("ledger");
        fs::create_dir(&ledger).unwrap();
        std::os::unix::fs::symlink(&victim, ledger.join("runs.jsonl")).unwrap();
        assert!(add(folder.path(), "line\n").is_err());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        fs::remove_file(ledger.join("runs.jsonl")).unwrap();
        let long = "x".repeat(usize::try_from(MOST_TAIL).unwrap() + 1);
        fs::write(ledger.join("runs.jsonl"), &long).unwrap();
        assert!(add(folder.path(), "line\n").is_err());
        fs::remove_dir_all(&ledger).unwrap();
        std::os::unix::fs::symlink(folder.path(), &ledger).unwrap();
        assert!(add(folder.path(), "line\n").is_err());
    }
}
