//! The report as a pull request's reviewer reads it: in a comment or a job's summary. Always
//! shorter than a comment may be; what was left out is counted.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Map, Value};

use crate::model::class::Level;
use crate::model::report::{Experiment, Outcome, Report};
use crate::model::row::Row;

use super::markup::{code, commit, fenced, html, prose};
use super::style::cut;
use super::text;

/// The most characters of a sentence.
const SENTENCE: usize = 240;
/// The most characters of an id, a class or a name.
const NAME: usize = 128;
/// The most bytes of each part. Together they fit in a comment of 65,536 characters.
const TABLE: usize = 28_000;
const DETAILS: usize = 22_000;
const LANES: usize = 4_000;
/// Less than what a fence holds.
const COMMANDS: usize = 2_900;
const NOTES: usize = 4_000;

/// Writes `report` as GitHub's Markdown.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let mut rows: Vec<&Row> = report.rows().filter(|row| row.level != Level::Ok).collect();
    rows.sort_by_key(|row| text::urgency(row));
    let parts = [
        headline(report),
        table(&rows),
        lanes(&report.experiments),
        details(&rows),
        commands(&rows),
        notes(&report.notes),
    ];
    let parts: Vec<_> = parts.iter().filter(|part| !part.is_empty()).collect();
    for (index, part) in parts.iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        write!(out, "{gap}{part}")?;
    }
    Ok(())
}

fn headline(report: &Report) -> String {
    let count = |level| report.rows().filter(|row| row.level == level).count();
    let meaning = match report.outcome() {
        Outcome::Pass => "nothing fails",
        Outcome::Fail => "something fails",
        Outcome::Incomplete if report.rows().next().is_none() => "nothing was judged",
        Outcome::Incomplete => "something could not be judged, and that is no pass",
    };
    let mut facts = vec![format!(
        "**{} fail, {} incomplete, {} review, {} ok**",
        count(Level::Fail),
        count(Level::Incomplete),
        count(Level::Review),
        count(Level::Ok)
    )];
    let name = |text: &str| code(&cut(text, NAME));
    facts.extend(
        report
            .base
            .as_deref()
            .map(|base| format!("base {}", commit(&cut(base, NAME)))),
    );
    facts.extend(
        report
            .head
            .as_deref()
            .map(|head| format!("head {}", commit(&cut(head, NAME)))),
    );
    facts.extend(
        report
            .toolchain
            .version
            .as_deref()
            .map(|version| format!("compiler {}", name(version))),
    );
    facts.push(format!("sandbox {}", name(&report.sandbox.level)));
    format!(
        "## driftgate {}: {}\n\n{meaning}: {}\n",
        prose(&cut(&report.command, NAME)),
        report.outcome().as_str(),
        facts.join(" · ")
    )
}

/// As many of `items` as fit into `limit` bytes, and how many do not.
fn within(limit: usize, items: impl IntoIterator<Item = String>) -> (String, usize) {
    let (mut kept, mut left) = (String::new(), 0);
    for item in items {
        if left == 0 && kept.len() + item.len() <= limit {
            kept.push_str(&item);
        } else {
            left += 1;
        }
    }
    (kept, left)
}

/// A line on what was left out, if anything was.
fn more(left: usize, start: &str, what: &str) -> String {
    match left {
        0 => String::new(),
        left => format!("{start}and {left} more {what}\n"),
    }
}

