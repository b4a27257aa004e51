//! What links in silence though two units are at odds: a symbol of the consumer's that replaces the
//! library's, an inline function or a class that is not the same everywhere.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::diagnostics::linker_text::{self, Kind};
use crate::diagnostics::symbols::{Symbols, demangled};
use crate::model::verdict::Verdict;

use super::classes::ODR_OR_DUPLICATE;
use super::confirmation;
use super::flow::{Flow, Known};
use super::found::{Found, unless_read};
use super::link_fault::{self, duplicate_sentence, kind_of_duplicate};
use super::link_recipe::Parts;
use super::linking::{ARCHIVE, Build, Library};
use super::recipe::{Recipe, WHOLE_TEXT};
use super::scratch_paths::with_diagnostics;
use super::settings::Mode;
use super::suspicion::{self, spaceless};
use super::tables;
use super::tables::Table;
use super::unit_definitions::{self, Disagreement, NamedUnit};
use super::verdicts::{at, path_from_root, short};

/// How many names are listed, and how many classes are measured.
const MOST_NAMES: usize = 20;
const MOST_MEASURED: usize = 4;

/// Looks at a build that links. `is_mismatch`: its program does not do what is expected.
pub(super) fn look(
    recipe: &Recipe,
    known: &mut Known<'_>,
    build: &Build<'_>,
    is_mismatch: bool,
) -> Flow<Found> {
    let mut files = vec![build.objects.consumer, build.objects.second];
    files.extend(build.library.file());
    let tables = tables::read(recipe, known, &files)?;
    if let Some(found) = unless_read(&tables, is_mismatch) {
        return Ok(found);
    }
    let tables: Vec<Symbols> = tables.into_iter().map(Table::or_empty).collect();
    let mut look = Look {
        recipe,
        build,
        is_mismatch,
        tables: &tables,
        units: Vec::new(),
    };
    let found = match look.twice_in_library() {
        Some(found) => Some(found),
        None => look.replaced(known)?,
    };
    if found.is_some() {
        return Ok(Found::only(found));
    }
    look.disagreeing(known)
}

struct Look<'a> {
    recipe: &'a Recipe,
    build: &'a Build<'a>,
    is_mismatch: bool,
    /// The consumer, the second unit and the library.
    tables: &'a [Symbols],
    units: Vec<NamedUnit>,
}

