//! Where findings are shown, and what depends on the branch that an event is about.

use serde_json::Value;

use super::fake::Fake;
use super::job::{Job, payload};
use super::repo::{Repo, entry};
use super::server::Answer;

/// Path and line of every annotation of the first check run.
fn places(job: &Job) -> Vec<(String, u64)> {
    let check = job.fake.with(|state| state.checks[0].clone());
    let annotations = check["output"]["annotations"].as_array().unwrap().iter();
    let place = |one: &Value| {
        let path = one["path"].as_str().unwrap().to_owned();
        (path, one["start_line"].as_u64().unwrap())
    };
    annotations.map(place).collect()
}

/// A pull request whose quarantine is over, on line 12 of its own commit. The target branch put
/// three lines in front meanwhile, so in the merge it is line 15.
fn moved() -> Job {
    let repo = Repo::new();
    let comments = "# a comment\n".repeat(11);
    repo.suite.write("quarantine.yaml", comments.as_str());
    repo.merge("comments");
    repo.branch();
    let overdue = entry("blank", -20, -1);
    repo.suite
        .write("quarantine.yaml", format!("{comments}{overdue}"));
    repo.commit("tolerate");
    repo.git(&["checkout", "--quiet", "main"]);
    repo.suite
        .write("quarantine.yaml", format!("# 1\n# 2\n# 3\n{comments}"));
    repo.commit("more comments");
    Job::merging(repo, Fake::start())
}

#[test]
fn a_finding_is_on_the_line_of_the_commit_that_is_annotated() {
    let job = moved();
    job.ci().assert_code(1);
    let overdue = ("quarantine.yaml".to_owned(), 12);
    assert!(places(&job).contains(&overdue), "{:?}", places(&job));
    job.fake.valid_requests();
}

#[test]
fn lines_without_the_commit_of_the_pull_request_are_those_of_the_merge_and_that_is_said() {
    let job = moved();
    let mut event = job.pull_payload(false);
    event["pull_request"]["head"]["sha"] = "1".repeat(40).into();
    let step = job.step(("pull_request", &event), &["ci"]);
    step.assert_code(1)
        .assert_says("lines are those of the merge that was checked out");
    let overdue = ("quarantine.yaml".to_owned(), 15);
    assert!(places(&job).contains(&overdue), "{:?}", places(&job));
}

#[test]
fn gits_own_diff_of_a_moved_file_misleads_nobody() {
    let job = moved();
    job.fake
        .fault("GET pulls/2", 9, Some(Answer::refusal(403, "no")));
    let step = job.ci();
    step.assert_code(1)
        .assert_says("git's diff stands in for it");
    let overdue = ("quarantine.yaml".to_owned(), 12);
    assert!(places(&job).contains(&overdue), "{:?}", places(&job));
    // The event says which pull request it is, so it gets its comment all the same.
    step.assert_says("the event's word on it stands");
    assert_eq!(job.fake.bodies().len(), 1);
}

#[test]
fn a_quarantine_tolerates_on_a_pull_request_and_not_on_the_default_branch() {
    let repo = Repo::flaky();
    repo.suite.write("quarantine.yaml", entry("c", 0, 20));
    repo.commit("tolerate");
    let job = Job::merging(repo, Fake::start());
    job.ci().assert_code(0);
    assert!(job.fake.bodies()[0].contains("NONDETERMINISTIC"));
    let mut event = payload("push");
    event["before"] = job.commit_of("main").into();
    event["after"] = job.commit_of("HEAD").into();
    event["repository"]["default_branch"] = "main".into();
    for (branch, code) in [("main", 1), ("work", 0)] {
        event["ref"] = format!("refs/heads/{branch}").into();
        job.step(("push", &event), &["ci"]).assert_code(code);
    }
}
