//! The sequence of a run: load, prepare, work out, render. Nothing is decided here.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use crate::checkout::{self, Checkout};
use crate::cli::{Cli, Command, Options};
use crate::commands;
use crate::elsewhere;
use crate::error::{Error, InputError};
use crate::exhibits;
use crate::experiments::gate::decision;
use crate::experiments::policy::emptied;
use crate::history;
use crate::isolation;
use crate::model::pins::Completion;
use crate::model::report::{Experiment, Outcome, Report};
use crate::model::row::Row;
use crate::named;
use crate::notes;
use crate::output;
use crate::plan::{self, Bench};
use crate::progress::Bar;
use crate::run::driver::{Finish, Task, Worker};
use crate::run::machine;
use crate::run::memory::Keeping;
use crate::run::session::{Claim, Session, Setup};
use crate::suite::completions;
use crate::suite::tree::DATA_LIMIT;

/// Runs what was typed.
///
/// # Errors
/// When there is no report: see [`Error`].
pub fn run(cli: &Cli) -> Result<Outcome, Error> {
    let options = &cli.options;
    match &cli.command {
        Command::Explain { class } => {
            commands::explain::run(class.as_deref(), options)?;
            Ok(Outcome::Pass)
        }
        Command::Schema { name } => {
            commands::schema::run(name, options)?;
            Ok(Outcome::Pass)
        }
        Command::Doctor => commands::doctor::run(options),
        Command::Init => commands::init::run(options, |cli| Ok(judge(cli)?.0)),
        Command::Diff { before, after } => {
            check_report_file(options)?;
            let report = commands::diff::run(before, after, options)?;
            output::publish(&report, cli)?;
            Ok(report.outcome())
        }
        Command::Ci(publishing) => commands::ci::run(cli, publishing, conclude),
        Command::Publish {
            finished,
            publishing,
        } => commands::publish::run(finished, publishing, options),
        Command::Check
        | Command::Replay
        | Command::Grade { .. }
        | Command::Accept { .. }
        | Command::Record { .. }
        | Command::Quarantine => Ok(conclude(cli)?.outcome()),
    }
}

/// Judges a checkout, and puts the report where it was asked for.
fn conclude(cli: &Cli) -> Result<Report, Error> {
    let (report, session) = judge(cli).map_err(|error| output::told(error, cli))?;
    output::publish(&report, cli)?;
    if let Some(session) = session {
        // Not before: a run that dies while it writes its report can still be continued.
        session.memory().complete();
        say(history::add(cli, &session, &report), &cli.options);
    }
    Ok(report)
}

/// The commands about the suite in a checkout. The session of those that start processes lasts
/// until the report is out.
fn judge(cli: &Cli) -> Result<(Report, Option<Session>), Error> {
    check_report_file(&cli.options)?;
    if let Some(path) = &cli.options.report {
        named::spare_suite(path, &checkout::root(&cli.options)?)?;
    }
    let (checkout, claim) = Checkout::load(cli)?;
    let (mut report, session) = if cli.command == Command::Quarantine {
        (checkout.blank(cli), None)
    } else {
        let (report, session) = work(cli, &checkout, claim)?;
        (report, Some(session))
    };
    if matches!(cli.command, Command::Check | Command::Quarantine) {
        report.experiments.extend(checkout.quarantine_lane());
    }
    if cli.command == Command::Check {
        report.experiments.extend(checkout.policy_lane());
        report.notes.extend(checkout.protected_note());
    }
    elsewhere::add(&mut report, &checkout.root);
    checkout.apply_policy(&mut report);
    emptied::hold(&mut report.experiments);
    let decision = decision::add(&mut report.experiments);
    report.notes.extend(decision.map(str::to_owned));
    notes::add(&mut report, &checkout.suite);
    if cli.command == Command::Check {
        checkout.tell_scope(&mut report);
    }
    if let Some(session) = &session {
        let bench = bench(&checkout, session, &cli.options);
        exhibits::keep(&bench, session, &report, cli.options.quiet);
    }
    Ok((report, session))
}

/// The commands that start processes.
fn work(cli: &Cli, checkout: &Checkout, claim: Claim) -> Result<(Report, Session), Error> {
    let options = &cli.options;
    let mut session = open(claim, checkout, options)?;
    isolation::check(options.sandbox, session.isolation())?;
    say(session.memory().beginning(), options);
    let mut report = checkout.blank(cli);
    describe_machine(&mut report, &session);
    let bench = bench(checkout, &session, options);
    let worker = Shown {
        session: &session,
        quiet: options.quiet,
    };
    report.experiments = match &cli.command {
        Command::Check => {
            let mut lanes = replay(&bench, &worker)?;
            lanes.extend(tree_lanes(&bench, &worker, true)?);
            lanes
        }
        Command::Replay => replay(&bench, &worker)?,
        Command::Grade {
            candidate: None, ..
        } => {
            let mut lanes = by_grader(all(&worker, bench.grades())?);
            lanes.extend(tree_lanes(&bench, &worker, false)?);
            lanes
        }
        Command::Grade {
            candidate: Some(path),
            ..
        } => grade_one(&bench, &worker, path)?,
        Command::Accept { reason } => {
            let reason = commands::accept::reason_given(reason)?;
            vec![commands::accept::run(
                &checkout.root,
                &bench,
                reason,
                &worker,
            )?]
        }
        Command::Record { from } => {
            let found = completions::find(from, &checkout.ids).map_err(Error::Input)?;
            report.notes.extend(found.warnings.iter().cloned());
            vec![commands::record::run(
                &checkout.root,
                &bench,
                &found,
                &worker,
            )?]
        }
        Command::Quarantine
        | Command::Diff { .. }
        | Command::Explain { .. }
        | Command::Schema { .. }
        | Command::Doctor
        | Command::Ci(_)
        | Command::Publish { .. }
        | Command::Init => Vec::new(),
    };
    report.notes.extend(session.memory().note());
    history::note_times(&mut session, &report);
    Ok((report, session))
}

