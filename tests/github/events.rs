//! Every event: what is compared with what, what is asked of GitHub, and what a job is told.

use std::sync::{Arc, Barrier};

use serde_json::{Value, json};

use super::fake::{BOT, Fake};
use super::job::{Job, NUMBER, payload};
use super::repo::Repo;

/// The requests of a first run on a pull request.
const FIRST: [&str; 7] = [
    "GET pulls/2",
    "GET pulls/2",
    "POST check-runs",
    "GET issues/2/comments",
    "POST issues/2/comments",
    "GET issues/2/comments",
    "GET pulls/2/comments",
];

#[test]
fn a_pull_request_gets_a_check_run_and_a_comment_on_its_last_commit() {
    let job = Job::drifting(Fake::at("/api/v3"));
    let payload = job.pull_payload(false);
    let step = job.step(
        ("pull_request", &payload),
        &["ci", "--report", "report.json"],
    );
    step.assert_code(1);
    assert_eq!(job.fake.valid_requests(), FIRST);
    let report: Value = serde_json::from_str(&job.repo.suite.read("report.json")).unwrap();
    assert_eq!(report["base"], job.commit_of("HEAD^1").as_str());
    let check = job.fake.with(|state| state.checks[0].clone());
    assert_eq!(
        (&check["name"], &check["conclusion"]),
        (&json!("driftgate"), &json!("failure"))
    );
    assert_eq!(check["head_sha"], job.commit_of("work").as_str());
    let annotation = &check["output"]["annotations"][0];
    assert_eq!(annotation["path"], "goldens/graders/io_match.yaml");
    assert_eq!(
        (
            step.outputs["outcome"].as_str(),
            step.outputs["report"].as_str()
        ),
        ("fail", "report.json")
    );
    let scope = "the change reaches 2 of 2 cases: `goldens/graders/io_match.yaml`";
    let in_check = check["output"]["summary"].as_str().unwrap();
    for page in [&step.summary, &job.fake.bodies()[0], in_check] {
        assert!(page.contains("GRADER_DRIFT"), "{page}");
        assert!(page.contains(scope), "{page}");
    }
    // What stands on the check run does not stand in the log again.
    assert_eq!(step.shown, []);
}

#[test]
fn five_pushes_leave_one_comment_which_ends_green() {
    let job = Job::drifting(Fake::start());
    job.fake.with(|state| {
        // What others wrote is theirs, whatever it looks like, and there is much of it.
        for n in 0..120 {
            state.comment("somebody", &format!("{n}"));
        }
    });
    for push in 1..=5 {
        if push == 5 {
            job.repo.branch();
        }
        job.repo.git(&["checkout", "--quiet", "--force", "work"]);
        job.repo.commit("again");
        job.check_out_merge();
        job.open_pull();
        job.ci().assert_code(if push == 5 { 0 } else { 1 });
    }
    job.fake.valid_requests();
    let ours: Vec<String> = job
        .fake
        .bodies()
        .into_iter()
        .filter(|body| body.contains("driftgate"))
        .collect();
    assert_eq!(ours.len(), 1, "{ours:#?}");
    assert!(!ours[0].contains("GRADER_DRIFT"), "{}", ours[0]);
}

#[test]
fn a_fork_is_judged_alike_and_told_what_its_token_lacks() {
    let job = Job::drifting(Fake::start());
    job.fake
        .with(|state| state.lacks.extend(["checks", "pull_requests"]));
    let step = job.step(("pull_request", &job.pull_payload(true)), &["ci"]);
    step.assert_code(1)
        .assert_says("no check run: the token lacks the permission checks=write")
        .assert_says("no comment: the token lacks the permission issues=write; pull_requests=write")
        .assert_says("`driftgate publish` on workflow_run");
    job.fake.valid_requests();
    assert_eq!(step.shown.len(), 1, "{:?}", step.shown);
    assert_eq!(
        step.shown[0].properties["file"],
        "goldens/graders/io_match.yaml"
    );
    assert!(step.summary.contains("checks"), "{}", step.summary);
}

