//! `doctor`: what this machine can do, and what it found of a suite. Takes no checkout, so it
//! answers while a run is under way.

use std::path::Path;

use crate::checkout;
use crate::cli::Options;
use crate::error::Error;
use crate::isolation;
use crate::model::report::Outcome;
use crate::report::doctor::{self, Counts, Examination};
use crate::run::{interrupt, machine};
use crate::stdout;
use crate::suite::{Suite, WorkingTree, config};

/// Examines the machine and prints what was seen.
///
/// # Errors
/// When the root is wrong, or we were asked to stop.
pub fn run(options: &Options) -> Result<Outcome, Error> {
    let as_json = stdout::wants_json("doctor", options)?;
    interrupt::install()?;
    let root = checkout::root(options)?;
    let tree = WorkingTree::open(&root)?;
    let suite = Suite::load(&tree);
    // A fault elsewhere in the suite does not hide which compiler it names.
    let config = config::load(&tree).unwrap_or_default();
    let machine = machine::probe(
        &checkout::compiler(&config),
        isolation::wanted(options.sandbox),
        &root,
    );
    let examination = Examination {
        sandbox: isolation::granted(machine.isolation.as_ref()),
        machine,
        suite: found(&root, suite),
    };
    if let Some(signal) = interrupt::received() {
        return Err(Error::Interrupted(signal));
    }
    let style = stdout::style(options);
    stdout::print(|out| match as_json {
        true => doctor::json(&examination, out),
        false => doctor::text(&examination, style, out),
    })?;
    Ok(match examination.machine.obstacle() {
        None => Outcome::Pass,
        Some(_) => Outcome::Incomplete,
    })
}

fn found(root: &Path, suite: Result<Suite, Vec<crate::error::InputError>>) -> doctor::Suite {
    let counts = suite.map(|suite| Counts {
        cases: suite.cases.len(),
        recorded: suite.recordings.len(),
        graders: suite.graders.len(),
        quarantined: suite.quarantine.len(),
    });
    doctor::Suite {
        root: root.display().to_string(),
        configured: root.join(config::FILE).is_file(),
        counts: counts.map_err(|faults| faults.iter().map(ToString::to_string).collect()),
    }
}
