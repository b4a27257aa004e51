//! A symbol that the library uses and a system library would provide, were it named.

use crate::diagnostics::linker_text::{self, Kind};
use crate::diagnostics::symbols::{Absence, explain_undefined};
use crate::model::observation::Observation;

use super::flow::{Flow, Known};
use super::link_fault::FailedLink;
use super::linking::Build;
use super::recipe::Recipe;

/// Libraries that a system has and a program must name.
const LIBRARIES: &[&str] = &["-lpthread", "-ldl", "-lm", "-lrt", "-lcrypt", "-latomic"];

/// Those of `undefined` that a system library provides, with its flag.
pub(super) fn providers(
    recipe: &Recipe,
    known: &mut Known<'_>,
    build: &Build<'_>,
    failed: &FailedLink,
    undefined: &[&str],
) -> Flow<Vec<(String, &'static str)>> {
    // What is mangled is in no library of a system but C++'s own, which is always named.
    let is_foreign = |symbol: &&&str| {
        !symbol.starts_with("_Z") && explain_undefined(symbol, &failed.library) == Absence::Absent
    };
    let foreign: Vec<&str> = undefined.iter().filter(is_foreign).copied().collect();
    if foreign.is_empty() {
        return Ok(Vec::new());
    }
    let level = &build.objects.level;
    let steps: Vec<_> = LIBRARIES
        .iter()
        .map(|library| recipe.program(level, build.parts().flag(library)))
        .collect();
    let answers = known.all(&steps)?;
    let mut found = Vec::new();
    for symbol in foreign {
        let mut each = LIBRARIES.iter().zip(&answers);
        let provider = each.find(|(_, answer)| provides(answer, symbol));
        found.extend(provider.map(|(library, _)| (symbol.to_owned(), *library)));
    }
    Ok(found)
}

/// Whether a link, of which more may be wrong, no longer lacks `symbol`.
fn provides(answer: &Observation, symbol: &str) -> bool {
    let findings = linker_text::parse(&answer.stderr);
    let ran = matches!(answer.ended, crate::model::observation::Ended::Exit(_));
    let is_whole = findings
        .iter()
        .all(|one| one.kind == Kind::UndefinedSymbol && one.symbol.as_deref() != Some(symbol));
    ran && is_whole && (answer.succeeded() || !findings.is_empty())
}
