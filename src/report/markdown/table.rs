//! Everything that is not ok, a row each.

use crate::model::row::Row;
use crate::report::evidence::verdict;
use crate::report::markup::prose;
use crate::report::scope::{UNREACHED, Unreached};
use crate::report::style::cut;

use super::{SENTENCE, more, name, within};

/// The most other classes of a row that are shown.
const MOST_ALSO: usize = 4;

pub(super) fn table(rows: &[&Row], unreached: &Unreached<'_>, room: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let (lines, left) = within(room, rows, |row| line(row, unreached));
    let head = "| Level | Class | What | Verdict | Moved | Why |\n|---|---|---|---|---|---|\n";
    format!("{head}{lines}{}", more(left, "\n", "that are not ok"))
}

fn line(row: &Row, unreached: &Unreached<'_>) -> String {
    let mut class = name(&row.class);
    if !row.also.is_empty() {
        let also: Vec<_> = row.also.iter().take(MOST_ALSO).collect();
        let also: Vec<_> = also.iter().map(|also| name(also)).collect();
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
    let mut why = prose(&cut(&row.why, SENTENCE));
    if unreached.has(row) {
        why = format!("{why} ({UNREACHED})");
    }
    let moved: Vec<_> = row.moved.iter().map(|input| input.as_str()).collect();
    let cells = [
        format!("**{}**", row.level),
        class,
        what,
        // A verdict is not to be broken into lines.
        verdict(row).replace(' ', "\u{a0}"),
        moved.join(", "),
        why,
    ];
    format!("| {} |\n", cells.join(" | "))
}
