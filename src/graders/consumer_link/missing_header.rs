//! A file that an `#include` names and that is not there: whose fault that is.

use crate::diagnostics::compiler_text;
use crate::diagnostics::includes::{Form, active_mentions};
use crate::model::consumer::Consumer;
use crate::model::observation::Observation;
use crate::model::tree_path::below;
use crate::model::verdict::Verdict;

use super::classes::{ENVIRONMENT, HEADER_MISSING};
use super::flow::{Flow, Known};
use super::recipe::{CONSUMER, Recipe};
use super::verdicts::{at, path_from_root, short};

/// What a preprocessor did not find.
#[derive(Clone, Debug)]
pub(super) struct Missing {
    name: String,
    /// As the compiler names it.
    path: String,
    line: u32,
    /// From the root, if it is one of ours.
    from_root: Option<String>,
}

impl Missing {
    /// The file that was not found when `text` was to be preprocessed.
    pub(super) fn named_in(consumer: &Consumer, text: &Observation) -> Option<Self> {
        if text.succeeded() {
            return None;
        }
        let diagnostics = compiler_text::parse(&text.stderr);
        diagnostics.iter().find_map(|one| {
            let place = one.place.as_ref()?;
            Some(Self {
                name: one.missing_include()?.to_owned(),
                path: place.path.clone(),
                line: place.line,
                from_root: path_from_root(consumer, &place.path),
            })
        })
    }

    /// Whether a file of the consumer's own wants it.
    fn is_wanted_by_consumer(&self) -> bool {
        let path = self.path.strip_prefix("./").unwrap_or(&self.path);
        path.strip_prefix(CONSUMER)
            .is_some_and(|rest| rest.starts_with('/'))
    }

    /// Whether it is named in `<>`, where that can be seen.
    fn is_angled(&self, consumer: &Consumer) -> bool {
        let path = self.path.strip_prefix("./").unwrap_or(&self.path);
        let own = path
            .strip_prefix(CONSUMER)
            .and_then(|path| path.strip_prefix('/'));
        let text = match (own, &self.from_root) {
            (Some(own), _) => consumer.files.get(own),
            (None, Some(path)) => consumer
                .library
                .get(path)
                .or_else(|| consumer.published.get(path)),
            (None, None) => None,
        };
        let mentions = text
            .map(|text| active_mentions(&text.bytes))
            .unwrap_or_default();
        let named = mentions
            .iter()
            .find(|one| one.line == self.line && one.name == self.name);
        named.is_some_and(|named| named.form == Form::Angled)
    }

    /// The files of the library that end in this name.
    fn in_library<'a>(&self, consumer: &'a Consumer) -> Option<&'a str> {
        let name = self.name.trim_start_matches("../").trim_start_matches("./");
        named_in_library(consumer, name, |_| true)
    }

    /// Whether the name is one that the library would publish: its public header, or one in a
    /// folder that it publishes.
    fn is_public(&self, consumer: &Consumer) -> bool {
        let folder = |path: &str| path.split_once('/').map(|(folder, _)| folder.to_owned());
        let Some(top) = folder(&self.name) else {
            return self.name == consumer.header_name;
        };
        let mut below = consumer.published.files().keys().flat_map(|path| {
            let folders = consumer.include.iter();
            folders.filter_map(|include| below(path, include).and_then(folder))
        });
        let of_header = folder(&consumer.header_name);
        of_header.as_deref() == Some(top.as_str()) || below.any(|published| published == top)
    }

    /// Whether the change touched the file that wants it.
    fn is_in_change(&self, consumer: &Consumer) -> bool {
        match (&consumer.changed, &self.from_root) {
            (Some(changed), Some(path)) => changed.contains(path),
            (Some(_), None) | (None, _) => false,
        }
    }
}

/// The first file of the library of this name, in whatever folder, that is `wanted`.
fn named_in_library<'a>(
    consumer: &'a Consumer,
    name: &str,
    wanted: impl Fn(&str) -> bool,
) -> Option<&'a str> {
    let ending = format!("/{name}");
    let mut paths = consumer.library.files().keys();
    paths
        .find(|path| (*path == name || path.ends_with(&ending)) && wanted(path))
        .map(String::as_str)
}

/// The verdict on a public header that is not published, whatever a compiler finds by its name.
pub(super) fn unpublished(consumer: &Consumer) -> Option<Verdict> {
    if consumer.published.get(&consumer.public_header).is_some() {
        return None;
    }
    let name = short(&consumer.header_name);
    let detail = format!("`{name}` is not among what the library publishes");
    let found = Verdict::of(&HEADER_MISSING, detail).with("name", name);
    let is_private = |path: &str| consumer.published.get(path).is_none();
    let private = named_in_library(consumer, &consumer.header_name, is_private);
    Some(match private {
        Some(path) => found.with("private", path),
        None => found,
    })
}

/// Whether a header that a source of the library wants is absent whatever the change: no file of
/// the library has its name, what wants it is as it was, and a unit that wants nothing else does
/// not find it either.
pub(super) fn is_of_environment(
    recipe: &Recipe,
    known: &mut Known<'_>,
    missing: &Missing,
    level: &str,
) -> Flow<bool> {
    let consumer = &recipe.consumer;
    if missing.is_in_change(consumer)
        || missing.in_library(consumer).is_some()
        || missing.is_public(consumer)
    {
        return Ok(false);
    }
    is_absent(recipe, known, &missing.name, level)
}

/// Whether nothing here has a header of that name: what a source prints about it counts for
/// nothing.
fn is_absent(recipe: &Recipe, known: &mut Known<'_>, name: &str, level: &str) -> Flow<bool> {
    if name.contains(['>', '"', '\n', '\\']) {
        return Ok(false);
    }
    let alone = recipe.preprocessed(&recipe.includes_only(name, level));
    let alone = known.one(&alone)?;
    let missing = Missing::named_in(&recipe.consumer, alone);
    Ok(missing.is_some_and(|missing| missing.name == name))
}

/// The verdict on a header that this machine lacks.
pub(super) fn environment(missing: &Missing) -> Verdict {
    let name = short(&missing.name);
    let detail = format!("`{name}` is not installed on this machine");
    Verdict::of(&ENVIRONMENT, detail).with("name", name)
}

/// The verdict on what the consumer or the second unit did not find.
pub(super) fn judge(
    recipe: &Recipe,
    known: &mut Known<'_>,
    missing: &Missing,
    level: &str,
) -> Flow<Verdict> {
    let consumer = &recipe.consumer;
    let is_promised = missing.is_public(consumer) || missing.name == consumer.header_name;
    let by_consumer = missing.is_wanted_by_consumer();
    let is_foreign = missing.is_angled(consumer)
        && (by_consumer || missing.in_library(consumer).is_none())
        && !missing.is_in_change(consumer);
    if !is_promised && is_foreign && is_absent(recipe, known, &missing.name, level)? {
        return Ok(environment(missing));
    }
    let name = short(&missing.name);
    let found = if missing.from_root.is_some() && !by_consumer {
        Verdict::of(
            &HEADER_MISSING,
            format!("a published header includes `{name}`, which is not published"),
        )
    } else {
        Verdict::of(
            &HEADER_MISSING,
            format!("`{name}` is not among what the library publishes"),
        )
    };
    let found = found.with("name", name.as_str());
    let found = match &missing.from_root {
        Some(path) => found.with("at", at(path, missing.line)),
        None => found,
    };
    let private = missing.in_library(consumer);
    let private = private.filter(|path| consumer.published.get(path).is_none());
    Ok(match private {
        Some(path) => found.with("private", path),
        None => found,
    })
}
