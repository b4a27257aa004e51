//! The sequence of a run: load, prepare, work out, render. Nothing is decided here.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::json;

use crate::cli::{Cli, Colour, Command, Format, Options, SandboxWish};
use crate::error::{Error, InputError};
use crate::experiments::policy::{self, FailOn};
use crate::experiments::record::{RECORDED, UNCHANGED};
use crate::model::cassette::{Cassette, CassetteHashes};
use crate::model::pins::{Completion, Pins};
use crate::model::report::{Experiment, Outcome, Report, Sandbox, ToolchainNote};
use crate::model::row::Row;
use crate::model::toolchain::Toolchain;
use crate::model::trial::Grading;
use crate::plan::{self, Bench};
use crate::progress::Bar;
use crate::report::style::{PLAIN_WIDTH, Style};
use crate::report::{grade_json, json_v1, records, text};
use crate::run::driver::Task;
use crate::run::session::{Session, Setup};
use crate::run::{clock, environment, whole_file};
use crate::suite::completions::{self, Found};
use crate::suite::{Recording, Suite, WorkingTree, recorder};

/// Runs what was typed.
///
/// # Errors
/// When there is no report: see [`Error`].
pub fn run(cli: &Cli) -> Result<Outcome, Error> {
    let options = &cli.options;
    check_wishes(options)?;
    let root = root(options)?;
    let mut suite = Suite::load(&WorkingTree::open(&root)?).map_err(Error::Input)?;
    plan::select(&mut suite.cases, &options.case).map_err(Error::Input)?;
    let fail_on = fail_on(&suite, options)?;
    let mut session = open(&root, &suite, options)?;
    let mut report = blank(cli, &session);
    report.experiments = match &cli.command {
        Command::Check | Command::Replay => replay(&suite, &session, options)?,
        Command::Grade {
            candidate: None, ..
        } => grade(&suite, &session, options)?,
        Command::Grade {
            candidate: Some(path),
            ..
        } => grade_one(&suite, &session, options, path)?,
        Command::Record { from } => {
            let found = completions_in(from, &suite)?;
            report.notes.extend(found.warnings.iter().cloned());
            record(&root, &suite, &session, options, &found)?
        }
    };
    for experiment in &mut report.experiments {
        policy::raise(experiment, &fail_on);
    }
    notes(&mut report, &suite);
    remember_times(&mut session, &report);
    publish(&report, cli)?;
    Ok(report.outcome())
}

/// Refuses wishes that cannot be met before anything is spent.
fn check_wishes(options: &Options) -> Result<(), Error> {
    if options.sandbox == SandboxWish::Required {
        let why = "--sandbox required: file system and network isolation do not exist in this version; candidates get a closed environment and limits (--sandbox best)";
        return Err(Error::Incomplete(why.to_owned()));
    }
    if let Some(path) = &options.report {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let there = folder.is_none_or(Path::is_dir);
        if !there || path.is_dir() {
            let problem = if there {
                "is a folder"
            } else {
                "its folder does not exist"
            };
            let error = InputError::new(path.display().to_string(), problem).field("--report");
            return Err(error.hint("Name a file in a folder that exists.").into());
        }
    }
    Ok(())
}

fn root(options: &Options) -> Result<PathBuf, Error> {
    let Some(root) = &options.root else {
        let here = environment::current_dir().context("there is no current folder")?;
        return Ok(crate::suite::find_root(&here));
    };
    if !root.is_dir() {
        let error = InputError::new(root.display().to_string(), "is no folder").field("--root");
        return Err(error.into());
    }
    Ok(root.clone())
}

/// The classes that fail the build: of the configuration and of what was typed.
fn fail_on(suite: &Suite, options: &Options) -> Result<Vec<FailOn>, Error> {
    let typed = options.fail_on.iter().map(|text| FailOn::parse(text));
    let configured = suite.config.fail_on.iter().map(|entry| {
        FailOn::parse(&entry.text).map_err(|error| InputError {
            path: "driftgate.yml".to_owned(),
            ..error.at(entry.line.map(|line| (line, 1)))
        })
    });
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    for entry in typed.chain(configured) {
        match entry {
            Ok(entry) => entries.push(entry),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        Ok(entries)
    } else {
        Err(Error::Input(errors))
    }
}

fn open(root: &Path, suite: &Suite, options: &Options) -> Result<Session, Error> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let compiler = environment::var("CXX").filter(|name| !name.trim().is_empty());
    Session::open(&Setup {
        root,
        compiler: compiler
            .as_deref()
            .or(suite.config.compiler.as_deref())
            .unwrap_or("c++"),
        flag_sets: plan::flag_sets(suite),
        jobs: options.jobs.map_or(cores, usize::from),
        keep_store: options.store && !options.no_store,
    })
}

