//! What git knows: the revision judged, the one it is compared with, and the files of either.
//!
//! The user's index, work tree and `.git` are only read. Files of a revision are checked out,
//! with the filters of the repository, into a folder of our own through an index of our own.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::{Error, InputError};

use super::spawn::{self, CheckoutInto};

/// A checkout that holds the root of the suite.
pub struct Repository {
    root: PathBuf,
    git_dir: PathBuf,
    /// The root from the top of the checkout, with a last `/`; empty at the top.
    prefix: String,
}

/// No setting, such as one that a change brings along in `.gitmodules`, hides a submodule.
pub(super) const NO_SUBMODULE_IGNORED: &str = "--ignore-submodules=none";

/// The mode of a link in git's lists.
pub(super) const LINK: &str = "120000";
/// The mode of a submodule.
pub(super) const SUBMODULE: &str = "160000";

/// A commit, by its full name.
pub type Commit = String;

impl Repository {
    /// The repository around `root`.
    ///
    /// # Errors
    /// What git says where there is none, none that it trusts, or no git.
    pub fn around(root: &Path) -> io::Result<Self> {
        let mut repository = Self {
            root: root.to_owned(),
            git_dir: PathBuf::new(),
            prefix: String::new(),
        };
        repository.prefix = repository.text(&["rev-parse", "--show-prefix"])?;
        repository.git_dir = repository
            .text(&["rev-parse", "--absolute-git-dir"])?
            .into();
        Ok(repository)
    }

