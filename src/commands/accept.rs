//! `accept`: gives existing cassettes today's hashes and verdicts, with the reason beside what
//! they said before.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;

use crate::error::Error;
use crate::experiments::accept::{ACCEPTED, KEPT, NOT_JUDGED, REFUSED, Regraded};
use crate::experiments::replay::acceptance;
use crate::model::cassette::{Acceptance, Cassette};
use crate::model::class::Class;
use crate::model::pins::Pins;
use crate::model::report::Experiment;
use crate::model::row::Row;
use crate::model::toolchain::Toolchain;
use crate::model::trial::Grading;
use crate::model::verdict::Status;
use crate::plan::Bench;
use crate::run::clock;
use crate::run::driver::Worker;
use crate::suite::{Recording, recorder};

use super::record;

/// Regrades every recording and rewrites those where a case or grader hash moved or a verdict
/// differs.
///
/// # Errors
/// When there is no compiler, or a cassette cannot be written.
pub fn run(
    root: &Path,
    bench: &Bench<'_>,
    reason: &str,
    worker: &dyn Worker<Vec<Regraded>>,
) -> Result<Experiment, Error> {
    let toolchain = match bench.compiler {
        Ok(toolchain) => toolchain,
        Err(why) => return Err(Error::Incomplete(format!("{why}; nothing was accepted"))),
    };
    let mut rows = Vec::new();
    worker.work(bench.acceptances(), &mut |regraded| {
        let Some(first) = regraded.first() else {
            return Ok(());
        };
        let Some(old) = bench.suite.recordings.get(&first.pins.case.id) else {
            return Ok(());
        };
        let (class, why) = decide(old, &regraded);
        if class.name == ACCEPTED.name {
            let cassette = accepted(toolchain, &old.cassette, (first, &regraded), reason);
            recorder::write(root, &cassette, &old.completion.bytes)?;
        }
        rows.extend(
            regraded
                .iter()
                .map(|regraded| row(old, regraded, class, &why)),
        );
        Ok(())
    })?;
    Ok(Experiment::new("accept", rows))
}

/// What becomes of one cassette: all of its graders or none.
fn decide(old: &Recording, regraded: &[Regraded]) -> (&'static Class, String) {
    if old.completion.digest != old.cassette.hashes.output {
        return (
            REFUSED,
            format!("{} is not what was recorded", old.output_path),
        );
    }
    let outcome = |grading: &Arc<Grading>| grading.judgement.verdict.outcome.clone();
    let mut changed = false;
    for one in regraded {
        let today = outcome(&one.first);
        if today.status == Status::Unjudged {
            let detail = &one.first.judgement.verdict.detail;
            return (NOT_JUDGED, format!("{}: {detail}", one.pins.grader.id));
        }
        if let Some(again) = one
            .second
            .as_ref()
            .map(outcome)
            .filter(|again| *again != today)
        {
            return (
                REFUSED,
                format!("two gradings disagree: {today}, then {again}"),
            );
        }
        let grader = &one.pins.grader.id;
        let recorded = old.cassette.hashes_for(grader);
        let now = one.pins.hashes(recorded.system);
        let case =
            |hashes: &crate::model::pins::Hashes| (hashes.prompt, hashes.fixture, hashes.contract);
        changed |= case(&recorded) != case(&now) || recorded.grader != now.grader;
        changed |= old.cassette.verdicts.get(grader) != Some(&today);
    }
    if changed {
        (ACCEPTED, "took today's hashes and verdicts".to_owned())
    } else {
        (KEPT, "nothing to accept".to_owned())
    }
}

/// The cassette with today's state, and its old state under the reason. A completion that never
/// saw the present prompt or fixture is marked stale.
fn accepted(
    toolchain: &Toolchain,
    old: &Cassette,
    (first, regraded): (&Regraded, &[Regraded]),
    reason: &str,
) -> Cassette {
    let gradings: Vec<(Pins, Arc<Grading>)> = regraded
        .iter()
        .map(|one| (one.pins.clone(), Arc::clone(&one.first)))
        .collect();
    let new = record::cassette(toolchain, (&first.pins, &first.first), &gradings);
    let mut stale = old.stale.clone();
    for (name, moved) in [
        ("prompt", old.hashes.prompt != new.hashes.prompt),
        ("fixture", old.hashes.fixture != new.hashes.fixture),
    ] {
        if moved && !stale.iter().any(|known| known == name) {
            stale.push(name.to_owned());
        }
    }
    let mut accepted = old.accepted.clone();
    accepted.push(Acceptance {
        reason: reason.to_owned(),
        at: clock::timestamp(),
        from: acceptance::state(old),
    });
    Cassette {
        output: old.output.clone(),
        recorded_at: old.recorded_at.clone(),
        run: old.run.clone(),
        accepted,
        stale,
        ..new
    }
}

fn row(old: &Recording, regraded: &Regraded, class: &Class, why: &str) -> Row {
    let verdict = &regraded.first.judgement.verdict;
    let mut row = Row::new(&regraded.pins.case.id, class, why);
    let grader = &regraded.pins.grader.id;
    row.grader = Some(grader.clone());
    row.before = old
        .cassette
        .verdicts
        .get(grader)
        .map(|outcome| outcome.status);
    row.after = Some(verdict.outcome.status);
    row.executed = regraded.first.executed;
    row.seconds = regraded.first.seconds;
    row.hashes = Some(regraded.pins.hashes(regraded.first.judgement.system));
    row.evidence.clone_from(&verdict.evidence);
    row.evidence
        .insert("verdict".to_owned(), json!(verdict.outcome));
    row
}
