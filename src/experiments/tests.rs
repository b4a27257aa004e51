//! The laws of the inquiries that have no table of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::accept::Acceptance;
use super::gate::Graded;
use super::record::Recording;
use crate::graders;
use crate::model::case::Assemble;
use crate::model::cassette::{Cassette, CassetteHashes};
use crate::model::digest::Digest;
use crate::model::grader::GraderSpec;
use crate::model::inquiry::{Inquiry, Next, Seen};
use crate::model::pins::{Completion, Pins};
use crate::model::testing::{case, laws};
use crate::model::trial::{Grading, Judgement, Trial};
use crate::model::verdict::{Outcome, Status, Verdict};

fn pins(grader: &str) -> Pins {
    let spec = GraderSpec {
        id: grader.to_owned(),
        kind: "io_match",
        rev: 1,
        settings: json!({}),
        inputs: Vec::new(),
        path: None,
    };
    Pins::new(
        Arc::new(case(Assemble::Append, "int f();")),
        Arc::new(Completion::new(b"int f() {}".to_vec())),
        Arc::new(spec),
        Some(Digest::of(b"toolchain")),
    )
}

/// A cassette in which each grader gave `recorded`.
fn cassette(graders: &[&str], recorded: &Outcome) -> Cassette {
    let hashes = pins("a").hashes(None);
    let verdict = |grader: &&str| ((*grader).to_owned(), recorded.clone());
    Cassette {
        case: "c".into(),
        output: "cassettes/c.out".into(),
        recorded_at: String::new(),
        hashes: CassetteHashes {
            prompt: hashes.prompt,
            fixture: hashes.fixture,
            contract: hashes.contract,
            grader: BTreeMap::new(),
            output: hashes.output,
            toolchain: Digest::of(b"toolchain"),
            system: None,
        },
        toolchain: String::new(),
        verdicts: graders.iter().map(verdict).collect(),
        run: None,
        accepted: Vec::new(),
        stale: Vec::new(),
    }
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(Outcome::new(Status::Pass, "match")),
        Just(Outcome::new(Status::Fail, "signal")),
        Just(Outcome::new(Status::Unjudged, "machine")),
    ]
}

fn grading(outcome: &Outcome) -> Arc<Grading> {
    let verdict = Verdict {
        outcome: outcome.clone(),
        ..Verdict::new(Status::Pass, "", "detail")
    };
    Arc::new(Grading {
        judgement: Judgement::of(verdict),
        executed: true,
        seconds: 0.5,
    })
}

/// An inquiry whose result is told as text, for results that cannot be compared.
struct Told<I>(I);

impl<I: Inquiry> Inquiry for Told<I>
where
    I::Done: Tell,
{
    type Ask = I::Ask;
    type Answer = I::Answer;
    type Done = String;

    fn next(&self, seen: &Seen<I::Ask, I::Answer>) -> Next<I::Ask, String> {
        self.0.next(seen).map(|done| done.tell())
    }
}

trait Tell {
    fn tell(&self) -> String;
}

impl Tell for Vec<(Pins, Arc<Grading>)> {
    fn tell(&self) -> String {
        let one =
            |(pins, grading): &(Pins, Arc<Grading>)| format!("{} {grading:?}", pins.grader.id);
        self.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

impl Tell for Vec<super::accept::Regraded> {
    fn tell(&self) -> String {
        let one = |one: &super::accept::Regraded| {
            format!("{} {:?} {:?}", one.pins.grader.id, one.first, one.second)
        };
        self.iter().map(one).collect::<Vec<_>>().join("; ")
    }
}

proptest! {
    #[test]
    fn the_laws_of_inquiries_hold_for_a_recording(
        answers in prop::collection::vec(outcome(), 1..4),
        order: u64,
    ) {
        let recording = Recording { pins: ["a", "b", "c"].map(pins).into() };
        laws::check(&Told(recording), order, |nth, _: &Trial| grading(&answers[nth % answers.len()]));
    }

    #[test]
    fn the_laws_of_inquiries_hold_for_an_acceptance(
        recorded in outcome(),
        first in outcome(),
        second in outcome(),
        order: u64,
    ) {
        let acceptance = Acceptance {
            pins: ["a", "b"].map(pins).into(),
            cassette: Arc::new(cassette(&["a"], &recorded)),
        };
        // By the question, not by when it is asked: the order of asking differs between runs.
        let answer = |_, trial: &Trial| {
            let (Trial::Grade { nth, .. } | Trial::GradeTree { nth, .. }) = trial;
            grading(if *nth == 0 { &first } else { &second })
        };
        laws::check(&Told(acceptance), order, answer);
    }

    #[test]
    fn the_laws_of_inquiries_hold_for_the_tree(answer in outcome(), order: u64) {
        let graded = Graded {
            pins: pins("a"),
            kind: graders::find("io_match").unwrap(),
            expect_class: Some("match".to_owned()),
        };
        laws::check(&graded, order, |_, _: &Trial| grading(&answer));
    }
}
