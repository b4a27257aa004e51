//! What leads from a path of a checkout to content elsewhere: links and submodules. A path alone
//! does not say what such a file was at another commit.

use std::io;
use std::path::Path;

use super::git::{Commit, LINK, Repository, SUBMODULE};

/// A submodule of a commit.
pub(super) struct Submodule {
    /// Its path from the root.
    pub(super) path: String,
    /// The commit of its own that belongs there.
    commit: Commit,
}

/// What leads elsewhere in a commit, below the root.
#[derive(Default)]
pub struct Detours {
    has_links: bool,
    submodules: Vec<Submodule>,
}

impl Detours {
    /// Those of `commit` in or above `paths`, from the root. A folder is looked at from the top on,
    /// for a link may stand anywhere in its path.
    ///
    /// # Errors
    /// When git fails.
    pub fn of(repository: &Repository, commit: &str, paths: &[&str]) -> io::Result<Self> {
        let mut detours = Self::default();
        let tops = paths
            .iter()
            .map(|path| path.split('/').next().unwrap_or(path));
        let mut list = vec!["ls-tree", "-r", "-z", commit, "--"];
        list.extend(tops);
        // `MODE TYPE OBJECT\tPATH`, paths from the root.
        for entry in repository.names(&list)? {
            let Some((facts, path)) = entry.split_once('\t') else {
                continue;
            };
            match facts.split(' ').collect::<Vec<_>>().as_slice() {
                [LINK, ..] => detours.has_links = true,
                [SUBMODULE, _, commit] => detours.submodules.push(Submodule {
                    path: path.to_owned(),
                    commit: (*commit).to_owned(),
                }),
                _ => {}
            }
        }
        Ok(detours)
    }

    /// Whether there is any.
    #[must_use]
    pub fn exist(&self) -> bool {
        self.has_links || !self.submodules.is_empty()
    }

    /// Puts the files of the submodules into `folder`, where the rest of the commit lies, as far
    /// as they are here. Returns those that are not.
    pub(super) fn check_out(&self, root: &Path, folder: &Path) -> Vec<String> {
        let missing = |it: &&Submodule| !it.is_checked_out(root, folder);
        let missing = self.submodules.iter().filter(missing);
        missing.map(|it| it.path.clone()).collect()
    }
}

impl Submodule {
    fn is_checked_out(&self, root: &Path, folder: &Path) -> bool {
        // A folder that nobody initialized belongs to the repository around it.
        let own = Repository::around(&root.join(&self.path)).ok();
        let own = own.filter(|own| own.prefix().is_empty());
        let into = folder.join(&self.path);
        own.is_some_and(|own| own.check_out(&self.commit, &["."], &into).is_ok())
    }
}

/// Whether `path`, from `root`, which has no link in its own name, is reached through a link,
/// tracked or not. What is not there is no link.
pub(super) fn is_detour(root: &Path, path: &str) -> bool {
    let plain = root.join(path);
    plain.canonicalize().is_ok_and(|there| there != plain)
}
