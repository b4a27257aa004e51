//! A consumer that is no stranger: it declares in the library's name what the library should.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diagnostics::cpp_tokens::{Kind, Token, tokens};
use crate::diagnostics::declared_namespaces::{Declared, declared};
use crate::diagnostics::includes::active_mentions;
use crate::diagnostics::linemarkers::{Located, located};
use crate::model::consumer::Consumer;
use crate::model::observation::Observation;
use crate::model::source_tree::SourceText;
use crate::model::step::Step;
use crate::model::verdict::Verdict;

use super::classes::INVALID_CONSUMER;
use super::flow::{Flow, Known, Stop};
use super::recipe::{CONSUMER, Recipe};
use super::verdicts::{at, lines, path_from_root, short};

/// What preprocesses the consumer, if its own text may declare what it must not: a macro of the
/// library's is not its doing.
pub(super) fn step(recipe: &Recipe, level: &str) -> Option<Step> {
    let consumer = &recipe.consumer;
    let is_bound = !consumer.forbidden.is_empty();
    let may_declare = is_bound && (has_macros(consumer) || !in_raw_text(consumer).is_empty());
    may_declare.then(|| recipe.preprocessed(&recipe.consumer_unit(level)))
}

/// Stops if the consumer declares anything forbidden.
pub(super) fn refuse(recipe: &Recipe, known: &mut Known<'_>, level: &str) -> Flow<()> {
    let consumer = &recipe.consumer;
    let Some(step) = step(recipe, level) else {
        return Ok(());
    };
    let found = in_whole(consumer, known.one(&step)?);
    match found.first() {
        None => Ok(()),
        Some(first) => Err(Stop::done(intruding(first, &found))),
    }
}

/// Stops if the consumer includes anything private, or a file of this machine by its absolute path:
/// the checkout has one too.
pub(super) fn refuse_private_includes(consumer: &Consumer) -> Flow<()> {
    let private = consumer.private_includes.iter();
    let private = private.map(|(name, line)| (consumer.source.clone(), name.clone(), *line));
    let found: Vec<_> = private.chain(absolute_includes(consumer)).collect();
    let Some((path, name, line)) = found.first() else {
        return Ok(());
    };
    let name = short(name);
    let detail = format!("the consumer includes `{name}`, which nobody publishes");
    let all: Vec<_> = found
        .iter()
        .map(|(_, name, line)| (short(name), *line))
        .collect();
    let refused = Verdict::of(&INVALID_CONSUMER, detail)
        .with("name", name)
        .with("at", at(path, *line))
        .with("private_includes", lines(&all));
    Err(Stop::done(refused))
}

/// What the consumer's own files include by an absolute path: their paths from the root, the names
/// and the lines.
fn absolute_includes(consumer: &Consumer) -> impl Iterator<Item = (String, String, u32)> {
    consumer.files.iter().flat_map(|(file, text)| {
        let path = path_from_root(consumer, &format!("{CONSUMER}/{file}")).unwrap_or_default();
        let mentions = active_mentions(&text.bytes).into_iter();
        mentions
            .filter(|one| one.name.trim_start().starts_with('/'))
            .map(move |one| (path.clone(), one.name, one.line))
    })
}

/// A declaration with its file, from the root.
type Intrusion = (String, Declared);

/// What the consumer declares where it must not. The preprocessed text knows what its conditions
/// leave out.
fn in_whole(consumer: &Consumer, text: &Observation) -> Vec<Intrusion> {
    if !text.succeeded() || text.truncated {
        return in_raw_text(consumer);
    }
    let is_own = |file: &str| {
        let file = file.strip_prefix("./").unwrap_or(file);
        file.strip_prefix(CONSUMER)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    let own: Vec<Located<'_>> = located(&text.stdout)
        .filter(|one| is_own(&one.file) && !one.token.is_directive)
        .collect();
    let found = declared(&own, &consumer.forbidden);
    if found.is_empty() && consumer.files.values().any(has_line_directives) {
        return in_raw_text(consumer);
    }
    // A header of the library could give what it declares itself out for the consumer's.
    let published = consumer.published.files();
    if !found.is_empty() && published.values().any(has_line_directives) {
        return in_raw_text(consumer);
    }
    let path_of = |found: &Declared| {
        let mut files = own.iter().filter(|one| one.line == found.line);
        let file = files
            .next()
            .and_then(|one| path_from_root(consumer, &one.file));
        file.unwrap_or_else(|| consumer.source.clone())
    };
    found
        .into_iter()
        .map(|found| (path_of(&found), found))
        .collect()
}

fn in_raw_text(consumer: &Consumer) -> Vec<Intrusion> {
    let each = consumer.files.iter().flat_map(|(name, text)| {
        // Lines as they are, whatever the text says of them.
        let own: Vec<Located<'_>> = tokens(&text.bytes)
            .filter(|token| !token.is_directive)
            .map(|token| Located {
                file: Arc::from(""),
                line: token.line,
                token,
            })
            .collect();
        let path = path_from_root(consumer, &format!("{CONSUMER}/{name}")).unwrap_or_default();
        let found = declared(&own, &consumer.forbidden);
        found.into_iter().map(move |found| (path.clone(), found))
    });
    each.collect()
}

/// Whether a text says that it comes from elsewhere, which origins cannot be trusted after.
fn has_line_directives(text: &SourceText) -> bool {
    let mut tokens = tokens(&text.bytes).peekable();
    while let Some(token) = tokens.next() {
        let says_line =
            |next: &Token<'_>| next.is_directive && (next.kind == Kind::Number || next.is("line"));
        if token.is_directive && token.is("#") && tokens.peek().is_some_and(says_line) {
            return true;
        }
    }
    false
}

fn has_macros(consumer: &Consumer) -> bool {
    let mut texts = consumer.files.values();
    texts.any(|text| tokens(&text.bytes).any(|token| token.is_directive && token.is("define")))
}

fn intruding((path, first): &Intrusion, all: &[Intrusion]) -> Verdict {
    let name = short(&first.name);
    let detail = format!("the consumer declares `{name}`, which is the library's to declare");
    let names: BTreeSet<(String, u32)> = all
        .iter()
        .map(|(_, found)| (short(&found.name), found.line))
        .collect();
    let names: Vec<_> = names.into_iter().take(20).collect();
    Verdict::of(&INVALID_CONSUMER, detail)
        .with("name", name)
        .with("namespace", short(&first.namespace))
        .with("at", at(path, first.line))
        .with("declares", lines(&names))
}
