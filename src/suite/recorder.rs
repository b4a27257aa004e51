//! Writes cassettes: each file whole or not at all, and never through a symlink.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{GOLDENS, cassettes, ids, tree};
use crate::error::InputError;
use crate::model::canonical;
use crate::model::cassette::Cassette;
use crate::whole_file::{self, Staged};

/// Writes `cassette` and the completion `output` into the suite at `root`. The completion comes
/// first: at any moment a cassette that is there has an output that is there. Both are written
/// before either takes its place, so that hardly any moment is left for them to differ in; should
/// a crash find it, the hash in the cassette tells, and to record again mends it.
///
/// # Errors
/// The case is no id, the output would lie outside `goldens/`, a file or folder on the way is a
/// symlink, or the disk refuses.
pub fn write(root: &Path, cassette: &Cassette, output: &[u8]) -> Result<(), InputError> {
    let path = cassettes::path_of(&cassette.case);
    ids::check(&cassette.case)
        .map_err(|problem| InputError::new(path.as_str(), problem).field("case"))?;
    let inner = tree::inside(&cassette.output).map_err(|problem| {
        let problem = format!("`{}` {problem}", cassette.output.escape_debug());
        InputError::new(path.as_str(), problem).field("output")
    })?;
    let output_path = format!("{GOLDENS}/{inner}");
    if output_path == path {
        let problem = "the output and the cassette cannot be one file";
        return Err(InputError::new(path, problem).field("output"));
    }
    let output = Written::new(root, &output_path, output)?;
    let cassette = Written::new(root, &path, text(cassette).as_bytes())?;
    output.place()?;
    cassette.place()
}

/// Removes what a killed run left in the suite at `root` of cassettes that it never finished.
pub fn sweep(root: &Path) {
    whole_file::sweep(&root.join(cassettes::FOLDER));
}

/// The text of the file that holds `cassette`: sorted keys, one a line.
#[must_use]
pub fn text(cassette: &Cassette) -> String {
    // The alternate form of a JSON value is the indented one, and its maps are sorted.
    format!("{:#}\n", canonical::value(cassette))
}

/// A file of the suite that is written and not yet in its place.
struct Written<'a> {
    staged: Staged,
    path: &'a str,
    target: PathBuf,
}

impl<'a> Written<'a> {
    /// Writes `bytes` for the file at `path` of the suite at `root`. It waits in the folder of
    /// cassettes wherever it belongs: there [`sweep`] looks.
    fn new(root: &Path, path: &'a str, bytes: &[u8]) -> Result<Self, InputError> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let target = make_folder(root, folder)?.join(name);
        match fs::symlink_metadata(&target) {
            Ok(facts) if facts.is_file() => {}
            Ok(facts) if facts.is_symlink() => {
                let problem = "is a symlink; nothing is written through one";
                return Err(InputError::new(path, problem));
            }
            Ok(_) => return Err(InputError::new(path, "is not a regular file")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(unwritable(path, &error)),
        }
        let waiting = make_folder(root, cassettes::FOLDER)?;
        let staged = Staged::new(&waiting, bytes)
            .and_then(|staged| staged.sync().map(|()| staged))
            .map_err(|error| unwritable(path, &error))?;
        Ok(Self {
            staged,
            path,
            target,
        })
    }

    fn place(self) -> Result<(), InputError> {
        let placed = self.staged.place(&self.target);
        placed.map_err(|error| unwritable(self.path, &error))
    }
}

fn unwritable(path: &str, error: &io::Error) -> InputError {
    InputError::new(path, format!("cannot be written: {error}"))
}

/// The folder `inner` of `root`, made if it is not there.
///
/// # Errors
/// It cannot be made, or something on the way is no folder.
pub fn make_folder(root: &Path, inner: &str) -> Result<PathBuf, InputError> {
    let mut folder = root.to_owned();
    let mut shown = String::new();
    for segment in inner.split('/').filter(|segment| !segment.is_empty()) {
        folder.push(segment);
        shown.push_str(if shown.is_empty() { "" } else { "/" });
        shown.push_str(segment);
        let made = match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        };
        made.map_err(|e| InputError::new(shown.as_str(), format!("cannot be made: {e}")))?;
        let facts = fs::symlink_metadata(&folder)
            .map_err(|e| InputError::new(shown.as_str(), format!("cannot be read: {e}")))?;
        if facts.is_symlink() {
            let problem = "is a symlink; nothing is written through one";
            return Err(InputError::new(shown, problem));
        }
        if !facts.is_dir() {
            return Err(InputError::new(shown, "expected a folder"));
        }
    }
    Ok(folder)
}
