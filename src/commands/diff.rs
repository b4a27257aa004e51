//! `diff`: reads two reports and says what lies between them. Needs neither suite nor compiler.

use std::path::Path;

use crate::checkout;
use crate::cli::Options;
use crate::error::{Error, InputError};
use crate::experiments::policy::Graders;
use crate::experiments::{diff, policy};
use crate::model::report::Report;
use crate::named;
use crate::report::json_v1;
use crate::suite::{WorkingTree, config};

/// The most bytes of a report.
const MOST: u64 = 512 << 20;

/// The report on what lies between the reports in the files `before` and `after`, under the
/// `fail_on` of the configuration, if there is one, and of what was typed.
///
/// # Errors
/// When a file is no report, or the configuration or what was typed is wrong.
pub fn run(before: &Path, after: &Path, options: &Options) -> Result<Report, Error> {
    if !options.case.is_empty() {
        let error = InputError::new("", "`diff` compares whole reports").field("--case");
        return Err(error.into());
    }
    let (before, after) = match (read(before), read(after)) {
        (Ok(before), Ok(after)) => (before, after),
        (before, after) => {
            let errors = [before.err(), after.err()];
            return Err(Error::Input(errors.into_iter().flatten().collect()));
        }
    };
    let tree = WorkingTree::open(checkout::root(options)?)?;
    let config = config::load(&tree).map_err(Error::Input)?;
    let fail_on = checkout::fail_on((&config, &Graders::new()), None, options)?;
    let mut report = diff::report(&before, &after);
    for experiment in &mut report.experiments {
        policy::raise(experiment, &fail_on);
    }
    Ok(report)
}

fn read(path: &Path) -> Result<Report, InputError> {
    let shown = path.display().to_string();
    let bytes = named::read(path, MOST).map_err(|error| {
        let problem = format!("cannot be read: {error}");
        InputError::new(shown.as_str(), problem)
            .hint("Expected a report, as `--report FILE` writes it.")
    })?;
    json_v1::read(&bytes).map_err(|error| InputError {
        path: shown,
        ..error
    })
}
