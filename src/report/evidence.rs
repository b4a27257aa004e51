//! What of a row proves it and is shown to people: texts, an edit that repairs, a command.

use serde_json::{Map, Value};

use crate::model::row::Row;

/// The most texts of a row that are shown.
const MOST_TEXTS: usize = 4;
/// Words that the row says, or that a table has said.
const NOT_SHOWN: [&str; 4] = ["expect_class", "lane", "owner", "reason"];

/// A text in the evidence of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text<'a> {
    /// The name it has there.
    pub(super) key: &'a str,
    /// Whether it is a diff.
    pub(super) is_diff: bool,
    pub(super) text: &'a str,
}

impl Text<'_> {
    /// The name it has in the report.
    pub(super) fn label(&self) -> String {
        match self.is_diff && self.key != "diff" {
            true => format!("{}.diff", self.key),
            false => self.key.to_owned(),
        }
    }
}

/// The texts in the evidence, diffs first: what tools and programs wrote.
pub(super) fn texts(evidence: &Map<String, Value>) -> Vec<Text<'_>> {
    let shown =
        |(key, value): (&'_ String, _)| !NOT_SHOWN.contains(&key.as_str()) && !is_empty(value);
    let mut texts: Vec<_> = evidence
        .iter()
        .filter(|(key, value)| shown((key, value)))
        .filter_map(|(key, value)| {
            let diff = value.get("diff").and_then(Value::as_str);
            let text = diff.or_else(|| value.as_str())?;
            Some(Text {
                key,
                is_diff: diff.is_some() || key == "diff",
                text,
            })
        })
        .collect();
    texts.sort_by_key(|text| !text.is_diff);
    texts.truncate(MOST_TEXTS);
    texts
}

fn is_empty(value: &Value) -> bool {
    value.as_str().is_some_and(str::is_empty)
}

/// An edit that repairs a header: lines to be put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FixIt<'a> {
    /// Path from the root.
    pub(super) path: &'a str,
    /// The line before which they go, from 1.
    pub(super) line: u64,
    /// The lines.
    pub(super) text: &'a str,
    /// Whether the header was compiled with them there.
    pub(super) is_proven: bool,
    /// The text of the line above, if there is one and the report tells it.
    pub(super) above: Option<&'a str>,
    /// The same of the line below.
    pub(super) below: Option<&'a str>,
}

impl FixIt<'_> {
    /// What to do with the lines, for the end of a place's name.
    pub(super) fn sentence(&self, place: &str) -> String {
        let proven = match self.is_proven {
            true => "compiles with it",
            false => "not proven",
        };
        format!("Insert before line {} of {place} ({proven}):", self.line)
    }
}

/// The edit that repairs the row, if its evidence has one.
pub(super) fn fix_it(evidence: &Map<String, Value>) -> Option<FixIt<'_>> {
    let edit = evidence.get("suggestion")?;
    let text = edit.get("text")?.as_str()?.trim_end_matches('\n');
    let around = |index: usize| edit.get("between")?.get(index)?.as_str();
    Some(FixIt {
        path: edit.get("path")?.as_str()?,
        line: edit.get("line")?.as_u64()?,
        text: (!text.is_empty()).then_some(text)?,
        is_proven: edit.get("proven").and_then(Value::as_bool) == Some(true),
        above: around(0),
        below: around(1),
    })
}

/// The command that shows a row again. One that a shell would read otherwise than it looks is
/// not offered for copying.
pub(super) fn command(row: &Row) -> Option<&str> {
    let command = row.repro.as_str();
    is_copyable(command).then_some(command)
}

/// Whether `command` is one of ours that a shell reads as it looks.
pub(super) fn is_copyable(command: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " ._/-=:,+^~@".contains(c);
    command.starts_with("driftgate ") && command.len() <= 400 && command.chars().all(plain)
}

/// Before and after, where there are both or one.
pub(super) fn verdict(row: &Row) -> String {
    match (row.before, row.after) {
        (Some(before), Some(after)) if before == after => before.to_string(),
        (Some(before), Some(after)) => format!("{before} → {after}"),
        (Some(only), None) => format!("{only} →"),
        (None, Some(only)) => only.to_string(),
        (None, None) => String::new(),
    }
}
