//! The judgement tables of `io_match`, and the laws of its inquiry.

use proptest::prelude::*;

use super::super::build::PROGRAM;
use super::*;
use crate::model::case::Assemble;
use crate::model::digest::Digest;
use crate::model::grader::GraderSpec;
use crate::model::observation::Ended;
use crate::model::pins::Completion;
use crate::model::step::Content;
use crate::model::step::Profile;
use crate::model::testing::{case, laws, toolchain};
use crate::model::verdict::Outcome;

fn pins(settings: &Value) -> Pins {
    let spec = GraderSpec {
        id: "io_match".to_owned(),
        kind: KIND.kind,
        rev: REV,
        settings: effective(settings.as_object().unwrap()).unwrap(),
        inputs: Vec::new(),
        path: None,
    };
    let case = case(Assemble::Append, "int f();");
    let completion = Completion::new(b"int f() { return 0; }".to_vec());
    Pins::new(Arc::new(case), Arc::new(completion), Arc::new(spec), None)
}

fn grading() -> Grading {
    start(&pins(&json!({})), &Ok(toolchain()), 0)
}

fn made() -> Arc<Observation> {
    let mut observation = Observation::without_run(Ended::Exit(0));
    observation
        .outputs
        .insert(PROGRAM.to_owned(), Digest::of(b"program"));
    observation.reads = Some(Digest::of(b"system"));
    Arc::new(observation)
}

/// The verdict when the build succeeds and the program's runs end as given, in turn.
fn verdict(runs: &[Observation]) -> Verdict {
    let grading = grading();
    let mut seen = Steps::new();
    for _ in 0..20 {
        match grading.next(&seen) {
            Next::Done(judgement) => return judgement.verdict,
            Next::Ask(asks) => {
                for ask in asks.into_vec() {
                    let answer = match ask.spec().profile {
                        Profile::Compile => made(),
                        Profile::Candidate | Profile::Harness => {
                            Arc::new(runs[ask.spec().nth as usize].clone())
                        }
                    };
                    seen.insert(ask, answer);
                }
            }
        }
    }
    panic!("asks without end");
}

fn ran(ended: Ended, stdout: &str, stderr: &str) -> Observation {
    let mut observation = Observation::without_run(ended);
    observation.stdout = stdout.as_bytes().to_vec();
    observation.stderr = stderr.as_bytes().to_vec();
    observation
}

#[test]
fn every_end_of_a_program_has_its_class() {
    let table = [
        (ran(Ended::Exit(0), "ok\n", ""), "match"),
        (ran(Ended::Exit(0), "ok", ""), "stdout_differs"),
        (ran(Ended::Exit(0), "ok\n", "x"), "stderr_not_empty"),
        (ran(Ended::Exit(3), "ok\n", ""), "exit_differs"),
        (ran(Ended::Exit(3), "no\n", "x"), "exit_differs"),
        (ran(Ended::Signal(6), "ok\n", ""), "signal"),
        (ran(Ended::CpuLimit, "ok\n", ""), "hang"),
        (ran(Ended::WallLimit { starved: false }, "ok\n", ""), "hang"),
        (ran(Ended::OutputLimit, "ok\n", ""), "output_flood"),
    ];
    for (observation, class) in table {
        let verdict = verdict(&[observation.clone(), observation]);
        assert_eq!(verdict.outcome.class, class);
        let expected = if class == "match" {
            Status::Pass
        } else {
            Status::Fail
        };
        assert_eq!(verdict.outcome.status, expected, "{class}");
    }
}

#[test]
fn stdout_of_a_crashed_program_never_earns_a_pass() {
    for signal in 1..=31 {
        let crashed = ran(Ended::Signal(signal), "ok\n", "");
        assert_eq!(verdict(&[crashed.clone(), crashed]).outcome.class, "signal");
    }
}

#[test]
fn what_the_machine_did_once_is_tried_again() {
    for doubtful in [
        Ended::Signal(9),
        Ended::WallLimit { starved: true },
        Ended::Lost("gone".to_owned()),
    ] {
        let runs = [ran(doubtful, "", ""), ran(Ended::Exit(0), "ok\n", "")];
        assert_eq!(verdict(&runs).outcome.class, "match");
    }
}

