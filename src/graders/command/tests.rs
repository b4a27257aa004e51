//! What is asked of a team's grader, which of its answers count, and the laws of its inquiry.

use proptest::prelude::*;

use super::super::build::PROGRAM;
use super::*;
use crate::model::case::Assemble;
use crate::model::case::SourceFile;
use crate::model::digest::Digest;
use crate::model::pins::Completion;
use crate::model::testing::{case, laws, toolchain};

const GOOD: &[u8] = br#"{"status": "pass", "class": "sorted", "detail": "as it should be"}"#;

fn pins(settings: &Value, assemble: Assemble) -> Pins {
    let file = |beside: &str, text: &[u8]| SourceFile {
        path: format!("goldens/{beside}"),
        beside: beside.to_owned(),
        bytes: text.into(),
        digest: Digest::of(text),
    };
    let spec = GraderSpec {
        id: "own".to_owned(),
        kind: KIND.kind,
        rev: REV,
        settings: effective(settings.as_object().unwrap()).unwrap(),
        inputs: vec![file("tools/check.py", b"print()")],
        path: None,
    };
    let completion = Completion::new(b"int f() { return 0; }".to_vec());
    let case = case(assemble, "int f();");
    Pins::new(Arc::new(case), Arc::new(completion), Arc::new(spec), None)
}

fn grading() -> Grading {
    let settings = json!({"command": ["tools/check.py", "-v"], "inputs": ["tools/*.py"]});
    start(&pins(&settings, Assemble::Append), &Ok(toolchain()), 0)
}

fn made() -> Observation {
    let mut observation = Observation::without_run(Ended::Exit(0));
    let program = Digest::of(b"program");
    observation.outputs.insert(PROGRAM.to_owned(), program);
    observation
}

fn ran(ended: Ended, stdout: &[u8]) -> Observation {
    let mut observation = Observation::without_run(ended);
    observation.stdout = stdout.to_vec();
    observation
}

/// The verdict when the program's runs all end as `run` and the grader answers as given, in
/// turn; and the grader's steps.
fn graded(run: &Observation, answers: &[Observation]) -> (Verdict, Vec<Step>) {
    let grading = grading();
    let mut seen = Steps::new();
    let mut asked = Vec::new();
    for _ in 0..20 {
        match grading.next(&seen) {
            Next::Done(judgement) => return (judgement.verdict, asked),
            Next::Ask(asks) => {
                for ask in asks.into_vec() {
                    let answer = match ask.spec().profile {
                        Profile::Compile => made(),
                        Profile::Candidate => run.clone(),
                        Profile::Harness => {
                            asked.push(ask.clone());
                            answers[asked.len() - 1].clone()
                        }
                    };
                    seen.insert(ask, Arc::new(answer));
                }
            }
        }
    }
    panic!("asks without end");
}

fn class_of(answer: &Observation) -> (Status, String, String) {
    let ended = ran(Ended::Exit(0), b"ok\n");
    let (verdict, _) = graded(&ended, &[answer.clone(), answer.clone()]);
    (
        verdict.outcome.status,
        verdict.outcome.class,
        verdict.detail,
    )
}

fn request(step: &Step) -> Value {
    match &step.spec().stdin {
        Content::Bytes(bytes) => serde_json::from_slice(bytes).unwrap(),
        Content::Output(_) => panic!("no bytes"),
    }
}

#[test]
fn a_verdict_in_the_agreed_form_is_the_verdict() {
    let (status, class, detail) = class_of(&ran(Ended::Exit(0), GOOD));
    assert_eq!((status, class.as_str()), (Status::Pass, "sorted"));
    assert_eq!(detail, "as it should be");
    let short = ran(
        Ended::Exit(0),
        b"\n {\"class\":\"a.B-3_\",\"status\":\"fail\"}\n\n",
    );
    assert_eq!(class_of(&short).0, Status::Fail);
}

