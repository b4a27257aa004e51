//! What can be typed, and what it resolves to.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Graders judge patches. driftgate judges the graders.
#[derive(Debug, Parser)]
#[command(name = "driftgate", version, about, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub options: Options,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 pass, 1 fail, 2 usage, configuration or input error, \
    3 something could not be judged, 70 a bug of driftgate, 130/143 interrupted.";

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Root of the suite [default: the nearest parent with driftgate.yml, else this folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Revision to compare with: the merge base of it and HEAD [default: that of the upstream
    /// branch, if there is one]
    #[arg(long, global = true, value_name = "REV")]
    pub base: Option<String>,
    /// Write the report as JSON to this file
    #[arg(long, global = true, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// What is printed to standard output
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// How many processes run at once [default: the number of cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Keep observations of processes in .driftgate/store and use those that are there; for
    /// now only as true as the compiler's system headers stay the same
    #[arg(long, global = true, overrides_with = "no_store")]
    pub store: bool,
    /// Neither keep nor use observations of other runs (the default)
    #[arg(long, global = true)]
    pub no_store: bool,
    /// Continue a run that was interrupted or killed: what it finished is not run again
    #[arg(long, global = true)]
    pub resume: bool,
    /// Classes that fail the build: CLASS or EXPERIMENT/CLASS, comma-separated
    #[arg(long, global = true, value_name = "LIST", value_delimiter = ',')]
    pub fail_on: Vec<String>,
    /// Only cases whose id matches; may be repeated
    #[arg(long, global = true, value_name = "GLOB")]
    pub case: Vec<String>,
    /// Look at every public header behind every other one too: as many compiles as there are pairs
    #[arg(long, global = true)]
    pub pairs: bool,
    /// The isolation candidates must run under [default: required where the kernel has all that
    /// is needed (Linux 6.12), else best]
    #[arg(long, global = true, value_enum)]
    pub sandbox: Option<SandboxWish>,
    /// No progress and no notes on standard error
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Whether to colour; NO_COLOR is respected
    #[arg(long, global = true, value_enum, default_value_t = Colour::Auto)]
    pub color: Colour,
    /// What an event says beyond what was typed
    #[arg(skip)]
    pub event: Known,
}

impl Options {
    /// Whether processes are not run again that an earlier run saw.
    #[must_use]
    pub fn believes_earlier_runs(&self) -> bool {
        (self.store && !self.no_store) || self.resume
    }
}

/// What the event of a CI job says of a checkout, where git alone cannot know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// The commit to compare with.
    pub base: KnownBase,
    /// The branch that is judged; empty for a change that is on none yet.
    pub branch: Option<String>,
}

/// The commit to compare with, where `--base` says nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KnownBase {
    /// That of the upstream branch, if there is one.
    #[default]
    Upstream,
    /// This very commit, whether or not it shares a history with HEAD here.
    Commit(String),
    /// None.
    Nothing,
}

/// What standard output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table for people.
    Text,
    /// The report.
    Json,
    /// One greppable line a row.
    Records,
    /// The report for a pull request comment or a job summary.
    Markdown,
}

/// The isolation that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SandboxWish {
    /// All of it, or nothing is judged.
    Required,
    /// As much as this machine gives; the report says how much.
    Best,
    /// None beyond a closed environment and limits.
    Off,
}