#[test]
fn a_program_that_ends_what_watches_it_is_judged_if_a_trivial_one_does_not() {
    let grading = grading();
    let well = |step: &Step| {
        let trivial = step.spec().inputs.values().any(|input| {
            let program = Content::Output(Digest::of(b"trivial"));
            input.digest() == program.digest()
        });
        let ended = if trivial {
            Ended::Exit(0)
        } else {
            Ended::Lost("died".to_owned())
        };
        Arc::new(ran(ended, "", ""))
    };
    let sick = |_: &Step| Arc::new(ran(Ended::Lost("died".to_owned()), "", ""));
    let judged = |run: &dyn Fn(&Step) -> Arc<Observation>| {
        let mut seen = Steps::new();
        loop {
            match grading.next(&seen) {
                Next::Done(judgement) => return judgement.verdict.outcome,
                Next::Ask(asks) => {
                    for ask in asks.into_vec() {
                        let spec = ask.spec();
                        let source = spec.inputs.get("candidate.cpp").map(Content::digest);
                        let control = Content::from("int main() { return 0; }\n").digest();
                        let answer = match spec.profile {
                            Profile::Compile if source == Some(control) => {
                                let mut control = (*made()).clone();
                                let digest = Digest::of(b"trivial");
                                control.outputs.insert(PROGRAM.to_owned(), digest);
                                Arc::new(control)
                            }
                            Profile::Compile | Profile::Harness => made(),
                            Profile::Candidate => run(&ask),
                        };
                        seen.insert(ask, answer);
                    }
                }
            }
        }
    };
    assert_eq!(judged(&well), Outcome::new(Status::Fail, "signal"));
    assert_eq!(judged(&sick), Outcome::new(Status::Unjudged, "machine"));
}

#[test]
fn a_program_cannot_choose_to_be_unjudged_by_killing_itself_or_refusing_to_start() {
    let killed = ran(Ended::Signal(9), "ok\n", "");
    assert_eq!(verdict(&[killed.clone(), killed]).outcome.class, "signal");
    // The candidate's program does not start and the trivial control, which has another
    // digest in reality, does. Here both are the same step, so the control fails as well.
    let unstartable = ran(Ended::NotStarted("no interpreter".to_owned()), "", "");
    assert_eq!(verdict(&[unstartable]).outcome.class, "machine");
}

#[test]
fn bytes_that_already_differ_are_a_fail_whatever_the_machine_does_next() {
    let cut = |stdout| ran(Ended::WallLimit { starved: true }, stdout, "");
    assert_eq!(
        verdict(&[cut("no"), cut("no")]).outcome.class,
        "stdout_differs"
    );
    let unknown = verdict(&[cut("o"), cut("o")]);
    assert_eq!(
        (unknown.outcome.status, unknown.outcome.class.as_str()),
        (Status::Unjudged, "machine")
    );
}

#[test]
fn no_compiler_is_unjudged() {
    let grading = start(&pins(&json!({})), &Err("no compiler".to_owned()), 0);
    let Next::Done(judgement) = grading.next(&Steps::new()) else {
        panic!("asks")
    };
    assert_eq!(judgement.verdict.outcome.status, Status::Unjudged);
}

#[test]
fn spelled_out_defaults_are_the_defaults() {
    let spelled = json!({"trim": "none", "newlines": "exact", "stdout": "exact"});
    let effective = |value: &Value| effective(value.as_object().unwrap());
    assert_eq!(effective(&spelled), effective(&json!({})));
    assert_ne!(effective(&json!({"trim": "all"})), effective(&json!({})));
}

#[test]
fn wrong_settings_are_refused_by_name() {
    for (settings, field) in [
        (json!({"trimm": "all"}), "trimm"),
        (json!({"trim": "some"}), "trim"),
        (json!({"trim": true}), "trim"),
        (json!({"abs": 1}), "abs"),
        (json!({"stdout": "tolerance", "abs": -1}), "abs"),
        (json!({"stdout": "tolerance", "ulps": 0.5}), "ulps"),
        (json!({"stdout": "tolerance", "rel": "1"}), "rel"),
    ] {
        let error = effective(settings.as_object().unwrap()).unwrap_err();
        assert_eq!(error.field, field, "{settings}");
    }
}

proptest! {
    /// Whatever is observed, in whatever order the answers arrive, the grading obeys the laws.
    #[test]
    fn the_laws_of_inquiries_hold(
        ends in prop::collection::vec(laws::observation(), 1..8),
        order: u64,
    ) {
        laws::check(&*grading(), order, |nth, _: &Step| Arc::new(ends[nth % ends.len()].clone()));
    }
}
