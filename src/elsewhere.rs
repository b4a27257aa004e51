//! Where in the checkout a file lies that a stranger does not find: most likely it is private.

use std::path::Path;

use serde_json::json;

use crate::model::report::Report;
use crate::suite::{Tree as _, WorkingTree};

/// The class of rows that miss a file.
const CLASS: &str = "header_missing";
/// The evidence that names the file as it was included.
const NAME: &str = "name";
/// The evidence that is added.
const ELSEWHERE: &str = "elsewhere";
/// How many places are shown.
const SHOWN: usize = 3;

/// Adds to every row about a missing header where the checkout has a file of that name, seldom
/// enough for the checkout to be listed then. What cannot be listed is not searched.
pub(crate) fn add(report: &mut Report, root: &Path) {
    let lanes = report.experiments.iter_mut();
    let rows = lanes.flat_map(|lane| lane.rows.iter_mut());
    let mut missing = rows
        .filter(|row| {
            let class = row.evidence.get("class").and_then(|class| class.as_str());
            row.class == CLASS || class == Some(CLASS)
        })
        .peekable();
    if missing.peek().is_none() {
        return;
    }
    let Ok(paths) = WorkingTree::open(root).and_then(|tree| tree.list("")) else {
        return;
    };
    for row in missing {
        let Some(name) = row.evidence.get(NAME).and_then(|name| name.as_str()) else {
            continue;
        };
        let places = named(&paths, name);
        if !places.is_empty() {
            row.evidence.insert(ELSEWHERE.to_owned(), json!(places));
        }
    }
}

/// The paths that end in `name`, or else in its last part.
fn named<'a>(paths: &'a [String], name: &str) -> Vec<&'a str> {
    let name = name.trim_start_matches("../").trim_start_matches("./");
    let last = name.rsplit('/').next().unwrap_or(name);
    let ending = |end: &str| -> Vec<&'a str> {
        let below = format!("/{end}");
        let found = paths
            .iter()
            .filter(|path| path.as_str() == end || path.ends_with(&below));
        found.map(String::as_str).take(SHOWN).collect()
    };
    let whole = ending(name);
    if whole.is_empty() && !last.is_empty() {
        ending(last)
    } else {
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_as_much_of_its_name_as_there_is() {
        let paths = ["a.h", "include/x.h", "src/detail/x.h", "src/x.hpp"].map(str::to_owned);
        for (name, expected) in [
            ("detail/x.h", vec!["src/detail/x.h"]),
            ("other/x.h", vec!["include/x.h", "src/detail/x.h"]),
            ("../a.h", vec!["a.h"]),
            ("x", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(named(&paths, name), expected, "{name}");
        }
    }
}
