//! A link that fails, explained by symbol tables: which symbol, who wants it, what the library has.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::diagnostics::linker_text::{self, Finding, Kind};
use crate::diagnostics::symbols::{Absence, Symbols, demangled, explain_undefined};
use crate::model::observation::Observation;
use crate::model::verdict::Verdict;

use super::classes::{CANDIDATE_BUILD_ERROR, CONSUMER_ERROR, LINK_UNDEFINED, ODR_OR_DUPLICATE};
use super::flow::{Flow, Known};
use super::linking::Build;
use super::own_fault;
use super::recipe::Recipe;
use super::settings::Mode;
use super::system_library;
use super::tables::{self, Table};
use super::verdicts::short;

/// How many symbols are explained.
const MOST_SYMBOLS: usize = 20;

/// What is known of a link that failed.
pub(super) struct FailedLink {
    findings: Vec<Finding>,
    pub(super) consumer: Symbols,
    pub(super) second: Symbols,
    pub(super) library: Symbols,
    /// Whether one of them is too large to be read.
    is_in_part: bool,
}

impl FailedLink {
    /// Reads the symbols of everything that was linked.
    pub(super) fn look(
        recipe: &Recipe,
        known: &mut Known<'_>,
        build: &Build<'_>,
        answer: &Observation,
    ) -> Flow<Self> {
        let mut files = vec![build.objects.consumer, build.objects.second];
        files.extend(build.library.file());
        let tables = tables::read(recipe, known, &files)?;
        let is_in_part = tables.iter().any(|table| matches!(table, Table::TooLarge));
        let mut tables = tables.into_iter().map(Table::or_empty);
        Ok(Self {
            is_in_part,
            findings: linker_text::parse(&answer.stderr),
            consumer: tables.next().unwrap_or_default(),
            second: tables.next().unwrap_or_default(),
            library: tables.next().unwrap_or_default(),
        })
    }

    /// The symbols of the findings of `kind`, each once.
    fn symbols(&self, kind: Kind) -> Vec<&str> {
        let findings = self.findings.iter().filter(|one| one.kind == kind);
        let mut known = BTreeSet::new();
        findings
            .filter_map(|one| one.symbol.as_deref())
            .filter(|symbol| known.insert(*symbol))
            .collect()
    }

    /// Whether what a linker says may be the words of a symbol: no compiler makes a name with a
    /// blank in it, and a source can ask for one.
    pub(super) fn has_words_for_names(&self) -> bool {
        let mut tables = [&self.consumer, &self.second, &self.library].into_iter();
        // What is not read may hold anything.
        self.is_in_part
            || tables.any(|table| {
                let maps = [
                    &table.defined_global,
                    &table.defined_weak,
                    &table.local,
                    &table.hidden,
                    &table.undefined,
                ];
                let mut names = maps.into_iter().flat_map(|map| map.keys());
                names.any(|name| name.contains(char::is_whitespace))
            })
    }

    fn wanted_by(&self, symbol: &str) -> Vec<&'static str> {
        let tables = [
            ("consumer", &self.consumer),
            ("second unit", &self.second),
            ("library", &self.library),
        ];
        let tables = tables.into_iter();
        tables
            .filter(|(_, table)| table.undefined.contains_key(symbol))
            .map(|(name, _)| name)
            .collect()
    }

    fn defined_by(&self, symbol: &str) -> Vec<&'static str> {
        let mut found = Vec::new();
        for (name, table) in [("consumer", &self.consumer), ("second unit", &self.second)] {
            if table.defined_global.contains_key(symbol) {
                found.push(name);
            }
        }
        let in_library = self.library.defined_global.get(symbol);
        let objects = in_library.map_or(0, |symbol| symbol.objects);
        found.extend(std::iter::repeat_n("library", objects.min(2)));
        found
    }
}

