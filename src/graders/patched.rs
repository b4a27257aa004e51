//! A completion that is a unified diff, applied to the fixture and the files of its case.

use std::collections::BTreeMap;

use crate::diagnostics::unified_diff::{self, Fault, FilePatch};
use crate::model::case::Case;
use crate::suite::GOLDENS;

use super::unit::UNIT;

/// The files of a case after a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched {
    /// The fixture.
    pub fixture: Vec<u8>,
    /// The other files that the patch changes, by where they lie beside the unit.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// A file that a patch may change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Fixture,
    /// One of the case's `files`, by position.
    File(usize),
}

/// Applies `patch` to the files of `case`.
///
/// # Errors
/// It is no patch, does not apply, changes nothing, or touches anything but these files.
pub fn apply(case: &Case, patch: &[u8]) -> Result<Patched, Fault> {
    let mut patched = BTreeMap::<Target, Vec<u8>>::new();
    let mut changed = false;
    for file in unified_diff::parse(patch)? {
        let target = target(case, &file)?;
        let original = match target {
            Target::Fixture => &case.fixture.bytes,
            Target::File(index) => &case.files[index].bytes,
        };
        let bytes = file.apply(original)?;
        changed |= bytes != **original;
        if patched.insert(target, bytes).is_some() {
            let problem = format!("`{}` is patched twice", file.new.escape_debug());
            return Err(Fault::at(file.line, problem));
        }
    }
    if !changed {
        return Err(Fault::whole("changes nothing"));
    }
    let fixture = patched.remove(&Target::Fixture);
    let beside = |(target, bytes)| match target {
        Target::Fixture => None,
        Target::File(index) => Some((case.files[index].beside.clone(), bytes)),
    };
    Ok(Patched {
        fixture: fixture.unwrap_or_else(|| case.fixture.bytes.to_vec()),
        files: patched.into_iter().filter_map(beside).collect(),
    })
}

/// The one file that both names of `file` mean.
fn target(case: &Case, file: &FilePatch<'_>) -> Result<Target, Fault> {
    let find = |name: &str, prefix: &str| {
        let stripped = name.strip_prefix(prefix);
        let found = stripped.and_then(|name| named(case, name));
        found.or_else(|| named(case, name)).ok_or_else(|| {
            let problem = format!(
                "`{}` {}; the patch may change {}",
                name.escape_debug(),
                outside(stripped.unwrap_or(name)),
                known(case)
            );
            Fault::at(file.line, problem)
        })
    };
    let (old, new) = (find(file.old, "a/")?, find(file.new, "b/")?);
    if old == new {
        return Ok(old);
    }
    let (old, new) = (file.old.escape_debug(), file.new.escape_debug());
    Err(Fault::at(
        file.line,
        format!("makes `{new}` of `{old}`; a patch renames nothing"),
    ))
}

/// The file called `name`: by its path from the folder of the goldens or as it lies beside the
/// unit, which is the fixture.
fn named(case: &Case, name: &str) -> Option<Target> {
    if name == in_goldens(&case.fixture.path) || name == UNIT {
        return Some(Target::Fixture);
    }
    let file = |is: &dyn Fn(usize) -> bool| (0..case.files.len()).find(|index| is(*index));
    let by_path = file(&|index| name == in_goldens(&case.files[index].path));
    if let Some(index) = by_path {
        return Some(Target::File(index));
    }
    if name == case.fixture.beside {
        return Some(Target::Fixture);
    }
    file(&|index| name == case.files[index].beside).map(Target::File)
}

fn in_goldens(path: &str) -> &str {
    let inner = path.strip_prefix(GOLDENS);
    inner
        .and_then(|inner| inner.strip_prefix('/'))
        .unwrap_or(path)
}

