//! Graders as configured: a file under `goldens/graders/` names a kind and its settings; a kind
//! that needs no settings exists without a file, under its own name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::parse::{self, Source};
use super::tree::Tree;
use super::{ids, nearest};
use crate::error::InputError;
use crate::graders;
use crate::model::grader::GraderSpec;

/// The folder of the graders' files, from the root.
pub const FOLDER: &str = "goldens/graders";

/// Reads the graders of `tree`, by id.
///
/// # Errors
/// The first fault of each file.
pub fn load(tree: &dyn Tree) -> Result<BTreeMap<String, Arc<GraderSpec>>, Vec<InputError>> {
    let paths = tree.list(FOLDER).map_err(|error| vec![error])?;
    let mut specs = BTreeMap::<String, Arc<GraderSpec>>::new();
    let mut errors = Vec::new();
    for (path, id) in paths.iter().filter_map(|path| Some((path, id_of(path)?))) {
        match file(tree, path, id) {
            Ok(Some(spec)) => {
                if let Some(first) = specs.insert(id.to_owned(), Arc::new(spec)) {
                    let first = first.path.as_deref().unwrap_or_default();
                    let problem = format!("the grader `{id}` is also configured by {first}");
                    errors.push(InputError::new(path, problem).hint("keep one of the files"));
                }
            }
            Ok(None) => {}
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        errors.sort();
        return Err(errors);
    }
    for (id, spec) in without_file() {
        specs.entry(id).or_insert(spec);
    }
    Ok(specs)
}

/// The ids a case may name as far as the file names tell: also those whose file has a fault, so
/// that one fault is not told again for every case.
///
/// # Errors
/// The folder cannot be listed.
pub fn names(tree: &dyn Tree) -> Result<BTreeSet<String>, InputError> {
    let paths = tree.list(FOLDER)?;
    let files = paths
        .iter()
        .filter_map(|path| id_of(path))
        .map(str::to_owned);
    Ok(files.chain(without_file().map(|(id, _)| id)).collect())
}

/// The id of the grader that the file `path` configures, if it is such a file by its name.
fn id_of(path: &str) -> Option<&str> {
    let name = path.strip_prefix(FOLDER)?.strip_prefix('/')?;
    [".json", ".yaml", ".yml"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
}

/// The graders that exist without a file.
fn without_file() -> impl Iterator<Item = (String, Arc<GraderSpec>)> {
    graders::kinds().iter().filter_map(|kind| {
        let settings = (kind.effective)(&Map::new()).ok()?;
        let id = kind.kind.to_owned();
        let spec = GraderSpec {
            id: id.clone(),
            kind: kind.kind,
            rev: kind.rev,
            settings,
            path: None,
        };
        Some((id, Arc::new(spec)))
    })
}

fn file(tree: &dyn Tree, path: &str, id: &str) -> Result<Option<GraderSpec>, InputError> {
    ids::check(id).map_err(|problem| InputError::new(path, problem))?;
    let Some(bytes) = tree.read_text(path)? else {
        return Ok(None);
    };
    from_bytes(path, id, &bytes).map(Some)
}

/// The grader `id` that `bytes`, the content of the file `path`, configure.
///
/// # Errors
/// A fault of form, a kind that does not exist, or a setting that the kind refuses.
pub fn from_bytes(path: &str, id: &str, bytes: &[u8]) -> Result<GraderSpec, InputError> {
    let mut settings: Map<String, Value> = parse::parse_or_default(path, bytes)?;
    let source = Source { path, bytes };
    let known: Vec<_> = graders::kinds().iter().map(|kind| kind.kind).collect();
    let hint = |typed: &str| nearest::hint(typed, &known);
    let kind = match settings.remove("kind") {
        Some(Value::String(kind)) => kind,
        Some(_) => {
            return Err(source
                .fault("kind", "expected the name of a kind")
                .hint(hint("")));
        }
        None => {
            let hint = format!(
                "{}; a file that configures no grader belongs outside {FOLDER}/, or under \
                 another extension",
                hint(id)
            );
            return Err(source.fault("kind", "missing field").hint(hint));
        }
    };
    let Some(kind) = graders::find(&kind) else {
        let problem = format!("there is no kind `{}`", kind.escape_debug());
        return Err(source.fault("kind", problem).hint(hint(&kind)));
    };
    let settings =
        (kind.effective)(&settings).map_err(|error| source.fault(&error.field, error.problem))?;
    Ok(GraderSpec {
        id: id.to_owned(),
        kind: kind.kind,
        rev: kind.rev,
        settings,
        path: Some(path.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_spells_out_the_defaults_hashes_like_no_file() {
        let (_, without) = without_file().find(|(id, _)| id == "io_match").unwrap();
        let text = b"# as it is\nkind: io_match\ntrim: none\nnewlines: exact\n";
        let with = from_bytes("goldens/graders/io_match.yaml", "io_match", text).unwrap();
        assert_eq!(with.digest(), without.digest());
        let text = b"{\"trim\": \"all\", \"kind\": \"io_match\"}";
        let other = from_bytes("goldens/graders/io_match.json", "io_match", text).unwrap();
        assert_ne!(other.digest(), without.digest());
    }

    #[test]
    fn a_fault_names_the_line_of_its_setting() {
        for (text, expected) in [
            ("kind: io_match\nno_such: 1\n", "g.yaml:2:1: no_such: "),
            (
                "kind: io_mtach\n",
                "g.yaml:1:1: kind: there is no kind `io_mtach`\n    did you mean \
                                  `io_match`? known: ",
            ),
            (
                "kind: 5\n",
                "g.yaml:1:1: kind: expected the name of a kind\n    known: ",
            ),
            ("trim: all\n", "g.yaml: kind: missing field\n    known: "),
            ("", "g.yaml: kind: missing field\n    known: "),
            ("- 1\n", "g.yaml:1:1: expected a map"),
            (
                "kind: io_match\ntrim: all\ntrim: none\n",
                "g.yaml:3:1: trim: this field stands here \
                                                         twice",
            ),
        ] {
            let said = from_bytes("g.yaml", "x", text.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(said.starts_with(expected), "{said}\nis not\n{expected}");
        }
    }
}
