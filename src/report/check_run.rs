//! The check run: what a reviewer sees on the lines of a change and in the list of checks.

use crate::model::changed_lines::ChangedLines;
use crate::model::report::{Outcome, Report};

use super::markdown::{Page, Room};
use super::plain::basic_plane;
use super::{annotations, counts};

/// What a rendering for GitHub knows besides the report.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The check's name, distinct per workflow.
    pub name: &'a str,
    /// Where the suite lies, from the top of the repository; empty at the top.
    pub root: &'a str,
    /// The page of the run, if there is one.
    pub run_url: Option<&'a str>,
    /// The lines that the change touched.
    pub changed: &'a ChangedLines,
    /// Sentences on publishing and on what was not possible, for people to see.
    pub said: &'a [String],
}

/// A check run's conclusion. `neutral` is none of ours: it passes required checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Everything was judged and nothing fails.
    Success,
    /// Something fails, or could not be judged.
    Failure,
}

impl Conclusion {
    /// The word of GitHub's API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
        }
    }
}

/// The output of a check run, within GitHub's limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRun {
    /// Whether the check passes.
    pub conclusion: Conclusion,
    /// One line, at most 255 characters.
    pub title: String,
    /// Markdown, at most 65,535 bytes, no character above U+FFFF.
    pub summary: String,
    /// At most 200, failures first; to be sent 50 at a time.
    pub annotations: Vec<Annotation>,
}

/// How loud an annotation is, loudest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnnotationLevel {
    /// The row fails the build.
    Failure,
    /// The row could not be judged.
    Warning,
    /// A person should look.
    Notice,
}

impl AnnotationLevel {
    /// The word of GitHub's API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Failure => "failure",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// A finding on a line of a file: plain text, no Markdown, no character above U+FFFF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Path from the repository's root.
    pub path: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, not before the first.
    pub end_line: u32,
    /// How loud it is.
    pub level: AnnotationLevel,
    /// At most 255 characters.
    pub title: String,
    /// At most 64 KB.
    pub message: String,
    /// What proves it, shown as it stands: at most 64 KB.
    pub raw_details: Option<String>,
}

/// `report` as a check run.
#[must_use]
pub fn check_run(report: &Report, context: &Context<'_>) -> CheckRun {
    let findings = annotations::findings(report);
    CheckRun {
        conclusion: match report.outcome() {
            Outcome::Pass => Conclusion::Success,
            Outcome::Fail | Outcome::Incomplete => Conclusion::Failure,
        },
        title: counts::sentence(report),
        summary: summary(report, context, findings.len()),
        annotations: annotations::annotations(&findings, context),
    }
}

fn summary(report: &Report, context: &Context<'_>, wanted: usize) -> String {
    let cut = (wanted > annotations::MOST).then(|| {
        format!(
            "{} of {wanted} findings are shown on lines; the table goes on.",
            annotations::MOST - 1
        )
    });
    let said: Vec<_> = cut
        .into_iter()
        .chain(context.said.iter().cloned())
        .collect();
    let page = Page {
        said: &said,
        ..Page::of(report, context, &Room::CHECK)
    };
    basic_plane(&page.text())
}

#[cfg(test)]
mod tests;
