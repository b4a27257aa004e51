//! The files of the suite that a grader declares: found by globs, read and hashed.

use std::collections::BTreeMap;

use super::GOLDENS;
use super::globs::{self, Star};
use super::parse::Source;
use super::tree::{self, Tree};
use crate::error::InputError;
use crate::model::case::SourceFile;
use crate::model::digest::Digest;

/// The field of a grader's file that holds the globs.
const FIELD: &str = "inputs";
const MOST_FILES: usize = 2_000;
const MOST_BYTES: usize = 64 << 20;

/// The files that `globs`, relative to the goldens, match in `tree`, sorted by path. `*` stays in
/// its folder and `**` does not; hidden files are matched only by their full path.
///
/// # Errors
/// A glob is malformed, leaves the goldens or matches nothing; a file cannot be read; together
/// they are too many or too large.
pub(super) fn load(
    tree: &dyn Tree,
    source: &Source<'_>,
    globs: &[String],
) -> Result<Vec<SourceFile>, InputError> {
    let mut files = BTreeMap::<String, SourceFile>::new();
    let mut bytes = 0_usize;
    for glob in globs {
        let refuse = |problem: &str| {
            let problem = format!("`{}` {problem}", glob.escape_debug());
            source.fault(FIELD, problem)
        };
        let hint = format!("inputs are relative to {GOLDENS}/; what a glob names must exist");
        let inner = tree::inside(glob).map_err(refuse)?;
        let mut found = false;
        for beside in matching(tree, &inner).map_err(|error| refuse(&told(&error)))? {
            if files.contains_key(&beside) {
                found = true;
                continue;
            }
            let path = format!("{GOLDENS}/{beside}");
            let Some(content) = tree.read(&path).map_err(|error| refuse(&told(&error)))? else {
                continue;
            };
            found = true;
            bytes += content.len();
            let file = SourceFile {
                path,
                beside: beside.clone(),
                digest: Digest::of(&content),
                bytes: content.into(),
            };
            files.insert(beside, file);
            if files.len() > MOST_FILES || bytes > MOST_BYTES {
                let most = MOST_BYTES >> 20;
                let problem = format!("makes them more than {MOST_FILES} files or {most} MiB");
                return Err(refuse(&problem).hint("declare only what the grader reads"));
            }
        }
        if !found {
            return Err(refuse("matches no file").hint(hint));
        }
    }
    Ok(files.into_values().collect())
}

/// The paths, relative to the goldens, that `glob` names.
fn matching(tree: &dyn Tree, glob: &str) -> Result<Vec<String>, InputError> {
    let is_open = |segment: &str| segment.contains(['*', '?', '[', ']', '{', '}', '\\']);
    if !is_open(glob) {
        return Ok(vec![glob.to_owned()]);
    }
    let matcher =
        globs::matcher(glob, Star::InFolder).map_err(|problem| InputError::new("", problem))?;
    let fixed = glob.split('/').take_while(|segment| !is_open(segment));
    let folder: Vec<&str> = std::iter::once(GOLDENS).chain(fixed).collect();
    let paths = tree.list(&folder.join("/"))?;
    let inner = paths
        .iter()
        .filter_map(|path| path.strip_prefix(GOLDENS)?.strip_prefix('/'));
    Ok(inner
        .filter(|path| matcher.is_match(path))
        .map(str::to_owned)
        .collect())
}

/// A complaint about a file, as the end of a sentence that begins with the glob.
fn told(error: &InputError) -> String {
    match error.path.strip_prefix(GOLDENS) {
        Some(inner) => format!(
            "names `{}`, which {}",
            inner.trim_start_matches('/'),
            error.problem
        ),
        None => error.problem.clone(),
    }
}
