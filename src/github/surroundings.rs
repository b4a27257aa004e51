//! What the runner tells us through its environment, read once.

use std::fmt;
use std::path::PathBuf;

use crate::error::{Error, InputError};
use crate::report::style::one_line;
use crate::run::environment;

use super::event::{self, Event};
use super::runner_files;

/// GitHub's own address, where a runner names none.
const API: &str = "https://api.github.com";
/// The most bytes of a payload: GitHub sends at most 25 MB.
const PAYLOAD_LIMIT: u64 = 32 << 20;
/// The most characters shown of what should be a repository's name.
const SHOWN: usize = 80;

/// A token. It is never shown.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token: `text` without the blanks and newlines around it, which files and pipes leave.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
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
    /// What should be `owner/name`, as it was told.
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
            .filter(|repository| is_repository(repository))
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
            token: set("GITHUB_TOKEN").as_deref().map(Token::new),
            run_url,
            summary: set("GITHUB_STEP_SUMMARY").map(PathBuf::from),
            output: set("GITHUB_OUTPUT").map(PathBuf::from),
        }
    }

    /// `owner/name` of the repository. It goes into addresses, so nothing else is let through.
    ///
    /// # Errors
    /// A sentence, when it is not set or something else.
    pub fn repository(&self) -> Result<&str, String> {
        let name = self.repository.as_deref();
        let name = name.ok_or("GITHUB_REPOSITORY is not set")?;
        if is_repository(name) {
            return Ok(name);
        }
        let shown: String = one_line(name).chars().take(SHOWN).collect();
        Err(format!(
            "GITHUB_REPOSITORY is not `owner/name`: found `{shown}`"
        ))
    }
}

/// Whether `name` is `owner/name`, in the characters that GitHub has for either.
fn is_repository(name: &str) -> bool {
    let is_part = |part: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !matches!(part, "" | "." | "..") && part.bytes().all(plain)
    };
    name.split_once('/')
        .is_some_and(|(owner, name)| is_part(owner) && is_part(name))
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
    let payload = runner_files::read(path.as_ref(), PAYLOAD_LIMIT).map_err(|error| {
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
