//! The rows of a lane as a table: columns that line up, and what hangs below a row.

use std::io::{self, Write};

use crate::model::class::Level;
use crate::model::report::Experiment;
use crate::model::row::Row;
use crate::model::scope::Scope;
use crate::model::verdict::Status;
use crate::report::scope::UNREACHED;
use crate::report::style::{Style, cut, no_command, one_line};
use crate::report::wrap::{cut_middle, hanging, sentence, wrapped};

/// The most characters of a column that others line up with; what is longer sticks out.
const COLUMN: usize = 40;
/// The most characters of an id. None that a person chose is longer.
const ID: usize = 128;
/// The most lines of a difference.
const DIFF: usize = 6;
/// Where the labels of a row's details end.
const LABEL: usize = 6;

/// The columns of a lane.
pub(super) struct Table<'a> {
    style: Style,
    /// What the change can reach of the lane, where that is known.
    scope: Option<&'a Scope>,
    /// The width of the first column.
    pub(super) level: usize,
    class: usize,
    id: usize,
    /// `None` where the lane is one grader's: its name stands above.
    grader: Option<usize>,
}

impl<'a> Table<'a> {
    /// The columns that `rows` of `experiment`, of which the change can reach `scope`, need.
    pub(super) fn of(
        rows: &[&Row],
        experiment: &Experiment,
        scope: Option<&'a Scope>,
        style: Style,
    ) -> Self {
        let width = |column: fn(&Row) -> String| {
            let widths = rows.iter().map(|row| column(row).chars().count());
            widths.filter(|width| *width <= COLUMN).max().unwrap_or(0)
        };
        let named_above = rows.iter().all(|row| {
            let grader = row.grader.as_deref();
            grader.is_none_or(|grader| grader == experiment.name)
        });
        Self {
            style,
            scope,
            level: width(|row| row.level.to_string()),
            class: width(class),
            id: width(id),
            grader: (!named_above).then(|| width(grader)),
        }
    }

    /// A row and what hangs below it. What the row below says too is left to that one.
    pub(super) fn row(
        &self,
        row: &Row,
        below: Option<&Row>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (level, class_width, id_width) = (self.level, self.class, self.id);
        let class = format!("{:<class_width$}", class(row));
        let mut line = format!(
            "  {}  {}  {:<id_width$}",
            self.style
                .level(row.level, &format!("{:<level$}", row.level)),
            self.style.level(row.level, &class),
            id(row),
        );
        if let Some(width) = self.grader {
            line.push_str(&format!("  {:<width$}", grader(row)));
        }
        line.push_str(&format!("  {}", change(row)));
        writeln!(out, "{}", line.trim_end())?;
        if row.level == Level::Ok {
            return Ok(());
        }
        self.detail("", &row.why, out)?;
        if self.scope.is_some_and(|scope| scope.leaves_out(row)) {
            self.detail("", UNREACHED, out)?;
        }
        self.difference(row, out)?;
        let same = below.filter(|below| below.class == row.class && below.level == row.level);
        self.detail("also", &row.also.join(", "), out)?;
        if same.is_none_or(|below| below.at != row.at)
            && let Some(at) = &row.at
        {
            self.detail("at", &format!("{}:{}", at.path, at.line), out)?;
        }
        if same.is_none_or(|below| below.next != row.next) {
            self.detail("next", &row.next, out)?;
        }
        Ok(())
    }

    fn indent(&self) -> usize {
        2 + self.level + 2
    }

    fn detail(&self, label: &str, text: &str, out: &mut impl Write) -> io::Result<()> {
        let text = sentence(text);
        if text.is_empty() {
            return Ok(());
        }
        let indent = self.indent();
        if label.is_empty() {
            return hanging(&" ".repeat(indent), &text, self.style, out);
        }
        let label = self.style.faint(&format!("{label:<LABEL$}"));
        let room = self.style.width.saturating_sub(indent + LABEL);
        for (index, line) in wrapped(&text, room).iter().enumerate() {
            if index == 0 {
                writeln!(out, "{:indent$}{label}{line}", "")?;
            } else {
                writeln!(out, "{:1$}{line}", "", indent + LABEL)?;
            }
        }
        Ok(())
    }

    /// The start of a difference that the evidence holds: today's, or one that is forgiven now.
    fn difference(&self, row: &Row, out: &mut impl Write) -> io::Result<()> {
        let (is_old, what) = match row.after {
            Some(Status::Fail) => (false, "-expected +actual"),
            _ => (true, "-expected +actual, as it was held against it before"),
        };
        let wanted = row
            .evidence
            .iter()
            .filter(|(key, _)| key.ends_with("_before") == is_old);
        let mut found = wanted.filter_map(|(_, value)| value["diff"].as_str());
        let Some(diff) = found.next() else {
            return Ok(());
        };
        let (indent, style) = (self.indent(), self.style);
        let room = style.width.saturating_sub(indent + LABEL).max(LABEL);
        let label = format!("{:<LABEL$}{what}", "diff");
        writeln!(out, "{:indent$}{}", "", style.faint(&label))?;
        for line in diff.lines().take(DIFF) {
            let shown = cut(no_command(&one_line(line)).trim_end(), room);
            let shown = match shown.chars().next() {
                Some('-') => style.level(Level::Fail, &shown),
                Some('+') => style.level(Level::Ok, &shown),
                _ => shown,
            };
            writeln!(out, "{:1$}{shown}", "", indent + LABEL)?;
        }
        if diff.lines().count() > DIFF {
            writeln!(out, "{:1$}...", "", indent + LABEL)?;
        }
        Ok(())
    }
}

fn class(row: &Row) -> String {
    cut_middle(&one_line(&row.class), COLUMN)
}

fn id(row: &Row) -> String {
    cut_middle(&one_line(&row.id), ID)
}

fn grader(row: &Row) -> String {
    cut_middle(&one_line(row.grader.as_deref().unwrap_or("")), ID)
}

/// Before and after, where there are both or one, and what makes the row milder.
fn change(row: &Row) -> String {
    let mut words = vec![match (row.before, row.after) {
        (Some(before), Some(after)) if before != after => format!("{before} -> {after}"),
        (_, Some(after)) => format!("{after}{}", classes(row)),
        (Some(before), None) => before.to_string(),
        (None, None) => String::new(),
    }];
    let milder = [
        (row.explained, "explained"),
        (row.inherited, "inherited"),
        (row.quarantined, "quarantined"),
    ];
    words.extend(
        milder
            .iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, word)| (*word).to_owned()),
    );
    words.retain(|word| !word.is_empty());
    words.join("  ")
}

/// The class of a verdict that says more than its status: both where only the class changed.
fn classes(row: &Row) -> String {
    let class = |name: &str| {
        let class = row.evidence.get(name)?.get("class")?.as_str()?;
        Some(cut_middle(&one_line(class), COLUMN))
    };
    match (class("before"), class("verdict")) {
        (Some(before), Some(after)) if before != after => format!(" ({before} -> {after})"),
        (_, Some(after)) => format!(" ({after})"),
        (_, None) => String::new(),
    }
}