/// The verdict on a link that failed where a trivial one does not.
pub(super) fn judge(
    recipe: &Recipe,
    known: &mut Known<'_>,
    build: &Build<'_>,
    failed: &FailedLink,
) -> Flow<Verdict> {
    let worst = linker_text::worst(&failed.findings).map(|worst| worst.kind);
    let undefined = failed.symbols(Kind::UndefinedSymbol);
    Ok(match worst {
        Some(Kind::MultipleDefinition) => duplicates(failed),
        Some(Kind::UndefinedSymbol) if undefined.contains(&"main") => {
            Verdict::of(&CONSUMER_ERROR, "the consumer has no `main`").with("name", "main")
        }
        Some(Kind::UndefinedSymbol) if undefined.iter().all(|one| is_own(recipe, failed, one)) => {
            wish_of_its_own(&undefined)
        }
        Some(Kind::UndefinedSymbol) => {
            let systems = system_library::providers(recipe, known, build, failed, &undefined)?;
            explained(build.mode, failed, &undefined, &systems)
        }
        Some(
            Kind::Machine
            | Kind::LibraryNotFound
            | Kind::CannotOpen
            | Kind::WrongFormat
            | Kind::Relocation
            | Kind::Other,
        )
        | None => Verdict::of(
            &CANDIDATE_BUILD_ERROR,
            "what the library compiles to cannot be linked, though a trivial program can",
        ),
    })
}

/// Whether the consumer alone wants `symbol` and declares it itself, and no published header has so
/// much as its name: nobody has promised it.
fn is_own(recipe: &Recipe, failed: &FailedLink, symbol: &str) -> bool {
    let declaration = demangled(symbol);
    let name = tables::last_name(&declaration);
    failed.wanted_by(symbol) == ["consumer"]
        && !own_fault::mentions(recipe, name)
        && own_fault::declares(recipe, name)
}

fn wish_of_its_own(symbols: &[&str]) -> Verdict {
    let names: Vec<String> = symbols.iter().map(|one| short(&demangled(one))).collect();
    let name = names.first().cloned().unwrap_or_default();
    let detail = format!("the consumer wants `{name}`, which no public header declares");
    let undefined = names.into_iter().take(MOST_SYMBOLS).collect::<Vec<_>>();
    Verdict::of(&CONSUMER_ERROR, detail)
        .with("name", name)
        .with("undefined", undefined)
}

fn duplicates(failed: &FailedLink) -> Verdict {
    let symbols = failed.symbols(Kind::MultipleDefinition);
    let items: Vec<Value> = symbols
        .iter()
        .take(MOST_SYMBOLS)
        .map(|symbol| {
            let by = failed.defined_by(symbol);
            json!({
                "symbol": short(&demangled(symbol)),
                "kind": kind_of_duplicate(symbol, &by),
                "defined_by": by,
            })
        })
        .collect();
    let detail = match items.first() {
        Some(first) => duplicate_sentence(first),
        None => "two units define the same symbol".to_owned(),
    };
    let found = Verdict::of(&ODR_OR_DUPLICATE, detail).with("duplicates", items);
    match symbols.first() {
        Some(first) => found.with("name", short(&demangled(first))),
        None => found,
    }
}

/// The verdict on a library that is at odds with itself.
pub(super) fn of_library_alone(findings: &[Finding]) -> Option<Verdict> {
    let worst = linker_text::worst(findings)?;
    if worst.kind != Kind::MultipleDefinition {
        return None;
    }
    Some(twice_in_library(
        worst.symbol.as_deref().unwrap_or_default(),
    ))
}

/// The verdict on a library two of whose sources define `symbol`.
pub(super) fn twice_in_library(symbol: &str) -> Verdict {
    let name = short(&demangled(symbol));
    let item = json!({"symbol": name, "kind": "library", "defined_by": ["library", "library"]});
    let found = Verdict::of(&ODR_OR_DUPLICATE, duplicate_sentence(&item));
    found.with("name", name).with("duplicates", vec![item])
}

