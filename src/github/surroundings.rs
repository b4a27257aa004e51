//! What the runner tells us through its environment, read once.

use std::fmt;
use std::path::PathBuf;

use crate::error::{Error, InputError};
use crate::named;
use crate::run::environment;

use super::event::{self, Event};

/// GitHub's own address, where a runner names none.
const API: &str = "https://api.github.com";
/// The most bytes of a payload: GitHub sends at most 25 MB.
const PAYLOAD_LIMIT: u64 = 32 << 20;

/// A token. It is never shown.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The token, for the one header it goes into.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// The surroundings of a run.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Whether a runner started us, so that our output is read for commands.
    pub on_runner: bool,
    /// Where the API is, with its path.
    pub api: String,
    /// `owner/name`.
    pub repository: Option<String>,
    /// What the API knows us by.
    pub token: Option<Token>,
    /// Where a person reads this run.
    pub run_url: Option<String>,
    /// The file for the job's summary.
    pub summary: Option<PathBuf>,
    /// The file for the step's outputs.
    pub output: Option<PathBuf>,
}

impl Surroundings {
    /// Reads them.
    #[must_use]
    pub fn read() -> Self {
        let repository = set("GITHUB_REPOSITORY");
        let server = set("GITHUB_SERVER_URL").unwrap_or_else(|| "https://github.com".to_owned());
        let run_url = repository
            .as_ref()
            .zip(set("GITHUB_RUN_ID"))
            .map(|(repository, run)| {
                format!(
                    "{}/{repository}/actions/runs/{run}",
                    server.trim_end_matches('/')
                )
            });
        Self {
            on_runner: set("GITHUB_ACTIONS").or_else(|| set(event::NAME)).is_some(),
            api: set("GITHUB_API_URL").unwrap_or_else(|| API.to_owned()),
            repository,
            token: set("GITHUB_TOKEN").map(Token::new),
            run_url,
            summary: set("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            output: set("GITHUB_OUTPUT").map(PathBuf::from),
        }
    }
}

/// The event that started us.
///
/// # Errors
/// When the payload cannot be read, or nothing is to be done for such an event.
pub fn event() -> Result<Event, Error> {
    let Some(name) = set(event::NAME) else {
        return Ok(Event::Laptop);
    };
    let Some(path) = set(event::PAYLOAD) else {
        let problem = format!("is not set, and the event is `{}`", name.escape_debug());
        let error = InputError::new("", problem).field(event::PAYLOAD);
        return Err(error
            .hint("GitHub's runner sets it; unset GITHUB_EVENT_NAME elsewhere.")
            .into());
    };
    let payload = named::read(path.as_ref(), PAYLOAD_LIMIT).map_err(|error| {
        let problem = format!("cannot be read: {error}");
        InputError::new(path.as_str(), problem).field(event::PAYLOAD)
    })?;
    Event::read(&name, &payload).map_err(|error| in_file(error, &path))
}

/// The same error, with the file that faults of a payload are in.
fn in_file(error: Error, path: &str) -> Error {
    let Error::Input(mut faults) = error else {
        return error;
    };
    let of_payload = |fault: &&mut InputError| fault.field.as_deref() != Some(event::NAME);
    for fault in faults.iter_mut().filter(of_payload) {
        path.clone_into(&mut fault.path);
    }
    Error::Input(faults)
}

/// A variable that says something: the inputs of an action that nobody gave are empty.
fn set(name: &str) -> Option<String> {
    environment::var(name).filter(|value| !value.trim().is_empty())
}
