//! What a change touches behind names that no diff tells: symbolic links that git keeps, and
//! repositories in the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::model::touched::Touched;
use crate::model::tree_path::{ATTRIBUTES, below};

use super::git::{LINK, Repository, SUBMODULE};

/// How many links may lie on the way to a file, as for the kernel.
const MOST_HOPS: usize = 40;
/// How often one link is followed in a path: a circle has no end.
const MOST_ROUNDS: usize = 2;
/// Above this many names nobody follows further.
const MOST: usize = 100_000;

/// What the files `changed`, from `root`, and all else that differs from `commit` in the
/// repository around it come to at `root`.
///
/// # Errors
/// When git cannot list what it keeps.
pub fn touched(
    repository: &Repository,
    root: &Path,
    commit: &str,
    changed: &BTreeSet<String>,
) -> io::Result<Touched> {
    let around = Around::of(repository, root)?;
    let mut differing = differing(repository, commit)?;
    for path in changed {
        let full = format!("{}{path}", around.prefix);
        let what = differing.entry(full).or_default();
        *what = what.or_else(|| standing(&root.join(path), path));
    }
    Ok(around.touched(&differing))
}

/// The paths from the top that differ between `commit` and the working tree, each with what it is
/// or was if anything may lie behind it.
fn differing(
    repository: &Repository,
    commit: &str,
) -> io::Result<BTreeMap<String, Option<&'static str>>> {
    let listed = repository.diff(&["--raw", "--no-relative"], commit, ":/")?;
    let mut parts = listed.split(|byte| *byte == 0);
    let mut found = BTreeMap::new();
    while let (Some(modes), Some(path)) = (parts.next(), parts.next()) {
        // What is not merged is listed twice.
        let what: &mut Option<&str> = found.entry(text(path)).or_default();
        *what = what.or_else(|| behind(modes));
    }
    Ok(found)
}

/// What stood or stands at a path with these modes, if anything may lie behind it.
fn behind(modes: &[u8]) -> Option<&'static str> {
    let modes = modes.strip_prefix(b":")?;
    let mut two = modes.split(|byte| *byte == b' ').take(2);
    two.find_map(|mode| match str::from_utf8(mode) {
        Ok(LINK) => Some("link"),
        Ok(SUBMODULE) => Some("submodule"),
        _ => None,
    })
}

/// What stands at `full`, which git lists as `path`, if anything may lie behind it.
fn standing(full: &Path, path: &str) -> Option<&'static str> {
    if full.is_symlink() {
        return Some("link");
    }
    path.ends_with('/').then_some("repository")
}

/// The root in its repository.
struct Around {
    /// The root from the top, with a last `/`; empty at the top.
    prefix: String,
    /// The links that may show a file at the root, each with where it leads, from the top.
    links: Vec<(String, String)>,
    /// Whether one of them leads to what is not below the root.
    leaves: bool,
}

impl Around {
    fn of(repository: &Repository, root: &Path) -> io::Result<Self> {
        let prefix = repository.prefix().to_owned();
        let root = root.canonicalize()?;
        let top = root.ancestors().nth(prefix.matches('/').count());
        let top = top.unwrap_or(&root);
        let listed = repository.run(&["ls-files", "--stage", "-z", "--full-name", "--", ":/"])?;
        let links = listed.split(|byte| *byte == 0).filter_map(link);
        let links = links.filter_map(|link| Some((target(top, &link)?, link)));
        Ok(Self::with(prefix, links.collect()))
    }

    fn with(prefix: String, mut links: Vec<(String, String)>) -> Self {
        let is_inner = |path: &str| path.starts_with(&prefix);
        let leaves = links
            .iter()
            .any(|(target, link)| is_inner(link) && !is_inner(&format!("{target}/")));
        if !leaves {
            links.retain(|(_, link)| is_inner(link));
        }
        Self {
            prefix,
            links,
            leaves,
        }
    }

    /// What a change of the paths `differing` comes to at the root.
    fn touched(&self, differing: &BTreeMap<String, Option<&'static str>>) -> Touched {
        let mut touched = Touched::default();
        let is_inner = |path: &str| path.starts_with(&self.prefix);
        for (path, what) in differing {
            let what = match what {
                Some(what) if is_inner(path) || (self.leaves && *what == "link") => what,
                _ if self.is_attributes_above(path) => "attributes of git",
                _ => continue,
            };
            let from_root = self.relative(path);
            let from_root = from_root.trim_end_matches('/').to_owned();
            touched.anything.insert(from_root, what);
        }
        let may_show = differing
            .keys()
            .filter(|path| self.leaves || is_inner(path));
        let changed: BTreeSet<String> = may_show.cloned().collect();
        let Some(names) = shown(&self.links, &changed) else {
            let first = changed.first().map(|path| self.relative(path));
            let too_many = first.map(|path| (path, "behind too many links"));
            touched.anything.extend(too_many);
            touched.files = self.inner(&changed);
            return touched;
        };
        touched.files = self.inner(&names);
        touched
    }

