//! Where `init` writes: looked at before anything is spent, and never written over.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::error::InputError;
use crate::suite::{GOLDENS, config, recorder};
use crate::whole_file::Staged;

/// The workflow, from the top of the checkout.
pub(super) const WORKFLOW: &str = ".github/workflows/gate.yml";

/// What of the three that `init` makes is missing.
#[derive(Debug)]
pub(super) struct Places {
    /// The root of the suite.
    pub(super) root: PathBuf,
    /// The top of the checkout: the only place where GitHub reads workflows.
    pub(super) top: PathBuf,
    /// The root from the top; empty where they are the same.
    pub(super) inner: String,
    /// Whether there is no suite.
    pub(super) suite: bool,
    /// Whether there are no settings.
    pub(super) config: bool,
    /// Whether there is no workflow.
    pub(super) workflow: bool,
}

impl Places {
    /// Looks at `root` and the checkout around it.
    ///
    /// # Errors
    /// All that stands in the way: files where folders should be, the reverse, and links, through
    /// which nothing is written.
    pub(super) fn look(root: &Path) -> Result<Self, Vec<InputError>> {
        let shown = root.display().to_string();
        let here = root.canonicalize();
        let here = here.map_err(|error| vec![InputError::new(shown, error.to_string())])?;
        let top = here.ancestors().find(|folder| folder.join(".git").exists());
        let top = top.unwrap_or(&here).to_owned();
        let inner = inner(&here, &top).map_err(|error| vec![error])?;
        let mut faults = Vec::new();
        let mut missing = |base: &Path, path: &str, is_folder| {
            is_missing(base, path, is_folder).unwrap_or_else(|fault| {
                faults.push(fault);
                false
            })
        };
        let places = Self {
            suite: missing(&here, GOLDENS, true),
            config: missing(&here, config::FILE, false),
            workflow: missing(&top, WORKFLOW, false),
            root: here,
            top,
            inner,
        };
        if faults.is_empty() {
            Ok(places)
        } else {
            Err(faults)
        }
    }

    /// What is there, or is not, by the names that people know.
    pub(super) fn listed(&self, are_missing: bool) -> Vec<String> {
        let workflow = match self.inner.as_str() {
            "" => WORKFLOW.to_owned(),
            _ => self.top.join(WORKFLOW).display().to_string(),
        };
        let all = [
            (self.suite, format!("{GOLDENS}/")),
            (self.config, config::FILE.to_owned()),
            (self.workflow, workflow),
        ];
        let wanted = all
            .into_iter()
            .filter(|(missing, _)| *missing == are_missing);
        wanted.map(|(_, name)| name).collect()
    }

    /// Puts a suite of `files` into place, whole: its folder is made elsewhere in the root, in
    /// `folder`, and renamed.
    ///
    /// # Errors
    /// When a disk refuses, or a suite has come up meanwhile.
    pub(super) fn place_suite(
        &self,
        folder: &Path,
        files: &[(String, Vec<u8>)],
    ) -> Result<(), InputError> {
        let unwritable = |error| unwritable(GOLDENS, &error);
        let draft = folder.join("init");
        remove(&draft).map_err(unwritable)?;
        for (path, bytes) in files {
            let path = draft.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&draft)).map_err(unwritable)?;
            crate::whole_file::write(&path, bytes).map_err(unwritable)?;
        }
        // Takes the place of nothing and of an empty folder; anything else there is an error.
        let placed = fs::rename(&draft, self.root.join(GOLDENS));
        placed.map_err(|error| {
            // It says more than what is left behind, which the next `init` removes too.
            let _ = remove(&draft);
            unwritable(error)
        })
    }

    /// Puts the settings into place.
    ///
    /// # Errors
    /// When a disk refuses, or a file has come up meanwhile.
    pub(super) fn place_config(&self, folder: &Path, bytes: &[u8]) -> Result<(), InputError> {
        place(&self.root, config::FILE, folder, bytes)
    }

    /// Puts the workflow into place.
    ///
    /// # Errors
    /// When a disk refuses, or a file has come up meanwhile.
    pub(super) fn place_workflow(&self, folder: &Path, bytes: &[u8]) -> Result<(), InputError> {
        place(&self.top, WORKFLOW, folder, bytes)
    }
}

/// `here` from `top`, as it can stand in a workflow.
fn inner(here: &Path, top: &Path) -> Result<String, InputError> {
    let inner = here.strip_prefix(top).unwrap_or(Path::new(""));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/-".contains(c);
    let text = inner.to_str().filter(|text| text.chars().all(is_plain));
    text.map(str::to_owned).ok_or_else(|| {
        let problem = "cannot be named in a workflow: expected letters, digits and any of `._/-`";
        InputError::new(inner.display().to_string(), problem)
    })
}

/// Whether nothing is at `path` of `base`, or only an empty folder where one should be.
fn is_missing(base: &Path, path: &str, is_folder: bool) -> Result<bool, InputError> {
    let segments: Vec<_> = path.split('/').collect();
    for count in 1..=segments.len() {
        let shown = segments.get(..count).unwrap_or_default().join("/");
        let at = base.join(&shown);
        let facts = match fs::symlink_metadata(&at) {
            Ok(facts) => facts,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(InputError::new(shown, format!("cannot be read: {error}"))),
        };
        let wants_folder = is_folder || count < segments.len();
        let problem = match (facts.is_symlink(), wants_folder) {
            (true, _) => "is a symlink; nothing is written through one",
            (false, true) if !facts.is_dir() => "is in the way: expected a folder or nothing",
            (false, false) if !facts.is_file() => "is in the way: expected a file or nothing",
            (false, _) => continue,
        };
        return Err(
            InputError::new(shown, problem).hint("Move it, and run `driftgate init` again.")
        );
    }
    let is_empty = |folder: &Path| fs::read_dir(folder).is_ok_and(|mut all| all.next().is_none());
    Ok(is_folder && is_empty(&base.join(path)))
}

/// Writes `bytes` to a file in `folder` and puts that at `path` of `base`, where nothing is.
fn place(base: &Path, path: &str, folder: &Path, bytes: &[u8]) -> Result<(), InputError> {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let target = recorder::make_folder(base, parent)?.join(name);
    let placed = Staged::new(folder, bytes).and_then(|staged| {
        staged.sync()?;
        staged.place_new(&target)
    });
    placed.map_err(|error| unwritable(path, &error))
}

/// Removes a folder with all that is in it, if it is there.
fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn unwritable(path: &str, error: &io::Error) -> InputError {
    InputError::new(path, format!("cannot be written: {error}"))
}
