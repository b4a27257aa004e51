//! What is shown with a verdict on a header: where, what, and what the compiler said.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::diagnostics::compiler_text::{self, Diagnostic, Severity};
use crate::graders::compare::printable;
use crate::graders::program::with_text;
use crate::model::header::Header;
use crate::model::observation::Observation;
use crate::model::source_tree::CHECKOUT;
use crate::model::verdict::{Status, Verdict};

use super::complaints::{Complaints, Name, located, shown};
use super::incomplete;
use super::probes::Repair;
use super::units::Dialect;

/// How many missing names are shown.
const MOST_NAMES: usize = 50;
/// How many messages are kept.
const MOST_MESSAGES: usize = 50;
/// How many files of the same name elsewhere are shown.
const SHOWN_ELSEWHERE: usize = 3;

/// The start of the header, where nothing points at a line.
pub(super) fn at_start(header: &Header) -> Value {
    at(&(header.path.clone(), 1))
}

fn at((path, line): &(String, u32)) -> Value {
    json!({"path": printable(path.as_bytes()), "line": line})
}

/// The verdict with a text that names its fault, to be compared with the one at the base.
pub(super) fn with_fault(verdict: Verdict, fault: &str) -> Verdict {
    verdict.with("fault", printable(fault.as_bytes()))
}

/// The verdict with the language, where it is not C++.
pub(super) fn with_language(verdict: Verdict, dialect: Dialect) -> Verdict {
    match dialect {
        Dialect::Cxx => verdict,
        Dialect::C => verdict.with("language", "c"),
    }
}

/// The verdict with what a compiler complained about.
pub(super) fn with_complaints(
    verdict: Verdict,
    header: &Header,
    complaints: &Complaints,
    said: &Observation,
) -> Verdict {
    if verdict.outcome.status == Status::Unjudged {
        return verdict;
    }
    let is_about_a_name = verdict.outcome.class == "missing_declaration";
    let name = complaints.name().map(Name::qualified);
    let fault = name.clone().filter(|_| is_about_a_name);
    let fault = fault.or_else(|| complaints.first_message());
    let place = complaints.place();
    let mut verdict = with_fault(verdict, fault.as_deref().unwrap_or("does not compile"))
        .with("at", place.as_ref().map_or_else(|| at_start(header), at));
    if let Some(name) = name {
        verdict = verdict.with("name", printable(name.as_bytes()));
    }
    if is_about_a_name {
        let names = complaints.names.iter().map(Name::qualified);
        let names: BTreeSet<_> = names.map(|name| printable(name.as_bytes())).collect();
        let names: Vec<_> = names.into_iter().take(MOST_NAMES).collect();
        verdict = verdict.with("names", names);
    }
    let messages = complaints.messages(MOST_MESSAGES);
    if verdict.outcome.class == "other_compile_error" && !messages.is_empty() {
        verdict = verdict.with("messages", messages);
    }
    let chain = complaints.included_from();
    if !chain.is_empty() {
        verdict = verdict.with("included_from", chain);
    }
    with_diagnostics(verdict, &said.stderr)
}

/// The verdict with what a compiler printed, by the paths of the checkout and without what is
/// meant for machines.
fn with_diagnostics(verdict: Verdict, stderr: &[u8]) -> Verdict {
    let lines = stderr.split(|byte| *byte == b'\n');
    let for_people = lines.filter(|line| !line.starts_with(b"fix-it:"));
    let shown: Vec<_> = for_people.take(200).map(from_the_root).collect();
    with_text(verdict, "diagnostics", &shown.join(&b'\n'))
}

/// A line that begins with a path or quotes some, without the folder that the checkout stood under.
fn from_the_root(line: &[u8]) -> Vec<u8> {
    let folder = format!("{CHECKOUT}/").into_bytes();
    let line = &without(line, &[b"'".as_slice(), &folder].concat());
    for start in ["", "./", "In file included from ", "                 from "] {
        let prefix = [start.as_bytes(), &folder].concat();
        if let Some(rest) = line.strip_prefix(prefix.as_slice()) {
            return [start.trim_end_matches("./").as_bytes(), rest].concat();
        }
    }
    line.to_vec()
}

