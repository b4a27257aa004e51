//! What was noticed and belongs to no row, a sentence each.

use crate::graders::standalone_header::without_preludes;
use crate::model::pins::Input;
use crate::model::report::Report;
use crate::suite::{Suite, headers};

/// Adds what is to be said of `report`, which is about `suite`.
pub(crate) fn add(report: &mut Report, suite: &Suite) {
    let notes = [
        proven_unchanged(report),
        prelude(report, suite),
        nothing(report, suite),
    ];
    report.notes.extend(notes.into_iter().flatten());
}

/// How many verdicts stayed although the machine moved.
fn proven_unchanged(report: &Report) -> Option<String> {
    let stable = report.rows().filter(|row| row.class == "STABLE");
    let moved = stable
        .filter(|row| row.moved.contains(&Input::Toolchain) || row.moved.contains(&Input::System));
    let count = moved.count();
    (count > 0).then(|| {
        format!(
            "the toolchain or its files moved since the recording; {count} verdicts are proven unchanged"
        )
    })
}

/// The flags that headers are not compiled with.
fn prelude(report: &Report, suite: &Suite) -> Option<String> {
    let mut lanes = report.experiments.iter();
    lanes.find(|lane| lane.name == headers::GRADER)?;
    let config = &suite.config.standalone_header;
    let flags = config.flags.iter().chain(&config.c_flags).cloned();
    let (_, removed) = without_preludes(&flags.collect::<Vec<_>>());
    (!removed.is_empty()).then(|| {
        let removed = removed.join(" ");
        format!("headers are compiled without a prelude: `{removed}` is left out")
    })
}

/// Why there is no row.
fn nothing(report: &Report, suite: &Suite) -> Option<String> {
    if report.rows().next().is_some() {
        return None;
    }
    let why = if report.command == "quarantine" {
        "nothing is quarantined"
    } else if suite.cases.is_empty() {
        "there are no cases: put some under goldens/cases/"
    } else {
        "no completion is recorded as a pass: `driftgate record --from DIR` records some"
    };
    Some(why.to_owned())
}
