//! What comes first on a page: the outcome, and what to do about it.

use crate::model::class::Level;
use crate::model::report::Outcome;
use crate::model::row::Row;
use crate::report::counts;
use crate::report::markup::prose;
use crate::report::style::cut;

use super::{NAME, Page, SENTENCE, more, name, within};

/// The most characters of a sentence on how a page got here.
const SAID: usize = 500;

pub(super) fn headline(page: &Page<'_>) -> String {
    let outcome = page.report.outcome();
    let mark = match outcome {
        Outcome::Pass => "\u{2705}",
        Outcome::Fail => "\u{274c}",
        Outcome::Incomplete => "\u{26a0}\u{fe0f}",
    };
    format!(
        "## {mark} {}: {}\n\n**{}**\n",
        prose(&cut(page.name, NAME)),
        outcome.as_str(),
        counts::sentence(page.report)
    )
}

pub(super) fn said(page: &Page<'_>) -> String {
    // A quote, or the list that follows would be one with it.
    let item = |said: &String| format!("> - {}\n", prose(&cut(said, SAID)));
    let (items, left) = within(page.room.said, page.said, item);
    format!("{items}{}", more(left, "> - ", "notes on publishing"))
}

/// Rows that ask for the same.
struct Alike<'a> {
    first: &'a Row,
    count: usize,
}

impl Alike<'_> {
    fn has(&self, row: &Row) -> bool {
        let key = |row: &Row| (row.level, row.explained);
        key(self.first) == key(row)
            && self.first.class == row.class
            && self.first.grader == row.grader
            && self.first.next == row.next
    }

    fn line(&self) -> String {
        let Row {
            level,
            class,
            grader,
            next,
            ..
        } = self.first;
        let grader = grader.as_deref();
        let by = grader.map_or_else(String::new, |grader| format!(" by {}", name(grader)));
        let next = match next.as_str() {
            "" => String::new(),
            next => format!(": {}", prose(&cut(next, SENTENCE))),
        };
        let level = match level {
            Level::Ok | Level::Fail | Level::Incomplete => level.as_str(),
            Level::Review => "to review",
        };
        format!("- **{} {level}**, {}{by}{next}\n", self.count, name(class))
    }
}

/// One line for all rows that ask for the same, in the order of the table.
pub(super) fn what_to_do(rows: &[&Row], room: usize) -> String {
    let mut kinds: Vec<Alike<'_>> = Vec::new();
    for row in rows {
        match kinds.iter_mut().find(|kind| kind.has(row)) {
            Some(kind) => kind.count += 1,
            None => kinds.push(Alike {
                first: row,
                count: 1,
            }),
        }
    }
    let (lines, left) = within(room, &kinds, Alike::line);
    format!("{lines}{}", more(left, "- ", "kinds of rows"))
}
