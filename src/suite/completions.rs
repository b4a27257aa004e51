//! Completions that come from a folder instead of a model: files named after their case.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::tree::{Tree as _, WorkingTree};
use crate::error::InputError;

/// What a folder holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The completions by case id.
    pub completions: BTreeMap<String, Vec<u8>>,
    /// One sentence for each file that belongs to no case.
    pub warnings: Vec<String>,
}

/// Reads the completions in the folder `dir`: a file belongs to the longest of `ids` that its
/// path from `dir` is, followed by a dot and an extension. Hidden files are left out.
///
/// # Errors
/// The folder or a file in it cannot be read, two files belong to one case, or none to any.
pub fn find(dir: &Path, ids: &BTreeSet<String>) -> Result<Found, Vec<InputError>> {
    let shown = |path: &str| dir.join(path).display().to_string();
    let named = |error: InputError| match error.path.starts_with('/') {
        true => vec![error],
        false => vec![InputError {
            path: shown(&error.path),
            ..error
        }],
    };
    let tree = WorkingTree::open(dir).map_err(|error| vec![error])?;
    let mut chosen = BTreeMap::<&str, String>::new();
    let mut warnings = Vec::new();
    let mut errors = Vec::new();
    for path in tree.list("").map_err(named)? {
        let Some(id) = owner(&path, ids) else {
            warnings.push(format!(
                "{} belongs to no case and is left out",
                shown(&path)
            ));
            continue;
        };
        if let Some(first) = chosen.get(id) {
            let problem = format!("{} is also a completion of `{id}`", shown(first));
            errors.push(InputError::new(shown(&path), problem).hint("keep one of them"));
        } else {
            chosen.insert(id, path);
        }
    }
    if chosen.is_empty() {
        errors.push(nothing(dir, ids));
    }
    let mut completions = BTreeMap::new();
    for (id, path) in chosen {
        match tree.read(&path) {
            Ok(Some(bytes)) => {
                completions.insert(id.to_owned(), bytes);
            }
            Ok(None) => errors.push(InputError::new(shown(&path), "vanished while it was read")),
            Err(error) => errors.extend(named(error)),
        }
    }
    if errors.is_empty() {
        Ok(Found {
            completions,
            warnings,
        })
    } else {
        Err(errors)
    }
}

/// The longest id that `path` belongs to.
fn owner<'a>(path: &str, ids: &'a BTreeSet<String>) -> Option<&'a str> {
    let name = path.rfind('/').map_or(0, |slash| slash + 1);
    path.rmatch_indices('.')
        .filter(|(dot, _)| *dot > name && dot + 1 < path.len())
        .find_map(|(dot, _)| ids.get(path.get(..dot)?))
        .map(String::as_str)
}

fn nothing(dir: &Path, ids: &BTreeSet<String>) -> InputError {
    let shown = dir.display().to_string();
    match ids.first() {
        Some(id) => InputError::new(shown, "no file here belongs to a case").hint(format!(
            "a completion is called `<case id>.<ext>`, for example `{id}.txt`"
        )),
        None => InputError::new(shown, "there are no cases that a file here could belong to"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn ids(ids: &[&str]) -> BTreeSet<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    fn dir(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        dir
    }

    fn told(dir: &tempfile::TempDir, errors: &[InputError]) -> String {
        let said: Vec<_> = errors.iter().map(ToString::to_string).collect();
        said.join("\n")
            .replace(&dir.path().display().to_string(), "D")
    }

    #[test]
    fn the_longest_id_owns_a_file() {
        let ids = ids(&["a", "a.b", "x/y", "a.c/d"]);
        for (path, expected) in [
            ("a.cpp", Some("a")),
            ("a.b.cpp", Some("a.b")),
            ("a.b", Some("a")),
            ("a.c.cpp", Some("a")),
            ("x/y.txt", Some("x/y")),
            ("a.c/d.txt", Some("a.c/d")),
            ("a.c/e.txt", None),
            ("a", None),
            ("a.", None),
            ("y.txt", None),
            ("z/a.txt", None),
        ] {
            assert_eq!(owner(path, &ids), expected, "{path}");
        }
    }

    #[test]
    fn files_of_no_case_are_warnings_and_hidden_ones_nothing() {
        let dir = dir(&["a.txt", "x/y.cpp", "README.md", ".a.txt", ".git/a.txt"]);
        let found = find(dir.path(), &ids(&["a", "x/y"])).unwrap();
        assert_eq!(found.completions["a"], b"a.txt");
        assert_eq!(found.completions.keys().collect::<Vec<_>>(), ["a", "x/y"]);
        let warning = format!(
            "{} belongs to no case and is left out",
            dir.path().join("README.md").display()
        );
        assert_eq!(found.warnings, [warning]);
    }

    #[test]
    fn two_files_of_one_case_are_refused() {
        let dir = dir(&["a.cpp", "a.txt"]);
        let errors = find(dir.path(), &ids(&["a"])).unwrap_err();
        assert_eq!(
            told(&dir, &errors),
            "D/a.txt: D/a.cpp is also a completion of `a`\n    keep one of them"
        );
    }

    #[test]
    fn a_folder_without_completions_names_the_file_it_expected() {
        let dir = dir(&["README.md"]);
        let errors = find(dir.path(), &ids(&["b", "c"])).unwrap_err();
        assert_eq!(
            told(&dir, &errors),
            "D: no file here belongs to a case\n    a completion is called `<case id>.<ext>`, for \
             example `b.txt`"
        );
        let absent = dir.path().join("none");
        assert!(
            find(&absent, &ids(&["a"])).unwrap_err()[0]
                .problem
                .starts_with("cannot be read")
        );
    }
}