/// `line` with only the first byte of every `quoted`.
fn without(line: &[u8], quoted: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = line;
    while let Some((first, tail)) = rest.split_first() {
        out.push(*first);
        rest = match rest.strip_prefix(quoted) {
            Some(behind) => behind,
            None => tail,
        };
    }
    out
}

/// The verdict if preprocessing stopped at a file that is not there.
pub(super) fn header_missing(header: &Header, stderr: &[u8]) -> Option<Verdict> {
    let diagnostics = compiler_text::parse(stderr);
    let (error, missing) = diagnostics
        .iter()
        .find_map(|one| Some((one, one.missing_include()?)))
        .filter(|(error, _)| is_the_compilers_own(error))?;
    let includer = error.place.as_ref().and_then(located);
    let itself = includer.is_none() && missing == header.name;
    let shown_name = printable(missing.as_bytes());
    let verdict = match &includer {
        None if itself => return Some(with_diagnostics(listed_missing(header), stderr)),
        None => {
            let why = format!("the unit's template includes `{shown_name}`, which is not there");
            return Some(with_text(incomplete(why), "diagnostics", stderr));
        }
        Some((path, _)) if *path == header.path => {
            format!("includes `{shown_name}`, which is not there")
        }
        Some(place) => format!("`{shown_name}`, included in {}, is not there", shown(place)),
    };
    let verdict = Verdict::new(Status::Fail, "header_missing", verdict)
        .with("at", includer.as_ref().map_or_else(|| at_start(header), at))
        .with("itself", false);
    Some(with_diagnostics(
        with_missing(verdict, header, missing),
        stderr,
    ))
}

/// The verdict on a header that is not there itself.
pub(super) fn listed_missing(header: &Header) -> Verdict {
    let shown_name = printable(header.name.as_bytes());
    let detail = format!("`{shown_name}` is not in the include folders");
    let verdict = Verdict::new(Status::Fail, "header_missing", detail)
        .with("at", at_start(header))
        .with("itself", true);
    with_missing(verdict, header, &header.name)
}

/// The verdict with the file that is missing, and those that have its name.
fn with_missing(verdict: Verdict, header: &Header, missing: &str) -> Verdict {
    let verdict = verdict.with("name", printable(missing.as_bytes()));
    let verdict = with_fault(verdict, missing);
    let elsewhere = elsewhere(header, missing);
    if elsewhere.is_empty() {
        verdict
    } else {
        verdict.with("elsewhere", elsewhere)
    }
}

/// Whether the words are not those of an `#error`: that is never fatal, and neither is what clang
/// says of a neighbour in angle brackets.
fn is_the_compilers_own(error: &Diagnostic) -> bool {
    error.severity == Severity::Fatal || error.message.contains("with <angled> include")
}

/// Files of the include folders that have the missing one's last name.
fn elsewhere(header: &Header, missing: &str) -> Vec<String> {
    let last = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let name = last(missing);
    let paths = header.tree.files().keys();
    paths
        .filter(|path| last(path) == name)
        .take(SHOWN_ELSEWHERE)
        .map(|path| printable(path.as_bytes()))
        .collect()
}

/// What a header that leans on others is told.
pub(super) fn missing_declaration(name: Option<&Name>, repair: &Repair) -> String {
    let name = name.map(|name| printable(name.qualified().as_bytes()));
    let front = repair.in_words();
    match (name, &repair.suggestion) {
        (Some(name), Some(suggestion)) => {
            format!("`{name}` is not declared: include {}", suggestion.spelled())
        }
        (Some(name), None) => {
            format!("`{name}` is not declared: the header compiles only with {front} in front")
        }
        (None, Some(suggestion)) => {
            format!("needs {} and does not include it", suggestion.spelled())
        }
        (None, None) => format!("compiles only with {front} in front"),
    }
}
