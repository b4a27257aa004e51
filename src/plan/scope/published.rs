//! What leads to the rows of what the tree publishes: consumers and public headers.

use std::collections::BTreeSet;

use super::only;
use crate::model::consumer::Consumer;
use crate::model::source_tree::SourceTree;
use crate::model::ways::Ways;
use crate::suite::{Suite, headers as public};

const INCLUDE: &str = "include folder";
const LIBRARY: &str = "library";

/// What leads to the consumers of either side, among it the files of `changed` that one of them
/// reaches for though nobody publishes them.
pub(super) fn consumers(sides: [&Suite; 2], changed: &BTreeSet<String>) -> Ways {
    let all = || sides.iter().flat_map(|suite| &suite.consumers);
    let mut ways = Ways::to(all().map(|consumer| consumer.id.clone()).collect());
    for consumer in all() {
        consumer_ways(&mut ways, consumer, changed);
    }
    ways
}

fn consumer_ways(ways: &mut Ways, consumer: &Consumer, changed: &BTreeSet<String>) {
    let id = only(&consumer.id);
    ways.file(&consumer.path, "consumer", &id);
    let folder = consumer
        .source
        .strip_suffix(&consumer.file)
        .unwrap_or_default();
    for name in consumer.files.keys() {
        ways.file(&format!("{folder}{name}"), "the consumer's own", &id);
    }
    for path in &consumer.include {
        ways.folder(path, INCLUDE, &id);
    }
    for path in &consumer.source_folders {
        ways.folder(path, LIBRARY, &id);
    }
    for source in &consumer.archive_sources {
        ways.file(source, LIBRARY, &id);
    }
    ways.file(&consumer.public_header, "public header", &id);
    let private = |path: &str| {
        let mut names = consumer.private_includes.iter();
        // Also a folder on the way: what is in it comes and goes with it.
        names.any(|(name, _)| name.split('/').any(|part| part == last(path)))
    };
    for path in changed {
        if private(path) {
            ways.file(path, "private header", &id);
        }
        // A folder of headers that a flag names.
        if holds(&consumer.published, path) {
            ways.file(path, INCLUDE, &id);
        }
    }
}

/// Whether `tree` has a file at or below `path`.
fn holds(tree: &SourceTree, path: &str) -> bool {
    let within = format!("{}/", path.trim_end_matches('/'));
    let mut inner = tree.files().range(within.clone()..);
    tree.get(path).is_some()
        || inner
            .next()
            .is_some_and(|(file, _)| file.starts_with(&within))
}

fn last(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}

/// What leads to the public headers of either side. All that is in an include folder leads to all:
/// which header it is part of the compiler alone knows for certain.
pub(super) fn headers(sides: [&Suite; 2]) -> Ways {
    let all = || sides.iter().flat_map(|suite| &suite.headers.headers);
    let ids = all().map(|public| public.header.path.clone());
    // A list that lists nothing has a row of its own.
    let nothing = sides
        .iter()
        .filter(|suite| suite.headers.headers.is_empty());
    let nothing = nothing.filter_map(|suite| suite.headers.declared.as_ref());
    let mut ways = Ways::to(ids.chain(nothing.map(|at| at.path.clone())).collect());
    ways.file_to_all(public::LIST, "list of headers");
    for suite in sides {
        for folder in suite.header_folders() {
            ways.folder_to_all(&folder, INCLUDE);
        }
    }
    for header in all().map(|public| &public.header) {
        for template in public::templates_of(&header.path, &header.name) {
            ways.file(&template, "template", &only(&header.path));
        }
    }
    ways
}
