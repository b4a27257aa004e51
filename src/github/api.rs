//! One request to the API: made again where that helps, slowed where it writes, and its refusal
//! told in words a person can act on.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use http::{HeaderMap, Method};
use http_body_util::{BodyExt as _, Limited};
use octocrab::Octocrab;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::report::style::one_line;

use super::pace::{Pace, Time};
use super::retries::{Fault, Patience, is_limit};

/// How long one request may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of an answer. A diff of 20,000 lines is far below.
const ANSWER_LIMIT: usize = 64 << 20;
/// The most characters shown of what the API says.
const SHOWN: usize = 200;
/// The most redirects that are followed.
const REDIRECTS: usize = 3;
/// The form of answers: JSON.
pub const JSON: &str = "application/vnd.github+json";
/// The form of answers: a diff.
pub const DIFF: &str = "application/vnd.github.diff";

/// The API, for one repository.
pub struct Api {
    client: Octocrab,
    repository: String,
    time: Box<dyn Time>,
    pace: Pace,
    patience: RefCell<Patience>,
    unreachable: Cell<bool>,
    author: RefCell<Option<String>>,
}

/// What is asked for, wherever it turns out to be.
struct Ask<'a> {
    method: Method,
    accept: &'a str,
    body: Option<&'a Value>,
}

impl<'a> Ask<'a> {
    /// To read in the form `accept`.
    fn read(accept: &'a str) -> Self {
        Self {
            method: Method::GET,
            accept,
            body: None,
        }
    }
}

/// An answer that says yes.
#[derive(Debug)]
pub struct Answer {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Vec<u8>,
}

/// Why a request came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The status; `None` if there was no answer.
    pub status: Option<u16>,
    /// A sentence.
    pub why: String,
}

impl Answer {
    /// The body, read as JSON.
    ///
    /// # Errors
    /// When it is something else.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        serde_json::from_slice(&self.body).map_err(|error| Refusal {
            status: None,
            why: format!("the API's answer cannot be read: {error}"),
        })
    }
}

impl Api {
    /// The API behind `client`, for `repository` (`owner/name`). What is written there is by
    /// `author`, or by whoever the token belongs to.
    #[must_use]
    pub fn new(
        client: Octocrab,
        repository: &str,
        time: Box<dyn Time>,
        author: Option<String>,
    ) -> Self {
        Self {
            client,
            repository: repository.to_owned(),
            time,
            pace: Pace::default(),
            patience: RefCell::default(),
            unreachable: Cell::new(false),
            author: RefCell::new(author),
        }
    }

    /// Reads what is at `path` of the repository, in the form `accept`.
    ///
    /// # Errors
    /// When the API refuses or cannot be reached.
    pub async fn get(&self, path: &str, accept: &str) -> Result<Answer, Refusal> {
        self.request(&self.in_repository(path), &Ask::read(accept))
            .await
    }

