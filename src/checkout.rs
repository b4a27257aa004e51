//! What is judged: the suite in the working tree, the suite at the base, and the policy of both.

mod change;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use chrono::NaiveDate;

use crate::cli::{Cli, Command, KnownBase, Options};
use crate::error::{Error, InputError};
use crate::experiments::policy::{self, FailOn, Graders};
use crate::experiments::quarantine as tolerated;
use crate::model::report::{Experiment, Report, Sandbox, ToolchainNote};
use crate::model::scope::Scope;
use crate::plan;
use crate::run::git::Repository;
use crate::run::sandbox::Grants;
use crate::run::session::Claim;
use crate::run::{base, clock, environment, workspace};
use crate::suite::{Config, Suite, WorkingTree, config, find_root, quarantine, recorder};

pub use change::Change;

/// A checkout with all that is known of it before anything runs.
pub struct Checkout {
    /// The root of the suite.
    pub root: PathBuf,
    /// The suite in the working tree.
    pub suite: Suite,
    /// The ids of all cases, also of those that were not selected.
    pub ids: BTreeSet<String>,
    /// The suite at the base, if there is a base.
    pub base: Option<Suite>,
    /// What is between the base and the working tree.
    pub change: Change,
    /// The base's commit.
    pub base_commit: Option<String>,
    /// The judged commit.
    head: Option<String>,
    /// Whether a quarantine lowers nothing here.
    default_branch: bool,
    /// What fails the build, of base, head and what was typed.
    fail_on: Vec<FailOn>,
    today: NaiveDate,
    note: Option<String>,
}

/// Whether `command` looks at what a change touched: it judges the tree, or names what is protected.
fn wants_change(command: &Command, suite: &Suite) -> bool {
    *command == Command::Check || (command.judges_tree() && suite.publishes())
}

/// Refuses a folder of ours that somebody committed, where a run would believe what lies there.
fn refuse_committed_observations(repository: Option<&Repository>) -> Result<(), Error> {
    let Some(repository) = repository else {
        return Ok(());
    };
    let committed = repository
        .tracked(workspace::NAME)
        .map_err(|error| Error::Incomplete(format!("git lists no files: {error}")))?;
    if committed.is_empty() {
        return Ok(());
    }
    let problem = format!(
        "holds {} committed files, and what processes did on another machine is believed here",
        committed.len()
    );
    let error = InputError::new(workspace::NAME, problem);
    Err(error
        .hint("Run `git rm -r --cached .driftgate` and name the folder in .gitignore; or leave out --store and --resume.")
        .into())
}

/// The most protected files that are named.
const SHOWN_FILES: usize = 20;

impl Checkout {
    /// Loads what was typed, and takes the checkout.
    ///
    /// # Errors
    /// When something that people committed or typed is wrong, the base cannot be read, or
    /// another run has the checkout.
    pub fn load(cli: &Cli) -> Result<(Self, Claim), Error> {
        let options = &cli.options;
        let root = root(options)?;
        let mut suite =
            Suite::load_with_orphans(&WorkingTree::open(&root)?).map_err(Error::Input)?;
        let repository = Repository::around(&root);
        let base_commit = base_commit(repository.as_ref(), options)?;
        let unasked = match &repository {
            Ok(_) => None,
            Err(why) => unasked(&root, why)?,
        };
        let repository = repository.ok();
        if options.believes_earlier_runs() {
            refuse_committed_observations(repository.as_ref())?;
        }
        let head = repository.as_ref().and_then(Repository::head);
        let claim = Claim::take(&root, cli.command.name())?;
        recorder::sweep(&root);
        let known = repository.as_ref().zip(base_commit.as_deref());
        let mut base = match known {
            Some((repository, commit)) => base::load((repository, &root), commit, claim.scratch())?,
            None => base::Loaded::default(),
        };
        base::refuse_orphans(&suite, base.suite.as_ref())?;
        let limits = match &base.suite {
            Some(base) => policy::tighter(&base.config.quarantine, &suite.config.quarantine),
            None => suite.config.quarantine.clone(),
        };
        quarantine::check(&suite.quarantine, &limits).map_err(Error::Input)?;
        let fail_on = fail_on(
            (&suite.config, &suite.graders),
            base.suite.as_ref(),
            options,
        )?;
        let ids: BTreeSet<String> = suite.cases.iter().map(|case| case.id.clone()).collect();
        let suites = std::iter::once(&mut suite).chain(base.suite.as_mut());
        plan::select(&mut suites.collect::<Vec<_>>(), &options.case).map_err(Error::Input)?;
        let change = match known.filter(|_| wants_change(&cli.command, &suite)) {
            Some((repository, commit)) => {
                let at = (commit, &base);
                Change::since((repository, &root), at, &mut suite, claim.scratch())?
            }
            None => Change::default(),
        };
        let known = options.event.branch.clone();
        let branch = known.or_else(|| repository.as_ref().and_then(Repository::branch));
        let checkout = Self {
            root,
            suite,
            ids,
            base: base.suite,
            change,
            base_commit,
            head,
            default_branch: branch.is_none_or(|branch| branch == limits.default_branch),
            fail_on,
            today: clock::today(),
            note: base.note.or(unasked),
        };
        Ok((checkout, claim))
    }