/// Whether to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Run every push-time lane that has goldens: what CI runs, offline
    Check,
    /// Grade the recorded completions again and name what moved
    Replay,
    /// Run the graders on this checkout, or on one candidate
    Grade {
        /// Print `{"graders": {...}}` and nothing else
        #[arg(long)]
        json: bool,
        /// A completion to grade instead of the recorded ones; needs --case
        #[arg(long, value_name = "PATH", requires = "case")]
        candidate: Option<PathBuf>,
    },
    /// Give existing cassettes today's verdicts and hashes, with a reason
    Accept {
        /// Why the new verdicts are right
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// List the cases that are tolerated for a while, and check that none is overdue
    Quarantine,
    /// Store completions and their verdicts as cassettes
    Record {
        /// Folder with files named `<case id>.<ext>`
        #[arg(long, value_name = "DIR")]
        from: PathBuf,
    },
    /// Attribute every difference between two reports
    Diff {
        /// The report before
        #[arg(value_name = "A")]
        before: PathBuf,
        /// The report after
        #[arg(value_name = "B")]
        after: PathBuf,
    },
    /// Say what a class means and what to do
    Explain {
        /// CLASS or OWNER/CLASS, in any case of letters [default: list all]
        #[arg(value_name = "CLASS")]
        class: Option<String>,
    },
    /// Print a JSON Schema: config, case, cassette, grader, quarantine or report
    Schema {
        /// What to describe
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Say what this machine can do
    Doctor,
    /// Write a first suite with a recorded completion, its settings and a workflow, and replace
    /// nothing
    Init,
    /// Check what the event of a GitHub job is about, and publish the verdict: what the action runs
    ///
    /// Reads GITHUB_EVENT_NAME and GITHUB_EVENT_PATH; without them it is `check`. The exit code is
    /// the verdict's, whatever becomes of the publishing. The token is taken from GITHUB_TOKEN.
    Ci(Publishing),
    /// Publish the report of a pull request from a fork, in a job on workflow_run
    ///
    /// The report is taken for text that a stranger wrote: which pull request and commit it is
    /// about is asked from GitHub. The exit code is the report's.
    Publish {
        /// The report, as `ci --report` of the first job wrote it
        #[arg(value_name = "REPORT")]
        finished: PathBuf,
        /// What to publish
        #[command(flatten)]
        publishing: Publishing,
    },
}

/// What is published to GitHub.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct Publishing {
    /// Name of the check run and of the comment; give every workflow its own
    #[arg(long, value_name = "NAME", env = "DRIFTGATE_NAME", default_value = CHECK_NAME, value_parser = check_name)]
    pub name: String,
    /// Whether to write a check run
    #[arg(long, value_name = "BOOL", env = "DRIFTGATE_CHECK_RUN", default_value = "true", value_parser = switch, action = clap::ArgAction::Set)]
    pub check_run: bool,
    /// Whether to write a comment on the pull request, and suggestions on its lines
    #[arg(long, value_name = "BOOL", env = "DRIFTGATE_COMMENT", default_value = "true", value_parser = switch, action = clap::ArgAction::Set)]
    pub comment: bool,
}

/// The name where none is given.
const CHECK_NAME: &str = "driftgate";

/// A name that fits on one line; an input of an action that nobody gave is empty.
fn check_name(text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() {
        return Ok(CHECK_NAME.to_owned());
    }
    let fits = |c: char| c.is_ascii_alphanumeric() || " ._/()+,:-".contains(c);
    if name.len() <= 64 && name.chars().all(fits) {
        return Ok(name.to_owned());
    }
    Err("expected at most 64 letters, digits, blanks and any of `._/()+,:-`".to_owned())
}

/// `true` or `false`; an input of an action that nobody gave is empty, and true.
fn switch(text: &str) -> Result<bool, String> {
    match text.trim() {
        "true" | "" => Ok(true),
        "false" => Ok(false),
        _ => Err("expected `true` or `false`".to_owned()),
    }
}

impl Command {
    /// Whether the checked-out tree itself is judged, beside recorded completions.
    #[must_use]
    pub fn judges_tree(&self) -> bool {
        matches!(
            self,
            Self::Check
                | Self::Grade {
                    candidate: None,
                    ..
                }
        )
    }

    /// The name in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Replay => "replay",
            Self::Grade { .. } => "grade",
            Self::Quarantine => "quarantine",
            Self::Accept { .. } => "accept",
            Self::Record { .. } => "record",
            Self::Diff { .. } => "diff",
            Self::Explain { .. } => "explain",
            Self::Schema { .. } => "schema",
            Self::Doctor => "doctor",
            Self::Init => "init",
            Self::Ci(_) => "ci",
            Self::Publish { .. } => "publish",
        }
    }
}
