//! One line of the ledger: what a run came to, for whoever reads trends. No row of it.

use serde_json::{Map, Value, json};

use crate::model::report::Report;
use crate::model::row::Row;

/// The form of a line.
const SCHEMA: &str = "driftgate/ledger/1";

/// `report` as one line of JSON with its end, told at `at` (RFC 3339, UTC). `selected` says that
/// cases were picked, so that the counts are not those of the suite.
#[must_use]
pub fn line(report: &Report, at: &str, selected: bool) -> String {
    let rows = || report.experiments.iter().flat_map(|lane| &lane.rows);
    let executed = || rows().filter(|row| row.executed);
    let lanes: Map<String, Value> = report
        .experiments
        .iter()
        .map(|lane| (lane.name.clone(), json!(lane.summary())))
        .collect();
    let seconds: f64 = executed().map(|row: &Row| row.seconds).sum();
    let line = json!({
        "schema": SCHEMA,
        "driftgate": env!("CARGO_PKG_VERSION"),
        "at": at,
        "command": report.command,
        "outcome": report.outcome().as_str(),
        "base": report.base,
        "head": report.head,
        "toolchain": report.toolchain.hash,
        "sandbox": report.sandbox.level,
        "selected": selected,
        "checked": rows().count(),
        "executed": executed().count(),
        "seconds": (seconds * 1000.0).round() / 1000.0,
        "lanes": lanes,
    });
    format!("{line}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::mixed;

    #[test]
    fn a_line_holds_the_counts_and_no_row() {
        let line = line(&mixed(), "2026-11-29T08:00:00Z", false);
        assert_eq!(line.matches('\n').count(), 1);
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(
            (&read["schema"], &read["outcome"]),
            (&json!(SCHEMA), &json!("fail"))
        );
        let lanes = read["lanes"].as_object().unwrap();
        let sum: u64 = lanes
            .values()
            .flat_map(|lane| lane.as_object().unwrap().values())
            .map(|count| count.as_u64().unwrap())
            .sum();
        assert_eq!(read["checked"], sum);
        assert!(!line.contains("stdout"), "{line}");
    }
}