fn blank(cli: &Cli, session: &Session) -> Report {
    let (level, why) = match cli.options.sandbox {
        SandboxWish::Off => (
            "off",
            "asked for; the environment is closed and limits hold all the same",
        ),
        SandboxWish::Best | SandboxWish::Required => (
            "partial",
            "closed environment, limits, cleanup; files and network are not isolated yet",
        ),
    };
    let toolchain = session.compiler().as_ref().ok();
    Report {
        command: cli.command.name().to_owned(),
        base: None,
        head: None,
        toolchain: ToolchainNote {
            version: toolchain.map(|toolchain| toolchain.version.clone()),
            hash: toolchain.map(|toolchain| toolchain.digest),
        },
        sandbox: Sandbox {
            level: level.to_owned(),
            why: why.to_owned(),
        },
        experiments: Vec::new(),
        notes: session
            .compiler()
            .as_ref()
            .err()
            .cloned()
            .into_iter()
            .collect(),
    }
}

fn drive<D>(session: &Session, options: &Options, tasks: Vec<Task<D>>) -> Result<Vec<D>, Error> {
    let bar = Bar::new(tasks.len(), options.quiet);
    let done = session.drive(tasks, &bar);
    bar.finish();
    done
}

fn bench<'a>(suite: &'a Suite, session: &'a Session) -> Bench<'a> {
    Bench {
        suite,
        compiler: session.compiler(),
        times: session.times(),
    }
}

/// The lanes that have goldens. A lane without any does not appear.
fn replay(suite: &Suite, session: &Session, options: &Options) -> Result<Vec<Experiment>, Error> {
    let tasks = bench(suite, session).replays();
    if tasks.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![Experiment::new(
        "replay",
        drive(session, options, tasks)?,
    )])
}

fn grade(suite: &Suite, session: &Session, options: &Options) -> Result<Vec<Experiment>, Error> {
    let tasks = bench(suite, session).grades();
    Ok(by_grader(drive(session, options, tasks)?))
}

