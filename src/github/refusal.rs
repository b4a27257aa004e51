//! Why a request came to nothing, in words a person can act on.

use http::HeaderMap;
use serde_json::Value;

use crate::report::style::one_line;

use super::retries::is_limit;

/// The most characters shown of what the API says.
const SHOWN: usize = 200;

/// Why a request came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status; `None` if there was no answer.
    pub status: Option<u16>,
    /// A sentence.
    pub why: String,
}

impl Refusal {
    /// One without an answer, or with one that is of no use.
    pub(super) fn unanswered(why: impl Into<String>) -> Self {
        Self {
            status: None,
            why: why.into(),
        }
    }

    /// What an answer with this status, these headers and this message says: which permission is
    /// missing, where the API names it.
    pub(super) fn answered(status: u16, headers: &HeaderMap, message: &str) -> Self {
        let needed = headers.get("x-accepted-github-permissions");
        let needed = needed.and_then(|needed| needed.to_str().ok()).map(one_line);
        let answered = match message {
            "" => format!("the API answers {status}"),
            _ => format!("the API answers {status}: {message}"),
        };
        let why = match (status, needed) {
            _ if is_limit(status, headers, message) => {
                format!("the API's limit was met, and its end is too far off ({answered})")
            }
            (401, _) => format!("the token is not valid or has expired ({answered})"),
            (403 | 404, Some(needed)) if !needed.is_empty() => {
                let needed = shown(&needed);
                format!("the token lacks the permission {needed} ({answered})")
            }
            (403, _) => format!("the token may not do this ({answered})"),
            _ => answered,
        };
        Self {
            status: Some(status),
            why,
        }
    }
}

/// What the body of a refusal says, on one line.
pub(super) fn message(body: &[u8]) -> String {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    shown(value["message"].as_str().unwrap_or_default())
}

/// What the API says, short and on one line.
pub(super) fn shown(text: &str) -> String {
    one_line(text).chars().take(SHOWN).collect()
}
