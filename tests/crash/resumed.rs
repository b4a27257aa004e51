//! What a continued run reuses, and what it does not.

use std::fs;
use std::path::Path;

use rustix::process::{Signal, kill_process};
use serde_json::Value;

use super::moments::{self, CASES, files, id, unfinished};
use super::suite::{Run, Suite};

const ARGS: [&str; 5] = ["replay", "--jobs", "1", "--format", "json"];

/// A replay that was interrupted when some of its steps were finished.
fn interrupted() -> Suite {
    let suite = moments::dozen();
    let started = suite.start(suite.command(&ARGS));
    while files(&unfinished(&suite).join("observations")).len() < CASES {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    kill_process(started.pid(), Signal::INT).unwrap();
    let run = started.wait();
    run.assert_code(130)
        .assert_says(&["interrupted", "--resume"]);
    suite.assert_nothing_left();
    suite
}

/// Replays with `more`, to its end: every verdict is what it always is.
fn replay(suite: &Suite, more: &[&str]) -> Run {
    let run = suite.run(&[&ARGS, more].concat());
    run.assert_code(0);
    assert_eq!(run.rows().len(), CASES);
    assert!(
        run.rows().iter().all(|row| row["class"] == "STABLE"),
        "{}",
        run.stdout
    );
    moments::assert_no_litter(suite);
    run
}

/// How many cases were not graded anew.
fn reused(run: &Run) -> usize {
    let rows = run.rows();
    rows.iter().filter(|row| row["executed"] == false).count()
}

#[test]
fn what_was_finished_is_not_run_again_and_that_is_said() {
    let suite = interrupted();
    let run = replay(&suite, &["--resume"]);
    run.assert_says(&["continuing a run that had finished "]);
    let notes = run.json()["notes"].to_string();
    assert!(
        notes.contains("resumed: ") && notes.contains("not run again"),
        "{notes}"
    );
    assert!((1..CASES).contains(&reused(&run)), "{}", run.stdout);
    // It is complete, so there is nothing left of it.
    let again = replay(&suite, &["--resume"]);
    again.assert_says(&["no interrupted run is there to continue"]);
    let notes = again.json()["notes"].to_string();
    assert!(notes.contains("no interrupted run is there"), "{notes}");
    assert_eq!(reused(&again), 0);
}

#[test]
fn a_run_that_is_not_asked_to_continue_starts_anew_and_says_so() {
    let suite = interrupted();
    let run = replay(&suite, &[]);
    run.assert_says(&["starting anew", "--resume"]);
    assert_eq!(run.json()["notes"], Value::Array(Vec::new()));
    assert_eq!(reused(&run), 0);
}

#[test]
fn an_input_that_moved_meanwhile_is_judged_anew() {
    let suite = interrupted();
    for number in 0..CASES {
        let fixture = format!("goldens/fixtures/f{number}.cpp");
        suite.write(
            &fixture,
            suite.read(&fixture).replace("printf(\"%d", "printf(\" %d"),
        );
    }
    suite.case(&id(0), &serde_json::json!({"fixture": "fixtures/f0.cpp"}));
    let run = suite.run(&[&ARGS[..], &["--resume"]].concat());
    let rows = run.rows();
    assert!(
        rows.iter().all(|row| row["class"] != "STABLE"),
        "{}",
        run.stdout
    );
    assert_eq!(reused(&run), 0);
}

/// Nothing is reused once `change` was made to what an interrupted run left; `why` is said.
fn nothing_is_reused(change: impl Fn(&Path), more: &[&str], why: &str) {
    let suite = interrupted();
    change(&unfinished(&suite));
    let run = replay(&suite, &[&["--resume"], more].concat());
    run.assert_says(&[why]);
    assert_eq!(reused(&run), 0, "{}", run.stdout);
}

#[test]
fn what_is_torn_or_damaged_is_made_again() {
    nothing_is_reused(
        |folder| {
            let entries = files(&folder.join("observations"));
            for (number, path) in entries.iter().enumerate() {
                let mut bytes = fs::read(path).unwrap();
                let cut = bytes.len() * number / entries.len();
                bytes.truncate(cut);
                fs::write(path, bytes).unwrap();
            }
            let list = fs::OpenOptions::new()
                .append(true)
                .open(folder.join("read.jsonl"));
            std::io::Write::write_all(&mut list.unwrap(), b"[\"/usr/inc").unwrap();
        },
        &[],
        "continuing",
    );
    nothing_is_reused(
        |folder| {
            for path in files(&folder.join("blobs")) {
                fs::write(path, "damaged").unwrap();
            }
        },
        &[],
        "continuing",
    );
}

#[test]
fn another_isolation_starts_anew() {
    nothing_is_reused(
        |_| {},
        &["--sandbox", "off"],
        "because the isolation is not",
    );
}

#[test]
fn a_system_file_that_changed_starts_anew() {
    let change = |folder: &Path| {
        let list = folder.join("read.jsonl");
        let lines = fs::read_to_string(&list).unwrap();
        let header = lines
            .lines()
            .find(|line| line.contains("/stdio.h\""))
            .unwrap();
        let changed = header.replace("\"size\":", "\"size\":1");
        let (before, digest) = changed.split_once("\"content\":\"").unwrap();
        let digit = if digest.starts_with('0') { '1' } else { '0' };
        let changed = format!("{before}\"content\":\"{digit}{}", &digest[1..]);
        fs::write(&list, lines.replace(header, &changed)).unwrap();
    };
    nothing_is_reused(change, &[], "stdio.h is not what it was");
}

#[test]
fn what_was_put_there_by_somebody_else_is_not_believed() {
    let change = |folder: &Path| {
        let copy = folder.with_file_name("copy");
        for path in files(folder) {
            let place = copy.join(path.strip_prefix(folder).unwrap());
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::copy(path, place).unwrap();
        }
        fs::remove_dir_all(folder).unwrap();
        fs::rename(copy, folder).unwrap();
    };
    nothing_is_reused(change, &[], "the folder it was left in is not");
}

#[test]
fn with_a_store_every_run_goes_on_and_says_so_when_asked() {
    let suite = moments::dozen();
    replay(&suite, &["--store"]);
    let run = replay(&suite, &["--store", "--resume"]);
    assert_eq!(reused(&run), CASES);
    let notes = run.json()["notes"].to_string();
    assert!(notes.contains("were in the store"), "{notes}");
}

#[test]
fn what_was_on_its_way_when_a_run_was_killed_is_never_read_and_goes() {
    let suite = Suite::recorded();
    let report = suite.home().join("report.json");
    let dead = [
        "root/goldens/cassettes/.driftgate-new-aaaaaa",
        "root/.driftgate/.driftgate-new-aaaaaa",
        ".driftgate-new-aaaaaa",
    ];
    let mine = ["root/goldens/cases/.driftgate-mine.json", ".driftgate-mine"];
    for path in dead.iter().chain(&mine) {
        fs::write(suite.home().join(path), "{\"case\": ").unwrap();
    }
    let run = suite.report(&["replay", "--report", report.to_str().unwrap()]);
    run.assert_class("add", "STABLE", 0);
    let is_there = |path: &&str| suite.home().join(path).exists();
    assert!(!dead.iter().any(is_there));
    assert!(mine.iter().all(is_there));
}
