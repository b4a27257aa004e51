//! Verdicts and the pieces of evidence that several phases give.

use serde_json::{Value, json};

use crate::diagnostics::compiler_text::{self, Diagnostic};
use crate::graders::build::machine_fault;
use crate::graders::compare::printable;
use crate::model::consumer::Consumer;
use crate::model::observation::{Ended, Observation};
use crate::model::source_tree::CHECKOUT;
use crate::model::verdict::Verdict;

use super::classes::MACHINE;
use super::recipe::CONSUMER;
use super::scratch_paths::with_diagnostics;

/// The verdict on a tool that the machine did not let finish.
pub(super) fn by_the_machine(what: &str, ended: &Ended) -> Verdict {
    Verdict::of(&MACHINE, machine_fault(what, ended))
}

/// A place as evidence.
pub(super) fn at(path: &str, line: u32) -> Value {
    json!({"path": path, "line": line})
}

/// Names and their lines as evidence.
pub(super) fn lines(names: &[(String, u32)]) -> Value {
    names
        .iter()
        .map(|(name, line)| json!({"name": name, "line": line}))
        .collect()
}

/// The path from the root of a file as a tool names it; `None` if it is none of ours.
pub(super) fn path_from_root(consumer: &Consumer, path: &str) -> Option<String> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let below = |folder: &str| path.strip_prefix(folder)?.strip_prefix('/');
    if let Some(path) = below(CHECKOUT) {
        return Some(normal(path));
    }
    let path = below(CONSUMER)?;
    let folder = consumer.source.strip_suffix(consumer.file.as_str());
    Some(format!("{}{path}", folder.unwrap_or_default()))
}

/// `path` without `.` and with `..` resolved, as far as names tell.
pub(super) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The verdict with what a compiler said: its first error without the place, the place, the text.
pub(super) fn with_compiler_text(
    verdict: Verdict,
    consumer: &Consumer,
    observation: &Observation,
) -> Verdict {
    let diagnostics = compiler_text::parse(&observation.stderr);
    let verdict = match diagnostics.iter().find(|one| one.severity.is_error()) {
        Some(first) => with_error(verdict, consumer, first),
        None => verdict,
    };
    with_diagnostics(verdict, &observation.stderr)
}

fn with_error(verdict: Verdict, consumer: &Consumer, error: &Diagnostic) -> Verdict {
    let verdict = verdict.with("fault", short(&error.message));
    let frames = error.place.iter();
    let frames = frames
        .chain(error.instantiated_from.iter())
        .chain(error.included_from.iter());
    let mut ours = frames.filter_map(|place| {
        let path = path_from_root(consumer, &place.path)?;
        Some(at(&path, place.line))
    });
    match ours.next() {
        Some(place) => verdict.with("at", place),
        None => verdict,
    }
}

/// A message as a label: printable, one line, at most 300 characters.
pub(super) fn short(message: &str) -> String {
    printable(message.as_bytes()).chars().take(300).collect()
}
