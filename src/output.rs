//! Where the renderings of a report go: a file, and standard output in the format asked for.

use anyhow::Context as _;

use crate::cli::{Cli, Command, Format, Options};
use crate::error::{Error, InputError};
use crate::model::report::Report;
use crate::report::stand_in::stand_in;
use crate::report::{grade_json, json_v1, markdown, records, text};
use crate::stdout;
use crate::whole_file;

/// Writes the report file, if one was asked for.
///
/// # Errors
/// When it cannot be written.
pub fn keep(report: &Report, options: &Options) -> Result<(), Error> {
    let Some(path) = &options.report else {
        return Ok(());
    };
    let mut bytes = Vec::new();
    json_v1::write(report, &mut bytes).context("cannot render the report")?;
    whole_file::write_through(path, &bytes).map_err(|error| {
        let problem = InputError::new(path.display().to_string(), error.to_string());
        problem.field("--report").into()
    })
}

/// `error`, and a report that says so where one was asked for and nothing could be judged.
#[must_use]
pub fn told(error: Error, cli: &Cli) -> Error {
    if matches!(error, Error::Incomplete(_)) {
        // That it cannot be written either is the lesser fault.
        let _ = keep(&stand_in(&error, cli.command.name(), None), &cli.options);
    }
    error
}

/// Writes the report file and standard output.
///
/// # Errors
/// When either cannot be written.
pub fn publish(report: &Report, cli: &Cli) -> Result<(), Error> {
    keep(report, &cli.options)?;
    let graders_only = matches!(cli.command, Command::Grade { json: true, .. });
    stdout::print(|out| match cli.options.format {
        _ if graders_only => grade_json::write(report, out),
        Format::Text => text::write(report, stdout::style(&cli.options), out),
        Format::Json => json_v1::write(report, out),
        Format::Records => records::write(report, out),
        Format::Markdown => markdown::write(report, out),
    })
}
