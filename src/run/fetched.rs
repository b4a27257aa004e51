//! What a checkout of a CI job lacks, and what it holds instead: one commit and little history.

use std::collections::BTreeSet;
use std::io;

use super::git::{Commit, NO_SUBMODULE_IGNORED, Repository};

impl Repository {
    /// The checked-out commit; `None` before the first one.
    #[must_use]
    pub fn commit(&self) -> Option<Commit> {
        self.line(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
    }

    /// The parents of the checked-out commit, also those that a shallow clone lacks.
    #[must_use]
    pub fn parents(&self) -> Vec<Commit> {
        let raw = self
            .text(&["cat-file", "commit", "HEAD"])
            .unwrap_or_default();
        let header = raw.lines().take_while(|line| !line.is_empty());
        header
            .filter_map(|line| line.strip_prefix("parent "))
            .map(str::to_owned)
            .collect()
    }

    /// Makes sure that `commit` is here, with its files: fetches it alone if it is not.
    ///
    /// # Errors
    /// What git says, when it is nowhere to be had.
    pub fn bring(&self, commit: &str) -> io::Result<()> {
        let spec = format!("{commit}^{{commit}}");
        let is_here = |repository: &Self| repository.run(&["cat-file", "-e", &spec]);
        if is_here(self).is_ok() {
            return Ok(());
        }
        let shallow = self.line(&["rev-parse", "--is-shallow-repository"]);
        let mut fetch = vec!["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
        // A depth would cut the history of a whole clone.
        fetch.extend((shallow.as_deref() == Some("true")).then_some("--depth=1"));
        fetch.extend(["origin", commit]);
        self.run(&fetch)?;
        is_here(self).map(|_| ())
    }

    /// The files that differ between two commits, from the repository's root. Bytes that are no
    /// UTF-8 are replaced.
    ///
    /// # Errors
    /// When git fails.
    pub fn differing(&self, one: &str, other: &str) -> io::Result<BTreeSet<String>> {
        let names = self.names(&[
            "diff-tree",
            "-r",
            "-z",
            "--name-only",
            "--no-renames",
            NO_SUBMODULE_IGNORED,
            one,
            other,
        ])?;
        Ok(names.into_iter().collect())
    }

    /// The file `path`, from the repository's root, as `commit` has it; `None` where there is
    /// none, or one of more than `most` bytes.
    #[must_use]
    pub fn content(&self, commit: &str, path: &str, most: usize) -> Option<Vec<u8>> {
        let object = format!("{commit}:{path}");
        let size = self.line(&["cat-file", "-s", &object])?;
        let fits = size.parse::<usize>().is_ok_and(|size| size <= most);
        fits.then(|| self.run(&["cat-file", "blob", &object]).ok())?
    }

    /// What lies between `commit` and the working tree, as a diff of the whole repository with
    /// paths from its top.
    ///
    /// # Errors
    /// When git fails.
    pub fn diff_since(&self, commit: &str) -> io::Result<Vec<u8>> {
        self.run(&[
            "diff",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-relative",
            "--find-renames",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "--unified=3",
            NO_SUBMODULE_IGNORED,
            commit,
            "--",
            ":/",
        ])
    }
}
