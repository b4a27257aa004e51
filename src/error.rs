//! What can go wrong, by whose fault it is: that decides the exit code.

use std::fmt;

use crate::model::text::visible;

/// A fault in a file, an option or the environment of a run, told so that a person can mend it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InputError {
    /// The file, from the root where it lies inside; empty if the fault is in no file.
    pub path: String,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Column, from 1.
    pub column: Option<u32>,
    /// The field, dotted.
    pub field: Option<String>,
    /// What is wrong and what was expected.
    pub problem: String,
    /// What to do.
    pub hint: String,
}

impl InputError {
    /// A fault somewhere in `path`.
    #[must_use]
    pub fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line: None,
            column: None,
            field: None,
            problem: problem.into(),
            hint: String::new(),
        }
    }

    /// The same, with what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The same, at a place in the file (line and column from 1).
    #[must_use]
    pub fn at(mut self, place: Option<(u32, u32)>) -> Self {
        self.line = place.map(|(line, _)| line);
        self.column = place.map(|(_, column)| column);
        self
    }

    /// The same, in a field.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.path))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        if let Some(field) = &self.field {
            write!(f, "{}: ", visible(field))?;
        }
        f.write_str(&self.problem)?;
        if !self.hint.is_empty() {
            write!(f, "\n    {}", self.hint)?;
        }
        Ok(())
    }
}

/// Why a command stopped without a report.
#[derive(Debug)]
pub enum Error {
    /// What was typed, configured or committed is wrong: exit 2.
    Input(Vec<InputError>),
    /// The command needs something this machine does not give, and nothing was judged: exit 3.
    Incomplete(String),
    /// We were asked to stop by this signal: exit 128 + signal.
    Interrupted(i32),
    /// The same after everything was judged, while it was published: exit 128 + signal.
    InterruptedPublishing(i32),
    /// A fault of ours or of the machine under us: exit 70.
    Internal(anyhow::Error),
}

impl Error {
    /// A fault of use that lies in no file.
    #[must_use]
    pub fn usage(problem: impl Into<String>) -> Self {
        Self::Input(vec![InputError::new("", problem)])
    }
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        Self::Input(vec![error])
    }
}

impl From<anyhow::Error> for Error {
    fn from(error: anyhow::Error) -> Self {
        Self::Internal(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(errors) => {
                for (index, error) in errors.iter().enumerate() {
                    if index > 0 {
                        f.write_str("\n")?;
                    }
                    write!(f, "error: {error}")?;
                }
                Ok(())
            }
            Self::Incomplete(why) => write!(f, "incomplete: {why}"),
            Self::Interrupted(_) => f.write_str("interrupted; what was finished is kept: the same command with --resume goes on from there"),
            Self::InterruptedPublishing(_) => f.write_str("interrupted while publishing; the report holds what was judged"),
            Self::Internal(error) => write!(
                f,
                "internal error: {error:#}\n    This is a fault of driftgate or of the machine under it; please report it."
            ),
        }
    }
}
