//! The environment of our own process: the only file that reads variables, the current folder
//! and the temporary folder.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// Where programs are looked for if `PATH` is not set, and all a candidate is given.
pub const BASE_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The variable `name`; `None` if it is not set or not UTF-8.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads variables"
)]
pub fn var(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// The variable `name`, whatever its bytes.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads variables"
)]
pub fn var_os(name: &str) -> Option<OsString> {
    env::var_os(name)
}

/// The current folder.
///
/// # Errors
/// If it is gone or unreadable.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the current folder"
)]
pub fn current_dir() -> io::Result<PathBuf> {
    env::current_dir()
}

/// The folder for temporary files.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the temporary folder"
)]
pub fn temp_dir() -> PathBuf {
    env::temp_dir()
}

/// `PATH`, with only its absolute entries: an entry such as `.` would mean another folder in
/// every scratch tree, and one that a candidate can fill.
#[must_use]
pub fn search_path() -> String {
    absolute_entries(var("PATH").as_deref().unwrap_or(BASE_PATH))
}

/// The first executable file called `name` on the search path; a `name` with a slash is taken
/// as a path. The result is absolute, and symbolic links in it are kept.
#[must_use]
pub fn find_program(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        let path = current_dir().ok()?.join(name);
        return is_program(&path).then_some(path);
    }
    let path = search_path();
    env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|path| is_program(path))
}

/// Whether we may execute the file at `path`.
fn is_program(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

fn absolute_entries(path: &str) -> String {
    let entries: Vec<_> = path
        .split(':')
        .filter(|entry| entry.starts_with('/'))
        .collect();
    if entries.is_empty() {
        BASE_PATH.to_owned()
    } else {
        entries.join(":")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_entries_of_the_path_are_kept() {
        assert_eq!(absolute_entries(".:/a::b:/c/d:"), "/a:/c/d");
        assert_eq!(absolute_entries(""), BASE_PATH);
    }

    #[test]
    fn a_program_is_an_executable_file_on_the_path() {
        assert!(find_program("sh").is_some_and(|path| path.is_absolute()));
        assert_eq!(find_program("/bin/sh"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(find_program("no-such-program-anywhere"), None);
        assert_eq!(find_program("/etc/passwd"), None);
        assert_eq!(find_program("/bin"), None);
    }
}
