//! The judgement tables of `consumer_link` over made-up answers, and the laws of its inquiry.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::consumer::Consumer;
use crate::model::digest::Digest;
use crate::model::grader::GraderSpec;
use crate::model::observation::Ended;
use crate::model::source_tree::{SourceText, SourceTree};
use crate::model::step::{Profile, Program};
use crate::model::testing::{laws, toolchain};

const HEADER: &str = "namespace demo { int f(); }\n";
const MAIN: &str = "#include \"demo.hpp\"\nint main() { return demo::f(); }\n";

fn tree(files: &[(&str, &str)]) -> Arc<SourceTree> {
    let files = files.iter().map(|(path, text)| {
        let text = SourceText::new(text.as_bytes());
        ((*path).to_owned(), text)
    });
    Arc::new(SourceTree::new(files.collect()))
}

fn consumer() -> Consumer {
    let header = ("include/demo.hpp", HEADER);
    Consumer {
        id: "c".to_owned(),
        path: "goldens/consumers/c.yaml".to_owned(),
        public_header: "include/demo.hpp".to_owned(),
        header_name: "demo.hpp".to_owned(),
        archive_sources: vec!["src/demo.cpp".to_owned()],
        source: "goldens/consumers/main.cpp".to_owned(),
        files: BTreeMap::from([("main.cpp".to_owned(), SourceText::new(MAIN.as_bytes()))]),
        file: "main.cpp".to_owned(),
        private_includes: Vec::new(),
        include: vec!["include".to_owned()],
        published: tree(&[header]),
        library: tree(&[header, ("src/demo.cpp", "int demo::f() { return 0; }\n")]),
        source_folders: vec!["src".to_owned()],
        changed: Some(Arc::new(BTreeSet::from(["src/demo.cpp".to_owned()]))),
        flags: Vec::new(),
        link: vec!["-lz".to_owned()],
        forbidden: vec!["demo::".to_owned()],
        expect_stdout: Some("ok\n".to_owned()),
        expect_exit: 0,
        timeout_s: 2,
        expect_class: "pass".to_owned(),
    }
}

fn grading(consumer: Consumer, settings: &serde_json::Value) -> Grading {
    let spec = GraderSpec {
        id: "consumer_link".to_owned(),
        kind: KIND.kind,
        rev: REV,
        settings: (KIND.effective)(settings.as_object().unwrap()).unwrap(),
        inputs: Vec::new(),
        path: None,
    };
    let subject = Subject::Consumer(Arc::new(consumer));
    let pins = TreePins::new(subject, Arc::new(spec), None);
    start(&pins, &Ok(toolchain()), 0)
}

/// What a step is for.
fn phase(step: &Step) -> String {
    let spec = step.spec();
    let has = |arg: &str| spec.args.iter().any(|have| have == arg);
    let source = spec.args.iter().find(|arg| arg.ends_with(".cpp"));
    let source = source.map_or("", |path| path.rsplit('/').next().unwrap_or(path));
    let kind = match &spec.program {
        Program::Show(_) => "show",
        Program::Input(_) => "run",
        Program::Tool(argv) if argv.first().is_some_and(|tool| tool == "ar") => "ar",
        Program::Tool(_) if has("-E") => "-E",
        Program::Tool(_) if has("-include") => "repaired",
        Program::Tool(_) if has("-c") => "-c",
        Program::Tool(_) if has("-shared") => "shared",
        Program::Tool(_) if has("-Wl,--whole-archive") => "whole",
        Program::Tool(_) => "link",
    };
    if source.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind} {source}")
    }
}

fn fine(step: &Step) -> Observation {
    let mut answer = Observation::without_run(Ended::Exit(0));
    for output in &step.spec().outputs {
        let made = format!("{output} {}", step.key());
        answer
            .outputs
            .insert(output.clone(), Digest::of(made.as_bytes()));
    }
    answer.reads = Some(Digest::of(b"system"));
    if step.spec().profile == Profile::Candidate {
        answer.stdout = b"ok\n".to_vec();
    }
    answer
}

