//! One greppable line a row, the same on every machine and every run that finds the same.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::model::class::Level;
use crate::model::report::{Experiment, Report};
use crate::model::row::Row;
use crate::model::verdict::Status;

/// The lane of headers.
const HEADERS: &str = "standalone_header";

/// Writes `report` as lines.
///
/// # Errors
/// When `out` cannot be written.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    for experiment in &report.experiments {
        for row in &experiment.rows {
            writeln!(out, "{}", line(experiment, row))?;
        }
    }
    Ok(())
}

fn line(experiment: &Experiment, row: &Row) -> String {
    if experiment.name == HEADERS {
        return header_line(row);
    }
    let mut line = format!("case={} lane={}", encoded(&row.id), experiment.name);
    if let Some(grader) = &row.grader {
        let _ = write!(line, " grader={}", encoded(grader));
    }
    let _ = write!(
        line,
        " status={} class={}",
        status(row),
        encoded(&row.class)
    );
    if let Some(before) = row.before {
        let _ = write!(line, " before={before}");
    }
    if let Some(after) = row.after {
        let _ = write!(line, " after={after}");
    }
    line
}

/// The line of a header: its words were there before the grader had a name.
fn header_line(row: &Row) -> String {
    let path = encoded(&row.id);
    let (status, class) = (status(row), encoded(&row.class));
    format!("case={path} header={path} lane=standalone_tu status={status} class={class}")
}

/// What the row means for the build, as the status of the line.
fn status(row: &Row) -> &'static str {
    match row.level {
        Level::Ok | Level::Review => Status::Pass.as_str(),
        Level::Incomplete => Status::Unjudged.as_str(),
        Level::Fail => Status::Fail.as_str(),
    }
}

/// `text` with every byte outside `[A-Za-z0-9._/-]` percent-encoded.
#[must_use]
pub fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/' | b'-') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anything_unusual_in_an_id_is_encoded() {
        assert_eq!(encoded("a/b-c_d.e9"), "a/b-c_d.e9");
        assert_eq!(encoded("a b\n%é"), "a%20b%0A%25%C3%A9");
    }
}
