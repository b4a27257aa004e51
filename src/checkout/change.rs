//! What is between the base and the working tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::error::Error;
use crate::model::header::Header;
use crate::model::source_tree::SourceTree;
use crate::model::touched::Touched;
use crate::run::base::Loaded;
use crate::run::git::Repository;
use crate::run::{base_tree, links};
use crate::suite::Suite;

/// The folder, from the top of a repository, with what runs us there.
const WORKFLOWS: &str = ".github";

/// The change that is judged; nothing where there is no base or nobody asks.
#[derive(Default)]
pub struct Change {
    /// The files that differ, from the root.
    pub(super) files: Vec<String>,
    /// The same by all their names, and that behind which anything may differ.
    pub(super) touched: Touched,
    /// The workflows that differ where the root lies below the top of the repository, from the
    /// top.
    pub(super) workflows: Vec<String>,
    /// The public headers that were there at the base, as they were.
    pub headers_at_base: BTreeMap<String, Arc<Header>>,
}

impl Change {
    /// The change of `suite`, whose root is `root`, since `commit`. Tells the suite's consumers
    /// of it.
    pub(super) fn since(
        (repository, root): (&Repository, &Path),
        (commit, base): (&str, &Loaded),
        suite: &mut Suite,
        scratch: &Path,
    ) -> Result<Self, Error> {
        let lost = |error| {
            Error::Incomplete(format!(
                "the change since {commit} cannot be listed: {error}"
            ))
        };
        let files = repository.changed_since(commit).map_err(lost)?;
        let workflows = match repository.prefix() {
            "" => Vec::new(),
            _ => repository.changed_above(commit, WORKFLOWS).map_err(lost)?,
        };
        let changed: BTreeSet<String> = files.iter().cloned().collect();
        let touched = links::touched(repository, root, commit, &changed).map_err(lost)?;
        let headers_at_base = match suite.header_tree() {
            None => BTreeMap::new(),
            Some((tree, folders)) => {
                let then = match &base.whole {
                    Some(whole) => base_tree::read(whole, &folders)?,
                    // Nothing is known of what was there: nothing is forgiven.
                    None if base_tree::leads_elsewhere(root, tree, &changed) => {
                        Arc::new(SourceTree::new(BTreeMap::new()))
                    }
                    None => {
                        let head = (tree, folders.as_slice());
                        base_tree::at_base(repository, commit, head, &changed, scratch)?
                    }
                };
                suite.headers_as_at(base.suite.as_ref(), &then)
            }
        };
        suite.tell_changed(changed);
        Ok(Self {
            files,
            touched,
            workflows,
            headers_at_base,
        })
    }
}