fn failed(stderr: &str) -> Observation {
    let mut answer = Observation::without_run(Ended::Exit(1));
    answer.stderr = stderr.as_bytes().to_vec();
    answer
}

/// The judgement where every step goes well unless `answer` knows better.
fn judged(
    consumer: Consumer,
    settings: &serde_json::Value,
    answer: impl Fn(&Step) -> Option<Observation>,
) -> Judgement {
    let grading = grading(consumer, settings);
    let mut seen = Steps::new();
    for _ in 0..64 {
        match grading.next(&seen) {
            Next::Done(judgement) => return judgement,
            Next::Ask(asks) => {
                for ask in asks.into_vec() {
                    let given = answer(&ask).unwrap_or_else(|| fine(&ask));
                    assert!(seen.insert(ask, Arc::new(given)).is_none(), "asked twice");
                }
            }
        }
    }
    panic!("asks without end");
}

/// The class where exactly these phases fail, with these words.
fn class_where(failing: &[(&str, &str)]) -> String {
    let answer = |step: &Step| {
        let phase = phase(step);
        let mut failing = failing.iter();
        failing
            .find(|(name, _)| *name == phase)
            .map(|(_, words)| failed(words))
    };
    let judgement = judged(consumer(), &json!({}), answer);
    judgement.verdict.outcome.class
}

/// The class where these phases end like this, whenever they are tried.
fn class_where_ended(phases: &[&str], ended: &Ended) -> String {
    let answer = |step: &Step| {
        let is_meant = phases.contains(&phase(step).as_str());
        is_meant.then(|| Observation::without_run(ended.clone()))
    };
    let judgement = judged(consumer(), &json!({}), answer);
    judgement.verdict.outcome.class
}

const ABSENT: &str = "probe/probe.cpp:1:10: fatal error: no/such.h: No such file or directory\n";

const IN_SOURCE: &str =
    "checkout/src/demo.cpp:1:10: fatal error: no/such.h: No such file or directory\n";
const IN_HEADER: &str =
    "checkout/include/demo.hpp:1:10: fatal error: x.h: No such file or directory\n";
const IN_SECOND: &str =
    "second/second.cpp:1:10: fatal error: demo.hpp: No such file or directory\n";
const UNKNOWN: &str = "consumer/main.cpp:2:25: error: 'f' is not a member of 'demo'\n";
const SYNTAX: &str = "consumer/main.cpp:2:25: error: expected ';' before '}' token\n";

/// The phases that fail with what they print, and the class.
type Row = (&'static [(&'static str, &'static str)], &'static str);

#[rustfmt::skip]
const PHASES: &[Row] = &[
    (&[], "pass"),
    (&[("-c demo.cpp", "")], "candidate_build_error"),
    (&[("-c demo.cpp", ""), ("-c probe.cpp", "")], "environment"),
    // The change touched the source that wants it.
    (&[("-c demo.cpp", ""), ("-E demo.cpp", IN_SOURCE), ("-E probe.cpp", ABSENT)], "candidate_build_error"),
    (&[("-c main.cpp", ""), ("-c second.cpp", ""), ("-E second.cpp", IN_SECOND)], "header_missing"),
    (&[("-c main.cpp", ""), ("-c second.cpp", ""), ("-E second.cpp", IN_HEADER)], "header_missing"),
    (&[("-c second.cpp", "")], "missing_declaration"),
    (&[("-c second.cpp", ""), ("repaired second.cpp", "")], "candidate_build_error"),
    (&[("-c main.cpp", "")], "missing_declaration"),
    (&[("-c main.cpp", UNKNOWN), ("repaired main.cpp", "")], "missing_declaration"),
    (&[("-c main.cpp", SYNTAX), ("repaired main.cpp", "")], "consumer_error"),
    (&[("-c main.cpp", ""), ("-c probe.cpp", "")], "environment"),
    (&[("ar", "")], "environment"),
    (&[("link", "ld: main.o: undefined reference to `f'")], "link_undefined"),
    (&[("link", "ld: x.o: undefined reference to `main'")], "consumer_error"),
    (&[("link", "ld: b.o: multiple definition of `f'; a.o: first defined here")], "odr_or_duplicate"),
    (&[("link", "ld: what is this")], "candidate_build_error"),
    (&[("link", ""), ("link control.cpp", "ld: cannot find -lz")], "environment"),
    (&[("link", "collect2: fatal error: ld terminated with signal 9 [Killed]")], "machine"),
    (&[("run", "")], "behavior_mismatch"),
];