    /// What the team's own tools are granted: by the base too, if there is one.
    #[must_use]
    pub fn grants(&self) -> Grants {
        let sandbox = match &self.base {
            Some(base) => policy::tighter_sandbox(&base.config.sandbox, &self.suite.config.sandbox),
            None => self.suite.config.sandbox.clone(),
        };
        let value = |name: &String| Some((name.clone(), environment::var(name)?));
        Grants {
            read: sandbox
                .read
                .iter()
                .map(|path| self.root.join(path))
                .collect(),
            env: sandbox.env.iter().filter_map(value).collect(),
            loopback: sandbox.net == config::Net::Loopback,
        }
    }

    /// The folder that holds all of it, with the repository around it: what no step may read.
    #[must_use]
    pub fn kept(&self) -> &Path {
        let around = self.root.ancestors();
        around
            .filter(|folder| folder.join(".git").exists())
            .last()
            .unwrap_or(&self.root)
    }

    /// A report of this checkout with no lanes.
    #[must_use]
    pub fn blank(&self, cli: &Cli) -> Report {
        Report {
            command: cli.command.name().to_owned(),
            base: self.base_commit.clone(),
            head: self.head.clone(),
            toolchain: ToolchainNote::default(),
            sandbox: Sandbox {
                level: "off".to_owned(),
                why: "nothing was run".to_owned(),
            },
            experiments: Vec::new(),
            notes: self.note.iter().cloned().collect(),
        }
    }

    /// The quarantine, if there is one.
    #[must_use]
    pub fn quarantine_lane(&self) -> Option<Experiment> {
        let cases = self.ids.iter().map(String::as_str).collect();
        let rows = tolerated::rows(&self.suite.quarantine, &cases, self.today);
        (!rows.is_empty()).then(|| Experiment::new(tolerated::KIND.name, rows))
    }

    /// A sentence on the protected files that the change touches, if it touches any: who may
    /// approve them is the repository's own rule, and no row's.
    #[must_use]
    pub fn protected_note(&self) -> Option<String> {
        let at_base = self.base.as_ref().map(|base| &base.config);
        let touched = policy::protected(at_base, &self.suite.config, &self.change.files);
        let above = self.change.workflows.iter().map(String::as_str);
        let touched: Vec<&str> = touched.into_iter().chain(above).collect();
        let (shown, more) = touched.split_at(touched.len().min(SHOWN_FILES));
        let more = match more.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        (!shown.is_empty())
            .then(|| format!("protected files are touched: {}{more}", shown.join(", ")))
    }

    /// What head loosens, if anything.
    #[must_use]
    pub fn policy_lane(&self) -> Option<Experiment> {
        let rows = policy::weakened(self.base.as_ref()?, &self.suite);
        (!rows.is_empty()).then(|| Experiment::new(policy::KIND.name, rows))
    }

    /// Says in each lane of the finished `report` what of it the change can reach, where a base is
    /// known.
    pub fn tell_scope(&self, report: &mut Report) {
        let Some(base) = &self.base else {
            return;
        };
        let lanes = plan::scope::lanes(base, &self.suite, &self.change.touched);
        for lane in &mut report.experiments {
            if let Some(reached) = lanes.get(lane.name.as_str()) {
                Scope::new(lane, reached).keep(lane);
            }
        }
    }