    /// All entries of the list at `path`, which may have a query, over all of its pages, of at
    /// most `limit`.
    ///
    /// # Errors
    /// When the API refuses any page.
    pub async fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        limit: usize,
    ) -> Result<Vec<T>, Refusal> {
        let sign = if path.contains('?') { '&' } else { '?' };
        let mut entries = Vec::new();
        for page in 1..=limit.div_ceil(PER_PAGE) {
            let answer = self
                .get(
                    &format!("{path}{sign}per_page={PER_PAGE}&page={page}"),
                    JSON,
                )
                .await?;
            let on_page: Vec<T> = answer.json()?;
            let full = on_page.len() >= PER_PAGE;
            entries.extend(on_page);
            if !has_next(&answer.headers, full) {
                break;
            }
        }
        Ok(entries)
    }

    /// Writes `body` to `path` of the repository.
    ///
    /// # Errors
    /// When the API refuses or cannot be reached.
    pub async fn write(&self, method: Method, path: &str, body: &Value) -> Result<Answer, Refusal> {
        let ask = Ask {
            method,
            accept: JSON,
            body: Some(body),
        };
        self.request(&self.in_repository(path), &ask).await
    }

    /// Removes what is at `path` of the repository.
    ///
    /// # Errors
    /// When the API refuses or cannot be reached.
    pub async fn delete(&self, path: &str) -> Result<(), Refusal> {
        let ask = Ask {
            method: Method::DELETE,
            ..Ask::read(JSON)
        };
        let answer = self.request(&self.in_repository(path), &ask).await;
        answer.map(|_| ())
    }

    /// The name that what we write is under.
    ///
    /// # Errors
    /// When the API has to be asked, and refuses or cannot be reached.
    pub async fn author(&self) -> Result<String, Refusal> {
        #[derive(serde::Deserialize)]
        struct Viewer {
            login: String,
        }
        if let Some(author) = &*self.author.borrow() {
            return Ok(author.clone());
        }
        let answer = self.request("/user", &Ask::read(JSON)).await?;
        Ok(answer.json::<Viewer>()?.login)
    }

    /// Notes that what we write turned out to be under the name `author`.
    pub fn is_by(&self, author: &str) {
        self.author.replace(Some(author.to_owned()));
    }

    fn in_repository(&self, path: &str) -> String {
        format!("/repos/{}/{path}", self.repository)
    }

    async fn request(&self, path: &str, ask: &Ask<'_>) -> Result<Answer, Refusal> {
        let mut limited = 0;
        loop {
            if self.unreachable.get() {
                return Err(unreachable("it could not be reached before"));
            }
            if ask.method != Method::GET {
                self.pace.take(&*self.time).await;
            }
            let wait = match self.once(path, ask).await {
                Ok((200..=299, answer)) => return Ok(answer),
                Ok((status, answer)) => {
                    let message = message(&answer.body);
                    let fault = Fault::Answer(status, &answer.headers, &message);
                    let wait = self.patience.borrow_mut().wait(fault, limited);
                    limited += u32::from(is_limit(status, &answer.headers, &message));
                    wait.ok_or_else(|| refusal(status, &answer.headers, &message))?
                }
                Err(why) => {
                    let wait = self.patience.borrow_mut().wait(Fault::Transport, limited);
                    self.unreachable.set(wait.is_none());
                    wait.ok_or_else(|| unreachable(&why))?
                }
            };
            self.time.sleep(wait).await;
        }
    }

    /// One request, made once and wherever it is sent on to; an error is one of the connection.
    async fn once(&self, path: &str, ask: &Ask<'_>) -> Result<(u16, Answer), String> {
        let mut path = path.to_owned();
        for _ in 0..REDIRECTS {
            let (status, answer) = self.exchange(&path, ask).await?;
            match sent_on(status, &answer.headers) {
                Some(there) => path = there,
                None => return Ok((status, answer)),
            }
        }
        Err("it sends us on without end".to_owned())
    }

    async fn exchange(&self, path: &str, ask: &Ask<'_>) -> Result<(u16, Answer), String> {
        let builder = http::Request::builder()
            .method(&ask.method)
            .uri(path)
            .header(http::header::ACCEPT, ask.accept);
        let request = self.client.build_request(builder, ask.body);
        let request = request.map_err(|error| said(&error))?;
        let answered = async {
            let response = self.client.execute(request).await;
            let (parts, body) = response.map_err(|error| said(&error))?.into_parts();
            let body = Limited::new(body, ANSWER_LIMIT).collect().await;
            let body = body.map_err(|error| said(&*error))?.to_bytes().to_vec();
            let headers = parts.headers;
            Ok((parts.status.as_u16(), Answer { headers, body }))
        };
        let timed = tokio::time::timeout(TIMEOUT, answered).await;
        timed.unwrap_or_else(|_| Err(format!("no answer in {} s", TIMEOUT.as_secs())))
    }
}

/// The most entries of a page that the API gives.
const PER_PAGE: usize = 100;

/// Whether another page follows: as the answer says, and if it says nothing, if this one is full.
fn has_next(headers: &HeaderMap, full: bool) -> bool {
    let link = headers
        .get(http::header::LINK)
        .and_then(|link| link.to_str().ok());
    link.map_or(full, |link| link.contains("rel=\"next\""))
}

/// Where an answer sends us on to with the same request: a repository that was renamed. The token
/// goes there only if it is the same host.
fn sent_on(status: u16, headers: &HeaderMap) -> Option<String> {
    let location = || headers.get(http::header::LOCATION)?.to_str().ok();
    matches!(status, 301 | 302 | 307 | 308)
        .then(location)
        .flatten()
        .map(str::to_owned)
}

/// An error with what is behind it: the layers of a client each say only their own part.
fn said(error: &(dyn std::error::Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = one_line(&error.to_string());
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
        next = error.source();
    }
    parts.join(": ")
}

/// What the body of a refusal says, on one line.
fn message(body: &[u8]) -> String {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let text = value["message"].as_str().unwrap_or_default();
    one_line(text).chars().take(SHOWN).collect()
}

fn unreachable(why: &str) -> Refusal {
    Refusal {
        status: None,
        why: format!("the API cannot be reached ({why})"),
    }
}

/// A refusal in words: which permission is missing, where the API names it.
fn refusal(status: u16, headers: &HeaderMap, message: &str) -> Refusal {
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
            let needed: String = needed.chars().take(SHOWN).collect();
            format!("the token lacks the permission {needed} ({answered})")
        }
        (403, _) => format!("the token may not do this ({answered})"),
        _ => answered,
    };
    Refusal {
        status: Some(status),
        why,
    }
}