#[test]
fn anything_else_on_stdout_is_unjudged_and_says_why() {
    let long = format!(r#"{{"status":"pass","class":"{}"}}"#, "c".repeat(65));
    for (stdout, why) in [
        ("", "printed nothing"),
        (" \n", "printed nothing"),
        ("PASS", "printed `PASS`"),
        (r#"["pass", "x", null]"#, "printed `["),
        (
            r#"{"status":"pass","class":"x"} {"status":"pass","class":"x"}"#,
            "trailing",
        ),
        (r#"{"status":"pass","class":"x"} done"#, "trailing"),
        (
            r#"{"status":"pass","class":"x","score":1}"#,
            "unknown field",
        ),
        (
            r#"{"status":"pass","class":"x","class":"y"}"#,
            "duplicate field",
        ),
        (r#"{"status":"pass"}"#, "missing field `class`"),
        (r#"{"class":"x"}"#, "missing field `status`"),
        (
            r#"{"status":"unjudged","class":"x"}"#,
            "the status `unjudged`",
        ),
        (r#"{"status":"PASS","class":"x"}"#, "the status `PASS`"),
        (r#"{"status":{"pass":null},"class":"x"}"#, "invalid type"),
        (r#"{"status":"pass","class":""}"#, "the class ``"),
        (
            r#"{"status":"pass","class":"signal"}"#,
            "a pass the class `signal`",
        ),
        (r#"{"status":"pass","class":"a b"}"#, "the class `a b`"),
        (r#"{"status":"pass","class":"a\n"}"#, "the class `a\\n`"),
        (long.as_str(), "the class `ccc"),
        (
            r#"{"status":"fail","class":"machine"}"#,
            "nothing was judged",
        ),
        (
            r#"{"status":"pass","class":"grader_error"}"#,
            "nothing was judged",
        ),
        (r#"{"status":"pass","class":1}"#, "invalid type"),
        (
            r#"{"status":"pass","class":"x","detail":{}}"#,
            "invalid type",
        ),
        ("{", "EOF"),
    ] {
        let (status, class, detail) = class_of(&ran(Ended::Exit(0), stdout.as_bytes()));
        assert_eq!((status, class.as_str()), (Status::Unjudged, "grader_error"));
        assert!(detail.contains(why), "{stdout}: {detail}");
    }
    let (_, class, _) = class_of(&ran(
        Ended::Exit(0),
        b"{\"status\":\"pass\",\"class\":\"\xff\"}",
    ));
    assert_eq!(class, "grader_error");
}

#[test]
fn a_grader_that_does_not_end_well_is_unjudged_whatever_it_printed() {
    for (ended, class) in [
        (Ended::Exit(1), "grader_error"),
        (Ended::Signal(11), "grader_error"),
        (Ended::Signal(9), "grader_error"),
        (Ended::CpuLimit, "grader_error"),
        (Ended::WallLimit { starved: false }, "grader_error"),
        (Ended::OutputLimit, "grader_error"),
        (Ended::NotStarted("no such file".to_owned()), "grader_error"),
        (Ended::WallLimit { starved: true }, "machine"),
        (Ended::Lost("gone".to_owned()), "machine"),
        (Ended::Interrupted, "machine"),
    ] {
        let (status, given, _) = class_of(&ran(ended.clone(), GOOD));
        assert_eq!(
            (status, given.as_str()),
            (Status::Unjudged, class),
            "{ended:?}"
        );
    }
}

#[test]
fn a_grader_that_the_machine_killed_once_is_asked_again() {
    let run = ran(Ended::Exit(0), b"");
    let (verdict, asked) = graded(
        &run,
        &[ran(Ended::Signal(9), b""), ran(Ended::Exit(0), GOOD)],
    );
    assert_eq!(verdict.outcome.class, "sorted");
    assert_ne!(asked[0].key(), asked[1].key());
}

#[test]
fn hang_and_flood_are_the_candidates_and_the_grader_is_not_asked() {
    for (ended, class) in [
        (Ended::CpuLimit, "hang"),
        (Ended::WallLimit { starved: false }, "hang"),
        (Ended::OutputLimit, "output_flood"),
    ] {
        let (verdict, asked) = graded(&ran(ended, b""), &[]);
        assert_eq!(
            verdict.outcome,
            crate::model::verdict::Outcome::new(Status::Fail, class)
        );
        assert!(asked.is_empty());
    }
}

#[test]
fn a_crash_and_an_exit_code_are_the_graders_to_judge() {
    for (ended, exit_code, signal) in [
        (Ended::Exit(3), json!(3), json!(null)),
        (Ended::Signal(6), json!(null), json!(6)),
    ] {
        let (verdict, asked) = graded(&ran(ended, b"a\xffb"), &[ran(Ended::Exit(0), GOOD)]);
        assert_eq!(verdict.outcome.status, Status::Pass);
        let request = request(&asked[0]);
        assert_eq!(request["exit_code"], exit_code);
        assert_eq!(request["signal"], signal);
        assert_eq!(request["stdout"], "a\u{fffd}b");
        assert_eq!(request["stdout_base64"], "Yf9i");
        assert_eq!(request["stderr"], "");
        assert_eq!(request.get("stderr_base64"), None);
    }
}

#[test]
fn the_grader_gets_the_case_the_source_the_program_and_its_declared_files() {
    let (_, asked) = graded(&ran(Ended::Exit(0), b"ok\n"), &[ran(Ended::Exit(0), GOOD)]);
    let spec = asked[0].spec();
    assert_eq!(spec.program, Program::Input("tools/check.py".to_owned()));
    assert_eq!(spec.args, ["-v"]);
    let inputs: Vec<_> = spec.inputs.keys().map(String::as_str).collect();
    assert_eq!(inputs, [BINARY, "tools/check.py"]);
    let request = request(&asked[0]);
    assert_eq!(request["binary"], BINARY);
    assert!(spec.executable.contains(BINARY));
    assert_eq!(request["source"], "int f();\nint f() { return 0; }");
    assert_eq!(request["timed_out"], false);
    assert_eq!(request["case"]["id"], "c");
    assert_eq!(request["case"]["expect"]["stdout"], "ok\n");
    let mut keys: Vec<_> = request["case"].as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(
        keys,
        ["args", "compile_flags", "expect", "id", "stdin", "tags"]
    );
}

#[test]
fn a_program_on_the_path_is_a_tool_and_every_repetition_asks_anew() {
    let settings = json!({"command": ["python3", "tools/check.py"], "inputs": ["tools/*.py"]});
    let mut keys = BTreeSet::new();
    for nth in 0..3 {
        let pins = pins(&settings, Assemble::Append);
        let grading = start(&pins, &Ok(toolchain()), nth);
        let mut seen = Steps::new();
        while let Next::Ask(asks) = grading.next(&seen) {
            for ask in asks.into_vec() {
                let answer = match ask.spec().profile {
                    Profile::Compile => made(),
                    Profile::Candidate => ran(Ended::Exit(0), b""),
                    Profile::Harness => {
                        let tool = Program::Tool(vec!["python3".to_owned()]);
                        assert_eq!(ask.spec().program, tool);
                        keys.insert(ask.key());
                        ran(Ended::Exit(0), GOOD)
                    }
                };
                seen.insert(ask, Arc::new(answer));
            }
        }
    }
    assert_eq!(keys.len(), 3);
}

#[test]
fn a_bad_patch_is_a_fail_before_anything_runs_also_without_a_compiler() {
    let settings = json!({"command": ["python3"]});
    for compiler in [Ok(toolchain()), Err("no compiler".to_owned())] {
        let grading = start(&pins(&settings, Assemble::Patch), &compiler, 0);
        let Next::Done(judgement) = grading.next(&Steps::new()) else {
            panic!("asks")
        };
        assert_eq!(judgement.verdict.outcome.class, "bad_patch");
        assert_eq!(judgement.verdict.outcome.status, Status::Fail);
    }
}

proptest! {
    /// Whatever is observed, in whatever order the answers arrive, the grading obeys the laws.
    #[test]
    fn the_laws_of_inquiries_hold(
        ends in prop::collection::vec((laws::observation(), any::<bool>()), 1..8),
        order: u64,
    ) {
        laws::check(&*grading(), order, |nth, step: &Step| {
            let (mut observation, good) = ends[nth % ends.len()].clone();
            if good && step.spec().profile == Profile::Harness {
                observation.stdout = GOOD.to_vec();
            }
            Arc::new(observation)
        });
    }

    #[test]
    fn any_answer_is_read_without_panic(bytes: Vec<u8>) {
        let _ = verdict_in(&bytes);
        let _ = verdict_in(&[b"{".as_slice(), &bytes].concat());
    }
}
