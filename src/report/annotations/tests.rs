//! Where findings are shown, and in what words.

use super::*;
use crate::model::changed_lines::ChangedLines;
use crate::report::testing::{at, drift, flipped, header, mixed, of_lanes, overdue, report, row};

fn shown(report: &Report, diff: &str) -> Vec<Annotation> {
    let changed = ChangedLines::parse(diff.as_bytes());
    let context = Context {
        name: "driftgate",
        root: "",
        run_url: None,
        changed: &changed,
        said: &[],
    };
    annotations(&findings(report), &context)
}

fn alone(lane: &str, row: Row) -> Report {
    of_lanes(vec![Experiment::new(lane, vec![row])], Vec::new())
}

fn change(path: &str, line: u32) -> String {
    format!("--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-a\n+b\n")
}

fn place(annotation: &Annotation) -> (&str, u32) {
    (&annotation.path, annotation.start_line)
}

#[test]
fn one_edit_of_a_grader_is_one_annotation_on_it_with_every_verdict_it_flips() {
    let annotations = shown(&drift(), &change("goldens/graders/io_match.yaml", 3));
    let [only] = annotations.as_slice() else {
        panic!("{annotations:?}")
    };
    assert_eq!(place(only), ("goldens/graders/io_match.yaml", 3));
    assert_eq!(only.title, "GRADER_DRIFT: io_match flips 3 verdicts");
    for flip in [
        "parse-args-004: pass → fail\n",
        "split-range-001: pass → fail\n",
    ] {
        assert!(only.message.contains(flip), "{}", only.message);
    }
    let details = only.raw_details.as_deref().unwrap();
    assert!(
        details.starts_with("parse-args-004, stdout.diff:\n-7 files\n+7 files·\n"),
        "{details}"
    );
    assert!(details.contains("wrap-text-012, stdout.diff:"), "{details}");
}

#[test]
fn edits_of_two_graders_and_a_reviewed_one_are_told_apart() {
    let mut other = flipped("b", "-x\n+y");
    other.grader = Some("other".to_owned());
    other.at = at("goldens/graders/other.yaml", 1);
    let mut reviewed = flipped("c", "-x\n+y");
    reviewed.level = Level::Review;
    reviewed.explained = true;
    let annotations = shown(
        &report(vec![flipped("a", ""), other, reviewed], Vec::new()),
        "",
    );
    let levels: Vec<_> = annotations.iter().map(|one| one.level.as_str()).collect();
    assert_eq!(levels, ["failure", "failure", "notice"]);
    assert!(annotations[2].message.contains("reviewed reason"));
}

#[test]
fn many_flips_are_cut_and_counted() {
    let rows = (0..500).map(|index| flipped(&format!("case-{index}"), "-x\n+y"));
    let annotations = shown(&report(rows.collect(), Vec::new()), "");
    assert_eq!(annotations.len(), 1);
    assert!(
        annotations[0]
            .message
            .contains("and 400 more in the summary")
    );
    let details = annotations[0].raw_details.as_deref().unwrap();
    assert!(details.ends_with("and of 480 more cases"), "{details}");
}

#[test]
fn a_finding_is_on_a_changed_line_where_one_explains_it_else_on_its_file() {
    let case = "goldens/cases/a.json";
    let mut edited = row("a", "CASE_DRIFT", "the case was edited");
    edited.at = at(case, 1);
    let report = alone("replay", edited);
    let line = |diff: &str| shown(&report, diff)[0].start_line;
    assert_eq!(line(&change(case, 7)), 7);
    assert_eq!(line(&change(case, 1)), 1);
    assert_eq!(line(&change("other", 7)), 1);
    assert_eq!(
        line("diff --git a/goldens/cases/a.json b/goldens/cases/a.json\nBinary files differ\n"),
        1
    );
}

#[test]
fn what_points_at_a_line_stays_there() {
    let shown_at = |lane: &str, row: Row, path: &str| {
        let annotations = shown(&alone(lane, row), &change(path, 40));
        let (path, line) = place(&annotations[0]);
        (path.to_owned(), line)
    };
    assert_eq!(
        shown_at("quarantine", overdue(), "quarantine.yaml"),
        ("quarantine.yaml".to_owned(), 9)
    );
    let path = "include/text/wrap.hpp";
    assert_eq!(
        shown_at("standalone_header", header(), path),
        (path.to_owned(), 12)
    );
    let mut first = header();
    first.at = at(path, 1);
    assert_eq!(shown_at("standalone_header", first, path).1, 1);
}

#[test]
fn what_has_no_place_is_shown_on_the_configuration() {
    let mut nowhere = row("a", "UNJUDGED", "why");
    nowhere.at = None;
    let paths = ["", "../../etc/passwd", "/etc/passwd", "a//b", "a/./b", "a/"];
    let long = "x".repeat(1025);
    let odd = paths.into_iter().chain([long.as_str()]).map(|path| {
        let mut odd = row(path, "UNJUDGED", "why");
        odd.at = at(path, 0);
        odd
    });
    let rows = odd.chain([nowhere]).collect();
    for annotation in shown(&report(rows, Vec::new()), "") {
        assert_eq!(place(&annotation), ("driftgate.yml", 1));
    }
}

#[test]
fn a_suite_in_a_folder_has_its_paths_from_the_repository() {
    let changed = ChangedLines::parse(change("evals/goldens/graders/io_match.yaml", 3).as_bytes());
    let changed = changed.seen_from("evals");
    let context = Context {
        name: "driftgate",
        root: "",
        run_url: None,
        changed: &changed,
        said: &[],
    };
    let annotations = annotations(&findings(&drift()), &context);
    assert_eq!(
        place(&annotations[0]),
        ("evals/goldens/graders/io_match.yaml", 3)
    );
}

#[test]
fn an_edit_that_repairs_a_header_is_in_the_message() {
    let annotations = shown(&alone("standalone_header", header()), "");
    let message = &annotations[0].message;
    assert!(
        message.contains("line 4 of include/text/wrap.hpp (compiles with it):\n```suggestion\n#include <vector>\n```\n"),
        "{message}"
    );
}

#[test]
fn failures_come_first_whatever_their_lane() {
    let annotations = shown(&mixed(), "");
    assert!(annotations.iter().map(|one| one.level).is_sorted());
    assert!(annotations[0].title.starts_with("GRADER_DRIFT"));
    assert!(!annotations.iter().any(|one| one.title.contains("NEW")));
}

#[test]
fn a_line_that_no_file_has_is_the_last_that_github_takes() {
    let mut far = header();
    far.at = at("include/a.hpp", u32::MAX);
    let annotations = shown(&alone("standalone_header", far), "");
    assert_eq!(place(&annotations[0]), ("include/a.hpp", 2_147_483_647));
}
