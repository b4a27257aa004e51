//! Paths of a tree, by their text alone: `/`-separated and from its root.

/// What git's files of attributes are called: they change what a checkout writes, also from folders
/// above.
pub const ATTRIBUTES: &str = ".gitattributes";

/// `name` in `folder` (`""` and `.` are the root), without `.`, `..` and doubled `/`; nothing where
/// that leaves the root. What is the root itself is empty.
#[must_use]
pub fn joined(folder: &str, name: &str) -> Option<String> {
    if name.starts_with('/') {
        return None;
    }
    let mut parts = Vec::new();
    for part in folder.split('/').chain(name.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// `path` from `folder`, if that holds it; `.` is the root.
#[must_use]
pub fn below<'a>(path: &'a str, folder: &str) -> Option<&'a str> {
    match folder {
        "." => Some(path),
        _ => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// `path` from the deepest of `folders` that holds it: how it is included.
#[must_use]
pub fn include_name<'a>(path: &'a str, folders: &[String]) -> Option<&'a str> {
    let names = folders.iter().filter_map(|folder| below(path, folder));
    names.min_by_key(|name| name.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_in_the_tree_or_is_none() {
        for (folder, name, expected) in [
            ("a/b", "../c.h", Some("a/c.h")),
            (".", "./a//b.h", Some("a/b.h")),
            ("", "a.h", Some("a.h")),
            ("a", "..", Some("")),
            ("a", "../../b.h", None),
            ("a", "/b.h", None),
        ] {
            let found = joined(folder, name);
            assert_eq!(found.as_deref(), expected, "{name} in {folder}");
        }
    }

    #[test]
    fn a_header_is_included_from_the_deepest_folder() {
        let folders = [".", "include", "include/lib"].map(str::to_owned);
        assert_eq!(include_name("include/lib/a.h", &folders), Some("a.h"));
        assert_eq!(include_name("include/b.h", &folders), Some("b.h"));
        assert_eq!(include_name("src/b.h", &folders), Some("src/b.h"));
        assert_eq!(include_name("src/b.h", &folders[1..]), None);
        assert_eq!(below("includes/b.h", "include"), None);
    }
}
