//! How many rows have each level, in words.

use crate::model::class::Level;
use crate::model::report::{Outcome, Report};

/// The counts of a report, worst first, in one line of our own words.
pub(super) fn sentence(report: &Report) -> String {
    let parts = [
        (report.count(Level::Fail), "fail"),
        (report.count(Level::Incomplete), "could not be judged"),
        (report.count(Level::Review), "to review"),
        (report.count(Level::Ok), "ok"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<_> = parts
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let parts = parts.join(", ");
    match report.outcome() {
        Outcome::Pass => format!("Nothing fails: {parts}"),
        Outcome::Fail => parts,
        Outcome::Incomplete if parts.is_empty() => {
            "Nothing was judged, and that is no pass".to_owned()
        }
        Outcome::Incomplete => format!("{parts}; what could not be judged is no pass"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{report, row};

    #[test]
    fn the_counts_are_said_worst_first_and_nothing_is_no_pass() {
        let levels = |levels: &[Level]| {
            let rows = levels.iter().map(|level| {
                let mut row = row("a", "STABLE", "");
                row.level = *level;
                row
            });
            sentence(&report(rows.collect(), Vec::new()))
        };
        use Level::{Fail, Incomplete, Ok, Review};
        assert_eq!(levels(&[Ok, Ok]), "Nothing fails: 2 ok");
        assert_eq!(
            levels(&[Ok, Review, Incomplete, Fail, Fail]),
            "2 fail, 1 could not be judged, 1 to review, 1 ok"
        );
        assert_eq!(
            levels(&[Ok, Incomplete]),
            "1 could not be judged, 1 ok; what could not be judged is no pass"
        );
        assert_eq!(levels(&[]), "Nothing was judged, and that is no pass");
    }
}
