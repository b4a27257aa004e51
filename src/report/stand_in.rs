//! The report of a run that has none: it says why.

use super::style::one_line;
use crate::error::Error;
use crate::model::report::{Report, Sandbox, ToolchainNote};

/// A report without a lane, so an incomplete one, of a run of `command` that ended with `error`.
/// `head` is the commit it was about.
#[must_use]
pub fn stand_in(error: &Error, command: &str, head: Option<&str>) -> Report {
    Report {
        command: command.to_owned(),
        base: None,
        head: head.map(str::to_owned),
        toolchain: ToolchainNote::default(),
        sandbox: Sandbox {
            level: "off".to_owned(),
            why: "nothing was run".to_owned(),
        },
        experiments: Vec::new(),
        notes: notes(&error.to_string()),
    }
}

/// One note a fault: its further lines are indented.
fn notes(text: &str) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for line in text.lines() {
        match notes.last_mut().filter(|_| line.starts_with("    ")) {
            Some(note) => note.push_str(&format!(" {}", one_line(line.trim_start()))),
            None => notes.push(one_line(line)),
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::InputError;
    use crate::model::report::Outcome;

    #[test]
    fn every_fault_is_a_note_of_its_own() {
        let fault = |path: &str| InputError::new(path, "is wrong").hint("mend it");
        let error = Error::Input(vec![fault("a.json"), fault("b\n::error::.json")]);
        let report = stand_in(&error, "check", None);
        assert_eq!(report.outcome(), Outcome::Incomplete);
        assert_eq!(
            report.notes,
            [
                "error: a.json: is wrong mend it",
                "error: b\\n::error::.json: is wrong mend it"
            ]
        );
    }
}
