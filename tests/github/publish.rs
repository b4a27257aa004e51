//! The second stage for pull requests from forks: a report from where a stranger could write it.

use serde_json::{Value, json};

use super::hostile::{green, report};
use super::job::{Job, payload, pull_request, workflow_run};

/// A job after a run on a fork's pull request, whose last commit is all twos.
fn after_fork() -> Job {
    let job = Job::bare();
    let mut pull = pull_request(&"1".repeat(40), &"2".repeat(40), true)["pull_request"].clone();
    pull["head"]["label"] = json!("stranger:changes & more");
    pull["changed_files"] = json!(0);
    let mut older = pull.clone();
    older["number"] = json!(1);
    older["head"]["sha"] = json!("9".repeat(40));
    job.fake.with(|state| {
        state.pulls = vec![older, pull];
        state.diff = Some(String::new());
    });
    job
}

fn published(report: &Value, event: &Value, code: i32) -> Job {
    let job = after_fork();
    let path = job.report(report);
    job.step(("workflow_run", event), &["publish", &path])
        .assert_code(code);
    job
}

#[test]
fn the_pull_request_is_found_by_what_github_says_and_not_by_the_report() {
    let mut lying = report(1);
    lying["head"] = json!("9".repeat(40));
    lying["experiments"][0]["extra"] = json!({"pull_request": 1});
    let job = published(&lying, &workflow_run(&"2".repeat(40), "failure"), 1);
    assert_eq!(
        job.fake.valid_requests(),
        [
            "GET pulls",
            "GET pulls/2",
            "POST check-runs",
            "GET issues/2/comments",
            "POST issues/2/comments",
            "GET issues/2/comments"
        ]
    );
    let check = job.fake.with(|state| state.checks[0].clone());
    assert_eq!(check["head_sha"], json!("2".repeat(40)));
    assert!(
        check["details_url"]
            .as_str()
            .unwrap()
            .ends_with("/actions/runs/289782451")
    );
}

#[test]
fn a_pass_that_the_run_itself_denies_is_not_believed() {
    let job = published(&green(), &workflow_run(&"2".repeat(40), "failure"), 3);
    let conclusion = |job: &Job| job.fake.with(|state| state.checks[0]["conclusion"].clone());
    assert_eq!(conclusion(&job), "failure");
    assert!(
        job.fake.bodies()[0].contains("not believed"),
        "{}",
        job.fake.bodies()[0]
    );
    let job = published(&green(), &workflow_run(&"2".repeat(40), "success"), 0);
    assert_eq!(conclusion(&job), "success");
}

#[test]
fn a_pull_request_that_is_gone_gets_no_comment() {
    let job = after_fork();
    let path = job.report(&report(1));
    let step = job.step(
        ("workflow_run", &workflow_run(&"4".repeat(40), "failure")),
        &["publish", &path],
    );
    step.assert_code(1)
        .assert_says("no open pull request ends at 4444");
    assert_eq!(job.fake.bodies().len(), 0);
    job.fake.valid_requests();
}

#[test]
fn what_is_no_report_is_refused_and_replaces_the_green_comment() {
    let job = after_fork();
    let event = workflow_run(&"2".repeat(40), "success");
    let large = job.repo.suite.home().join("large.json");
    std::fs::File::create(&large)
        .unwrap()
        .set_len((64 << 20) + 1)
        .unwrap();
    let mut edited = green();
    edited["outcome"] = json!("fail");
    let edited = job.report(&edited);
    for (path, said) in [
        (large.to_str().unwrap(), "is larger than 64 MiB"),
        (edited.as_str(), "its rows come to pass"),
        ("/no/such/report", "cannot be read"),
        ("/dev/null", "the file is empty"),
    ] {
        let step = job.step(("workflow_run", &event), &["publish", path]);
        step.assert_code(2).assert_says(said);
        assert!(step.summary.contains(said), "{}", step.summary);
        let body = job.fake.bodies().remove(0);
        assert!(body.contains(said), "{body}");
        let last = job.fake.with(|state| state.checks.last().unwrap().clone());
        assert_eq!(last["conclusion"], "failure");
    }
    assert_eq!(job.fake.bodies().len(), 1);
    let before = job.fake.valid_requests().len();
    let other = job.step(
        ("workflow_run", &payload("workflow_run")),
        &["publish", &edited],
    );
    other.assert_code(2).assert_says("no pull request's run");
    assert_eq!(job.fake.valid_requests().len(), before);
}

#[test]
fn a_suite_in_a_folder_is_published_with_paths_from_the_top() {
    let job = after_fork();
    let path = job.report(&report(1));
    let event = workflow_run(&"2".repeat(40), "failure");
    let places = |args: &[&str]| {
        let step = job.step(("workflow_run", &event), args);
        step.assert_code(1);
        let check = job.fake.with(|state| state.checks.last().unwrap().clone());
        let place = check["output"]["annotations"][0]["path"].clone();
        place.as_str().unwrap().to_owned()
    };
    let plain = places(&["publish", &path]);
    assert_eq!(places(&["publish", &path, "--root=."]), plain);
    let inner = places(&["publish", &path, "--root", "./evals/cpp/"]);
    assert_eq!(inner, format!("evals/cpp/{plain}"));
    for odd in ["/evals", "../evals"] {
        job.step(("workflow_run", &event), &["publish", &path, "--root", odd])
            .assert_code(2)
            .assert_says("from the top of the repository");
    }
    job.fake.valid_requests();
}

#[test]
fn a_fork_that_is_gone_is_told() {
    let job = after_fork();
    let path = job.report(&report(1));
    let mut event = workflow_run(&"2".repeat(40), "failure");
    event["workflow_run"]["head_repository"] = Value::Null;
    job.step(("workflow_run", &event), &["publish", &path])
        .assert_code(1)
        .assert_says("no comment: GitHub does not say which branch");
    assert_eq!(job.fake.with(|state| state.checks.len()), 1);
}

#[test]
fn whatever_is_refused_the_runner_listens_again() {
    let job = after_fork();
    let refused = job.step(
        ("workflow_run", &payload("workflow_run")),
        &["publish", "x"],
    );
    let lines: Vec<&str> = refused.run.stdout.lines().collect();
    let token = lines[0].strip_prefix("::stop-commands::").unwrap();
    assert_eq!(lines.last(), Some(&format!("::{token}::").as_str()));
}
