//! The triage table: what a person reads on a terminal.

use std::io::{self, Write};

use crate::model::class::Level;
use crate::model::report::{Experiment, Outcome, Report};
use crate::model::row::Row;
use crate::model::verdict::Status;

use super::style::{Style, cut, one_line};

/// Above this many, rows at level ok are counted and not listed.
const LISTED_OK: usize = 40;
/// The most characters of a sentence.
const SENTENCE: usize = 240;
/// The most characters of an id or class column.
const COLUMN: usize = 48;

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
        writeln!(out, "note: {}", one_line(note))?;
    }
    foot(report, style, out)
}

fn head(report: &Report, style: Style, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{}",
        style.bold(&format!("driftgate {}", report.command))
    )?;
    let compiler = report.toolchain.version.as_deref().unwrap_or("none");
    writeln!(out, "  compiler  {}", one_line(compiler))?;
    writeln!(
        out,
        "  sandbox   {}: {}",
        report.sandbox.level,
        one_line(&report.sandbox.why)
    )?;
    if let Some(base) = &report.base {
        writeln!(out, "  base      {}", one_line(base))?;
    }
    writeln!(out)
}

fn lane(experiment: &Experiment, style: Style, out: &mut impl Write) -> io::Result<()> {
    let summary: Vec<_> = experiment
        .summary()
        .iter()
        .map(|(class, count)| format!("{count} {class}"))
        .collect();
    let name = style.bold(&experiment.name);
    writeln!(
        out,
        "{name}  {} checked: {}",
        experiment.rows.len(),
        summary.join(", ")
    )?;
    let mut rows: Vec<&Row> = experiment.rows.iter().collect();
    let ok = rows.iter().filter(|row| row.level == Level::Ok).count();
    if ok > LISTED_OK {
        rows.retain(|row| row.level != Level::Ok);
    }
    rows.sort_by_key(|row| urgency(row));
    let width = |column: fn(&Row) -> &str| {
        let longest = rows.iter().map(|row| column(row).chars().count()).max();
        longest.unwrap_or(0).min(COLUMN)
    };
    let widths = [width(|row| &row.class), width(|row| &row.id), width(grader)];
    for row in &rows {
        line(row, widths, style, out)?;
    }
    if ok > LISTED_OK {
        let rest = format!("  and {ok} more that are ok");
        writeln!(out, "{}", style.faint(&rest))?;
    }
    writeln!(out)
}

/// The order of the table: a pass that a grader turned into a fail comes first of all.
pub(super) fn urgency(row: &Row) -> (std::cmp::Reverse<Level>, bool, bool) {
    let flipped = row.before == Some(Status::Pass) && row.after == Some(Status::Fail);
    (
        std::cmp::Reverse(row.level),
        !row.explained,
        !(row.class == "GRADER_DRIFT" && flipped),
    )
}

fn grader(row: &Row) -> &str {
    row.grader.as_deref().unwrap_or("")
}

fn line(row: &Row, widths: [usize; 3], style: Style, out: &mut impl Write) -> io::Result<()> {
    let [class_width, id_width, grader_width] = widths;
    let level = style.level(row.level, &format!("{:<10}", row.level));
    let class = format!("{:<class_width$}", cut(&one_line(&row.class), COLUMN));
    let id = format!("{:<id_width$}", cut(&one_line(&row.id), COLUMN));
    let grader = format!("{:<grader_width$}", cut(&one_line(grader(row)), COLUMN));
    let line = format!(
        "  {level}  {}  {id}  {grader}  {}",
        style.level(row.level, &class),
        change(row)
    );
    writeln!(out, "{}", line.trim_end())?;
    if row.level == Level::Ok {
        return Ok(());
    }
    let mut more = vec![cut(&one_line(&row.why), SENTENCE)];
    if !row.also.is_empty() {
        more.push(format!("also {}", row.also.join(", ")));
    }
    if let Some(at) = &row.at {
        more.push(format!("at {}:{}", one_line(&at.path), at.line));
    }
    if !row.next.is_empty() {
        more.push(format!("next: {}", cut(&one_line(&row.next), SENTENCE)));
    }
    for sentence in more {
        writeln!(out, "              {}", style.faint(&sentence))?;
    }
    Ok(())
}

/// Before and after, where there are both or one.
fn change(row: &Row) -> String {
    match (row.before, row.after) {
        (Some(before), Some(after)) if before == after => before.to_string(),
        (Some(before), Some(after)) => format!("{before} -> {after}"),
        (Some(only), None) | (None, Some(only)) => only.to_string(),
        (None, None) => String::new(),
    }
}

fn foot(report: &Report, style: Style, out: &mut impl Write) -> io::Result<()> {
    let count = |level| report.rows().filter(|row| row.level == level).count();
    let (level, meaning) = match report.outcome() {
        Outcome::Pass => (Level::Ok, "nothing fails"),
        Outcome::Fail => (Level::Fail, "see the rows at level fail"),
        Outcome::Incomplete if report.rows().next().is_none() => {
            (Level::Incomplete, "nothing was judged")
        }
        Outcome::Incomplete => (
            Level::Incomplete,
            "something could not be judged; that is no pass",
        ),
    };
    let outcome = style.level(level, &report.outcome().as_str().to_uppercase());
    writeln!(
        out,
        "{outcome}: {meaning} ({} fail, {} incomplete, {} review, {} ok)",
        count(Level::Fail),
        count(Level::Incomplete),
        count(Level::Review),
        count(Level::Ok),
    )
}
