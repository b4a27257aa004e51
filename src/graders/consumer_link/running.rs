//! Runs the programs and compares what they did with what the consumer expects.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::graders::compare::difference;
use crate::graders::program::{self, OUTPUT_LIMIT};
use crate::model::consumer::Consumer;
use crate::model::observation::{Ended, Observation};
use crate::model::verdict::Verdict;

use super::classes::{BEHAVIOR_MISMATCH, HANG, MACHINE};
use super::flow::{Flow, Known};
use super::linking::{Library, Linked, PROGRAM};
use super::recipe::Recipe;
use super::verdicts::by_the_machine;

/// Runs every program. The verdict on the first that is not as expected.
pub(super) fn run(
    recipe: &Recipe,
    known: &mut Known<'_>,
    linked: &[Linked<'_>],
) -> Flow<Option<Verdict>> {
    let steps: Vec<_> = linked
        .iter()
        .map(|linked| recipe.run(linked.program, &linked.build.library))
        .collect();
    let answers = known.all(&steps)?;
    let mut runs = Vec::new();
    for (linked, answer) in linked.iter().zip(answers) {
        let found = judge(recipe, known, linked, answer)?;
        runs.push(Run {
            linked,
            answer,
            found,
        });
    }
    Ok(first_to_report(&runs))
}

/// A run and what is wrong with it.
struct Run<'a> {
    linked: &'a Linked<'a>,
    answer: &'a Arc<Observation>,
    found: Option<Verdict>,
}

/// The verdict on all runs: what a program has proven comes before what the machine kept us from
/// seeing.
fn first_to_report(runs: &[Run<'_>]) -> Option<Verdict> {
    let is_machine = |run: &&Run<'_>| {
        let class = run.found.as_ref().map(|found| found.outcome.class.as_str());
        class == Some(MACHINE.name)
    };
    let bad = runs.iter().filter(|run| run.found.is_some());
    let first = bad
        .clone()
        .find(|run| !is_machine(run))
        .or_else(|| bad.clone().next())?;
    let found = first.found.clone()?;
    let build = &first.linked.build;
    let found = found
        .with("level", build.objects.level.as_str())
        .with("mode", build.mode.as_str());
    let found = program::with_facts(found, first.answer);
    if runs.len() == 1 || runs.iter().any(|run| is_machine(&run)) {
        return Some(found);
    }
    let all: Vec<Value> = runs.iter().map(Run::shown).collect();
    let same = |run: &Run<'_>| {
        run.answer.ended == first.answer.ended && run.answer.stdout == first.answer.stdout
    };
    let found = found.with("runs", all);
    Some(if runs.iter().all(same) {
        found
    } else {
        let also = runs.iter().filter(|run| run.found.is_none());
        let right: Vec<String> = also.map(Run::name).collect();
        differing(found, &first.name(), &right)
    })
}

fn differing(mut found: Verdict, wrong: &str, right: &[String]) -> Verdict {
    found.detail = if right.is_empty() {
        format!("{} at {wrong}, and otherwise elsewhere", found.detail)
    } else {
        format!(
            "{} at {wrong}, and right at {}",
            found.detail,
            right.join(", ")
        )
    };
    found.with("levels_differ", true)
}

impl Run<'_> {
    fn name(&self) -> String {
        let build = &self.linked.build;
        format!("{} ({})", build.objects.level, build.mode.as_str())
    }

    fn shown(&self) -> Value {
        let build = &self.linked.build;
        json!({
            "level": build.objects.level,
            "mode": build.mode.as_str(),
            "ended": ended(&self.answer.ended),
            "stdout_bytes": self.answer.stdout.len(),
            "as_expected": self.found.is_none(),
        })
    }
}

fn ended(ended: &Ended) -> String {
    match ended {
        Ended::Exit(code) => format!("exit {code}"),
        Ended::Signal(signal) => format!("signal {signal}"),
        Ended::CpuLimit => "cpu limit".to_owned(),
        Ended::WallLimit { .. } => "wall limit".to_owned(),
        Ended::OutputLimit => "output limit".to_owned(),
        Ended::ResourceLimit(resource) => format!("limit of {}", resource.as_str()),
        Ended::NotStarted(_) => "not started".to_owned(),
        Ended::Lost(_) => "lost".to_owned(),
        Ended::Interrupted => "interrupted".to_owned(),
    }
}

