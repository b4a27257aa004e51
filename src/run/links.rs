//! Symbolic links that git keeps: a file behind one is read under a name that no diff tells.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use crate::model::tree_path::{below, joined};

use super::git::Repository;

/// How git lists a link.
const MODE: &[u8] = b"120000 ";
/// How many links may lie behind one another.
const DEEPEST: usize = 8;
/// Above this many names nobody follows further.
const MOST: usize = 100_000;

/// The files `changed`, and every other path from `root` under which links show them.
///
/// # Errors
/// When git cannot list what it keeps.
pub fn seen_through(
    repository: &Repository,
    root: &Path,
    changed: &BTreeSet<String>,
) -> io::Result<BTreeSet<String>> {
    let listed = repository.run(&["ls-files", "--stage", "-z", "--", "."])?;
    let links: Vec<(String, String)> = listed
        .split(|byte| *byte == 0)
        .filter_map(link)
        .filter_map(|link| Some((target(root, &link)?, link)))
        .collect();
    Ok(shown(&links, changed))
}

/// The path of a link in a line of git's list.
fn link(line: &[u8]) -> Option<String> {
    let mut parts = line.strip_prefix(MODE)?.splitn(2, |byte| *byte == b'\t');
    String::from_utf8(parts.nth(1)?.to_vec()).ok()
}

/// Where `link` leads, from `root`; nothing if that is outside. What is gone by now may have been
/// there at the base.
fn target(root: &Path, link: &str) -> Option<String> {
    let full = root.join(link);
    let Ok(target) = full.canonicalize() else {
        let folder = link.rsplit_once('/').map_or("", |(folder, _)| folder);
        return joined(folder, full.read_link().ok()?.to_str()?);
    };
    let inner = target.strip_prefix(root.canonicalize().ok()?).ok()?;
    Some(inner.to_str()?.to_owned())
}

/// `changed`, and what `links` (each a target and the link) show of it.
fn shown(links: &[(String, String)], changed: &BTreeSet<String>) -> BTreeSet<String> {
    let mut seen = changed.clone();
    let mut latest: Vec<String> = changed.iter().cloned().collect();
    for _ in 0..DEEPEST {
        let names = latest.iter().flat_map(|path| {
            let names = links.iter();
            names.filter_map(|(target, link)| through(path, target, link))
        });
        let names: Vec<String> = names.take(MOST).collect();
        latest = names
            .into_iter()
            .filter(|name| seen.insert(name.clone()))
            .collect();
        if latest.is_empty() || seen.len() > MOST {
            break;
        }
    }
    seen
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
        let seen = shown(&links, &BTreeSet::from([changed.to_owned()]));
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
        assert!(circle.contains("in/again/x"), "{circle}");
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