impl Look<'_> {
    /// A symbol that two members of the archive define: a link takes the first, and is at odds
    /// once something asks for what else is in the second.
    fn twice_in_library(&self) -> Option<Verdict> {
        let (Library::Archive(_), [_, _, library]) = (&self.build.library, self.tables) else {
            return None;
        };
        let mut symbols = library.defined_global.iter();
        let (name, _) = symbols.find(|(_, symbol)| symbol.objects > 1)?;
        let found = link_fault::twice_in_library(name);
        Some(self.placed(found.with("confirmed_by", "objects")))
    }

    /// A symbol of the consumer's in place of the library's: the archive's member is never asked
    /// for, until all of them are linked.
    fn replaced(&self, known: &mut Known<'_>) -> Flow<Option<Verdict>> {
        let (Library::Archive(archive), [consumer, second, library]) =
            (&self.build.library, self.tables)
        else {
            return Ok(None);
        };
        let units = [("consumer", consumer), ("second unit", second)];
        let both = |symbol: &str| {
            let units = units.iter();
            units
                .filter(|(_, unit)| unit.defined_global.contains_key(symbol))
                .map(|(name, _)| *name)
                .collect::<Vec<_>>()
        };
        let mut twice = library.defined_global.keys();
        if !twice.any(|symbol| !both(symbol).is_empty()) {
            return Ok(None);
        }
        let objects = self.build.objects;
        let parts = Parts::units(objects.consumer, objects.second)
            .flag("-Wl,--whole-archive")
            .and(ARCHIVE, *archive)
            .flag("-Wl,--no-whole-archive");
        let answer = known.one(&self.recipe.program(&objects.level, parts))?;
        let findings = linker_text::parse(&answer.stderr);
        let mut names = findings
            .iter()
            .filter(|one| one.kind == Kind::MultipleDefinition)
            .filter_map(|one| one.symbol.as_deref());
        let name =
            names.find(|name| library.defined_global.contains_key(*name) && !both(name).is_empty());
        let Some(name) = name.filter(|_| !answer.succeeded()) else {
            return Ok(None);
        };
        let mut by = both(name);
        by.push("library");
        let symbol = short(&demangled(name));
        let kind = kind_of_duplicate(name, &by);
        let item = json!({"symbol": symbol, "kind": kind, "defined_by": by});
        let detail = format!(
            "{}; the linker takes one in silence",
            duplicate_sentence(&item)
        );
        let found = Verdict::of(&ODR_OR_DUPLICATE, detail)
            .with("name", symbol)
            .with("fault", "one definition replaces another")
            .with("confirmed_by", "whole_archive")
            .with("duplicates", vec![item]);
        let found = self.placed(found);
        Ok(Some(with_diagnostics(found, &answer.stderr)))
    }

    fn placed(&self, found: Verdict) -> Verdict {
        found
            .with("level", self.build.objects.level.as_str())
            .with("mode", self.build.mode.as_str())
    }

    /// An inline function or a class that two units see differently.
    fn disagreeing(&mut self, known: &mut Known<'_>) -> Flow<Found> {
        let consumer = &self.recipe.consumer;
        let tables: Vec<&Symbols> = self.tables.iter().collect();
        let suspicious = suspicion::disagreements(consumer, &tables);
        let is_worth_it =
            !suspicious.is_empty() || self.is_mismatch || unit_definitions::may_disagree(consumer);
        if !is_worth_it {
            return Ok(Found::default());
        }
        let level = &self.build.objects.level;
        self.units = unit_definitions::units(self.recipe, level);
        let seen = unit_definitions::disagreements(self.recipe, known, &self.units)?;
        let proven = seen.disagreements;
        let found = match self.confirmed(known, &suspicious, &proven)? {
            None if !seen.unread.is_empty() => self.not_ruled_out(&suspicious, &seen.unread),
            found => found,
        };
        let names = proven.iter().map(|one| one.definition.name.clone());
        let suspicions: BTreeSet<String> = names.chain(suspicious).collect();
        let suspicions = suspicions.iter().take(MOST_NAMES).map(|name| short(name));
        Ok(Found {
            verdict: found.map(|found| self.placed(found)),
            suspicions: suspicions.collect(),
            unread: Vec::new(),
        })
    }

    fn confirmed(
        &self,
        known: &mut Known<'_>,
        suspicious: &BTreeSet<String>,
        proven: &[Disagreement],
    ) -> Flow<Option<Verdict>> {
        let is_in_objects = |one: &&Disagreement| {
            let name = spaceless(&one.definition.name);
            let inner = format!("{name}::");
            suspicious
                .iter()
                .any(|other| *other == name || other.starts_with(&inner))
        };
        // The innermost definition says most: a class holds the functions that differ in it.
        let innermost = |one: &&Disagreement| one.definition.name.len();
        if let Some(one) = proven.iter().filter(is_in_objects).max_by_key(innermost) {
            return Ok(Some(self.verdict(one, "objects")));
        }
        if self.is_mismatch
            && let Some(one) = proven.iter().max_by_key(innermost)
        {
            return Ok(Some(self.verdict(one, "run")));
        }
        for one in proven
            .iter()
            .filter(|one| one.is_type())
            .take(MOST_MEASURED)
        {
            let sizes = confirmation::sizes(self.recipe, known, &self.units, one)?;
            if let Some((ours, others)) = sizes {
                return Ok(Some(
                    self.verdict(one, "size")
                        .with("sizes", json!([ours, others])),
                ));
            }
        }
        if let Some(one) = proven.iter().find(|one| one.is_type()) {
            let level = self.build.objects.level.as_str();
            let units = (self.units.as_slice(), level);
            let name = &one.definition.name;
            let said = confirmation::whole_program_warning(self.recipe, known, units, name)?;
            if let Some(said) = said {
                return Ok(Some(
                    self.verdict(one, "whole_program").with("warning", said),
                ));
            }
        }
        self.by_link_order(known, suspicious, proven)
    }

    /// The verdict on bodies that differ where a unit is larger than is read: nothing proves that
    /// they come from the same definition.
    fn not_ruled_out(&self, suspicious: &BTreeSet<String>, unread: &[usize]) -> Option<Verdict> {
        let name = short(suspicious.first()?);
        let units = unread.iter().filter_map(|at| self.units.get(*at));
        let units: Vec<&str> = units.map(|unit| unit.name.as_str()).collect();
        let detail = format!(
            "two units compile `{name}` differently, and what they see of it is not compared: {} is larger than is read ({} MiB)",
            units.join(", "),
            WHOLE_TEXT.output >> 20
        );
        let found = Verdict::of(&ODR_OR_DUPLICATE, detail).with("name", name);
        Some(found.with("confirmed_by", "objects").with("unread", units))
    }

    fn by_link_order(
        &self,
        known: &mut Known<'_>,
        suspicious: &BTreeSet<String>,
        proven: &[Disagreement],
    ) -> Flow<Option<Verdict>> {
        let objects = self.build.objects;
        let mut libraries = objects.libraries.iter();
        let library = libraries.find(|library| library.mode == Mode::Archive);
        let (false, Some(library)) = (suspicious.is_empty() && proven.is_empty(), library) else {
            return Ok(None);
        };
        let orders = confirmation::link_orders(self.recipe, known, objects, library)?;
        Ok(orders.map(|(behind, before)| {
            let orders = json!({"library_last": behind, "library_first": before});
            let found = match (proven.first(), suspicious.first()) {
                (Some(one), _) => self.verdict(one, "link_order"),
                (None, name) => {
                    let name = name.map(|name| short(name)).unwrap_or_default();
                    let detail = format!("two units compile `{name}` differently, and the order of the link decides which one runs");
                    Verdict::of(&ODR_OR_DUPLICATE, detail)
                        .with("name", name)
                        .with("confirmed_by", "link_order")
                }
            };
            found.with("stdout_by_order", orders)
        }))
    }

    fn verdict(&self, one: &Disagreement, confirmed_by: &str) -> Verdict {
        let name = short(&one.definition.name);
        let (kind, fault) = if one.is_type() {
            ("class", "a class is not the same everywhere")
        } else {
            ("function", "an inline function is not the same everywhere")
        };
        let unit = |at: usize| self.units.get(at).map_or("", |unit| unit.name.as_str());
        let (ours, others) = (unit(one.between.0), unit(one.between.1));
        let detail = format!("the {kind} `{name}` is not the same in {ours} and in {others}");
        let found = Verdict::of(&ODR_OR_DUPLICATE, detail)
            .with("name", name)
            .with("kind", kind)
            .with("fault", fault)
            .with("units", Value::from(vec![ours, others]))
            .with("confirmed_by", confirmed_by);
        match path_from_root(&self.recipe.consumer, &one.definition.file) {
            Some(path) => found.with("at", at(&path, one.definition.line)),
            None => found,
        }
    }
}
