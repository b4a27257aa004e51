//! Pull requests as they are now, and not as an event or a report remembers them.

use serde::Deserialize;

use crate::report::records::encoded;

use super::api::{Api, JSON, Refusal};

/// The most open pull requests of one branch that are looked through.
const MOST: usize = 1000;

/// A pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct Pull {
    /// Its number.
    pub number: u64,
    /// Its last commit.
    pub head: Head,
    /// How many files it changes; `None` where that is not told, as in a list.
    pub changed_files: Option<u64>,
}

/// The last commit of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub struct Head {
    /// Its full name.
    pub sha: String,
}

/// Pull request `number`.
///
/// # Errors
/// When the API refuses.
pub async fn read(api: &Api, number: u64) -> Result<Pull, Refusal> {
    api.get(&format!("pulls/{number}"), JSON).await?.json()
}

/// The open pull request from `branch` of `owner` whose last commit is `head`, if there is one.
/// The list by commit would not do: it does not know the commits of forks.
///
/// # Errors
/// When the API refuses.
pub async fn find(
    api: &Api,
    owner: &str,
    branch: &str,
    head: &str,
) -> Result<Option<Pull>, Refusal> {
    let from = format!("{}:{}", encoded(owner), encoded(branch));
    let pulls: Vec<Pull> = api
        .list(&format!("pulls?state=open&head={from}"), MOST)
        .await?;
    Ok(pulls.into_iter().find(|pull| pull.head.sha == head))
}
