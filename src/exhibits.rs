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
use crate::suite::consumers;

/// Leaves the report and the sources of red rows for a person. That they cannot be left is no
/// reason to lose the report itself. Where they are is no part of the report: two runs that find
/// the same report the same.
pub fn keep(bench: &Bench<'_>, session: &Session, report: &Report, quiet: bool) {
    let red = report.rows().filter(|row| row.level >= Level::Incomplete);
    let exhibits: Vec<Exhibit> = red.map(|row| exhibit(bench, row)).collect();
    let folder = session.workspace().path().join("runs");
    let mut bytes = Vec::new();
    let kept = json_v1::write(report, &mut bytes);
    let mut files = vec![("report.json", bytes)];
    files.extend(grade(report).map(|grade| ("grade.json", grade)));
    let said = match kept.and_then(|()| artifacts::keep(&folder, &files, &exhibits)) {
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

/// The grade of every consumer: id, class and exit code, null where it did not end by itself.
fn grade(report: &Report) -> Option<Vec<u8>> {
    let mut lanes = report.experiments.iter();
    let lane = lanes.find(|lane| lane.name == consumers::GRADER)?;
    let grades = lane.rows.iter().map(|row| {
        let exit = row.evidence.get("exit_code");
        json!({"id": row.id, "class": row.class, "exit": exit})
    });
    let grades: Vec<_> = grades.collect();
    Some(format!("{:#}\n", json!(grades)).into_bytes())
}

/// What a person wants to hold in hand of a red row.
fn exhibit(bench: &Bench<'_>, row: &Row) -> Exhibit {
    let grader = row.grader.as_deref().unwrap_or("");
    let evidence = json!({"class": row.class, "why": row.why, "evidence": row.evidence});
    let source = bench
        .source(row)
        .map(|(name, source)| (name, source.to_vec()));
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