#[test]
fn the_phase_that_fails_and_its_probes_decide_the_class() {
    for (failing, class) in PHASES {
        assert_eq!(class_where(failing), *class, "{failing:?}");
    }
}

#[test]
fn an_include_of_an_untouched_source_that_is_not_installed_is_the_environment() {
    for (changed, probe, class) in [
        (None, ABSENT, "environment"),
        (Some(BTreeSet::new()), ABSENT, "environment"),
        // Words alone: a unit that wants nothing else finds it.
        (None, "", "candidate_build_error"),
    ] {
        let mut consumer = consumer();
        consumer.changed = changed.map(Arc::new);
        let answer = |step: &Step| match phase(step).as_str() {
            "-c demo.cpp" | "-E demo.cpp" => Some(failed(IN_SOURCE)),
            "-E probe.cpp" => (!probe.is_empty()).then(|| failed(probe)),
            _ => None,
        };
        let judgement = judged(consumer, &json!({}), answer);
        assert_eq!(judgement.verdict.outcome.class, class, "{probe}");
    }
}

#[test]
fn what_the_machine_does_is_never_the_candidates() {
    let lost = [
        Ended::NotStarted("x".to_owned()),
        Ended::Lost("x".to_owned()),
        Ended::Interrupted,
        Ended::WallLimit { starved: true },
    ];
    for ended in &lost {
        for phase in ["-c demo.cpp", "-c main.cpp", "-c second.cpp", "link"] {
            assert_eq!(
                class_where_ended(&[phase], ended),
                "machine",
                "{phase} {ended:?}"
            );
        }
    }
    assert_eq!(class_where_ended(&["ar"], &lost[0]), "environment");
    assert_eq!(class_where_ended(&["ar"], &lost[1]), "machine");
    assert_eq!(class_where_ended(&["link"], &Ended::Signal(9)), "machine");
    assert_eq!(
        class_where_ended(&["run"], &Ended::WallLimit { starved: true }),
        "machine"
    );
    assert_eq!(
        class_where_ended(&["run", "link control.cpp"], &lost[1]),
        "machine"
    );
}

#[test]
fn a_compiler_that_is_sick_on_the_candidate_alone_is_the_candidates() {
    for ended in [
        Ended::CpuLimit,
        Ended::WallLimit { starved: false },
        Ended::Signal(9),
    ] {
        for phase in ["-c demo.cpp", "-c main.cpp", "-c second.cpp"] {
            assert_eq!(class_where_ended(&[phase], &ended), "candidate_build_error");
            let always = [phase, "-c probe.cpp"];
            assert_eq!(class_where_ended(&always, &ended), "machine");
        }
    }
}

