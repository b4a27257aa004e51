//! The report as JSON, schema `driftgate/report/1`: the file that other tools read.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use crate::model::canonical;
use crate::model::report::{Experiment, Report};
use crate::model::row::Row;

/// The schema's name.
pub const SCHEMA: &str = "driftgate/report/1";

/// Writes `report` as indented JSON with sorted keys and a last newline.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &value(report))?;
    out.write_all(b"\n")
}

/// `report` as a JSON value.
#[must_use]
pub fn value(report: &Report) -> Value {
    json!({
        "schema": SCHEMA,
        "driftgate": env!("CARGO_PKG_VERSION"),
        "command": report.command,
        "outcome": report.outcome().as_str(),
        "base": report.base,
        "head": report.head,
        "toolchain": canonical::value(&report.toolchain),
        "sandbox": canonical::value(&report.sandbox),
        "notes": report.notes,
        "experiments": report.experiments.iter().map(experiment).collect::<Vec<_>>(),
    })
}

fn experiment(experiment: &Experiment) -> Value {
    json!({
        "name": experiment.name,
        "outcome": experiment.outcome().as_str(),
        "checked": experiment.rows.len(),
        "summary": experiment.summary(),
        "rows": experiment.rows.iter().map(row).collect::<Vec<_>>(),
        "extra": experiment.extra,
    })
}

/// A row; times to the millisecond, and an absent hash set as an empty object.
fn row(row: &Row) -> Value {
    let mut value = canonical::value(row);
    value["seconds"] = json!((row.seconds * 1000.0).round() / 1000.0);
    if row.hashes.is_none() {
        value["hashes"] = Value::Object(Map::new());
    }
    value
}
