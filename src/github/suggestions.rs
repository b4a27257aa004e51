//! The suggestions of a pull request: one review a push, with those that are not there yet. Ours
//! that serve no more are removed, unless somebody answered: then they are that person's too.

use std::collections::BTreeSet;

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::model::class::Level;
use crate::model::report::Report;
use crate::report::check_run::Context;
use crate::report::suggestions::{Suggestion, fingerprint, suggestions};

use super::api::{Api, Refusal};
use super::comments::User;
use super::pulls::Pull;

/// The most suggestions that a pull request has at one time.
const MOST: usize = 20;
/// The words of a review: GitHub asks for some.
const WORDS: &str = "Includes that headers here lack.";
/// The most review comments that are looked through.
const MOST_COMMENTS: usize = 10_000;

/// A comment on a line.
#[derive(Clone, Debug, Deserialize)]
struct Comment {
    id: u64,
    body: Option<String>,
    path: Option<String>,
    /// Null where the account is gone.
    user: Option<User>,
    /// The line it is on now; null for a comment that is outdated.
    line: Option<u64>,
    /// The comment it answers.
    in_reply_to_id: Option<u64>,
}

/// A comment of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ours {
    id: u64,
    path: String,
    fingerprint: String,
    is_outdated: bool,
    is_answered: bool,
}

/// What is to be done.
#[derive(Debug, Default, PartialEq, Eq)]
struct Plan {
    /// The comments to remove.
    remove: Vec<u64>,
    /// The fingerprints of those that stay.
    stay: BTreeSet<String>,
}

/// Makes the suggestions on `pull` those of `report`; returns what could not be done, a sentence
/// each.
pub async fn offer(api: &Api, pull: &Pull, report: &Report, context: &Context<'_>) -> Vec<String> {
    let mut said = Vec::new();
    let wanted = suggestions(report, context);
    let open = Open::of(report, context);
    let offered = bring(api, pull, &open, (context.name, &wanted), &mut said).await;
    said.extend(offered.err().map(|refusal| match wanted.len() {
        0 => format!("suggestions stay as they are: {}", refusal.why),
        _ => format!("no suggestions: {}", refusal.why),
    }));
    said
}

async fn bring(
    api: &Api,
    pull: &Pull,
    open: &Open,
    (name, wanted): (&str, &[Suggestion]),
    said: &mut Vec<String>,
) -> Result<(), Refusal> {
    let author = api.author().await?;
    let found = ours(api, pull, name, &author).await?;
    let plan = plan(&found, wanted, open);
    let removed = remove(api, &plan.remove).await;
    said.extend(
        removed
            .err()
            .map(|refusal| format!("suggestions that serve no more are left: {}", refusal.why)),
    );
    let new = |one: &&Suggestion| !plan.stay.contains(&one.fingerprint);
    let new: Vec<_> = wanted.iter().filter(new).collect();
    let room = MOST.saturating_sub(plan.stay.len()).min(new.len());
    let (posted, left) = new.split_at(room);
    if !left.is_empty() {
        let count = left.len();
        said.push(format!(
            "{count} more suggestions are not made: a pull request gets {MOST} at a time"
        ));
    }
    if posted.is_empty() {
        return Ok(());
    }
    let author = post(api, pull, posted).await?.unwrap_or(author);
    // Another run may have posted meanwhile: both leave the older of two.
    let found = ours(api, pull, name, &author).await?;
    let plan = self::plan(&found, wanted, &Open::All);
    remove(api, &plan.remove).await
}

/// The headers that may still need what was suggested.
#[derive(Debug, PartialEq, Eq)]
enum Open {
    /// All: something could not be judged.
    All,
    /// These, from the top of the repository: they fail, for whatever reason.
    Paths(BTreeSet<String>),
}

impl Open {
    fn of(report: &Report, context: &Context<'_>) -> Self {
        if report.rows().next().is_none() || report.count(Level::Incomplete) > 0 {
            return Self::All;
        }
        let failing = report.rows().filter(|row| row.level == Level::Fail);
        Self::Paths(
            failing
                .map(|row| format!("{}{}", context.root, row.id))
                .collect(),
        )
    }

    fn has(&self, path: &str) -> bool {
        match self {
            Self::All => true,
            Self::Paths(paths) => paths.contains(path),
        }
    }
}

/// Of several of one fingerprint one stays: that which was answered, else the oldest.
fn plan(found: &[Ours], wanted: &[Suggestion], open: &Open) -> Plan {
    let mut plan = Plan::default();
    let is_suggested = |path: &str| wanted.iter().any(|wanted| wanted.path == path);
    let (answered, others): (Vec<&Ours>, _) = found.iter().partition(|one| one.is_answered);
    plan.stay
        .extend(answered.iter().map(|one| one.fingerprint.clone()));
    for one in others {
        let is_wanted = wanted
            .iter()
            .any(|wanted| wanted.fingerprint == one.fingerprint);
        let serves = match is_wanted {
            true => !one.is_outdated && !plan.stay.contains(&one.fingerprint),
            // Another suggestion for the same header stands in for it.
            false => *open == Open::All || open.has(&one.path) && !is_suggested(&one.path),
        };
        if serves {
            plan.stay.insert(one.fingerprint.clone());
        } else {
            plan.remove.push(one.id);
        }
    }
    plan
}

