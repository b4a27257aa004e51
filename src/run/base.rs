//! The suite as it stands at the base: read through git, never from the branch under test.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::error::{Error, InputError};
use crate::suite::{GOLDENS, Suite, WorkingTree, config, quarantine};

use super::detours::Detours;
use super::git::Repository;

/// What a suite consists of, from its root.
const PATHS: [&str; 3] = [GOLDENS, config::FILE, quarantine::FILE];

/// The base's side.
#[derive(Default)]
pub struct Loaded {
    /// The suite at the base; `None` if there is no base, or none that can be read.
    pub suite: Option<Suite>,
    /// Why a base that exists is not used.
    pub note: Option<String>,
    /// Where all of the base lies, if links or submodules lead through it: then what a path says
    /// there is to be read and not to be inferred.
    pub whole: Option<PathBuf>,
}

/// Checks out the suite at `commit` below `scratch` and loads it. A base whose own suite is
/// broken is left out with a note: whoever mends it must be able to merge.
///
/// # Errors
/// When git cannot check it out.
pub fn load(
    (repository, here): (&Repository, &Path),
    commit: &str,
    scratch: &Path,
) -> Result<Loaded, Error> {
    let folder = scratch.join("base");
    check_out(repository, commit, &PATHS, &folder)?;
    let root = repository.root_in(&folder);
    std::fs::create_dir_all(&root).with_context(|| format!("cannot make {}", root.display()))?;
    let tree = WorkingTree::open(&root)?;
    let sources = Suite::source_folders(&tree);
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    // What only head looks at was there too, perhaps.
    let of_head = Suite::source_folders(&WorkingTree::open(here)?);
    let of_head = of_head.iter().map(String::as_str);
    let paths: Vec<&str> = PATHS
        .into_iter()
        .chain(of_head)
        .chain(sources.iter().copied())
        .collect();
    let detours = Detours::of(repository, commit, &paths).map_err(|error| lost(commit, &error))?;
    let mut missing = Vec::new();
    if detours.exist() {
        check_out(repository, commit, &["."], &folder)?;
        let all = Detours::of(repository, commit, &["."]).map_err(|error| lost(commit, &error))?;
        missing = all.check_out(here, &root);
    } else if !sources.is_empty() {
        check_out(repository, commit, &sources, &folder)?;
    }
    match Suite::load_with_orphans(&WorkingTree::open(&root)?) {
        Ok(suite) => Ok(Loaded {
            suite: Some(suite),
            note: None,
            whole: detours.exist().then_some(root),
        }),
        // Not broken, but out of sight: to compare with the cassettes alone would let the change
        // rewrite what it is compared with.
        Err(_) if !missing.is_empty() => Err(Error::Incomplete(format!(
            "the base {commit} needs submodules that are not here: {}\n    Check them out, with the history up to the base: `git submodule update --init` (on GitHub: `submodules: true` and `fetch-depth: 0`).",
            missing.join(", ")
        ))),
        Err(errors) => {
            let first = errors.first().map(ToString::to_string).unwrap_or_default();
            let note = format!(
                "the suite at the base {commit} cannot be read, so the cassettes alone are compared with ({first})"
            );
            Ok(Loaded {
                suite: None,
                note: Some(note),
                whole: None,
            })
        }
    }
}

/// Checks out what lies at `paths` at `commit` into `folder`.
///
/// # Errors
/// Incomplete, with git's reason.
pub(super) fn check_out(
    repository: &Repository,
    commit: &str,
    paths: &[&str],
    folder: &Path,
) -> Result<(), Error> {
    let checked_out = repository.check_out(commit, paths, folder);
    checked_out.map_err(|error| lost(commit, &error))
}

/// What a base that cannot be had comes to.
pub(super) fn lost(commit: &str, error: &std::io::Error) -> Error {
    Error::Incomplete(format!("the base {commit} cannot be checked out: {error}"))
}

/// Refuses recordings without a case, unless the base had the case: then it was removed.
///
/// # Errors
/// One for every other such recording.
pub fn refuse_orphans(suite: &Suite, base: Option<&Suite>) -> Result<(), Error> {
    let had = |id: &String| base.is_some_and(|base| base.case(id).is_some());
    let ids = suite.cases.iter().map(|case| case.id.as_str());
    let removed = suite
        .recordings
        .keys()
        .filter(|id| had(id))
        .map(String::as_str);
    let known: Vec<&str> = ids.chain(removed).collect();
    let errors: Vec<InputError> = crate::suite::cassettes::orphans(&suite.recordings, known);
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Error::Input(errors))
    }
}
