//! A `record` and an `accept` that are killed: every cassette is the old one or the new one.

use std::time::Instant;

use driftgate::model::digest::Digest;
use serde_json::Value;

use super::moments::{self, CASES, id};
use super::suite::Suite;

/// The cassette of a case if there is one, and whether its completion is the one it is about.
fn cassette(suite: &Suite, number: usize) -> Option<(Value, bool)> {
    let place = suite.root().join("goldens/cassettes").join(id(number));
    let bytes = std::fs::read(place.with_extension("json")).ok()?;
    let cassette: Value = serde_json::from_slice(&bytes).expect("a whole cassette");
    let output = std::fs::read(place.with_extension("out")).expect("a completion");
    let is_one = cassette["hashes"]["output"] == Digest::of(&output).to_string();
    Some((cassette, is_one))
}

/// All of a cassette but the times in it.
fn timeless(mut cassette: Value) -> Value {
    cassette["recorded_at"] = Value::Null;
    for accepted in cassette["accepted"].as_array_mut().into_iter().flatten() {
        accepted["at"] = Value::Null;
    }
    cassette
}

fn cassettes(suite: &Suite) -> Vec<Option<(Value, bool)>> {
    let timeless = |(cassette, is_one)| (timeless(cassette), is_one);
    (0..CASES)
        .map(|number| cassette(suite, number).map(timeless))
        .collect()
}

/// Kills `args`, which turn every cassette of `suite` into another one, at `count` moments.
fn writes_are_whole(suite: &Suite, args: &[&str], count: usize) {
    let (files, old) = (suite.committed(), cassettes(suite));
    let started = Instant::now();
    suite.run(args).assert_code(0);
    let (whole, new) = (started.elapsed(), cassettes(suite));
    let (mut written, mut apart) = (0, 0);
    for part in moments::parts(count) {
        moments::restore(suite, &files);
        moments::kill_after(suite, args, whole.mul_f64(part * 1.02));
        for (number, now) in cassettes(suite).into_iter().enumerate() {
            written += usize::from(now == new[number]);
            if now != old[number] && now != new[number] {
                let (now, is_one) = now.expect("one of two");
                // Between the two renames: the cassette is the old one, and says so.
                assert!(
                    !is_one && Some((now, true)) == old[number],
                    "{} at {part}",
                    id(number)
                );
                apart += 1;
            }
        }
        suite.run(&[args, &["--resume"]].concat()).assert_code(0);
        assert!(cassettes(suite) == new, "{part}");
        moments::assert_no_litter(suite);
    }
    let all = count * CASES;
    eprintln!(
        "{count} kills within {whole:?}: {written} of {all} cassettes were written, {apart} halfway"
    );
    assert!(apart <= 1, "{apart}");
}

#[test]
fn a_first_recording_that_is_killed_leaves_whole_cassettes() {
    let suite = moments::dozen();
    for number in 0..CASES {
        for extension in ["json", "out"] {
            suite.remove(&format!("goldens/cassettes/{}.{extension}", id(number)));
        }
    }
    let folder = suite.home().join("completions").display().to_string();
    writes_are_whole(&suite, &["record", "--from", &folder], moments::count(3));
}

#[test]
fn recordings_that_are_replaced_are_the_old_ones_or_the_new_ones() {
    let suite = moments::dozen();
    for number in 0..CASES {
        suite.completion(&id(number), moments::completion(number, "// anew\n"));
    }
    let folder = suite.home().join("completions").display().to_string();
    writes_are_whole(&suite, &["record", "--from", &folder], moments::count(3));
}

#[test]
fn an_acceptance_that_is_killed_leaves_whole_cassettes() {
    let suite = moments::dozen();
    suite.write(
        "goldens/graders/io_match.yaml",
        "kind: io_match\ntrim: trailing\n",
    );
    writes_are_whole(&suite, &["accept", "--reason", "blanks"], moments::count(3));
}
