//! `ci`: what the action runs. Reads the event, checks once, and tells everybody who should know.

use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::checkout;
use crate::cli::{Cli, Command, Known, Options, Publishing};
use crate::error::{Error, InputError};
use crate::github::comparison;
use crate::github::event::{self, Event};
use crate::github::head_lines::{self, HeadLines};
use crate::github::publishing::{Published, PullOf, Target, publish};
use crate::github::runner::{self, Deaf};
use crate::github::surroundings::{self, Surroundings};
use crate::model::changed_lines::ChangedLines;
use crate::model::report::{Outcome, Report};
use crate::model::scope::Scope;
use crate::output;
use crate::report::check_run::Context;
use crate::report::job_summary::job_summary;
use crate::report::outputs::outputs;
use crate::report::stand_in::stand_in;
use crate::report::style::{no_command, one_line};
use crate::run::git::Repository;
use crate::run::interrupt;

/// Checks what the event is about with `check`, and publishes the report.
///
/// # Errors
/// When nothing is to be done for the event, or there is no report: that is published too.
pub fn run(
    cli: &Cli,
    publishing: &Publishing,
    check: impl FnOnce(&Cli) -> Result<Report, Error>,
) -> Result<Outcome, Error> {
    let surroundings = Surroundings::read();
    // A standard output that is full is told when there is something to print.
    let deaf = surroundings.on_runner.then(Deaf::begin);
    let deaf = deaf.and_then(Result::ok);
    let asked = surroundings::event().and_then(|event| {
        let target = target(&event, &surroundings, &cli.options)?;
        Ok((event, target))
    });
    let (event, target) = match asked {
        Ok((event, target)) => (Ok(event), target),
        Err(error) => (Err(error), Target::default()),
    };
    let mut job = Job {
        surroundings,
        publishing,
        options: &cli.options,
        target,
        has_report: cli.options.report.is_some(),
    };
    let mut said = Vec::new();
    let repository = checkout::root(&cli.options)
        .map(|root| Repository::around(&root).map_err(|why| (root, why)));
    let (judged, repository) = match (event, repository) {
        (Err(error), _) | (_, Err(error)) => (Err(output::told(error, cli)), None),
        (Ok(event), Ok(repository)) => {
            let known = known(&event, &repository, &cli.options);
            let judged = known.map_err(|error| output::told(error, cli));
            let judged = judged.and_then(|(known, note)| {
                said.extend(note);
                check(&as_check(cli, known))
            });
            (judged, repository.ok())
        }
    };
    let mut report = match &judged {
        Ok(report) => {
            let prefix = repository.as_ref().map(Repository::prefix);
            let prefix = prefix.unwrap_or_default();
            prefix.clone_into(&mut job.target.root);
            from_top(report, prefix)
        }
        Err(Error::Interrupted(_)) => return judged.map(|report| report.outcome()),
        Err(error) => {
            job.has_report &= matches!(error, Error::Incomplete(_));
            stand_in(error, "check", job.target.head.as_deref())
        }
    };
    let (lines, note) = head_lines(&report, repository.as_ref(), &job.target);
    said.extend(note);
    lines.apply(&mut report);
    job.finish(&report, said, deaf, || {
        let base = report.base.as_deref()?;
        let diff = repository.as_ref()?.diff_since(base).ok()?;
        // It leads to the merge, where lines stand elsewhere than in the pull request.
        Some(lines.known(ChangedLines::parse(&diff).without_text()))
    })?;
    judged.map(|report| report.outcome())
}

/// What was typed, as a `check` that knows of the event.
fn as_check(cli: &Cli, known: Known) -> Cli {
    let options = Options {
        event: known,
        ..cli.options.clone()
    };
    Cli {
        options,
        command: Command::Check,
    }
}

/// What the event says of the checkout, with a sentence on it; what was typed comes first.
fn known(
    event: &Event,
    repository: &Result<Repository, (PathBuf, io::Error)>,
    options: &Options,
) -> Result<(Known, Option<String>), Error> {
    let mut known = Known {
        branch: event.branch().map(str::to_owned),
        ..Known::default()
    };
    let mut said = None;
    match repository {
        _ if options.base.is_some() => {}
        Ok(repository) => (known.base, said) = comparison::base(event, repository)?,
        Err(_) if *event == Event::Laptop => {}
        Err((root, why)) => {
            // Where git refuses, it says what to do.
            let why = match checkout::unasked(root, why)? {
                Some(_) => "there is no git, so the base is unknown\n    Install git before.",
                None => {
                    "the root lies in no git checkout, so the base is unknown\n    Check out with git before."
                }
            };
            return Err(Error::Incomplete(why.to_owned()));
        }
    }
    Ok((known, said))
}

/// Where the verdict on an event goes.
fn target(event: &Event, surroundings: &Surroundings, options: &Options) -> Result<Target, Error> {
    let refused = |problem: &str, hint: &str| {
        let error = InputError::new("", problem).field(event::NAME);
        Err(error.hint(hint).into())
    };
    let mut target = Target {
        run_url: surroundings.run_url.clone(),
        // Of what was not looked at nobody knows whether it still serves.
        suggests: options.case.is_empty(),
        ..Target::default()
    };
    match event {
        Event::Laptop => {}
        Event::PullRequest(pull) => {
            target.head = Some(pull.head.clone());
            target.pull = PullOf::Number(pull.number);
            target.from_fork = pull.from_fork;
        }
        Event::MergeGroup(group) => target.head = Some(group.head.clone()),
        // On another branch the commit may be a pull request's, and has its own check run there.
        Event::Push(push) if push.on_default => target.head.clone_from(&push.after),
        Event::Push(_) => {}
        Event::Nightly => {
            let why = "there is nothing nightly yet, so nothing was judged";
            return Err(Error::Incomplete(why.to_owned()));
        }
        Event::PullRequestTarget(_) => {
            return refused(
                "`ci` compiles and runs what a pull request brings, and on pull_request_target that would be beside a token and secrets its author must not reach",
                "Run it on pull_request, and `driftgate publish` on workflow_run.",
            );
        }
        Event::WorkflowRun(_) => {
            return refused(
                "on workflow_run there is nothing to check",
                "Publish the report of the run that ended: `driftgate publish REPORT`.",
            );
        }
    }
    Ok(target)
}

