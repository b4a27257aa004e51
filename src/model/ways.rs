//! Which files lead to which ids of a lane, and so what a change can reach. A file that nobody
//! names leads nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::tree_path::below;

/// The ids of a lane with every file and folder that leads to them.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    ids: BTreeSet<String>,
    files: BTreeMap<String, Vec<Way>>,
    /// Folders, with all that is below them; `.` is the root.
    folders: BTreeMap<String, Vec<Way>>,
}

/// Where a file leads.
#[derive(Clone, Debug)]
struct Way {
    /// What the file is to those ids.
    what: String,
    /// Everything if `None`.
    ids: Option<Arc<BTreeSet<String>>>,
}

/// What a change reaches of a lane.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// All ids of the lane.
    pub known: BTreeSet<String>,
    /// Those that the change reaches.
    pub ids: BTreeSet<String>,
    /// The files that reach them, those that reach most first.
    pub causes: Vec<Cause>,
}

/// One file of a change that reaches something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Its path from the root.
    pub path: String,
    /// What it is to them: `case`, `grader io_match`, ...
    pub what: String,
    /// What it reaches.
    pub ids: BTreeSet<String>,
    /// Whether that is all there is, or counts as such.
    pub is_all: bool,
}

impl Ways {
    /// A lane of these ids, to which nothing leads yet.
    #[must_use]
    pub fn to(ids: BTreeSet<String>) -> Self {
        Self {
            ids,
            ..Self::default()
        }
    }

    /// The ids.
    #[must_use]
    pub fn ids(&self) -> &BTreeSet<String> {
        &self.ids
    }

    /// The file at `path` leads to all ids.
    pub fn file_to_all(&mut self, path: &str, what: &str) {
        add(&mut self.files, path, what, None);
    }

    /// The file at `path` leads to `ids`.
    pub fn file(&mut self, path: &str, what: &str, ids: &Arc<BTreeSet<String>>) {
        add(&mut self.files, path, what, Some(Arc::clone(ids)));
    }

    /// Whatever lies at or below `path`, or holds it, leads to all ids.
    pub fn folder_to_all(&mut self, path: &str, what: &str) {
        add(&mut self.folders, path, what, None);
    }

    /// Whatever lies at or below `path`, or holds it, leads to `ids`.
    pub fn folder(&mut self, path: &str, what: &str, ids: &Arc<BTreeSet<String>>) {
        add(&mut self.folders, path, what, Some(Arc::clone(ids)));
    }

    /// What a change of the files `changed` reaches. One that is a folder by now or was one, such
    /// as a link or a module of its own, is everything in it.
    #[must_use]
    pub fn reached_by<'a>(&self, changed: impl IntoIterator<Item = &'a String>) -> Reached {
        let mut found = BTreeMap::<(&str, &str), (BTreeSet<&String>, bool)>::new();
        for path in changed {
            let path = path.trim_end_matches('/');
            for way in self.from(path) {
                let (ids, is_all) = found.entry((path, &way.what)).or_default();
                match &way.ids {
                    None => *is_all = true,
                    Some(some) => ids.extend(some.iter().filter(|id| self.ids.contains(*id))),
                }
            }
        }
        let mut reached = Reached {
            known: self.ids.clone(),
            ..Reached::default()
        };
        for ((path, what), (ids, is_all)) in found {
            let is_all = is_all || (ids.len() > 1 && ids.len() == self.ids.len());
            let ids: BTreeSet<String> = match is_all {
                true => self.ids.clone(),
                false => ids.into_iter().cloned().collect(),
            };
            if ids.is_empty() {
                continue;
            }
            reached.ids.extend(ids.iter().cloned());
            reached.causes.push(Cause {
                path: path.to_owned(),
                what: what.to_owned(),
                ids,
                is_all,
            });
        }
        let order = |cause: &Cause| (std::cmp::Reverse(cause.ids.len()), cause.path.clone());
        reached.causes.sort_by_cached_key(order);
        reached
    }

    /// The ways that begin at `path`.
    fn from<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a Way> {
        let within = format!("{path}/");
        let inner = self.files.range(within.clone()..);
        let inner = inner.take_while(move |(file, _)| file.starts_with(&within));
        let inner = inner.map(|(_, ways)| ways);
        let folders = self.folders.iter().filter(move |(folder, _)| {
            let folder = folder.as_str();
            path == folder || below(path, folder).is_some() || below(folder, path).is_some()
        });
        let folders = folders.map(|(_, ways)| ways);
        self.files
            .get(path)
            .into_iter()
            .chain(inner)
            .chain(folders)
            .flatten()
    }
}

fn add(
    to: &mut BTreeMap<String, Vec<Way>>,
    path: &str,
    what: &str,
    ids: Option<Arc<BTreeSet<String>>>,
) {
    let what = what.to_owned();
    to.entry(path.to_owned())
        .or_default()
        .push(Way { what, ids });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ids: &[&str]) -> BTreeSet<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn ways() -> Ways {
        let mut ways = Ways::to(set(&["a", "b", "c"]));
        ways.file_to_all("settings", "settings");
        ways.file("x/a", "case", &Arc::new(set(&["a"])));
        ways.file("x/shared", "prompt", &Arc::new(set(&["a"])));
        ways.file("x/shared", "prompt", &Arc::new(set(&["b", "elsewhere"])));
        ways.folder("lib", "library", &Arc::new(set(&["c"])));
        ways
    }

    fn reached(ways: &Ways, changed: &[&str]) -> String {
        let changed: Vec<String> = changed.iter().map(|path| (*path).to_owned()).collect();
        let reached = ways.reached_by(&changed);
        let causes = reached.causes.iter().map(|cause| {
            let ids: Vec<&str> = cause.ids.iter().map(String::as_str).collect();
            let ids = if cause.is_all {
                "all".to_owned()
            } else {
                ids.join("+")
            };
            format!("{} as {} to {ids}", cause.path, cause.what)
        });
        causes.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_file_reaches_what_it_leads_to() {
        for (changed, expected) in [
            ("README.md", ""),
            ("x", "x as prompt to a+b, x as case to a"),
            ("x/a", "x/a as case to a"),
            ("x/ab", ""),
            ("x/shared", "x/shared as prompt to a+b"),
            ("settings", "settings as settings to all"),
            ("lib/deep/x.h", "lib/deep/x.h as library to c"),
            ("lib/", "lib as library to c"),
            ("library/x.h", ""),
        ] {
            assert_eq!(reached(&ways(), &[changed]), expected, "{changed}");
        }
    }

    #[test]
    fn those_that_reach_most_come_first() {
        let found = reached(&ways(), &["x/a", "x/shared", "settings"]);
        let expected = "settings as settings to all, x/shared as prompt to a+b, x/a as case to a";
        assert_eq!(found, expected);
    }

    #[test]
    fn the_root_as_a_folder_holds_everything() {
        let mut ways = Ways::to(set(&["a"]));
        ways.folder_to_all(".", "include folder");
        assert_eq!(
            reached(&ways, &["README.md"]),
            "README.md as include folder to all"
        );
        assert_eq!(ways.reached_by(&[]).ids, set(&[]));
    }

    #[test]
    fn nothing_is_reached_where_nothing_is() {
        let mut none = Ways::to(set(&[]));
        none.file_to_all("settings", "settings");
        assert_eq!(
            none.reached_by(&["settings".to_owned()]),
            Reached::default()
        );
    }
}
