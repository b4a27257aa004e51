//! The sequence after the verdict: changed lines, check run, comment, suggestions. Each that fails is said, and
//! none of them changes the verdict.

use tokio::runtime::{Builder, Runtime};

use crate::cli::Publishing;
use crate::model::changed_lines::ChangedLines;
use crate::model::report::Report;
use crate::report::check_run::{Context, check_run};
use crate::report::comment;
use crate::report::workflow_commands::workflow_commands;
use crate::run::interrupt;

use super::api::{Api, Refusal};
use super::pace::RealTime;
use super::pulls::{self, Head, Pull};
use super::surroundings::{Surroundings, Token};
use super::{changes, checks, comments, connection, suggestions};

/// What a report is about.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The commit that the check run belongs to; `None` for no check run.
    pub head: Option<String>,
    /// The pull request.
    pub pull: PullOf,
    /// Whether the pull request is from a fork, so that the token can only read.
    pub from_fork: bool,
    /// Whether edits are suggested: only from a report of everything that was made here, and not
    /// where somebody else could write it.
    pub suggests: bool,
    /// Where the suite lies, from the top of the repository.
    pub root: String,
    /// Where a person reads the run that judged.
    pub run_url: Option<String>,
}

/// How the pull request is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PullOf {
    /// There is none.
    #[default]
    None,
    /// By its number, which GitHub told.
    Number(u64),
    /// By the owner and name of the branch it is from, which GitHub told.
    Branch(String, String),
}

/// What was published, for what follows in the job itself.
#[derive(Debug, Default)]
pub struct Published {
    /// The lines that changed, as far as they are known.
    pub changed: ChangedLines,
    /// What could not be done and why, a sentence each.
    pub said: Vec<String>,
    /// Commands to the runner for the annotations that reached no check run.
    pub commands: Vec<String>,
}

/// Publishes `report`. `local` is what git says of the changed lines, for when the API does not.
pub fn publish(
    surroundings: &Surroundings,
    publishing: &Publishing,
    target: &Target,
    report: &Report,
    local: impl FnOnce() -> Option<ChangedLines>,
) -> Published {
    let mut publication = Publication {
        publishing,
        target,
        report,
        published: Published::default(),
    };
    let wanted = target.head.is_some() && (publishing.check_run || publishing.comment);
    let connected = wanted.then(|| connect(surroundings));
    match connected {
        Some(Ok((runtime, api))) => {
            runtime.block_on(publication.run(&api, local));
            // A look for the API's host may still be under way, and nobody waits for it.
            runtime.shutdown_background();
        }
        Some(Err(why)) => {
            publication.say(format!("nothing is published to GitHub: {why}"));
            publication.alone(local);
        }
        None => publication.alone(local),
    }
    publication.published
}

/// A runtime, and the API in it.
fn connect(surroundings: &Surroundings) -> Result<(Runtime, Api), String> {
    let token = surroundings.token.as_ref();
    let token = token.ok_or("GITHUB_TOKEN is not set")?;
    let repository = surroundings.repository()?;
    interrupt::install().map_err(|error| error.to_string())?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let api = {
        let _inside = runtime.enter();
        let client = connection::open(&surroundings.api, token)?;
        Api::new(
            client,
            repository,
            Box::new(RealTime::default()),
            author(token),
        )
    };
    Ok((runtime, api))
}

/// Whose comments ours are, if the kind of token says so: a personal one is its owner's.
fn author(token: &Token) -> Option<String> {
    let personal = ["ghp_", "github_pat_", "gho_", "ghu_"];
    let is_personal = personal
        .iter()
        .any(|start| token.reveal().starts_with(start));
    (!is_personal).then(|| comments::ACTIONS.to_owned())
}

struct Publication<'a> {
    publishing: &'a Publishing,
    target: &'a Target,
    report: &'a Report,
    published: Published,
}

