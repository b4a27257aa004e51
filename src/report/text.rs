//! The triage table: what a person reads on a terminal. The rows to act on come first, the
//! outcome last, where it stays in sight.

use std::io::{self, Write};

use crate::model::class::Level;
use crate::model::report::{Experiment, Outcome, Report};
use crate::model::row::Row;
use crate::model::scope::Scope;
use crate::model::verdict::Status;

use super::scope::sentence as sentence_on;
use super::style::{Style, one_line};
use super::wrap::{cut_middle, hanging, sentence};

mod table;

use table::Table;

/// Above this many of one class, rows at level ok are counted and not listed.
const LISTED_OK: usize = 20;
/// Above this many, other rows are not listed either.
const LISTED: usize = 200;
/// The most characters of a path or an id in a sentence.
const NAME: usize = 128;

/// Writes `report` as a table: failures first, then what could not be judged, then what a person
/// should look at, then the rest.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(report: &Report, style: Style, out: &mut impl Write) -> io::Result<()> {
    head(report, style, out)?;
    for experiment in &report.experiments {
        lane(experiment, style, out)?;
    }
    for note in &report.notes {
        hanging("note: ", &sentence(note), style, out)?;
    }
    if !report.notes.is_empty() {
        writeln!(out)?;
    }
    foot(report, style, out)
}

fn head(report: &Report, style: Style, out: &mut impl Write) -> io::Result<()> {
    let title = format!("driftgate {}", one_line(&report.command));
    writeln!(out, "{}", style.bold(&title))?;
    let compiler = report.toolchain.version.as_deref().unwrap_or("none");
    hanging("  compiler  ", &sentence(compiler), style, out)?;
    let sandbox = format!("{}: {}", report.sandbox.level, report.sandbox.why);
    hanging("  sandbox   ", &sentence(&sandbox), style, out)?;
    if let Some(base) = &report.base {
        hanging("  base      ", &sentence(base), style, out)?;
    }
    writeln!(out)
}

fn lane(experiment: &Experiment, style: Style, out: &mut impl Write) -> io::Result<()> {
    let mut rows: Vec<&Row> = experiment.rows.iter().collect();
    rows.sort_by_key(|row| urgency(row));
    let title = format!(
        "{}  {} checked",
        style.bold(&one_line(&experiment.name)),
        rows.len()
    );
    writeln!(out, "{title}{}", summary(&rows, style))?;
    let scope = Scope::of(experiment);
    if let Some(scope) = &scope {
        let said = sentence_on(&experiment.name, scope, &|text| {
            cut_middle(&one_line(text), NAME)
        });
        hanging("  scope: ", &said, style, out)?;
    }
    let (calm, urgent): (Vec<&Row>, Vec<&Row>) =
        rows.into_iter().partition(|row| row.level == Level::Ok);
    let mut listed = urgent.clone();
    listed.truncate(LISTED);
    // What is many of a kind says nothing; a few among them do (`NEW`, `ACCEPTED`).
    let many =
        |row: &&Row| calm.iter().filter(|other| other.class == row.class).count() > LISTED_OK;
    let (counted_only, few): (Vec<&Row>, Vec<&Row>) = calm.iter().partition(|row| many(row));
    listed.extend(few);
    let table = Table::of(&listed, experiment, scope.as_ref(), style);
    for (index, row) in listed.iter().enumerate() {
        table.row(row, listed.get(index + 1).copied(), out)?;
    }
    if urgent.len() > LISTED {
        let more = format!(
            "  ... and {} more that are not ok; --format records lists every row",
            urgent.len() - LISTED
        );
        writeln!(out, "{more}")?;
    }
    if !counted_only.is_empty() {
        writeln!(out, "{}", style.faint(&counted(&counted_only, table.level)))?;
    }
    writeln!(out)
}

/// How many rows each class has, the most urgent first.
fn summary(sorted: &[&Row], style: Style) -> String {
    let mut counts = Vec::<(&str, Level, usize)>::new();
    for row in sorted {
        match counts.iter_mut().find(|(class, _, _)| *class == row.class) {
            Some((_, _, count)) => *count += 1,
            None => counts.push((&row.class, row.level, 1)),
        }
    }
    let counts = counts.iter().map(|(class, level, count)| {
        let text = format!("{count} {}", one_line(class));
        if *level == Level::Ok {
            text
        } else {
            style.level(*level, &text)
        }
    });
    let counts: Vec<_> = counts.collect();
    if counts.is_empty() {
        String::new()
    } else {
        format!(": {}", counts.join(", "))
    }
}

/// One line for rows at level ok that are not listed.
fn counted(rows: &[&Row], level: usize) -> String {
    let having = |status| rows.iter().filter(|row| row.after == Some(status)).count();
    let parts =
        [Status::Pass, Status::Fail, Status::Unjudged].map(|status| (status, having(status)));
    let parts = parts.iter().filter(|(_, count)| *count > 0);
    let parts: Vec<_> = parts
        .map(|(status, count)| format!("{count} {status}"))
        .collect();
    let verdicts = if parts.is_empty() {
        String::new()
    } else {
        format!(" (verdicts: {})", parts.join(", "))
    };
    let count = rows.len();
    format!("  {:<level$}  {count} not listed{verdicts}", Level::Ok)
}

/// The order of the table: a pass that a grader turned into a fail comes first of all.
pub(super) fn urgency(row: &Row) -> (std::cmp::Reverse<Level>, bool, bool, &str) {
    let flipped = row.before == Some(Status::Pass) && row.after == Some(Status::Fail);
    (
        std::cmp::Reverse(row.level),
        !row.explained,
        !(row.class == "GRADER_DRIFT" && flipped),
        &row.class,
    )
}

fn foot(report: &Report, style: Style, out: &mut impl Write) -> io::Result<()> {
    let (level, meaning) = match report.outcome() {
        Outcome::Pass => (Level::Ok, ""),
        Outcome::Fail => (Level::Fail, ""),
        Outcome::Incomplete if report.rows().next().is_none() => {
            (Level::Incomplete, "nothing was judged, and that is no pass")
        }
        Outcome::Incomplete => (Level::Incomplete, "; what could not be judged is no pass"),
    };
    let levels = [Level::Fail, Level::Incomplete, Level::Review, Level::Ok];
    let counts = levels.map(|level| (level, report.count(level)));
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    let counts: Vec<_> = counts
        .map(|(level, count)| format!("{count} {level}"))
        .collect();
    let outcome = style.level(level, &report.outcome().as_str().to_uppercase());
    writeln!(out, "{outcome}: {}{meaning}", counts.join(", "))
}

#[cfg(test)]
mod tests;