/// Says something on standard error, where nobody may be reading.
fn say(line: Option<String>, options: &Options) {
    if let Some(line) = line.filter(|_| !options.quiet) {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

/// Refuses a report file that cannot be written before anything is spent.
fn check_report_file(options: &Options) -> Result<(), Error> {
    options
        .report
        .as_deref()
        .map_or(Ok(()), named::check_report)
}

fn open(claim: Claim, checkout: &Checkout, options: &Options) -> Result<Session, Error> {
    let compiler = checkout::compiler(&checkout.suite.config);
    let suites = std::iter::once(&checkout.suite).chain(&checkout.base);
    Session::open(
        claim,
        &Setup {
            compiler: &compiler,
            flag_sets: plan::flag_sets(suites),
            jobs: options.jobs.map_or_else(machine::cores, usize::from),
            sandboxed: isolation::wanted(options.sandbox),
            grants: checkout.grants(),
            root: checkout.kept(),
            keeping: Keeping {
                store: options.store && !options.no_store,
                resume: options.resume,
            },
        },
    )
}

fn bench<'a>(checkout: &'a Checkout, session: &'a Session, options: &Options) -> Bench<'a> {
    Bench {
        suite: &checkout.suite,
        base: checkout.base.as_ref(),
        headers_at_base: &checkout.change.headers_at_base,
        pairs: options.pairs,
        base_name: checkout.base_commit.as_deref(),
        compiler: session.compiler(),
        times: session.times(),
    }
}

/// What ran it all: compiler and isolation.
fn describe_machine(report: &mut Report, session: &Session) {
    report.sandbox = isolation::granted(session.isolation());
    match session.compiler() {
        Ok(toolchain) => {
            report.toolchain.version = Some(toolchain.version.clone());
            report.toolchain.hash = Some(toolchain.digest);
        }
        Err(why) => report.notes.push(why.clone()),
    }
}

/// A session at work, with its progress shown.
struct Shown<'a> {
    session: &'a Session,
    quiet: bool,
}

impl<D> Worker<D> for Shown<'_> {
    fn work(&self, tasks: Vec<Task<D>>, finish: &mut Finish<'_, D>) -> Result<(), Error> {
        let bar = Bar::new(tasks.len(), self.quiet);
        let done = self.session.drive(tasks, &bar, finish);
        bar.finish();
        done
    }
}

/// Every result of `tasks`.
fn all<D>(worker: &dyn Worker<D>, tasks: Vec<Task<D>>) -> Result<Vec<D>, Error> {
    let mut results = Vec::new();
    worker.work(tasks, &mut |done| {
        results.push(done);
        Ok(())
    })?;
    Ok(results)
}

/// The lanes that have goldens. A lane without any does not appear.
fn replay(bench: &Bench<'_>, worker: &dyn Worker<Row>) -> Result<Vec<Experiment>, Error> {
    let tasks = bench.replays();
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![Experiment::new("replay", all(worker, tasks)?)])
}

/// The lanes of the checked-out tree that have goldens.
fn tree_lanes(
    bench: &Bench<'_>,
    worker: &dyn Worker<Row>,
    seeds: bool,
) -> Result<Vec<Experiment>, Error> {
    let mut lanes = Vec::new();
    for lane in bench.tree_lanes(seeds) {
        let mut rows = all(worker, lane.tasks)?;
        rows.extend(lane.nothing);
        lanes.push(Experiment::new(lane.name, rows));
    }
    Ok(lanes)
}

fn grade_one(
    bench: &Bench<'_>,
    worker: &dyn Worker<Row>,
    path: &Path,
) -> Result<Vec<Experiment>, Error> {
    let bytes = named::read(path, DATA_LIMIT).map_err(|error| {
        InputError::new(path.display().to_string(), error.to_string()).field("--candidate")
    })?;
    let [case] = bench.suite.cases.as_slice() else {
        let problem = format!(
            "--candidate needs a --case that matches one case, not {}",
            bench.suite.cases.len()
        );
        return Err(Error::usage(problem));
    };
    let tasks = bench.grades_of(case, &Arc::new(Completion::new(bytes)));
    Ok(by_grader(all(worker, tasks)?))
}

/// One lane a grader, in the order of their ids.
fn by_grader(rows: Vec<Row>) -> Vec<Experiment> {
    let mut lanes = std::collections::BTreeMap::<String, Vec<Row>>::new();
    for row in rows {
        lanes
            .entry(row.grader.clone().unwrap_or_default())
            .or_default()
            .push(row);
    }
    lanes
        .into_iter()
        .map(|(grader, rows)| Experiment::new(&grader, rows))
        .collect()
}
