//! The classification table of `replay`, against an oracle written the slow way, and the laws.

mod oracle;
mod worlds;

use std::collections::BTreeMap;

use proptest::prelude::*;

use serde_json::json;

use super::*;
use crate::graders::io_match;
use crate::model::case::Assemble;
use crate::model::cassette::CassetteHashes;
use crate::model::digest::Digest;
use crate::model::grader::GraderSpec;
use crate::model::pins::Completion;
use crate::model::testing::{case, laws};
use crate::model::trial::Judgement;
use crate::model::verdict::Verdict;

pub(super) fn grader(settings: &serde_json::Value) -> Arc<GraderSpec> {
    let kind = io_match::KIND;
    let settings = (kind.effective)(settings.as_object().unwrap()).unwrap();
    Arc::new(GraderSpec {
        id: "io_match".into(),
        kind: "io_match",
        rev: 3,
        settings,
        inputs: Vec::new(),
        path: None,
    })
}

fn toolchain() -> Digest {
    Digest::of(b"toolchain")
}

fn pins() -> Pins {
    Pins::new(
        Arc::new(case(Assemble::Append, "int f();")),
        Arc::new(Completion::new(b"int f() {}".to_vec())),
        grader(&json!({})),
        Some(toolchain()),
    )
}

/// A cassette that agrees with `pins()` in everything, edited by `edit`.
fn replay(verdict: Option<Outcome>, edit: impl Fn(&mut CassetteHashes)) -> Replay {
    let pins = pins();
    let now = pins.hashes(Some(Digest::of(b"system")));
    let mut hashes = CassetteHashes {
        prompt: now.prompt,
        fixture: now.fixture,
        contract: now.contract,
        grader: BTreeMap::from([("io_match".to_owned(), now.grader.unwrap())]),
        output: now.output,
        toolchain: toolchain(),
        system: now.system,
    };
    edit(&mut hashes);
    let cassette = Cassette {
        case: "c".into(),
        output: "cassettes/c.out".into(),
        recorded_at: String::new(),
        hashes,
        toolchain: String::new(),
        verdicts: verdict
            .map(|outcome| ("io_match".to_owned(), outcome))
            .into_iter()
            .collect(),
        run: None,
        accepted: Vec::new(),
        stale: Vec::new(),
    };
    Replay {
        head: Some(pins),
        case: "c".into(),
        case_path: "goldens/cases/c.json".into(),
        grader: "io_match".into(),
        grader_path: None,
        cassette: Some(Arc::new(cassette)),
        cassette_path: "goldens/cassettes/c.json".into(),
        known: KnownClasses {
            table: Some(io_match::CLASSES),
        },
        before: Before::Alone,
        command: "driftgate replay".into(),
    }
}

fn grading(outcome: &Outcome) -> Arc<Grading> {
    grading_in(Some(Digest::of(b"system")), outcome)
}

/// A grading that read `system`.
pub(super) fn grading_in(system: Option<Digest>, outcome: &Outcome) -> Arc<Grading> {
    let verdict = Verdict {
        outcome: outcome.clone(),
        ..Verdict::new(Status::Pass, "", "detail")
    };
    Arc::new(Grading {
        judgement: Judgement { verdict, system },
        executed: true,
        seconds: 0.5,
    })
}

/// The row when the first and every later grading come out as given.
fn row(replay: &Replay, first: &Outcome, later: &Outcome) -> Row {
    let mut seen = Seen::new();
    for _ in 0..4 {
        match replay.next(&seen) {
            Next::Done(row) => return row,
            Next::Ask(asks) => {
                for trial in asks.into_vec() {
                    let (Trial::Grade { nth, .. } | Trial::GradeTree { nth, .. }) = &trial;
                    let answer = grading(if *nth == 0 { first } else { later });
                    seen.insert(trial, answer);
                }
            }
        }
    }
    panic!("asks without end");
}

pub(super) fn pass() -> Outcome {
    Outcome::new(Status::Pass, "match")
}

pub(super) fn differs() -> Outcome {
    Outcome::new(Status::Fail, "stdout_differs")
}

pub(super) fn signal() -> Outcome {
    Outcome::new(Status::Fail, "signal")
}

pub(super) fn unjudged() -> Outcome {
    Outcome::new(Status::Unjudged, "environment")
}

fn other() -> Digest {
    Digest::of(b"other")
}

#[test]
fn nothing_moved_is_stable() {
    let row = row(&replay(Some(pass()), |_| {}), &pass(), &pass());
    assert_eq!((row.class.as_str(), row.level), ("STABLE", Level::Ok));
    assert!(row.moved.is_empty());
}

type Edit = fn(&mut CassetteHashes);

/// An edit, the class where the verdict stays, class and level where it flips, and what moved.
fn edits() -> [(Edit, &'static str, &'static str, Level, Input); 6] {
    [
        (
            |h| h.prompt = other(),
            "CASE_DRIFT",
            "CASE_DRIFT",
            Level::Review,
            Input::Case,
        ),
        (
            |h| h.fixture = other(),
            "CASE_DRIFT",
            "CASE_DRIFT",
            Level::Review,
            Input::Case,
        ),
        (
            |h| h.contract = other(),
            "CASE_DRIFT",
            "CASE_DRIFT",
            Level::Review,
            Input::Case,
        ),
        (
            |h| {
                h.grader.insert("io_match".into(), other());
            },
            "STABLE",
            "GRADER_DRIFT",
            Level::Fail,
            Input::Grader,
        ),
        (
            |h| h.toolchain = other(),
            "STABLE",
            "TOOLCHAIN_DRIFT",
            Level::Review,
            Input::Toolchain,
        ),
        (
            |h| h.system = None,
            "STABLE",
            "TOOLCHAIN_DRIFT",
            Level::Review,
            Input::System,
        ),
    ]
}

