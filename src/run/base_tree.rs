//! A tree of sources as it stood at the base: what head has, with every file that the change
//! touched as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::error::Error;
use crate::model::source_tree::{SourceText, SourceTree};
use crate::model::tree_path::{ATTRIBUTES, below};
use crate::suite::{Suite, Tree as _, WorkingTree};

use super::base;
use super::detours::is_detour;
use super::git::Repository;

/// Above this many files the base's whole folders are read: a command line has an end.
const MOST_PATHS: usize = 500;

/// Whether what `head`, read at `root`, holds may not be what its paths say: it is reached through
/// links or lies in a repository of its own, or git was told to write files otherwise.
#[must_use]
pub fn leads_elsewhere(root: &Path, head: &SourceTree, changed: &BTreeSet<String>) -> bool {
    let is_odd = |path: &String| path.ends_with('/') || path.ends_with(ATTRIBUTES);
    // A link in the path of a folder is one in the path of its files.
    let is_behind_link = |root: &Path| head.files().keys().any(|path| is_detour(root, path));
    changed.iter().any(is_odd) || root.canonicalize().is_ok_and(|root| is_behind_link(&root))
}

/// What lies below `folders` in the whole base at `root`.
///
/// # Errors
/// When a folder cannot be listed.
pub fn read(root: &Path, folders: &[String]) -> Result<Arc<SourceTree>, Error> {
    let tree = WorkingTree::open(root)?;
    Ok(Suite::sources(&tree, folders)?)
}

/// The tree that `head` was at `commit`, where `changed` are the files that differ since, from the
/// root. Files that git ignores, such as generated headers, are taken to be the same.
///
/// # Errors
/// When git cannot check out what was there.
pub fn at_base(
    repository: &Repository,
    commit: &str,
    (head, folders): (&Arc<SourceTree>, &[String]),
    changed: &BTreeSet<String>,
    scratch: &Path,
) -> Result<Arc<SourceTree>, Error> {
    let within = |path: &&String| folders.iter().any(|folder| below(path, folder).is_some());
    let touched: Vec<&str> = changed.iter().filter(within).map(String::as_str).collect();
    if touched.is_empty() {
        return Ok(Arc::clone(head));
    }
    let whole: Vec<&str> = folders.iter().map(String::as_str).collect();
    let paths = match touched.len() > MOST_PATHS {
        true => &whole,
        false => &touched,
    };
    let folder = scratch.join("base-tree");
    base::check_out(repository, commit, paths, &folder)?;
    let root = repository.root_in(&folder);
    std::fs::create_dir_all(&root).map_err(|error| base::lost(commit, &error))?;
    let tree = WorkingTree::open(&root)?;
    let mut files: BTreeMap<String, SourceText> = head.files().clone();
    for path in touched {
        match tree.read(path) {
            Ok(Some(bytes)) => files.insert(path.to_owned(), SourceText::new(bytes)),
            Ok(None) | Err(_) => files.remove(path),
        };
    }
    Ok(Arc::new(SourceTree::new(files)))
}