/// The comments of ours, oldest first.
async fn ours(api: &Api, pull: &Pull, name: &str, author: &str) -> Result<Vec<Ours>, Refusal> {
    let path = format!("pulls/{}/comments", pull.number);
    let all: Vec<Comment> = api.list(&path, MOST_COMMENTS).await?;
    let answered: BTreeSet<u64> = all.iter().filter_map(|one| one.in_reply_to_id).collect();
    let ours = |comment: &Comment| {
        let is_ours = comment.user.as_ref().is_some_and(|user| user.is(author));
        let body = comment.body.as_deref().unwrap_or_default();
        let starts = is_ours && comment.in_reply_to_id.is_none();
        Some(Ours {
            id: comment.id,
            path: comment.path.clone().unwrap_or_default(),
            fingerprint: fingerprint(name, body).filter(|_| starts)?.to_owned(),
            is_outdated: comment.line.is_none(),
            is_answered: answered.contains(&comment.id),
        })
    };
    let mut ours: Vec<Ours> = all.iter().filter_map(ours).collect();
    ours.sort_by_key(|one| one.id);
    ours.dedup_by_key(|one| one.id);
    Ok(ours)
}

/// Removes comments; one that is gone already is no error.
async fn remove(api: &Api, ids: &[u64]) -> Result<(), Refusal> {
    for id in ids {
        match api.delete(&format!("pulls/comments/{id}")).await {
            Ok(()) => {}
            Err(refusal) if matches!(refusal.status, Some(404 | 410)) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(())
}

/// Posts all in one review. Returns whom it is by.
async fn post(api: &Api, pull: &Pull, all: &[&Suggestion]) -> Result<Option<String>, Refusal> {
    #[derive(Deserialize)]
    struct Review {
        user: Option<User>,
    }
    let comment = |one: &&Suggestion| json!({"path": one.path, "line": one.line, "side": "RIGHT", "body": one.body});
    let comments: Vec<Value> = all.iter().map(comment).collect();
    let review = json!({"commit_id": pull.head.sha, "event": "COMMENT", "body": WORDS, "comments": comments});
    let path = format!("pulls/{}/reviews", pull.number);
    let made = api.write(Method::POST, &path, &review).await?;
    Ok(made.json::<Review>()?.user.map(|user| user.login))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(id: u64, fingerprint: &str, is_outdated: bool, is_answered: bool) -> Ours {
        Ours {
            id,
            path: fingerprint.to_owned(),
            fingerprint: fingerprint.to_owned(),
            is_outdated,
            is_answered,
        }
    }

    /// What is planned where the headers `open` still fail; each has its fingerprint as its path.
    fn planned(found: &[Ours], wanted: &[&str], open: Option<&[&str]>) -> (Vec<u64>, Vec<String>) {
        let open = open.map_or(Open::All, |paths| {
            Open::Paths(paths.iter().map(|path| (*path).to_owned()).collect())
        });
        let suggestion = |fingerprint: &&str| Suggestion {
            fingerprint: (*fingerprint).to_owned(),
            path: (*fingerprint).to_owned(),
            line: 1,
            body: String::new(),
        };
        let wanted: Vec<_> = wanted.iter().map(suggestion).collect();
        let plan = plan(found, &wanted, &open);
        (plan.remove, plan.stay.into_iter().collect())
    }

    #[test]
    fn one_of_each_that_is_wanted_stays() {
        let found = [one(1, "a", false, false), one(2, "a", false, false)];
        assert_eq!(
            planned(&found, &["a"], Some(&["a"])),
            (vec![2], vec!["a".into()])
        );
        assert_eq!(planned(&found, &["b"], Some(&["b"])), (vec![1, 2], vec![]));
        let outdated = [one(1, "a", true, false), one(2, "a", false, false)];
        assert_eq!(
            planned(&outdated, &["a"], Some(&["a"])),
            (vec![1], vec!["a".into()])
        );
    }

    #[test]
    fn what_was_answered_stays_and_is_not_made_again() {
        let found = [one(1, "a", false, false), one(2, "a", true, true)];
        for wanted in [&["a"][..], &[]] {
            assert_eq!(
                planned(&found, wanted, Some(wanted)),
                (vec![1], vec!["a".into()])
            );
        }
    }

    #[test]
    fn nothing_is_taken_for_repaired_that_was_not_judged() {
        let found = [one(1, "a", true, false), one(2, "b", true, false)];
        assert_eq!(planned(&found, &["b"], None), (vec![2], vec!["a".into()]));
    }
    #[test]
    fn what_still_fails_and_is_not_suggested_now_keeps_what_was() {
        let found = [one(1, "a", false, false)];
        assert_eq!(
            planned(&found, &[], Some(&["a"])),
            (vec![], vec!["a".into()])
        );
        assert_eq!(planned(&found, &[], Some(&["b"])), (vec![1], vec![]));
    }
}
