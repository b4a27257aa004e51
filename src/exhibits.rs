//! What a person wants to hold in hand after a red run: sources, evidence, and the command to see
//! it again.

use std::io::Write as _;

use serde_json::json;

use crate::model::class::Level;
use crate::model::report::Report;
use crate::model::row::Row;
use crate::plan::Bench;
use crate::report::{json_v1, records};
use crate::run::artifacts::{self, Exhibit};
use crate::run::session::Session;

/// Leaves the report and the sources of red rows for a person. That they cannot be left is no
/// reason to lose the report itself. Where they are is no part of the report: two runs that find
/// the same report the same.
pub fn keep(bench: &Bench<'_>, session: &Session, report: &Report, quiet: bool) {
    let red = report.rows().filter(|row| row.level >= Level::Incomplete);
    let exhibits: Vec<Exhibit> = red.map(|row| exhibit(bench, row)).collect();
    let folder = session.workspace().path().join("runs");
    let mut bytes = Vec::new();
    let kept = json_v1::write(report, &mut bytes);
    let said = match kept.and_then(|()| artifacts::keep(&folder, &bytes, &exhibits)) {
        Ok(run) if !exhibits.is_empty() => {
            format!("sources and evidence of red rows: {}", run.display())
        }
        Ok(_) => return,
        Err(error) => format!("this run is not kept under {}: {error}", folder.display()),
    };
    if !quiet {
        // Nobody may be reading.
        let _ = writeln!(std::io::stderr(), "{said}");
    }
}

/// What a person wants to hold in hand of a red row.
fn exhibit(bench: &Bench<'_>, row: &Row) -> Exhibit {
    let grader = row.grader.as_deref().unwrap_or("");
    let evidence = json!({"class": row.class, "why": row.why, "evidence": row.evidence});
    let source = bench
        .source(row)
        .map(|source| ("candidate.cpp", source.to_vec()));
    let texts = [
        ("evidence.json", format!("{evidence:#}\n")),
        ("repro.sh", format!("{}\n", row.repro)),
    ];
    let texts = texts.map(|(name, text)| (name, text.into_bytes()));
    Exhibit {
        name: records::encoded(&format!("{}.{grader}", row.id)).replace('/', "__"),
        files: texts.into_iter().chain(source).collect(),
    }
}