/// Why a name that is no file of the case is none, in words for the likely reasons.
fn outside(name: &str) -> &'static str {
    let mut segments = name.split('/');
    if name.starts_with('/') {
        "is absolute"
    } else if segments.clone().any(|segment| segment == "..") {
        "leaves its folder through `..`"
    } else if segments.any(|segment| segment == ".git") {
        "lies in `.git`"
    } else {
        "is no file of the case"
    }
}

fn known(case: &Case) -> String {
    let files = std::iter::once(&case.fixture).chain(&case.files);
    let names: Vec<_> = files
        .map(|file| format!("`{}`", in_goldens(&file.path)))
        .collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::case::{Assemble, SourceFile};
    use crate::model::digest::Digest;
    use crate::model::testing::case;

    fn two_files() -> Case {
        let mut case = case(Assemble::Patch, "int a;\n");
        case.files = vec![SourceFile {
            path: "goldens/fixtures/deep/h.hpp".to_owned(),
            beside: "deep/h.hpp".to_owned(),
            bytes: b"int b;\n".as_slice().into(),
            digest: Digest::of(b"int b;\n"),
        }];
        case
    }

    fn patch(old: &str, new: &str, variable: char) -> String {
        format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-int {variable};\n+long {variable};\n")
    }

    fn said(patch: &str) -> String {
        apply(&two_files(), patch.as_bytes())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn fixture_and_files_are_found_by_path_and_by_name() {
        for name in ["c.cpp", "fixtures/c.cpp", "candidate.cpp"] {
            for (a, b) in [("a/", "b/"), ("", "")] {
                let patch = patch(&format!("{a}{name}"), &format!("{b}{name}"), 'a');
                let patched = apply(&two_files(), patch.as_bytes()).unwrap();
                assert_eq!(patched.fixture, b"long a;\n", "{name}");
                assert!(patched.files.is_empty());
            }
        }
        for name in ["deep/h.hpp", "fixtures/deep/h.hpp"] {
            let patch = patch(&format!("a/{name}"), &format!("b/{name}"), 'b');
            let patched = apply(&two_files(), patch.as_bytes()).unwrap();
            assert_eq!(patched.fixture, b"int a;\n");
            assert_eq!(patched.files["deep/h.hpp"], b"long b;\n");
        }
        let both = patch("a/c.cpp", "b/c.cpp", 'a') + &patch("a/deep/h.hpp", "b/deep/h.hpp", 'b');
        let patched = apply(&two_files(), both.as_bytes()).unwrap();
        assert_eq!(
            (patched.fixture.as_slice(), patched.files.len()),
            (b"long a;\n".as_slice(), 1)
        );
    }

    #[test]
    fn nothing_else_is_touched() {
        for (name, why) in [
            ("../c.cpp", "leaves its folder through `..`"),
            ("fixtures/../c.cpp", "leaves its folder through `..`"),
            ("/etc/passwd", "is absolute"),
            (".git/config", "lies in `.git`"),
            ("goldens/graders/io_match.yaml", "is no file of the case"),
            ("h.hpp", "is no file of the case"),
            ("\"c.cpp\"", "is no file of the case"),
            ("", "is no file of the case"),
        ] {
            let said = said(&patch(&format!("a/{name}"), &format!("b/{name}"), 'a'));
            assert!(said.contains(why), "{name}: {said}");
            assert!(said.ends_with("may change `fixtures/c.cpp`, `fixtures/deep/h.hpp`"));
        }
    }

    #[test]
    fn renames_repetitions_and_patches_without_effect_are_refused() {
        assert!(said(&patch("a/c.cpp", "b/deep/h.hpp", 'a')).contains("renames nothing"));
        let once = patch("a/c.cpp", "b/c.cpp", 'a');
        assert!(said(&(once.clone() + &once)).contains("patched twice"));
        let nothing = "--- a/c.cpp\n+++ b/c.cpp\n@@ -1 +1 @@\n-int a;\n+int a;\n";
        assert_eq!(said(nothing), "changes nothing");
    }
}
