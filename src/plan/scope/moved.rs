//! Files whose content differs between base and head, as the loader read them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::model::canonical;
use crate::model::case::Case;
use crate::model::cassette::Cassette;
use crate::model::digest::Digest;
use crate::suite::{Suite, config};

/// The paths from the root of files that both sides have, with other content.
pub(super) fn moved(base: &Suite, head: &Suite) -> BTreeSet<String> {
    let (old, new) = (contents(base), contents(head));
    let differs = |(path, content): &(String, Digest)| {
        let before = old.get(path);
        before.is_some_and(|before| before != content)
    };
    new.into_iter()
        .filter(differs)
        .map(|(path, _)| path)
        .collect()
}

/// What each file of `suite` holds; of one that is parsed, what it says.
fn contents(suite: &Suite) -> BTreeMap<String, Digest> {
    let mut contents = BTreeMap::new();
    contents.insert(
        config::FILE.to_owned(),
        canonical::digest(&canonical::value(&suite.config)),
    );
    for case in &suite.cases {
        contents.insert(case.path.clone(), said(case));
        contents.insert(case.prompt_path.clone(), case.prompt);
        for file in case.files.iter().chain([&case.fixture]) {
            contents.insert(file.path.clone(), file.digest);
        }
    }
    for recording in suite.recordings.values() {
        let cassette: &Cassette = &recording.cassette;
        let digest = canonical::digest(&canonical::value(cassette));
        contents.insert(recording.path.clone(), digest);
        contents.insert(recording.output_path.clone(), recording.completion.digest);
    }
    for spec in suite.graders.values() {
        let settings = canonical::digest(&spec.settings);
        contents.extend(spec.path.iter().map(|path| (path.clone(), settings)));
        let inputs = spec.inputs.iter();
        contents.extend(inputs.map(|input| (input.path.clone(), input.digest)));
    }
    contents
}

/// What a case's file says that its other files do not.
fn said(case: &Case) -> Digest {
    let files = case.files.iter().map(|file| &file.path);
    canonical::digest(&json!({
        "contract": case.contract_digest(),
        "prompt": case.prompt_path,
        "fixture": case.fixture.path,
        "files": files.collect::<Vec<_>>(),
        "graders": case.graders,
        "tags": case.tags,
    }))
}
