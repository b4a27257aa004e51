//! The edits that a reviewer applies with one button: includes that headers lack, on lines that a
//! review may stand on. What is applied goes in under the name of whoever presses, so it is
//! nothing but includes and the line as it is, in the header that the row is about, or there is no
//! suggestion.

use std::collections::BTreeSet;

use crate::model::changed_lines::ChangedLines;
use crate::model::class::Level;
use crate::model::digest::Digest;
use crate::model::report::Report;
use crate::model::row::Row;

use super::check_run::Context;
use super::comment::in_marker;
use super::evidence::{FixIt, fix_it};
use super::markup::{code, fenced_as_it_is};
use super::style::cut;
use super::text;

/// The lane whose edits are tried before they are told.
const LANE: &str = "standalone_header";
/// The most includes of one suggestion.
const MOST: usize = 16;
/// The most characters of a header's name.
const NAME: usize = 256;

/// A comment on a line of a pull request that replaces the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What tells it from others of the pull request, wherever its line moves.
    pub fingerprint: String,
    /// Path from the repository's root.
    pub path: String,
    /// The line of head, from 1.
    pub line: u32,
    /// Markdown that starts with a marker.
    pub body: String,
}

/// The suggestions of `report`, most urgent first. The lines that findings are about are those of
/// what was judged, which may be a merge: they are matched with those of the diff by their text.
#[must_use]
pub fn suggestions(report: &Report, context: &Context<'_>) -> Vec<Suggestion> {
    let lanes = report.experiments.iter().filter(|lane| lane.name == LANE);
    let rows = lanes.flat_map(|lane| &lane.rows);
    let mut rows: Vec<&Row> = rows.filter(|row| row.level != Level::Ok).collect();
    rows.sort_by_key(|row| text::urgency(row));
    let mut seen = BTreeSet::new();
    let all = rows.into_iter().filter_map(|row| of_row(row, context));
    all.filter(|one| seen.insert(one.fingerprint.clone()))
        .collect()
}

/// The fingerprint in a comment that the check `name` wrote.
#[must_use]
pub fn fingerprint<'a>(name: &str, body: &'a str) -> Option<&'a str> {
    let rest = body.trim_start().strip_prefix(&marker_start(name))?;
    Some(rest.split_once(" -->")?.0)
}

fn marker_start(name: &str) -> String {
    format!("<!-- driftgate/suggestion/{}/", in_marker(name))
}

fn of_row(row: &Row, context: &Context<'_>) -> Option<Suggestion> {
    let is_own = |edit: &FixIt<'_>| edit.path.strip_prefix(context.root) == Some(&row.id);
    let edit = fix_it(&row.evidence)
        .filter(|edit| edit.is_proven && is_own(edit) && adds_includes(edit))?;
    let (line, replacement) = replacement(&edit, context.changed)?;
    let path = context.changed.in_repository(edit.path);
    let fingerprint = Digest::of_parts([path.as_bytes(), edit.text.as_bytes()]).short();
    let body = format!(
        "{}{fingerprint} -->\n\n{} does not compile alone; with the include added here it does.\n\n{}",
        marker_start(context.name),
        code(&cut(&row.id, NAME)),
        fenced_as_it_is("suggestion", &replacement)?
    );
    Some(Suggestion {
        fingerprint,
        path,
        line,
        body,
    })
}

/// Whether the edit is nothing but lines that include.
fn adds_includes(edit: &FixIt<'_>) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+/".contains(c);
    let includes = |line: &str| {
        let name = line.strip_prefix("#include ").unwrap_or_default();
        let angled = name.strip_prefix('<').and_then(|n| n.strip_suffix('>'));
        let quoted = || name.strip_prefix('"').and_then(|n| n.strip_suffix('"'));
        let name = angled.or_else(quoted).unwrap_or_default();
        !name.is_empty() && name.chars().all(plain)
    };
    let lines: Vec<&str> = edit.text.split('\n').collect();
    lines.len() <= MOST && lines.into_iter().all(includes)
}

/// A line of head, and what it becomes. Both lines around the edit must be in the diff as the
/// report has them, or not be in it; a blank one proves no place.
fn replacement(edit: &FixIt<'_>, changed: &ChangedLines) -> Option<(u32, String)> {
    let below = u32::try_from(edit.line).ok()?;
    let above = below.checked_sub(1)?;
    let shown = |line: u32| changed.text(edit.path, line);
    let moved = |line: u32, told: Option<&str>| shown(line).is_some_and(|text| told != Some(text));
    if moved(above, edit.above) || moved(below, edit.below) {
        return None;
    }
    let anchor = |line: u32| shown(line).filter(|text| !text.trim().is_empty());
    match (anchor(above), anchor(below)) {
        (Some(text), _) => Some((above, format!("{text}\n{}", edit.text))),
        (None, Some(text)) => Some((below, format!("{}\n{text}", edit.text))),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests;