fn grade_one(
    suite: &Suite,
    session: &Session,
    options: &Options,
    path: &Path,
) -> Result<Vec<Experiment>, Error> {
    let bytes = std::fs::read(path).map_err(|error| {
        InputError::new(path.display().to_string(), error.to_string()).field("--candidate")
    })?;
    let [case] = suite.cases.as_slice() else {
        let problem = format!(
            "--candidate needs a --case that matches one case, not {}",
            suite.cases.len()
        );
        return Err(Error::usage(problem));
    };
    let tasks = bench(suite, session).grades_of(case, &Arc::new(Completion::new(bytes)));
    Ok(by_grader(drive(session, options, tasks)?))
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

fn completions_in(folder: &Path, suite: &Suite) -> Result<Found, Error> {
    let ids = suite.cases.iter().map(|case| case.id.clone()).collect();
    completions::find(folder, &ids).map_err(Error::Input)
}

fn record(
    root: &Path,
    suite: &Suite,
    session: &Session,
    options: &Options,
    found: &Found,
) -> Result<Vec<Experiment>, Error> {
    let toolchain = session
        .compiler()
        .as_ref()
        .map_err(|why| Error::Incomplete(format!("{why}; nothing was recorded")))?;
    let mut rows = Vec::new();
    let mut tasks = Vec::new();
    for case in &suite.cases {
        let Some(bytes) = found.completions.get(&case.id) else {
            continue;
        };
        let completion = Arc::new(Completion::new(bytes.clone()));
        let old = suite.recordings.get(&case.id);
        match old.filter(|old| old.completion.digest == completion.digest) {
            Some(old) => rows.push(left_alone(root, &case.id, old)?),
            None => tasks.push(bench(suite, session).recording(case, &completion)),
        }
    }
    for gradings in drive(session, options, tasks)? {
        rows.extend(store_cassette(root, suite, toolchain, &gradings)?);
    }
    Ok(vec![Experiment::new("record", rows)])
}

/// A cassette that already holds these bytes; only its `stale` mark goes.
fn left_alone(root: &Path, id: &str, old: &Recording) -> Result<Row, Error> {
    let mut why = "the cassette already holds these bytes".to_owned();
    if !old.cassette.stale.is_empty() {
        let cassette = Cassette {
            stale: Vec::new(),
            ..(*old.cassette).clone()
        };
        recorder::write(root, &cassette, &old.completion.bytes)?;
        why.push_str("; it is no longer stale");
    }
    Ok(Row::new(
        id,
        UNCHANGED,
        format!("{why}; to take new verdicts for them, accept"),
    ))
}

/// Writes the cassette of one case from its gradings.
fn store_cassette(
    root: &Path,
    suite: &Suite,
    toolchain: &Toolchain,
    gradings: &[(Pins, Arc<Grading>)],
) -> Result<Vec<Row>, Error> {
    let Some((pins, first)) = gradings.first() else {
        return Ok(Vec::new());
    };
    let case = &pins.case;
    let hashes = pins.hashes(first.judgement.system);
    let by_grader =
        |(pins, _): &(Pins, Arc<Grading>)| (pins.grader.id.clone(), pins.grader.digest());
    let verdict = |(pins, grading): &(Pins, Arc<Grading>)| {
        (
            pins.grader.id.clone(),
            grading.judgement.verdict.outcome.clone(),
        )
    };
    let old = suite.recordings.get(&case.id);
    let cassette = Cassette {
        case: case.id.clone(),
        output: format!("cassettes/{}.out", case.id),
        recorded_at: clock::timestamp(),
        hashes: CassetteHashes {
            prompt: hashes.prompt,
            fixture: hashes.fixture,
            contract: hashes.contract,
            grader: gradings.iter().map(by_grader).collect(),
            output: hashes.output,
            toolchain: toolchain.identity(&case.flags),
            system: hashes.system,
        },
        toolchain: toolchain.version.clone(),
        verdicts: gradings.iter().map(verdict).collect(),
        run: None,
        accepted: old
            .map(|old| old.cassette.accepted.clone())
            .unwrap_or_default(),
        stale: Vec::new(),
    };
    recorder::write(root, &cassette, &pins.completion.bytes)?;
    Ok(gradings
        .iter()
        .map(|(pins, grading)| recorded(pins, grading))
        .collect())
}

fn recorded(pins: &Pins, grading: &Grading) -> Row {
    let verdict = &grading.judgement.verdict;
    let why = format!("{}: {}", verdict.outcome, verdict.detail);
    let mut row = Row::new(&pins.case.id, RECORDED, why);
    row.grader = Some(pins.grader.id.clone());
    row.after = Some(verdict.outcome.status);
    row.executed = grading.executed;
    row.seconds = grading.seconds;
    row.hashes = Some(pins.hashes(grading.judgement.system));
    row.evidence.clone_from(&verdict.evidence);
    row.evidence
        .insert("verdict".to_owned(), json!(verdict.outcome));
    row
}

/// What was noticed and belongs to no row.
fn notes(report: &mut Report, suite: &Suite) {
    let machine_moved = report.rows().filter(|row| row.class == "STABLE");
    let machine_moved = machine_moved.filter(|row| {
        use crate::model::pins::Input::{System, Toolchain};
        row.moved.contains(&Toolchain) || row.moved.contains(&System)
    });
    let count = machine_moved.count();
    if count > 0 {
        let note = format!(
            "the toolchain or its files moved since the recording; {count} verdicts are proven unchanged"
        );
        report.notes.push(note);
    }
    if report.rows().next().is_none() {
        report.notes.push(if suite.cases.is_empty() {
            "there are no cases: put some under goldens/cases/".to_owned()
        } else {
            "no completion is recorded as a pass: `driftgate record --from DIR` records some"
                .to_owned()
        });
    }
}

fn remember_times(session: &mut Session, report: &Report) {
    let times = session.times_mut();
    for experiment in &report.experiments {
        for row in experiment.rows.iter().filter(|row| row.executed) {
            let grader = row.grader.as_deref().unwrap_or("");
            let lane = if experiment.name == grader {
                "grade"
            } else {
                &experiment.name
            };
            times.set(plan::label(lane, &row.id, grader), row.seconds);
        }
    }
    times.store();
}

/// Writes the report file and standard output.
fn publish(report: &Report, cli: &Cli) -> Result<(), Error> {
    if let Some(path) = &cli.options.report {
        let mut bytes = Vec::new();
        json_v1::write(report, &mut bytes).context("cannot render the report")?;
        whole_file::write(path, &bytes).map_err(|error| {
            InputError::new(path.display().to_string(), error.to_string()).field("--report")
        })?;
    }
    let mut out = std::io::stdout().lock();
    let graders_only = matches!(cli.command, Command::Grade { json: true, .. });
    let written = match cli.options.format {
        _ if graders_only => grade_json::write(report, &mut out),
        Format::Text => text::write(report, style(&cli.options), &mut out),
        Format::Json => json_v1::write(report, &mut out),
        Format::Records => records::write(report, &mut out),
    };
    match written.and_then(|()| out.flush()) {
        // Whoever read has read enough; the outcome stands.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other.context("cannot write to standard output")?),
    }
}

fn style(options: &Options) -> Style {
    let wanted = || environment::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    Style {
        colour: match options.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => std::io::stdout().is_terminal() && wanted(),
        },
        width: terminal_width().unwrap_or(PLAIN_WIDTH),
    }
}

/// The width of the terminal that standard output is; `None` if it is none. Below the least
/// width, breaking lines helps nobody.
fn terminal_width() -> Option<usize> {
    const LEAST: usize = 60;
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col).max(LEAST))
}
