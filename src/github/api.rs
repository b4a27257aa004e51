//! One request to the API: made again where that helps, slowed where it writes, and its refusal
//! told in words a person can act on.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use http::{HeaderMap, Method, header};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::run::interrupt;

use super::connection::Connection;
use super::exchange::{Answer, Ask, Failure, exchange, unless};
use super::pace::{Pace, Time};
use super::refusal::message;
use super::retries::{Fault, Met, Patience};

pub use super::refusal::Refusal;

/// The most that a whole conversation may take, with every wait.
const CONVERSATION: Duration = Duration::from_secs(600);
/// The most that a list may take over all of its pages, without the waits for limits.
const LIST: Duration = Duration::from_secs(120);
/// The most entries of a page that the API gives.
const PER_PAGE: usize = 100;
/// How often is looked whether somebody wants us to stop.
const LOOK: Duration = Duration::from_millis(50);
/// The form of answers: JSON.
pub const JSON: &str = "application/vnd.github+json";
/// The form of answers: a diff.
pub const DIFF: &str = "application/vnd.github.diff";

/// The API, for one repository.
pub struct Api {
    connection: Connection,
    repository: String,
    time: Box<dyn Time>,
    /// When everything is over.
    end: Duration,
    pace: Pace,
    patience: RefCell<Patience>,
    unreachable: Cell<bool>,
    author: RefCell<Option<String>>,
}

impl Api {
    /// The API behind `connection`, for `repository` (`owner/name`). What is written there is by
    /// `author`, or by whoever the token belongs to.
    #[must_use]
    pub fn new(
        connection: Connection,
        repository: &str,
        time: Box<dyn Time>,
        author: Option<String>,
    ) -> Self {
        Self {
            connection,
            repository: repository.to_owned(),
            end: time.now() + CONVERSATION,
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
    /// When the API refuses any page, or takes too long for all of them.
    pub async fn list<T: DeserializeOwned>(
        &self,
        path: &str,
        limit: usize,
    ) -> Result<Vec<T>, Refusal> {
        let sign = if path.contains('?') { '&' } else { '?' };
        let mut entries = Vec::new();
        let end = self.busy() + LIST;
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
            if self.busy() >= end {
                let why = format!("a list has no end after {} s", LIST.as_secs());
                return Err(Refusal::unanswered(why));
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
        let mut met = Met::default();
        loop {
            let writes = ask.method != Method::GET;
            if writes {
                self.rest(self.pace.wait(self.time.now())).await?;
            }
            let most = self.allowance()?;
            let start = self.time.now();
            if writes {
                self.pace.count(start);
            }
            let answered = unless(exchange(&self.connection, path, ask), self.time.limit(most));
            let answered = self.unless_interrupted(answered).await?;
            let took = self.time.now().saturating_sub(start);
            let mut wait = |fault| self.patience.borrow_mut().wait(fault, took, &mut met);
            let (wait, refusal) = match answered.unwrap_or(Err(Failure::Silent)) {
                Ok((200..=299, answer)) => return Ok(answer),
                Ok((status, answer)) => {
                    let message = message(&answer.body);
                    let wait = wait(Fault::Answer(status, &answer.headers, &message));
                    let refusal = Refusal::answered(status, &answer.headers, &message);
                    (wait, refusal)
                }
                Err(Failure::Useless(why)) => return Err(Refusal::unanswered(why)),
                Err(Failure::Silent) => {
                    let why = format!("the API gives no answer in {} s", most.as_secs());
                    (wait(Fault::Silence), Refusal::unanswered(why))
                }
                Err(Failure::Lost(why)) => {
                    let why = format!("the connection to the API is lost ({why})");
                    (wait(Fault::Transport), Refusal::unanswered(why))
                }
                Err(Failure::Unconnected(why)) => {
                    let wait = wait(Fault::Transport);
                    self.unreachable.set(wait.is_none());
                    (wait, unreachable(&why))
                }
            };
            let wait = wait.filter(|wait| *wait < self.left());
            self.rest(wait.ok_or(refusal)?).await?;
        }
    }

    /// How long the next request may take.
    fn allowance(&self) -> Result<Duration, Refusal> {
        let most = self.patience.borrow().allowance();
        let given_up = |why: &str| Err(Refusal::unanswered(why));
        if self.unreachable.get() {
            Err(unreachable("it could not be reached before"))
        } else if most.is_zero() {
            given_up("the API is asked no more: a minute went by without its answers")
        } else if self.left().is_zero() {
            given_up("the API is asked no more: publishing took ten minutes")
        } else {
            Ok(most.min(self.left()))
        }
    }

    /// What is left of the conversation's time.
    fn left(&self) -> Duration {
        self.end.saturating_sub(self.time.now())
    }

    /// The time without what was waited for limits.
    fn busy(&self) -> Duration {
        let limits = self.patience.borrow().waited_for_limits();
        self.time.now().saturating_sub(limits)
    }

    async fn rest(&self, wait: Duration) -> Result<(), Refusal> {
        if wait.is_zero() {
            return Ok(());
        }
        let wait = wait.min(self.left());
        self.unless_interrupted(self.time.sleep(wait)).await
    }

    /// What `work` comes to, unless somebody wants us to stop: then nothing more is asked.
    async fn unless_interrupted<T>(&self, work: impl Future<Output = T>) -> Result<T, Refusal> {
        let interrupted = async {
            while interrupt::received().is_none() {
                tokio::time::sleep(LOOK).await;
            }
            Refusal::unanswered("publishing was interrupted")
        };
        match interrupt::received() {
            Some(_) => Err(interrupted.await),
            None => unless(work, interrupted).await,
        }
    }
}

/// Whether another page follows: as the answer says, and if it says nothing, if this one is full.
fn has_next(headers: &HeaderMap, full: bool) -> bool {
    let link = headers
        .get(header::LINK)
        .and_then(|link| link.to_str().ok());
    link.map_or(full, |link| link.contains("rel=\"next\""))
}

fn unreachable(why: &str) -> Refusal {
    Refusal::unanswered(format!("the API cannot be reached ({why})"))
}
