//! What the runner of a job reads: its log, in which lines can be commands, and the files for a
//! step's outputs and summary.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::Path;

use crate::error::Error;
use crate::stdout;

use super::runner_files::append;

/// A stretch of the log in which no line is a command, whatever candidates and tools print. It ends
/// with this at the latest.
pub struct Deaf(String);

impl Deaf {
    /// Begins one.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn begin() -> Result<Self, Error> {
        let token = unguessable();
        stdout::print(|out| writeln!(out, "::stop-commands::{token}"))?;
        Ok(Self(token))
    }

    /// Ends it, and says `commands`.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub fn end(mut self, commands: &[String]) -> Result<(), Error> {
        let token = std::mem::take(&mut self.0);
        stdout::print(|out| {
            writeln!(out, "::{token}::")?;
            commands
                .iter()
                .try_for_each(|command| writeln!(out, "{command}"))
        })
    }
}

impl Drop for Deaf {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            // Where nobody reads it nobody takes commands either.
            let _ = stdout::print(|out| writeln!(out, "::{}::", self.0));
        }
    }
}

/// Text that nobody who wrote a value before could have put into it.
fn unguessable() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("driftgate-{:016x}{:016x}", half(), half())
}

/// Appends outputs to the file that the runner reads them from.
///
/// # Errors
/// When it cannot be written.
pub fn add_outputs(file: &Path, outputs: &[(String, String)]) -> io::Result<()> {
    let mut text = String::new();
    for (name, value) in outputs {
        let mut end = unguessable();
        while value.contains(&end) {
            end = unguessable();
        }
        text.push_str(&format!("{name}<<{end}\n{value}\n{end}\n"));
    }
    append(file, &text)
}

/// Appends `markdown` to the job's summary.
///
/// # Errors
/// When it cannot be written.
pub fn add_summary(file: &Path, markdown: &str) -> io::Result<()> {
    append(file, markdown)
}
