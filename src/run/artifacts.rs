//! What a run leaves for a person under `.driftgate/runs/<n>/`: its report, and for every red row
//! the source that was judged, the evidence and one command to see it again.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// How many runs are kept.
const KEPT: usize = 20;

/// The folder of a run until it is whole.
const NEW: &str = ".new";

/// One red row.
pub struct Exhibit {
    /// The folder's name.
    pub name: String,
    /// File names and contents.
    pub files: Vec<(&'static str, Vec<u8>)>,
}

/// Writes a new run with `files` and `exhibits` below `folder` and forgets the oldest ones.
///
/// # Errors
/// When the folder cannot be written.
pub fn keep(folder: &Path, files: &[(&str, Vec<u8>)], exhibits: &[Exhibit]) -> io::Result<PathBuf> {
    let new = folder.join(NEW);
    match fs::remove_dir_all(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => fs::create_dir_all(&new)?,
    }
    for (name, bytes) in files {
        fs::write(new.join(name), bytes)?;
    }
    for exhibit in exhibits {
        let place = new.join(&exhibit.name);
        fs::create_dir_all(&place)?;
        for (name, bytes) in &exhibit.files {
            fs::write(place.join(name), bytes)?;
        }
    }
    let mut numbers = numbers(folder)?;
    let run = folder.join(numbers.last().map_or(1, |last| last + 1).to_string());
    fs::rename(&new, &run)?;
    let surplus = (numbers.len() + 1).saturating_sub(KEPT);
    for old in numbers.drain(..surplus) {
        fs::remove_dir_all(folder.join(old.to_string()))?;
    }
    Ok(run)
}

/// The runs that are there, oldest first.
fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        numbers.extend(
            entry?
                .file_name()
                .to_str()
                .and_then(|name| name.parse::<u64>().ok()),
        );
    }
    numbers.sort_unstable();
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_numbered_and_only_the_last_are_kept() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("runs");
        let exhibit = || Exhibit {
            name: "a".into(),
            files: vec![("candidate.cpp", b"x".to_vec())],
        };
        for number in 1..=KEPT + 3 {
            // A run that was killed here left something.
            fs::create_dir_all(folder.join(NEW).join("b")).unwrap();
            let run = keep(&folder, &[("report.json", b"{}".to_vec())], &[exhibit()]).unwrap();
            assert_eq!(run, folder.join(number.to_string()));
            assert_eq!(fs::read(run.join("a/candidate.cpp")).unwrap(), b"x");
            assert!(!run.join("b").exists());
        }
        let kept = numbers(&folder).unwrap();
        assert_eq!((kept.len(), kept[0]), (KEPT, 4));
    }
}
