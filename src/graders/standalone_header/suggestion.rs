//! The include that a header lacks: looked up, then tried.

use serde_json::{Value, json};

use crate::diagnostics::std_names;
use crate::graders::build::Steps;
use crate::graders::compare::printable;
use crate::model::inquiry::Next;
use crate::model::step::Step;

use super::complaints::Name;
use super::insertion;
use super::repair::{Probes, Repair};
use super::standard_library::spelled;
use super::units::{Dialect, include};

/// An include to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Suggestion {
    /// The file, from the root.
    path: String,
    /// The line before which it goes.
    line: u32,
    /// The include lines to be added.
    includes: Vec<Include>,
    /// Whether the header compiles with it.
    proven: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Include {
    header: String,
    text: String,
    by_compiler: bool,
}

impl Suggestion {
    pub(super) fn as_json(&self) -> Value {
        let first = self.includes.first();
        let header = first.map_or("", |include| &include.header);
        let text: String = self.includes.iter().map(|one| one.text.as_str()).collect();
        json!({
            "path": printable(self.path.as_bytes()),
            "line": self.line,
            "text": text,
            "header": header,
            "proven": self.proven,
        })
    }

    /// How the first include is written.
    pub(super) fn spelled(&self) -> String {
        let first = self.includes.first();
        let text = first.map_or("", |include| &include.text).trim_end();
        printable(text.trim_start_matches("#include ").as_bytes())
    }
}

/// The include that repairs the header, by the compiler's word or by the tables, and tried.
pub(super) fn next(
    seen: &Steps,
    probes: &Probes<'_>,
    repair: &Repair,
) -> Next<Step, Option<Suggestion>> {
    let includes = includes(probes, repair);
    let Some(first) = includes.first().cloned() else {
        return Next::Done(None);
    };
    let mut tries = vec![vec![first.clone()]];
    if includes.len() > 1 {
        tries.push(includes);
    }
    for includes in tries {
        let lines: String = includes.iter().map(|one| one.text.as_str()).collect();
        let unit = probes.units.behind(probes.dialect, &lines);
        if done!(probes.units.compiles(seen, &unit)) == Some(true) {
            return Next::Done(Some(placed(probes, includes, true)));
        }
    }
    let offered = first
        .by_compiler
        .then(|| placed(probes, vec![first], false));
    Next::Done(offered)
}

/// The includes that the names which are unknown call for, each once.
fn includes(probes: &Probes<'_>, repair: &Repair) -> Vec<Include> {
    let mut found: Vec<Include> = Vec::new();
    let standard = probes.complaints.names.iter().filter(|_| repair.standard);
    let standard = standard.filter_map(|name| standard_include(name, probes.dialect));
    let project = repair.headers.iter().filter(|_| repair.headers.len() == 1);
    let project = project.map(|other| Include {
        header: other.name.clone(),
        text: include(&other.name),
        by_compiler: false,
    });
    for include in standard.chain(project) {
        if !found.iter().any(|known| known.header == include.header) {
            found.push(include);
        }
    }
    found
}

fn standard_include(name: &Name, dialect: Dialect) -> Option<Include> {
    let by_compiler = name.suggested.as_deref();
    let by_table = || {
        let plain = name.name.strip_prefix("basic_").unwrap_or(&name.name);
        let within = name.within.as_deref();
        std_names::header_of(&name.name, within).or_else(|| std_names::header_of(plain, within))
    };
    let header = spelled(by_compiler.or_else(by_table)?, dialect)?;
    Some(Include {
        text: format!("#include <{header}>\n"),
        header,
        by_compiler: by_compiler.is_some(),
    })
}

fn placed(probes: &Probes<'_>, includes: Vec<Include>, proven: bool) -> Suggestion {
    let used = probes.complaints.names.first();
    let used = used.and_then(|name| name.place.clone());
    let in_tree = used.filter(|(path, _)| probes.header.tree.get(path).is_some());
    let (path, used) = in_tree.unwrap_or_else(|| (probes.header.path.clone(), u32::MAX));
    let text = probes.header.tree.get(&path);
    let line = text.map_or(1, |text| insertion::line(&text.bytes, used));
    Suggestion {
        path,
        line,
        includes,
        proven,
    }
}
