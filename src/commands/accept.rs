//! `accept`: gives existing cassettes today's hashes and verdicts, with the reason beside what
//! they said before.

use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, InputError};
use crate::experiments::accept::{ACCEPTED, KEPT, NOT_JUDGED, REFUSED, Regraded};
use crate::experiments::replay::acceptance::{self, Change};
use crate::model::cassette::{Acceptance, Cassette};
use crate::model::class::Class;
use crate::model::pins::{Hashes, Pins};
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
        let base = bench
            .base
            .and_then(|base| base.recordings.get(&old.cassette.case));
        let replaced = replaced(base.map(|base| &*base.cassette), &old.cassette, &regraded);
        let (class, why) = decide(old, &regraded, replaced.is_unexplained);
        if class.name == ACCEPTED.name {
            let gradings = (first, regraded.as_slice());
            let cassette = accepted(toolchain, (&old.cassette, replaced), gradings, reason);
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

/// A reason that says something.
///
/// # Errors
/// When it says nothing.
pub fn reason_given(reason: &str) -> Result<&str, Error> {
    if reason.trim().is_empty() {
        let error = InputError::new("", "is empty").field("--reason");
        return Err(error.hint("Say why the new verdicts are right.").into());
    }
    Ok(reason.trim())
}

/// What an acceptance stands on top of.
#[derive(Clone, Copy)]
struct Replaced<'a> {
    cassette: &'a Cassette,
    /// Whether what lies between the base and the working tree still needs a reason, even if the
    /// cassette says today's state already.
    is_unexplained: bool,
}

/// The cassette that an acceptance replaces: the present one, unless it came out of the base's in
/// a way that no reason stands behind. Then the reason is given for the base's state.
fn replaced<'a>(
    base: Option<&'a Cassette>,
    present: &'a Cassette,
    regraded: &[Regraded],
) -> Replaced<'a> {
    let on_present = Replaced {
        cassette: present,
        is_unexplained: false,
    };
    let Some(base) = base else { return on_present };
    let is_unexplained = match acceptance::change(base, present) {
        Change::None | Change::Accepted => return on_present,
        Change::StaleAccept | Change::Unfounded => true,
        Change::NewOutput | Change::Reverted => regraded.iter().any(|one| has_moved(base, one)),
    };
    Replaced {
        cassette: base,
        is_unexplained,
    }
}

/// Whether `cassette` is about another case or grader, or of the same completion says another
/// verdict, than what was graded today.
fn has_moved(cassette: &Cassette, today: &Regraded) -> bool {
    let grader = &today.pins.grader.id;
    let recorded = cassette.hashes_for(grader);
    let now = today.pins.hashes(recorded.system);
    let case = |hashes: &Hashes| (hashes.prompt, hashes.fixture, hashes.contract);
    let verdict = &today.first.judgement.verdict.outcome;
    case(&recorded) != case(&now)
        || recorded.grader != now.grader
        || recorded.output == now.output && cassette.verdicts.get(grader) != Some(verdict)
}

/// What becomes of one cassette: all of its graders or none.
fn decide(
    old: &Recording,
    regraded: &[Regraded],
    is_unexplained: bool,
) -> (&'static Class, String) {
    if old.completion.digest != old.cassette.hashes.output {
        return (
            REFUSED,
            format!("{} is not what was recorded", old.output_path),
        );
    }
    let outcome = |grading: &Arc<Grading>| grading.judgement.verdict.outcome.clone();
    let mut changed = is_unexplained;
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
        changed |= has_moved(&old.cassette, one);
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
    (old, replaced): (&Cassette, Replaced<'_>),
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
    let mut accepted = replaced.cassette.accepted.clone();
    let from = acceptance::state(replaced.cassette);
    // Where the base's own state is restored there is nothing to give a reason for.
    if from != acceptance::state(&new) {
        accepted.push(Acceptance {
            reason: reason.to_owned(),
            at: clock::timestamp(),
            from,
        });
    }
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
    let Regraded { pins, first, .. } = regraded;
    let mut row = Row::new(&pins.case.id, class, why).graded(pins, first);
    let recorded = old.cassette.verdicts.get(&pins.grader.id);
    row.before = recorded.map(|outcome| outcome.status);
    row
}
