//! The folders of the checkout that the tree's own graders look at, read once each.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::tree::Tree;
use crate::error::InputError;
use crate::model::source_tree::{SourceText, SourceTree};

/// Reads folders of a tree, each set of them once.
pub(super) struct SourceTrees<'a> {
    tree: &'a dyn Tree,
    folders: BTreeMap<String, Folder>,
    joined: BTreeMap<Vec<String>, Arc<SourceTree>>,
}

type Folder = Arc<BTreeMap<String, SourceText>>;

impl<'a> SourceTrees<'a> {
    /// Reads from `tree`.
    pub(super) fn new(tree: &'a dyn Tree) -> Self {
        Self {
            tree,
            folders: BTreeMap::new(),
            joined: BTreeMap::new(),
        }
    }

    /// Every file below `folders`, `.` being the root; a folder that is not there has none. What
    /// no compiler could read either (special files, links that leave the root, files too large
    /// for a source) is not there.
    ///
    /// # Errors
    /// When a folder cannot be listed.
    pub(super) fn of(&mut self, folders: &[String]) -> Result<Arc<SourceTree>, InputError> {
        let mut key = folders.to_vec();
        key.sort();
        key.dedup();
        if let Some(known) = self.joined.get(&key) {
            return Ok(Arc::clone(known));
        }
        let mut files = BTreeMap::new();
        for folder in &key {
            let folder = self.folder(folder)?;
            files.extend(
                folder
                    .iter()
                    .map(|(path, text)| (path.clone(), text.clone())),
            );
        }
        let tree = Arc::new(SourceTree::new(files));
        self.joined.insert(key, Arc::clone(&tree));
        Ok(tree)
    }

    fn folder(&mut self, folder: &str) -> Result<Folder, InputError> {
        if let Some(known) = self.folders.get(folder) {
            return Ok(Arc::clone(known));
        }
        let listed = match folder {
            "." => self.tree.list("")?,
            _ => self.tree.list(folder)?,
        };
        let mut files = BTreeMap::new();
        for path in listed {
            if let Ok(Some(bytes)) = self.tree.read(&path) {
                files.insert(path, SourceText::new(bytes));
            }
        }
        let files = Arc::new(files);
        self.folders.insert(folder.to_owned(), Arc::clone(&files));
        Ok(files)
    }
}

/// `path` without `.`, doubled slashes and a last slash; `.` is the root.
pub(super) fn normal(path: &str) -> Result<String, &'static str> {
    match path.trim_end_matches('/') {
        "." | "./." => Ok(".".to_owned()),
        _ => super::tree::inside(path),
    }
}
