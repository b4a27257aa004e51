//! The one comment of a pull request: found by its marker and its author, updated in place, and
//! still one after two runs wrote at once.

use http::Method;
use serde::Deserialize;
use serde_json::json;

use super::api::{Api, Refusal};

/// The most comments that are looked through.
const MOST: usize = 10_000;
/// Whom the comments made with a job's own token are by.
pub const ACTIONS: &str = "github-actions[bot]";

#[derive(Clone, Debug, Deserialize)]
struct Comment {
    id: u64,
    body: Option<String>,
    /// Null where the account is gone.
    user: Option<User>,
}

/// An account.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct User {
    /// Its name.
    pub(super) login: String,
}

impl User {
    pub(super) fn is(&self, name: &str) -> bool {
        self.login == name
    }
}

impl Comment {
    fn is_by(&self, author: &str) -> bool {
        self.user.as_ref().is_some_and(|user| user.is(author))
    }
}

/// Makes `body`, which starts with `marker`, the one comment of ours on pull request `number`.
/// Of several the oldest stays: two runs at once agree on that without a word.
///
/// # Errors
/// When the API refuses. What cannot be removed is left, and no error.
pub async fn upsert(api: &Api, number: u64, (marker, body): (&str, &str)) -> Result<(), Refusal> {
    let author = api.author().await?;
    let found = ours(api, number, &author, marker).await?;
    if keep_one(api, &found, body).await? {
        return Ok(());
    }
    let path = format!("issues/{number}/comments");
    let made = api
        .write(Method::POST, &path, &json!({"body": body}))
        .await?;
    let made: Comment = made.json()?;
    // Another run may have written meanwhile, and the token may be somebody else's than we took
    // it for: whoever wrote this comment wrote ours before.
    let author = made.user.map_or(author, |user| user.login);
    api.is_by(&author);
    let all = ours(api, number, &author, marker).await?;
    if all.len() > 1 {
        let first_is_made = all.first().is_some_and(|first| first.id == made.id);
        let rest = &all[1..];
        if first_is_made {
            remove(api, rest).await;
        } else {
            keep_one(api, &all, body).await?;
        }
    }
    Ok(())
}

/// Updates the oldest of `found` and removes the others; false if there is none left to update.
async fn keep_one(api: &Api, found: &[Comment], body: &str) -> Result<bool, Refusal> {
    for (index, comment) in found.iter().enumerate() {
        let path = format!("issues/comments/{}", comment.id);
        match api
            .write(Method::PATCH, &path, &json!({"body": body}))
            .await
        {
            Ok(_) => {
                remove(api, &found[index + 1..]).await;
                return Ok(true);
            }
            // Somebody deleted it since it was listed.
            Err(Refusal {
                status: Some(404 | 410),
                ..
            }) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(false)
}

/// Removes comments; one that is gone already, or may not be removed, is left at that.
async fn remove(api: &Api, comments: &[Comment]) {
    for comment in comments {
        let _ = api.delete(&format!("issues/comments/{}", comment.id)).await;
    }
}

/// The comments of ours, oldest first. A marker in somebody else's comment makes it no comment of
/// ours, and neither does one further down.
async fn ours(api: &Api, number: u64, author: &str, marker: &str) -> Result<Vec<Comment>, Refusal> {
    let path = format!("issues/{number}/comments");
    let all: Vec<Comment> = api.list(&path, MOST).await?;
    let marked = |comment: &Comment| {
        let body = comment.body.as_deref().unwrap_or_default();
        comment.is_by(author) && body.trim_start().starts_with(marker)
    };
    let mut ours: Vec<Comment> = all.into_iter().filter(marked).collect();
    ours.sort_by_key(|comment| comment.id);
    ours.dedup_by_key(|comment| comment.id);
    Ok(ours)
}