#[test]
fn a_compiler_proper_that_is_killed_is_tried_again() {
    const KILLED: &str = "g++: fatal error: Killed signal terminated program cc1plus\n";
    for phase_of_it in ["-c demo.cpp", "-c main.cpp", "-c second.cpp"] {
        let class_where = |phases: &[&str], most: u32| {
            let answer = |step: &Step| {
                let is_meant = phases.contains(&phase(step).as_str()) && step.spec().nth <= most;
                is_meant.then(|| failed(KILLED))
            };
            judged(consumer(), &json!({}), answer).verdict.outcome.class
        };
        assert_eq!(class_where(&[phase_of_it], 0), "pass");
        assert_eq!(class_where(&[phase_of_it], 1), "candidate_build_error");
        let always = [phase_of_it, "-c probe.cpp"];
        assert_eq!(class_where(&always, 1), "machine");
    }
    assert_eq!(
        class_where(&[("-c demo.cpp", ""), ("-c probe.cpp", KILLED)]),
        "machine"
    );
}

#[test]
fn a_program_that_cannot_be_watched_is_judged_if_a_trivial_one_can() {
    for ended in [
        Ended::NotStarted("x".to_owned()),
        Ended::Lost("x".to_owned()),
    ] {
        let linked = Digest::of(b"the consumer");
        let answer = |step: &Step| match phase(step).as_str() {
            "link" => {
                let mut answer = fine(step);
                answer.outputs.insert(linking::PROGRAM.to_owned(), linked);
                Some(answer)
            }
            "run" if step.spec().inputs[linking::PROGRAM].digest() == linked => {
                Some(Observation::without_run(ended.clone()))
            }
            _ => None,
        };
        let judgement = judged(consumer(), &json!({}), answer);
        assert_eq!(
            judgement.verdict.outcome.class, "behavior_mismatch",
            "{ended:?}"
        );
    }
}

#[test]
fn what_the_machine_did_once_is_tried_again() {
    for doubtful in [
        Ended::Signal(9),
        Ended::Lost("x".to_owned()),
        Ended::WallLimit { starved: true },
    ] {
        let answer = |step: &Step| {
            let is_first = step.spec().nth == 0;
            is_first.then(|| Observation::without_run(doubtful.clone()))
        };
        // What is shown is read from a store and not tried again.
        let answer = |step: &Step| answer(step).filter(|_| phase(step) != "show");
        let judgement = judged(consumer(), &json!({"mode": "both"}), answer);
        assert_eq!(judgement.verdict.outcome.class, "pass", "{doubtful:?}");
    }
}

#[test]
fn no_candidate_chooses_to_be_unjudged_by_an_object_that_is_too_large() {
    for (run, class) in [
        ("ok\n", "candidate_build_error"),
        ("no\n", "behavior_mismatch"),
    ] {
        let answer = |step: &Step| {
            let mut answer = fine(step);
            match phase(step).as_str() {
                "show" => answer.truncated = true,
                "run" => answer.stdout = run.as_bytes().to_vec(),
                _ => return None,
            }
            Some(answer)
        };
        let verdict = judged(consumer(), &json!({}), answer).verdict;
        assert_eq!(verdict.outcome.class, class);
        assert_eq!(
            verdict.evidence["unread"],
            json!(["consumer", "second unit", "library"])
        );
    }
    let forged = "collect2: fatal error: ld terminated with signal 9 [Killed]";
    let answer = |step: &Step| match phase(step).as_str() {
        "show" => {
            let mut answer = fine(step);
            answer.truncated = true;
            Some(answer)
        }
        "link" => Some(failed(forged)),
        _ => None,
    };
    let verdict = judged(consumer(), &json!({}), answer).verdict;
    assert_eq!(verdict.outcome.class, "candidate_build_error");
}

