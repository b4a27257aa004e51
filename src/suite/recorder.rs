//! Writes cassettes: each file whole or not at all, and never through a symlink.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{GOLDENS, cassettes, ids, tree};
use crate::error::InputError;
use crate::model::canonical;
use crate::model::cassette::Cassette;

/// Writes `cassette` and the completion `output` into the suite at `root`. The completion comes
/// first: at any moment a cassette that is there has an output that is there.
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
    replace(root, &output_path, output)?;
    replace(root, &path, text(cassette).as_bytes())
}

/// The text of the file that holds `cassette`: sorted keys, one a line.
#[must_use]
pub fn text(cassette: &Cassette) -> String {
    // The alternate form of a JSON value is the indented one, and its maps are sorted.
    format!("{:#}\n", canonical::value(cassette))
}

fn replace(root: &Path, path: &str, bytes: &[u8]) -> Result<(), InputError> {
    let refused = |problem: String| InputError::new(path, problem);
    let unwritable = |error: io::Error| refused(format!("cannot be written: {error}"));
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = make_folder(root, folder)?;
    let target = folder.join(name);
    match fs::symlink_metadata(&target) {
        Ok(facts) if facts.is_file() => {}
        Ok(facts) if facts.is_symlink() => {
            return Err(refused(
                "is a symlink; nothing is written through one".to_owned(),
            ));
        }
        Ok(_) => return Err(refused("is not a regular file".to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(unwritable(error)),
    }
    let mut file = tempfile::Builder::new()
        .prefix(".driftgate-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(&folder)
        .map_err(unwritable)?;
    file.write_all(bytes).map_err(unwritable)?;
    file.persist(&target)
        .map_err(|error| unwritable(error.error))?;
    Ok(())
}

/// The folder `inner` of `root`, made if it is not there.
fn make_folder(root: &Path, inner: &str) -> Result<PathBuf, InputError> {
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
