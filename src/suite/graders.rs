//! Graders as configured: a file under `goldens/graders/` names a kind and its settings; a kind
//! that needs no settings exists without a file, under its own name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::parse::{self, Source};
use super::tree::Tree;
use super::{grader_inputs, ids, nearest};
use crate::error::InputError;
use crate::graders::{self, SettingError, Start};
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
    graders::of_completions().filter_map(|kind| {
        let settings = (kind.effective)(&Map::new()).ok()?;
        let id = kind.kind.to_owned();
        let spec = GraderSpec {
            id: id.clone(),
            kind: kind.kind,
            rev: kind.rev,
            settings,
            inputs: Vec::new(),
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
    from_bytes(tree, path, id, &bytes).map(Some)
}

/// The grader `id` that `bytes`, the content of the file `path` of `tree`, configure.
///
/// # Errors
/// A fault of form, a kind that does not exist, a setting that the kind refuses, or a declared
/// input that is not there.
pub fn from_bytes(
    tree: &dyn Tree,
    path: &str,
    id: &str,
    bytes: &[u8],
) -> Result<GraderSpec, InputError> {
    let mut settings: Map<String, Value> = parse::parse_or_default(path, bytes)?;
    let source = &Source::new(path, bytes);
    let known: Vec<_> = graders::of_completions().map(|kind| kind.kind).collect();
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
    if matches!(kind.start, Start::Tree(_)) {
        let problem = format!("`{}` judges the tree, not completions", kind.kind);
        let hint = format!("it is configured in driftgate.yml, under `{}`", kind.kind);
        return Err(source.fault("kind", problem).hint(hint));
    }
    let refusal = |error: SettingError| source.fault(&error.field, error.problem);
    let settings = (kind.effective)(&settings).map_err(refusal)?;
    let mut inputs = Vec::new();
    if let Some(declared) = &kind.inputs {
        inputs = grader_inputs::load(tree, source, &(declared.globs)(&settings))?;
        (declared.check)(&settings, &inputs).map_err(refusal)?;
    }
    Ok(GraderSpec {
        id: id.to_owned(),
        kind: kind.kind,
        rev: kind.rev,
        settings,
        inputs,
        path: Some(path.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    use crate::suite::WorkingTree;

    /// A tree on disk with a few files among its goldens.
    fn tree() -> (tempfile::TempDir, WorkingTree) {
        let dir = tempfile::tempdir().unwrap();
        let goldens = dir.path().join(super::super::GOLDENS);
        fs::create_dir_all(goldens.join("tools/deep")).unwrap();
        for (path, text) in [
            ("tools/check.py", "print()"),
            ("tools/deep/data.bin", "\0\u{7f}"),
            ("tools/.hidden", ""),
        ] {
            fs::write(goldens.join(path), text).unwrap();
        }
        symlink("check.py", goldens.join("tools/link.py")).unwrap();
        symlink("/etc/passwd", goldens.join("tools/leak")).unwrap();
        let tree = WorkingTree::open(dir.path()).unwrap();
        (dir, tree)
    }

    fn command(text: &str) -> Result<GraderSpec, String> {
        let (_dir, tree) = tree();
        let text = format!("kind: command\n{text}");
        from_bytes(&tree, "g.yaml", "x", text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn declared_inputs_are_found_by_globs_and_hashed() {
        let inputs = |globs: &str| {
            let spec = command(&format!("command: [python3]\ninputs: {globs}\n")).unwrap();
            let paths: Vec<_> = spec.inputs.iter().map(|file| file.beside.clone()).collect();
            (paths.join(" "), spec.digest())
        };
        for (globs, expected) in [
            ("['tools/*.py']", "tools/check.py tools/link.py"),
            ("['tools/**/*.bin']", "tools/deep/data.bin"),
            (
                "[tools/check.py, './tools//check.py', 'tools/check.*']",
                "tools/check.py",
            ),
            ("['tools/.hidden']", "tools/.hidden"),
            ("[]", ""),
        ] {
            assert_eq!(inputs(globs).0, expected, "{globs}");
        }
        assert_eq!(
            inputs("[tools/check.py, tools/link.py]").1,
            inputs("[tools/link.py, tools/check.py]").1
        );
        assert_ne!(inputs("[tools/check.py]").1, inputs("[]").1);
    }

    #[test]
    fn an_edited_input_is_another_grader() {
        let (dir, tree) = tree();
        let text = b"kind: command\ncommand: [python3]\ninputs: ['tools/*.py']\n";
        let digest = || from_bytes(&tree, "g.yaml", "x", text).unwrap().digest();
        let before = digest();
        assert_eq!(digest(), before);
        let script = dir.path().join("goldens/tools/check.py");
        fs::write(&script, "print(1)").unwrap();
        let edited = digest();
        assert_ne!(edited, before);
        fs::copy(&script, dir.path().join("goldens/tools/more.py")).unwrap();
        assert_ne!(digest(), edited);
    }

    #[test]
    fn what_cannot_be_an_input_is_refused_by_name() {
        for (settings, expected) in [
            (
                "inputs: [tools/none.py]",
                "g.yaml:3:1: inputs: `tools/none.py` matches no file\n    inputs are relative to",
            ),
            (
                "inputs: ['tools/*.rb']",
                "g.yaml:3:1: inputs: `tools/*.rb` matches no file",
            ),
            (
                "inputs: [../x]",
                "g.yaml:3:1: inputs: `../x` leaves its folder through `..`",
            ),
            (
                "inputs: [/etc/passwd]",
                "g.yaml:3:1: inputs: `/etc/passwd` is absolute",
            ),
            (
                "inputs: ['tools/le*']",
                "g.yaml:3:1: inputs: `tools/le*` names `tools/leak`, which leaves the root",
            ),
            (
                "inputs: [tools]",
                "g.yaml:3:1: inputs: `tools` names `tools`, which is not a regular",
            ),
            (
                "inputs: ['tools/[']",
                "g.yaml:3:1: inputs: `tools/[` is no glob: ",
            ),
            ("inputs: tools", "g.yaml:3:1: inputs: expected a list"),
            ("inputs: [1]", "g.yaml:3:10: inputs[0]: expected a text"),
            (
                "timeout_s: 0",
                "g.yaml:3:1: timeout_s: expected 1 to 3600 seconds, found 0",
            ),
            (
                "time: 1",
                "g.yaml:3:1: time: unknown setting; command knows command, inputs",
            ),
        ] {
            let said = command(&format!("command: [python3]\n{settings}\n")).unwrap_err();
            assert!(said.starts_with(expected), "{said}\nis not\n{expected}");
        }
        for (settings, expected) in [
            ("", "g.yaml: command: expected a program"),
            ("command: []", "g.yaml:2:1: command: expected a program"),
            (
                "command: x",
                "g.yaml:2:1: command: expected a list of texts",
            ),
            (
                "command: ['']",
                "g.yaml:2:11: command[0]: expected the name",
            ),
            (
                "command: [tools/check.py]",
                "g.yaml:2:11: command[0]: `tools/check.py` is none of the declared",
            ),
        ] {
            let said = command(settings).unwrap_err();
            assert!(said.starts_with(expected), "{said}\nis not\n{expected}");
        }
        assert!(command("command: [/bin/sh, -c, 'exit 1']").is_ok());
        assert!(command("command: [./tools/check.py]\ninputs: ['tools/*.py']").is_ok());
    }

    #[test]
    fn a_file_that_spells_out_the_defaults_hashes_like_no_file() {
        let (_dir, tree) = tree();
        let (_, without) = without_file().find(|(id, _)| id == "io_match").unwrap();
        let text = b"# as it is\nkind: io_match\ntrim: none\nnewlines: exact\n";
        let with = from_bytes(&tree, "goldens/graders/io_match.yaml", "io_match", text).unwrap();
        assert_eq!(with.digest(), without.digest());
        let text = b"{\"trim\": \"all\", \"kind\": \"io_match\"}";
        let other = from_bytes(&tree, "goldens/graders/io_match.json", "io_match", text).unwrap();
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
            let (_dir, tree) = tree();
            let said = from_bytes(&tree, "g.yaml", "x", text.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(said.starts_with(expected), "{said}\nis not\n{expected}");
        }
    }
}
