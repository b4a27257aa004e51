//! Snapshots of a plain and of a hostile report, and what holds whatever the rows say.

use proptest::prelude::*;

use super::*;
use crate::report::testing::{any_report, assert_harmless, drift, hostile, longest, report, row};

const TEXT_LIMIT: usize = 65_536;
const COLUMNS: usize = 6;

fn rendered(report: &Report) -> String {
    let mut bytes = Vec::new();
    write(report, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_report_reads_well() {
    let mut report = drift();
    report.head = report.head.map(|head| format!("{head}-dirty"));
    let rows = &mut report.experiments[0].rows;
    rows[0].also.push("CASE_DRIFT".to_owned());
    rows[1].level = Level::Review;
    rows[1].explained = true;
    rows[1].why = "accepted: blanks count (pass became fail)".to_owned();
    let edited = "the case was edited: still pass (match)";
    rows.push(row("find-all/good", "CASE_DRIFT", edited));
    insta::assert_snapshot!(rendered(&report));
}

#[test]
fn a_report_in_which_nothing_happened_is_short() {
    insta::assert_snapshot!(rendered(&report(vec![row("a", "STABLE", "")], Vec::new())));
}

#[test]
fn a_hostile_report_is_only_text() {
    let text = rendered(&hostile());
    assert_harmless(&text, COLUMNS);
    insta::assert_snapshot!(text);
}

proptest! {
    #[test]
    fn whatever_the_rows_say_it_is_only_text(report in any_report()) {
        let text = rendered(&report);
        assert_harmless(&text, COLUMNS);
        prop_assert!(cost(&text) < TEXT_LIMIT);
    }
}

#[test]
fn the_longest_report_still_fits_in_a_comment() {
    let text = rendered(&longest(400));
    assert_harmless(&text, COLUMNS);
    assert!(cost(&text) < TEXT_LIMIT, "{}", cost(&text));
}
