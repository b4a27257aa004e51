//! Proof that a disagreement between two units matters: the size of a class, what a compiler says of
//! the whole program, or what a program prints once its objects are linked in another order.

use crate::diagnostics::compiler_text;
use crate::graders::compare::printable;
use crate::model::digest::Digest;
use crate::model::observation::Ended;
use crate::model::step::Content;

use super::flow::{Flow, Known};
use super::library::LibraryObjects;
use super::link_recipe::Parts;
use super::linking::{Library, PROGRAM};
use super::recipe::{CONSUMER_OBJECT, OBJECT, Recipe, SECOND_OBJECT};
use super::tables;
use super::unit_definitions::{Disagreement, NamedUnit};
use super::units::Objects;
use super::verdicts::short;

/// A variable as large as a class.
const SIZE: &str = "driftgate_size_of_class";

/// The sizes of a class in the two units that disagree about it, if they differ.
pub(super) fn sizes(
    recipe: &Recipe,
    known: &mut Known<'_>,
    units: &[NamedUnit],
    disagreement: &Disagreement,
) -> Flow<Option<(u64, u64)>> {
    let name = &disagreement.definition.name;
    let is_plain = name
        .chars()
        .all(|c| c.is_alphanumeric() || "_:".contains(c));
    let (one, other) = disagreement.between;
    let (Some(one), Some(other)) = (units.get(one), units.get(other)) else {
        return Ok(None);
    };
    if !is_plain || name.is_empty() {
        return Ok(None);
    }
    let texts = [one, other].map(|one| recipe.preprocessed(&one.unit));
    let texts = known.all(&texts)?;
    let steps: Vec<_> = [one, other]
        .iter()
        .zip(&texts)
        .map(|(one, text)| {
            let line = format!("\nextern \"C\" {{ char {SIZE}[sizeof(::{name})]; }}\n");
            let source = [text.stdout.as_slice(), line.as_bytes()].concat();
            recipe.object_of_text(&one.unit, Content::Bytes(source.into()))
        })
        .collect();
    let answers = known.all(&steps)?;
    let objects: Vec<Digest> = answers
        .iter()
        .filter_map(|answer| answer.outputs.get(OBJECT).copied())
        .collect();
    if objects.len() != 2 {
        return Ok(None);
    }
    let tables = tables::of(recipe, known, &objects)?;
    let mut sizes = tables
        .iter()
        .filter_map(|table| Some(table.defined_global.get(SIZE)?.size));
    Ok(match (sizes.next(), sizes.next()) {
        (Some(one), Some(other)) if one != other => Some((one, other)),
        _ => None,
    })
}

/// What the compiler says of `name` once it sees all units at a time: gcc compares the classes that
/// it has met, member by member. Clang does not.
pub(super) fn whole_program_warning(
    recipe: &Recipe,
    known: &mut Known<'_>,
    (units, level): (&[NamedUnit], &str),
    name: &str,
) -> Flow<Option<String>> {
    if recipe.toolchain.version.contains("clang") {
        return Ok(None);
    }
    let steps = units
        .iter()
        .map(|one| recipe.object_for_whole_program(&one.unit));
    let answers = known.all(&steps.collect::<Vec<_>>())?;
    let objects = answers
        .iter()
        .filter_map(|answer| answer.outputs.get(OBJECT));
    let parts = objects
        .enumerate()
        .fold(Parts::default(), |parts, (at, object)| {
            parts.and(&format!("unit.{at}.o"), *object)
        });
    let parts = parts.flag("-flto").flag("-Wodr");
    let answer = known.one(&recipe.program(level, parts))?;
    let diagnostics = compiler_text::parse(&answer.stderr);
    let last = name.rsplit("::").next().unwrap_or(name);
    let warning = diagnostics.iter().find(|one| {
        one.flag.as_deref() == Some("-Wodr")
            && one
                .message
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|word| word == last)
    });
    Ok(warning.map(|warning| short(&warning.message)))
}

/// What the program prints with the library's objects behind the units and in front of them, if
/// that differs.
pub(super) fn link_orders(
    recipe: &Recipe,
    known: &mut Known<'_>,
    objects: &Objects,
    library: &LibraryObjects,
) -> Flow<Option<(String, String)>> {
    let units = [
        (CONSUMER_OBJECT.to_owned(), objects.consumer),
        (SECOND_OBJECT.to_owned(), objects.second),
    ];
    let parts = |order: [&[(String, Digest)]; 2]| {
        let files = order.into_iter().flatten();
        files.fold(Parts::default(), |parts, (name, file)| {
            parts.and(name, *file)
        })
    };
    let orders = [
        parts([&units, &library.objects]),
        parts([&library.objects, &units]),
    ];
    let steps = orders.map(|parts| recipe.program(&objects.level, parts));
    let answers = known.all(&steps)?;
    let programs: Vec<Digest> = answers
        .iter()
        .filter_map(|answer| answer.outputs.get(PROGRAM).copied())
        .collect();
    let runs: Vec<_> = programs
        .iter()
        .map(|program| recipe.run(*program, &Library::HeadersOnly))
        .collect();
    let answers = known.all(&runs)?;
    let [behind, before] = answers.as_slice() else {
        return Ok(None);
    };
    let has_ended = |ended: &Ended| matches!(ended, Ended::Exit(_) | Ended::Signal(_));
    let is_same = behind.ended == before.ended && behind.stdout == before.stdout;
    if is_same || !has_ended(&behind.ended) || !has_ended(&before.ended) {
        return Ok(None);
    }
    let shown = |bytes: &[u8]| printable(bytes.get(..200).unwrap_or(bytes));
    Ok(Some((shown(&behind.stdout), shown(&before.stdout))))
}