#[test]
fn every_end_of_the_consumer_has_its_class() {
    let ran = |ended: Ended, stdout: &str| {
        let mut answer = Observation::without_run(ended);
        answer.stdout = stdout.as_bytes().to_vec();
        answer
    };
    for (run, class) in [
        (ran(Ended::Exit(0), "ok\n"), "pass"),
        (ran(Ended::Exit(0), "ok"), "behavior_mismatch"),
        (ran(Ended::Exit(3), "ok\n"), "behavior_mismatch"),
        (ran(Ended::Signal(6), "ok\n"), "behavior_mismatch"),
        (ran(Ended::Signal(9), "ok\n"), "behavior_mismatch"),
        (ran(Ended::OutputLimit, "ok\n"), "behavior_mismatch"),
        (ran(Ended::CpuLimit, "ok\n"), "hang"),
        (ran(Ended::WallLimit { starved: false }, ""), "hang"),
        (ran(Ended::WallLimit { starved: true }, "o"), "machine"),
        (
            ran(Ended::WallLimit { starved: true }, "no"),
            "behavior_mismatch",
        ),
    ] {
        let answer = |step: &Step| (phase(step) == "run").then(|| run.clone());
        let judgement = judged(consumer(), &json!({}), answer);
        assert_eq!(judgement.verdict.outcome.class, class, "{run:?}");
        assert!(judgement.system.is_some());
    }
}

#[test]
fn levels_that_differ_are_told_apart() {
    let answer = |step: &Step| {
        let phase = phase(step);
        let is_second = step.spec().args.iter().any(|arg| arg == "-O2");
        let mut answer = fine(step);
        let program = linking::PROGRAM.to_owned();
        if phase == "link" && is_second {
            answer.outputs.insert(program, Digest::of(b"second"));
            return Some(answer);
        }
        let input = step.spec().inputs.get(&program)?;
        (input.digest() == Digest::of(b"second")).then(|| {
            answer.stdout = b"no\n".to_vec();
            answer
        })
    };
    let verdict = judged(consumer(), &json!({}), answer).verdict;
    assert_eq!(verdict.outcome.class, "behavior_mismatch");
    assert_eq!(verdict.evidence["level"], "-O2");
    assert_eq!(verdict.evidence["runs"][0]["as_expected"], true);
    assert!(
        verdict
            .detail
            .ends_with("at -O2 (archive), and right at -O0 (archive)"),
        "{}",
        verdict.detail
    );
}

#[test]
fn a_pass_says_what_optimisers_hide() {
    for (settings, is_checked) in [
        (json!({}), true),
        (json!({"levels": ["-O2", "-O0"]}), true),
        (json!({"levels": ["-O2"]}), false),
        (json!({"flags": ["-flto=auto"]}), false),
    ] {
        let verdict = judged(consumer(), &settings, |_| None).verdict;
        assert_eq!(verdict.outcome.class, "pass");
        let said = verdict.evidence.contains_key("not_checked");
        assert_eq!(said, !is_checked, "{settings}");
    }
}

#[test]
fn what_is_no_stranger_is_not_looked_at() {
    let mut prying = consumer();
    prying.private_includes = vec![("src/x.hpp".to_owned(), 1)];
    let judgement = judged(prying, &json!({}), |_| panic!("nothing is to be asked"));
    assert_eq!(judgement.verdict.outcome.class, "invalid_consumer");
    let mut absolute = consumer();
    let own = SourceText::new(b"\n#include \"/src/x.hpp\"\n".as_slice());
    absolute.files.insert("own.hpp".to_owned(), own);
    let judgement = judged(absolute, &json!({}), |_| panic!("nothing is to be asked"));
    assert_eq!(judgement.verdict.outcome.class, "invalid_consumer");
    assert_eq!(
        judgement.verdict.evidence["private_includes"],
        json!([{"name": "/src/x.hpp", "line": 2}])
    );
    assert_eq!(
        judgement.verdict.evidence["at"]["path"],
        "goldens/consumers/own.hpp"
    );
    let mut declaring = consumer();
    let text = format!("{MAIN}namespace demo {{ int g(); }}\n");
    declaring
        .files
        .insert("main.cpp".to_owned(), SourceText::new(text.as_bytes()));
    let judgement = judged(declaring, &json!({}), |step| {
        (phase(step) == "-E main.cpp").then(|| failed("it does not preprocess"))
    });
    assert_eq!(judgement.verdict.outcome.class, "invalid_consumer");
    assert_eq!(judgement.verdict.evidence["at"]["line"], 3);
}

