//! The report as a pull request's reviewer reads it: in a comment, a check or a job's summary.
//! Always shorter than these may be; what was left out is counted.

mod details;
mod room;
mod table;
mod tail;
mod top;

use std::io::{self, Write};

use crate::model::class::Level;
use crate::model::report::Report;
use crate::model::row::Row;

use super::check_run::Context;
use super::markup::code;
use super::scope::Unreached;
use super::style::cut;
use super::text;
pub(super) use room::{Room, cost};
use room::{more, within};

/// The most characters of a sentence.
const SENTENCE: usize = 240;
/// The most characters of an id, a class or a name.
const NAME: usize = 128;

/// A page about a report.
pub(super) struct Page<'a> {
    pub(super) report: &'a Report,
    /// What it is headed with.
    pub(super) name: &'a str,
    /// Sentences of ours on how it got here.
    pub(super) said: &'a [String],
    /// Where the suite lies, from the top of the repository.
    pub(super) root: &'a str,
    /// The page of the run.
    pub(super) run_url: Option<&'a str>,
    /// How long each part may be.
    pub(super) room: &'a Room,
}

/// Writes `report` as GitHub's Markdown.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let name = format!("driftgate {}", report.command);
    let page = Page {
        report,
        name: &name,
        said: &[],
        root: "",
        run_url: None,
        room: &Room::COMMENT,
    };
    out.write_all(page.text().as_bytes())
}

impl<'a> Page<'a> {
    /// A page for GitHub.
    pub(super) fn of(report: &'a Report, context: &Context<'a>, room: &'a Room) -> Self {
        Self {
            report,
            name: context.name,
            said: context.said,
            root: context.root,
            run_url: context.run_url,
            room,
        }
    }

    /// The page as Markdown, with a last newline.
    pub(super) fn text(&self) -> String {
        let mut rows: Vec<&Row> = self.report.rows().collect();
        rows.retain(|row| row.level != Level::Ok);
        rows.sort_by_key(|row| text::urgency(row));
        let parts = [
            top::headline(self),
            top::said(self),
            top::what_to_do(&rows, self.room.next),
            table::table(&rows, &Unreached::of(self.report), self.room.table),
            details::details(&rows, self.room.details),
            details::commands(&rows, self.room.commands),
            tail::lanes(&self.report.experiments, self.room.lanes),
            tail::scope(&self.report.experiments, self.room.scope),
            tail::notes(&self.report.notes, self.room.notes),
            tail::again(self),
            tail::facts(self),
        ];
        let parts: Vec<_> = parts.iter().filter(|part| !part.is_empty()).collect();
        let parts: Vec<_> = parts.iter().map(|part| part.as_str()).collect();
        parts.join("\n")
    }
}

/// An id, a class or a name.
fn name(text: &str) -> String {
    code(&cut(text, NAME))
}

#[cfg(test)]
mod tests;