impl Publication<'_> {
    async fn run(&mut self, api: &Api, local: impl FnOnce() -> Option<ChangedLines>) {
        let pull = self.pull(api).await;
        self.published.changed = self.changed(api, pull.as_ref(), local).await;
        self.write_check(api).await;
        if let Some(pull) = pull.filter(|_| self.publishing.comment) {
            self.write_comment(api, &pull).await;
            self.suggest(api, &pull).await;
        }
    }

    /// What is left without the API.
    fn alone(&mut self, local: impl FnOnce() -> Option<ChangedLines>) {
        self.published.changed = local().unwrap_or_default();
        self.annotate_log(0);
    }

    async fn pull(&mut self, api: &Api) -> Option<Pull> {
        let head = self.target.head.as_deref()?;
        let pull = match &self.target.pull {
            PullOf::None => return None,
            PullOf::Number(number) => pulls::read(api, *number).await.map(Some),
            PullOf::Branch(owner, branch) => pulls::find(api, owner, branch, head).await,
        };
        match pull {
            Ok(Some(pull)) => Some(pull),
            Ok(None) => {
                self.say(format!("no comment: no open pull request ends at {head}"));
                None
            }
            Err(refusal) => {
                let known = self.as_the_event_has_it(head);
                let rest = match &known {
                    Some(_) => "the event's word on it stands",
                    None => "no comment",
                };
                self.say(format!(
                    "the pull request cannot be read, {rest}: {}",
                    refusal.why
                ));
                known
            }
        }
    }

    /// The pull request when GitHub will not say how it is now. It may have moved on since.
    fn as_the_event_has_it(&self, head: &str) -> Option<Pull> {
        let PullOf::Number(number) = self.target.pull else {
            return None;
        };
        let sha = head.to_owned();
        Some(Pull {
            number,
            head: Head { sha },
            changed_files: None,
        })
    }

    async fn changed(
        &mut self,
        api: &Api,
        pull: Option<&Pull>,
        local: impl FnOnce() -> Option<ChangedLines>,
    ) -> ChangedLines {
        let Some(pull) = pull else {
            return local().unwrap_or_default();
        };
        match changes::of_pull(api, pull).await {
            Ok(changed) => changed,
            Err(refusal) => {
                let stand_in = local();
                let rest = match &stand_in {
                    Some(_) => "git's diff stands in for it",
                    None => "so annotations stand where the findings are",
                };
                self.say(format!(
                    "GitHub's diff cannot be read, {rest}: {}",
                    refusal.why
                ));
                stand_in.unwrap_or_default()
            }
        }
    }

    async fn write_check(&mut self, api: &Api) {
        let Some(head) = self
            .target
            .head
            .as_deref()
            .filter(|_| self.publishing.check_run)
        else {
            self.annotate_log(0);
            return;
        };
        let place = checks::Place {
            name: &self.publishing.name,
            head,
            url: self.target.run_url.as_deref(),
        };
        let run = check_run(self.report, &self.context());
        let written = checks::write(api, place, &run).await;
        if let Some(refusal) = &written.refusal {
            let lost = run.annotations.len() - written.annotated;
            let what = match written.created {
                true => format!("{lost} annotations are not on the check run"),
                false => "no check run".to_owned(),
            };
            self.refused(&what, refusal);
            self.annotate_log(written.annotated);
        }
    }

    async fn write_comment(&mut self, api: &Api, pull: &Pull) {
        if self.target.head.as_deref() != Some(&pull.head.sha) {
            self.say(format!(
                "no comment: the pull request has moved on to {}, whose own run comments",
                pull.head.sha
            ));
            return;
        }
        let marker = comment::marker(&self.publishing.name);
        let body = comment::comment(self.report, &self.context());
        if let Err(refusal) = comments::upsert(api, pull.number, (&marker, &body)).await {
            self.refused("no comment", &refusal);
        }
    }

    /// Never from a report that somebody else made: with the button its text would go in under the
    /// name of whoever trusts us.
    async fn suggest(&mut self, api: &Api, pull: &Pull) {
        if self.target.suggests && self.target.head.as_deref() == Some(&pull.head.sha) {
            let said = suggestions::offer(api, pull, self.report, &self.context()).await;
            self.published.said.extend(said);
        }
    }

    /// Says the annotations from the one at `first` on in the job's log.
    fn annotate_log(&mut self, first: usize) {
        let run = check_run(self.report, &self.context());
        let rest = run.annotations.get(first..).unwrap_or_default();
        self.published.commands = workflow_commands(rest);
    }

    fn context(&self) -> Context<'_> {
        Context {
            name: &self.publishing.name,
            root: &self.target.root,
            run_url: self.target.run_url.as_deref(),
            changed: &self.published.changed,
            said: &self.published.said,
        }
    }

    fn refused(&mut self, what: &str, refusal: &Refusal) {
        let mut said = format!("{what}: {}", refusal.why);
        if self.target.from_fork && refusal.status == Some(403) {
            said.push_str(
                "; the token of a pull request from a fork can only read, and `driftgate publish` on workflow_run writes the rest",
            );
        }
        self.say(said);
    }

    fn say(&mut self, sentence: String) {
        self.published.said.push(sentence);
    }
}