#[test]
fn each_moved_input_has_its_class() {
    for (edit, same, flipped, level, input) in edits() {
        let replay = replay(Some(pass()), edit);
        let unchanged = row(&replay, &pass(), &pass());
        assert_eq!(unchanged.class, same);
        assert_eq!(unchanged.moved, BTreeSet::from([input]));
        let changed = row(&replay, &differs(), &differs());
        assert_eq!((changed.class.as_str(), changed.level), (flipped, level));
        assert_eq!(
            (changed.before, changed.after),
            (Some(Status::Pass), Some(Status::Fail))
        );
        let flaky = row(&replay, &differs(), &pass());
        assert_eq!(flaky.class, "NONDETERMINISTIC");
    }
}

#[test]
fn an_earlier_revision_of_our_own_code_is_the_engine() {
    let mut earlier = (*grader(&json!({}))).clone();
    earlier.rev = 2;
    let recorded = earlier.digest();
    let replay = replay(Some(pass()), |h| {
        h.grader.insert("io_match".into(), recorded);
    });
    let row = row(&replay, &differs(), &differs());
    assert_eq!(row.class, "GRADER_DRIFT");
    assert_eq!(row.moved, BTreeSet::from([Input::Engine]));
}

#[test]
fn identical_inputs_and_another_verdict_are_nondeterministic() {
    let replay = replay(Some(pass()), |_| {});
    for later in [pass(), differs(), signal()] {
        let row = row(&replay, &differs(), &later);
        assert_eq!(
            (row.class.as_str(), row.level),
            ("NONDETERMINISTIC", Level::Fail)
        );
    }
}

#[test]
fn where_only_the_class_differs_the_transition_keeps_its_name_and_is_reviewed() {
    let edit = |h: &mut CassetteHashes| {
        h.grader.insert("io_match".into(), other());
    };
    let row = row(&replay(Some(signal()), edit), &differs(), &differs());
    assert_eq!(
        (row.class.as_str(), row.level),
        ("GRADER_DRIFT", Level::Review)
    );
}

#[test]
fn a_recording_that_contradicts_itself_is_tampered_and_not_run() {
    let output = replay(Some(pass()), |h| h.output = other());
    let class = replay(Some(Outcome::new(Status::Pass, "stdout_differs")), |_| {});
    let unknown = replay(Some(Outcome::new(Status::Fail, "no_such_class")), |_| {});
    for replay in [output, class, unknown] {
        let Next::Done(row) = replay.next(&Seen::new()) else {
            panic!("asks")
        };
        assert_eq!((row.class.as_str(), row.level), ("TAMPERED", Level::Fail));
        assert!(!row.executed);
    }
}

#[test]
fn what_cannot_be_graded_is_unjudged_and_an_unjudged_baseline_is_none() {
    let row = |recorded, today| row(&replay(recorded, |_| {}), &today, &today);
    assert_eq!(row(Some(pass()), unjudged()).class, "UNJUDGED");
    assert_eq!(row(Some(unjudged()), unjudged()).class, "UNJUDGED");
    assert_eq!(row(None, unjudged()).class, "UNJUDGED");
    assert_eq!(row(None, pass()).class, "NEW");
    let new = row(Some(unjudged()), differs());
    assert_eq!(
        (new.class.as_str(), new.before),
        ("NEW", Some(Status::Unjudged))
    );
    let mut missing = replay(Some(pass()), |_| {});
    missing.cassette = None;
    let Next::Done(missing) = missing.next(&Seen::new()) else {
        panic!("asks")
    };
    assert_eq!(
        (missing.class.as_str(), missing.level),
        ("UNJUDGED", Level::Incomplete)
    );
}

#[test]
fn a_flip_that_cannot_be_confirmed_is_unjudged() {
    assert_eq!(
        row(&replay(Some(pass()), |_| {}), &differs(), &unjudged()).class,
        "UNJUDGED"
    );
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(pass()),
        Just(differs()),
        Just(signal()),
        Just(unjudged())
    ]
}

proptest! {
    #[test]
    fn the_laws_of_inquiries_hold(
        recorded in prop::option::of(outcome()),
        answers in prop::collection::vec(outcome(), 1..4),
        bits in 0..16_u8,
        order: u64,
    ) {
        let replay = replay(recorded, |hashes| {
            if bits & 1 == 1 { hashes.fixture = other(); }
            if bits & 2 == 2 { hashes.toolchain = other(); }
            if bits & 4 == 4 { hashes.system = None; }
            if bits & 8 == 8 { hashes.grader.insert("io_match".into(), other()); }
        });
        laws::check(&replay, order, |nth, _: &Trial| grading(&answers[nth % answers.len()]));
    }
}
