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
    Ok(read.into_iter().map(Table::or_empty).collect())
}

/// What a look at an object gave.
pub(super) enum Table {
    Read(Symbols),
    /// It is larger than what is shown. Who writes the library chooses that.
    TooLarge,
    /// The machine does not show its bytes.
    NotShown,
}

impl Table {
    /// The symbols, none if they were not read.
    pub(super) fn or_empty(self) -> Symbols {
        match self {
            Self::Read(symbols) => symbols,
            Self::TooLarge | Self::NotShown => Symbols::default(),
        }
    }
}

/// The symbols of each of `objects`, or why there are none.
pub(super) fn read(recipe: &Recipe, known: &mut Known<'_>, objects: &[Digest]) -> Flow<Vec<Table>> {
    let steps: Vec<_> = objects.iter().map(|object| recipe.show(*object)).collect();
    let answers = known.all(&steps)?;
    let read = |bytes: &[u8]| Symbols::read(bytes).unwrap_or_default();
    let shown = answers.into_iter().map(|answer| {
        if !answer.succeeded() {
            Table::NotShown
        } else if answer.truncated {
            Table::TooLarge
        } else {
            Table::Read(read(&answer.stdout))
        }
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
