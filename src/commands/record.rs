//! `record`: stores completions and their verdicts as cassettes.

use std::path::Path;
use std::sync::Arc;

use crate::error::Error;
use crate::experiments::record::{RECORDED, UNCHANGED};
use crate::model::cassette::{Cassette, CassetteHashes};
use crate::model::pins::{Completion, Pins};
use crate::model::report::Experiment;
use crate::model::row::Row;
use crate::model::toolchain::Toolchain;
use crate::model::trial::Grading;
use crate::plan::Bench;
use crate::run::clock;
use crate::run::driver::{Task, Worker};
use crate::suite::completions::Found;
use crate::suite::{Recording, cassettes, recorder};

/// Grades every completion found and writes its cassette. A cassette that already holds the same
/// bytes is left alone.
///
/// # Errors
/// When there is no compiler, or a cassette cannot be written.
pub fn run(
    root: &Path,
    bench: &Bench<'_>,
    found: &Found,
    worker: &dyn Worker<Vec<(Pins, Arc<Grading>)>>,
) -> Result<Experiment, Error> {
    let toolchain = match bench.compiler {
        Ok(toolchain) => toolchain,
        Err(why) => return Err(Error::Incomplete(format!("{why}; nothing was recorded"))),
    };
    let mut rows = Vec::new();
    let mut tasks: Vec<Task<_>> = Vec::new();
    for case in &bench.suite.cases {
        let Some(bytes) = found.completions.get(&case.id) else {
            continue;
        };
        let completion = Arc::new(Completion::new(bytes.clone()));
        let old = bench.suite.recordings.get(&case.id);
        let holds = |old: &&Recording| {
            let recorded = old.cassette.hashes.output;
            old.completion.digest == completion.digest && recorded == completion.digest
        };
        match old.filter(holds) {
            Some(old) => rows.push(left_alone(root, &case.id, old)?),
            None => tasks.push(bench.recording(case, &completion)),
        }
    }
    worker.work(tasks, &mut |gradings| {
        let Some((pins, first)) = gradings.first() else {
            return Ok(());
        };
        let old = bench.suite.recordings.get(&pins.case.id);
        let accepted = old.map(|old| old.cassette.accepted.clone());
        let cassette = Cassette {
            accepted: accepted.unwrap_or_default(),
            ..cassette(toolchain, (pins, first), &gradings)
        };
        recorder::write(root, &cassette, &pins.completion.bytes)?;
        rows.extend(
            gradings
                .iter()
                .map(|(pins, grading)| recorded(pins, grading)),
        );
        Ok(())
    })?;
    Ok(Experiment::new("record", rows))
}

/// A cassette that already holds these bytes; only its `stale` mark goes.
fn left_alone(root: &Path, id: &str, old: &Recording) -> Result<Row, Error> {
    let mut why = "the cassette already holds these bytes".to_owned();
    if !old.cassette.stale.is_empty() {
        let cassette = Cassette {
            stale: Vec::new(),
            ..(*old.cassette).clone()
        };
        recorder::write(root, &cassette, &old.completion.bytes)?;
        why.push_str("; it is no longer stale");
    }
    Ok(Row::new(
        id,
        UNCHANGED,
        format!("{why}; to take new verdicts for them, accept"),
    ))
}

/// The cassette that `gradings` of one completion make, of which `(pins, first)` is one.
#[must_use]
pub fn cassette(
    toolchain: &Toolchain,
    (pins, first): (&Pins, &Grading),
    gradings: &[(Pins, Arc<Grading>)],
) -> Cassette {
    let case = &pins.case;
    let hashes = pins.hashes(first.judgement.system);
    let digest = |(pins, _): &(Pins, Arc<Grading>)| (pins.grader.id.clone(), pins.grader.digest());
    let verdict = |(pins, grading): &(Pins, Arc<Grading>)| {
        (
            pins.grader.id.clone(),
            grading.judgement.verdict.outcome.clone(),
        )
    };
    Cassette {
        case: case.id.clone(),
        output: cassettes::output_of(&case.id),
        recorded_at: clock::timestamp(),
        hashes: CassetteHashes {
            prompt: hashes.prompt,
            fixture: hashes.fixture,
            contract: hashes.contract,
            grader: gradings.iter().map(digest).collect(),
            output: hashes.output,
            toolchain: toolchain.identity(&case.flags),
            system: hashes.system,
        },
        toolchain: toolchain.version.clone(),
        verdicts: gradings.iter().map(verdict).collect(),
        run: None,
        accepted: Vec::new(),
        stale: Vec::new(),
    }
}

fn recorded(pins: &Pins, grading: &Grading) -> Row {
    let verdict = &grading.judgement.verdict;
    let why = format!("{}: {}", verdict.outcome, verdict.detail);
    Row::new(&pins.case.id, RECORDED, why).graded(pins, grading)
}
