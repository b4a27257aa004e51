//! The files of a suite: alone, as what each loader takes them for, and together as a tree.

use std::collections::BTreeMap;

use driftgate::error::InputError;
use driftgate::suite::{Suite, Tree, cassettes, config, parse, quarantine, recorder, tree};
use serde_json::Value;

use super::parts;

/// Loads `bytes`: a tree where they name files, else every file that they might be.
pub fn check(bytes: &[u8]) {
    let files = parts::files(bytes);
    if files.is_empty() {
        alone(bytes);
    } else {
        together(&files);
    }
}

/// One file, as each of those that are read without others.
fn alone(bytes: &[u8]) {
    for path in ["x.json", "x.yaml"] {
        let read = parse::parse::<Value>(path, bytes);
        assert_eq!(parse::parse::<Value>(path, bytes), read);
        if let Err(error) = read {
            is_in_the_text(bytes, &error);
        }
    }
    for errors in [
        config::from_bytes(bytes).err(),
        quarantine::from_bytes(bytes).err(),
    ] {
        for error in errors.into_iter().flatten() {
            is_in_the_text(bytes, &error);
        }
    }
    if let Ok(cassette) = cassettes::from_bytes("x.json", bytes) {
        let text = recorder::text(&cassette);
        assert_eq!(
            cassettes::from_bytes("x.json", text.as_bytes()),
            Ok(cassette)
        );
    }
}

/// A complaint names a line that is there, or the one behind the last.
fn is_in_the_text(bytes: &[u8], error: &InputError) {
    let Some(line) = error.line else {
        return;
    };
    let lines = bytes
        .iter()
        .filter(|byte| matches!(byte, b'\n' | b'\r'))
        .count();
    assert!(line >= 1 && line as usize <= lines + 1, "{error}");
}

/// A whole suite.
fn together(files: &[(&str, &[u8])]) {
    let tree = Memory(files.iter().copied().collect());
    let loaded = Suite::load_with_orphans(&tree);
    let shown = |loaded: &Result<Suite, _>| format!("{loaded:?}");
    assert_eq!(shown(&Suite::load_with_orphans(&tree)), shown(&loaded));
    for folder in Suite::source_folders(&tree) {
        is_inside(&folder);
    }
    if let Ok(suite) = loaded {
        stays_inside(&suite);
    }
}

/// Nothing that a suite names lies outside its root.
fn stays_inside(suite: &Suite) {
    for case in &suite.cases {
        for file in case.files.iter().chain([&case.fixture]) {
            is_inside(&file.path);
            is_inside(&file.beside);
        }
    }
    for recording in suite.recordings.values() {
        is_inside(&recording.output_path);
    }
    for input in suite.graders.values().flat_map(|grader| &grader.inputs) {
        is_inside(&input.path);
        is_inside(&input.beside);
    }
    for consumer in &suite.consumers {
        let folders = consumer.include.iter().chain(&consumer.source_folders);
        let sources = consumer.archive_sources.iter().chain([&consumer.source]);
        let files = consumer.files.keys().chain([&consumer.public_header]);
        folders
            .chain(sources)
            .chain(files)
            .for_each(|path| is_inside(path));
    }
    for public in &suite.headers.headers {
        is_inside(&public.header.path);
    }
}

fn is_inside(path: &str) {
    let is_root = path == ".";
    assert!(
        is_root || tree::inside(path).as_deref() == Ok(path),
        "{path:?}"
    );
}

/// Files as a suite's tree.
struct Memory<'a>(BTreeMap<&'a str, &'a [u8]>);

impl Tree for Memory<'_> {
    fn read_up_to(&self, path: &str, limit: u64) -> Result<Option<Vec<u8>>, InputError> {
        let inner = tree::inside(path).map_err(|problem| InputError::new(path, problem))?;
        match self.0.get(inner.as_str()) {
            Some(bytes) if bytes.len() as u64 > limit => {
                Err(InputError::new(path, "the file is too large"))
            }
            bytes => Ok(bytes.map(|bytes| bytes.to_vec())),
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, InputError> {
        let inner = match folder {
            "" => String::new(),
            _ => tree::inside(folder).map_err(|problem| InputError::new(folder, problem))? + "/",
        };
        let is_listed = |path: &&&str| {
            let below = path.strip_prefix(inner.as_str());
            below.is_some_and(|below| !below.split('/').any(|part| part.starts_with('.')))
                && tree::inside(path).as_deref() == Ok(**path)
        };
        let listed = self.0.keys().filter(is_listed);
        Ok(listed.map(|path| (*path).to_owned()).collect())
    }
}
