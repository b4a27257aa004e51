//! What GitHub says happened: the event's name and payload, read into what the rest needs. Pure.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, InputError};
use crate::report::style::one_line;

/// The variable that names the payload's file.
pub const PAYLOAD: &str = "GITHUB_EVENT_PATH";
/// The variable that names the event.
pub const NAME: &str = "GITHUB_EVENT_NAME";

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Nothing of GitHub's: a person's own machine.
    Laptop,
    /// A pull request was opened or changed.
    PullRequest(PullRequest),
    /// A pull request in a merge queue.
    MergeGroup(MergeGroup),
    /// A branch or tag moved.
    Push(Push),
    /// A schedule or a person asks for the nightly work.
    Nightly,
    /// A pull request, with a token and secrets that its author must not reach.
    PullRequestTarget(PullRequest),
    /// Another workflow ended.
    WorkflowRun(WorkflowRun),
}

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// The commit its author pushed last.
    pub head: String,
    /// The commit the target branch was at.
    pub base: String,
    /// Whether it comes from another repository, so that the token can only read.
    pub from_fork: bool,
}

/// A group of a merge queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeGroup {
    /// The commit to be merged.
    pub head: String,
    /// The commit it is put on.
    pub base: String,
}

/// A push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// Where the ref was; `None` where it is new.
    pub before: Option<String>,
    /// Where it is; `None` where it is deleted.
    pub after: Option<String>,
    /// The branch; `None` for a tag.
    pub branch: Option<String>,
    /// Whether that is the repository's default branch.
    pub on_default: bool,
    /// Whether what was there is no part of what is there now.
    pub forced: bool,
}

/// The end of another workflow's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowRun {
    /// The event that started it.
    pub event: String,
    /// The commit it ran on: the head of a pull request.
    pub head: String,
    /// The owner of the repository that commit is from; `None` where that is gone.
    pub head_owner: Option<String>,
    /// The branch that commit was pushed to; `None` where it is gone.
    pub head_branch: Option<String>,
    /// How it ended, e.g. `success`.
    pub conclusion: Option<String>,
    /// Where a person can read it.
    pub url: Option<String>,
}

impl Event {
    /// The event called `name` with this payload.
    ///
    /// # Errors
    /// When nothing is to be done for such an event, or the payload is not what GitHub sends. No
    /// error names the payload's file: the caller knows it.
    pub fn read(name: &str, payload: &[u8]) -> Result<Self, Error> {
        match name {
            "pull_request" => Ok(Self::PullRequest(pull_request(payload)?)),
            "pull_request_target" => Ok(Self::PullRequestTarget(pull_request(payload)?)),
            "merge_group" => {
                let MergeGroupPayload { merge_group: group } = parse(payload)?;
                Ok(Self::MergeGroup(MergeGroup {
                    head: commit("merge_group.head_sha", group.head_sha)?,
                    base: commit("merge_group.base_sha", group.base_sha)?,
                }))
            }
            "push" => push(payload),
            "schedule" | "workflow_dispatch" => Ok(Self::Nightly),
            "workflow_run" => workflow_run(payload),
            _ => Err(unknown(name)),
        }
    }

    /// The branch that is judged, for rules that differ by it; empty for a change that is not
    /// merged, which is on none. `None` where git knows best.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::PullRequest(_) | Self::MergeGroup(_) | Self::PullRequestTarget(_) => Some(""),
            Self::Push(push) => push.branch.as_deref(),
            Self::Laptop | Self::Nightly | Self::WorkflowRun(_) => None,
        }
    }
}

fn pull_request(payload: &[u8]) -> Result<PullRequest, Error> {
    let PullRequestPayload { pull_request: pull } = parse(payload)?;
    let name = |repo: &Option<Repo>| repo.as_ref().map(|repo| repo.full_name.clone());
    Ok(PullRequest {
        number: pull.number,
        // A repository that was deleted since was another one.
        from_fork: name(&pull.head.repo).is_none()
            || name(&pull.head.repo) != name(&pull.base.repo),
        head: commit("pull_request.head.sha", pull.head.sha)?,
        base: commit("pull_request.base.sha", pull.base.sha)?,
    })
}

fn push(payload: &[u8]) -> Result<Event, Error> {
    let push: PushPayload = parse(payload)?;
    let branch = push.r#ref.strip_prefix("refs/heads/").map(str::to_owned);
    let known = |field, sha: String| match is_nothing(&sha) {
        true => Ok(None),
        false => commit(field, sha).map(Some),
    };
    Ok(Event::Push(Push {
        before: known("before", push.before)?,
        after: known("after", push.after)?,
        on_default: branch.is_some() && branch == push.repository.default_branch,
        forced: push.forced,
        branch,
    }))
}

fn workflow_run(payload: &[u8]) -> Result<Event, Error> {
    let RunPayload { workflow_run: run } = parse(payload)?;
    Ok(Event::WorkflowRun(WorkflowRun {
        event: run.event,
        head: commit("workflow_run.head_sha", run.head_sha)?,
        head_owner: run.head_repository.map(|repository| repository.owner.login),
        head_branch: run.head_branch,
        conclusion: run.conclusion,
        url: run.html_url,
    }))
}

fn unknown(name: &str) -> Error {
    let problem = format!("nothing is to be done for the event `{}`", one_line(name));
    let error = InputError::new("", problem).field(NAME);
    let hint = "Run it on pull_request, merge_group or push to the default branch; publish on workflow_run.";
    error.hint(hint).into()
}

