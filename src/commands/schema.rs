//! `schema`: prints the JSON Schema of a file that people commit, or of a report.

use std::io::Write as _;

use serde_json::Value;

use crate::cli::Options;
use crate::error::{Error, InputError};
use crate::report::json_v1;
use crate::stdout;
use crate::suite::{nearest, schema};

/// The name of the one schema that is not about a file people commit.
const REPORT: &str = "report";

/// Prints the schema called `name`.
///
/// # Errors
/// When there is no such schema.
pub fn run(name: &str, options: &Options) -> Result<(), Error> {
    // A schema is JSON whatever was asked for; what cannot be meant is refused all the same.
    stdout::wants_json("schema", options)?;
    let schema = find(name)?;
    stdout::print(|out| writeln!(out, "{schema:#}"))
}

fn find(name: &str) -> Result<Value, Error> {
    let found = match name {
        REPORT => Some(json_v1::schema()),
        _ => schema::schema(name),
    };
    found.ok_or_else(|| {
        let mut known = schema::NAMES.to_vec();
        known.push(REPORT);
        let problem = format!("there is no schema `{}`", name.escape_debug());
        InputError::new("", problem)
            .hint(nearest::hint(name, &known))
            .into()
    })
}