/// Everything that is not ok.
fn table(rows: &[&Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let (lines, left) = within(TABLE, rows.iter().map(|row| line(row)));
    let head =
        "| Level | Class | What | Verdict | Moved | Why | Next |\n|---|---|---|---|---|---|---|\n";
    format!("{head}{lines}{}", more(left, "\n", "that are not ok"))
}

fn line(row: &Row) -> String {
    let name = |text: &str| code(&cut(text, NAME));
    let mut class = name(&row.class);
    if !row.also.is_empty() {
        let also: Vec<_> = row.also.iter().take(4).map(|also| name(also)).collect();
        class = format!("{class}, also {}", also.join(", "));
    }
    let mut what = name(&row.id);
    if let Some(grader) = &row.grader {
        what = format!("{what} by {}", name(grader));
    }
    for (holds, mark) in [
        (row.explained, "explained"),
        (row.inherited, "inherited"),
        (row.quarantined, "quarantined"),
    ] {
        if holds {
            what = format!("{what} ({mark})");
        }
    }
    let moved: Vec<_> = row.moved.iter().map(|input| input.as_str()).collect();
    let cells = [
        format!("**{}**", row.level),
        class,
        what,
        verdict(row),
        moved.join(", "),
        prose(&cut(&row.why, SENTENCE)),
        prose(&cut(&row.next, SENTENCE)),
    ];
    format!("| {} |\n", cells.join(" | "))
}

/// Before and after, where there are both or one.
fn verdict(row: &Row) -> String {
    match (row.before, row.after) {
        (Some(before), Some(after)) if before == after => before.to_string(),
        (Some(before), Some(after)) => format!("{before} → {after}"),
        (Some(only), None) => format!("{only} →"),
        (None, Some(only)) => only.to_string(),
        (None, None) => String::new(),
    }
}

/// What each lane counts, ok rows included.
fn lanes(experiments: &[Experiment]) -> String {
    let name = |text: &str| code(&cut(text, NAME));
    let lane = |experiment: &Experiment| {
        let summary = experiment.summary();
        let summary: Vec<_> = summary
            .iter()
            .take(20)
            .map(|(class, count)| format!("{count} {}", name(class)))
            .collect();
        let checked = experiment.rows.len();
        format!(
            "- {}: {checked} checked: {}\n",
            name(&experiment.name),
            summary.join(", ")
        )
    };
    let (lines, left) = within(LANES, experiments.iter().map(lane));
    format!("{lines}{}", more(left, "- ", "lanes"))
}

/// The evidence of every row that fails or could not be judged, folded.
fn details(rows: &[&Row]) -> String {
    let shown = rows.iter().filter(|row| row.level >= Level::Incomplete);
    let (shown, left) = within(DETAILS, shown.map(|row| detail(row)));
    let shown = format!("{shown}{}", more(left, "", "with evidence"));
    let end = if shown.is_empty() { "" } else { "\n" };
    format!("{}{end}", shown.trim_end_matches('\n'))
}

fn detail(row: &Row) -> String {
    let name = |text: &str| format!("<code>{}</code>", html(&cut(text, NAME)));
    let mut title = format!("{} {}", name(&row.class), name(&row.id));
    if let Some(grader) = &row.grader {
        title = format!("{title} {}", name(grader));
    }
    let mut body = String::new();
    if let Some(at) = &row.at {
        let place = format!("{}:{}", cut(&at.path, 2 * NAME), at.line);
        body.push_str(&format!("At {}\n\n", code(&place)));
    }
    for (label, language, text) in texts(&row.evidence) {
        body.push_str(&format!(
            "In {}:\n\n{}\n",
            code(&cut(&label, NAME)),
            fenced(language, text)
        ));
    }
    if let Some(command) = command(row) {
        body.push_str(&format!("Reproduce:\n\n{}\n", fenced("sh", command)));
    }
    format!("<details>\n<summary>{title}</summary>\n\n{body}</details>\n\n")
}

/// The texts in the evidence: diffs, and what tools and programs wrote.
fn texts(evidence: &Map<String, Value>) -> Vec<(String, &'static str, &str)> {
    const MOST: usize = 4;
    // Words that the row says, or that the table has said.
    const NOT_SHOWN: [&str; 4] = ["expect_class", "lane", "owner", "reason"];
    let mut texts = Vec::new();
    for (key, value) in evidence {
        if NOT_SHOWN.contains(&key.as_str()) {
            continue;
        }
        let diff = value.get("diff").and_then(Value::as_str);
        match (diff, value.as_str()) {
            (Some(diff), _) => texts.push((format!("{key}.diff"), "diff", diff)),
            (None, Some(text)) if key == "diff" => texts.push((key.clone(), "diff", text)),
            (None, Some(text)) => texts.push((key.clone(), "text", text)),
            (None, None) => {}
        }
    }
    texts.sort_by_key(|(_, language, _)| *language);
    texts.truncate(MOST);
    texts
}

/// The command that shows a row again. One that a shell would read otherwise than it looks is
/// not offered for copying.
fn command(row: &Row) -> Option<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || " ._/-=:,+^~@".contains(c);
    let command = row.repro.as_str();
    let ours = command.starts_with("driftgate ") && command.len() <= 400;
    (ours && command.chars().all(plain)).then_some(command)
}

/// How to see again what is listed and has no details.
fn commands(rows: &[&Row]) -> String {
    let listed = rows.iter().filter(|row| row.level < Level::Incomplete);
    let commands: BTreeSet<&str> = listed.filter_map(|row| command(row)).collect();
    if commands.is_empty() {
        return String::new();
    }
    let lines = commands.iter().map(|command| format!("{command}\n"));
    let (lines, left) = within(COMMANDS, lines);
    let block = format!("{}{}", fenced("sh", &lines), more(left, "\n", "commands"));
    format!(
        "<details>\n<summary>How to reproduce the rows at level review</summary>\n\n{block}\n</details>\n"
    )
}

fn notes(notes: &[String]) -> String {
    if notes.is_empty() {
        return String::new();
    }
    let item = |note: &String| format!("- {}\n", prose(&cut(note, SENTENCE)));
    let (items, left) = within(NOTES, notes.iter().map(item));
    format!("**Notes**\n\n{items}{}", more(left, "- ", "notes"))
}

#[cfg(test)]
mod tests;