    /// Those of `paths` that are below the root, from there.
    fn inner(&self, paths: &BTreeSet<String>) -> BTreeSet<String> {
        let inner = paths
            .iter()
            .filter_map(|path| path.strip_prefix(&self.prefix));
        inner.map(str::to_owned).collect()
    }

    fn is_attributes_above(&self, path: &str) -> bool {
        let folder = path.strip_suffix(ATTRIBUTES);
        folder.is_some_and(|folder| {
            (folder.is_empty() || folder.ends_with('/'))
                && folder.len() < self.prefix.len()
                && self.prefix.starts_with(folder)
        })
    }

    /// `path`, which is from the top, from the root.
    fn relative(&self, path: &str) -> String {
        let (mut path, mut root) = (path, self.prefix.as_str());
        while let (Some((folder, inner)), Some((same, deeper))) =
            (path.split_once('/'), root.split_once('/'))
            && folder == same
        {
            (path, root) = (inner, deeper);
        }
        format!("{}{path}", "../".repeat(root.matches('/').count()))
    }
}

/// The path of a link in a line of git's list.
fn link(line: &[u8]) -> Option<String> {
    let rest = line.strip_prefix(LINK.as_bytes())?.strip_prefix(b" ")?;
    let mut parts = rest.splitn(2, |byte| *byte == b'\t');
    parts.nth(1).map(text)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Where `link` leads, both from `top`; nothing if that is outside or nowhere.
fn target(top: &Path, link: &str) -> Option<String> {
    let end = end(&top.join(link))?;
    let inner = end.strip_prefix(top).ok()?;
    Some(inner.to_string_lossy().into_owned())
}

/// What is left of `path` without links. What is gone by now may have been there at the base, and
/// counts as no link.
fn end(path: &Path) -> Option<PathBuf> {
    let parts = |path: &Path| -> Vec<OsString> {
        let parts = path.components().rev();
        parts.map(|part| part.as_os_str().to_owned()).collect()
    };
    let mut left = parts(path);
    let mut at = PathBuf::new();
    let mut hops = 0;
    while let Some(part) = left.pop() {
        if part == ".." {
            at.pop();
        } else if part != "." {
            at.push(part);
        }
        if let Ok(next) = at.read_link() {
            hops += 1;
            if hops > MOST_HOPS {
                return None;
            }
            at.pop();
            left.extend(parts(&next));
        }
    }
    Some(at)
}

/// `changed`, and what `links` (each a target and the link) show of it; nothing if that is too
/// much.
fn shown(links: &[(String, String)], changed: &BTreeSet<String>) -> Option<BTreeSet<String>> {
    let mut seen = changed.clone();
    // With each name the links that it goes through.
    let mut latest: Vec<(String, Vec<usize>)> =
        changed.iter().map(|path| (path.clone(), vec![])).collect();
    while let Some((path, passed)) = latest.pop() {
        for (at, (target, link)) in links.iter().enumerate() {
            let rounds = passed.iter().filter(|one| **one == at).count();
            let Some(name) = through(&path, target, link).filter(|_| rounds < MOST_ROUNDS) else {
                continue;
            };
            if seen.insert(name.clone()) {
                let passed = passed.iter().copied().chain([at]).collect();
                latest.push((name, passed));
            }
            if seen.len() - changed.len() > MOST {
                return None;
            }
        }
    }
    Some(seen)
}

/// Another name of `path`, where `link` leads to `target`.
fn through(path: &str, target: &str, link: &str) -> Option<String> {
    let folder = if target.is_empty() { "." } else { target };
    match below(path, folder) {
        Some(inner) => Some(format!("{link}/{inner}")),
        // What holds the target, such as a module of its own, may hold a change of it.
        None => (path == target || below(target, path).is_some()).then(|| link.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(links: &[(&str, &str)], changed: &str) -> String {
        let links: Vec<_> = links
            .iter()
            .map(|(target, link)| ((*target).to_owned(), (*link).to_owned()))
            .collect();
        let seen = shown(&links, &BTreeSet::from([changed.to_owned()])).unwrap();
        seen.into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_file_is_seen_under_every_name_that_leads_to_it() {
        let links = [("lib/include", "include"), ("data/p.md", "prompts/p.md")];
        for (changed, expected) in [
            ("lib/include/a/x.h", "include/a/x.h lib/include/a/x.h"),
            ("lib/includes/x.h", "lib/includes/x.h"),
            ("lib", "include lib"),
            ("data/p.md", "data/p.md prompts/p.md"),
            ("README.md", "README.md"),
        ] {
            assert_eq!(names(&links, changed), expected, "{changed}");
        }
    }

    #[test]
    fn links_lead_through_links_and_in_circles() {
        let chain = [("a/file", "b/link"), ("b", "c")];
        assert_eq!(names(&chain, "a/file"), "a/file b/link c/link");
        let circle = names(&[("", "in/again")], "x");
        assert_eq!(circle, "in/again/in/again/x in/again/x x");
        // More than the eight that were followed once.
        let long: Vec<(String, String)> = (0..20)
            .map(|at| (format!("d{at:02}"), format!("d{:02}/up", at + 1)))
            .collect();
        let seen = shown(&long, &BTreeSet::from(["d00/x".to_owned()])).unwrap();
        assert_eq!(seen.len(), 21);
    }

    #[test]
    fn too_many_names_are_anything() {
        let links = (0..110).map(|at| ("aa".to_owned(), format!("l{at}")));
        let around = Around::with(String::new(), links.collect());
        let change = |count: usize| (0..count).map(|at| (format!("aa/{at}"), None)).collect();
        let few = around.touched(&change(900));
        assert_eq!((few.files.len(), few.anything.len()), (900 * 111, 0));
        let many = around.touched(&change(1000));
        assert_eq!(many.files.len(), 1000);
        assert_eq!(told(&many), "aa/0: behind too many links");
    }

    fn told(touched: &Touched) -> String {
        let told = touched.anything.iter();
        let told: Vec<String> = told.map(|(path, what)| format!("{path}: {what}")).collect();
        told.join(", ")
    }

    #[test]
    fn what_lies_outside_the_root_counts_where_a_link_leads_there() {
        let differing = [
            (".gitattributes", None),
            ("other/.gitattributes", None),
            ("a/x.gitattributes", None),
            ("a/.gitattributes", None),
            ("a/b/.gitattributes", None),
            ("a/bc/.gitattributes", None),
            ("a/b/own", Some("link")),
            ("cur", Some("link")),
            ("third", Some("submodule")),
            ("lib/x.h", None),
        ];
        let differing = differing.map(|(path, what)| (path.to_owned(), what));
        let differing = BTreeMap::from(differing);
        let link = |target: &str, link: &str| (target.to_owned(), link.to_owned());
        let around = |links: Vec<_>| Around::with("a/b/".to_owned(), links);

        let touched = around(vec![link("lib", "deep"), link("a/b/in", "a/b/up")]);
        let touched = touched.touched(&differing);
        let attributes = "../../.gitattributes: attributes of git, \
                          ../.gitattributes: attributes of git";
        assert_eq!(told(&touched), format!("{attributes}, own: link"));
        let inner = [".gitattributes", "own"].map(str::to_owned);
        assert_eq!(touched.files, BTreeSet::from(inner));

        let links = vec![
            link("deep", "a/b/up"),
            link("lib", "deep/er"),
            link("third/in", "a/b/t"),
        ];
        let touched = around(links).touched(&differing);
        let (above, near) = attributes.split_once(", ").unwrap();
        assert_eq!(
            told(&touched),
            format!("{above}, ../../cur: link, {near}, own: link")
        );
        let inner = [".gitattributes", "own", "t", "up/er/x.h"].map(str::to_owned);
        assert_eq!(touched.files, BTreeSet::from(inner));
    }

    #[test]
    fn a_link_leads_where_the_last_one_on_its_way_does() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("v1/deep")).unwrap();
        let absolute = top.join("cur/gone");
        for (link, to) in [
            ("cur", "v1"),
            ("include", "./cur"),
            ("gone", "cur/deep/../../later/x.h"),
            ("behind", "v1/there/../x.h"),
            ("full", absolute.to_str().unwrap()),
            ("one", "other"),
            ("other", "one"),
            ("out", "../elsewhere"),
            ("whole", "."),
        ] {
            std::os::unix::fs::symlink(to, top.join(link)).unwrap();
        }
        for (link, expected) in [
            ("include", Some("v1")),
            ("gone", Some("later/x.h")),
            ("behind", Some("v1/x.h")),
            ("full", Some("v1/gone")),
            ("one", None),
            ("out", None),
            ("whole", Some("")),
        ] {
            assert_eq!(target(&top, link).as_deref(), expected, "{link}");
        }
    }

    #[test]
    fn anything_lies_behind_links_and_repositories() {
        for (modes, expected) in [
            (&b":100644 100755 0 0 M"[..], None),
            (b":100644 120000 0 0 T", Some("link")),
            (b":120000 000000 0 0 D", Some("link")),
            (b":160000 160000 0 0 M", Some("submodule")),
            (b":000000 160000 0 0 A", Some("submodule")),
        ] {
            assert_eq!(behind(modes), expected);
        }
        let nowhere = Path::new("/nowhere");
        assert_eq!(standing(nowhere, "nested/"), Some("repository"));
        assert_eq!(standing(nowhere, "file"), None);
    }

    #[test]
    fn a_line_of_git_is_a_link_by_its_mode() {
        let line = b"120000 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 0\tdir/a link";
        assert_eq!(link(line).as_deref(), Some("dir/a link"));
        assert_eq!(link(b"100644 e69de29b 0\tfile"), None);
        assert_eq!(link(b"120000 "), None);
        assert_eq!(link(b""), None);
    }
}
