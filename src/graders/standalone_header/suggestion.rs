//! The includes that a header lacks: looked up, then tried.

use serde_json::{Value, json};

use crate::diagnostics::std_names;
use crate::graders::build::Steps;
use crate::graders::compare::printable;
use crate::model::inquiry::Next;
use crate::model::step::Step;

use super::complaints::{Complaints, Name, mentions};
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
    /// Whether the header, with just these lines there, compiles alone.
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
            Ok(None) => return Next::Done(Some(done!(placed(seen, probes, includes)))),
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

/// The includes of the standard headers that are known to declare what is unknown, and of `other`,
/// if the header compiles with them.
pub(super) fn with_standard(
    seen: &Steps,
    probes: &Probes<'_>,
    other: &Other,
) -> Next<Step, Probed<Option<Suggestion>>> {
    let mut includes = Vec::new();
    while let Some(more) = wanted(probes.complaints, probes, &includes) {
        includes.push(more);
    }
    includes.push(of_project(other));
    let unit = probes.units.behind(probes.dialect, &lines(&includes));
    Next::Done(match done!(probes.units.compiles(seen, &unit)) {
        Ok(None) => Ok(Some(done!(placed(seen, probes, includes)))),
        Ok(Some(_)) => Ok(None),
        Err(why) => Err(why),
    })
}

/// What the compiler asks for, though the header does not compile with that alone.
pub(super) fn offered(probes: &Probes<'_>) -> Option<Suggestion> {
    let include = wanted(probes.complaints, probes, &[])?;
    let by_compiler = include.by_compiler;
    by_compiler.then(|| places(probes).suggestion(vec![include], false))
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

/// The includes at the first place where the header is seen to compile with them, else at the first
/// one that is told and not proven. That they help in front of the header proves no place in it:
/// there may be a comment, a block or a condition around it.
fn placed(seen: &Steps, probes: &Probes<'_>, includes: Vec<Include>) -> Next<Step, Suggestion> {
    let places = places(probes);
    let own = places.path == probes.header.path;
    for line in places.lines.iter().copied().filter(|_| own) {
        let text = insertion::inserted(places.text, line, &lines(&includes));
        let unit = probes.units.whole_edited(probes.dialect, text);
        if let Ok(None) = done!(probes.units.compiles(seen, &unit)) {
            let place = Places {
                lines: vec![line],
                ..places
            };
            return Next::Done(place.suggestion(includes, true));
        }
    }
    Next::Done(places.suggestion(includes, false))
}

/// Where includes may go.
struct Places<'a> {
    /// The file, from the root.
    path: String,
    text: &'a [u8],
    /// The lines before which they may go, the best first.
    lines: Vec<u32>,
}

impl Places<'_> {
    /// The suggestion of `includes` at the best place.
    fn suggestion(self, includes: Vec<Include>, proven: bool) -> Suggestion {
        let line = self.lines.first().copied().unwrap_or(1);
        Suggestion {
            path: self.path,
            line,
            between: insertion::between(self.text, line),
            includes,
            proven,
        }
    }
}

/// The places in the header, if it needs the includes itself, else in the file that does. What
/// another file lacks too must be there before that is included.
fn places<'a>(probes: &'a Probes<'_>) -> Places<'a> {
    let header = probes.header;
    let text_of = |path: &str| header.tree.get(path).map(|text| &*text.bytes);
    let own = text_of(&header.path).unwrap_or_default();
    let first = probes.complaints.names.first();
    let place = first.and_then(|name| name.place.clone());
    let place = place.filter(|(path, _)| text_of(path).is_some());
    let is_used = || first.is_some_and(|name| mentions(own, &name.name));
    let (path, used) = match place {
        None => (header.path.clone(), Some(u32::MAX)),
        Some((path, used)) if path == header.path || !is_used() => (path, Some(used)),
        Some(_) => (header.path.clone(), None),
    };
    let text = text_of(&path).unwrap_or_default();
    let places = insertion::places(text, used.unwrap_or(u32::MAX));
    let mut lines = vec![places.before_code];
    if used.is_some() && places.behind_includes != places.before_code {
        lines.insert(0, places.behind_includes);
    }
    Places { path, text, lines }
}
