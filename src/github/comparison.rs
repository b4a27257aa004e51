//! Which commit an event is compared with, and that it is here.

use std::io;

use crate::cli::KnownBase;
use crate::error::Error;
use crate::run::git::{Commit, Repository};

use super::event::{Event, PullRequest};

/// The base of `event` in the checkout around the root, with a sentence where it is not what one
/// would expect.
///
/// # Errors
/// When there must be a base and it is not to be had: to compare with the cassettes alone would
/// let a change rewrite what it is compared with.
pub fn base(event: &Event, repository: &Repository) -> Result<(KnownBase, Option<String>), Error> {
    match event {
        Event::PullRequest(pull) | Event::PullRequestTarget(pull) => {
            of_pull(pull, repository).map(|commit| (KnownBase::Commit(commit), None))
        }
        Event::MergeGroup(group) => {
            let commit = brought(repository, &group.base)?;
            Ok((KnownBase::Commit(commit), None))
        }
        Event::Push(push) => Ok(match &push.before {
            None => (KnownBase::Nothing, None),
            Some(before) => match repository.bring(before) {
                Ok(()) => (KnownBase::Commit(before.clone()), None),
                // Forced away, and collected: there is nothing left to compare with.
                Err(error) if push.forced || is_nowhere(&error) => {
                    let said = format!("there is no base: {before} is not to be had ({error})");
                    (KnownBase::Nothing, Some(said))
                }
                Err(error) => return Err(missing(before, &error)),
            },
        }),
        Event::Laptop | Event::Nightly | Event::WorkflowRun(_) => Ok((KnownBase::Upstream, None)),
    }
}

fn of_pull(pull: &PullRequest, repository: &Repository) -> Result<Commit, Error> {
    let parents = repository.parents();
    if let [onto, merged] = parents.as_slice()
        && repository.commit().is_some_and(|head| head != pull.head)
        && (*merged == pull.head || *onto == pull.base)
    {
        return brought(repository, onto);
    }
    // The author's own commit, or another one that a workflow chose.
    brought(repository, &pull.base)?;
    repository.base(&pull.base)
}

fn brought(repository: &Repository, commit: &str) -> Result<Commit, Error> {
    match repository.bring(commit) {
        Ok(()) => Ok(commit.to_owned()),
        Err(error) => Err(missing(commit, &error)),
    }
}

fn missing(commit: &str, error: &io::Error) -> Error {
    Error::Incomplete(format!(
        "the base {commit} is not in this checkout and cannot be fetched: {error}\n    Check out with `fetch-depth: 2`, or run `git fetch --depth=1 origin {commit}` before."
    ))
}

/// Whether the other side was asked, and says that it has no such commit.
fn is_nowhere(error: &io::Error) -> bool {
    let said = error.to_string();
    ["not our ref", "unadvertised object"]
        .iter()
        .any(|words| said.contains(words))
}