/// `report` with its places from the top of the repository, as GitHub names files: the suite's
/// root lies at `prefix`.
pub(super) fn from_top(report: &Report, prefix: &str) -> Report {
    let mut report = report.clone();
    head_lines::each_place(&mut report, |path, _| path.insert_str(0, prefix));
    for row in report
        .experiments
        .iter_mut()
        .flat_map(|lane| &mut lane.rows)
    {
        if row.repro.starts_with("driftgate ") && !prefix.is_empty() {
            row.repro.push_str(" --root ");
            row.repro.push_str(prefix.trim_end_matches('/'));
        }
    }
    for lane in &mut report.experiments {
        if let Some(mut scope) = Scope::of(lane) {
            let reasons = scope.reasons.iter_mut();
            reasons.for_each(|reason| reason.path.insert_str(0, prefix));
            scope.keep(lane);
        }
    }
    report
}

/// Where the places of `report` stand in the commit that is published to, with a sentence if that
/// is not to be known.
fn head_lines(
    report: &Report,
    repository: Option<&Repository>,
    target: &Target,
) -> (HeadLines, Option<String>) {
    let Some((repository, head)) = repository.zip(target.head.as_deref()) else {
        return (HeadLines::default(), None);
    };
    match HeadLines::find(report, repository, head) {
        Ok(lines) => (lines, None),
        Err(error) => {
            let said = format!(
                "lines are those of the merge that was checked out: {head} is not to be had ({error})"
            );
            (HeadLines::default(), Some(said))
        }
    }
}

/// A job with a verdict to tell.
pub(super) struct Job<'a> {
    pub(super) surroundings: Surroundings,
    pub(super) publishing: &'a Publishing,
    pub(super) options: &'a Options,
    pub(super) target: Target,
    /// Whether the report file is this run's.
    pub(super) has_report: bool,
}

impl Job<'_> {
    /// Tells the verdict to all who listen: later steps, GitHub, the summary, the log.
    ///
    /// # Errors
    /// When standard output cannot be written, or we were asked to stop.
    pub(super) fn finish(
        &self,
        report: &Report,
        mut said: Vec<String>,
        deaf: Option<Deaf>,
        local: impl FnOnce() -> Option<ChangedLines>,
    ) -> Result<(), Error> {
        // First, since nothing here can take long.
        said.extend(self.outputs(report).err());
        let Published {
            changed,
            said: further,
            commands,
        } = publish(
            &self.surroundings,
            self.publishing,
            &self.target,
            report,
            local,
        );
        said.extend(further);
        let context = Context {
            name: &self.publishing.name,
            root: &self.target.root,
            run_url: self.target.run_url.as_deref(),
            changed: &changed,
            said: &said,
        };
        let summarized = self.summary(&job_summary(report, &context));
        said.extend(summarized.err());
        self.log(&said);
        deaf.map_or(Ok(()), |deaf| deaf.end(&commands))?;
        interrupt::received().map_or(Ok(()), |signal| Err(Error::InterruptedPublishing(signal)))
    }

    fn outputs(&self, report: &Report) -> Result<(), String> {
        let Some(file) = &self.surroundings.output else {
            return Ok(());
        };
        let mut outputs = outputs(report);
        if let Some(path) = self.options.report.as_ref().filter(|_| self.has_report) {
            outputs.push(("report".to_owned(), path.display().to_string()));
        }
        let added = runner::add_outputs(file, &outputs);
        added.map_err(|error| format!("the outputs cannot be written: {error}"))
    }

    fn summary(&self, markdown: &str) -> Result<(), String> {
        let Some(file) = &self.surroundings.summary else {
            return Ok(());
        };
        let added = runner::add_summary(file, markdown);
        added.map_err(|error| format!("the summary cannot be written: {error}"))
    }

    fn log(&self, said: &[String]) {
        for sentence in said.iter().filter(|_| !self.options.quiet) {
            // Where nobody reads it, the summary says it too.
            let _ = writeln!(std::io::stderr(), "{}", no_command(&one_line(sentence)));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::experiments::replay::CLASSES;
    use crate::model::report::Experiment;
    use crate::model::row::{At, Row};

    #[test]
    fn files_are_named_from_the_top_of_the_repository() {
        let mut row = Row::new("a", &CLASSES[0], "");
        row.at = Some(At {
            path: "goldens/cases/a.json".to_owned(),
            line: 1,
        });
        let mut lane = Experiment::new("replay", vec![row]);
        let reasons = json!([{"path": "driftgate.yml", "as": "configuration", "reaches": "all"}]);
        let scope = json!({"of": 1, "affected": 1, "reasons": reasons, "executed": 0, "stored": 1});
        lane.extra.insert("scope".to_owned(), scope);
        let mut report = stand_in(&Error::usage(String::new()), "check", None);
        report.experiments.push(lane);
        let shown = from_top(&report, "evals/");
        let lane = &shown.experiments[0];
        assert_eq!(
            lane.rows[0].at.as_ref().unwrap().path,
            "evals/goldens/cases/a.json"
        );
        assert_eq!(
            Scope::of(lane).unwrap().reasons[0].path,
            "evals/driftgate.yml"
        );
    }
}
