//! Findings on the lines of a change: which, where, and in what words.

mod grader_drift;
mod place;
mod words;

use crate::model::class::Level;
use crate::model::report::{Experiment, Report};
use crate::model::row::Row;
use crate::model::scope::Scope;

use super::check_run::{Annotation, AnnotationLevel, Context};
use super::scope::UNREACHED;
use super::text;

/// The most annotations of a check run: pages with more have frozen browsers.
pub(super) const MOST: usize = 200;

/// What one annotation is about.
pub(super) struct Finding<'a> {
    lane: &'a str,
    /// At least one row; more only if one edit of a grader is behind them all.
    rows: Vec<&'a Row>,
    /// Whether nothing in the change reaches any of them.
    unreached: bool,
}

impl<'a> Finding<'a> {
    /// The most urgent of its rows.
    fn first(&self) -> &'a Row {
        self.rows[0]
    }
}

/// One for each of `findings`. If those are more than [`MOST`], the last one says how many more
/// there are.
pub(super) fn annotations(findings: &[Finding<'_>], context: &Context<'_>) -> Vec<Annotation> {
    let shown = match findings.len() {
        count if count > MOST => MOST - 1,
        count => count,
    };
    let (shown, left) = findings.split_at(shown);
    let mut annotations: Vec<_> = shown
        .iter()
        .map(|finding| annotation(finding, context))
        .collect();
    if !left.is_empty() {
        annotations.push(closing(left.len(), context));
    }
    annotations
}

/// Everything that is not ok, most urgent first.
pub(super) fn findings(report: &Report) -> Vec<Finding<'_>> {
    let mut findings: Vec<Finding<'_>> = Vec::new();
    for experiment in &report.experiments {
        findings.extend(of_lane(experiment));
    }
    findings.sort_by_key(|finding| text::urgency(finding.first()));
    findings
}

fn of_lane(experiment: &Experiment) -> Vec<Finding<'_>> {
    let lane = experiment.name.as_str();
    let scope = Scope::of(experiment);
    let out_of_reach = |row: &&Row| scope.as_ref().is_some_and(|it| it.leaves_out(row));
    let not_ok = experiment.rows.iter().filter(|row| row.level != Level::Ok);
    let (drifts, others): (Vec<&Row>, Vec<&Row>) =
        not_ok.partition(|row| grader_drift::is_one(row));
    let alone = others.into_iter().map(|row| vec![row]);
    let all = grader_drift::by_edit(&drifts).into_iter().chain(alone);
    all.map(|rows| Finding {
        lane,
        unreached: rows.iter().all(out_of_reach),
        rows,
    })
    .collect()
}

fn annotation(finding: &Finding<'_>, context: &Context<'_>) -> Annotation {
    let (path, line) = place::of(finding, context.changed);
    let path = words::path(&path);
    let row = finding.first();
    let words = match grader_drift::is_one(row) {
        true => grader_drift::words(&finding.rows),
        false => words::of(row),
    };
    let out_of_reach = match finding.unreached {
        true => format!("\n\n{UNREACHED}"),
        false => String::new(),
    };
    let mut message = words::message(&format!("{}{out_of_reach}", words.message.trim_end()));
    if message.is_empty() {
        message = "See the report.".to_owned();
    }
    Annotation {
        path,
        start_line: line,
        end_line: line,
        level: match row.level {
            Level::Fail => AnnotationLevel::Failure,
            Level::Incomplete => AnnotationLevel::Warning,
            Level::Review | Level::Ok => AnnotationLevel::Notice,
        },
        title: words::line(&words.title, words::TITLE),
        message,
        raw_details: (!words.details.is_empty()).then(|| words::details(&words.details)),
    }
}

/// The last annotation, where there is no room for all.
fn closing(left: usize, context: &Context<'_>) -> Annotation {
    let (path, line) = place::nowhere(context.changed);
    Annotation {
        path,
        start_line: line,
        end_line: line,
        level: AnnotationLevel::Notice,
        title: format!("{left} more in the summary"),
        message: format!(
            "{left} more findings are not shown on lines: the summary and the report list them."
        ),
        raw_details: None,
    }
}

#[cfg(test)]
mod tests;