fn parse<T: DeserializeOwned>(payload: &[u8]) -> Result<T, Error> {
    serde_json::from_slice(payload).map_err(|error| {
        let place = u32::try_from(error.line())
            .ok()
            .zip(u32::try_from(error.column()).ok());
        let problem = format!(
            "is no payload of this event: {}",
            one_line(&error.to_string())
        );
        let fault = InputError::new("", problem).field(PAYLOAD);
        fault.at(place.filter(|(line, _)| *line > 0)).into()
    })
}

/// Whether `sha` is what stands for no commit: zeros, as many as names of commits have digits.
fn is_nothing(sha: &str) -> bool {
    matches!(sha.len(), 40 | 64) && sha.bytes().all(|byte| byte == b'0')
}

/// A full name of a commit. It goes to git and into addresses, so nothing else is let through.
fn commit(field: &str, sha: String) -> Result<String, Error> {
    let is_name = matches!(sha.len(), 40 | 64) && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_name && !is_nothing(&sha) {
        return Ok(sha);
    }
    let shown: String = one_line(&sha).chars().take(80).collect();
    let problem = format!("expected the full name of a commit, found `{shown}`");
    Err(InputError::new("", problem).field(field).into())
}

#[derive(Deserialize)]
struct PullRequestPayload {
    pull_request: Pull,
}

#[derive(Deserialize)]
struct Pull {
    number: u64,
    head: Side,
    base: Side,
}

#[derive(Deserialize)]
struct Side {
    sha: String,
    /// Null where the fork was deleted.
    repo: Option<Repo>,
}

#[derive(Deserialize)]
struct Repo {
    full_name: String,
}

#[derive(Deserialize)]
struct MergeGroupPayload {
    merge_group: Group,
}

#[derive(Deserialize)]
struct Group {
    head_sha: String,
    base_sha: String,
}

#[derive(Deserialize)]
struct PushPayload {
    r#ref: String,
    before: String,
    after: String,
    #[serde(default)]
    forced: bool,
    repository: Home,
}

#[derive(Deserialize)]
struct Home {
    default_branch: Option<String>,
}

#[derive(Deserialize)]
struct RunPayload {
    workflow_run: Run,
}

#[derive(Deserialize)]
struct Run {
    event: String,
    head_sha: String,
    head_branch: Option<String>,
    head_repository: Option<HeadRepository>,
    conclusion: Option<String>,
    html_url: Option<String>,
}

#[derive(Deserialize)]
struct HeadRepository {
    owner: Owner,
}

#[derive(Deserialize)]
struct Owner {
    login: String,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const ONE: &str = "1111111111111111111111111111111111111111";
    const TWO: &str = "2222222222222222222222222222222222222222";

    fn read(name: &str, payload: &Value) -> Result<Event, String> {
        Event::read(name, payload.to_string().as_bytes()).map_err(|error| error.to_string())
    }

    fn pull(head_repo: &Value) -> Value {
        json!({"pull_request": {"number": 7,
            "head": {"sha": ONE, "repo": head_repo},
            "base": {"sha": TWO, "repo": {"full_name": "o/r"}}}})
    }

    #[test]
    fn a_pull_request_from_elsewhere_is_from_a_fork() {
        for (repo, expected) in [
            (json!({"full_name": "o/r"}), false),
            (json!({"full_name": "x/r"}), true),
            (Value::Null, true),
        ] {
            let Ok(Event::PullRequest(pull)) = read("pull_request", &pull(&repo)) else {
                panic!("{repo}");
            };
            assert_eq!((pull.number, pull.from_fork), (7, expected), "{repo}");
        }
    }

    #[test]
    fn a_new_branch_has_no_before_and_a_deleted_one_no_after() {
        let payload = |name: &str, before: &str, after: &str| json!({"ref": name, "before": before, "after": after, "repository": {"default_branch": "trunk"}});
        let push = |payload: &Value| match read("push", payload) {
            Ok(Event::Push(push)) => push,
            other => panic!("{other:?}"),
        };
        for (digits, one) in [(40, ONE), (64, &"1".repeat(64))] {
            let nothing = "0".repeat(digits);
            let new = push(&payload("refs/heads/trunk", &nothing, one));
            assert_eq!(
                (new.before, new.after.as_deref(), new.on_default),
                (None, Some(one), true)
            );
            let gone = push(&payload("refs/heads/a/b", one, &nothing));
            assert_eq!(
                (gone.branch.as_deref(), gone.after, gone.on_default),
                (Some("a/b"), None, false)
            );
        }
        assert!(!push(&payload("refs/tags/trunk", ONE, TWO)).on_default);
    }

    #[test]
    fn what_is_no_payload_is_refused_with_its_place() {
        for (name, payload, said) in [
            ("pull_request", "", "is no payload of this event"),
            ("pull_request", "{}", "missing field `pull_request`"),
            ("push", "[1]", "GITHUB_EVENT_PATH"),
            (
                "merge_group",
                r#"{"merge_group": {"head_sha": "--upload-pack=x", "base_sha": ""}}"#,
                "full name of a commit",
            ),
            (
                "merge_group",
                r#"{"merge_group": {"head_sha": "0000000000000000000000000000000000000000", "base_sha": ""}}"#,
                "full name of a commit",
            ),
            (
                "issues",
                "{}",
                "nothing is to be done for the event `issues`",
            ),
            ("::error::\n", "{}", "nothing is to be done"),
        ] {
            let error = Event::read(name, payload.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(error.contains(said), "{name} {payload}: {error}");
        }
    }
}