/// What is wrong with a run.
fn judge(
    recipe: &Recipe,
    known: &mut Known<'_>,
    linked: &Linked<'_>,
    run: &Observation,
) -> Flow<Option<Verdict>> {
    let consumer = &recipe.consumer;
    let seconds = consumer.timeout_s;
    Ok(match &run.ended {
        Ended::Exit(code) => exited(consumer, *code, run),
        Ended::Signal(signal) => {
            let detail = format!("the consumer was ended by signal {signal}");
            Some(Verdict::of(&BEHAVIOR_MISMATCH, detail).with("signal", *signal))
        }
        Ended::CpuLimit => Some(Verdict::of(
            &HANG,
            format!("used up {seconds} s of CPU time"),
        )),
        Ended::WallLimit { starved: false } => {
            let seconds = u64::from(seconds) * 3;
            Some(Verdict::of(
                &HANG,
                format!("did not end within {seconds} s"),
            ))
        }
        Ended::OutputLimit => {
            let detail = format!("the consumer wrote more than {OUTPUT_LIMIT} bytes");
            Some(Verdict::of(&BEHAVIOR_MISMATCH, detail).with("output_flood", true))
        }
        Ended::ResourceLimit(resource) => {
            let what = resource.as_str();
            let detail = format!("the consumer took more {what} than any process may");
            Some(Verdict::of(&BEHAVIOR_MISMATCH, detail).with("resource_flood", what))
        }
        Ended::WallLimit { starved: true } | Ended::Interrupted => Some(partial(consumer, run)),
        Ended::NotStarted(why) => {
            let detail = format!("the consumer does not start: {why}");
            Some(blamed(recipe, known, linked, run, detail)?)
        }
        Ended::Lost(why) => {
            let detail = format!("whatever watches the consumer is lost: {why}");
            Some(blamed(recipe, known, linked, run, detail)?)
        }
    })
}

/// The verdict on a program that cannot be watched to its end: no candidate may choose to be
/// unjudged, so a trivial program is held against it.
fn blamed(
    recipe: &Recipe,
    known: &mut Known<'_>,
    linked: &Linked<'_>,
    run: &Observation,
    detail: String,
) -> Flow<Verdict> {
    let level = &linked.build.objects.level;
    let control = known.one(&recipe.program_control(level))?;
    let runs = match control.outputs.get(PROGRAM) {
        Some(program) => {
            let ran = known.one(&recipe.run(*program, &Library::HeadersOnly))?;
            matches!(ran.ended, Ended::Exit(_))
        }
        None => false,
    };
    Ok(if runs {
        Verdict::of(&BEHAVIOR_MISMATCH, detail)
    } else {
        by_the_machine("the consumer", &run.ended)
    })
}

/// The verdict on output whose rest is not known.
fn partial(consumer: &Consumer, run: &Observation) -> Verdict {
    match &consumer.expect_stdout {
        Some(expected) if !expected.as_bytes().starts_with(&run.stdout) => {
            stdout_differs(expected.as_bytes(), &run.stdout)
        }
        _ => by_the_machine("the consumer", &run.ended),
    }
}

fn exited(consumer: &Consumer, code: i32, run: &Observation) -> Option<Verdict> {
    let wanted = consumer.expect_exit;
    if code != wanted {
        let detail = format!("the consumer ended with {code}, expected {wanted}");
        let found = Verdict::of(&BEHAVIOR_MISMATCH, detail).with("exit_code", code);
        let stdout = consumer.expect_stdout.as_ref().map(String::as_bytes);
        let other = stdout.filter(|stdout| *stdout != run.stdout);
        return Some(match other {
            Some(stdout) => found.with("stdout", difference(stdout, &run.stdout)),
            None => found,
        });
    }
    match &consumer.expect_stdout {
        Some(expected) if expected.as_bytes() != run.stdout => {
            Some(stdout_differs(expected.as_bytes(), &run.stdout))
        }
        _ => None,
    }
}

fn stdout_differs(expected: &[u8], actual: &[u8]) -> Verdict {
    let difference = difference(expected, actual);
    let first = &difference["first_difference"];
    let detail = format!("standard output differs from byte {first} on");
    Verdict::of(&BEHAVIOR_MISMATCH, detail).with("stdout", difference)
}