#[test]
fn a_merge_group_is_compared_with_what_it_is_put_on() {
    let job = Job::drifting(Fake::start());
    let mut event = payload("merge_group");
    event["merge_group"]["head_sha"] = json!(job.commit_of("HEAD"));
    event["merge_group"]["base_sha"] = json!(job.commit_of("main"));
    job.step(("merge_group", &event), &["ci"]).assert_code(1);
    assert_eq!(job.fake.valid_requests(), ["POST check-runs"]);
    let check = job.fake.with(|state| state.checks[0].clone());
    assert_eq!(check["head_sha"], job.commit_of("HEAD").as_str());
}

fn push(job: &Job, branch: &str, before: &str) -> Value {
    let mut event = payload("push");
    event["ref"] = json!(format!("refs/heads/{branch}"));
    event["before"] = json!(before);
    event["after"] = json!(job.commit_of("HEAD"));
    event["repository"]["default_branch"] = json!("main");
    event
}

#[test]
fn a_push_is_compared_with_what_was_there_before() {
    let job = Job::drifting(Fake::start());
    let before = job.commit_of("main");
    job.step(("push", &push(&job, "main", &before)), &["ci"])
        .assert_code(1);
    assert_eq!(job.fake.valid_requests(), ["POST check-runs"]);
    // On another branch its commit may be a pull request's, which has a check run of its own.
    let elsewhere = job.step(("push", &push(&job, "other", &before)), &["ci"]);
    elsewhere.assert_code(1);
    assert_eq!(job.fake.valid_requests().len(), 1);
    assert_eq!(elsewhere.shown.len(), 1);
    // What was forced away is not to be had, and that is said.
    let gone = "1".repeat(40);
    let mut forced = push(&job, "main", &gone);
    forced["forced"] = json!(true);
    job.step(("push", &forced), &["ci"])
        .assert_says("there is no base: 1111");
    // Where nobody can be asked it may be there: the cassettes alone are no base.
    job.step(("push", &push(&job, "main", &gone)), &["ci"])
        .assert_code(3)
        .assert_says("cannot be fetched");
    let origin = Repo::of(super::suite::Suite::empty());
    origin.commit("another");
    let url = format!("file://{}", origin.suite.root().display());
    job.repo.git(&["remote", "add", "origin", &url]);
    job.step(("push", &push(&job, "main", &gone)), &["ci"])
        .assert_says("there is no base: 1111");
}

#[test]
fn a_checkout_of_depth_one_fetches_the_base_alone() {
    let origin = Job::drifting(Fake::start());
    let merge = origin.commit_of("HEAD");
    origin
        .repo
        .git(&["update-ref", "refs/pull/2/merge", &merge]);
    let shallow = Repo::of(super::suite::Suite::empty());
    let url = format!("file://{}", origin.repo.suite.root().display());
    shallow.git(&["remote", "add", "origin", &url]);
    shallow.git(&[
        "fetch",
        "--quiet",
        "--depth=1",
        "origin",
        "refs/pull/2/merge",
    ]);
    shallow.git(&["checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"]);
    let job = Job::of(shallow, Fake::start());
    let step = job.step(
        ("pull_request", &origin.pull_payload(false)),
        &["ci", "--report", "report.json"],
    );
    step.assert_code(1);
    let report: Value = serde_json::from_str(&job.repo.suite.read("report.json")).unwrap();
    assert_eq!(report["base"], origin.commit_of("main").as_str());
    assert_eq!(report["experiments"][0]["summary"]["GRADER_DRIFT"], 1);
}

#[test]
fn a_base_that_is_not_to_be_had_is_incomplete_and_told_to_everybody() {
    let job = Job::drifting(Fake::start());
    let mut event = job.pull_payload(false);
    event["pull_request"]["base"]["sha"] = json!("1".repeat(40));
    event["pull_request"]["head"]["sha"] = json!(job.commit_of("HEAD"));
    let step = job.step(("pull_request", &event), &["ci"]);
    step.assert_code(3).assert_says("cannot be fetched");
    let check = job.fake.with(|state| state.checks[0].clone());
    assert_eq!(check["conclusion"], "failure");
    assert_eq!(step.outputs["outcome"], "incomplete");
    job.fake.valid_requests();
}

