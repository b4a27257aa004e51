//! `quarantine`: which cases are tolerated, and for how long.
//!
//! **Pins** the list. **Moves** the day. **Names** entries that hold, that are over, and that are
//! about no case. **Cannot see** whether anybody works on them.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use serde_json::json;

use crate::model::class::{self, Class, Level};
use crate::model::row::{At, Row};
use crate::suite::quarantine::{Entry, FILE};

use super::{ExperimentKind, replay};

/// The entry in the table of experiments.
pub const KIND: ExperimentKind = ExperimentKind {
    name: "quarantine",
    classes: CLASSES,
};

/// Every class of a quarantine row.
pub const CLASSES: &[Class] = &[
    Class {
        name: "QUARANTINE_ACTIVE",
        level: Level::Ok,
        meaning: "The case is tolerated until the day of `expires`, that day included.",
        next: "Mend the case before the day is over.",
    },
    Class {
        name: "QUARANTINE_EXPIRED",
        level: Level::Fail,
        meaning: "The day of `expires` is over: nothing is tolerated any more.",
        next: "Mend the case and delete the entry, or open a new one with a reason.",
    },
    Class {
        name: "QUARANTINE_GONE",
        level: Level::Review,
        meaning: "The entry is about a case that does not exist.",
        next: "Delete the entry.",
    },
];

/// The classes that a quarantine may lower to review: a verdict that flips by itself.
pub const LOWERED: [&str; 2] = ["NONDETERMINISTIC", "flaky"];

/// One row for each entry, as things stand on the day `today`.
#[must_use]
pub fn rows(entries: &[Entry], cases: &BTreeSet<&str>, today: NaiveDate) -> Vec<Row> {
    let row = |entry: &Entry| {
        let left = (entry.expires - today).num_days();
        let (class, why) = if !cases.contains(entry.case.as_str()) {
            (&CLASSES[2], format!("there is no case `{}`", entry.case))
        } else if left < 0 {
            (
                &CLASSES[1],
                format!(
                    "expired {} days ago on {}: {}",
                    -left, entry.expires, entry.reason
                ),
            )
        } else {
            (
                &CLASSES[0],
                format!(
                    "{left} days left, until {}: {}",
                    entry.expires, entry.reason
                ),
            )
        };
        let mut row = Row::new(&entry.case, class, why);
        row.at = Some(At {
            path: FILE.to_owned(),
            line: entry.line,
        });
        row.repro = "driftgate quarantine".to_owned();
        row.evidence.insert("owner".to_owned(), json!(entry.owner));
        row.evidence.insert("days_left".to_owned(), json!(left));
        row
    };
    entries.iter().map(row).collect()
}

/// Marks the rows of quarantined cases and, off the default branch, lowers those whose verdict
/// flips by itself. Nothing else is ever lowered, also where it stands behind such a flip.
pub fn lower(rows: &mut [Row], entries: &[Entry], today: NaiveDate, default_branch: bool) {
    let holds = |row: &Row| {
        entries
            .iter()
            .any(|entry| entry.case == row.id && today <= entry.expires)
    };
    for row in rows.iter_mut().filter(|row| holds(row)) {
        row.quarantined = true;
        let worse_behind = row.also.iter().any(|class| fails(class));
        if LOWERED.contains(&row.class.as_str())
            && row.level == Level::Fail
            && !worse_behind
            && !default_branch
        {
            row.level = Level::Review;
        }
    }
}

/// Whether a replay row of the class `name` fails the build by itself.
fn fails(name: &str) -> bool {
    class::find(replay::CLASSES, name).is_some_and(|class| class.level == Level::Fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn entry() -> Entry {
        Entry {
            case: "a".into(),
            reason: "r".into(),
            owner: "o".into(),
            opened: day("2026-01-02"),
            expires: day("2026-01-20"),
            line: 3,
        }
    }

    fn class_on(today: &str) -> (String, Level) {
        let row = rows(&[entry()], &BTreeSet::from(["a"]), day(today)).remove(0);
        (row.class, row.level)
    }

    #[test]
    fn an_entry_holds_through_the_day_it_expires_on_and_not_a_day_longer() {
        assert_eq!(
            class_on("2026-01-20"),
            ("QUARANTINE_ACTIVE".into(), Level::Ok)
        );
        assert_eq!(
            class_on("2026-01-21"),
            ("QUARANTINE_EXPIRED".into(), Level::Fail)
        );
    }

    #[test]
    fn an_entry_about_no_case_is_named() {
        let row = rows(&[entry()], &BTreeSet::from(["b"]), day("2026-01-03")).remove(0);
        assert_eq!(
            (row.class.as_str(), row.level),
            ("QUARANTINE_GONE", Level::Review)
        );
    }

    #[test]
    fn only_a_flip_by_itself_is_lowered_and_only_off_the_default_branch_while_it_holds() {
        for class in replay::CLASSES {
            for (today, default_branch) in [
                ("2026-01-20", false),
                ("2026-01-20", true),
                ("2026-01-21", false),
            ] {
                let mut rows = [Row::new("a", class, ""), Row::new("b", class, "")];
                lower(&mut rows, &[entry()], day(today), default_branch);
                let lowered =
                    class.name == "NONDETERMINISTIC" && today == "2026-01-20" && !default_branch;
                let expected = if lowered { Level::Review } else { class.level };
                assert_eq!(rows[0].level, expected, "{} {today}", class.name);
                assert_eq!(rows[0].quarantined, today == "2026-01-20");
                assert_eq!((rows[1].level, rows[1].quarantined), (class.level, false));
            }
        }
    }

    #[test]
    fn a_grader_drift_behind_a_flip_is_not_lowered() {
        let class = class::find(replay::CLASSES, "NONDETERMINISTIC").unwrap();
        let mut row = Row::new("a", class, "");
        row.also = vec!["GRADER_DRIFT".into()];
        let mut rows = [row];
        lower(&mut rows, &[entry()], day("2026-01-03"), false);
        assert_eq!((rows[0].level, rows[0].quarantined), (Level::Fail, true));
    }
}
