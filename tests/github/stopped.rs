//! Runs that end without a verdict: everybody is told, and nothing of them acts on the runner.

use std::fs;

use serde_json::{Value, json};

use super::fake::Fake;
use super::job::{Job, Step};
use super::repo::Repo;
use super::suite::Suite;

/// Checks that the log holds no command to the runner, and nothing that acts on a terminal.
#[track_caller]
fn assert_harmless(step: &Step) {
    for line in step.run.stderr.lines() {
        assert!(!line.trim_start().starts_with("::"), "{line}");
        assert!(!line.contains("##["), "{line}");
    }
    let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
    assert!(!step.run.stderr.contains(acts), "{:?}", step.run.stderr);
    assert_eq!(step.shown, [], "the runner took a command");
}

#[test]
fn what_is_wrong_with_a_suite_is_no_command_whatever_it_is_called() {
    let hostile = "a\n::error::pwned\n##[group]x\u{1b}[2J\u{202e}";
    let job = Job::drifting(Fake::start());
    let suite = &job.repo.suite;
    suite.write(&format!("goldens/cases/{hostile}.json"), "{");
    let step = job.ci();
    step.assert_code(2).assert_says("goldens/cases/a\\n::error");
    assert_harmless(&step);
    suite.remove(&format!("goldens/cases/{hostile}.json"));
    let key = json!({"id": "c", hostile: 1}).to_string();
    for path in [
        "goldens/cases/c.json",
        "driftgate.yml",
        "goldens/graders/io_match.yaml",
    ] {
        let before = fs::read_to_string(suite.root().join(path)).ok();
        suite.write(path, &key);
        let step = job.ci();
        step.assert_code(2).assert_says(path);
        assert_harmless(&step);
        match before {
            Some(text) => suite.write(path, text),
            None => suite.remove(path),
        }
    }
    let name = format!("--name={hostile}");
    let step = job.step(("pull_request", &job.pull_payload(false)), &["ci", &name]);
    step.assert_code(2);
    assert_harmless(&step);
    let path = job.report(&json!({hostile: 1}));
    let event = job.pull_payload(false);
    let step = job.step(("pull_request_target", &event), &["publish", &path]);
    step.assert_code(2);
    assert_harmless(&step);
    job.fake.valid_requests();
}

#[test]
fn a_root_that_the_change_took_away_replaces_the_green_comment() {
    let job = Job::drifting(Fake::start());
    let event = job.pull_payload(false);
    let step = job.step(("pull_request", &event), &["ci", "--root", "gone"]);
    step.assert_code(2).assert_says("is no folder");
    assert!(job.fake.bodies()[0].contains("is no folder"));
    assert_eq!(step.outputs["outcome"], "incomplete");
    job.fake.valid_requests();
}

#[test]
fn what_could_not_be_judged_leaves_a_report_for_the_second_stage() {
    let job = Job::drifting(Fake::start());
    let head = json!({"sha": job.commit_of("HEAD")});
    let mut event = job.pull_payload(true);
    event["pull_request"]["base"]["sha"] = json!("1".repeat(40));
    event["pull_request"]["head"]["sha"] = head["sha"].clone();
    let args = ["ci", "--report", "report.json"];
    let step = job.step(("pull_request", &event), &args);
    step.assert_code(3);
    assert_eq!(step.outputs["report"], "report.json");
    let report: Value = serde_json::from_str(&job.repo.suite.read("report.json")).unwrap();
    assert_eq!(report["outcome"], "incomplete");
    // What reads reports reads this one.
    let step = job.step(
        ("pull_request_target", &job.pull_payload(true)),
        &["publish", "report.json"],
    );
    step.assert_code(3);
    // A broken suite has none, and one of an earlier step is not taken for it.
    job.repo.suite.write("goldens/cases/blank.json", "{");
    let step = job.step(("pull_request", &job.pull_payload(true)), &args);
    step.assert_code(2);
    assert!(!step.outputs.contains_key("report"), "{:?}", step.outputs);
    let kept: Value = serde_json::from_str(&job.repo.suite.read("report.json")).unwrap();
    assert_eq!(kept, report);
}

#[test]
fn a_checkout_that_git_refuses_is_told_as_such() {
    let job = Job::drifting(Fake::start());
    let event = job.pull_payload(false);
    fs::write(job.repo.suite.root().join(".git/HEAD"), "garbage\n").unwrap();
    job.step(("pull_request", &event), &["ci"])
        .assert_code(3)
        .assert_says("git refuses this checkout");
    let job = Job::of(Repo::of(Suite::adder()), Fake::start());
    fs::remove_dir_all(job.repo.suite.root().join(".git")).unwrap();
    job.step(("pull_request", &event), &["ci"])
        .assert_code(3)
        .assert_says("in no git checkout");
}

#[test]
fn names_of_compilers_and_matrices_are_names_of_checks() {
    let job = Job::drifting(Fake::start());
    let event = job.pull_payload(false);
    for name in ["driftgate g++-13", "gate (gcc, 13)", "evals: c++20"] {
        let step = job.step(("pull_request", &event), &["ci", "--name", name]);
        step.assert_code(1);
        let last = job.fake.with(|state| state.checks.last().unwrap().clone());
        assert_eq!(last["name"], name);
    }
    assert_eq!(job.fake.bodies().len(), 3);
    job.fake.valid_requests();
}