#[test]
fn a_public_header_that_is_not_published_is_missing_whatever_the_system_has() {
    let mut lacking = consumer();
    lacking.published = tree(&[("include/other.hpp", "")]);
    lacking.library = tree(&[("src/in/demo.hpp", HEADER), ("src/demo.cpp", "")]);
    let verdict = judged(lacking, &json!({}), |_| None).verdict;
    assert_eq!(verdict.outcome.class, "header_missing");
    assert_eq!(verdict.evidence["name"], "demo.hpp");
    assert_eq!(verdict.evidence["private"], "src/in/demo.hpp");
}

#[test]
fn a_source_that_is_not_there_is_the_candidates() {
    let mut lacking = consumer();
    lacking.archive_sources.push("src/gone.cpp".to_owned());
    let judgement = judged(lacking, &json!({}), |_| None);
    assert_eq!(judgement.verdict.outcome.class, "candidate_build_error");
    assert_eq!(judgement.verdict.evidence["name"], "src/gone.cpp");
}

#[test]
fn a_second_unit_includes_what_the_consumer_includes_of_the_library() {
    let mut consumer = consumer();
    let text =
        "#include <vector>\n#include \"more.hpp\"\n#include \"own.hpp\"\n#include \"demo.hpp\"\n";
    consumer
        .files
        .insert("main.cpp".to_owned(), SourceText::new(text.as_bytes()));
    consumer
        .files
        .insert("own.hpp".to_owned(), SourceText::new(b"".as_slice()));
    consumer.published = tree(&[("include/demo.hpp", HEADER), ("include/more.hpp", "")]);
    let recipe = Recipe {
        consumer: Arc::new(consumer),
        settings: Settings::read(&json!({})),
        toolchain: toolchain(),
        nth: 0,
    };
    assert_eq!(recipe.public_headers(), ["more.hpp", "demo.hpp"]);
}

#[test]
fn without_a_compiler_or_a_consumer_there_is_nothing_to_ask() {
    let spec = Arc::new(GraderSpec {
        id: "consumer_link".to_owned(),
        kind: KIND.kind,
        rev: REV,
        settings: json!({}),
        inputs: Vec::new(),
        path: None,
    });
    let pins = TreePins::new(Subject::Consumer(Arc::new(consumer())), spec, None);
    let grading = start(&pins, &Err("no compiler".to_owned()), 0);
    let Next::Done(judgement) = grading.next(&Steps::new()) else {
        panic!("asks");
    };
    assert_eq!(judgement.verdict.outcome.class, "environment");
}

proptest! {
    #[test]
    fn its_inquiry_keeps_the_laws(
        answers in prop::collection::vec((laws::observation(), any::<bool>(), 0..6_usize), 64),
        order: u64,
        both: bool,
    ) {
        const WORDS: [&str; 6] = [
            "",
            "checkout/include/demo.hpp:1:10: fatal error: x.h: No such file or directory\n",
            "consumer/main.cpp:2:25: error: 'f' is not a member of 'demo'\n",
            "ld: main.o: undefined reference to `f'\n",
            "ld: b.o: multiple definition of `f'; a.o: first defined here\n",
            "consumer/main.cpp:1:10: fatal error: y.h: No such file or directory\n",
        ];
        let settings = if both { json!({"mode": "both", "levels": ["-O1"]}) } else { json!({}) };
        let grading = grading(consumer(), &settings);
        laws::check(grading.as_ref(), order, |number, step: &Step| {
            let (answer, is_fine, words) = &answers[number % answers.len()];
            let mut answer = if *is_fine { fine(step) } else { answer.clone() };
            answer.stderr = WORDS[*words].as_bytes().to_vec();
            Arc::new(answer)
        });
    }
}