#[test]
fn a_suite_that_cannot_be_read_replaces_the_green_comment() {
    let job = Job::drifting(Fake::start());
    job.repo.suite.write("goldens/cases/blank.json", "{");
    let step = job.ci();
    step.assert_code(2);
    assert_eq!(job.fake.bodies().len(), 1);
    assert!(
        job.fake.bodies()[0].contains("blank"),
        "{}",
        job.fake.bodies()[0]
    );
    assert!(step.summary.contains("blank"), "{}", step.summary);
    job.fake.valid_requests();
}

#[test]
fn two_jobs_at_once_leave_one_comment() {
    let job = Job::drifting(Fake::start());
    job.fake
        .with(|state| state.together = Some(Arc::new(Barrier::new(2))));
    let report = job.report(&super::hostile::report(1));
    let payload = job.pull_payload(false);
    let start = || job.command(("pull_request_target", &payload), &["publish", &report]);
    let ((one, first), (two, second)) = (start(), start());
    let (one, two) = (job.repo.suite.start(one), job.repo.suite.start(two));
    job.came_to(first, one.wait()).assert_code(1);
    job.came_to(second, two.wait()).assert_code(1);
    assert_eq!(job.fake.bodies().len(), 1);
    let requests = job.fake.valid_requests();
    let posted = requests
        .iter()
        .filter(|request| request.starts_with("POST issues"))
        .count();
    assert_eq!(posted, 2, "there was no race: {requests:#?}");
}

#[test]
fn what_is_no_event_of_ours_is_refused_before_anything_runs() {
    let job = Job::bare();
    let nothing = json!({});
    let nightly = job.step(("schedule", &nothing), &["ci"]);
    nightly.assert_code(3).assert_says("nothing nightly yet");
    assert_eq!(nightly.outputs["outcome"], "incomplete");
    assert!(nightly.summary.contains("nothing nightly yet"));
    job.step(("workflow_dispatch", &nothing), &["ci"])
        .assert_code(3);
    let target = job.step(("pull_request_target", &job_payload()), &["ci"]);
    target.assert_code(2).assert_says("token and secrets");
    job.step(("issues", &nothing), &["ci"])
        .assert_code(2)
        .assert_says("nothing is to be done for the event `issues`");
    job.step(("workflow_run", &payload("workflow_run")), &["ci"])
        .assert_code(2)
        .assert_says("driftgate publish REPORT");
    job.step(("pull_request", &json!([])), &["ci"])
        .assert_code(2)
        .assert_says("event-");
    assert_eq!(job.fake.valid_requests().len(), 0);
}

fn job_payload() -> Value {
    super::job::pull_request(&"1".repeat(40), &"2".repeat(40), false)
}

#[test]
fn an_event_without_its_file_is_refused() {
    let job = Job::bare();
    for (name, value, said) in [
        (
            "GITHUB_EVENT_PATH",
            "/no/such/file",
            "/no/such/file: GITHUB_EVENT_PATH: cannot be read",
        ),
        ("GITHUB_EVENT_PATH", "", "GITHUB_EVENT_PATH: is not set"),
    ] {
        let (mut command, step) = job.command(("push", &json!({})), &["ci"]);
        command.env(name, value);
        let run = job.repo.suite.finish(command);
        job.came_to(step, run).assert_code(2).assert_says(said);
    }
}

#[test]
fn on_a_laptop_it_is_a_check() {
    let repo = Repo::new();
    repo.suite.run(&["ci", "--base", "main"]).assert_code(0);
}

#[test]
fn a_marker_in_somebody_elses_comment_or_further_down_makes_it_no_comment_of_ours() {
    let job = Job::bare();
    let marker = driftgate::report::comment::marker("driftgate");
    job.fake.with(|state| {
        state.pulls = vec![
            super::job::pull_request(&"1".repeat(40), &"2".repeat(40), false)["pull_request"]
                .clone(),
        ];
        state.diff = Some(String::new());
        state.comment("stranger", &format!("{marker}\nmine"));
        state.comment(BOT, &format!("another action says\n{marker}"));
    });
    let report = job.report(&super::hostile::report(1));
    job.step(
        ("pull_request_target", &job_payload()),
        &["publish", &report],
    )
    .assert_code(1);
    let bodies = job.fake.bodies();
    assert_eq!(bodies.len(), 3);
    assert!(bodies[0].ends_with("mine") && bodies[1].starts_with("another"));
    assert_eq!(NUMBER, 2);
    job.fake.valid_requests();
}