    /// Raises and lowers the levels of rows as the policy of base and head says.
    pub fn apply_policy(&self, report: &mut Report) {
        for experiment in &mut report.experiments {
            if experiment.name != tolerated::KIND.name {
                let entries = &self.suite.quarantine;
                tolerated::lower(
                    &mut experiment.rows,
                    entries,
                    self.today,
                    self.default_branch,
                );
            }
            policy::raise(experiment, &self.fail_on);
        }
    }
}

/// The root of the suite: what was typed, else the nearest folder with a configuration.
///
/// # Errors
/// When what was typed is no folder.
pub fn root(options: &Options) -> Result<PathBuf, Error> {
    let Some(root) = &options.root else {
        let here = environment::current_dir().context("there is no current folder")?;
        return Ok(find_root(&here));
    };
    if !root.is_dir() {
        let error = InputError::new(root.display().to_string(), "is no folder").field("--root");
        return Err(error.into());
    }
    Ok(root.clone())
}

/// The compiler: what the environment names, else the configuration, else the usual name.
#[must_use]
pub fn compiler(config: &Config) -> String {
    let named = environment::var("CXX").filter(|name| !name.trim().is_empty());
    named
        .or_else(|| config.compiler.clone())
        .unwrap_or_else(|| "c++".to_owned())
}

/// The revision to compare with: what was asked for, else that of the upstream branch.
fn base_commit(
    repository: Result<&Repository, &std::io::Error>,
    options: &Options,
) -> Result<Option<String>, Error> {
    match (&options.base, repository) {
        (Some(revision), Ok(repository)) => repository.base(revision).map(Some),
        (Some(_), Err(why)) => {
            let problem = format!("the root lies in no git checkout, so there is no base ({why})");
            let error = InputError::new("", problem);
            Err(error
                .field("--base")
                .hint("Leave it out, or name the root with --root.")
                .into())
        }
        (None, repository) => Ok(match &options.event.base {
            KnownBase::Upstream => repository.ok().and_then(Repository::upstream_base),
            KnownBase::Commit(commit) => Some(commit.clone()),
            KnownBase::Nothing => None,
        }),
    }
}

/// What to make of a git that gives no repository: nothing where there is none, a note where
/// there is one and no git to ask.
///
/// # Errors
/// When git refuses a repository that is there: then nobody knows whether there is a base, and
/// comparing with the cassettes alone would let a branch rewrite what it is compared with.
pub fn unasked(root: &Path, why: &std::io::Error) -> Result<Option<String>, Error> {
    let there = root
        .canonicalize()
        .is_ok_and(|root| root.ancestors().any(|folder| folder.join(".git").exists()));
    if !there {
        return Ok(None);
    }
    if why.kind() == std::io::ErrorKind::NotFound {
        let note = "there is no git to ask for a base, so the cassettes alone are compared with";
        return Ok(Some(note.to_owned()));
    }
    Err(Error::Incomplete(format!(
        "git refuses this checkout, so its base is unknown: {why}\n    If another user owns it: git config --global --add safe.directory {}",
        root.display()
    )))
}

/// The classes that fail the build: of the configuration at head and at the base, and of what
/// was typed.
///
/// # Errors
/// When what was typed or configured is no class.
pub fn fail_on(
    (head, graders): (&Config, &Graders),
    base: Option<&Suite>,
    options: &Options,
) -> Result<Vec<FailOn>, Error> {
    let typed = options
        .fail_on
        .iter()
        .map(|text| FailOn::parse(text, graders));
    let configured = head.fail_on.iter().map(|entry| {
        FailOn::parse(&entry.text, graders).map_err(|error| InputError {
            path: config::FILE.to_owned(),
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
    // A class that only the base names may be gone from the tables since.
    if let Some(base) = base {
        let at_base = base.config.fail_on.iter();
        entries.extend(at_base.filter_map(|entry| FailOn::parse(&entry.text, &base.graders).ok()));
    }
    if errors.is_empty() {
        Ok(entries)
    } else {
        Err(Error::Input(errors))
    }
}