    /// The checked-out commit, with `-dirty` if files under the root differ from it; `None`
    /// before the first commit.
    #[must_use]
    pub fn head(&self) -> Option<String> {
        let commit = self.line(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        let changes = self.run(&[
            "status",
            "--porcelain",
            "--untracked-files=normal",
            "--",
            ".",
        ]);
        let clean = changes.is_ok_and(|changes| changes.is_empty());
        Some(if clean {
            commit
        } else {
            format!("{commit}-dirty")
        })
    }

    /// The branch that HEAD is on; `None` if it is detached.
    #[must_use]
    pub fn branch(&self) -> Option<String> {
        self.line(&["symbolic-ref", "--quiet", "--short", "HEAD"])
    }

    /// The merge base with the upstream branch, if there is one.
    #[must_use]
    pub fn upstream_base(&self) -> Option<Commit> {
        let upstream = self.line(&["rev-parse", "--verify", "--quiet", "@{upstream}^{commit}"])?;
        self.line(&["merge-base", &upstream, "HEAD"])
    }

    /// The merge base of `revision` and HEAD.
    ///
    /// # Errors
    /// An input error when there is no such revision or no common ancestor; incomplete, with what
    /// to fetch, when a shallow clone hides them.
    pub fn base(&self, revision: &str) -> Result<Commit, Error> {
        let spec = format!("{revision}^{{commit}}");
        let Some(commit) = self.line(&[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &spec,
        ]) else {
            return Err(self.missing(revision, &format!("`{revision}` is no commit here")));
        };
        match self.line(&["merge-base", &commit, "HEAD"]) {
            Some(base) => Ok(base),
            None => Err(self.missing(
                revision,
                &format!("`{revision}` and HEAD have no common ancestor here"),
            )),
        }
    }

    fn missing(&self, revision: &str, problem: &str) -> Error {
        let shallow = self.line(&["rev-parse", "--is-shallow-repository"]);
        if shallow.as_deref() == Some("true") {
            return Error::Incomplete(format!(
                "{problem}, and the clone is shallow: fetch more of it, e.g. `git fetch --unshallow origin {revision}` (on GitHub: `fetch-depth: 0`)"
            ));
        }
        let error = InputError::new("", problem).field("--base");
        Error::from(error.hint("Name a branch, tag or commit that shares history with HEAD."))
    }

    /// Checks out the files of `commit` that lie under the root and match `paths` (files or
    /// folders from the root; those that the commit lacks are left out) into `folder`.
    ///
    /// # Errors
    /// When git fails, e.g. because a filter does.
    pub fn check_out(&self, commit: &str, paths: &[&str], folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let index = folder.with_extension("index");
        let full: Vec<String> = paths.iter().map(|path| self.below_top(path)).collect();
        let mut list = vec!["ls-tree", "-z", "--name-only", "--full-tree", commit, "--"];
        // Without a path everything at the top is listed.
        if !full.iter().any(String::is_empty) {
            list.extend(full.iter().map(String::as_str));
        }
        let present = self.run(&list)?;
        let present: Vec<String> = present
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
            .map(|path| format!(":(top,literal){}", String::from_utf8_lossy(path)))
            .collect();
        if !present.is_empty() {
            let into = CheckoutInto {
                git_dir: &self.git_dir,
                work_tree: folder,
                index: &index,
            };
            // The whole tree goes into the index, for attributes stand in any folder above.
            spawn::git(&self.root, &["read-tree", commit], Some(&into))?;
            let mut checkout = vec!["checkout", "--quiet", "--no-overlay", commit, "--"];
            checkout.extend(present.iter().map(String::as_str));
            spawn::git(&self.root, &checkout, Some(&into))?;
        }
        if index.exists() {
            fs::remove_file(index)
        } else {
            Ok(())
        }
    }

    /// The path from the top of the checkout of what stands at `path` from the root; `.` is the
    /// root.
    fn below_top(&self, path: &str) -> String {
        match path {
            "." => self.prefix.trim_end_matches('/').to_owned(),
            _ => format!("{}{path}", self.prefix),
        }
    }

    /// Where the root lies in a folder that [`Self::check_out`] filled.
    #[must_use]
    pub fn root_in(&self, folder: &Path) -> PathBuf {
        folder.join(&self.prefix)
    }

    /// The root from the top of the checkout, with a last `/`; empty at the top.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The files under the root that differ between `commit` and the working tree, from the root,
    /// sorted; those git ignores left out. Bytes that are no UTF-8 are replaced.
    ///
    /// # Errors
    /// When git fails.
    pub fn changed_since(&self, commit: &str) -> io::Result<Vec<String>> {
        let untracked = [
            "ls-files",
            "-z",
            "--others",
            "--exclude-standard",
            "--",
            ".",
        ];
        let mut paths = BTreeSet::from_iter(self.names(&untracked)?);
        let changed = self.diff(&["--name-only", "--relative"], commit, ".")?;
        paths.extend(names_in(&changed));
        Ok(paths.into_iter().collect())
    }

    /// The files below `folder`, from the top of the repository, that differ between `commit` and
    /// the working tree, from the top.
    ///
    /// # Errors
    /// When git fails.
    pub fn changed_above(&self, commit: &str, folder: &str) -> io::Result<Vec<String>> {
        let folder = format!(":(top,literal){folder}");
        let changed = self.diff(&["--name-only", "--no-relative"], commit, &folder)?;
        Ok(names_in(&changed).collect())
    }

    /// What differs at `path` between `commit` and the working tree, listed as `how` says, each
    /// part ended by NUL.
    pub(super) fn diff(&self, how: &[&str], commit: &str, path: &str) -> io::Result<Vec<u8>> {
        let mut args = vec![
            "diff",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            NO_SUBMODULE_IGNORED,
        ];
        args.extend(how);
        args.extend([commit, "--", path]);
        self.run(&args)
    }

    /// The files below `folder`, from the root, that are in the index.
    ///
    /// # Errors
    /// When git fails.
    pub fn tracked(&self, folder: &str) -> io::Result<Vec<String>> {
        self.names(&["ls-files", "-z", "--cached", "--", folder])
    }

    /// The names that git lists, each ended by NUL. Bytes that are no UTF-8 are replaced.
    pub(super) fn names(&self, args: &[&str]) -> io::Result<Vec<String>> {
        Ok(names_in(&self.run(args)?).collect())
    }

    pub(super) fn run(&self, args: &[&str]) -> io::Result<Vec<u8>> {
        spawn::git(&self.root, args, None)
    }

    /// The one line that git prints; `None` if it fails or prints anything that is no text.
    pub(super) fn line(&self, args: &[&str]) -> Option<String> {
        self.text(args).ok()
    }

    pub(super) fn text(&self, args: &[&str]) -> io::Result<String> {
        let text = String::from_utf8(self.run(args)?);
        let text = text.map_err(|_| io::Error::other("git printed what is no text"))?;
        Ok(text.trim_end_matches('\n').to_owned())
    }
}

/// The names in a list of git's, each ended by NUL.
fn names_in(listed: &[u8]) -> impl Iterator<Item = String> {
    let names = listed.split(|byte| *byte == 0);
    let names = names.filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(name).into_owned())
}
