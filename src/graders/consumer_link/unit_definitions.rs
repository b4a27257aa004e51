//! The definitions that each unit sees in the library's headers, and where two see another one.

use std::collections::BTreeSet;

use crate::diagnostics::cpp_tokens::{Token, tokens};
use crate::diagnostics::odr_tokens::{DefinitionKind, Definitions, Differing, differing};
use crate::model::consumer::Consumer;
use crate::model::digest::Digest;
use crate::model::source_tree::CHECKOUT;

use super::flow::{Flow, Known};
use super::recipe::{Recipe, Unit, is_of_link};
use super::settings::Mode;

/// How many units are held against each other.
const MOST_UNITS: usize = 24;

/// A unit by its name in evidence.
pub(super) struct NamedUnit {
    pub(super) name: String,
    pub(super) unit: Unit,
}

/// A definition that two units see differently.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Disagreement {
    pub(super) definition: Differing,
    /// The two units, by their places among the units.
    pub(super) between: (usize, usize),
}

impl Disagreement {
    pub(super) fn is_type(&self) -> bool {
        self.definition.kind == DefinitionKind::Type
    }
}

/// The consumer, the second unit, and the library's sources.
pub(super) fn units(recipe: &Recipe, level: &str) -> Vec<NamedUnit> {
    let named = |name: &str, unit: Unit| NamedUnit {
        name: name.to_owned(),
        unit,
    };
    let mut units = vec![
        named("consumer", recipe.consumer_unit(level)),
        named("second unit", recipe.second_unit(level)),
    ];
    let sources = recipe.consumer.archive_sources.iter();
    units.extend(sources.map(|path| named(path, recipe.source(path, level, Mode::Archive))));
    units.truncate(MOST_UNITS);
    units
}

/// Whether macros of one unit can change what another reads of a header, as far as flags and the
/// unit's own lines tell.
pub(super) fn may_disagree(consumer: &Consumer) -> bool {
    let own = consumer.files.values();
    let sources = consumer.archive_sources.iter();
    let sources = sources.filter_map(|path| consumer.library.get(path));
    let mut texts = own.chain(sources);
    consumer.flags.iter().any(|flag| !is_of_link(flag))
        || texts.any(|text| defines_before_include(&text.bytes))
}

fn defines_before_include(text: &[u8]) -> bool {
    let mut has_defined = false;
    let mut directives = tokens(text).filter(|token| token.is_directive);
    let word = |token: &Token<'_>, words: &[&str]| words.iter().any(|word| token.is(word));
    directives.any(|token| {
        has_defined |= word(&token, &["define", "undef"]);
        has_defined && word(&token, &["include"])
    })
}

/// What was found in preprocessed texts.
pub(super) struct Seen {
    pub(super) disagreements: Vec<Disagreement>,
    /// The units whose text is larger than is read, by their places.
    pub(super) unread: Vec<usize>,
}

/// What any two of `units` see differently.
pub(super) fn disagreements(
    recipe: &Recipe,
    known: &mut Known<'_>,
    units: &[NamedUnit],
) -> Flow<Seen> {
    let steps: Vec<_> = units
        .iter()
        .map(|one| recipe.preprocessed(&one.unit))
        .collect();
    let answers = known.all(&steps)?;
    let is_project = |file: &str| {
        let file = file.strip_prefix("./").unwrap_or(file);
        file.strip_prefix(CHECKOUT)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    let mut seen: BTreeSet<Digest> = BTreeSet::new();
    let mut read: Vec<(usize, Definitions)> = Vec::new();
    for (at, answer) in answers.iter().enumerate() {
        // Units whose text is the same cannot disagree.
        if answer.succeeded() && !answer.truncated && seen.insert(Digest::of(&answer.stdout)) {
            read.push((at, Definitions::read(&answer.stdout, is_project)));
        }
    }
    let mut found: Vec<Disagreement> = Vec::new();
    for (index, (at, one)) in read.iter().enumerate() {
        for (other_at, other) in read.iter().skip(index + 1) {
            found.extend(
                differing(one, other)
                    .into_iter()
                    .map(|definition| Disagreement {
                        definition,
                        between: (*at, *other_at),
                    }),
            );
        }
    }
    found.sort();
    found.dedup_by(|a, b| a.definition == b.definition);
    let is_cut = |at: &usize| answers.get(*at).is_some_and(|answer| answer.truncated);
    Ok(Seen {
        disagreements: found,
        unread: (0..answers.len()).filter(is_cut).collect(),
    })
}
