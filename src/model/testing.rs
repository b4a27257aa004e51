//! Values for unit tests.

use std::sync::Arc;

use super::case::{Assemble, Case, Expect, SourceFile};
use super::digest::Digest;
use super::toolchain::Toolchain;

/// A case with this fixture that expects `ok\n`.
pub(crate) fn case(assemble: Assemble, fixture: &str) -> Case {
    let bytes: Arc<[u8]> = fixture.as_bytes().into();
    Case {
        id: "c".to_owned(),
        path: "goldens/cases/c.json".to_owned(),
        prompt_path: "goldens/prompts/c.md".to_owned(),
        prompt: Digest::of(b"prompt"),
        fixture: SourceFile {
            path: "goldens/fixtures/c.cpp".to_owned(),
            beside: "c.cpp".to_owned(),
            digest: Digest::of(&bytes),
            bytes,
        },
        files: Vec::new(),
        assemble,
        flags: vec!["-Wall".to_owned(), "-Werror".to_owned(), "-lm".to_owned()],
        args: Vec::new(),
        stdin: String::new(),
        expect: Expect {
            exit_code: 0,
            stdout: Some("ok\n".to_owned()),
            stderr_empty: true,
        },
        graders: vec!["io_match".to_owned()],
        timeout_s: 10,
        tags: Vec::new(),
    }
}

/// A compiler that exists only by name.
pub(crate) fn toolchain() -> Toolchain {
    Toolchain {
        cxx: vec!["/usr/bin/c++".to_owned()],
        version: "c++ 1".to_owned(),
        digest: Digest::of(b"c++"),
        selected: std::collections::BTreeMap::new(),
        lists_link_reads: true,
    }
}

/// The laws of [`super::inquiry::Inquiry`], as a check to be run under proptest.
pub(crate) mod laws {
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use proptest::prelude::*;

    use crate::model::digest::Digest;
    use crate::model::inquiry::{Inquiry, Next, Seen};
    use crate::model::observation::{Ended, Observation, Resource};

    /// No inquiry of ours needs more answers than this.
    const BOUND: usize = 64;

    /// Any observation.
    pub(crate) fn observation() -> impl Strategy<Value = Observation> {
        let ended = prop_oneof![
            3 => Just(Ended::Exit(0)),
            2 => (1..256_i32).prop_map(Ended::Exit),
            1 => (1..32_i32).prop_map(Ended::Signal),
            1 => Just(Ended::CpuLimit),
            1 => any::<bool>().prop_map(|starved| Ended::WallLimit { starved }),
            1 => Just(Ended::OutputLimit),
            1 => Just(Ended::ResourceLimit(Resource::Memory)),
            1 => Just(Ended::NotStarted("why".to_owned())),
            1 => Just(Ended::Lost("why".to_owned())),
            1 => Just(Ended::Interrupted),
        ];
        let name = prop_oneof![Just("candidate"), Just("candidate.o"), Just("other")];
        (ended, any::<bool>(), name, any::<[u8; 3]>()).prop_map(|(ended, reads, name, stdout)| {
            let mut observation = Observation::without_run(ended);
            observation
                .outputs
                .insert(name.to_owned(), Digest::of(name.as_bytes()));
            observation.reads = reads.then(|| Digest::of(b"reads"));
            observation.stdout = stdout.to_vec();
            observation
        })
    }

    /// Runs `inquiry` to its end several times over the same `answer`s (called with a stable
    /// number of the ask), delivering them in different orders and with answers it never asked
    /// for, and holds it to the laws.
    pub(crate) fn check<A, R, D>(
        inquiry: &dyn Inquiry<Ask = A, Answer = R, Done = D>,
        order: u64,
        answer: impl Fn(usize, &A) -> R,
    ) where
        A: Ord + Clone,
        R: Clone,
        D: PartialEq + Debug,
    {
        let mut numbers: BTreeMap<A, usize> = BTreeMap::new();
        let mut run = |mut order: u64, one_at_a_time: bool| -> (D, Seen<A, R>) {
            let mut seen: Seen<A, R> = BTreeMap::new();
            loop {
                let asks = match inquiry.next(&seen) {
                    Next::Done(done) => return (done, seen),
                    Next::Ask(asks) => asks.into_vec(),
                };
                assert!(
                    asks.iter().all(|ask| !seen.contains_key(ask)),
                    "asked for what it has seen"
                );
                let mut asks = asks;
                let first = usize::try_from(order % asks.len() as u64).unwrap();
                order /= 2;
                asks.swap(0, first);
                if one_at_a_time {
                    asks.truncate(1);
                }
                for ask in asks {
                    let fresh = numbers.len();
                    let number = *numbers.entry(ask.clone()).or_insert(fresh);
                    let given = answer(number, &ask);
                    seen.insert(ask, given);
                }
                assert!(seen.len() <= BOUND, "asks without end");
            }
        };
        let (plain, seen) = run(0, false);
        let (shuffled, more) = run(order, true);
        assert_eq!(plain, shuffled, "the order of answers changed the result");
        let mut all = seen;
        all.extend(more);
        match inquiry.next(&all) {
            Next::Done(done) => assert_eq!(plain, done, "answers not asked for changed the result"),
            Next::Ask(_) => panic!("more answers led to more asks"),
        }
    }
}
