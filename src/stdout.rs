//! Standard output: written and flushed, and no fault of ours if whoever read it has read enough.

use std::io::{self, IsTerminal as _, StdoutLock, Write as _};

use crate::cli::{Colour, Format, Options};
use crate::error::{Error, InputError};
use crate::report::style::{PLAIN_WIDTH, Style};
use crate::run::environment;

/// Writes to standard output.
///
/// # Errors
/// When it cannot be written.
pub fn print(write: impl FnOnce(&mut StdoutLock<'_>) -> io::Result<()>) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::Incomplete(format!(
            "standard output cannot be written: {error}"
        ))),
        Ok(()) => Ok(()),
    }
}

/// How text is shown on standard output.
#[must_use]
pub fn style(options: &Options) -> Style {
    let wanted = || environment::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    Style {
        colour: match options.color {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => std::io::stdout().is_terminal() && wanted(),
        },
        width: terminal_width().unwrap_or(PLAIN_WIDTH),
    }
}

/// The width of the terminal that standard output is; `None` if it is none. Below the least
/// width, breaking lines helps nobody.
fn terminal_width() -> Option<usize> {
    const LEAST: usize = 60;
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    (size.ws_col > 0).then(|| usize::from(size.ws_col).max(LEAST))
}

/// Whether a command that makes no report prints JSON rather than text.
///
/// # Errors
/// When something was asked for that only a report has.
pub fn wants_json(command: &str, options: &Options) -> Result<bool, Error> {
    if options.report.is_some() {
        let problem = format!("`{command}` makes no report");
        return Err(InputError::new("", problem).field("--report").into());
    }
    match options.format {
        Format::Text => Ok(false),
        Format::Json => Ok(true),
        Format::Records | Format::Markdown => {
            let problem = format!("`{command}` prints text or json");
            Err(InputError::new("", problem).field("--format").into())
        }
    }
}