/// How a symbol comes to be there twice.
pub(super) fn kind_of_duplicate(symbol: &str, by: &[&str]) -> &'static str {
    let is_in = |name: &str| by.contains(&name);
    if symbol == "main" {
        "main"
    } else if is_in("consumer") && is_in("second unit") {
        "missing_inline"
    } else if is_in("library") && (is_in("consumer") || is_in("second unit")) {
        "consumer_and_archive"
    } else {
        "library"
    }
}

pub(super) fn duplicate_sentence(item: &Value) -> String {
    let symbol = item["symbol"].as_str().unwrap_or_default();
    match item["kind"].as_str() {
        Some("main") => "the library defines `main`".to_owned(),
        Some("missing_inline") => {
            format!(
                "every unit that includes the public header defines `{symbol}`: `inline` is missing"
            )
        }
        Some("consumer_and_archive") => {
            format!(
                "`{symbol}` is defined by the library and by who includes its header or uses it"
            )
        }
        _ => format!("two sources of the library define `{symbol}`"),
    }
}

/// The verdict on symbols that nobody defines.
fn explained(
    mode: Mode,
    failed: &FailedLink,
    symbols: &[&str],
    systems: &[(String, &'static str)],
) -> Verdict {
    let items: Vec<Value> = symbols
        .iter()
        .take(MOST_SYMBOLS)
        .map(|symbol| {
            let system = systems.iter().find(|(name, _)| name == symbol);
            undefined(failed, symbol, system.map(|(_, library)| *library))
        })
        .collect();
    let detail = match items.first() {
        Some(first) => undefined_sentence(mode, first),
        None => "a symbol is wanted that nobody defines".to_owned(),
    };
    let found = Verdict::of(&LINK_UNDEFINED, detail);
    let found = match items.first() {
        Some(first) => found
            .with("name", first["symbol"].clone())
            .with("kind", first["kind"].clone()),
        None => found,
    };
    found.with("undefined", items)
}

fn undefined(failed: &FailedLink, symbol: &str, system: Option<&str>) -> Value {
    let mut item = json!({
        "symbol": short(&demangled(symbol)),
        "wanted_by": failed.wanted_by(symbol),
    });
    let kind = match (system, explain_undefined(symbol, &failed.library)) {
        (Some(library), _) => {
            item["library"] = json!(library);
            "system"
        }
        (None, Absence::Provided) => "provided",
        (None, Absence::Hidden) => "hidden",
        (None, Absence::Local) => "local",
        (None, Absence::Vtable) => "vtable",
        (None, Absence::TemplateInstance) => "template_instance",
        (None, Absence::OtherSignature(others)) => {
            let others: Vec<String> = others.iter().map(|other| short(other)).collect();
            item["others"] = json!(others);
            "other_signature"
        }
        (None, Absence::Absent) => "absent",
    };
    item["kind"] = json!(kind);
    item
}

fn undefined_sentence(mode: Mode, item: &Value) -> String {
    let symbol = item["symbol"].as_str().unwrap_or_default();
    let library = match mode {
        Mode::Archive => "the archive",
        Mode::Shared => "the shared object",
    };
    match item["kind"].as_str() {
        Some("system") => {
            let system = item["library"].as_str().unwrap_or_default();
            format!("`{symbol}` is in the system library {system}, which nobody names")
        }
        Some("provided") => format!("{library} has `{symbol}`, and the linker does not take it"),
        Some("hidden") => format!("{library} does not export `{symbol}`"),
        Some("local") => {
            format!("{library} has `{symbol}` as local: `static`, or in an anonymous namespace")
        }
        Some("vtable") => {
            format!("{library} has no {symbol}: the class's first virtual function is not defined")
        }
        Some("template_instance") => format!("{library} holds no instance `{symbol}`"),
        Some("other_signature") => {
            let other = item["others"][0].as_str().unwrap_or_default();
            format!("{library} defines `{other}` and not `{symbol}`")
        }
        _ => format!("`{symbol}` is declared and {library} does not define it"),
    }
}
