//! `quarantine.yaml`: cases that are tolerated for a while, each with an owner, a reason and a
//! day on which that ends.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Deserialize;

use super::config::Quarantine as Limits;
use super::parse::{self, Source};
use super::tree::Tree;
use crate::error::InputError;

/// The file, from the root.
pub const FILE: &str = "quarantine.yaml";

/// One case that is tolerated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The case's id.
    pub case: String,
    /// Why.
    pub reason: String,
    /// Who mends it.
    pub owner: String,
    /// The day it was opened (UTC).
    pub opened: NaiveDate,
    /// The last day on which it holds (UTC).
    pub expires: NaiveDate,
    /// The line of the entry in the file.
    pub line: u32,
}

/// An entry as it is written.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Entry")]
#[serde(
    deny_unknown_fields,
    expecting = "an entry with `case`, `reason`, `owner`, `opened` and `expires`"
)]
pub(super) struct RawEntry {
    case: String,
    reason: String,
    owner: String,
    #[schemars(regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))]
    opened: String,
    #[schemars(regex(pattern = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))]
    expires: String,
}

/// Reads the entries of `tree`; none if there is no file.
///
/// # Errors
/// The first fault of form, or all faults of meaning: a blank field, a date that is none, an end
/// before the beginning, a case that stands twice.
pub fn load(tree: &dyn Tree) -> Result<Vec<Entry>, Vec<InputError>> {
    match tree.read_text(FILE) {
        Ok(Some(bytes)) => from_bytes(&bytes),
        Ok(None) => Ok(Vec::new()),
        Err(error) => Err(vec![error]),
    }
}

/// Reads the entries in `bytes`.
///
/// # Errors
/// As [`load`].
pub fn from_bytes(bytes: &[u8]) -> Result<Vec<Entry>, Vec<InputError>> {
    let raw: Vec<RawEntry> = parse::parse_or_default(FILE, bytes).map_err(|error| vec![error])?;
    let source = &Source::new(FILE, bytes);
    let places = source.items("");
    let mut errors = Vec::new();
    let mut entries = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, raw) in raw.iter().enumerate() {
        let mut fault = |field: &str, problem: String| {
            errors.push(source.fault(&format!("[{index}].{field}"), problem));
        };
        for (field, text) in [
            ("case", &raw.case),
            ("reason", &raw.reason),
            ("owner", &raw.owner),
        ] {
            if text.trim().is_empty() {
                fault(field, "is empty".to_owned());
            }
        }
        if !seen.insert(&raw.case) {
            fault(
                "case",
                format!("`{}` stands twice", raw.case.escape_debug()),
            );
        }
        let mut date = |field: &str, text: &str| match day(text) {
            Some(date) => Some(date),
            None => {
                fault(
                    field,
                    format!(
                        "expected a day as YYYY-MM-DD, found `{}`",
                        text.escape_debug()
                    ),
                );
                None
            }
        };
        let (Some(opened), Some(expires)) =
            (date("opened", &raw.opened), date("expires", &raw.expires))
        else {
            continue;
        };
        if expires < opened {
            fault("expires", format!("{expires} is before `opened` {opened}"));
        }
        entries.push(Entry {
            case: raw.case.clone(),
            reason: raw.reason.clone(),
            owner: raw.owner.clone(),
            opened,
            expires,
            line: places.get(index).map_or(1, |(line, _)| *line),
        });
    }
    if errors.is_empty() {
        Ok(entries)
    } else {
        Err(errors)
    }
}

/// A day written in full: `2026-1-2` and `+2026-01-02` are none.
fn day(text: &str) -> Option<NaiveDate> {
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    (date.format("%Y-%m-%d").to_string() == text).then_some(date)
}

/// Holds `entries` against the limits of a policy.
///
/// # Errors
/// One for each entry that holds for too long, and one if there are too many.
pub fn check(entries: &[Entry], limits: &Limits) -> Result<(), Vec<InputError>> {
    let mut errors = Vec::new();
    for entry in entries {
        let days = (entry.expires - entry.opened).num_days();
        if days > i64::from(limits.max_days) {
            let problem = format!(
                "`{}` is tolerated for {days} days; the most is {} (`quarantine.max_days`)",
                entry.case, limits.max_days
            );
            errors.push(
                InputError::new(FILE, problem)
                    .at(Some((entry.line, 1)))
                    .field("expires"),
            );
        }
    }
    let most = usize::try_from(limits.max_entries).unwrap_or(usize::MAX);
    if entries.len() > most {
        let problem = format!(
            "has {} entries; the most is {most} (`quarantine.max_entries`)",
            entries.len()
        );
        errors.push(InputError::new(FILE, problem).hint("Mend some of the cases first."));
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "- {case: a, reason: r, owner: o, opened: 2026-01-02, expires: 2026-01-20}\n";

    fn said(text: &str) -> String {
        let errors = from_bytes(text.as_bytes()).unwrap_err();
        errors
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn an_entry_reads_with_its_line_and_an_empty_file_has_none() {
        let entries = from_bytes(format!("# why\n{GOOD}").as_bytes()).unwrap();
        assert_eq!((entries[0].case.as_str(), entries[0].line), ("a", 2));
        assert_eq!(from_bytes(b"").unwrap(), []);
    }

    #[test]
    fn every_bad_entry_is_refused_by_field() {
        let edit = |from: &str, to: &str| said(&GOOD.replace(from, to));
        assert!(edit("owner: o, ", "").contains("owner"));
        assert!(edit("reason: r", "reason: ''").contains("[0].reason: is empty"));
        assert!(edit("2026-01-20", "2026-02-30").contains("expected a day as YYYY-MM-DD"));
        assert!(edit("2026-01-20", "20.1.2026").contains("expires"));
        assert!(edit("2026-01-20", "2026-01-01").contains("is before `opened`"));
        assert!(edit("case: a", "caze: a").contains("caze"));
        assert!(said(&GOOD.repeat(2)).contains("`a` stands twice"));
    }

    #[test]
    fn entries_are_held_against_the_limits() {
        let limits = |max_days, max_entries| Limits {
            max_days,
            max_entries,
            default_branch: "main".into(),
        };
        let entries = from_bytes(GOOD.as_bytes()).unwrap();
        assert!(check(&entries, &limits(18, 1)).is_ok());
        assert!(check(&entries, &limits(17, 1)).is_err());
        assert!(check(&entries, &limits(18, 0)).is_err());
    }
}
