//! Symbol tables of what earlier steps made.

use crate::diagnostics::symbols::{Symbols, demangled};
use crate::model::digest::Digest;

use super::flow::{Flow, Known};
use super::library::LibraryObjects;
use super::linking::ARCHIVE;
use super::recipe::Recipe;

/// The symbols of each of `objects`; none of what cannot be read.
pub(super) fn of(recipe: &Recipe, known: &mut Known<'_>, objects: &[Digest]) -> Flow<Vec<Symbols>> {
    let read = read(recipe, known, objects)?;
    Ok(read.into_iter().map(Option::unwrap_or_default).collect())
}

/// The symbols of each of `objects`; `None` where the machine does not show its bytes.
pub(super) fn read(
    recipe: &Recipe,
    known: &mut Known<'_>,
    objects: &[Digest],
) -> Flow<Vec<Option<Symbols>>> {
    let steps: Vec<_> = objects.iter().map(|object| recipe.show(*object)).collect();
    let answers = known.all(&steps)?;
    let read = |bytes: &[u8]| Symbols::read(bytes).unwrap_or_default();
    let shown = answers.into_iter().map(|answer| {
        let is_whole = answer.succeeded() && !answer.truncated;
        is_whole.then(|| read(&answer.stdout))
    });
    Ok(shown.collect())
}

/// The symbols of the library, as an archive of what its first mode is made of.
pub(super) fn of_library(
    recipe: &Recipe,
    known: &mut Known<'_>,
    libraries: &[LibraryObjects],
) -> Flow<Symbols> {
    let Some(library) = libraries.first() else {
        return Ok(Symbols::default());
    };
    let archive = known.one(&recipe.archive(&library.objects))?;
    let Some(archive) = archive.outputs.get(ARCHIVE) else {
        return Ok(Symbols::default());
    };
    let mut tables = of(recipe, known, &[*archive])?;
    Ok(tables.pop().unwrap_or_default())
}

/// Whether the library defines something whose last name is `name`.
pub(super) fn defines_name(symbols: &Symbols, name: &str) -> bool {
    let tables = [&symbols.defined_global, &symbols.defined_weak];
    let mut raw = tables.into_iter().flat_map(|table| table.keys());
    !name.is_empty() && raw.any(|raw| raw.contains(name) && last_name(&demangled(raw)) == name)
}

/// The name in a demangled declaration, without scope, template arguments and parameters.
pub(super) fn last_name(declaration: &str) -> &str {
    let head = declaration
        .split(['(', '<', '['])
        .next()
        .unwrap_or(declaration);
    head.rsplit([':', ' ']).next().unwrap_or(head)
}
