//! A job: a checkout, an event, and the files and variables that a runner gives a step.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::fake::{Fake, REPOSITORY, TOKEN};
use super::repo::Repo;
use super::runner::{self, Shown};
use super::suite::{Run, Suite};

/// The number of the pull request in every payload here.
pub(super) const NUMBER: u64 = 2;

/// A job of a repository.
pub(super) struct Job {
    pub(super) repo: Repo,
    pub(super) fake: Fake,
    steps: AtomicU32,
}

/// What a step came to.
pub(super) struct Step {
    pub(super) run: Run,
    pub(super) shown: Vec<Shown>,
    pub(super) outputs: BTreeMap<String, String>,
    pub(super) summary: String,
}

/// A payload as GitHub sends it.
pub(super) fn payload(event: &str) -> Value {
    let text = match event {
        "pull_request" | "pull_request_target" => include_str!("octokit/pull_request.json"),
        "merge_group" => include_str!("octokit/merge_group.json"),
        "push" => include_str!("octokit/push.json"),
        "workflow_run" => include_str!("octokit/workflow_run.json"),
        _ => panic!("{event}"),
    };
    serde_json::from_str(text).unwrap()
}

/// The payload of a pull request from `base` to `head`; from a fork if so.
pub(super) fn pull_request(base: &str, head: &str, from_fork: bool) -> Value {
    let mut event = payload("pull_request");
    let pull = &mut event["pull_request"];
    pull["head"]["sha"] = json!(head);
    pull["base"]["sha"] = json!(base);
    if from_fork {
        pull["head"]["repo"]["full_name"] = json!("stranger/Hello-World");
        pull["head"]["repo"]["fork"] = json!(true);
        pull["head"]["label"] = json!("stranger:changes");
    }
    event
}

/// The payload of the end of a run on the pull request from a fork whose last commit is `head`.
pub(super) fn workflow_run(head: &str, conclusion: &str) -> Value {
    let mut event = payload("workflow_run");
    let run = &mut event["workflow_run"];
    run["event"] = json!("pull_request");
    run["conclusion"] = json!(conclusion);
    run["head_sha"] = json!(head);
    run["head_branch"] = json!("changes & more");
    run["head_repository"]["owner"]["login"] = json!("stranger");
    event
}

impl Job {
    /// A job in `repo`.
    pub(super) fn of(repo: Repo, fake: Fake) -> Self {
        Self {
            repo,
            fake,
            steps: AtomicU32::new(0),
        }
    }

    /// A job on an empty suite: for what needs no check.
    pub(super) fn bare() -> Self {
        Self::of(Repo::of(Suite::empty()), Fake::start())
    }

    /// A job on a pull request that edits a grader, so that a verdict flips. The merge of it is
    /// checked out.
    pub(super) fn drifting(fake: Fake) -> Self {
        let repo = Repo::new();
        repo.edit_grader();
        repo.commit("edit the grader");
        Self::merging(repo, fake)
    }

    /// A job on the pull request that merges `work` into `main`, which is checked out.
    pub(super) fn merging(repo: Repo, fake: Fake) -> Self {
        let job = Self::of(repo, fake);
        job.check_out_merge();
        job.open_pull();
        job
    }

    /// Checks out the merge of `work` into `main`, as the checkout action does.
    pub(super) fn check_out_merge(&self) {
        self.repo.git(&["checkout", "--quiet", "--detach", "main"]);
        self.repo
            .git(&["merge", "--quiet", "--no-ff", "-m", "merge", "work"]);
    }

    pub(super) fn commit_of(&self, revision: &str) -> String {
        self.repo.git(&["rev-parse", revision])
    }

    /// Lets the fake know the pull request, with its last commit and its diff.
    pub(super) fn open_pull(&self) {
        let pull = pull_request(&self.commit_of("main"), &self.commit_of("work"), false);
        let diff = self.repo.git(&["diff", "main...work"]);
        self.fake.with(|state| {
            state.pulls = vec![pull["pull_request"].clone()];
            state.diff = Some(diff + "\n");
        });
    }

    /// The payload of the pull request.
    pub(super) fn pull_payload(&self, from_fork: bool) -> Value {
        pull_request(&self.commit_of("main"), &self.commit_of("work"), from_fork)
    }

    fn file(&self, name: &str, step: u32) -> PathBuf {
        self.repo.suite.home().join(format!("{name}-{step}"))
    }

    /// A step on `event`, not yet started, and its number.
    pub(super) fn command(
        &self,
        (event, payload): (&str, &Value),
        args: &[&str],
    ) -> (Command, u32) {
        let step = self.steps.fetch_add(1, Ordering::Relaxed);
        let file = self.file("event", step);
        fs::write(&file, payload.to_string()).unwrap();
        let mut command = self.repo.suite.command(args);
        command
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_EVENT_NAME", event)
            .env("GITHUB_EVENT_PATH", file)
            .env("GITHUB_REPOSITORY", REPOSITORY)
            .env("GITHUB_API_URL", &self.fake.url)
            .env("GITHUB_RUN_ID", "289782451")
            .env("GITHUB_OUTPUT", self.file("outputs", step))
            .env("GITHUB_STEP_SUMMARY", self.file("summary", step))
            .env("GITHUB_TOKEN", TOKEN);
        (command, step)
    }

    /// What `run` of a step came to.
    #[track_caller]
    pub(super) fn came_to(&self, step: u32, run: Run) -> Step {
        let said = format!("{}\n{}", run.stdout, run.stderr);
        assert!(!said.contains(TOKEN), "the token was shown");
        Step {
            shown: runner::annotations(&run.stdout),
            outputs: runner::outputs(&self.file("outputs", step)),
            summary: runner::summary(&self.file("summary", step)),
            run,
        }
    }

    /// A step, run to its end.
    #[track_caller]
    pub(super) fn step(&self, event: (&str, &Value), args: &[&str]) -> Step {
        let (command, step) = self.command(event, args);
        let run = self.repo.suite.finish(command);
        self.came_to(step, run)
    }

    /// `ci` on the pull request.
    #[track_caller]
    pub(super) fn ci(&self) -> Step {
        self.step(("pull_request", &self.pull_payload(false)), &["ci"])
    }

    /// Writes a report to publish, and returns where.
    pub(super) fn report(&self, report: &Value) -> String {
        let path = self.repo.suite.home().join("report.json");
        fs::write(&path, report.to_string()).unwrap();
        path.display().to_string()
    }
}

impl Step {
    #[track_caller]
    pub(super) fn assert_code(&self, code: i32) -> &Self {
        self.run.assert_code(code);
        self
    }

    /// Checks that the log says `words`.
    #[track_caller]
    pub(super) fn assert_says(&self, words: &str) -> &Self {
        assert!(self.run.stderr.contains(words), "{}", self.run.stderr);
        self
    }
}
