//! What a change can reach: for each lane the files that lead to its rows, at the base or at head.
//!
//! It reads what the loader found and no file, and errs on one side: what cannot be told from a
//! path counts as reached. The compiler and what else is installed are no files of a change.

mod moved;
mod published;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use moved::moved;

use crate::graders::command;
use crate::model::case::Case;
use crate::model::touched::Touched;
use crate::model::tree_path::{ATTRIBUTES, joined};
use crate::model::ways::{Reached, Ways};
use crate::suite::{Suite, config, consumers, headers, quarantine};

type Ids = Arc<BTreeSet<String>>;

/// What reaches what, by lane, of the files that differ between `base` and `head`.
#[must_use]
pub fn lanes(base: &Suite, head: &Suite, touched: &Touched) -> BTreeMap<&'static str, Reached> {
    let sides = [base, head];
    let changed = &touched.files;
    let mut all = changed.clone();
    all.extend(touched.anything.keys().cloned());
    // What differs though no path says so: behind a link, or by another way to check it out.
    all.extend(moved(base, head));
    let lanes = [
        ("replay", cases(sides)),
        (consumers::GRADER, published::consumers(sides, changed)),
        (headers::GRADER, published::headers(sides)),
    ];
    let reached = lanes.map(|(lane, mut ways)| {
        everywhere(&mut ways, sides, touched);
        (lane, ways.reached_by(&all))
    });
    reached.into_iter().collect()
}

/// What leads into every lane.
fn everywhere(ways: &mut Ways, sides: [&Suite; 2], touched: &Touched) {
    ways.file_to_all(config::FILE, "configuration");
    for (path, what) in &touched.anything {
        ways.file_to_all(path, what);
    }
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    for path in touched
        .files
        .iter()
        .filter(|path| name(path).as_deref() == Some(ATTRIBUTES))
    {
        ways.file_to_all(path, "attributes of git");
    }
    for entry in sides.iter().flat_map(|suite| &suite.quarantine) {
        ways.file(quarantine::FILE, "quarantine", &only(&entry.case));
    }
}

fn cases(sides: [&Suite; 2]) -> Ways {
    let all = || sides.iter().flat_map(|suite| &suite.cases);
    let mut ways = Ways::to(all().map(|case| case.id.clone()).collect());
    for case in all() {
        let id = only(&case.id);
        for (path, what) in files(case) {
            ways.file(path, what, &id);
        }
    }
    for (id, recording) in sides.iter().flat_map(|suite| &suite.recordings) {
        let id = only(id);
        ways.file(&recording.path, "cassette", &id);
        ways.file(&recording.output_path, "completion", &id);
    }
    for (grader, cases) in users(sides) {
        graders(&mut ways, sides, (grader, &Arc::new(cases)));
    }
    ways
}

/// The files of a case, and what each is to it.
fn files(case: &Case) -> impl Iterator<Item = (&str, &'static str)> {
    let own = [
        (case.path.as_str(), "case"),
        (case.prompt_path.as_str(), "prompt"),
        (case.fixture.path.as_str(), "fixture"),
    ];
    let more = case.files.iter().map(|file| (file.path.as_str(), "file"));
    // A case need not have a fixture.
    own.into_iter()
        .chain(more)
        .filter(|(path, _)| !path.is_empty())
}

/// The cases that each grader judges, at the base or at head.
fn users(sides: [&Suite; 2]) -> BTreeMap<&str, BTreeSet<String>> {
    let mut users = BTreeMap::<&str, BTreeSet<String>>::new();
    for case in sides.iter().flat_map(|suite| &suite.cases) {
        for grader in &case.graders {
            users.entry(grader).or_default().insert(case.id.clone());
        }
    }
    users
}

/// What leads to the `cases` that the grader `id` judges: its own file, what it declares and, if
/// it is a program of the team's, what such programs may read besides.
fn graders(ways: &mut Ways, sides: [&Suite; 2], (id, cases): (&str, &Ids)) {
    for suite in sides {
        let Some(spec) = suite.graders.get(id) else {
            continue;
        };
        if let Some(path) = &spec.path {
            ways.file(path, &format!("grader {id}"), cases);
        }
        for input in &spec.inputs {
            ways.file(&input.path, &format!("input of grader {id}"), cases);
        }
        if spec.kind != command::KIND.kind {
            continue;
        }
        for granted in &suite.config.sandbox.read {
            let path = in_root(granted);
            ways.folder(&path, &format!("read by grader {id}"), cases);
        }
    }
}

/// `path` from the root in one spelling; `.` is the root, and so is what cannot be told from here:
/// where the root itself lies, and where `..` leads from behind a link.
fn in_root(path: &str) -> String {
    let is_plain = path.split('/').all(|part| part != "..");
    let inner = joined("", path).filter(|inner| is_plain && !inner.is_empty());
    inner.unwrap_or_else(|| ".".to_owned())
}

fn only(id: &str) -> Ids {
    Arc::new(BTreeSet::from([id.to_owned()]))
}

#[cfg(test)]
mod tests;
