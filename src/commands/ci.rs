//! `ci`: what the action runs. Reads the event, checks once, and tells everybody who should know.

use std::io::Write as _;

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
use crate::model::report::{Outcome, Report, Sandbox, ToolchainNote};
use crate::model::scope::Scope;
use crate::report::check_run::Context;
use crate::report::job_summary::job_summary;
use crate::report::outputs::outputs;
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
    let deaf = surroundings.on_runner.then(Deaf::begin).transpose()?;
    let event = surroundings::event()?;
    let target = target(&event, surroundings.run_url.clone())?;
    let job = Job {
        surroundings,
        publishing,
        options: &cli.options,
        target,
    };
    let repository = Repository::around(&checkout::root(&cli.options)?).ok();
    let mut said = Vec::new();
    let judged = known(&event, repository.as_ref(), &cli.options).and_then(|(known, note)| {
        said.extend(note);
        let options = Options {
            event: known,
            ..cli.options.clone()
        };
        check(&Cli {
            options,
            command: Command::Check,
        })
    });
    let mut report = match &judged {
        Ok(report) => {
            let prefix = repository.as_ref().map(Repository::prefix);
            from_top(report, prefix.unwrap_or_default())
        }
        Err(Error::Interrupted(_)) => return judged.map(|report| report.outcome()),
        Err(error) => stand_in(error, &job.target),
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

/// What the event says of the checkout, with a sentence on it; what was typed comes first.
fn known(
    event: &Event,
    repository: Option<&Repository>,
    options: &Options,
) -> Result<(Known, Option<String>), Error> {
    let mut known = Known {
        branch: event.branch().map(str::to_owned),
        ..Known::default()
    };
    let mut said = None;
    match repository {
        _ if options.base.is_some() => {}
        Some(repository) => (known.base, said) = comparison::base(event, repository)?,
        None if *event == Event::Laptop => {}
        None => {
            let why = "the root lies in no git checkout, so the base is unknown";
            return Err(Error::Incomplete(format!(
                "{why}\n    Check out with git before."
            )));
        }
    }
    Ok((known, said))
}

/// Where the verdict on an event goes.
fn target(event: &Event, run_url: Option<String>) -> Result<Target, Error> {
    let refused = |problem: &str, hint: &str| {
        let error = InputError::new("", problem).field(event::NAME);
        Err(error.hint(hint).into())
    };
    let mut target = Target {
        run_url,
        judged_here: true,
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
fn from_top(report: &Report, prefix: &str) -> Report {
    let mut report = report.clone();
    head_lines::each_place(&mut report, |path, _| path.insert_str(0, prefix));
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

/// A report that says why there is none.
pub(super) fn stand_in(error: &Error, target: &Target) -> Report {
    Report {
        command: "check".to_owned(),
        base: None,
        head: target.head.clone(),
        toolchain: ToolchainNote::default(),
        sandbox: Sandbox {
            level: "off".to_owned(),
            why: "nothing was run".to_owned(),
        },
        experiments: Vec::new(),
        notes: vec![one_line(&error.to_string())],
    }
}

/// A job with a verdict to tell.
pub(super) struct Job<'a> {
    pub(super) surroundings: Surroundings,
    pub(super) publishing: &'a Publishing,
    pub(super) options: &'a Options,
    pub(super) target: Target,
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
        if let Some(path) = &self.options.report {
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
        let mut report = stand_in(&Error::usage(String::new()), &Target::default());
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
