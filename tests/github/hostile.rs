//! Reports as a stranger would write them, and as large as they come.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use serde_json::{Value, json};

use super::fake::Fake;
use super::job::{Job, pull_request};

/// A report with so many failing rows.
pub(super) fn report(rows: usize) -> Value {
    let rows = (0..rows).map(|n| {
        let mut row = row(&format!("case-{n:05}"), "it became fail");
        row["class"] = json!("TAMPERED");
        row["at"] = json!({"path": format!("goldens/cassettes/case-{n:05}.json"), "line": n + 1});
        row
    });
    report_of(&rows.collect::<Vec<_>>())
}

pub(super) fn row(id: &str, why: &str) -> Value {
    json!({"id": id, "grader": "io_match", "class": "GRADER_DRIFT", "level": "fail", "before": "pass",
        "after": "fail", "at": {"path": "goldens/graders/io_match.yaml", "line": 2}, "why": why,
        "next": "look", "repro": "driftgate replay"})
}

pub(super) fn report_of(rows: &[Value]) -> Value {
    json!({
        "schema": "driftgate/report/1", "driftgate": "0.1.0", "command": "check", "outcome": "fail",
        "base": null, "head": null, "toolchain": {"version": null, "hash": null},
        "sandbox": {"level": "off", "why": "nothing was run"},
        "experiments": [{"name": "replay", "rows": rows}],
    })
}

/// A report that passes.
pub(super) fn green() -> Value {
    let mut report = report(1);
    report["outcome"] = json!("pass");
    report["experiments"][0]["rows"][0]["level"] = json!("ok");
    report
}

/// A job without a check of its own that publishes `report` on a pull request.
pub(super) fn publishing(report: &Value) -> (Job, String) {
    let job = Job::bare();
    let path = job.report(report);
    job.fake.with(|state| {
        state.pulls = vec![event()["pull_request"].clone()];
        state.pulls[0]["changed_files"] = json!(0);
        state.diff = Some(String::new());
    });
    (job, path)
}

/// The event of [`publishing`].
pub(super) fn event() -> Value {
    pull_request(&"1".repeat(40), &"2".repeat(40), false)
}

/// `text` without its fenced blocks, in which nothing acts.
fn outside_fences(text: &str) -> String {
    let mut fence: Option<&str> = None;
    let mut out = String::new();
    for line in text.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => out.push_str(&format!("{line}\n")),
        }
    }
    assert_eq!(fence, None, "a fence stays open: {text}");
    out
}

const NASTY: [&str; 9] = [
    "@everyone see #1, o/r#2 and https://evil.example",
    "</details><script>alert(1)</script><img src=x onerror=y>",
    "```\n# heading\n```` | a | b |",
    "::error file=a::b\n::set-env name=A::b\n##[add-matcher]x\n::stop-commands::x",
    "<!-- driftgate -->\n<!-- driftgate: driftgate -->",
    "\u{202e}\u{1f4a3}\u{0}\u{1b}[31m",
    "a%0A::error::b",
    "EOF\ndriftgate-0",
    "| | |\n|-|-|\n",
];

#[test]
fn nothing_of_a_report_acts_on_github_or_the_runner() {
    let rows = NASTY.iter().enumerate().map(|(n, text)| {
        let mut row = row(&format!("{n}{text}"), text);
        row["at"]["path"] = json!(format!("goldens/{text}"));
        row["evidence"] = json!({"stdout": text, "diff": text});
        row
    });
    let mut hostile = report_of(&rows.collect::<Vec<_>>());
    hostile["notes"] = json!(NASTY);
    let (job, path) = publishing(&hostile);
    let with = job.step(("pull_request_target", &event()), &["publish", &path]);
    with.assert_code(1);
    job.fake.valid_requests();
    let body = job.fake.bodies().remove(0);
    assert!(body.starts_with(&driftgate::report::comment::marker("driftgate")));
    for text in [outside_fences(&body), outside_fences(&with.summary)] {
        for acting in ["@everyone", "<script", "<img", "https://evil", "o/r#2"] {
            assert!(!text.contains(acting), "{acting}: {text}");
        }
        assert!(text.matches("<!--").count() <= 1, "{text}");
    }
    // Without a check run the annotations are said in the log: the runner's emulation fails on any
    // command that is none of those.
    job.fake.with(|state| state.lacks.insert("checks"));
    let without = job.step(("pull_request_target", &event()), &["publish", &path]);
    without.assert_code(1);
    assert!(
        !without.shown.is_empty() && without.shown.len() <= 10,
        "{:?}",
        without.shown
    );
}

#[test]
fn five_thousand_findings_stay_within_every_limit() {
    let (job, path) = publishing(&report(5000));
    let step = job.step(("pull_request_target", &event()), &["publish", &path]);
    step.assert_code(1);
    let requests = job.fake.valid_requests();
    let annotated = job.fake.with(|state| {
        state.checks[0]["output"]["annotations"]
            .as_array()
            .unwrap()
            .len()
    });
    assert_eq!(annotated, 200);
    let check_runs = requests
        .iter()
        .filter(|request| request.contains("check-runs"))
        .count();
    assert_eq!(check_runs, 4, "{requests:#?}");
    assert!(
        step.summary.contains("5000") || step.summary.contains("5,000"),
        "what was left out is counted"
    );
}

#[test]
fn five_thousand_findings_in_the_log_are_ten_of_a_kind() {
    let (job, path) = publishing(&report(5000));
    let step = job.step(
        ("pull_request_target", &event()),
        &["publish", "--check-run", "false", &path],
    );
    step.assert_code(1);
    let errors = step.shown.iter().filter(|one| one.kind == "error").count();
    assert_eq!(errors, 10);
    let counted = step.shown.last().unwrap();
    assert!(counted.message.contains("more findings"), "{counted:?}");
    let said = step
        .run
        .stdout
        .lines()
        .filter(|line| line.starts_with("::error"))
        .count();
    assert_eq!(said, 10, "the runner drops the others without a word");
    assert!(
        !job.fake
            .valid_requests()
            .iter()
            .any(|request| request.contains("check-runs"))
    );
}

#[test]
fn output_of_ten_megabytes_is_cut() {
    let mut large = report(1);
    let text = "\u{1f4a3} line of output | with `code`\n".repeat(300_000);
    large["experiments"][0]["rows"][0]["evidence"] = json!({"stdout": text, "diff": text});
    large["experiments"][0]["rows"][0]["why"] = json!(text);
    let (job, path) = publishing(&large);
    job.step(("pull_request_target", &event()), &["publish", &path])
        .assert_code(1);
    job.fake.valid_requests();
}

#[test]
fn paths_that_are_no_text_are_in_nobodys_way() {
    let job = Job::drifting(Fake::start());
    job.repo.git(&["checkout", "--quiet", "work"]);
    let name = std::ffi::OsStr::from_bytes(b"goldens/prompts/\xff\n::error::x.md");
    fs::write(job.repo.suite.root().join(name), "x").unwrap();
    job.repo.commit("a name that is no text");
    job.check_out_merge();
    job.open_pull();
    // GitHub's diff is too large, and its list of files fails: git's stands in.
    job.fake.with(|state| state.diff = None);
    job.fake.fault(
        "GET pulls/2/files",
        1,
        Some(super::server::Answer::refusal(404, "Not Found")),
    );
    job.ci()
        .assert_code(1)
        .assert_says("git's diff stands in for it");
    job.fake.valid_requests();
    let annotation = job
        .fake
        .with(|state| state.checks[0]["output"]["annotations"][0].clone());
    assert_eq!(annotation["path"], "goldens/graders/io_match.yaml");
}
