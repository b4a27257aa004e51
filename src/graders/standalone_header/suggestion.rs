//! The includes that a header lacks: looked up, then tried.

use serde_json::{Value, json};

use crate::diagnostics::std_names;
use crate::graders::build::Steps;
use crate::graders::compare::printable;
use crate::model::inquiry::Next;
use crate::model::step::Step;

use super::complaints::{Complaints, Name};
use super::insertion;
use super::probes::{Other, Probed, Probes};
use super::standard_library::spelled;
use super::units::{Dialect, include};

/// How many times another include is added and the header tried again.
const MOST_TRIES: usize = 4;

/// Includes to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Suggestion {
    /// The file, from the root.
    path: String,
    /// The line before which they go.
    line: u32,
    /// The text of the lines that they go between, where there are such; `None` if one of them
    /// is no plain text.
    between: Option<[Option<String>; 2]>,
    /// The includes, at least one.
    includes: Vec<Include>,
    /// Whether the header compiles with them.
    proven: bool,
}

/// One include.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Include {
    /// What stands between `<>` or `""`.
    header: String,
    /// The line.
    text: String,
    /// Whether the compiler asked for it.
    by_compiler: bool,
    is_standard: bool,
}

impl Suggestion {
    pub(super) fn as_json(&self) -> Value {
        let first = self.includes.first();
        let header = first.map_or("", |include| &include.header);
        let mut edit = json!({
            "path": printable(self.path.as_bytes()),
            "line": self.line,
            "text": lines(&self.includes),
            "header": header,
            "proven": self.proven,
        });
        if let Some(between) = &self.between {
            edit["between"] = json!(between);
        }
        edit
    }

    /// Whether a header of the standard library is among the includes.
    pub(super) fn names_standard(&self) -> bool {
        self.includes.iter().any(|include| include.is_standard)
    }

    /// The includes for the end of a sentence.
    pub(super) fn spelled(&self) -> String {
        let names = self.includes.iter().map(|include| {
            let name = include.text.trim_end();
            printable(name.trim_start_matches("#include ").as_bytes())
        });
        names.collect::<Vec<_>>().join(" and ")
    }
}

/// The includes of `project`, if one is given, and of the standard library with which the header
/// compiles: by the compiler's word or by the tables, one at a time until nothing is missing.
pub(super) fn tried(
    seen: &Steps,
    probes: &Probes<'_>,
    project: Option<&Other>,
) -> Next<Step, Option<Suggestion>> {
    let mut includes: Vec<Include> = project.map(of_project).into_iter().collect();
    if includes.is_empty() {
        includes.extend(wanted(probes.complaints, probes, &includes));
    }
    while (1..=MOST_TRIES).contains(&includes.len()) {
        let prelude = lines(&includes);
        let unit = match project {
            None => probes.units.behind_standard(probes.dialect, &prelude),
            Some(_) => probes.units.behind(probes.dialect, &prelude),
        };
        let said = match done!(probes.units.compiles(seen, &unit)) {
            Ok(None) => return Next::Done(Some(placed(probes, includes, true))),
            Ok(Some(said)) => Complaints::read(&said.stderr, probes.header),
            Err(_) => break,
        };
        let Some(more) = wanted(&said, probes, &includes) else {
            break;
        };
        includes.push(more);
    }
    Next::Done(None)
}

/// The standard headers that are known to declare what is unknown, and `other`.
pub(super) fn with_standard(probes: &Probes<'_>, other: &Other) -> Suggestion {
    let mut includes = Vec::new();
    while let Some(more) = wanted(probes.complaints, probes, &includes) {
        includes.push(more);
    }
    includes.push(of_project(other));
    placed(probes, includes, true)
}

/// `suggestion`, if the header compiles with it.
pub(super) fn compiles(
    seen: &Steps,
    probes: &Probes<'_>,
    suggestion: Suggestion,
) -> Next<Step, Probed<Option<Suggestion>>> {
    let prelude = lines(&suggestion.includes);
    let unit = probes.units.behind(probes.dialect, &prelude);
    let refused = done!(probes.units.compiles(seen, &unit));
    Next::Done(refused.map(|refused| refused.is_none().then_some(suggestion)))
}

/// What the compiler asks for, though the header does not compile with that alone.
pub(super) fn offered(probes: &Probes<'_>) -> Option<Suggestion> {
    let include = wanted(probes.complaints, probes, &[])?;
    let by_compiler = include.by_compiler;
    by_compiler.then(|| placed(probes, vec![include], false))
}

/// The first standard header that `complaints` call for and that is not among `includes`.
fn wanted(complaints: &Complaints, probes: &Probes<'_>, includes: &[Include]) -> Option<Include> {
    let names = complaints.names.iter();
    let mut wanted = names.filter_map(|name| of_standard(name, probes));
    wanted.find(|one| includes.iter().all(|known| known.header != one.header))
}

/// Whether a standard header is known to declare one of `names`, or is asked for one.
pub(super) fn are_standard(names: &[Name], probes: &Probes<'_>) -> bool {
    names.iter().any(|name| {
        let within = name.within.as_deref().unwrap_or_default();
        within.starts_with("std") || of_standard(name, probes).is_some()
    })
}

fn of_standard(name: &Name, probes: &Probes<'_>) -> Option<Include> {
    let by_compiler = name.suggested.as_deref();
    let by_table = || {
        let plain = name.name.strip_prefix("basic_").unwrap_or(&name.name);
        let within = name.within.as_deref();
        std_names::header_of(&name.name, within).or_else(|| std_names::header_of(plain, within))
    };
    let header = by_compiler.or_else(by_table)?;
    let for_both = probes.serves_c && name.within.is_none();
    let of_c = spelled(header, Dialect::C).filter(|_| for_both);
    let header = of_c.or_else(|| spelled(header, probes.dialect))?;
    Some(Include {
        text: format!("#include <{header}>\n"),
        header,
        by_compiler: by_compiler.is_some(),
        is_standard: true,
    })
}

fn of_project(other: &Other) -> Include {
    Include {
        header: other.name.clone(),
        text: include(&other.name),
        by_compiler: false,
        is_standard: false,
    }
}

fn lines(includes: &[Include]) -> String {
    includes.iter().map(|one| one.text.as_str()).collect()
}

/// The includes in the file that needs them first.
fn placed(probes: &Probes<'_>, includes: Vec<Include>, proven: bool) -> Suggestion {
    let used = probes.complaints.names.first();
    let used = used.and_then(|name| name.place.clone());
    let in_tree = used.filter(|(path, _)| probes.header.tree.get(path).is_some());
    let (path, used) = in_tree.unwrap_or_else(|| (probes.header.path.clone(), u32::MAX));
    let text = probes.header.tree.get(&path);
    let text = text.map_or(&[][..], |text| &text.bytes);
    let line = insertion::line(text, used);
    Suggestion {
        path,
        line,
        between: insertion::between(text, line),
        includes,
        proven,
    }
}
