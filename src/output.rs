//! Where the renderings of a report go: a file, and standard output in the format asked for.

use std::io::{IsTerminal as _, Write as _};

use anyhow::Context as _;

use crate::cli::{Cli, Colour, Command, Format, Options};
use crate::error::{Error, InputError};
use crate::model::report::Report;
use crate::report::style::{PLAIN_WIDTH, Style};
use crate::report::{grade_json, json_v1, records, text};
use crate::run::{environment, whole_file};

/// Writes the report file and standard output.
///
/// # Errors
/// When either cannot be written.
pub fn publish(report: &Report, cli: &Cli) -> Result<(), Error> {
    if let Some(path) = &cli.options.report {
        let mut bytes = Vec::new();
        json_v1::write(report, &mut bytes).context("cannot render the report")?;
        whole_file::write(path, &bytes).map_err(|error| {
            InputError::new(path.display().to_string(), error.to_string()).field("--report")
        })?;
    }
    let mut out = std::io::stdout().lock();
    let graders_only = matches!(cli.command, Command::Grade { json: true, .. });
    let written = match cli.options.format {
        _ if graders_only => grade_json::write(report, &mut out),
        Format::Text => text::write(report, style(&cli.options), &mut out),
        Format::Json => json_v1::write(report, &mut out),
        Format::Records => records::write(report, &mut out),
    };
    match written.and_then(|()| out.flush()) {
        // Whoever read has read enough; the outcome stands.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other.context("cannot write to standard output")?),
    }
}

fn style(options: &Options) -> Style {
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
