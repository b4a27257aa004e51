//! `publish`: the second stage for pull requests from forks. The report was written where their
//! author could write anything, so it is text to show and nothing else: which commit and pull
//! request it is about is asked from GitHub, and a pass that the run itself denies is not believed.

use std::path::Path;

use crate::cli::{Options, Publishing};
use crate::error::{Error, InputError};
use crate::github::event::{self, Event, WorkflowRun};
use crate::github::publishing::{PullOf, Target};
use crate::github::runner::Deaf;
use crate::github::surroundings::{self, Surroundings};
use crate::model::report::{Outcome, Report};
use crate::model::tree_path::joined;
use crate::named;
use crate::report::json_v1;
use crate::report::stand_in::stand_in;
use crate::stdout;

use super::ci::{Job, from_top};

/// The most bytes of a report: it is somebody else's.
const MOST: u64 = 64 << 20;

/// Publishes the report in the file `path`, or that it holds none.
///
/// # Errors
/// When the event is none to publish on, or the file holds no report.
pub fn run(path: &Path, publishing: &Publishing, options: &Options) -> Result<Outcome, Error> {
    stdout::wants_json("publish", options)?;
    let surroundings = Surroundings::read();
    let deaf = surroundings.on_runner.then(Deaf::begin);
    let deaf = deaf.and_then(Result::ok);
    let event = surroundings::event()?;
    let mut target = target(&event, surroundings.run_url.clone())?;
    let root = from_top_of_repository(options)?;
    target.root.clone_from(&root);
    let mut said = Vec::new();
    if target.pull == PullOf::None {
        said.push("no comment: GitHub does not say which branch the run was on, as of a fork that was deleted".to_owned());
    }
    let read = read(path).map(|report| from_top(&believed(report, &event, &target), &root));
    // A report that is none is told too: no green comment of an earlier push outlives it.
    let report = match &read {
        Ok(report) => report.clone(),
        Err(error) => stand_in(error, "check", target.head.as_deref()),
    };
    let job = Job {
        surroundings,
        publishing,
        options,
        target,
        has_report: false,
    };
    job.finish(&report, said, deaf, || None)?;
    read.map(|report| report.outcome())
}

/// Where the suite of the report lies in the repository, with a last `/`; empty at the top.
fn from_top_of_repository(options: &Options) -> Result<String, Error> {
    let Some(root) = &options.root else {
        return Ok(String::new());
    };
    let inner = root.to_str().and_then(|root| joined("", root));
    let Some(inner) = inner else {
        let problem = "expected a folder from the top of the repository";
        let error = InputError::new(root.display().to_string(), problem).field("--root");
        return Err(error.into());
    };
    Ok(match inner.as_str() {
        "" => inner,
        _ => format!("{inner}/"),
    })
}

fn target(event: &Event, run_url: Option<String>) -> Result<Target, Error> {
    match event {
        Event::WorkflowRun(run) if run.event == "pull_request" => Ok(Target {
            head: Some(run.head.clone()),
            pull: pull_of(run),
            run_url: run.url.clone().or(run_url),
            ..Target::default()
        }),
        Event::PullRequestTarget(pull) => Ok(Target {
            head: Some(pull.head.clone()),
            pull: PullOf::Number(pull.number),
            run_url,
            ..Target::default()
        }),
        Event::WorkflowRun(_)
        | Event::Laptop
        | Event::PullRequest(_)
        | Event::MergeGroup(_)
        | Event::Push(_)
        | Event::Nightly => {
            let problem = "there is no pull request's run to publish the report of";
            let error = InputError::new("", problem).field(event::NAME);
            let hint = "Run `publish` on workflow_run, after a run on pull_request; `ci` publishes by itself.";
            Err(error.hint(hint).into())
        }
    }
}

fn pull_of(run: &WorkflowRun) -> PullOf {
    match (&run.head_owner, &run.head_branch) {
        (Some(owner), Some(branch)) => PullOf::Branch(owner.clone(), branch.clone()),
        _ => PullOf::None,
    }
}

fn read(path: &Path) -> Result<Report, Error> {
    let shown = path.display().to_string();
    let bytes = named::read(path, MOST).map_err(|error| {
        InputError::new(shown.as_str(), format!("cannot be read: {error}"))
            .hint("Expected a report, as `driftgate ci --report FILE` writes it.")
    })?;
    let report = json_v1::read(&bytes).map_err(|error| InputError {
        path: shown,
        ..error
    })?;
    Ok(report)
}

/// `report`, unless it says pass and GitHub says that its run did not end well.
fn believed(report: Report, event: &Event, target: &Target) -> Report {
    let Event::WorkflowRun(run) = event else {
        return report;
    };
    let ended = run.conclusion.as_deref().unwrap_or("without a conclusion");
    if report.outcome() != Outcome::Pass || ended == "success" {
        return report;
    }
    let why =
        format!("the report says pass, and the run that left it ended {ended}; it is not believed");
    stand_in(&Error::Incomplete(why), "check", target.head.as_deref())
}
