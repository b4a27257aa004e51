//! One verdict a grader as JSON: what `grade --json` prints for other programs.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::model::class::Level;
use crate::model::report::{Experiment, Report};
use crate::model::row::Row;
use crate::model::verdict::Status;

use super::style::no_command_in_json;

/// Writes `{"graders": {"<id>": {"status", "class", "detail"}}}` and a newline.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let graders: Map<String, Value> = report
        .experiments
        .iter()
        .map(|experiment| (experiment.name.clone(), grader(experiment)))
        .collect();
    let text = json!({"graders": graders}).to_string();
    writeln!(out, "{}", no_command_in_json(&text))
}

/// The verdict over all rows of a grader: that of its worst row.
fn grader(experiment: &Experiment) -> Value {
    let Some(worst) = experiment.rows.iter().rev().max_by_key(|row| row.level) else {
        return json!({"status": Status::Unjudged, "class": "none", "detail": "nothing was graded"});
    };
    let status = match worst.level {
        Level::Ok | Level::Review => Status::Pass,
        Level::Incomplete => Status::Unjudged,
        Level::Fail => Status::Fail,
    };
    let count = experiment.rows.len();
    json!({"status": status, "class": worst.class, "detail": detail(worst, count)})
}

fn detail(worst: &Row, count: usize) -> String {
    if worst.level == Level::Ok {
        return format!("{count} graded, all as expected");
    }
    format!("{}: {} ({count} graded)", worst.id, worst.why)
}
