//! Cassettes: recorded completions under `goldens/cassettes/`, read and written. Whether hashes
//! and verdicts are believable is judged elsewhere; here only the form counts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::parse::{self, MapOnly, Source};
use super::tree::{self, Tree};
use super::{GOLDENS, ids, nearest};
use crate::error::InputError;
use crate::model::cassette::{Acceptance, Cassette, CassetteHashes};
use crate::model::pins::Completion;
use crate::model::verdict::Outcome;

/// The folder of the cassettes, from the root.
pub const FOLDER: &str = "goldens/cassettes";
/// The name of the format. A file need not carry it, but may carry no other.
pub const SCHEMA: &str = "driftgate/cassette/1";

const NEWER: &str = "was it written by a newer driftgate? Update driftgate, or record again";

/// A cassette with what it recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The cassette.
    pub cassette: Arc<Cassette>,
    /// The completion's bytes as they are now, and their digest.
    pub completion: Arc<Completion>,
    /// The cassette's file, from the root.
    pub path: String,
    /// The completion's file, from the root.
    pub output_path: String,
}

/// A cassette as it is written.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Cassette")]
#[serde(deny_unknown_fields, expecting = "a map with the fields of a cassette")]
pub(super) struct RawCassette {
    #[serde(default)]
    schema: Option<String>,
    case: String,
    output: String,
    recorded_at: String,
    hashes: MapOnly<CassetteHashes>,
    #[serde(default)]
    toolchain: String,
    verdicts: BTreeMap<String, MapOnly<Outcome>>,
    #[serde(default)]
    run: Option<Value>,
    #[serde(default)]
    accepted: Vec<MapOnly<Acceptance>>,
    #[serde(default)]
    stale: Vec<String>,
}

/// Reads all cassettes of `tree`, by case id.
///
/// # Errors
/// The first fault of each file; outputs that are missing or lie outside `goldens/`.
pub fn load(tree: &dyn Tree) -> Result<BTreeMap<String, Recording>, Vec<InputError>> {
    let paths = tree.list(FOLDER).map_err(|error| vec![error])?;
    let mut recordings = BTreeMap::new();
    let mut errors = Vec::new();
    for path in &paths {
        let Some(id) = id_of(path) else {
            continue;
        };
        match recording(tree, path, id) {
            Ok(Some(recording)) => {
                recordings.insert(id.to_owned(), recording);
            }
            Ok(None) => {}
            Err(error) => errors.push(error),
        }
    }
    errors.sort();
    if errors.is_empty() {
        Ok(recordings)
    } else {
        Err(errors)
    }
}

/// A complaint about each recording whose case is not among `cases`.
#[must_use]
pub fn orphans<'a>(
    recordings: &BTreeMap<String, Recording>,
    cases: impl IntoIterator<Item = &'a str>,
) -> Vec<InputError> {
    let known: BTreeSet<_> = cases.into_iter().collect();
    let gone = recordings
        .iter()
        .filter(|(id, _)| !known.contains(id.as_str()));
    gone.map(|(id, recording)| {
        let near = nearest::nearest(id, known.iter().copied())
            .map(|name| format!("did you mean `{name}`? "))
            .unwrap_or_default();
        let hint = format!(
            "{near}delete the cassette and {}, or restore the case",
            recording.output_path
        );
        let problem = format!("there is no case `{id}`");
        InputError::new(recording.path.clone(), problem)
            .field("case")
            .hint(hint)
    })
    .collect()
}

/// The case id that belongs to the cassette file `path`, if it is one by its name.
fn id_of(path: &str) -> Option<&str> {
    path.strip_prefix(FOLDER)?
        .strip_prefix('/')?
        .strip_suffix(".json")
}

/// The cassette file of the case `id`, from the root.
#[must_use]
pub fn path_of(id: &str) -> String {
    format!("{FOLDER}/{id}.json")
}

/// Where the completion of the case `id` is stored unless its cassette says otherwise, from
/// `goldens/`.
#[must_use]
pub fn output_of(id: &str) -> String {
    format!("cassettes/{id}.out")
}

/// The cassette in `bytes`, the content of the file `path`.
///
/// # Errors
/// A fault of form, also one that only a newer version would not have.
pub fn from_bytes(path: &str, bytes: &[u8]) -> Result<Cassette, InputError> {
    let MapOnly::<RawCassette>(raw) = parse::parse(path, bytes).map_err(|error| {
        if error.problem != "unknown field" {
            return error;
        }
        let hint = format!("{NEWER}\n    {}", error.hint);
        error.hint(hint)
    })?;
    if let Some(schema) = raw.schema.filter(|schema| schema != SCHEMA) {
        let problem = format!("expected `{SCHEMA}`, found `{}`", schema.escape_debug());
        return Err(Source::new(path, bytes)
            .fault("schema", problem)
            .hint(NEWER));
    }
    Ok(Cassette {
        case: raw.case,
        output: raw.output,
        recorded_at: raw.recorded_at,
        hashes: raw.hashes.0,
        toolchain: raw.toolchain,
        verdicts: raw
            .verdicts
            .into_iter()
            .map(|(id, outcome)| (id, outcome.0))
            .collect(),
        run: raw.run,
        accepted: raw
            .accepted
            .into_iter()
            .map(|acceptance| acceptance.0)
            .collect(),
        stale: raw.stale,
    })
}

fn recording(tree: &dyn Tree, path: &str, id: &str) -> Result<Option<Recording>, InputError> {
    ids::check(id).map_err(|problem| InputError::new(path, problem))?;
    let Some(bytes) = tree.read_text(path)? else {
        return Ok(None);
    };
    let cassette = from_bytes(path, &bytes)?;
    let source = &Source::new(path, &bytes);
    if cassette.case != id {
        let found = cassette.case.escape_debug();
        let problem = format!("expected `{id}`, as the file is called, found `{found}`");
        return Err(source.fault("case", problem));
    }
    let shown = cassette.output.escape_debug();
    let inner = tree::inside(&cassette.output)
        .map_err(|problem| source.fault("output", format!("`{shown}` {problem}")))?;
    let output_path = format!("{GOLDENS}/{inner}");
    let output = tree
        .read(&output_path)
        .map_err(|error| source.fault("output", format!("`{shown}` {}", error.problem)))?;
    let Some(output) = output else {
        let hint = format!(
            "restore {output_path} from version control, or delete {path} and record the case again"
        );
        return Err(source
            .fault("output", format!("`{shown}` does not exist"))
            .hint(hint));
    };
    let completion = Arc::new(Completion::new(output));
    Ok(Some(Recording {
        cassette: Arc::new(cassette),
        completion,
        path: path.to_owned(),
        output_path,
    }))
}
